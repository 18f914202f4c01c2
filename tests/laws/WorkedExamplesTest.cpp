// Six worked examples by every method that claims strict Coulomb, alone (no fall-back), through the world and through solveWithContacts. Bodies that do not turn touch at
// one point, so that every number is the hand calculation's. With STICTION_WORKED_EXAMPLES=FILE in the environment the numbers go to FILE as a table (docs/worked-examples.md).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "Scenes.hpp"
#include "portfolio/Portfolio.hpp"
#include "unit/constraints/ContactScene.hpp"

namespace stiction::laws {
namespace {

constexpr double kTolerance = 1e-9;  // [-] certificate
constexpr double kNear = 1e-7;       // [N], [m/s²], [N s], [rad/s], [m] of numbers of up to 100

std::vector<std::string> strictMethods() {
  std::vector<std::string> names;
  for (const SolverInfo& info : portfolioInfos())
    if (info.law == Law::Coulomb) names.push_back(info.name);
  return names;
}

class WorkedExamples : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, WorkedExamples, testing::ValuesIn(strictMethods()), [](const testing::TestParamInfo<std::string>& method) {
  std::string name = method.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// The numbers of all methods, written as a table at the end.
class Table : public testing::Environment {
 public:
  void note(const std::string& quantity, double exact, double value) {
    if (rows_.empty() || index_.find(quantity) == index_.end()) {
      index_[quantity] = rows_.size();
      rows_.push_back({quantity, exact, {}});
    }
    rows_[index_[quantity]].values[testing::UnitTest::GetInstance()->current_test_info()->value_param()] = value;
  }
  void TearDown() override {
    const char* path = std::getenv("STICTION_WORKED_EXAMPLES");
    if (!path) return;
    std::ofstream file{path};
    file << "| | exact |";
    for (const std::string& method : strictMethods()) file << ' ' << method << " |";
    file << "\n|---|---|";
    for (std::size_t k = 0; k < strictMethods().size(); ++k) file << "---|";
    for (const Row& row : rows_) {
      file << "\n| " << row.quantity << " | " << text("%.6g", row.exact) << " |";
      for (const std::string& method : strictMethods()) {
        const auto found = row.values.find('"' + method + '"');
        file << ' ' << (found == row.values.end() ? "refused" : text("%+.0e", found->second - row.exact)) << " |";
      }
    }
    file << '\n';
  }

 private:
  static std::string text(const char* format, double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
  }

