// The implicit engine against its own discrete laws: what compliance, friction, restitution, overlap and joints do in a step of any length.
#include "constraints/ImplicitEngine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/Error.hpp"
#include "constraints/RevoluteConstraint.hpp"

namespace stiction {
namespace {

constexpr double kG = 9.81, kInfinity = std::numeric_limits<double>::infinity();

EngineBody ground() {
  EngineBody body;
  body.mass = kInfinity;
  return body;
}

/// A body of 2 kg whose lowest point is its centre of mass, so that nothing turns it.
EngineBody block(const Coordinate& velocity, const Coordinate& position = {}) {
  EngineBody body;
  body.mass = 2;
  body.inertia = Vector3{0.1, 0.2, 0.3}.asDiagonal();
  body.state.position = position;
  body.state.velocity = velocity;
  body.force = {0, 0, -body.mass * kG};
  return body;
}

/// The block (0) on the ground (1), z = 0; the normal points from B to A: up.
std::vector<ContactInteraction> onGround(const std::vector<EngineBody>& bodies, double restitution = 0) {
  const Coordinate& at = bodies[0].state.position;
  return {makeContactInteraction(0, 1, Coordinate{0, 0, 1}, at, at, Coordinate{0, 0, 0}, -at.z(), restitution)};
}

EngineConfig rigid() {
  EngineConfig config;
  config.contact_compliance = 0;
  return config;
}

TEST(ImplicitEngine, DefaultsAreTheDocuments) {
  constexpr EngineConfig config{.contact_compliance = 1e-5, .contact_fb_alpha = 0.5};
  EXPECT_EQ(EngineConfig{}.contact_compliance, config.contact_compliance);
  EXPECT_EQ(EngineConfig{}.contact_fb_alpha, config.contact_fb_alpha);
}

TEST(ImplicitEngine, ALoadSinksByItsComplianceWhateverTheStep) {
  constexpr double depth = 1e-5 * 2 * kG;
  // Implicit Euler damps the spring by ω² h / 2 a second, ω = 224 rad/s: from above, 2000 steps are enough from a millisecond on. Below, the load is set down at rest.
  for (const double h : {1e-4, 1e-3, 4e-3, 16.7e-3, 50e-3}) {
    std::vector<EngineBody> bodies{block({}, {0, 0, h < 1e-3 ? -depth : 0.0}), ground()};
    const ImplicitEngine engine;
    for (int k = 0; k < 2000; ++k) {
      const auto result = engine.step(bodies, onGround(bodies), {0.5}, {}, h);
      ASSERT_TRUE(result.certified) << "h = " << h << ", step " << k << ": " << result.certificate;
    }
    EXPECT_NEAR(bodies[0].state.position.z(), -depth, 1e-10) << h;
    EXPECT_LE(bodies[0].state.velocity.norm(), 1e-8) << h;
  }
}

TEST(ImplicitEngine, ASlidingBlockSlowsByMuGAndStops) {
  for (const double h : {1e-3, 4e-3, 20e-3}) {
    std::vector<EngineBody> bodies{block({0.6, 0.8, 0}), ground()};
    const ImplicitEngine engine{rigid()};
    double speed = 1;
    while (speed > 0) {
      const auto result = engine.step(bodies, onGround(bodies), {0.3}, {}, h);
      ASSERT_TRUE(result.certified);
      speed = std::max(speed - 0.3 * kG * h, 0.0);
      const Vector3 expected = speed * Vector3{0.6, 0.8, 0};
      EXPECT_LE((bodies[0].state.velocity - expected).norm(), 2e-8) << h;
    }
  }
}

TEST(ImplicitEngine, RestitutionIsNewtons) {
  std::vector<EngineBody> bodies{block({0, 0, -2}), ground()};
  bodies[0].force.setZero();
  const auto result = ImplicitEngine{rigid()}.step(bodies, onGround(bodies, 0.5), {0.0}, {}, 1e-3);
  ASSERT_TRUE(result.certified);
  EXPECT_NEAR(bodies[0].state.velocity.z(), 1.0, 1e-7);
  EXPECT_NEAR(result.contactImpulses[0], 2 * 3.0, 1e-7);
}

// Whatever the step, the compliance, and whether detection tells of gaps or of overlaps alone: u_n⁺ = −e u_n⁻, so the second apex is e² of the drop but for the step in which it strikes.
TEST(ImplicitEngine, ADroppedBlockBouncesByItsRestitution) {
  for (const double h : {1e-4, 1e-3, 4e-3, 16e-3, 50e-3})
    for (const double e : {1.0, 0.5, 0.2})
      for (const bool compliant : {false, true})
        for (const bool ahead : {false, true}) {
          SCOPED_TRACE("h = " + std::to_string(h) + ", e = " + std::to_string(e) + (compliant ? ", compliant" : "") + (ahead ? ", gaps known" : ""));
          const ImplicitEngine engine{compliant ? EngineConfig{} : rigid()};
          std::vector<EngineBody> bodies{block({}, {0, 0, 1}), ground()};
          double struck = 0, apex = 0;
          while (struck == 0 || bodies[0].state.velocity.z() > 0) {
            const double before = bodies[0].state.velocity.z();
            const bool told = ahead || bodies[0].state.position.z() <= 0;
            const auto contacts = told ? onGround(bodies, e) : std::vector<ContactInteraction>{};
            ASSERT_TRUE(engine.step(bodies, contacts, std::vector<double>(contacts.size(), 0.0), {}, h).certified);
            const double after = bodies[0].state.velocity.z();
            if (struck == 0 && after > 0) {
              struck = -before;
              ASSERT_NEAR(after, e * struck, 1e-6 * struck);
            }
            apex = struck > 0 ? std::max(apex, bodies[0].state.position.z()) : 0;
          }
          EXPECT_NEAR(apex, e * e * struck * struck / (2 * kG), 2 * h * struck);
          EXPECT_NEAR(struck, std::sqrt(2 * kG), 2 * kG * h);
        }
}

TEST(ImplicitEngine, NormalsWithinTheirToleranceAndFrictionlessContactsWithoutTangentsAreTaken) {
  for (const double length : {1 - 9e-7, 1 + 9e-7}) {
    std::vector<EngineBody> bodies{block({}), ground()};
    const Coordinate at{0.3, -0.2, 0};
    const ContactInteraction contact = makeContactInteraction(0, 1, length * Coordinate{0, 0.6, 0.8}, at, {0, 0, 0}, {0, 0, 0}, 0);
    EXPECT_NO_THROW((ImplicitEngine{}.step(bodies, {contact}, {0.5}, {}, 1e-3)));
  }
  std::vector<EngineBody> bodies{block({0, 0, -1}), ground()};
  ContactInteraction bare = onGround(bodies)[0];
  bare.basis_a.tangent1 = bare.basis_a.tangent2 = bare.basis_b.tangent1 = bare.basis_b.tangent2 = Vector6::Zero();
  EXPECT_TRUE(ImplicitEngine{rigid()}.step(bodies, {bare}, {0.0}, {}, 1e-3).certified);
  EXPECT_NEAR(bodies[0].state.velocity.z(), 0, 1e-9);
  EXPECT_THROW((ImplicitEngine{rigid()}.step(bodies, {bare}, {0.5}, {}, 1e-3)), std::invalid_argument);
}

TEST(ImplicitEngine, AGapMayCloseAndNoMore) {
  std::vector<EngineBody> bodies{block({0, 0, -2}, {0, 0, 1e-3}), ground()};
  bodies[0].force.setZero();
  ASSERT_TRUE(ImplicitEngine{rigid()}.step(bodies, onGround(bodies), {0.0}, {}, 4e-3).certified);
  EXPECT_NEAR(bodies[0].state.position.z(), 0.0, 1e-10);
}

TEST(ImplicitEngine, AnOverlapAtTheStartBecomesKineticEnergy) {
  for (const double h : {1e-3, 4e-3, 16e-3}) {
    constexpr double overlap = 1e-3;
    std::vector<EngineBody> bodies{block({}, {0, 0, -overlap}), ground()};
    bodies[0].force.setZero();
    ASSERT_TRUE(ImplicitEngine{rigid()}.step(bodies, onGround(bodies), {0.5}, {}, h).certified);
    const double energy = bodies[0].state.velocity.squaredNorm();  // ½ m v², m = 2 kg
    EXPECT_NEAR(energy, std::pow(overlap / h, 2), 1e-7) << h;      // 1 J at a millisecond
  }
}

TEST(ImplicitEngine, AHingeHoldsItsPositionAndSwingsWithThePeriodOfAPendulum) {
  // A rod's centre 0.5 m below a hinge along y: T = 2π √(I / (m g d)) with I = I_yy + m d², for small swings.
  EngineBody rod = block({}, {0, 0, -0.5});
  const double inertia = 0.2 + 2 * 0.25, period = 2 * std::numbers::pi * std::sqrt(inertia / (2 * kG * 0.5)), h = 1e-3;
  rod.state.setAngularVelocity(Coordinate{0, 0.05, 0});
  rod.state.velocity = Vector3{0, 0.05, 0}.cross(Vector3{0, 0, -0.5});
  std::vector<EngineBody> bodies{ground(), rod};
  RevoluteConstraint hinge{0, 1, {0, 0, 0}, {0, 0, 0.5}, {0, 1, 0}, {0, 1, 0}};
  const ImplicitEngine engine;
  double last = 0, crossed = 0;
  for (int k = 1; k * h < 1.2 * period && crossed == 0; ++k) {
    const auto result = engine.step(bodies, {}, {}, {&hinge}, h);
    ASSERT_TRUE(result.certified) << k;
    ASSERT_LE(result.jointError, 1e-12) << k;
    const double x = bodies[1].state.position.x();
    if (last > 0 && x <= 0 && k * h > 0.75 * period) crossed = (k - 1 + last / (last - x)) * h;
    last = x;
  }
  // From the lowest point to +x or −x first, and a whole period later through it the same way.
  EXPECT_NEAR(crossed, period, 2e-3 * period);
}

TEST(ImplicitEngine, WhatNewtonCannotCertifyGoesToAutoUnlessForbidden) {
  EngineConfig config = rigid();
  config.max_newton_iterations = 1;
  std::vector<EngineBody> bodies{block({1, 0, 0}), ground()};
  auto result = ImplicitEngine{config}.step(bodies, onGround(bodies), {0.3}, {}, 1e-3);
  EXPECT_TRUE(result.certified);
  EXPECT_NE(result.method, "fb");
  config.fallback_to_auto = false;
  const std::vector<EngineBody> before = bodies;
  result = ImplicitEngine{config}.step(bodies, onGround(bodies), {0.3}, {}, 1e-3);
  EXPECT_FALSE(result.certified);
  EXPECT_EQ(result.method, "fb");
  EXPECT_EQ(bodies[0].state.position, before[0].state.position);
}

// Four corners on a soft floor, pushed below the threshold: the floor tips the cube by micrometres, and the corners' friction is all but redundant.
TEST(ImplicitEngine, ACubeAtRestOnFourCornersNeedsNoOtherMethod) {
  for (const double compliance : {0.0, 1e-5})
    for (const double h : {1e-3, 4e-3, 16e-3})
      for (const double push : {0.0, 10.0, 30.0}) {
        EngineConfig config;
        config.contact_compliance = compliance;
        config.fallback_to_auto = false;
        const ImplicitEngine engine{config};
        EngineBody cube;
        cube.mass = 10;
        cube.inertia = 10.0 / 6 * Matrix3::Identity();
        cube.state.position = {0, 0, 0.5};
        cube.force = {push, 0, -10 * kG};
        std::vector<EngineBody> bodies{cube, ground()};
        for (int k = 0; k < 200; ++k) {
          std::vector<ContactInteraction> corners;
          const InertialState& state = bodies[0].state;
          for (const double x : {-0.5, 0.5})
            for (const double y : {-0.5, 0.5}) {
              const Vector3 corner = state.position + state.orientation * Vector3{x, y, -0.5};
              corners.push_back(makeContactInteraction(0, 1, Coordinate{0, 0, 1}, Coordinate{corner}, state.position, Coordinate{0, 0, 0}, -corner.z()));
            }
          ASSERT_TRUE(engine.step(bodies, corners, std::vector<double>(4, 0.5), {}, h).certified)
              << compliance << ", h " << h << ", push " << push << ", step " << k;
        }
        EXPECT_LE(std::abs(bodies[0].state.position.x()), 1e-3) << "10 N and 30 N are below 49 N";
        EXPECT_LE(bodies[0].state.velocity.norm(), 1e-3);
      }
}

TEST(ImplicitEngine, RefusesWrongInputByName) {
  const ImplicitEngine engine;
  const auto refuses = [&](auto&& change, const char* word) {
    std::vector<EngineBody> bodies{block({}), ground()};
    std::vector<ContactInteraction> contacts = onGround(bodies);
    std::vector<double> friction{0.5};
    double h = 1e-3;
    change(bodies, contacts, friction, h);
    try {
      engine.step(bodies, contacts, friction, {}, h);
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
      return true;
    }
    return false;
  };
  using Bodies = std::vector<EngineBody>;
  using Contacts = std::vector<ContactInteraction>;
  using Frictions = std::vector<double>;
  EXPECT_TRUE(refuses([](Bodies& b, Contacts&, Frictions&, double&) { b[0].mass = 0; }, "body 0: mass"));
  EXPECT_TRUE(refuses([](Bodies& b, Contacts&, Frictions&, double&) { b[0].inertia(0, 0) = -1; }, "body 0: inertia"));
  EXPECT_TRUE(refuses([](Bodies& b, Contacts&, Frictions&, double&) { b[1].state.position.x() = std::nan(""); }, "body 1: position"));
  EXPECT_TRUE(refuses([](Bodies& b, Contacts&, Frictions&, double&) { b[0].state.orientation.w() = 2; }, "body 0: orientation"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].body_b_idx = 7; }, "interaction 0: bodies"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].restitution_coeff = 1.5; }, "restitution_coeff"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_a.normal[3] = kInfinity; }, "interaction 0"));
  EXPECT_TRUE(refuses([](Bodies& b, Contacts&, Frictions&, double&) { b[0].mass = -kInfinity; }, "body 0: mass"));
  EXPECT_TRUE(refuses([](Bodies& b, Contacts&, Frictions&, double&) { b[0].mass = 1e-200; }, "body 0: mass"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].penetration_depth = std::nan(""); }, "interaction 0"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_a = {}; }, "interaction 0: basis_a"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_b = {}; }, "interaction 0: basis_b"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_a.tangent1 *= 2; }, "interaction 0: basis_a"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_a.tangent1 = c[0].basis_a.normal; }, "interaction 0: basis_a"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_a.normal[5] += 0.1; }, "interaction 0: basis_a"));    // no arm turns n about n
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_a.tangent1[5] += 0.1; }, "interaction 0: basis_a"));  // two arms
  EXPECT_TRUE(refuses([](Bodies&, Contacts& c, Frictions&, double&) { c[0].basis_b = c[0].basis_a; }, "interaction 0: basis_b"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts&, Frictions& f, double&) { f[0] = -0.1; }, "interaction 0: friction"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts&, Frictions& f, double&) { f.clear(); }, "friction"));
  EXPECT_TRUE(refuses([](Bodies&, Contacts&, Frictions&, double& h) { h = 0; }, "dt"));
  EXPECT_TRUE(
      refuses([](Bodies&, Contacts&, Frictions&, double& h) { h = 1e-310; }, "dt: 9.9999999999999694e-311; allowed: in [9.9999999999999998e-13, 1000000]"));
  EngineConfig config;
  config.contact_compliance = -1;
  EXPECT_THROW(ImplicitEngine{config}, std::invalid_argument);
}

