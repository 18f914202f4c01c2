// What all islands share during a step; read only.
#pragma once
#include <limits>
#include <vector>

#include "assembly/ConstraintRows.hpp"
#include "collision/Detect.hpp"
#include "dynamics/CoordinateSum.hpp"
#include "dynamics/FreeVelocity.hpp"
#include "integrate/Simulation.hpp"

namespace stiction {

class StepperPool;

struct StepSetup {
  const Model* model{nullptr};
  const SimulationOptions* options{nullptr};
  const CollisionDetector* detector{nullptr};
  std::vector<BodyInertia> inertias;
  std::vector<JointMotion> motions;    // of the mobilizers
  std::vector<CoordinateSum> tendons;  // of the model
  Loads loads;
  std::vector<double> geomSize;       // [m] bounding radius
  std::vector<double> geomHalfWidth;  // [m] least; infinite for planes, height fields and meshes
  std::vector<double> geomArm;        // [m] farthest point from the body's centre of mass whose turning about it shows; of a ball or plane, its centre
  std::vector<double> bodyArm;        // [m] the longest of its geoms'
  double thinnest{std::numeric_limits<double>::infinity()};  // [m] least half width of a geom
  std::vector<double> bodySize;  // [m] largest distance of a geom's far side from the centre of mass; without geoms the radius of gyration
  std::vector<char> isBall;      // body: all its geoms are spheres about the centre of mass, so that no normal force turns it
  std::vector<HeldConstraint> held;
  std::vector<const JointConstraint*> hangsBy;               // per body: the joints that it is the child of, or null; empty where there are none
  double hardest{-1};                                        // [-] the worst certificate so far, for keepHardest
  double deadline{std::numeric_limits<double>::infinity()};  // [s] of wallSeconds, when the step is given up
  ThreadPool* pool{nullptr};                                 // for what may be computed ahead
  StepperPool* steppers{nullptr};
  bool looksFirst{false};  // islands are not halved yet: what they come to may show that contacts are missing
};

/// Of the bodies and geoms, before the first step. Everything is kept by reference.
StepSetup makeStepSetup(const Model& model, const SimulationOptions& options, const CollisionDetector& detector);

}  // namespace stiction
