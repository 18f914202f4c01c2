#include "solvers/EcosSolver.hpp"

#include <Eigen/Dense>
#include <limits>

#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

constexpr int kPrograms = 200;
constexpr int kDepth = 10;       // of Anderson's acceleration
constexpr double kAstray = 100;  // it starts anew where the residual is so much above the best

MatrixX dense(const BlockColumns& A, int rows) {
  MatrixX matrix = MatrixX::Zero(rows, A.columns());
  for (int i = 0; i < A.groups(); ++i)
    for (int s = A.start[static_cast<std::size_t>(i)]; s < A.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
      matrix.block(segment.row, A.width * i, segment.size, A.width) +=
          Eigen::Map<const MatrixX>{&A.values[static_cast<std::size_t>(segment.offset)], segment.size, A.width};
    }
  return matrix;
}

MatrixX dense(const BlockMass& M) {
  MatrixX matrix = MatrixX::Zero(M.size(), M.size());
  for (int k = 0; k < M.blocks(); ++k)
    matrix.block(M.start[static_cast<std::size_t>(k)], M.start[static_cast<std::size_t>(k)], M.size(k), M.size(k)) =
        Eigen::Map<const MatrixX>{&M.values[static_cast<std::size_t>(M.offset[static_cast<std::size_t>(k)])], M.size(k), M.size(k)};
  for (const BlockMass::Coupling& coupling : M.couplings) {
    const Eigen::Map<const MatrixX> block{&M.values[static_cast<std::size_t>(coupling.offset)], M.size(coupling.row), M.size(coupling.column)};
    const int row = M.start[static_cast<std::size_t>(coupling.row)], column = M.start[static_cast<std::size_t>(coupling.column)];
    matrix.block(row, column, block.rows(), block.cols()) = block;
    matrix.block(column, row, block.cols(), block.rows()) = block.transpose();
  }
  return matrix;
}

/// The largest norm of x's triples.
double largestTriple(const VectorX& x) {
  double largest = 0;
  for (Eigen::Index i = 0; i + 2 < x.size(); i += 3) largest = std::max(largest, x.segment<3>(i).norm());
  return largest;
}

}  // namespace

/// u = W r + q with joints eliminated, and v, λ back from r.
struct EcosSolver::DenseProblem {
  explicit DenseProblem(const ContactProblem& problem) : mu{problem.mu}, mass{dense(problem.M)}, f{problem.f} {
    H = dense(problem.H, problem.dof());
    G = dense(problem.G, problem.dof());
    const MatrixX MH = mass.solve(H);
    free = mass.solve(f);
    W = H.transpose() * MH;
    q = H.transpose() * free;
    scale = std::max(problem.scaleFloor, largestTriple(q + problem.wScale));
    if (q.size() > 0) scale = std::max(scale, 1e-6 * (H.cwiseAbs().transpose() * free.cwiseAbs()).maxCoeff());
    q += problem.w;
    if (G.cols() > 0) {
      const MatrixX MG = mass.solve(G);
      MatrixX S = G.transpose() * MG;
      if (problem.C.size() != 0) S.diagonal() += problem.C;
      const Eigen::CompleteOrthogonalDecomposition<MatrixX> rows{S};
      lambdaFree = -rows.solve(G.transpose() * free + problem.b);
      lambdaOf = -rows.solve(G.transpose() * MH);
      W += H.transpose() * MG * lambdaOf;
      q += H.transpose() * MG * lambdaFree;
    }
    if (problem.R.size() != 0) W.diagonal() += problem.R;
  }
  explicit DenseProblem(const LocalContactProblem& problem) : mu{problem.mu}, q{problem.q}, scale{largestTriple(problem.q)} {
    W = MatrixX::Zero(3 * problem.contacts(), 3 * problem.contacts());
    for (int i = 0; i < problem.contacts(); ++i)
      for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
        W.block<3, 3>(3 * i, 3 * problem.column[static_cast<std::size_t>(k)]) += problem.blocks[static_cast<std::size_t>(k)];
  }

  void finish(Iterate& iterate) const {
    if (H.cols() != iterate.r.size() || H.rows() == 0) return;
    iterate.lambda = G.cols() > 0 ? VectorX{lambdaFree + lambdaOf * iterate.r} : VectorX{};
    VectorX momentum = f + H * iterate.r;
    if (G.cols() > 0) momentum += G * iterate.lambda;
    iterate.v = mass.solve(momentum);
  }

  VectorX mu;
  Eigen::LDLT<MatrixX> mass;
  VectorX f, free;
  MatrixX H, G, W, lambdaOf;
  VectorX q, lambdaFree;
  double scale;  // [m/s] the certificate's
};

