// The rows of joints: zero where the joints allow the pose, and with the derivatives that differences have.
#include "constraints/JointConstraint.hpp"

#include <gtest/gtest.h>

#include "Jacobians.hpp"
#include "PlacedChild.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

using testing::differenceJacobianTwoBody;
using testing::differenceVelocityProduct;
using testing::placedChild;
using testing::randomState;
using testing::randomVector;

struct Kind {
  const char* name;
  int slides, hinges;  // -1: a ball
  bool last;
  int rows;
  bool spread{false};  // hinges through different points
};
constexpr Kind kKinds[] = {{"weld", 0, 0, false, 6},
                           {"hinge", 0, 1, false, 5},
                           {"universal", 0, 2, false, 4},
                           {"three hinges", 0, 3, false, 3},
                           {"ball", 0, -1, false, 3},
                           {"slide", 1, 0, false, 5},
                           {"planar", 2, 1, false, 3},
                           {"cylinder", 1, 1, false, 4},
                           {"hinge, slide", 1, 1, true, 4},
                           {"ball, slides", 2, -1, true, 1},
                           {"three slides", 3, 0, false, 3},
                           {"two spread hinges", 0, 2, false, 4, true},
                           {"slide, spread hinges", 1, 2, false, 3, true},
                           {"spread hinges, slides", 2, 2, true, 2, true},
                           {"three spread hinges", 0, 3, false, 3, true}};

Model makeModel(std::mt19937& random, const Kind& kind) {
  Model model;
  Mobilizer mobilizer;
  mobilizer.child = 1;
  mobilizer.X_PC = {randomVector(random), expRotation(randomVector(random))};
  mobilizer.p_CA = randomVector(random);
  const auto add = [&](JointType type, int count) {
    const Quaternion frame = expRotation(randomVector(random));
    for (int k = 0; k < count; ++k) {
      Joint joint;
      joint.type = type;
      joint.axis = frame * Vector3::Unit(k);
      if (kind.spread && type == JointType::Hinge && k + 1 < count) joint.offset = randomVector(random);
      joint.limited = true;
      joint.low = -0.5;
      joint.high = 0.7;
      model.joints.push_back(joint);
    }
  };
  if (!kind.last) add(JointType::Slide, kind.slides);
  add(kind.hinges < 0 ? JointType::Ball : JointType::Hinge, std::abs(kind.hinges));
  if (kind.last) add(JointType::Slide, kind.slides);
  mobilizer.joints = static_cast<int>(model.joints.size());
  model.mobilizers.push_back(mobilizer);
  return model;
}

TEST(JointConstraint, DerivativesAreThoseOfItsValues) {
  std::mt19937 random{11};
  for (const Kind& kind : kKinds)
    for (int trial = 0; trial < 10; ++trial) {
      const Model model = makeModel(random, kind);
      const JointConstraint constraint{JointMotion{model, model.mobilizers[0]}, kind.name};
      ASSERT_EQ(constraint.dimension(), kind.rows) << kind.name;
      const InertialState a = randomState(random);
      InertialState b = randomState(random);
      if (kind.spread)
        b.orientation = a.orientation * model.mobilizers[0].X_PC.rotation * expRotation(0.4 * randomVector(random));  // three hinges off their gimbal lock
      const MatrixX J = constraint.jacobianTwoBody(a, b, 0);
      EXPECT_LT((J - differenceJacobianTwoBody(constraint, kind.rows, a, b, 0)).norm(), 1e-8) << kind.name;
      const VectorX product = constraint.velocityProductTwoBody(a, b, 0);
      EXPECT_LT((product - differenceVelocityProduct(constraint, a, b, 0)).norm(), 1e-5 * (1 + product.norm())) << kind.name;
    }
}

/// Whatever slides and hinges do, the rows stay zero, and no others would: their rank is what is left of six.
TEST(JointConstraint, LeavesTheJointsFree) {
  std::mt19937 random{12};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (const Kind& kind : kKinds)
    for (int trial = 0; trial < 10; ++trial) {
      const Model model = makeModel(random, kind);
      const Mobilizer& mobilizer = model.mobilizers[0];
      const JointConstraint constraint{JointMotion{model, mobilizer}, kind.name};
      const InertialState parent = randomState(random);
      const Pose X_WP{parent.position, parent.orientation};
      std::vector<double> q;
      for (std::size_t j = 0; j < model.joints.size(); ++j) q.push_back(uniform(random));
      const Pose X_WC = placedChild(model, X_WP, q, expRotation(randomVector(random)));
      InertialState child;
      child.position = X_WC.position;
      child.orientation = X_WC.rotation;
      EXPECT_LT(constraint.evaluateTwoBody(parent, child, 0).norm(), 1e-14) << kind.name;
      const MatrixX J = constraint.jacobianTwoBody(parent, child, 0);
      EXPECT_EQ(Eigen::FullPivLU<MatrixX>{J}.rank(), kind.rows) << kind.name;
    }
}

TEST(JointLimit, IsTheWayToTheEndOfTheRange) {
  std::mt19937 random{13};
  for (const Kind& kind : kKinds) {
    const Model model = makeModel(random, kind);
    const JointMotion motion{model, model.mobilizers[0]};
    InertialState a = randomState(random), b;
    const Pose X = Pose{a.position, a.orientation} * model.mobilizers[0].X_PC;  // the reference
    b.position = X.position;
    b.orientation = X.rotation;
    for (int j = 0; j < motion.joints(); ++j) {
      if (motion.all()[static_cast<std::size_t>(j)].type == JointType::Ball) continue;
      const JointLimit low{motion, j, false, "low"}, high{motion, j, true, "high"};
      EXPECT_NEAR(low.evaluateTwoBody(a, b, 0)[0], 0.5, 1e-14) << kind.name;
      EXPECT_NEAR(high.evaluateTwoBody(a, b, 0)[0], 0.7, 1e-14) << kind.name;
      EXPECT_LT((low.jacobianTwoBody(a, b, 0) + high.jacobianTwoBody(a, b, 0)).norm(), 1e-14) << kind.name;
    }
  }
}

}  // namespace
}  // namespace stiction
