#include "Siconos.hpp"

#ifdef STICTION_WITH_SICONOS
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#include <cstdlib>
#include <memory>

#include "base/Clock.hpp"
#endif

namespace stiction::bench {

#ifdef STICTION_WITH_SICONOS
namespace {

constexpr int kSweeps = 10000000, kNewtonSteps = 2000, kOuterSteps = 100000;
constexpr int kInnerSweeps = 1000000;  // of fixed points and proximal points, whose default is meant for loose answers

/// malloc: Siconos frees it.
template <class T>
T* allocate(std::size_t count) {
  return static_cast<T*>(std::calloc(count, sizeof(T)));
}

SparseBlockStructuredMatrix* blockMatrix(const LocalContactProblem& problem) {
  const auto contacts = static_cast<std::size_t>(problem.contacts()), blocks = problem.blocks.size();
  SparseBlockStructuredMatrix* W = SBM_new();
  W->nbblocks = static_cast<unsigned>(blocks);
  W->blocknumber0 = W->blocknumber1 = static_cast<unsigned>(contacts);
  W->blocksize0 = allocate<unsigned>(contacts);
  W->blocksize1 = allocate<unsigned>(contacts);
  for (std::size_t i = 0; i < contacts; ++i) W->blocksize0[i] = W->blocksize1[i] = static_cast<unsigned>(3 * (i + 1));
  W->filled1 = contacts + 1;
  W->filled2 = blocks;
  W->index1_data = allocate<std::size_t>(contacts + 1);
  W->index2_data = allocate<std::size_t>(blocks);
  W->block = allocate<double*>(blocks);
  for (std::size_t i = 0; i <= contacts; ++i) W->index1_data[i] = static_cast<std::size_t>(problem.start[i]);
  for (std::size_t k = 0; k < blocks; ++k) {
    W->index2_data[k] = static_cast<std::size_t>(problem.column[k]);
    W->block[k] = allocate<double>(9);
    Eigen::Map<Matrix3>{W->block[k]} = problem.blocks[k];
  }
  return W;
}

std::unique_ptr<FrictionContactProblem, void (*)(FrictionContactProblem*)> siconosProblem(const LocalContactProblem& problem) {
  const auto contacts = static_cast<std::size_t>(problem.contacts());
  FrictionContactProblem* out = frictionContactProblem_new();
  out->dimension = 3;
  out->numberOfContacts = problem.contacts();
  out->M = NM_new_SBM(3 * problem.contacts(), 3 * problem.contacts(), blockMatrix(problem));
  out->q = allocate<double>(3 * contacts);
  out->mu = allocate<double>(contacts);
  Eigen::Map<VectorX>{out->q, problem.q.size()} = problem.q;
  Eigen::Map<VectorX>{out->mu, problem.mu.size()} = problem.mu;
  return {out, frictionContactProblem_free};
}

}  // namespace

std::vector<SiconosVariant> siconosVariants() {
  return {{"NSGS", SICONOS_FRICTION_3D_NSGS, 0, kSweeps},
          {"NSGS, Newton local", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, kSweeps},
          {"NSGS, damped Newton local", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, kSweeps},
          {"NSGS, projection local", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, kSweeps},
          {"NSGS, quartic local", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, kSweeps},
          {"NSN-AC", SICONOS_FRICTION_3D_NSN_AC, 0, kNewtonSteps},
          {"NSN-AC, new line search", SICONOS_FRICTION_3D_NSN_AC_TEST, 0, kNewtonSteps},
          {"NSN-FB", SICONOS_FRICTION_3D_NSN_FB, 0, kNewtonSteps},
          {"NSN-NM", SICONOS_FRICTION_3D_NSN_NM, 0, kNewtonSteps},
          {"PROX", SICONOS_FRICTION_3D_PROX, 0, kOuterSteps},
          {"PROX, NSGS inside", SICONOS_FRICTION_3D_PROX, SICONOS_FRICTION_3D_NSGS, kOuterSteps, true},
          {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, kSweeps},
          {"SOCLCP", SICONOS_FRICTION_3D_SOCLCP, 0, kSweeps},
          {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP, 0, kOuterSteps, true},
          {"Tresca fixed point", SICONOS_FRICTION_3D_TFP, 0, kOuterSteps, true}};
}

Attempt solveBySiconos(const SiconosVariant& variant, const LocalContactProblem& problem, double tolerance) {
  const auto copy = siconosProblem(problem);
  const std::unique_ptr<SolverOptions, void (*)(SolverOptions*)> options{solver_options_create(variant.solver), solver_options_delete};
  if (variant.local != 0) solver_options_update_internal(options.get(), 0, variant.local);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = variant.sweeps;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (variant.longInner) options->internalSolvers[0]->iparam[SICONOS_IPARAM_MAX_ITER] = kInnerSweeps;
  Attempt attempt;
  attempt.r = VectorX::Zero(problem.q.size());
  VectorX u = VectorX::Zero(problem.q.size());
  const double start = cpuSeconds();
  const int code = fc3d_driver(copy.get(), attempt.r.data(), u.data(), options.get());
  attempt.cpu = cpuSeconds() - start;
  attempt.converged = code == 0;
  return attempt;
}
#else
std::vector<SiconosVariant> siconosVariants() { return {}; }

Attempt solveBySiconos(const SiconosVariant&, const LocalContactProblem&, double) { return {}; }
#endif

}  // namespace stiction::bench
