// Runs a scene of boxes and spheres in Bullet and prints CPU time and final positions as JSON.   peer_bullet SCENE.txt SECONDS STEP ITERATIONS
// A line of the scene is one of
//   plane nx ny nz offset mu          { x : n·x = offset }, solid below
//   box x y z hx hy hz mass mu
//   sphere x y z radius mass mu
// Bullet multiplies the coefficients of a pair, so each gets √μ. Sleeping is off: the same work for every engine.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class BulletWorld {
 public:
  explicit BulletWorld(int iterations) {
    world_.setGravity(btVector3(0, 0, -9.81));
    world_.getSolverInfo().m_numIterations = iterations;
  }
  ~BulletWorld() {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  bool add(const std::string& line) {
    std::istringstream in{line};
    std::string kind;
    double a{0}, b{0}, c{0}, d{0}, e{0}, f{0}, mass{0}, mu{0};
    if (!(in >> kind)) return true;
    if (kind == "plane" && in >> a >> b >> c >> d >> mu) {
      add(std::make_unique<btStaticPlaneShape>(vector(a, b, c), btScalar(d)), btVector3(0, 0, 0), 0, mu);
    } else if (kind == "box" && in >> a >> b >> c >> d >> e >> f >> mass >> mu) {
      add(std::make_unique<btBoxShape>(vector(d, e, f)), vector(a, b, c), mass, mu);
    } else if (kind == "sphere" && in >> a >> b >> c >> d >> mass >> mu) {
      add(std::make_unique<btSphereShape>(btScalar(d)), vector(a, b, c), mass, mu);
    } else {
      return false;
    }
    return true;
  }

  void step(double h) { world_.stepSimulation(btScalar(h), 0); }

  void printPositions() const {
    const char* separator = "";
    for (const auto& body : bodies_) {
      if (body->isStaticObject()) continue;
      const btVector3& p = body->getWorldTransform().getOrigin();
      std::printf("%s[%.9g,%.9g,%.9g]", separator, static_cast<double>(p.x()), static_cast<double>(p.y()), static_cast<double>(p.z()));
      separator = ",";
    }
  }

 private:
  static btVector3 vector(double x, double y, double z) { return {btScalar(x), btScalar(y), btScalar(z)}; }

  void add(std::unique_ptr<btCollisionShape> shape, const btVector3& position, double mass, double mu) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape.get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(position);
    info.m_friction = btScalar(std::sqrt(mu));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
    shapes_.push_back(std::move(shape));
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: peer_bullet SCENE.txt SECONDS STEP ITERATIONS\n");
    return 2;
  }
  const double seconds = std::strtod(argv[2], nullptr), h = std::strtod(argv[3], nullptr);
  BulletWorld world{std::atoi(argv[4])};
  std::ifstream file{argv[1]};
  for (std::string line; std::getline(file, line);) {
    if (!world.add(line)) {
      std::fprintf(stderr, "peer_bullet: cannot read '%s'\n", line.c_str());
      return 2;
    }
  }
  const long steps = std::lround(seconds / h), lastSecond = steps - std::lround(1 / h);
  double total = 0, last = 0;
  for (long i = 0; i < steps; ++i) {
    const double start = cpuSeconds();
    world.step(h);
    const double spent = cpuSeconds() - start;
    total += spent;
    if (i >= lastSecond) last += spent;
  }
  std::printf("{\"cpu_s\": %.6f, \"cpu_last_second_s\": %.6f, \"positions\": [", total, last);
  world.printPositions();
  std::printf("]}\n");
  return 0;
}