TEST(ImplicitEngine, RefusesPointsThatAreNoNumbers) {
  const Coordinate up{0, 0, 1}, origin{}, nowhere{0, std::nan(""), 0};
  EXPECT_NO_THROW(makeContactInteraction(0, 1, up, origin, origin, origin, 0.0));
  EXPECT_THROW(makeContactInteraction(0, 1, nowhere, origin, origin, origin, 0.0), std::invalid_argument);
  EXPECT_THROW(makeContactInteraction(0, 1, up, nowhere, origin, origin, 0.0), std::invalid_argument);
  EXPECT_THROW(makeContactInteraction(0, 1, up, origin, nowhere, origin, 0.0), std::invalid_argument);
  EXPECT_THROW(makeContactInteraction(0, 1, up, origin, origin, nowhere, 0.0), std::invalid_argument);
  EXPECT_THROW(makeContactInteraction(0, 1, up, origin, origin, origin, std::nan("")), std::invalid_argument);
  EXPECT_THROW(makeContactInteraction(0, 1, up, origin, origin, origin, 0.0, 1.5), std::invalid_argument);
  EXPECT_THROW((RevoluteConstraint{0, 1, nowhere, origin, up, up}), std::invalid_argument);
  EXPECT_THROW((RevoluteConstraint{0, 1, origin, nowhere, up, up}), std::invalid_argument);
  EXPECT_THROW((RevoluteConstraint{0, 1, origin, origin, up, nowhere}), std::invalid_argument);
}

