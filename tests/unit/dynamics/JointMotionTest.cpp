// Coordinates of joints against poses put together from known coordinates, and their rates against differences.
#include "dynamics/JointMotion.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "PlacedChild.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

using testing::placedChild;

class Random {
 public:
  explicit Random(unsigned seed) : random_{seed} {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>{low, high}(random_); }
  Vector3 vector(double half = 1) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
  Vector3 unit() { return vector().normalized(); }
  Pose pose() { return {vector(), expRotation(3 * vector())}; }
  int below(int count) { return std::uniform_int_distribution<int>{0, count - 1}(random_); }

 private:
  std::mt19937 random_;
};

/// A mobilizer of `slides` slides and `hinges` hinges (-1: a ball), with axes far from dependent, `spread` through different points.
Model makeModel(Random& random, int slides, int hinges, bool slidesLast, bool spread) {
  Model model;
  Mobilizer mobilizer;
  mobilizer.X_PC = random.pose();
  mobilizer.p_CA = random.vector();
  const Quaternion frame = random.pose().rotation;
  const auto add = [&](JointType type, int k) {
    Joint joint;
    joint.type = type;
    joint.axis = (frame * Vector3::Unit(k) + random.vector(0.2)).normalized();
    joint.reference = type == JointType::Ball ? 0.0 : random.uniform(-1, 1);
    model.joints.push_back(joint);
  };
  const auto addSlides = [&] {
    for (int k = 0; k < slides; ++k) add(JointType::Slide, k);
  };
  if (!slidesLast) addSlides();
  if (hinges < 0) add(JointType::Ball, 0);
  for (int k = 0; k < hinges; ++k) {
    add(JointType::Hinge, k);
    if (spread && k + 1 < hinges) model.joints.back().offset = random.vector();
  }
  if (slidesLast) addSlides();
  mobilizer.joints = static_cast<int>(model.joints.size());
  model.mobilizers.push_back(mobilizer);
  return model;
}

struct Case {
  int slides, hinges;
  bool last, spread;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (int slides = 0; slides <= 3; ++slides)
    for (int hinges = -1; hinges <= 3; ++hinges)
      for (const bool last : {false, true})
        for (const bool spread : {false, true})
          if (slides + hinges != 6 && slides + std::abs(hinges) > 0 && !(slides == 3 && hinges < 0) && (hinges > 1 || !spread))
            all.push_back({slides, hinges, last, spread});
  return all;
}

TEST(JointMotion, FindsTheCoordinatesThatPlacedTheChild) {
  Random random{3};
  for (const Case& c : cases())
    for (int trial = 0; trial < 20; ++trial) {
      const Model model = makeModel(random, c.slides, c.hinges, c.last, c.spread);
      const JointMotion motion{model, model.mobilizers[0]};
      const Pose X_WP = random.pose();
      std::vector<double> q, before, found(model.joints.size());
      for (const Joint& joint : model.joints) {
        const bool turns = joint.type == JointType::Hinge && c.hinges == 1;
        q.push_back(joint.type == JointType::Ball ? 0.0 : joint.reference + random.uniform(-1, 1) * (turns ? 20 : 0.8));
        before.push_back(q.back() + random.uniform(-0.2, 0.2));
      }
      const Pose X_WC = placedChild(model, X_WP, q, expRotation(random.vector()));
      motion.coordinates(X_WP, X_WC, before.data(), found.data());
      for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(found[j], q[j], 1e-13 * (1 + std::abs(q[j]))) << c.slides << c.hinges << c.last << c.spread;
    }
}

TEST(JointMotion, RatesAreThoseOfTheCoordinates) {
  Random random{4};
  const double step = 1e-5;
  for (const Case& c : cases())
    for (int trial = 0; trial < 10; ++trial) {
      const Model model = makeModel(random, c.slides, c.hinges, c.last, c.spread);
      const JointMotion motion{model, model.mobilizers[0]};
      const Pose X_WP = random.pose();
      const Vector3 shift = random.vector(), turn = random.vector(), spin = random.vector();
      const Quaternion ball = expRotation(random.vector());
      std::vector<double> q, rate;
      for (const Joint& joint : model.joints) {
        q.push_back(joint.type == JointType::Ball ? 0.0 : joint.reference + random.uniform(-0.8, 0.8));
        rate.push_back(random.uniform(-1, 1));
      }
      const auto at = [&](double dt) {
        const Pose P{X_WP.position + dt * shift, expRotation(dt * turn) * X_WP.rotation};
        std::vector<double> moved = q;
        for (std::size_t j = 0; j < q.size(); ++j) moved[j] += dt * rate[j];
        return placedChild(model, P, moved, ball * expRotation(dt * spin));
      };
      const Pose now = at(0), earlier = at(-step), later = at(step);
      const Vector3 linear = (later.position - earlier.position) / (2 * step);
      const Vector3 angular = logRotation(later.rotation * earlier.rotation.conjugate()) / (2 * step);
      std::vector<RowVector12> rates(q.size());
      motion.rates(X_WP, now, q.data(), rates.data());
      Eigen::Matrix<double, 12, 1> v;
      v << shift, turn, linear, angular;
      for (std::size_t j = 0; j < q.size(); ++j)
        EXPECT_NEAR(rates[j] * v, model.joints[j].type == JointType::Ball ? spin.x() : rate[j], 1e-8) << c.slides << c.hinges << c.last << c.spread;
    }
}

/// The turn that a hinge is in: the nearest to where its rate has taken it.
TEST(JointMotion, CountsTurns) {
  Model model;
  model.bodies.resize(2);
  model.bodies[1].kind = BodyKind::Dynamic;
  model.bodies[1].I_C = Matrix3::Identity();
  model.joints.resize(1);
  model.mobilizers.push_back({0, 1, Pose{}, Vector3::Zero(), 0, 1});
  const std::vector<JointMotion> motions = jointMotions(model);
  WorldState before = makeState(model);
  const double h = 0.02, rate = 240;  // [s], [rad/s]: 4.8 rad a step
  before.angularVelocity[1] = {0, 0, rate};
  for (int k = 1; k <= 100; ++k) {
    WorldState after = before;
    after.rotation[1] = expRotation({0, 0, std::remainder(k * h * rate, 2 * std::numbers::pi)});
    followJoints(motions, before, h, after);
    EXPECT_NEAR(after.jointPosition[0], k * h * rate, 1e-12 * k);
    before = after;
  }
}

TEST(JointMotion, RotorsAreEngagedAtTheBodiesRates) {
  Random random{5};
  Model model = makeModel(random, 1, 2, false, false);
  model.bodies.resize(2);
  model.mobilizers[0].child = 1;
  for (Joint& joint : model.joints) joint.armature = 2;
  const std::vector<JointMotion> motions = jointMotions(model);
  WorldState state = makeState(model);
  const Pose X_WC = placedChild(model, Pose{}, state.jointPosition, Quaternion::Identity());
  state.position[1] = X_WC.position;
  state.rotation[1] = X_WC.rotation;
  state.velocity[1] = random.vector();
  state.angularVelocity[1] = random.vector();
  state.rotorRate.resize(model.joints.size());
  engageRotors(motions, -1, state);
  const JointState joints = stateOf(motions[0], state);
  double energy = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    EXPECT_EQ(state.rotorRate[j].x(), joints.rate[j]);
    energy += joints.rate[j] * joints.rate[j];
  }
  EXPECT_NEAR(rotorEnergy(model, state), energy, 1e-14);
}

}  // namespace
}  // namespace stiction
