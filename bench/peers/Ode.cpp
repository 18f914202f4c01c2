// The Open Dynamics Engine on a plain scene.   peer_ode SCENE.txt SECONDS STEP SETTING      SETTING: the iterations of QuickStep (20 by default in ODE), or `direct` (Dantzig)
// Friction is ODE's pyramid whose bounds scale with the normal force (dContactApprox1). Hulls are left out: its convex shapes fail on them.
#include <ode/ode.h>

#include <algorithm>

#include "Scene.hpp"

namespace {

using namespace peers;

constexpr int kMostContacts = 16;  // of a pair

class OdeWorld {
 public:
  OdeWorld(const PlainScene& scene, double h, const std::string& setting) : step_{h}, direct_{setting == "direct"} {
    dInitODE();
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    if (!direct_) dWorldSetQuickStepNumIterations(world_, std::atoi(setting.c_str()));
    surfaces_.reserve(scene.planes.size() + scene.bodies.size());
    for (const Plane& plane : scene.planes) {
      surfaces_.push_back({plane.mu, 0});
      dGeomSetData(dCreatePlane(space_, plane.normal[0], plane.normal[1], plane.normal[2], plane.offset), &surfaces_.back());
    }
    for (const Body& body : scene.bodies) add(body);
  }
  ~OdeWorld() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void step() {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdeWorld*>(self)->collide(a, b); });
    if (direct_) {
      dWorldStep(world_, step_);
    } else {
      dWorldQuickStep(world_, step_);
    }
    dJointGroupEmpty(contacts_);
  }

  Pose pose(std::size_t i) const {
    const dReal *p = dBodyGetPosition(bodies_[i]), *q = dBodyGetQuaternion(bodies_[i]);
    return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  }

 private:
  struct Surface {
    double mu, restitution;
  };

  void add(const Body& body) {
    if (body.shape == Shape::Hull) throw std::string{"hulls are left out"};
    const auto& s = body.size;
    const bool box = body.shape == Shape::Box;
    dMass mass;
    if (box) {
      dMassSetBoxTotal(&mass, body.mass, 2 * s[0], 2 * s[1], 2 * s[2]);
    } else {
      dMassSetSphereTotal(&mass, body.mass, s[0]);
    }
    const dGeomID geom = box ? dCreateBox(space_, 2 * s[0], 2 * s[1], 2 * s[2]) : dCreateSphere(space_, s[0]);
    surfaces_.push_back({body.mu, body.restitution});
    dGeomSetData(geom, &surfaces_.back());
    const dBodyID id = dBodyCreate(world_);
    dBodySetMass(id, &mass);
    dGeomSetBody(geom, id);
    dBodySetPosition(id, body.position[0], body.position[1], body.position[2]);
    const dQuaternion q = {body.quaternion[0], body.quaternion[1], body.quaternion[2], body.quaternion[3]};
    dBodySetQuaternion(id, q);
    dBodySetLinearVel(id, body.velocity[0], body.velocity[1], body.velocity[2]);
    dBodySetAngularVel(id, body.angularVelocity[0], body.angularVelocity[1], body.angularVelocity[2]);
    bodies_.push_back(id);
  }

  void collide(dGeomID a, dGeomID b) {
    const dBodyID onA = dGeomGetBody(a), onB = dGeomGetBody(b);
    if (onA == nullptr && onB == nullptr) return;
    const auto *first = static_cast<const Surface*>(dGeomGetData(a)), *second = static_cast<const Surface*>(dGeomGetData(b));
    dContact found[kMostContacts];
    const int count = dCollide(a, b, kMostContacts, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      found[i].surface.mode = dContactApprox1;
      found[i].surface.mu = std::max(first->mu, second->mu);
      const double restitution = std::max(first->restitution, second->restitution);
      if (restitution > 0) {
        found[i].surface.mode |= dContactBounce;
        found[i].surface.bounce = restitution;
        found[i].surface.bounce_vel = 0.01;
      }
      dJointAttach(dJointCreateContact(world_, contacts_, &found[i]), onA, onB);
    }
  }

  double step_;
  bool direct_;
  dWorldID world_{};
  dSpaceID space_{};
  dJointGroupID contacts_{};
  std::vector<Surface> surfaces_;
  std::vector<dBodyID> bodies_;
};

}  // namespace

int main(int argc, char** argv) { return peers::peerMain<OdeWorld>(argc, argv, "iterations of QuickStep, 20 by default in ODE, or direct"); }
