// What every step of every scene must keep, by arithmetic of its own; and the tally of many scenes.
//
// Refused steps leave every bit of the state. Certified steps: certificate ≤ tolerance, ledger closed (up to the last bit of wedged impulses), friction and impact not negative, kinetic and potential energy as the
// ledger says, momentum of each body changed by gravity and its contacts' impulses alone,
//   m (v⁺ − v⁻) = h m g + Σ ± r_i ,
// and, where nothing is driven, no energy from contacts: ‖v⁺‖_M ≤ ‖v⁻‖_M + h ‖g‖ √Σm, position correction apart.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "RandomScenes.hpp"

namespace stiction::random_scenes {

struct Outcome {
  std::uint64_t seed{0};
  std::string fault;  // empty when every check held
  int steps{0}, contacts{0}, splits{0};
  bool refused{false};  // a step was not certified: the state was kept and the scene ended
  double refusedAt{0};  // [-] its certificate
  double massRatio{1};  // [-] heaviest to lightest dynamic body
  bool driven{false};   // by a kinematic body: may be squeezed so that there is no solution
  double worstCertificate{0}, worstClosure{0};
  double deepest{0};                  // [m] at the start
  double seconds{0};                  // [s] CPU
  std::map<std::string, long> rungs;  // islands solved by each rung
};

Outcome runScene(std::uint64_t seed);

}  // namespace stiction::random_scenes
