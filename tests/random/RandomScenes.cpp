// The generator: ground first, then bodies by layout, then what all of them share.
#include "RandomScenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/Error.hpp"

namespace stiction::random_scenes {
namespace {

constexpr double leastSize = 0.01, largestSize = 1.0;   // [m]
constexpr double leastMass = 1e-6, largestMass = 1e6;   // [kg]
constexpr double largestSpeed = 20, largestSpin = 100;  // [m/s], [rad/s]

enum class Layout { Scattered, Stack, Row, Block, OnePlace };
constexpr const char* layoutNames[] = {"scattered", "stack", "row", "block", "one place"};
enum class Ground { Plane, Boxes, Mesh, HeightField, None };
constexpr const char* groundNames[] = {"plane", "boxes", "mesh", "height field", "nothing"};

class SceneMaker {
 public:
  explicit SceneMaker(std::uint64_t seed) : random_{seed} {}
  Scene make();

 private:
  struct Placed {
    Shape shape;
    Pose pose;
    double mass;
    Vector3 velocity, angularVelocity;
  };

  double size() { return random_.logUniform(least_, largest_); }
  Vector3 sizes() { return {size(), size(), size()}; }
  double friction();
  double restitution();
  double mass();
  Vector3 velocity(double limit);
  Shape hull();
  Shape solid();
  Shape flatSided();
  Shape mesh();
  Shape heightField();
  void chooseScales();
  void addFixed(const Shape& shape, const Pose& X_WB);
  void addGround();
  void addKinematic();
  void addBody(const Shape& shape, const Pose& X_WB);
  void addToModel(const Placed& part);
  void repeatBody();
  void scatter(int count, double spread);
  void line(int count, int axis);
  void block(int count);

