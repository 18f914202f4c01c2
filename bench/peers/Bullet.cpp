// Bullet on a plain scene.   peer_bullet SCENE.txt SECONDS STEP ITERATIONS      ITERATIONS of the sequential-impulse solver, 10 by default in Bullet
// Bullet multiplies the coefficients of a pair, so each gets the root. Hulls have a margin of 1 mm. Sleeping is off: the same work for every engine.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "Scene.hpp"

namespace {

using namespace peers;

class BulletWorld {
 public:
  BulletWorld(const PlainScene& scene, double h, const std::string& iterations) : step_{btScalar(h)} {
    world_.setGravity(vector(scene.gravity));
    world_.getSolverInfo().m_numIterations = std::atoi(iterations.c_str());
    for (const Plane& plane : scene.planes) {
      Body fixed;
      fixed.mass = 0;
      fixed.mu = plane.mu;
      add(std::make_unique<btStaticPlaneShape>(vector(plane.normal), btScalar(plane.offset)), fixed);
    }
    planes_ = scene.planes.size();
    for (const Body& body : scene.bodies) add(shapeOf(body), body);
  }
  ~BulletWorld() {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  void step() { world_.stepSimulation(step_, 0); }

  Pose pose(std::size_t i) const {
    const btTransform& X = bodies_[planes_ + i]->getWorldTransform();
    const btQuaternion q = X.getRotation();
    return {{X.getOrigin().x(), X.getOrigin().y(), X.getOrigin().z()}, {q.w(), q.x(), q.y(), q.z()}};
  }

 private:
  static btVector3 vector(const Triple& t) { return {btScalar(t[0]), btScalar(t[1]), btScalar(t[2])}; }

  static std::unique_ptr<btCollisionShape> shapeOf(const Body& body) {
    const auto& s = body.size;
    if (body.shape == Shape::Sphere) return std::make_unique<btSphereShape>(btScalar(s[0]));
    if (body.shape == Shape::Box) return std::make_unique<btBoxShape>(vector({s[0], s[1], s[2]}));
    auto hull = std::make_unique<btConvexHullShape>();
    for (std::size_t k = 0; k < s.size(); k += 3) hull->addPoint(vector({s[k], s[k + 1], s[k + 2]}), false);
    hull->recalcLocalAabb();
    hull->setMargin(btScalar(0.001));
    return hull;
  }

  void add(std::unique_ptr<btCollisionShape> shape, const Body& body) {
    btVector3 inertia(0, 0, 0);
    if (body.mass > 0) shape->calculateLocalInertia(btScalar(body.mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.mass), nullptr, shape.get(), inertia);
    const auto& q = body.quaternion;
    info.m_startWorldTransform = btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])), vector(body.position));
    info.m_friction = btScalar(std::sqrt(body.mu));
    info.m_restitution = btScalar(std::sqrt(body.restitution));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    bodies_.back()->setLinearVelocity(vector(body.velocity));
    bodies_.back()->setAngularVelocity(vector(body.angularVelocity));
    world_.addRigidBody(bodies_.back().get());
    shapes_.push_back(std::move(shape));
  }

  btScalar step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t planes_{0};
};

}  // namespace

int main(int argc, char** argv) { return peers::peerMain<BulletWorld>(argc, argv, "iterations, 10 by default in Bullet"); }
