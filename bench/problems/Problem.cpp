#include "Problem.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/Error.hpp"
#include "certify/MassInverse.hpp"

namespace stiction::bench {
namespace {

/// x = M⁻¹ y on the rows of one block of the mass matrix.
MatrixX solveBlock(const BlockMass& M, int block, const MatrixX& y) {
  const int n = M.size(block);
  return Eigen::Map<const MatrixX>{M.values.data() + M.offset[static_cast<std::size_t>(block)], n, n}.llt().solve(y);
}

MatrixX segmentOf(const BlockColumns& H, const BlockColumns::Segment& segment) {
  return Eigen::Map<const MatrixX>{H.values.data() + segment.offset, segment.size, H.width};
}

VectorX solveMass(const ContactProblem& problem, VectorX x) {
  certification::MassInverse inverse;
  inverse.factor(problem.M);
  inverse.solve(x);
  return x;
}

/// W = HᵀM⁻¹H block by block: a pair of contacts meets where both act on one block of the mass matrix.
LocalContactProblem condense(const ContactProblem& problem) {
  struct Touch {
    int contact;
    const BlockColumns::Segment* segment;
  };
  std::vector<std::vector<Touch>> touches(static_cast<std::size_t>(problem.M.blocks()));
  for (int i = 0; i < problem.contacts(); ++i)
    for (int s = problem.H.start[static_cast<std::size_t>(i)]; s < problem.H.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = problem.H.segments[static_cast<std::size_t>(s)];
      touches[static_cast<std::size_t>(segment.block)].push_back({i, &segment});
    }
  std::vector<std::map<int, Matrix3>> rows(static_cast<std::size_t>(problem.contacts()));
  for (int k = 0; k < problem.M.blocks(); ++k)
    for (const Touch& b : touches[static_cast<std::size_t>(k)]) {
      MatrixX column = MatrixX::Zero(problem.M.size(k), 3);
      column.middleRows(b.segment->row - problem.M.start[static_cast<std::size_t>(k)], b.segment->size) = segmentOf(problem.H, *b.segment);
      const MatrixX solved = solveBlock(problem.M, k, column);
      for (const Touch& a : touches[static_cast<std::size_t>(k)]) {
        Matrix3& block = rows[static_cast<std::size_t>(a.contact)].try_emplace(b.contact, Matrix3::Zero()).first->second;
        block +=
            segmentOf(problem.H, *a.segment).transpose() * solved.middleRows(a.segment->row - problem.M.start[static_cast<std::size_t>(k)], a.segment->size);
      }
    }
  LocalContactProblem local;
  for (const auto& row : rows) {
    for (const auto& [column, block] : row) {
      local.column.push_back(column);
      local.blocks.push_back(block);
    }
    local.start.push_back(static_cast<int>(local.column.size()));
  }
  multiplyTransposed(problem.H, solveMass(problem, problem.f), local.q);
  local.q += problem.w;
  local.mu = problem.mu;
  return local;
}

}  // namespace

BenchProblem readProblem(const std::string& file) {
  BenchProblem problem{std::filesystem::path{file}.stem().string(), readFclib(file), {}, true};
  if (const auto* local = std::get_if<LocalContactProblem>(&problem.given)) {
    problem.local = *local;
    return problem;
  }
  const auto& global = std::get<ContactProblem>(problem.given);
  problem.hasLocal = global.rows() == 0 && global.M.couplings.empty() && global.R.size() == 0;
  if (problem.hasLocal) problem.local = condense(global);
  return problem;
}

std::vector<std::string> problemFiles(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error})
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path().string());
  if (files.empty())
    throw InputError{"the folder of problems", "'" + folder + "' holds no .hdf5 file", "a folder of FCLIB files",
                     "name one with --folder or the environment variable STICTION_FCLIB_PROBLEMS"};
  std::sort(files.begin(), files.end());
  return files;
}

Certificate judgeImpulses(const BenchProblem& problem, const VectorX& r) {
  Iterate iterate{{}, r, {}};
  if (const auto* local = std::get_if<LocalContactProblem>(&problem.given)) return certify(*local, iterate);
  const auto& global = std::get<ContactProblem>(problem.given);
  VectorX momentum = global.f;
  multiplyAdd(global.H, r, momentum);
  iterate.v = solveMass(global, momentum);
  iterate.lambda = VectorX::Zero(0);
  return certify(global, iterate);
}

}  // namespace stiction::bench
