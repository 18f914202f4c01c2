// What a pair of shapes costs: all of its contacts by the narrow phase, beside one distance by Coal (GJK, and EPA where bodies overlap), at the same random poses; and shapes on bumpy ground, a height
// field and a mesh of the same triangles.
//   bench_pairs [--poses N] [--repeats N] [--ground]      prints a Markdown table, of pairs or of shapes on the ground
// Distances between surfaces, in sizes of the smaller shape: 1e-3 apart, 1e-6 deep, and two reaches apart with a reach of 0.1. Times are the least of the repeats.
#include <coal/distance.h>
#include <coal/shape/convex.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>

#include "base/Clock.hpp"
#include "collision/NarrowPhase.hpp"

namespace {

using namespace stiction;

struct Named {
  const char* name;
  Shape shape;
};

/// A hull of so many points on an ellipsoid.
Shape pebble(int points) {
  std::mt19937 random{static_cast<unsigned>(points)};
  std::normal_distribution<double> normal;
  std::vector<Vector3> cloud;
  for (int i = 0; i < points; ++i) {
    const double x = normal(random), y = normal(random), z = normal(random);
    cloud.push_back(Vector3{x, y, z}.normalized().cwiseProduct(Vector3{0.5, 0.4, 0.3}));
  }
  return Shape::hull(cloud);
}

std::unique_ptr<coal::ShapeBase> coalShape(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Sphere: return std::make_unique<coal::Sphere>(shape.size[0]);
    case ShapeType::Capsule: return std::make_unique<coal::Capsule>(shape.size[0], 2 * shape.size[1]);
    case ShapeType::Cylinder: return std::make_unique<coal::Cylinder>(shape.size[0], 2 * shape.size[1]);
    case ShapeType::Ellipsoid: return std::make_unique<coal::Ellipsoid>(shape.size);
    case ShapeType::Box: return std::make_unique<coal::Box>(2 * shape.size);
    default: break;
  }
  auto points = std::make_shared<std::vector<coal::Vec3s>>(shape.polytope->vertices.begin(), shape.polytope->vertices.end());
  auto triangles = std::make_shared<std::vector<coal::Triangle>>();
  for (const std::vector<int>& face : shape.polytope->faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      triangles->emplace_back(static_cast<unsigned>(face[0]), static_cast<unsigned>(face[k - 1]), static_cast<unsigned>(face[k]));
  const auto corners = static_cast<unsigned>(points->size()), faces = static_cast<unsigned>(triangles->size());
  return std::make_unique<coal::Convex<coal::Triangle>>(points, corners, triangles, faces);
}

struct Place {
  Pose a, b;
};

double gapOf(const Shape& a, const Shape& b, const Place& place, double reach, std::vector<PairPoint>& points) {
  collideShapes(a, place.a, b, place.b, reach, points);
  double least = std::numeric_limits<double>::infinity();
  for (const PairPoint& point : points) least = std::min(least, point.gap);
  return least;
}

Vector3 randomVector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random), y = normal(random), z = normal(random);
  return {x, y, z};
}

Quaternion randomTurn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double angle = normal(random);
  return Quaternion{Eigen::AngleAxisd{angle, randomVector(random).normalized()}};
}

/// B beside A in a random direction, turned at random, moved along until the gap is `wanted` [m].
Place placeAt(const Shape& a, const Shape& b, double wanted, std::mt19937& random) {
  const Quaternion turnA = randomTurn(random);
  Place place{{Vector3::Zero(), turnA}, {Vector3::Zero(), randomTurn(random)}};
  const Vector3 direction = randomVector(random).normalized();
  const double far = boundingRadius(a) + boundingRadius(b) + 2 * std::abs(wanted);
  std::vector<PairPoint> points;
  double low = 0, high = far;
  for (int i = 0; i < 60; ++i) {
    place.b.position = 0.5 * (low + high) * direction;
    (gapOf(a, b, place, 2 * far, points) < wanted ? low : high) = 0.5 * (low + high);
  }
  place.b.position = high * direction;
  return place;
}

constexpr int kGrid = 81;          // points a side of the ground
constexpr double kHalfSide = 4.0;  // [m] of it

