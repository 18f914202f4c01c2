// What the drivers of other engines share: the plain text of a scene, the clock, and the output.
//
// A line of a scene is one of
//   gravity x y z
//   plane nx ny nz offset μ                                                      { x : n·x = offset }, solid below
//   box    mass μ e  px py pz  qw qx qy qz  vx vy vz  wx wy wz  hx hy hz         half sizes
//   sphere mass μ e  px py pz  qw qx qy qz  vx vy vz  wx wy wz  radius
//   hull   mass μ e  px py pz  qw qx qy qz  vx vy vz  wx wy wz  x y z  x y z ... corners, seen from the centre of mass
// with the pose and the velocities of the centre of mass in world axes. Bodies move freely. The friction of a pair is the larger of the two, as its restitution.
#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace peers {

using Triple = std::array<double, 3>;

struct Plane {
  Triple normal{};
  double offset{0}, mu{0};
};

enum class Shape { Box, Sphere, Hull };

struct Body {
  Shape shape{Shape::Box};
  double mass{1}, mu{0}, restitution{0};
  Triple position{};
  std::array<double, 4> quaternion{1, 0, 0, 0};  // w first
  Triple velocity{}, angularVelocity{};
  std::vector<double> size;
};

struct PlainScene {
  Triple gravity{0, 0, -9.81};
  std::vector<Plane> planes;
  std::vector<Body> bodies;
};

struct Pose {
  Triple position{};
  std::array<double, 4> quaternion{1, 0, 0, 0};
};

inline bool readLine(const std::string& line, PlainScene& scene) {
  std::istringstream in{line};
  std::string kind;
  if (!(in >> kind)) return true;
  const auto triple = [&in](Triple& t) { in >> t[0] >> t[1] >> t[2]; };
  if (kind == "gravity") {
    triple(scene.gravity);
  } else if (kind == "plane") {
    Plane plane;
    triple(plane.normal);
    in >> plane.offset >> plane.mu;
    scene.planes.push_back(plane);
  } else if (kind == "box" || kind == "sphere" || kind == "hull") {
    Body body;
    body.shape = kind == "box" ? Shape::Box : kind == "sphere" ? Shape::Sphere : Shape::Hull;
    in >> body.mass >> body.mu >> body.restitution;
    triple(body.position);
    for (double& x : body.quaternion) in >> x;
    triple(body.velocity);
    triple(body.angularVelocity);
    if (!in) return false;
    body.size.assign(std::istream_iterator<double>{in}, {});
    const std::size_t n = body.size.size();
    scene.bodies.push_back(body);
    return in.eof() && (kind == "box" ? n == 3 : kind == "sphere" ? n == 1 : n >= 12 && n % 3 == 0);
  } else {
    return false;
  }
  return static_cast<bool>(in);
}

inline double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Steps a world, which has step() and pose(i), and prints CPU time and final poses as JSON.
template <class World>
void runAndPrint(World& world, std::size_t bodies, double seconds, double h) {
  const long steps = std::lround(seconds / h), lastSecond = steps - std::lround(1 / h);
  double total = 0, last = 0, dearest = 0;
  for (long i = 0; i < steps; ++i) {
    const double start = cpuSeconds();
    world.step();
    const double spent = cpuSeconds() - start;
    total += spent;
    dearest = spent > dearest ? spent : dearest;
    if (i >= lastSecond) last += spent;
  }
  std::printf("{\"cpu_s\": %.9f, \"cpu_last_second_s\": %.9f, \"dearest_step_s\": %.9f, \"poses\": [", total, last, dearest);
  for (std::size_t i = 0; i < bodies; ++i) {
    const Pose pose = world.pose(i);
    const auto& [p, q] = pose;
    std::printf("%s[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]", i == 0 ? "" : ",", p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
  }
  std::printf("]}\n");
}

/// Reads SCENE.txt SECONDS STEP SETTING and runs World{scene, step, setting}, which throws a std::string where it cannot. Codes: 0, 2 bad usage or scene, 4 beyond the engine.
template <class World>
int peerMain(int argc, char** argv, const char* settings) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s SCENE.txt SECONDS STEP SETTING     settings: %s\n", argv[0], settings);
    return 2;
  }
  PlainScene scene;
  std::ifstream file{argv[1]};
  for (std::string line; std::getline(file, line);)
    if (!readLine(line, scene)) {
      std::fprintf(stderr, "%s: cannot read '%.80s'\n", argv[0], line.c_str());
      return 2;
    }
  const double h = std::strtod(argv[3], nullptr);
  try {
    World world{scene, h, argv[4]};
    runAndPrint(world, scene.bodies.size(), std::strtod(argv[2], nullptr), h);
  } catch (const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", argv[0], why.c_str());
    return 4;
  }
  return 0;
}

}  // namespace peers
