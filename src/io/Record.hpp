// A run on file (HDF5): poses, velocities and contacts of the frames kept, and the account of the steps.
//
// Attributes: version, scene, scene_text, solver, options, units, tolerance, dt. Frame 0 is the start. `/time` (T) · `/bodies` names (B: all but the fixed ones) ·
// `/joints/names` (J) of hinges and slides, `/joints/{position, velocity}` (T×J) of their coordinates ·
// `/position` (T×B×3) and `/quaternion` (T×B×4, w first) of the body frame · `/velocity` of its origin and `/angular_velocity`, world axes · `/geoms` names ·
// `/contact/offset` (T+1): frame k holds contacts [offset[k], offset[k+1]) of `/contact/{geom_a, geom_b, feature, point, normal, gap, impulse, slip, state}`,
// impulse and slip in world axes, on and of B · `/step/{certificate, rung, iterations, contacts, cpu_s}` (T) of the step that led to the frame · `/energy/*` (T),
// summed since the start. Rows are gathered and written in compressed chunks; after each write the file is whole, whatever happens to the program.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dynamics/JointMotion.hpp"
#include "integrate/Simulation.hpp"
#include "io/EnergyTotals.hpp"

namespace stiction {

struct RecordHead {
  std::string version, scene, sceneText, solver, options;
  double tolerance{0};
  double dt{0};
};

class Recorder {
 public:
  Recorder(const std::string& path, const RecordHead& head, const Model& model);
  ~Recorder();

  /// One frame: the start (no step), or the state after a step that took `cpu` seconds.
  void addStart(const WorldState& state, const EnergyTotals& energy);
  void addStep(const Simulation& simulation, const StepReport& report, const EnergyTotals& energy, double cpu);
  /// Writes what is gathered and closes the file.
  void finish();

 private:
  struct Tables;
  void addFrame(const WorldState& state, const EnergyTotals& energy);
  void endFrame();
  void write();

  Model model_;
  std::vector<JointMotion> motions_;
  std::vector<int> bodies_;
  std::unique_ptr<Tables> tables_;
  std::uint64_t contacts_{0};
  double lastWrite_{0};
};

/// What a record holds, for people.
struct RecordSummary {
  std::string version, scene, solver;
  std::vector<std::string> bodies;
  std::size_t frames{0};
  double start{0}, end{0};  // [s]
  double worstCertificate{0};
  int mostContacts{0};
};

/// Whether an HDF5 file looks like a record.
bool isRecord(const std::string& path);
/// Throws InputError when the file is not a record.
RecordSummary readRecordSummary(const std::string& path);

/// The body frame's pose and the velocity of its origin, world axes.
struct BodyFrame {
  Pose X_WB;
  Vector3 velocity, angularVelocity;
};
BodyFrame bodyFrame(const Model& model, const WorldState& state, int body);

}  // namespace stiction