/// Waves of the size of the shapes, each over some ten cells.
Shape bumpyField() {
  HeightField field{kGrid, kGrid, kHalfSide, kHalfSide, 0.5, {}};
  const auto along = [](int i) { return kHalfSide * (2.0 * i / (kGrid - 1) - 1); };
  for (int r = 0; r < kGrid; ++r)
    for (int c = 0; c < kGrid; ++c) field.heights.push_back(0.1 * std::sin(6 * along(c) + 1) * std::cos(5 * along(r)));
  return Shape::terrain(field);
}

Shape meshOf(const HeightField& field) {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int r = 0; r < kGrid; ++r)
    for (int c = 0; c < kGrid; ++c) {
      const int v = r * kGrid + c;
      vertices.emplace_back(kHalfSide * (2.0 * c / (kGrid - 1) - 1), kHalfSide * (2.0 * r / (kGrid - 1) - 1), field.heights[static_cast<std::size_t>(v)]);
      if (r + 1 == kGrid || c + 1 == kGrid) continue;
      triangles.push_back({v, v + 1, v + kGrid + 1});
      triangles.push_back({v, v + kGrid + 1, v + kGrid});
    }
  return Shape::triangles(vertices, triangles);
}

/// A over a random place of the ground, turned at random, moved down until the gap is `wanted` [m].
Place placeOver(const Shape& a, const Shape& ground, double wanted, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform{-0.8 * kHalfSide, 0.8 * kHalfSide};
  const Quaternion turn = randomTurn(random);
  const double x = uniform(random), y = uniform(random);
  Place place{{{x, y, 0}, turn}, {}};
  std::vector<PairPoint> points;
  double low = 0, high = 2;
  for (int i = 0; i < 60; ++i) {
    place.a.position.z() = 0.5 * (low + high);
    (gapOf(a, ground, place, std::max(1.1 * wanted, 1e-3), points) < wanted ? low : high) = 0.5 * (low + high);
  }
  place.a.position.z() = high;
  return place;
}

/// Least CPU time [µs] of a pass over all poses, a pose.
template <class Pass>
double measure(int poses, int repeats, const Pass& pass) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    const double start = threadCpuSeconds();
    pass();
    least = std::min(least, threadCpuSeconds() - start);
  }
  return 1e6 * least / poses;
}

struct Options {
  int poses{300}, repeats{5};
};

/// Time [µs] of the narrow phase.
double ours(const Shape& a, const Shape& b, const std::vector<Place>& places, double reach, int repeats) {
  std::vector<PairPoint> points;
  return measure(static_cast<int>(places.size()), repeats, [&] {
    for (const Place& place : places) collideShapes(a, place.a, b, place.b, reach, points);
  });
}

