// Collecting, checking and freezing a scene.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "base/Error.hpp"
#include "model/Model.hpp"
#include "model/ModelChecks.hpp"

namespace stiction {

std::string elementTitle(const char* kind, const std::string& name, std::size_t id) {
  return std::string{kind} + " " + (name.empty() ? std::to_string(id) : "\"" + name + "\"");
}

void requireFinite(const std::string& element, const Vector3& value) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(value[i])) throw InputError{element, number(value[i]), "finite", "give three finite numbers"};
}

namespace {

constexpr double triangleSlack = 1e-9;  // [-] relative, in the triangle inequality of principal moments

void normalise(const std::string& element, Pose& X) {
  requireFinite(element + " position", X.position);
  const double length = X.rotation.norm();
  if (!std::isfinite(length) || length < 1e-12)
    throw InputError{element + " quaternion", "length " + number(length), "finite and not zero", "give a rotation, (1, 0, 0, 0) for none"};
  X.rotation.normalize();
}

void checkInertia(const std::string& element, const Matrix3& I) {
  const bool locked = (I.diagonal().array() == std::numeric_limits<double>::infinity()).all();
  if (locked) {
    if (!(Matrix3{I - Matrix3{I.diagonal().asDiagonal()}}.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().array() == 0.0).all())
      throw InputError{element, "off-diagonal entries beside an infinite diagonal", "0", "lock the rotation with diag(inf, inf, inf)"};
    return;
  }
  if (!I.allFinite()) throw InputError{element, "not finite", "finite, or +inf on the whole diagonal", "lock the rotation with diag(inf, inf, inf)"};
  const double size = I.cwiseAbs().maxCoeff();
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) throw InputError{element, "not symmetric", "symmetric", "give Ixy = Iyx"};
  const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>{I, Eigen::EigenvaluesOnly}.eigenvalues();
  if (!(moments[0] > 1e-12 * moments[2]) || !(moments[2] > 0))
    throw InputError{element, "least principal moment " + number(moments[0]) + " kg m²", "positive definite", "give the body some extent in every direction"};
  if (moments[2] > (moments[0] + moments[1]) * (1 + triangleSlack))
    throw InputError{element, "principal moments " + number(moments[0]) + ", " + number(moments[1]) + ", " + number(moments[2]) + " kg m²",
                     "the largest at most the sum of the other two", "no mass distribution has these moments: correct the inertia"};
}

void checkBody(const std::string& element, Body& body) {
  normalise(element, body.X_WB);
  requireFinite(element + " centre of mass", body.p_BC);
  requireFinite(element + " velocity", body.velocity);
  requireFinite(element + " angular velocity", body.angularVelocity);
  requireFinite(element + " force", body.force);
  requireFinite(element + " torque", body.torque);
  if (body.kind == BodyKind::Static && (body.velocity.squaredNorm() > 0 || body.angularVelocity.squaredNorm() > 0))
    throw InputError{element + " velocity", number(body.velocity.norm()) + " m/s", "0 for a static body", "make the body kinematic"};
  if (body.kind != BodyKind::Dynamic) return;
  if (!std::isfinite(body.mass) || body.mass <= 0)
    throw InputError{element + " mass", number(body.mass) + " kg", "finite and > 0", "give a mass, or make the body static"};
  checkInertia(element + " inertia", body.I_C);
}

void checkMaterial(const std::string& element, double friction, double restitution, int condim) {
  if (!std::isfinite(friction) || friction < 0) throw InputError{element + " friction", number(friction), "finite and >= 0", "give a coefficient of friction"};
  if (!(restitution >= 0 && restitution <= 1)) throw InputError{element + " restitution", number(restitution), "0 to 1", "give a coefficient of restitution"};
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
    throw InputError{element + " condim", std::to_string(condim), "1, 3, 4 or 6", "1 for no friction, 3 for sliding friction"};
}

void checkShape(const std::string& element, const Shape& shape) {
  const int lengths[] = {0, 1, 3, 2, 2, 3, 0, 0, 0};  // how many entries of `size` each type uses, in the order of ShapeType
  for (int i = 0; i < lengths[static_cast<int>(shape.type)]; ++i)
    if (!std::isfinite(shape.size[i]) || shape.size[i] <= 0)
      throw InputError{element + " size", number(shape.size[i]) + " m", "finite and > 0", "give positive sizes"};
  const bool needsPolytope = shape.type == ShapeType::Hull || shape.type == ShapeType::Box;
  if ((needsPolytope && !shape.polytope) || (shape.type == ShapeType::Mesh && !shape.mesh) || (shape.type == ShapeType::HeightField && !shape.heightField))
    throw InputError{element + " shape", std::string{name(shape.type)} + " without its points", "a complete shape", "make it with the functions of Shape"};
}

bool onlyFixed(ShapeType type) { return type == ShapeType::Plane || type == ShapeType::HeightField || type == ShapeType::Mesh; }

void checkGeom(const std::string& element, Geom& geom, const std::vector<Body>& bodies) {
  if (geom.body < 0 || geom.body >= static_cast<int>(bodies.size()))
    throw InputError{element + " body", std::to_string(geom.body), "0 to " + std::to_string(bodies.size() - 1), "add the body first"};
  checkShape(element, geom.shape);
  checkMaterial(element, geom.friction, geom.restitution, geom.condim);
  normalise(element, geom.X_CG);
  if (onlyFixed(geom.shape.type) && bodies[static_cast<std::size_t>(geom.body)].kind == BodyKind::Dynamic)
    throw InputError{element, std::string{name(geom.shape.type)} + " on a dynamic body", "static or kinematic bodies", "use a convex hull, or fix the body"};
}