EcosSolver::EcosSolver(bool strict, const EcosSettings& settings)
    : info_{strict ? "ecos-strict" : "ecos",
            strict ? Law::Coulomb : Law::Convex,
            true,
            true,
            strict ? "comparison: ECOS's cone programs, De Saxce's shift brought up to date between them; dense, up to some hundred contacts"
                   : "comparison: the relaxation by ECOS's cone programs; dense, up to some hundred contacts",
            false,
            strict ? "none: shift may cycle" : "global"},
      settings_{settings} {}

SolveReport EcosSolver::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  return run(DenseProblem{problem}, iterate, options);
}

SolveReport EcosSolver::solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  return run(DenseProblem{problem}, iterate, options);
}

SolveReport EcosSolver::run(const DenseProblem& problem, Iterate& iterate, const SolveOptions& options) {
  const int contacts = static_cast<int>(problem.mu.size());
  FrictionConeSpec spec{contacts};
  const double scale = options.scale > 0 ? options.scale : problem.scale;
  VectorX omega(contacts);
  for (int i = 0; i < contacts; ++i) {
    spec.setFriction(i, problem.mu[i], 3 * i);
    const double trace = problem.W.diagonal().segment<3>(3 * i).sum();
    omega[i] = trace > 0 ? trace / 3 : 1;
  }
  run_ = {};
  points_.clear();
  maps_.clear();
  SolveReport report;
  report.residual = contacts > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  VectorX x = VectorX::Zero(3 * contacts), r = x, F = x, best = x, before = x;
  const auto exhausted = [&] { return run_.programs >= kPrograms || (options.maxIterations > 0 && report.iterations >= options.maxIterations); };
  while (!exhausted() && report.residual > options.tolerance) {
    const VectorX q = problem.q + x;
    refillECOSProblem(cones_, buildFrictionProblem(problem.W, -q, spec));
    run_.last = solveECOSProblem(cones_, settings_.absTolerance, settings_.relTolerance, settings_.maxIterations);
    ++run_.programs;
    report.iterations += run_.last.iterations;
    ++report.factorisations;
    r = run_.last.lambda;
    if (!r.allFinite()) break;
    VectorX u = problem.W * r + q;
    for (int i = 0; i < contacts; ++i) r.segment<3>(3 * i) = projectCone(r.segment<3>(3 * i) - u.segment<3>(3 * i) / omega[i], problem.mu[i]);
    u = problem.W * r + problem.q;
    double residual = 0;
    for (int i = 0; i < contacts; ++i) {
      F.segment<3>(3 * i) = naturalMap(r.segment<3>(3 * i), u.segment<3>(3 * i), problem.mu[i], omega[i], info_.law);
      residual = std::max(residual, F.segment<3>(3 * i).norm());
    }
    if (scale > 0) residual /= scale;
    const double size = r.cwiseAbs().maxCoeff();
    run_.change = size > 0 ? (r - before).cwiseAbs().maxCoeff() / size : 0.0;
    before = r;
    if (residual > kAstray * report.residual) points_.clear(), maps_.clear();
    if (residual < report.residual) {
      report.residual = residual;
      best = r;
    }
    accelerate(x, F);
  }
  iterate.r = best;
  problem.finish(iterate);
  report.status = report.residual <= options.tolerance ? SolveStatus::Converged : exhausted() ? SolveStatus::IterationLimit : SolveStatus::Stalled;
  return report;
}

/// x + F, less the combination of the last steps that makes F least (Walker & Ni 2011).
void EcosSolver::accelerate(VectorX& x, const VectorX& F) {
  points_.push_back(x);
  maps_.push_back(F);
  if (points_.size() > kDepth + 1) points_.pop_front(), maps_.pop_front();
  const auto steps = static_cast<Eigen::Index>(points_.size()) - 1;
  x += F;
  if (steps == 0) return;
  MatrixX dx(x.size(), steps), dF(x.size(), steps);
  for (Eigen::Index k = 0; k < steps; ++k) {
    const auto at = static_cast<std::size_t>(k);
    dx.col(k) = points_[at + 1] - points_[at];
    dF.col(k) = maps_[at + 1] - maps_[at];
  }
  const VectorX weights = dF.completeOrthogonalDecomposition().solve(F);
  x -= (dx + dF) * weights;
}

std::unique_ptr<Solver> makeEcosSolver(bool strict) { return std::make_unique<EcosSolver>(strict); }

}  // namespace stiction
