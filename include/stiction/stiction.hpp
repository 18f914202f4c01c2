// Stiction in C++: load or build a scene, step it, read what every step did; solve and certify friction problems; write records.
//
//   stiction::Scene scene = stiction::loadScene("scene.xml");
//   stiction::Simulation simulation{scene.model, {}};
//   simulation.setState(scene.start);
//   const stiction::StepReport& report = simulation.step(1.0 / 240);  // report.status, report.certificate, report.ledger
//
// SI units; rotations as unit quaternions, velocities in world axes at the centre of mass. Wrong input throws stiction::InputError (element, value, range, remedy).
// Constraints and contacts given as objects: stiction/constraints.hpp.
#pragma once

#include "base/Error.hpp"
#include "certify/Certificate.hpp"
#include "integrate/Simulation.hpp"
#include "io/Fclib.hpp"
#include "io/Mjcf.hpp"
#include "io/Record.hpp"
#include "model/Model.hpp"
#include "portfolio/Portfolio.hpp"
#include "problem/ContactProblem.hpp"
