// Files of ROS packages, as URDF names them: package://NAME/PATH.
#pragma once
#include <string>

namespace stiction {

/// The text with these replaced by paths of files: NAME/PATH, or else PATH, in `folder`, that of the text, or in the nearest folder above. Throws InputError, `label` of the text in front, where
/// there is none.
std::string resolvePackages(const std::string& text, const std::string& folder, const std::string& label);

}  // namespace stiction