  struct Row {
    std::string quantity;
    double exact;
    std::map<std::string, double> values;  // by method, quoted
  };
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> index_;
};
Table* const table = static_cast<Table*>(testing::AddGlobalTestEnvironment(new Table));  // which owns it

/// Expects a number, and notes it for the table.
void expectNoted(const std::string& quantity, double value, double exact, double tolerance) {
  EXPECT_NEAR(value, exact, tolerance) << quantity;
  table->note(quantity, exact, value);
}

constexpr double kRadius = 0.5;

/// A sphere that does not turn, touching what is below it.
Part ball(double mass, const Vector3& position, double friction, const Vector3& velocity = Vector3::Zero()) {
  Part part = solid(Shape::sphere(kRadius), mass, {position, Quaternion::Identity()}, friction);
  part.body.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
  part.body.velocity = velocity;
  return part;
}

Simulation world(ModelBuilder& builder, const std::string& method) {
  SimulationOptions options;
  options.solver = method;
  options.fallBack = false;
  options.tolerance = kTolerance;
  return {builder.build(), options};
}

/// The acceleration of the first dynamic body in one step, along `direction`, and the total contact force.
double accelerate(Simulation& simulation, const Vector3& direction, double h) {
  const StepReport& report = simulation.step(h);
  EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
  return simulation.state().velocity[1].dot(direction) / h;
}

TEST_P(WorkedExamples, SticksAndSlidesOnTheIncline) {
  struct Case {
    double degrees, mu, normal, friction, acceleration;
  };
  for (const Case& c : {Case{20, 0.6, 92.1838, 33.5522, 0}, Case{45, 0.3, 69.3672, 20.8101, 4.85570}}) {
    constexpr double h = 0.01;
    ModelBuilder builder;
    const Quaternion R = turn(c.degrees, Vector3::UnitY());
    addPlane(builder, c.mu, R);
    add(builder, ball(10, R * Vector3{0, 0, kRadius}, c.mu));
    Simulation simulation = world(builder, GetParam());
    const Vector3 down = R * Vector3::UnitX(), normal = R * Vector3::UnitZ();
    const double angle = c.degrees * std::numbers::pi / 180, n = 10 * kG * std::cos(angle), t = c.acceleration == 0 ? 10 * kG * std::sin(angle) : c.mu * n;
    const double acceleration = c.acceleration == 0 ? 0 : kG * std::sin(angle) - t / 10;
    EXPECT_NEAR(acceleration, c.acceleration, 1e-5);
    expectNoted((c.acceleration == 0 ? "stick on a 20° incline" : "slide on a 45° incline") + std::string{": acceleration [m/s²]"},
                accelerate(simulation, down, h), acceleration, kNear);
    EXPECT_NEAR(n, c.normal, 1e-4);
    EXPECT_NEAR(t, c.friction, 1e-4);
    const Vector3 force = totalImpulse(simulation) / h;
    const std::string name = c.acceleration == 0 ? "stick on a 20° incline: " : "slide on a 45° incline: ";
    expectNoted(name + "normal force [N]", force.dot(normal), n, kNear);
    expectNoted(name + "friction [N]", -force.dot(down), t, kNear);
  }
}

TEST_P(WorkedExamples, StopsOnTheFlatAndNeverReverses) {
  constexpr double mu = 0.5, h = 1.0 / 240;
  ModelBuilder builder;
  addPlane(builder, mu);
  const Vector3 along = Vector3{0.6, 0.8, 0};
  add(builder, ball(5, {0, 0, kRadius}, mu, 10 * along));
  Simulation simulation = world(builder, GetParam());
  double speed = 10, distance = 0;
  while (speed > 0) {
    const StepReport& report = simulation.step(h);
    ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
    speed = std::max(speed - mu * kG * h, 0.0);
    distance += h * speed;
    ASSERT_LE((simulation.state().velocity[1] - speed * along).norm(), kNear);
  }
  EXPECT_NEAR(simulation.state().time, 2.039, h);
  expectNoted("stop on the flat: distance by the discrete law [m]", simulation.state().position[1].dot(along), distance, kNear);
  EXPECT_LE((simulation.state().position[1] - Vector3{0, 0, kRadius} - distance * along).norm(), kNear);
  EXPECT_NEAR(distance, 10.194, 0.5 * h * 10 + 1e-3);  // the discrete law's sum
}

TEST_P(WorkedExamples, GlancingSphere) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  Part block = solid(Shape::box({0.5, 0.5, 0.5}), 10, {{0, 0, -0.5}, Quaternion::Identity()}, 0.4, 1);
  block.body.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
  add(builder, block);
  Part sphere = solid(Shape::sphere(0.1), 2, {{0, 0, 0.1}, Quaternion::Identity()}, 0.4, 1);
  const double angle = std::numbers::pi / 6;
  sphere.body.velocity = 5 * Vector3{std::sin(angle), 0, -std::cos(angle)};
  add(builder, sphere);
  Simulation simulation = world(builder, GetParam());
  ASSERT_EQ(simulation.step(1e-3).status, StepStatus::Certified);
  const Vector3 impulse = 2 * (simulation.state().velocity[2] - sphere.body.velocity);
  expectNoted("glancing sphere: normal impulse [N s]", impulse.z(), 10 * std::cos(angle) / (1.0 / 2 + 1.0 / 10), kNear);                     // 14.43
  expectNoted("glancing sphere: friction impulse [N s]", -impulse.x(), 2.5 / (1.0 / 2 + 1.0 / 10 + 0.01 / 0.008), kNear);                    // 1.351, sticks
  expectNoted("glancing sphere: spin [rad/s]", simulation.state().angularVelocity[2].y(), 0.1 / 0.008 * 2.5 / (0.6 + 0.01 / 0.008), kNear);  // 16.9
  // It flies on by itself: an impulse of 1e-13 N s that an interior point leaves at the open contact holds no anchor.
  const Vector3 velocity = simulation.state().velocity[2];
  for (int k = 0; k < 10; ++k) ASSERT_EQ(simulation.step(1e-3).status, StepStatus::Certified);
  EXPECT_LE((simulation.state().position[2] - Vector3{0, 0, 0.1} - simulation.state().time * velocity).norm(), kNear);
}

TEST_P(WorkedExamples, PushesBelowAndAboveTheThreshold) {
  constexpr double mu = 0.3, mass = 8, h = 0.01;
  for (const double push : {0.0, 10.0, 20.0, 23.5, 25.0, 30.0}) {
    ModelBuilder builder;
    addPlane(builder, mu);
    Part part = ball(mass, {0, 0, kRadius}, mu);
    part.body.force = {push, 0, 0};
    add(builder, part);
    Simulation simulation = world(builder, GetParam());
    expectNoted("pushed with " + std::to_string(push).substr(0, 4) + " N: acceleration [m/s²]", accelerate(simulation, Vector3::UnitX(), h),
                std::max(0.0, push / mass - mu * kG), kNear);
  }
}

TEST_P(WorkedExamples, StackedPairOnIce) {
  constexpr double h = 0.01;
  ModelBuilder builder;
  addPlane(builder, 0);
  Part upper = ball(3, {0, 0, 3 * kRadius}, 0.5), lower = ball(5, {0, 0, kRadius}, 0);
  upper.body.force = {10, 0, 0};
  add(builder, upper);
  add(builder, lower);
  Simulation simulation = world(builder, GetParam());
  expectNoted("stacked pair on ice: acceleration [m/s²]", accelerate(simulation, Vector3::UnitX(), h), 1.25, kNear);
  EXPECT_NEAR(simulation.state().velocity[2].x() / h, 1.25, kNear);
  double friction = 0;
  for (const SolvedContact& solved : simulation.contacts()) friction = std::max(friction, std::abs(solved.impulse.x()) / h);
  expectNoted("stacked pair on ice: friction [N]", friction, 6.25, kNear);
}

// --- As objects ---

ContactScene objects(const std::string& method) {
  ContactScene scene;
  scene.solver.setFrictionMethod(method);
  scene.solver.setTolerance(kTolerance);
  return scene;
}

TEST_P(WorkedExamples, ObjectsOnTheInclineAndPushed) {
  constexpr double h = 0.01;
  struct Case {
    double mass, mu, degrees, push;  // [kg], [-], incline, [N] along it
    double acceleration;             // [m/s²] along it
  };
  const auto slope = [](double degrees, double mu) {
    return kG * (std::sin(degrees * std::numbers::pi / 180) - mu * std::cos(degrees * std::numbers::pi / 180));
  };
  const auto pushed = [](double push) { return Case{8, 0.3, 0, push, std::max(0.0, push / 8 - 0.3 * kG)}; };
  for (const Case& c :
       {Case{10, 0.6, 20, 0, 0}, Case{10, 0.3, 45, 0, slope(45, 0.3)}, pushed(0), pushed(10), pushed(20), pushed(23.5), pushed(25), pushed(30)}) {
    const double angle = c.degrees * std::numbers::pi / 180, normal = c.mass * kG * std::cos(angle), along = c.mass * kG * std::sin(angle) + c.push;
    ContactScene scene = objects(GetParam());
    const std::size_t body = scene.addBody(c.mass, Matrix3::Zero(), {0, 0, kRadius}, h * Vector3{along / c.mass, 0, -kG * std::cos(angle)});
    scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, c.mu);
    const auto result = scene.solve(h);
    EXPECT_TRUE(result.converged) << result.message;
    const Vector3 force = result.bodyForces[body].linearForce;
    EXPECT_NEAR((along + force.x()) / c.mass, c.acceleration, kNear);
    EXPECT_NEAR(force.z(), normal, kNear);
    EXPECT_NEAR(force.x(), c.acceleration > 0 ? -c.mu * normal : -along, kNear);
    EXPECT_NEAR(force.y(), 0, kNear);
  }
}

TEST_P(WorkedExamples, ObjectsStopOnTheFlat) {
  constexpr double mu = 0.5, h = 1.0 / 240;
  const Vector3 along{0.6, 0.8, 0};
  Vector3 velocity = 10 * along;
  double speed = 10, time = 0, distance = 0;
  while (speed > 0) {
    ContactScene scene = objects(GetParam());
    const std::size_t body = scene.addBody(5, Matrix3::Zero(), {0, 0, kRadius}, velocity - h * Vector3{0, 0, kG});
    scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, mu);
    const auto result = scene.solve(h);
    ASSERT_TRUE(result.converged) << result.message;
    velocity = scene.after(result, body, h);
    speed = std::max(speed - mu * kG * h, 0.0);
    time += h;
    distance += h * speed;
    ASSERT_LE((velocity - speed * along).norm(), kNear);
  }
  EXPECT_NEAR(time, 2.039, h);
  EXPECT_NEAR(distance, 10.194, 0.5 * h * 10 + 1e-3);
}

