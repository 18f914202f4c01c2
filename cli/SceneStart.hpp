// Where a scene starts and how long its steps are, the same for every command.
#pragma once
#include <string>

#include "Commands.hpp"
#include "io/Mjcf.hpp"

namespace stiction::cli {

/// The state of the keyframe named, or the scene's own for an empty name.
inline const WorldState& startOf(const Scene& scene, const std::string& keyframe) { return keyframe.empty() ? scene.start : findKeyframe(scene, keyframe); }

/// [s] `given` if it is not 0, else the scene's timestep if it sets one, else the default.
inline double stepOf(const Scene& scene, double given) { return given > 0 ? given : scene.model.timestep > 0 ? scene.model.timestep : defaultStep; }

}  // namespace stiction::cli
