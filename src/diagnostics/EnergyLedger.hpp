// The energy account of one step. Every line is computed from its own impulses and displacements; closure is what is left over.
//
//   ΔKinetic + ΔPotential + ΔElastic = externalWork + actuatorWork − friction − impact − compliance − damping − scheme + stabilisation
#pragma once

namespace stiction {

struct EnergyLedger {
  double kineticStart{0}, kineticEnd{0};  // [J]
  double potentialChange{0};              // [J] −Σ m g·Δx
  double elasticChange{0};                // [J]
  double externalWork{0};                 // [J] applied forces and moving surfaces
  double actuatorWork{0};                 // [J]
  double friction{0};                     // [J] −Σ r_T·u_T⁺ >= 0
  double impact{0};                       // [J] −½ Σ r_n (u_n⁺ + min(u_n⁻, 0)) and the loss of impact solves, >= 0
  double compliance{0};                   // [J]
  double damping{0};                      // [J]
  double scheme{0};                       // [J] first order in h, either sign
  double stabilisation{0};                // [J] what position correction did
  double scale{0};                        // [J] max(every |line|, kinetic energy, Σ m‖g‖·1 m and joints' dry friction likewise)

  /// [J] left side minus right side.
  double closure() const {
    return kineticEnd - kineticStart + potentialChange + elasticChange - externalWork - actuatorWork + friction + impact + compliance + damping + scheme -
           stabilisation;
  }
  double closureRelative() const { return scale > 0 ? closure() / scale : 0; }
};

}  // namespace stiction