/// A joint that says what a test tells it to.
class SpokenJoint : public TwoBodyBilateralConstraint {
 public:
  SpokenJoint(std::size_t a, std::size_t b, int rows, Eigen::Index values, Eigen::Index height, Eigen::Index width, double entry)
      : TwoBodyBilateralConstraint{a, b}, rows_{rows}, C_{VectorX::Constant(values, entry)}, J_{MatrixX::Constant(height, width, 1.0)} {}
  int dimension() const override { return rows_; }
  VectorX evaluateTwoBody(const InertialState&, const InertialState&, double) const override { return C_; }
  MatrixX jacobianTwoBody(const InertialState&, const InertialState&, double) const override { return J_; }
  std::string typeName() const override { return "SpokenJoint"; }

 private:
  int rows_;
  VectorX C_;
  MatrixX J_;
};

TEST(ImplicitEngine, RefusesJointsThatAreNone) {
  const auto refuses = [](TwoBodyBilateralConstraint* joint, const char* word) {
    std::vector<EngineBody> bodies{ground(), block({})};
    try {
      ImplicitEngine{}.step(bodies, {}, {}, {joint}, 1e-3);
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
      return true;
    }
    return false;
  };
  SpokenJoint itself{1, 1, 1, 1, 1, 12, 0}, absent{0, 2, 1, 1, 1, 12, 0}, few{0, 1, 2, 1, 2, 12, 0}, low{0, 1, 2, 2, 1, 12, 0}, narrow{0, 1, 1, 1, 1, 6, 0},
      negative{0, 1, -1, 1, 1, 12, 0}, infinite{0, 1, 1, 1, 1, 12, kInfinity};
  EXPECT_TRUE(refuses(nullptr, "joint 0: null"));
  EXPECT_TRUE(refuses(&itself, "between body 1 and itself"));
  EXPECT_TRUE(refuses(&absent, "between bodies 0 and 2 of 2"));
  EXPECT_TRUE(refuses(&few, "joint 0 (SpokenJoint): evaluateTwoBody(): 1 x 1; allowed: 2 x 1"));
  EXPECT_TRUE(refuses(&low, "jacobianTwoBody(): 1 x 12; allowed: 2 x 12"));
  EXPECT_TRUE(refuses(&narrow, "jacobianTwoBody(): 1 x 6; allowed: 1 x 12"));
  EXPECT_TRUE(refuses(&negative, "dimension(): -1"));
  EXPECT_TRUE(refuses(&infinite, "joint 0 (SpokenJoint): evaluateTwoBody(): a number that is not finite"));
}