TEST_P(WorkedExamples, ObjectsGlance) {
  constexpr double h = 1e-3, angle = std::numbers::pi / 6;
  const Vector3 arriving = 5 * Vector3{std::sin(angle), 0, -std::cos(angle)};
  ContactScene scene = objects(GetParam());
  const std::size_t block = scene.addBody(10, Matrix3::Zero(), {0, 0, -0.5}, Vector3::Zero());
  const std::size_t sphere = scene.addBody(2, Matrix3::Identity() / 0.008, {0, 0, 0.1}, arriving);
  scene.addContact(block, sphere, {0, 0, 1}, {0, 0, 0}, 0.4, 1, arriving.z());
  const auto result = scene.solve(h);
  ASSERT_TRUE(result.converged) << result.message;
  const Vector3 impulse = h * result.bodyForces[sphere].linearForce;
  EXPECT_NEAR(impulse.z(), 10 * std::cos(angle) / (1.0 / 2 + 1.0 / 10), kNear);                                           // 14.43
  EXPECT_NEAR(-impulse.x(), 2.5 / (1.0 / 2 + 1.0 / 10 + 0.01 / 0.008), kNear);                                            // 1.351, sticks
  EXPECT_NEAR(h * result.bodyForces[sphere].angularTorque.y() / 0.008, 0.1 / 0.008 * 2.5 / (0.6 + 0.01 / 0.008), kNear);  // 16.9
  EXPECT_LE((h * result.bodyForces[block].linearForce + impulse).norm(), kNear);
}

TEST_P(WorkedExamples, ObjectsStackedOnIce) {
  constexpr double h = 0.01;
  ContactScene scene = objects(GetParam());
  const std::size_t lower = scene.addBody(5, Matrix3::Zero(), {0, 0, kRadius}, h * Vector3{0, 0, -kG});
  const std::size_t upper = scene.addBody(3, Matrix3::Zero(), {0, 0, 3 * kRadius}, h * Vector3{10.0 / 3, 0, -kG});
  scene.addContact(0, lower, {0, 0, 1}, {0, 0, 0}, 0);
  scene.addContact(lower, upper, {0, 0, 1}, {0, 0, 2 * kRadius}, 0.5);
  const auto result = scene.solve(h);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(scene.after(result, upper, h).x() / h, 1.25, kNear);
  EXPECT_NEAR(scene.after(result, lower, h).x() / h, 1.25, kNear);
  EXPECT_NEAR(result.bodyForces[upper].linearForce.x(), -6.25, kNear);
  EXPECT_NEAR(result.bodyForces[upper].linearForce.z(), 3 * kG, kNear);
}

}  // namespace
}  // namespace stiction::laws
