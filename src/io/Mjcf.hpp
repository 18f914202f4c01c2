// MJCF and URDF scenes to Model and WorldState. libmujoco parses and compiles the file, so defaults, includes, assets, frames and masses are its own; what is compiled is then
// read into our model: free bodies with all that is welded to them, mocap bodies (kinematic), and everything fixed (body 0 "world").
//
// Free-joint speeds as MuJoCo: qvel = (velocity of the body frame's origin in world axes, angular velocity in body axes), so v_C = v_B + ω × R p_BC.
// Restitution, which MuJoCo cannot spell: <numeric name="stiction_restitution" data="e"/> for all geoms, a <tuple> of that name for single ones.
// URDF as libmujoco reads it: the first link is fixed to the world, floating joints free their child, fixed joints weld; no friction is given, so it is MuJoCo's 1.
// Where we depart: contacts are strict; condim 4 and 6 count as 3; a fixed mesh collides with its triangles, not with its hull.
#pragma once
#include <string>
#include <vector>

#include "io/ImportReport.hpp"
#include "model/Model.hpp"
#include "state/WorldState.hpp"

namespace stiction {

struct Keyframe {
  std::string name;
  WorldState state;
};

struct Scene {
  Model model;
  WorldState start;  // qpos0, at rest
  std::vector<Keyframe> keyframes;
  ImportReport report;
  std::string text;  // of the main file
};

/// Throws InputError naming file, line or element, value, range and remedy.
Scene loadScene(const std::string& path);
/// The same from a text in memory; `label` stands for the file in messages.
Scene loadSceneText(const std::string& xml, const std::string& label);

/// The state of a named keyframe. Throws InputError that lists the names there are.
const WorldState& findKeyframe(const Scene& scene, const std::string& name);

}  // namespace stiction