/// Body B is at x = 2 t, from a time on.
class Driven : public TwoBodyBilateralConstraint {
 public:
  explicit Driven(double from) : TwoBodyBilateralConstraint{0, 1}, from_{from} {}
  int dimension() const override { return 1; }
  VectorX evaluateTwoBody(const InertialState&, const InertialState& b, double time) const override { return VectorX::Constant(1, b.position.x() - 2 * time); }
  MatrixX jacobianTwoBody(const InertialState&, const InertialState&, double) const override {
    MatrixX J = MatrixX::Zero(1, 12);
    J(0, 6) = 1;
    return J;
  }
  bool isActiveTwoBody(const InertialState&, const InertialState&, double time) const override { return time >= from_; }

 private:
  double from_;
};

TEST(ImplicitEngine, JointsSeeTheTimeAndMayBeInactive) {
  Driven rail{0.05}, never{1e9};
  std::vector<EngineBody> bodies{ground(), block({})};
  bodies[1].state.velocity = {5, 0, 0};
  const double h = 0.01;
  for (int k = 0; k < 10; ++k) {
    const auto result = ImplicitEngine{}.step(bodies, {}, {}, {&never, &rail}, h, k * h);
    ASSERT_TRUE(result.certified);
    ASSERT_EQ(result.jointImpulses.size(), 2);
    EXPECT_EQ(result.jointImpulses[0], 0.0);
    EXPECT_EQ(std::abs(result.jointImpulses[1]) > 1e-9, k == 5 || k == 6) << k;  // the push on to the rail, and the end of it
    EXPECT_NEAR(bodies[1].state.position.x(), k < 5 ? 5 * (k + 1) * h : 2 * (k + 1) * h, 1e-12);
  }
}

// One linearisation of a hinge that turns fast leaves it open by ½ d (ω h)²: that is not an answer. With more of them it is.
TEST(ImplicitEngine, AnOpenHingeIsNotCertified) {
  EngineBody rod = block({}, {0, 0, -0.5});
  rod.state.setAngularVelocity(Coordinate{0, 20, 0});
  rod.state.velocity = Vector3{0, 20, 0}.cross(Vector3{0, 0, -0.5});
  RevoluteConstraint hinge{0, 1, {0, 0, 0}, {0, 0, 0.5}, {0, 1, 0}, {0, 1, 0}};
  for (const int linearisations : {1, 10}) {
    EngineConfig config;
    config.max_linearisations = linearisations;
    std::vector<EngineBody> bodies{ground(), rod};
    const auto result = ImplicitEngine{config}.step(bodies, {}, {}, {&hinge}, 0.01);
    EXPECT_EQ(result.certified, linearisations == 10);
    EXPECT_EQ(result.jointError <= 1e-12, linearisations == 10) << result.jointError;
    EXPECT_EQ(bodies[1].state.position == rod.state.position, linearisations == 1) << "what is not certified is not integrated";
  }
}

}  // namespace
}  // namespace stiction
