// The simulation: model, state, and the step. StepReport says what every step did.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "certify/Certificate.hpp"
#include "collision/Contact.hpp"
#include "constraints/Constraint.hpp"
#include "diagnostics/EnergyLedger.hpp"
#include "model/Model.hpp"
#include "portfolio/Portfolio.hpp"
#include "state/WorldState.hpp"

namespace stiction {

enum class Restitution : std::uint8_t { Newton, Moreau };

struct SimulationOptions {
  std::string solver{"auto"};
  Law law{Law::Coulomb};   // that steps are solved and certified by
  bool fallBack{true};     // a solver that leans on `auto` (fb) hands over what it cannot certify
  double tolerance{1e-8};  // relative certificate of a step
  int threads{1};
  Restitution restitution{Restitution::Newton};
  bool keepGoing{false};    // integrate uncertified steps too (they are still reported as such)
  int maxHalvings{8};       // smaller h for a hard island: down to h / 2^maxHalvings
  bool repeat{true};        // what ends a step on the bits it started from is not computed again (results do not depend on it)
  bool keepHardest{false};  // keep the problem with the worst certificate, for --dump-worst
  double stepLimit{
      0};  // [s] of wall time, after which a step is given up as not certified; 0: none. With keepGoing it ends on what a hundred sweeps come to: then results depend on the clock
  unsigned frameSeed{0};  // 0: the usual tangent frames; else frames turned at random (results must not change)
};

enum class StepStatus : std::uint8_t { Certified, NotCertified, NonFinite };

/// A contact as solved, for records. Velocities and impulses in the contact frame (n, t1, t2).
struct SolvedContact {
  Contact contact;
  Vector3 impulse;  // [N s] world axes, on body B, summed over the step's substeps
  Vector3 slip;     // [m/s] world axes, tangential relative velocity of B against A
  int state{0};     // 0 open, 1 sticking, 2 slipping
};

struct PhaseTimes {
  double collide{0}, assemble{0}, solve{0}, certify{0}, integrate{0}, project{0},
      account{0};  // [s] by the wall clock, of all threads together; project: what mends positions after the step. Halves computed ahead in vain are left out.

  PhaseTimes& operator+=(const PhaseTimes& part) {
    collide += part.collide;
    assemble += part.assemble;
    solve += part.solve;
    certify += part.certify;
    integrate += part.integrate;
    project += part.project;
    account += part.account;
    return *this;
  }
};

struct StepReport {
  StepStatus status{StepStatus::Certified};
  std::string reason;       // empty when certified
  Certificate certificate;  // the worst island's
  FeatureKey worstContact;  // geoms of the worst contact; geomA = geomB = -1 without contacts
  EnergyLedger ledger;
  int contacts{0};
  double penetration{0};      // [m] deepest overlap after the step, >= 0
  double constraintError{0};  // [m] by which bodies are off the constraints added, at most
  int islands{0};
  int substeps{0};              // islands solved, counting splits
  int impacts{0};               // impact solves; of them, where Newton's law is asked for:
  int byMoreau{0};              // by Moreau's: Newton's would create energy, has no solution, or none was found
  int inelastic{0};             // with e = 0, where Moreau's would too
  bool splitsExhausted{false};  // more pairs of an island met than a step is split for: they bounced within it
  int iterations{0}, factorisations{0};
  int repeated{0};                                 // islands that repeat their last step: not computed, all else reported as then
  std::vector<std::pair<const char*, int>> rungs;  // islands solved by each rung
  PhaseTimes times;
};

/// Where a joint is, and how fast.
struct JointReading {
  double position{0}, rate{0};                  // [rad], [m], turns counted; [rad/s], [m/s]; of a hinge or slide
  Quaternion rotation{Quaternion::Identity()};  // of a ball: of the child against the reference
  Vector3 angularVelocity{Vector3::Zero()};     // [rad/s] of a ball, child against parent, the child's axes
};

class Simulation {
 public:
  Simulation(Model model, SimulationOptions options);
  ~Simulation();
  Simulation(Simulation&&) noexcept;

  const Model& model() const;
  const WorldState& state() const;
  void setState(WorldState state);  // a snapshot taken earlier, or a keyframe
  const SimulationOptions& options() const;

  /// One step of h [s]. A step that is not certified leaves the state as it was (unless keepGoing), a non-finite one always. Throws MemoryError where an island's factor does not fit.
  const StepReport& step(double h);
  const std::vector<SolvedContact>& contacts() const;                                   // of the last step
  void applyForce(int body, const Vector3& force, const Vector3& torque);               // [N], [N m] world axes at C, until changed
  void setVelocity(int body, const Vector3& velocity, const Vector3& angularVelocity);  // also how a kinematic body is driven
  /// What controls an actuator, until changed; beyond its range, the end of it.
  void setControl(int actuator, double control);
  JointReading joint(int id) const;
  /// Holds a constraint of one dynamic body, or one between two (their ids are its body indices), from the next step on, beside all contacts: bilateral ones as equality rows,
  /// unilateral ones as contacts without friction; ∂C/∂t and velocity products included, gains not used. The step ends on C = 0 to round-off; a body that is off it is brought
  /// back apart from velocities. Its functions are called from any thread, one at a time. Returns an id. Throws InputError.
  int addConstraint(std::shared_ptr<const Constraint> constraint, int body);
  int addConstraint(std::shared_ptr<const Constraint> constraint);
  void removeConstraint(int id);
  /// Multipliers of the last step, its mean, one per row; Jᵀ times them is a force [N] and a torque [N m]. 0 while inactive.
  VectorX constraintForce(int id) const;

  /// The step problem with the worst certificate so far and its answer (options.keepHardest), or null.
  const ContactProblem* hardestProblem() const;
  const Iterate* hardestIterate() const;
  double hardestCertificate() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiction
