// Joints: what a body (the child) may do against another one (the parent), and what acts along its coordinates.
//
//   R_PC = R_ref · Rot(a₁, q₁) · Rot(a₂, q₂) …     hinges, in their order, each about an axis through its own point; any rotation about the anchor for a ball
//   p_A(child) − p_A(parent) = Σ s_i q_i             slides, along axes that the parent carries (slides first) or the child (slides last); A: the last hinge's point
//
// Axes a, s are given in the child's axes at the reference pose, where each coordinate has its reference value. Along a coordinate q act
//   τ = −k (q − q_k) − d q̇ − a q̈ − f sign q̇ + Σ gear · clamp( gain·drive + b₀ + b₁ gear q + b₂ gear q̇ )
// with stiffness k, damping d, armature a (the inertia of a rotor geared to the joint), dry friction f (at rest anything up to it) and the actuators' forces.
#pragma once
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

enum class JointType : std::uint8_t { Hinge, Slide, Ball };

/// A coordinate's range, and what acts along it beside actuators.
struct Resistance {
  bool limited{false};
  double low{0}, high{0};     // [rad] or [m] range of the coordinate where limited
  double stiffness{0};        // [N m/rad] or [N/m], >= 0; 0 for a ball
  double springReference{0};  // [rad] or [m]
  double damping{0};          // [N m s/rad] or [N s/m], >= 0; of a ball about each axis
  double armature{0};         // [kg m²] or [kg], >= 0; of a ball about each axis
  double friction{0};         // [N m] or [N], >= 0, dry; 0 for a ball
};

struct Joint : Resistance {
  std::string name;
  JointType type{JointType::Hinge};
  Vector3 axis{Vector3::UnitZ()};   // [-] unit, the child's axes; not of a ball
  Vector3 offset{Vector3::Zero()};  // [m] of a hinge's point from the anchor, the child's axes; 0 for the last hinge
  double reference{0};              // [rad] or [m] coordinate in the reference pose
};

/// All joints between one child and its parent. Without joints the child is fixed to the parent.
struct Mobilizer {
  int parent{0};                  // body
  int child{0};                   // body, dynamic
  Pose X_PC;                      // of the child's centre-of-mass frame in the parent's, reference pose
  Vector3 p_CA{Vector3::Zero()};  // [m] anchor: of its last hinge, or ball, in the child's centre-of-mass frame
  int firstJoint{0}, joints{0};   // of the model's joints
};

/// Two bodies that share a point, or are fixed to each other there, beside what joints let them do: it may close loops.
struct Connection {
  std::string name;
  int bodyA{0}, bodyB{0};                              // one of them dynamic
  Vector3 p_A{Vector3::Zero()}, p_B{Vector3::Zero()};  // [m] of the point, in the bodies' centre-of-mass frames
  std::optional<Quaternion> R_AB;                      // of B's axes in A's, where they are fixed to each other
};

/// A coordinate of a hinge or slide, times a coefficient.
struct CoordinateTerm {
  int joint{0};
  double coefficient{1};
};

/// A sum of coordinates, y = Σ coefficient q, as a cord has it that runs over the joints: what acts along y acts on all of them.
struct Tendon : Resistance {
  std::string name;
  std::vector<CoordinateTerm> terms;  // of hinges and slides
};

/// What a propeller does, or a jet: so much force and torque on a body a unit of its actuator, at a point and along directions that the body carries. Its rate is the body's, force · v + torque · ω.
struct Thruster {
  std::string name;
  int body{0};                                               // dynamic
  Vector3 point{Vector3::Zero()};                            // [m] in the body's centre-of-mass frame
  Vector3 force{Vector3::UnitZ()}, torque{Vector3::Zero()};  // [-], [m] the body's axes
};

/// Coordinates that follow others, as gears do: y₁ = Σₖ a_k y₂ᵏ, each y = Σ coefficient (q − reference) of some hinges and slides; without any y₂ = 0.
struct Coupling {
  std::string name;
  std::vector<CoordinateTerm> driven, driving;      // of y₁ and y₂
  std::array<double, 5> polynomial{0, 1, 0, 0, 0};  // a₀ to a₄, for y in [rad], [m]
};

/// How what drives an actuator follows its control (Activation.hpp).
enum class Activation : std::uint8_t { Direct, Filter, Integrator };

/// A force along the coordinate of a hinge, a slide or a tendon, or of a thruster.
struct Actuator {
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  std::string name;
  int joint{0};
  int tendon{-1}, thruster{-1};         // in place of a joint, where one is not -1
  double gear{1};                       // [-] coordinate times gear is the actuator's length
  double gain{1};                       // [N or N m a unit of control, or of activation]
  std::array<double, 3> bias{0, 0, 0};  // b₀ [N], b₁ <= 0 [N/m], b₂ <= 0 [N s/m], by length and its rate; or N m …
  double lowControl{-kInfinite}, highControl{kInfinite};
  double lowForce{-kInfinite}, highForce{kInfinite};  // [N] or [N m]
  Activation activation{Activation::Direct};
  double timeConstant{0};  // [s] τ > 0 of a filter
  double lowActivation{-kInfinite}, highActivation{kInfinite};
};

}  // namespace stiction