void printPairs(const Options& options) {
  const Named box{"box", Shape::box({0.5, 0.4, 0.3})}, few{"hull of 20", pebble(20)}, hundred{"hull of 100", pebble(100)}, hundreds{"hull of 640", pebble(640)},
      thousands{"hull of 2500", pebble(2500)}, sphere{"sphere", Shape::sphere(0.4)}, capsule{"capsule", Shape::capsule(0.2, 0.3)},
      cylinder{"cylinder", Shape::cylinder(0.3, 0.4)}, ellipsoid{"ellipsoid", Shape::ellipsoid({0.5, 0.4, 0.3})};
  const std::pair<const Named*, const Named*> pairs[] = {
      {&box, &box},           {&few, &few},           {&hundred, &hundred},     {&hundreds, &hundreds}, {&thousands, &thousands},
      {&box, &hundreds},      {&box, &cylinder},      {&box, &ellipsoid},       {&sphere, &hundreds},   {&capsule, &hundreds},
      {&cylinder, &hundreds}, {&cylinder, &cylinder}, {&ellipsoid, &ellipsoid}, {&ellipsoid, &hundreds}};
  std::printf(
      "| pair | contacts, 1e-3 apart | µs | Coal's distance, µs | 1e-6 deep, µs | Coal's, µs | out of reach, µs | distances differ by, m "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const auto& [first, second] : pairs) {
    const Shape &a = first->shape, &b = second->shape;
    const auto coalA = coalShape(a), coalB = coalShape(b);
    const double size = std::min(boundingRadius(a), boundingRadius(b)), reach = 0.1 * size;
    std::vector<PairPoint> points;
    const auto placed = [&](double wanted) {
      std::mt19937 random{20261127};
      std::vector<Place> places;
      for (int i = 0; i < options.poses; ++i) places.push_back(placeAt(a, b, wanted, random));
      return places;
    };
    const auto distance = [&](const Place& place) {
      coal::DistanceResult result;
      return coal::distance(coalA.get(), {place.a.rotation.toRotationMatrix(), place.a.position}, coalB.get(),
                            {place.b.rotation.toRotationMatrix(), place.b.position}, coal::DistanceRequest{}, result);
    };
    const auto theirs = [&](const std::vector<Place>& places) {
      return measure(options.poses, options.repeats, [&] {
        for (const Place& place : places) distance(place);
      });
    };
    const std::vector<Place> apart = placed(1e-3 * size), deep = placed(-1e-6 * size), beyond = placed(2 * reach);
    double contacts = 0, differ = 0;
    for (const Place& place : apart) {
      const double gap = gapOf(a, b, place, reach, points);
      contacts += static_cast<double>(points.size()) / options.poses;
      differ = std::max(differ, std::abs(gap - distance(place)));
    }
    std::printf("| %s, %s | %.1f | %.2g | %.2g | %.2g | %.2g | %.2g | %.1g |\n", first->name, second->name, contacts, ours(a, b, apart, reach, options.repeats),
                theirs(apart), ours(a, b, deep, reach, options.repeats), theirs(deep), ours(a, b, beyond, reach, options.repeats), differ);
    std::fflush(stdout);
  }
}

void printGround(const Options& options) {
  const Named shapes[] = {{"sphere", Shape::sphere(0.2)},
                          {"capsule", Shape::capsule(0.1, 0.2)},
                          {"box", Shape::box({0.2, 0.15, 0.1})},
                          {"hull of 20", pebble(20)},
                          {"hull of 640", pebble(640)},
                          {"cylinder", Shape::cylinder(0.15, 0.1)},
                          {"ellipsoid", Shape::ellipsoid({0.25, 0.15, 0.1})}};
  const Shape field = bumpyField();
  const Named grounds[] = {{"height field", field}, {"mesh", meshOf(*field.heightField)}};
  std::printf("| shape, ground | contacts, 1e-3 apart | µs | 1e-6 deep, µs | 0.05 deep, µs | out of reach, µs |\n|---|---|---|---|---|---|\n");
  for (const Named& ground : grounds)
    for (const Named& named : shapes) {
      const double size = boundingRadius(named.shape), reach = 0.1 * size;
      const auto placed = [&](double wanted) {
        std::mt19937 random{20261130};
        std::vector<Place> places;
        for (int i = 0; i < options.poses; ++i) places.push_back(placeOver(named.shape, ground.shape, wanted, random));
        return places;
      };
      std::vector<PairPoint> points;
      const std::vector<Place> apart = placed(1e-3 * size);
      double contacts = 0;
      for (const Place& place : apart) {
        collideShapes(named.shape, place.a, ground.shape, place.b, reach, points);
        contacts += static_cast<double>(points.size()) / options.poses;
      }
      const auto time = [&](const std::vector<Place>& places) { return ours(named.shape, ground.shape, places, reach, options.repeats); };
      std::printf("| %s, %s | %.1f | %.2g | %.2g | %.2g | %.2g |\n", named.name, ground.name, contacts, time(apart), time(placed(-1e-6 * size)),
                  time(placed(-0.05 * size)), time(placed(2 * reach)));
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bool ground = false;
  CLI::App app{"What a pair of shapes costs"};
  app.add_option("--poses", options.poses)->check(CLI::PositiveNumber);
  app.add_option("--repeats", options.repeats)->check(CLI::PositiveNumber);
  app.add_flag("--ground", ground, "shapes on bumpy ground");
  CLI11_PARSE(app, argc, argv);
  ground ? printGround(options) : printPairs(options);
}
