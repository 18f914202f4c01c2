// Bodies that joints and contacts hold in ways that do not agree: links that jam, chains stretched out whose ends are held.
#include <vector>

#include "Scenes.hpp"
#include "diagnostics/Account.hpp"
#include "math/Rotation.hpp"
#include "state/WorldState.hpp"

namespace stiction::laws {

/// Seven hinges about x, y and z alone, in the pose of least freedom; the hand is held where it is, and the second hinge must turn by 0.4 rad to get into its range. Near there Newton's method asks
/// the links to turn by radians for millimetres, and back again. There is a pose in which all hold (least squares from random ones finds it), so that the arm must come to one.
TEST(Jams, AnArmHeldByItsHandComesIntoItsRange) {
  struct Link {
    Vector3 axis, from;  // of its hinge, where its frame is; [m] in the frame of the link before
  };
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), z = Vector3::UnitZ();
  const std::vector<Link> links{{z, {0, 0, 0.5}}, {y, {0, 0.1, 0.3}},    {z, {0, 0.1, 0.1}}, {y, {0.2, 0, 0}},
                                {z, {0, 0.1, 0}}, {x, {0.1, -0.1, 0.3}}, {z, {0.3, 0, 0}}};
  for (const double h : {2e-3, 5e-3, 1.0 / 60}) {
    ModelBuilder builder;
    std::vector<int> bodies;
    Vector3 hand = Vector3::Zero();
    for (const Link& link : links) {
      hand += link.from;
      const int parent = bodies.empty() ? 0 : bodies.back();
      bodies.push_back(addMass(builder, 2, {0.01, 0.02, 0.015}, hand));
      Joint joint = hinge(link.axis);
      joint.damping = 1;
      joint.limited = bodies.size() == 2;
      joint.low = -3;
      joint.high = -0.4;
      builder.addJoints(parent, bodies.back(), Vector3::Zero(), {joint});
    }
    builder.addConnection({"weld", 0, bodies.back(), hand, Vector3::Zero(), Quaternion::Identity()});
    Simulation simulation{builder.build(), {}};
    double error = 1;
    for (int k = 0; k * h < 1; ++k) {
      const StepReport& report = simulation.step(h);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason << ' ' << h << ' ' << k;
      EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
      error = report.constraintError;
    }
    EXPECT_LT(error, 1e-9) << h;
    const WorldState& state = simulation.state();
    EXPECT_LT((state.position[static_cast<std::size_t>(bodies.back())] - hand).norm(), 1e-9) << h;
    Pose before;
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Pose link = state.pose(bodies[k]);
      EXPECT_LT((before * links[k].from - link.position).norm(), 1e-9) << h << ' ' << k;
      const Vector3 turned = logRotation(before.rotation.conjugate() * link.rotation);
      EXPECT_LT(turned.cross(links[k].axis).norm(), 1e-9) << h << ' ' << k;
      EXPECT_LT(turned.dot(links[k].axis), k == 1 ? -0.4 + 1e-9 : 3.2) << h;
      before = link;
    }
  }
}

/// Arms whose links overlap each other and a ball that is fixed beneath the first: no motion parts some of them but along their surfaces, friction holds that, and what hinges curve within a step, a
/// millionth of what gravity does in it, would have to move what cannot be moved.
TEST(Jams, LinksThatJamAreCertified) {
  struct Capsule {
    Vector3 axis, from, to;  // of the hinge; [m] of its place in the frame of the link before; of the link's other end, from there
    double radius, mass, damping;
  };
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), z = Vector3::UnitZ();
  const std::vector<std::vector<Capsule>> arms{
      {{y, {0, 0, 0.1}, {0, 0, 0.2}, 0.05, 3, 0}, {z, {0, 0, 0.2}, {0, 0, 0.1}, 0.05, 0.5, 0.1}, {x, {0, 0, 0.1}, {0.1, 0, 0.15}, 0.05, 1, 0.1}},
      {{z, {0, 0, 0.1}, {0.05, 0, 0.15}, 0.08, 3, 0},
       {y, {0.05, 0, 0.15}, {0, 0, 0.1}, 0.05, 0.5, 0.1},
       {x, {0, 0, 0.1}, {0, 0, 0.15}, 0.08, 3, 0},
       {y, {0, 0, 0.15}, {0.1, 0, 0.15}, 0.08, 3, 0.1}},
      {{y, {0, 0, 0.1}, {0.1, 0, 0.2}, 0.05, 1, 0.1},
       {x, {0.1, 0, 0.2}, {0.05, 0, 0.15}, 0.06, 3, 0},
       {y, {0.05, 0, 0.15}, {0, 0, 0.15}, 0.05, 1, 0.1},
       {x, {0, 0, 0.15}, {0, 0, 0.2}, 0.08, 1, 0},
       {z, {0, 0, 0.2}, {0.1, 0, 0.2}, 0.06, 0.5, 0.1}}};
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    for (const double h : {4e-3, 1.0 / 60}) {
      ModelBuilder builder;
      addFixed(builder, Shape::sphere(0.06), {{0, 0, 0.02}, Quaternion::Identity()}, 1);
      Vector3 at = Vector3::Zero();
      int parent = 0;
      for (const Capsule& link : arms[arm]) {
        at += link.from;
        const double half = 0.5 * link.to.norm();
        const Quaternion R = Quaternion::FromTwoVectors(z, link.to);
        const int body = addBody(builder, Shape::capsule(link.radius, half), link.mass, {at + 0.5 * link.to, R}, 1);
        Joint joint = hinge(R.conjugate() * link.axis);
        joint.damping = link.damping;
        builder.addJoints(parent, body, {0, 0, -half}, {joint});
        parent = body;
      }
      Simulation simulation{builder.build(), {}};
      for (int k = 0; k * h < 0.4; ++k) {
        const StepReport& report = simulation.step(h);
        ASSERT_EQ(report.status, StepStatus::Certified) << report.reason << ' ' << arm << ' ' << h << ' ' << k;
        EXPECT_LT(report.constraintError, 1e-10);
        EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
      }
    }
}

}  // namespace stiction::laws
