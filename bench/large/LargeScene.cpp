#include "large/LargeScene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace stiction::bench {
namespace {

constexpr double kRadius = 0.1, kDensity = 1000, kFriction = 0.5, kPitch = 0.23, kJitter = 0.01;

void addPlane(ModelBuilder& builder, double friction, const Vector3& point, const Vector3& normal) {
  Geom plane;
  plane.shape = Shape::plane();
  plane.friction = friction;
  builder.addGeom(plane, {point, Quaternion::FromTwoVectors(Vector3::UnitZ(), normal)});
}

class Jitter {
 public:
  double operator()() { return kJitter * (2.0 * generator_() / std::mt19937::max() - 1); }

 private:
  std::mt19937 generator_{1};
};

}  // namespace

LargeScene makeHeap(int bodies) {
  constexpr int layers = 10;
  const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(bodies) / layers)));
  const double half = 0.12 * side;
  ModelBuilder builder;
  builder.setName("heap");
  addPlane(builder, kFriction, Vector3::Zero(), Vector3::UnitZ());
  for (const double sense : {-1.0, 1.0})
    for (const Vector3& axis : {Vector3{Vector3::UnitX()}, Vector3{Vector3::UnitY()}}) addPlane(builder, kFriction, half * sense * axis, -sense * axis);
  Jitter jitter;
  for (int k = 0, made = 0; made < bodies; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side && made < bodies; ++i, ++made) {
        const Vector3 place{kPitch * (i - 0.5 * (side - 1)) + jitter(), kPitch * (j - 0.5 * (side - 1)) + jitter(), 0.15 + kPitch * k};
        builder.addSolid("", Shape::sphere(kRadius), kDensity, {place, Quaternion::Identity()}, kFriction);
      }
  return {builder.build()};
}

LargeScene makeWall(int bodies) {
  constexpr double length = 1, depth = 0.5, height = 0.5, friction = 0.6, density = 2000;
  const int courses = std::max(1, static_cast<int>(std::lround(std::sqrt(bodies / 2.0))));
  const int along = (bodies + courses - 1) / courses;
  ModelBuilder builder;
  builder.setName("wall");
  addPlane(builder, friction, Vector3::Zero(), Vector3::UnitZ());
  for (int course = 0, made = 0; made < bodies; ++course)
    for (int i = 0; i < along && made < bodies; ++i, ++made) {
      const Vector3 place{length * (i - 0.5 * (along - 1) + (course % 2 == 0 ? 0 : 0.5)), 0, height * (course + 0.5)};
      builder.addSolid("", Shape::box({length / 2, depth / 2, height / 2}), density, {place, Quaternion::Identity()}, friction);
    }
  return {builder.build()};
}

LargeScene makeColumn(int bodies, double aspect) {
  const double cell = 2.02 * kRadius;
  const double radius = std::cbrt(bodies * cell * cell * cell / (std::numbers::pi * aspect));
  ModelBuilder builder;
  builder.setName("column");
  addPlane(builder, kFriction, Vector3::Zero(), Vector3::UnitZ());
  const int reach = static_cast<int>(std::ceil(radius / cell));
  std::vector<std::pair<double, double>> layer;
  for (int j = -reach; j <= reach; ++j)
    for (int i = -reach; i <= reach; ++i)
      if (std::hypot(i * cell, j * cell) <= radius) layer.emplace_back(i * cell, j * cell);
  const int layers = (bodies + static_cast<int>(layer.size()) - 1) / static_cast<int>(layer.size());
  Jitter jitter;
  for (int k = 0, made = 0; k < layers; ++k)
    for (const auto& [x, y] : layer) {
      if (made++ == bodies) break;
      const Vector3 place{x + 0.1 * jitter(), y + 0.1 * jitter(), kRadius + cell * k};
      builder.addSolid("", Shape::sphere(kRadius), kDensity, {place, Quaternion::Identity()}, kFriction);
    }
  return {builder.build(), radius, cell * layers};
}

}  // namespace stiction::bench
