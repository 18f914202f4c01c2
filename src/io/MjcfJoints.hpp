// Joints and actuators of a compiled MJCF model, and where its bodies are, by libmujoco's own kinematics. For the importer.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "math/Types.hpp"
#include "model/Joint.hpp"

struct mjModel_;
struct mjData_;

namespace stiction {

/// Poses and velocities of libmujoco's bodies at coordinates of its own.
class MjcfKinematics {
 public:
  explicit MjcfKinematics(const mjModel_& model);

  /// `mocapPosition`, `mocapRotation` null: as the file places the mocap bodies.
  void set(const double* qpos, const double* qvel, const double* mocapPosition, const double* mocapRotation);
  Pose pose(int body) const;
  /// Of the body frame's origin, world axes: [m/s], [rad/s].
  void velocity(int body, Vector3& linear, Vector3& angular) const;

 private:
  struct Release {
    void operator()(mjData_* data) const;
  };
  const mjModel_* model_;
  std::unique_ptr<mjData_, Release> data_;
};

/// The joints of a body, none of them free, without names; `title` of the joint in messages.
Joint readMjcfJoint(const mjModel_& model, int joint, const std::string& title);
/// The anchor of a body's last hinge or ball [m], in its frame.
Vector3 anchorOf(const mjModel_& model, int body);
/// Why an actuator has no part in the motion here, or empty.
std::string whyLeftOut(const mjModel_& model, int actuator);
/// A fixed tendon, its joints numbered as in libmujoco; none where it runs along sites or nothing acts along it.
std::optional<Tendon> readMjcfTendon(const mjModel_& model, int tendon, const std::string& title);

/// What an actuator on a site pushes along, its body and point as libmujoco numbers and poses them.
Thruster readMjcfThruster(const mjModel_& model, int actuator);

/// An actuator on a hinge, a slide, a fixed tendon or a site, numbered as in libmujoco.
Actuator readMjcfActuator(const mjModel_& model, int actuator, const std::string& title);

/// Whether the equality constraint is of joints or tendons; then it, its joints numbered as in libmujoco.
bool isMjcfCoupling(const mjModel_& model, int equality);
Coupling readMjcfCoupling(const mjModel_& model, int equality, const std::string& title);

/// A connect or weld, its bodies and points as libmujoco numbers and poses them; `title` of the constraint in messages.
Connection readMjcfConnection(const mjModel_& model, int equality, const std::string& title);

}  // namespace stiction
