#include "solvers/EcosSolver.hpp"

#include <Eigen/Dense>
#include <limits>

#include "solvers/Ecos.hpp"
#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

constexpr double kCones = 1e-11;  // [-] tolerances of a cone program
constexpr int kConeIterations = 100;
constexpr int kPrograms = 200;

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

/// u = W r + q with joints eliminated, and v, λ back from r.
struct DenseProblem {
  explicit DenseProblem(const ContactProblem& problem) : mu{problem.mu}, mass{dense(problem.M)}, f{problem.f} {
    H = dense(problem.H, problem.dof());
    G = dense(problem.G, problem.dof());
    const MatrixX MH = mass.solve(H);
    free = mass.solve(f);
    W = H.transpose() * MH;
    q = H.transpose() * free + problem.w;
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
  explicit DenseProblem(const LocalContactProblem& problem) : mu{problem.mu}, q{problem.q} {
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
};

class EcosSolver : public Solver {
 public:
  explicit EcosSolver(bool strict)
      : info_{strict ? "ecos-strict" : "ecos",
              strict ? Law::Coulomb : Law::Convex,
              true,
              true,
              strict ? "comparison: ECOS's cone programs, De Saxce's shift brought up to date between them; dense, up to some hundred contacts"
                     : "comparison: the relaxation as one cone program of ECOS; dense, up to some hundred contacts",
              false,
              strict ? "none: shift may cycle" : "global, to 1e-6"} {}
  const SolverInfo& info() const override { return info_; }
  SolveReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) override {
    return run(DenseProblem{problem}, iterate, options);
  }
  SolveReport solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) override {
    return run(DenseProblem{problem}, iterate, options);
  }

 private:
  SolveReport run(const DenseProblem& problem, Iterate& iterate, const SolveOptions& options) {
    const int contacts = static_cast<int>(problem.mu.size());
    FrictionConeSpec spec{contacts};
    double scale = 0;
    VectorX omega(contacts);
    for (int i = 0; i < contacts; ++i) {
      spec.setFriction(i, problem.mu[i], 3 * i);
      const double trace = problem.W.diagonal().segment<3>(3 * i).sum();
      omega[i] = trace > 0 ? trace / 3 : 1;
      scale = std::max(scale, problem.q.segment<3>(3 * i).norm());
    }
    if (options.scale > 0) scale = options.scale;
    SolveReport report;
    report.residual = std::numeric_limits<double>::infinity();
    VectorX q = problem.q, best = VectorX::Zero(3 * contacts);
    const int programs = info_.law == Law::Coulomb ? kPrograms : 1;
    for (int k = 0; k < programs && report.residual > options.tolerance; ++k) {
      refillECOSProblem(cones_, buildFrictionProblem(problem.W, -q, spec));
      const ECOSAnswer answer = solveECOSProblem(cones_, kCones, kCones, kConeIterations);
      report.iterations += answer.iterations;
      ++report.factorisations;
      if (!answer.lambda.allFinite()) break;
      VectorX r = answer.lambda;
      for (int i = 0; i < contacts; ++i) r.segment<3>(3 * i) = projectCone(r.segment<3>(3 * i), problem.mu[i]);
      const VectorX u = problem.W * r + problem.q;
      double residual = 0;
      for (int i = 0; i < contacts; ++i)
        residual = std::max(residual, naturalMap(r.segment<3>(3 * i), u.segment<3>(3 * i), problem.mu[i], omega[i], info_.law).norm());
      residual = scale > 0 ? residual / scale : residual;
      if (residual < report.residual) {
        report.residual = residual;
        best = r;
      }
      q = problem.q;
      for (int i = 0; i < contacts; ++i) q[3 * i] += problem.mu[i] * tangentialNorm(u.segment<3>(3 * i));
    }
    iterate.r = best;
    problem.finish(iterate);
    report.status = report.residual <= options.tolerance ? SolveStatus::Converged : SolveStatus::Stalled;
    return report;
  }

  SolverInfo info_;
  ECOSProblem cones_{ECOSData{0}, {}, {}, false};  // kept for its workspace
};

}  // namespace

std::unique_ptr<Solver> makeEcosSolver(bool strict) { return std::make_unique<EcosSolver>(strict); }

}  // namespace stiction