  Random random_;
  ModelBuilder builder_;
  std::vector<Placed> placed_;
  Layout layout_{};
  Ground ground_{};
  double least_{leastSize}, largest_{largestSize};
  double lightest_{leastMass}, heaviest_{largestMass}, commonFriction_{-1}, commonRestitution_{0}, speedLimit_{0};
  bool massBySize_{false}, ownRestitution_{false};
};

double SceneMaker::friction() {
  if (commonFriction_ >= 0) return commonFriction_;
  const double pick = random_.uniform(0, 1);
  if (pick < 0.15) return 0;
  if (pick < 0.6) return random_.uniform(0, 1);
  return pick < 0.9 ? random_.logUniform(1e-3, 10) : 10;
}

double SceneMaker::restitution() { return ownRestitution_ ? random_.uniform(0, 1) : commonRestitution_; }

double SceneMaker::mass() { return random_.logUniform(lightest_, heaviest_); }

Vector3 SceneMaker::velocity(double limit) {
  if (speedLimit_ <= 0) return Vector3::Zero();
  return random_.inBall(limit * speedLimit_ / largestSpeed);
}

/// A hull that is not nearly flat; more points until it is.
Shape SceneMaker::hull() {
  const Vector3 half = sizes();
  std::vector<Vector3> points;
  const bool onSphere = random_.chance(0.5);
  int count = random_.integer(4, 20);
  for (;;) {
    while (static_cast<int>(points.size()) < count) points.push_back(half.cwiseProduct(onSphere ? random_.direction() : random_.inBox(1)));
    ++count;
    try {
      Shape shape = Shape::hull(points);
      if (massProperties(shape).volume > 0.02 * half.prod()) return shape;
    } catch (const InputError&) {
      continue;  // all in one plane
    }
  }
}

Shape SceneMaker::solid() {
  const int kind = random_.integer(0, 5);
  if (kind == 5) return hull();
  const Vector3 s = sizes();
  switch (kind) {
    case 0: return Shape::sphere(s[0]);
    case 1: return Shape::box(s);
    case 2: return Shape::capsule(s[0], s[1]);
    case 3: return Shape::cylinder(s[0], s[1]);
    default: return Shape::ellipsoid(s);
  }
}

Shape SceneMaker::flatSided() {
  if (random_.chance(0.2)) return solid();
  const bool isRound = random_.chance(0.3);
  const Vector3 s = sizes();
  return isRound ? Shape::cylinder(s[0], s[1]) : Shape::box(s);
}

/// A grid of triangles, flat or uneven, or a closed box of twelve triangles with its top at z = 0.
Shape SceneMaker::mesh() {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  if (random_.chance(0.3)) {
    for (int i = 0; i < 8; ++i) vertices.emplace_back(i & 1 ? 2.0 : -2.0, i & 2 ? 2.0 : -2.0, i & 4 ? 0.0 : -1.0);
    triangles = {{4, 5, 7}, {4, 7, 6}, {0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return Shape::triangles(vertices, triangles);
  }
  const int cells = random_.integer(1, 8);
  const double uneven = random_.chance(0.5) ? 0.0 : random_.uniform(0, 0.5);
  for (int row = 0; row <= cells; ++row)
    for (int column = 0; column <= cells; ++column) vertices.emplace_back(4.0 * column / cells - 2, 4.0 * row / cells - 2, uneven * random_.uniform(-1, 1));
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      const int corner = row * (cells + 1) + column, above = corner + cells + 1;
      triangles.push_back({corner, corner + 1, above + 1});
      triangles.push_back({corner, above + 1, above});
    }
  return Shape::triangles(vertices, triangles);
}

Shape SceneMaker::heightField() {
  HeightField field;
  field.rows = random_.integer(2, 9);
  field.columns = random_.integer(2, 9);
  field.rx = random_.uniform(0.5, 3);
  field.ry = random_.uniform(0.5, 3);
  field.bottom = 0.5;
  const double uneven = random_.chance(0.4) ? 0.0 : random_.uniform(0, 0.5);
  for (int i = 0; i < field.rows * field.columns; ++i) field.heights.push_back(uneven * random_.uniform(0, 1));
  return Shape::terrain(field);
}

void SceneMaker::addFixed(const Shape& shape, const Pose& X_WB) {
  Geom geom;
  geom.shape = shape;
  geom.friction = friction();
  geom.restitution = restitution();
  builder_.addGeom(geom, X_WB);
}

void SceneMaker::addGround() {
  ground_ = static_cast<Ground>(random_.integer(0, 4));
  Pose turned;
  if (random_.chance(0.2)) {
    const Vector3 axis = random_.direction();
    turned.rotation = Quaternion{Eigen::AngleAxisd{random_.uniform(0, 0.6), axis}};
  }
  if (ground_ == Ground::Plane) {
    addFixed(Shape::plane(), turned);
    if (random_.chance(0.2)) addFixed(Shape::plane(), {{-1, 0, 0}, Quaternion{Eigen::AngleAxisd{0.5 * std::numbers::pi, Vector3::UnitY()}}});
  } else if (ground_ == Ground::Boxes) {
    addFixed(Shape::box({2, 2, 0.5}), {{0, 0, -0.5}, Quaternion::Identity()});
    for (int more = random_.integer(0, 2); more > 0; --more) {
      const Shape box = Shape::box(sizes());
      addFixed(box, {random_.inBox(1), random_.rotation()});
    }
  } else if (ground_ == Ground::Mesh) {
    addFixed(mesh(), turned);
  } else if (ground_ == Ground::HeightField) {
    addFixed(heightField(), turned);
  }
}

void SceneMaker::addKinematic() {
  Body body;
  body.kind = BodyKind::Kinematic;
  body.X_WB = {random_.inBox(1), random_.rotation()};
  body.velocity = random_.inBall(5);
  body.angularVelocity = random_.inBall(10);
  Geom geom;
  geom.shape = solid();
  geom.friction = friction();
  geom.restitution = restitution();
  geom.body = builder_.addBody(body);
  builder_.addGeom(geom, Pose{});
}

void SceneMaker::addBody(const Shape& shape, const Pose& X_WB) {
  const double m = massBySize_ ? 1000 * massProperties(shape).volume : mass();
  placed_.push_back({shape, X_WB, m, velocity(largestSpeed), velocity(largestSpin)});  // braces: in this order
}

void SceneMaker::addToModel(const Placed& part) {
  const MassProperties solid = massProperties(part.shape);
  Body body;
  body.mass = part.mass;
  body.p_BC = solid.centre;
  body.I_C = part.mass / solid.volume * solid.inertia;
  body.X_WB = part.pose;
  body.velocity = part.velocity;
  body.angularVelocity = part.angularVelocity;
  Geom geom;
  geom.shape = part.shape;
  geom.friction = friction();
  geom.restitution = restitution();
  geom.body = builder_.addBody(body);
  builder_.addGeom(geom, Pose{});
}

/// An exact copy at the same place; sometimes as fast, sometimes on its own.
void SceneMaker::repeatBody() {
  Placed copy = placed_[static_cast<std::size_t>(random_.integer(0, static_cast<int>(placed_.size()) - 1))];
  if (random_.chance(0.5)) copy.velocity = velocity(largestSpeed);
  if (random_.chance(0.3)) copy.mass = mass();
  placed_.push_back(copy);
}

void SceneMaker::scatter(int count, double spread) {
  for (int i = 0; i < count; ++i) {
    const Shape shape = solid();
    const double half = spread * (largest_ + least_);
    Vector3 place = random_.inBox(half);
    place[2] += random_.uniform(0, half);
    addBody(shape, {place, random_.chance(0.3) ? random_.quarterTurns() : random_.rotation()});
  }
}

/// Shapes side by side along an axis, bounds touching exactly, all standing on z = 0.
void SceneMaker::line(int count, int axis) {
  const double shift = random_.chance(0.5) ? 0.0 : 0.3 * least_;
  double end = axis == 2 ? 0.0 : -1.0;
  for (int i = 0; i < count; ++i) {
    const Shape shape = flatSided();
    Pose pose{Vector3::Zero(), random_.quarterTurns()};
    const auto [low, high] = bounds(shape, pose);
    pose.position = {shift * random_.uniform(-1, 1), shift * random_.uniform(-1, 1), -low[2]};
    pose.position[axis] = end - low[axis];
    end = pose.position[axis] + high[axis];
    addBody(shape, pose);
  }
}

/// Equal boxes, two by two by two, each touching its neighbours face on face.
void SceneMaker::block(int count) {
  const Vector3 half = sizes();
  for (int i = 0; i < count; ++i) {
    const Vector3 cell{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 3.0 : 1.0};
    addBody(Shape::box(half), {half.cwiseProduct(cell), Quaternion::Identity()});
  }
}

void SceneMaker::chooseScales() {
  if (random_.chance(0.5)) {
    const double middle = random_.logUniform(leastSize, largestSize), factor = random_.uniform(1, 3);
    least_ = std::max(leastSize, middle / factor);
    largest_ = std::min(largestSize, middle * factor);
  }
  massBySize_ = random_.chance(0.25);
  if (random_.chance(0.8)) {
    const double middle = random_.logUniform(leastMass, largestMass), factor = random_.chance(0.5) ? 1 : random_.uniform(1, 100);
    lightest_ = std::max(leastMass, middle / factor);
    heaviest_ = std::min(largestMass, middle * factor);
  }
  if (random_.chance(0.3)) commonFriction_ = friction();
  if (random_.chance(0.3)) (random_.chance(0.5) ? commonRestitution_ = random_.chance(0.3) ? 1.0 : random_.uniform(0, 1) : ownRestitution_ = true);
  speedLimit_ = random_.chance(0.3) ? 0 : random_.chance(0.4) ? random_.logUniform(1e-6, 1) : largestSpeed;
  const double pull = random_.uniform(0, 1);
  if (pull < 0.15)
    builder_.setGravity(Vector3::Zero());
  else if (pull < 0.3)
    builder_.setGravity(random_.inBall(30));
}

Scene SceneMaker::make() {
  chooseScales();
  addGround();
  if (random_.chance(0.2)) addKinematic();
  layout_ = static_cast<Layout>(random_.integer(0, 4));
  const int count = random_.integer(1, 8), repeats = random_.chance(0.25) ? random_.integer(0, count / 2) : 0;
  switch (layout_) {
    case Layout::Scattered: scatter(count - repeats, random_.uniform(0.2, 2)); break;
    case Layout::Stack: line(count - repeats, 2); break;
    case Layout::Row: line(count - repeats, random_.integer(0, 1)); break;
    case Layout::Block: block(count - repeats); break;
    case Layout::OnePlace: scatter(count - repeats, random_.chance(0.3) ? 0.0 : random_.uniform(0, 0.1)); break;
  }
  for (int i = 0; i < repeats; ++i) repeatBody();
  for (const Placed& part : placed_) addToModel(part);
  Scene scene;
  scene.h = random_.logUniform(1e-4, 0.05);
  scene.steps = random_.integer(10, 20);
  scene.options.restitution = random_.chance(0.2) ? Restitution::Moreau : Restitution::Newton;
  scene.options.frameSeed = random_.chance(0.2) ? static_cast<unsigned>(random_.integer(1, 1000)) : 0;
  scene.layout = layoutNames[static_cast<int>(layout_)];
  scene.ground = groundNames[static_cast<int>(ground_)];
  scene.model = builder_.build();
  return scene;
}

}  // namespace

double Random::logUniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }

Vector3 Random::direction() {
  const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), radius = std::sqrt(1 - z * z);
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

Vector3 Random::inBall(double radius) {
  const double length = uniform(0, radius);
  return length * direction();
}

Vector3 Random::inBox(double half) {
  const double x = uniform(-half, half), y = uniform(-half, half), z = uniform(-half, half);
  return {x, y, z};
}

Quaternion Random::rotation() {
  const Vector3 axis = direction();
  return Quaternion{Eigen::AngleAxisd{uniform(0, 2 * std::numbers::pi), axis}};
}

Quaternion Random::quarterTurns() {
  if (chance(0.4)) return Quaternion::Identity();
  const Vector3 first = Vector3::Unit(integer(0, 2)), second = Vector3::Unit(integer(0, 2));
  const double turn = 0.5 * std::numbers::pi;
  const int turns = integer(0, 3), more = integer(0, 3);
  return (Quaternion{Eigen::AngleAxisd{turn * turns, first}} * Quaternion{Eigen::AngleAxisd{turn * more, second}}).normalized();
}

Scene makeScene(std::uint64_t seed) { return SceneMaker{seed}.make(); }

}  // namespace stiction::random_scenes
