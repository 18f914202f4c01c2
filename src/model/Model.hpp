// The scene as built: bodies, geoms, pairs, options. Immutable once `ModelBuilder::build` has checked it. Frames: B body frame of the file, C frame at the centre
// of mass with B's axes.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "geometry/Shape.hpp"
#include "math/Types.hpp"
#include "model/Joint.hpp"

namespace stiction {

enum class BodyKind : std::uint8_t { Static, Kinematic, Dynamic };

struct Body {
  std::string name;
  BodyKind kind{BodyKind::Dynamic};
  double mass{0};                     // [kg] > 0 for dynamic
  Vector3 p_BC{Vector3::Zero()};      // [m] centre of mass in B
  Matrix3 I_C{Matrix3::Zero()};       // [kg m²] about C, axes of B, positive definite for dynamic; +inf on the diagonal (off-diagonals 0) locks rotation
  Pose X_WB;                          // start pose
  Vector3 velocity{Vector3::Zero()};  // [m/s] start velocity of C, world axes
  Vector3 angularVelocity{Vector3::Zero()};  // [rad/s] world axes
  bool gravity{true};
  Vector3 force{Vector3::Zero()};   // [N] constant push at C, world axes
  Vector3 torque{Vector3::Zero()};  // [N m] world axes
};

struct Geom {
  std::string name;
  int body{0};
  Shape shape;
  Pose X_CG;                // geom frame in the body's centre-of-mass frame
  double friction{1.0};     // [-] sliding friction
  double restitution{0.0};  // [-]
  int contype{1}, conaffinity{1};
  int condim{3};
  int priority{0};
};

/// An explicit pair: collides whatever the masks say, with its own friction.
struct GeomPair {
  int geomA{0}, geomB{0};
  double friction{1.0};
  double restitution{0.0};
  int condim{3};
};

struct Model {
  std::string name;
  Vector3 gravity{0, 0, -9.81};  // [m/s²]
  double timestep{0};            // [s]; 0: not given by the file
  std::vector<Body> bodies;      // bodies[0] is the static world
  std::vector<Geom> geoms;       // sorted by body
  std::vector<GeomPair> pairs;
  std::vector<std::array<int, 2>> excludes;  // body pairs that never collide, first < second
  std::vector<int> dynamicBodies;            // body ids, ascending
  std::vector<Mobilizer> mobilizers;
  std::vector<Joint> joints;  // by mobilizer
  std::vector<Tendon> tendons;
  std::vector<Thruster> thrusters;
  std::vector<Actuator> actuators;
  std::vector<Connection> connections;
  std::vector<Coupling> couplings;
};

// What forces act along: the coordinates of joints, then those of tendons, then the thrusters, which have a rate alone.
inline int firstTendon(const Model& model) { return static_cast<int>(model.joints.size()); }
inline int firstThruster(const Model& model) { return firstTendon(model) + static_cast<int>(model.tendons.size()); }
inline int coordinates(const Model& model) { return firstThruster(model) + static_cast<int>(model.thrusters.size()); }
const Resistance& resistanceOf(const Model& model, int coordinate);
int coordinateOf(const Model& model, const Actuator& actuator);

/// How two geoms touch: friction, restitution, condim. Elementwise maximum unless one has the higher priority (as MuJoCo) or an explicit pair says it.
struct PairMaterial {
  double friction;     // [-], 0 when condim is 1
  double restitution;  // [-]
};
PairMaterial combine(const Geom& a, const Geom& b);

/// Collects a scene, checks every number (names the element, value, range, remedy in an InputError), and freezes it.
class ModelBuilder {
 public:
  ModelBuilder();  // with the static body 0 "world"

  void setName(std::string name) { model_.name = std::move(name); }
  void setGravity(const Vector3& gravity) { model_.gravity = gravity; }
  void setTimestep(double h) { model_.timestep = h; }
  int addBody(Body body);
  /// X_BG in the body frame B; stored relative to the centre of mass.
  int addGeom(Geom geom, const Pose& X_BG);
  /// A dynamic body made of one shape of the given density [kg/m³], mass properties from the shape; returns the body.
  int addSolid(const std::string& name, const Shape& shape, double density, const Pose& X_WB, double friction);
  void addPair(GeomPair pair) { model_.pairs.push_back(pair); }
  void addExclude(int bodyA, int bodyB);
  /// Joins `child` to `parent` as they are posed now, by joints in the order in which they act (see Joint.hpp), about `anchor` [m] in the child's body frame, and hinges before
  /// the last one about points of their own, `offset` from there. Slides come before or after all of its hinges, hinges are at most three, a ball is the only rotation, and one
  /// direction at least is held. The two do not collide, unless the parent is fixed (as MuJoCo has it). Returns the mobilizer.
  int addJoints(int parent, int child, const Vector3& anchor, std::vector<Joint> joints);
  /// Of joints that are there already. Returns the tendon.
  int addTendon(Tendon tendon);
  /// Its point is given in the body frame. Returns the thruster.
  int addThruster(Thruster thruster);
  int addActuator(Actuator actuator);
  /// Two bodies share a point, given [m] in the body frame of each; with R_AB they keep that rotation, too. They collide as ever. Returns the connection.
  int addConnection(Connection connection);
  /// Coordinates follow others, of joints that are there already. Returns the coupling.
  int addCoupling(Coupling coupling);
  Body& body(int id) { return model_.bodies.at(static_cast<std::size_t>(id)); }
  Geom& geom(int id) { return model_.geoms.at(static_cast<std::size_t>(id)); }

  Model build();

 private:
  Model model_;
};

}  // namespace stiction