/// Stable sort of the geoms by body; returns old id -> new id.
std::vector<int> sortGeoms(std::vector<Geom>& geoms) {
  std::vector<std::size_t> order(geoms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return geoms[a].body < geoms[b].body; });
  std::vector<int> renamed(geoms.size());
  std::vector<Geom> sorted;
  sorted.reserve(geoms.size());
  for (const std::size_t old : order) {
    renamed[old] = static_cast<int>(sorted.size());
    sorted.push_back(std::move(geoms[old]));
  }
  geoms = std::move(sorted);
  return renamed;
}

}  // namespace

PairMaterial combine(const Geom& a, const Geom& b) {
  const double restitution = std::max(a.restitution, b.restitution);
  if (a.priority != b.priority) {
    const Geom& master = a.priority > b.priority ? a : b;
    return {master.condim == 1 ? 0.0 : master.friction, master.restitution};
  }
  return {std::max(a.condim, b.condim) == 1 ? 0.0 : std::max(a.friction, b.friction), restitution};
}

ModelBuilder::ModelBuilder() {
  Body world;
  world.name = "world";
  world.kind = BodyKind::Static;
  model_.bodies.push_back(world);
}

int ModelBuilder::addBody(Body body) {
  model_.bodies.push_back(std::move(body));
  return static_cast<int>(model_.bodies.size()) - 1;
}

int ModelBuilder::addGeom(Geom geom, const Pose& X_BG) {
  const int count = static_cast<int>(model_.bodies.size());
  const std::string element = elementTitle("geom", geom.name, model_.geoms.size());
  if (geom.body < 0 || geom.body >= count)
    throw InputError{element + " body", std::to_string(geom.body), "0 to " + std::to_string(count - 1), "add the body first"};
  geom.X_CG = {X_BG.position - model_.bodies[static_cast<std::size_t>(geom.body)].p_BC, X_BG.rotation};
  model_.geoms.push_back(std::move(geom));
  return static_cast<int>(model_.geoms.size()) - 1;
}

int ModelBuilder::addSolid(const std::string& name, const Shape& shape, double density, const Pose& X_WB, double friction) {
  if (!std::isfinite(density) || density <= 0) throw InputError{"density of \"" + name + "\"", number(density) + " kg/m³", "finite and > 0", "give a density"};
  const MassProperties solid = massProperties(shape);
  Body body;
  body.name = name;
  body.mass = density * solid.volume;
  body.p_BC = solid.centre;
  body.I_C = density * solid.inertia;
  body.X_WB = X_WB;
  const int id = addBody(std::move(body));
  Geom geom;
  geom.name = name;
  geom.body = id;
  geom.shape = shape;
  geom.friction = friction;
  addGeom(std::move(geom), Pose{});
  return id;
}

void ModelBuilder::addExclude(int bodyA, int bodyB) { model_.excludes.push_back({std::min(bodyA, bodyB), std::max(bodyA, bodyB)}); }

Model ModelBuilder::build() {
  Model model = model_;
  requireFinite("gravity", model.gravity);
  if (!std::isfinite(model.timestep) || model.timestep < 0)
    throw InputError{"timestep", number(model.timestep) + " s", "finite and > 0, or 0 for none given", "give a step between 0.1 and 50 ms"};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    checkBody(elementTitle("body", model.bodies[i].name, i), model.bodies[i]);
    if (model.bodies[i].kind == BodyKind::Dynamic) model.dynamicBodies.push_back(static_cast<int>(i));
  }
  checkJoints(model);
  for (std::size_t i = 0; i < model.geoms.size(); ++i) checkGeom(elementTitle("geom", model.geoms[i].name, i), model.geoms[i], model.bodies);
  const std::vector<int> renamed = sortGeoms(model.geoms);
  const int geoms = static_cast<int>(renamed.size()), bodies = static_cast<int>(model.bodies.size());
  for (std::size_t i = 0; i < model.pairs.size(); ++i) {
    GeomPair& pair = model.pairs[i];
    const std::string element = "pair " + std::to_string(i);
    for (int* geom : {&pair.geomA, &pair.geomB}) {
      if (*geom < 0 || *geom >= geoms) throw InputError{element + " geom", std::to_string(*geom), "0 to " + std::to_string(geoms - 1), "add the geom first"};
      *geom = renamed[static_cast<std::size_t>(*geom)];
    }
    if (pair.geomA == pair.geomB) throw InputError{element, "a geom with itself", "two different geoms", "correct the pair"};
    if (pair.geomA > pair.geomB) std::swap(pair.geomA, pair.geomB);
    checkMaterial(element, pair.friction, pair.restitution, pair.condim);
  }
  for (const auto& [first, second] : model.excludes)
    if (first < 0 || second >= bodies)
      throw InputError{"exclude", std::to_string(first < 0 ? first : second), "0 to " + std::to_string(bodies - 1), "name two bodies of the scene"};
  std::sort(model.excludes.begin(), model.excludes.end());
  model.excludes.erase(std::unique(model.excludes.begin(), model.excludes.end()), model.excludes.end());
  return model;
}

}  // namespace stiction
