// How messages name the parts of a scene, and checks that these share.
#pragma once
#include <string>

#include "model/Model.hpp"

namespace stiction {

/// `kind "name"`, or its number where it has no name.
std::string elementTitle(const char* kind, const std::string& name, std::size_t id);
void requireFinite(const std::string& element, const Vector3& value);

/// Mobilizers, joints, tendons, thrusters, actuators, connections and couplings; normalises axes.
void checkJoints(Model& model);

}  // namespace stiction
