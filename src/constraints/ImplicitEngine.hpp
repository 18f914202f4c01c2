// Dynamics, contacts, friction and joints of a step as one root-finding problem at the level of positions (Macklin et al. 2019, "Non-Smooth Newton Methods for Deformable
// Multi-Body Dynamics", arXiv 1907.04587), by Newton on Fischer–Burmeister functions (solvers/FbMethod.hpp):
//
//   M (v⁺ − v_free) = Jᵀλ ,   0 <= λ_n ⊥ c_n + h J_n v⁺ + e λ_n/h >= 0 ,   g(q⁺) + e_j λ_j/h = 0 ,   ‖λ_t‖ <= μ λ_n against J_t v⁺ + e_t λ_t/h        λ [N s]
//
// c_n = −penetration_depth. Compliances e are physical: a load F sinks by e F whatever the step. As positions are what is solved for, an overlap d at the start is thrown apart
// at d/h within the step: kinetic energy of ½ m (d/h)² out of nothing (a document of this scheme claims none). Stiction's own step (integrate) mends positions apart from velocities.
// Restitution e: what strikes within the step, faster than two steps of free acceleration, leaves at u_n⁺ = −e u_n⁻, rigid whatever the compliance and whatever the gap or overlap at
// the start; slower contacts do not bounce. An overlap that such a contact keeps while it parts goes by itself and makes no energy.
#pragma once
#include <string>
#include <vector>

#include "constraints/Constraint.hpp"

namespace stiction {

/// Directions of a contact's forces on one body, (force, torque about the centre of mass), world axes: (n, r × n), (t1, r × t1), (t2, r × t2); with the opposite sign on body B.
struct ContactBasis {
  Vector6 normal{Vector6::Zero()};
  Vector6 tangent1{Vector6::Zero()};
  Vector6 tangent2{Vector6::Zero()};
};

/// A contact as collision detection gives it. u = basis_a·V_a + basis_b·V_b, positive when the bodies part.
struct ContactInteraction {
  int body_a_idx{-1};
  int body_b_idx{-1};
  double penetration_depth{0};  // [m] positive when overlapping
  double restitution_coeff{0};  // [-] in [0, 1]
  ContactBasis basis_a;
  ContactBasis basis_b;
  bool is_active{true};
};

/// Both bases from a point on the surfaces [m] and the centres of mass [m], world: n from B to A, unit; tangents by TangentBasis. Throws std::invalid_argument.
ContactInteraction makeContactInteraction(int bodyA, int bodyB, const Coordinate& normal, const Coordinate& point, const Coordinate& comA,
                                          const Coordinate& comB, double penetrationDepth, double restitution = 0.0);

struct EngineConfig {
  double contact_compliance{1e-5};  // [m/N]
  double contact_fb_alpha{0.5};     // [-] weight of the contact velocity in the Fischer–Burmeister function
  // Not of the document.
  double friction_compliance{0};   // [m/(N s)] creep of sticking contacts
  double joint_compliance{0};      // [m/N], [rad/(N m)]
  double fb_smoothing{1e-3};       // [-] against the residual
  int max_newton_iterations{200};  // of a linearised problem
  int max_linearisations{10};      // of the joints in a step
  int max_line_search_steps{4};
  double tolerance{1e-8};       // [-] relative certificate
  bool fallback_to_auto{true};  // what Fischer–Burmeister cannot certify goes to the portfolio
};

/// A body of the engine. mass = ∞: moves as driven, forces do nothing to it.
struct EngineBody {
  InertialState state;
  double mass{1};                        // [kg] in [1e-60, 1e60], or ∞
  Matrix3 inertia{Matrix3::Identity()};  // [kg m²] about the centre of mass, body axes
  Vector3 force{Vector3::Zero()};        // [N] world, gravity included
  Vector3 torque{Vector3::Zero()};       // [N m] world
};

class ImplicitEngine {
 public:
  /// Throws std::invalid_argument naming the entry.
  explicit ImplicitEngine(const EngineConfig& config = {});

  struct StepResult {
    bool certified{false};    // strict Coulomb with the compliances, to the tolerance, and joints closed to round-off; false leaves the bodies as they were
    double certificate{0};    // [-]
    std::string method;       // "fb", or the rung of `auto` that gave the answer
    int iterations{0};        // Newton steps, all linearisations
    double jointError{0};     // [m], [rad] largest |g + e λ/h| at the end
    VectorX contactImpulses;  // [N s] (3·interactions): n, t1, t2; 0 for inactive ones
    VectorX jointImpulses;    // [N s] rows of the joints, stacked; 0 for inactive ones
  };
  /// One step of dt [s] in [1e-12, 1e6] from `time` [s]. friction: μ >= 0 of each interaction, whose bases must be frames as makeContactInteraction gives them. Joints' indices are those of
  /// bodies; those active at the start hold at the end, at time + dt. One certificate for all bodies, in relation to the fastest contact: groups that do not touch, one of them far
  /// slower than another, are better stepped apart. Throws std::invalid_argument naming the element.
  StepResult step(std::vector<EngineBody>& bodies, const std::vector<ContactInteraction>& interactions, const std::vector<double>& friction,
                  const std::vector<TwoBodyBilateralConstraint*>& joints, double dt, double time = 0.0) const;

  const EngineConfig& config() const { return config_; }

 private:
  EngineConfig config_;
};

}  // namespace stiction
