#include "solvers/Ecos.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/Error.hpp"
#include "solvers/FrictionCone.hpp"

#ifdef STICTION_WITH_ECOS
extern "C" {
#include <ecos.h>
}
static_assert(sizeof(::idxint) == sizeof(stiction::idxint));
#endif

namespace stiction {

namespace {

int requireContacts(const char* type, int contacts) {
  constexpr int most = 10'000'000;
  if (contacts < 0 || contacts > most)
    throw InputError{std::string{type} + ": numContacts", std::to_string(contacts), "in [0, " + std::to_string(most) + "]", "count the contacts"};
  return contacts;
}

void requireArray(const char* name, const std::vector<pfloat>& values, idxint size) {
  if (static_cast<idxint>(values.size()) != size)
    throw InputError{std::string{"ECOSData: "} + name, std::to_string(values.size()) + " entries", std::to_string(size), "fill it before setup()"};
  const auto bad = std::find_if(values.begin(), values.end(), [](pfloat x) { return !std::isfinite(x); });
  if (bad != values.end())
    throw InputError{std::string{"ECOSData: "} + name + "[" + std::to_string(bad - values.begin()) + "]", std::to_string(*bad), "finite",
                     "check where it comes from"};
}

/// ECOS itself follows every index and pointer it is given.
void requireProblem(const ECOSData& data) {
  const auto count = [](const char* name, idxint value, idxint least) {
    if (value < least) throw InputError{std::string{"ECOSData: "} + name, std::to_string(value), "at least " + std::to_string(least), "fill it before setup()"};
  };
  count("num_variables", data.num_variables, 1);
  count("num_linear", data.num_linear, 0);
  if (data.num_cones != static_cast<idxint>(data.cone_sizes.size()))
    throw InputError{"ECOSData: num_cones", std::to_string(data.num_cones), "the number of cone_sizes, " + std::to_string(data.cone_sizes.size()),
                     "let them agree"};
  const auto rows = static_cast<idxint>(data.h.size());
  idxint left = rows - data.num_linear;
  for (const idxint size : data.cone_sizes) {
    count("cone_sizes", size, 1);
    left -= std::min(size, rows + 1);
  }
  if (left != 0 || rows == 0)
    throw InputError{"ECOSData: h", std::to_string(rows) + " entries", "num_linear and the sum of cone_sizes, and not none", "let them agree"};
  requireArray("h", data.h, rows);
  requireArray("c", data.c, data.num_variables);
  requireArray("G_data", data.G_data, static_cast<idxint>(data.G_row_indices.size()));
  const std::vector<idxint>& start = data.G_col_ptrs;
  if (static_cast<idxint>(start.size()) != data.num_variables + 1 || start.front() != 0 || start.back() != static_cast<idxint>(data.G_data.size()) ||
      !std::is_sorted(start.begin(), start.end()))
    throw InputError{"ECOSData: G_col_ptrs", "not the columns of G",
                     std::to_string(data.num_variables + 1) + " ascending entries from 0 to the number of entries of G", "take them from ECOSSparseMatrix"};
  for (std::size_t column = 0; column + 1 < start.size(); ++column)
    for (idxint k = start[column], last = -1; k < start[column + 1]; ++k) {
      const idxint row = data.G_row_indices[static_cast<std::size_t>(k)];
      if (row <= last || row >= rows)
        throw InputError{"ECOSData: G_row_indices[" + std::to_string(k) + "]", std::to_string(row),
                         "in [0, " + std::to_string(rows) + ") and ascending in its column", "take them from ECOSSparseMatrix"};
      last = row;
    }
}

/// Throws where the fields, which may have been filled by hand, are none of `numContacts` contacts, or two of them share a row.
void requireSpec(const FrictionConeSpec& spec) {
  const auto contacts = static_cast<std::size_t>(requireContacts("FrictionConeSpec", spec.numContacts));
  if (spec.frictionCoefficients.size() != contacts || spec.normalIndices.size() != contacts)
    throw InputError{"FrictionConeSpec: frictionCoefficients and normalIndices",
                     std::to_string(spec.frictionCoefficients.size()) + " and " + std::to_string(spec.normalIndices.size()) + " entries",
                     std::to_string(contacts), "give one of each for every contact"};
  for (std::size_t i = 0; i < contacts; ++i) {
    if (!(spec.frictionCoefficients[i] >= 0) || !std::isfinite(spec.frictionCoefficients[i]))
      throw InputError{"FrictionConeSpec: frictionCoefficients[" + std::to_string(i) + "]", std::to_string(spec.frictionCoefficients[i]), "finite and >= 0",
                       "0 is a frictionless contact"};
    if (spec.normalIndices[i] < 0 || spec.normalIndices[i] > 3 * spec.numContacts - 3)
      throw InputError{"FrictionConeSpec: normalIndices[" + std::to_string(i) + "]", std::to_string(spec.normalIndices[i]),
                       "in [0, " + std::to_string(3 * spec.numContacts - 3) + "]", "leave room for t1 and t2"};
  }
  std::vector<int> owner(3 * static_cast<std::size_t>(spec.numContacts), -1);
  for (int i = 0; i < spec.numContacts; ++i)
    for (int k = 0; k < 3; ++k) {
      int& row = owner[static_cast<std::size_t>(spec.normalIndices[static_cast<std::size_t>(i)] + k)];
      if (row >= 0)
        throw InputError{"FrictionConeSpec: contact " + std::to_string(i), "shares a row with contact " + std::to_string(row), "three rows of its own",
                         "call setFriction for every contact, or leave all in their places"};
      row = i;
    }
}

}  // namespace

bool hasECOS() {
#ifdef STICTION_WITH_ECOS
  return true;
#else
  return false;
#endif
}

void requireECOS() {
  if (!hasECOS())
    throw InputError{"solver", "'ecos'", "a build with ECOS", "configure with -DSTICTION_WITH_ECOS=ON (ECOS is under the GPL, and off by default)"};
}

ECOSSparseMatrix ECOSSparseMatrix::fromDense(const MatrixX& mat, double sparsity_threshold) {
  if (!(sparsity_threshold >= 0) || !std::isfinite(sparsity_threshold))
    throw InputError{"ECOSSparseMatrix: sparsity_threshold", std::to_string(sparsity_threshold), "finite and >= 0", "0 keeps every entry that is not 0"};
  if (!mat.allFinite()) throw InputError{"ECOSSparseMatrix: the matrix", "not finite", "finite", "check where it comes from"};
  ECOSSparseMatrix sparse;
  sparse.nrows = mat.rows(), sparse.ncols = mat.cols();
  sparse.col_ptrs.push_back(0);
  for (Eigen::Index j = 0; j < mat.cols(); ++j) {
    for (Eigen::Index i = 0; i < mat.rows(); ++i) {
      if (!(std::abs(mat(i, j)) > sparsity_threshold)) continue;
      sparse.data.push_back(mat(i, j));
      sparse.row_indices.push_back(i);
    }
    sparse.col_ptrs.push_back(static_cast<idxint>(sparse.data.size()));
  }
  sparse.nnz = static_cast<idxint>(sparse.data.size());
  return sparse;
}

ECOSSparseMatrix ECOSSparseMatrix::fromSparse(const Eigen::SparseMatrix<double>& mat) {
  for (int j = 0; j < mat.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it{mat, j}; it; ++it)
      if (!std::isfinite(it.value()))
        throw InputError{"ECOSSparseMatrix: entry (" + std::to_string(it.row()) + ", " + std::to_string(it.col()) + ")", std::to_string(it.value()), "finite",
                         "check where the matrix comes from"};
  ECOSSparseMatrix sparse;
  sparse.nrows = mat.rows(), sparse.ncols = mat.cols();
  sparse.col_ptrs.push_back(0);
  for (int j = 0; j < mat.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it{mat, j}; it; ++it) {
      sparse.data.push_back(it.value());
      sparse.row_indices.push_back(it.row());
    }
    sparse.col_ptrs.push_back(static_cast<idxint>(sparse.data.size()));
  }
  sparse.nnz = static_cast<idxint>(sparse.data.size());
  return sparse;
}

FrictionConeSpec::FrictionConeSpec(int contacts) : numContacts{contacts} {
  requireContacts("FrictionConeSpec", contacts);
  frictionCoefficients.assign(static_cast<std::size_t>(contacts), 0.0);
  assigned.assign(static_cast<std::size_t>(contacts), 0);
  for (int i = 0; i < contacts; ++i) normalIndices.push_back(3 * i);
}

void FrictionConeSpec::setFriction(int contactIndex, double mu, int normalConstraintIndex) {
  if (contactIndex < 0 || contactIndex >= numContacts)
    throw InputError{"FrictionConeSpec: contactIndex", std::to_string(contactIndex), "in [0, " + std::to_string(numContacts) + ")", "count from 0"};
  if (!(mu >= 0) || !std::isfinite(mu)) throw InputError{"FrictionConeSpec: mu", std::to_string(mu), "finite and >= 0", "0 is a frictionless contact"};
  if (normalConstraintIndex < 0 || normalConstraintIndex > 3 * numContacts - 3)
    throw InputError{"FrictionConeSpec: normalConstraintIndex", std::to_string(normalConstraintIndex), "in [0, " + std::to_string(3 * numContacts - 3) + "]",
                     "leave room for t1 and t2"};
  const auto contacts = static_cast<std::size_t>(requireContacts("FrictionConeSpec", numContacts));
  frictionCoefficients.resize(contacts);
  assigned.resize(contacts);
  while (normalIndices.size() < contacts) normalIndices.push_back(3 * static_cast<int>(normalIndices.size()));
  for (int i = 0; i < numContacts; ++i)
    if (i != contactIndex && assigned[static_cast<std::size_t>(i)] != 0 && std::abs(normalIndices[static_cast<std::size_t>(i)] - normalConstraintIndex) < 3)
      throw InputError{"FrictionConeSpec: normalConstraintIndex", std::to_string(normalConstraintIndex),
                       "three rows that no other contact has; contact " + std::to_string(i) + " has those from " +
                           std::to_string(normalIndices[static_cast<std::size_t>(i)]),
                       "give each contact its own n, t1, t2"};
  assigned[static_cast<std::size_t>(contactIndex)] = 1;
  frictionCoefficients[static_cast<std::size_t>(contactIndex)] = mu;
  normalIndices[static_cast<std::size_t>(contactIndex)] = normalConstraintIndex;
}

std::vector<idxint> FrictionConeSpec::getConeSizes() const {
  return std::vector<idxint>(static_cast<std::size_t>(requireContacts("FrictionConeSpec", numContacts)), 3);
}

ECOSData::ECOSData(int numContacts)
    : num_variables{3L * requireContacts("ECOSData", numContacts)}, num_cones{numContacts}, cone_sizes(static_cast<std::size_t>(numContacts), 3) {}

ECOSData::~ECOSData() { cleanup(); }

ECOSData::ECOSData(ECOSData&& other) noexcept : ECOSData{0} { *this = std::move(other); }

ECOSData& ECOSData::operator=(ECOSData&& other) noexcept {
  std::swap(workspace, other.workspace);
  std::swap(num_variables, other.num_variables);
  std::swap(num_cones, other.num_cones);
  std::swap(num_linear, other.num_linear);
  G_data.swap(other.G_data);
  G_row_indices.swap(other.G_row_indices);
  G_col_ptrs.swap(other.G_col_ptrs);
  h.swap(other.h);
  c.swap(other.c);
  cone_sizes.swap(other.cone_sizes);
  return *this;
}

void ECOSData::setup() {
  requireECOS();
  cleanup();
  requireProblem(*this);
#ifdef STICTION_WITH_ECOS
  workspace = ECOS_setup(num_variables, static_cast<idxint>(h.size()), 0, num_linear, num_cones, cone_sizes.data(), 0, G_data.data(), G_col_ptrs.data(),
                         G_row_indices.data(), nullptr, nullptr, nullptr, c.data(), h.data(), nullptr);
  if (workspace == nullptr)
    throw std::runtime_error{"ECOS_setup refused a problem of " + std::to_string(num_variables) + " variables and " + std::to_string(num_cones) + " cones"};
#endif
}

void ECOSData::cleanup() {
#ifdef STICTION_WITH_ECOS
  if (workspace != nullptr) ECOS_cleanup(workspace, 0);
#endif
  workspace = nullptr;
}

ECOSProblem buildFrictionProblem(const MatrixX& A, const VectorX& b, const FrictionConeSpec& spec) {
  requireSpec(spec);
  const int contacts = spec.numContacts, rows = 3 * contacts;
  if (A.rows() != rows || A.cols() != rows || b.size() != rows)
    throw InputError{"buildECOSProblem: A and b", std::to_string(A.rows()) + " x " + std::to_string(A.cols()) + " and " + std::to_string(b.size()) + " entries",
                     std::to_string(rows) + " rows for " + std::to_string(contacts) + " contacts", "give n, t1, t2 of every contact"};
  if (!A.allFinite() || !b.allFinite()) throw InputError{"buildECOSProblem: A or b", "not finite", "finite", "check where they come from"};
  ECOSProblem problem{ECOSData{contacts}, std::vector<int>(static_cast<std::size_t>(rows), -1), VectorX::Zero(rows), spec, false};
  // Impulses in units that make the diagonal of A and the largest entry of b about 1.
  VectorX unit(rows);
  for (int i = 0; i < contacts; ++i) {
    const int n = spec.normalIndices[static_cast<std::size_t>(i)];
    const double trace = A.diagonal().segment<3>(n).sum() / 3;
    unit.segment<3>(n).setConstant(trace > 0 ? 1 / std::sqrt(trace) : 1.0);
  }
  const double size = b.size() > 0 ? unit.cwiseProduct(b).cwiseAbs().maxCoeff() : 0.0;
  problem.scale = (size > 0 ? size : 1.0) * unit;
  const MatrixX scaledA = unit.asDiagonal() * (0.5 * (A + A.transpose())) * unit.asDiagonal();
  const VectorX scaledB = size > 0 ? VectorX{unit.cwiseProduct(b) / size} : VectorX::Zero(rows).eval();
  // F = √Λ Qᵀ: A may be singular.
  MatrixX F(rows, rows);
  if (rows > 0) {
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen{scaledA};
    F = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();
  }

  int columns = 0, linear = 0, cones = 0;
  for (int i = 0; i < contacts; ++i) {
    const int n = spec.normalIndices[static_cast<std::size_t>(i)], kept = spec.frictionCoefficients[static_cast<std::size_t>(i)] > 0 ? 3 : 1;
    for (int k = 0; k < kept; ++k) problem.column[static_cast<std::size_t>(n + k)] = columns++;
    ++(kept == 1 ? linear : cones);
  }
  MatrixX G = MatrixX::Zero(linear + 3 * cones + 2 + rows, columns + 1);
  VectorX h = VectorX::Zero(G.rows());
  int line = 0, cone = linear;
  for (int i = 0; i < contacts; ++i) {
    const double mu = spec.frictionCoefficients[static_cast<std::size_t>(i)];
    const int x = problem.column[static_cast<std::size_t>(spec.normalIndices[static_cast<std::size_t>(i)])];
    if (mu > 0) {
      G(cone, x) = -mu;
      G(cone + 1, x + 1) = G(cone + 2, x + 2) = -1;
      cone += 3;
    } else {
      G(line++, x) = -1;
    }
  }
  // s = ( (p + 1)/√2, (p − 1)/√2, F λ ), p = t + bᵀλ.
  const double half = std::sqrt(0.5);
  for (int k = 0; k < rows; ++k) {
    const int x = problem.column[static_cast<std::size_t>(k)];
    if (x < 0) continue;
    G(cone, x) = G(cone + 1, x) = -half * scaledB[k];
    G.col(x).tail(rows) = -F.col(k);
  }
  G(cone, columns) = G(cone + 1, columns) = -half;
  h[cone] = half;
  h[cone + 1] = -half;
  const ECOSSparseMatrix sparse = ECOSSparseMatrix::fromDense(G, 0.0);
  ECOSData& data = problem.data;
  data.num_variables = columns + 1;
  data.num_cones = cones + 1;
  data.num_linear = linear;
  data.G_data = sparse.data;
  data.G_row_indices = sparse.row_indices;
  data.G_col_ptrs = sparse.col_ptrs;
  data.h.assign(h.data(), h.data() + h.size());
  data.c.assign(static_cast<std::size_t>(columns + 1), 0.0);
  data.c.back() = 1.0;
  data.cone_sizes.assign(static_cast<std::size_t>(cones), 3);
  data.cone_sizes.push_back(rows + 2);
  return problem;
}

void refillECOSProblem(ECOSProblem& kept, ECOSProblem&& fresh) {
  ECOSData &to = kept.data, &from = fresh.data;
  const bool same = to.workspace != nullptr && to.num_variables == from.num_variables && to.num_linear == from.num_linear && to.cone_sizes == from.cone_sizes &&
                    to.G_col_ptrs == from.G_col_ptrs && to.G_row_indices == from.G_row_indices;
  if (!same) {
    kept = std::move(fresh);
    return;
  }
  // In place: ECOS holds on to these arrays, and takes numbers at their old address for new ones.
  std::copy(from.G_data.begin(), from.G_data.end(), to.G_data.begin());
  std::copy(from.h.begin(), from.h.end(), to.h.begin());
  std::copy(from.c.begin(), from.c.end(), to.c.begin());
  kept.column = std::move(fresh.column);
  kept.scale = std::move(fresh.scale);
  kept.cones = std::move(fresh.cones);
  kept.solved = false;
#ifdef STICTION_WITH_ECOS
  ECOS_updateData(to.workspace, to.G_data.data(), nullptr, to.c.data(), to.h.data(), nullptr);
#endif
}

ECOSAnswer solveECOSProblem(ECOSProblem& problem, double absTolerance, double relTolerance, int maxIterations) {
  ECOSAnswer answer;
  answer.lambda.setZero(problem.scale.size());
  if (problem.data.workspace == nullptr || problem.solved) problem.data.setup();
  problem.solved = true;
#ifdef STICTION_WITH_ECOS
  pwork* work = problem.data.workspace;
  work->stgs->verbose = 0;
  work->stgs->maxit = maxIterations;
  work->stgs->abstol = work->stgs->feastol = absTolerance;
  work->stgs->reltol = relTolerance;
  answer.exit_flag = static_cast<int>(ECOS_solve(work));
  for (std::size_t k = 0; k < problem.column.size(); ++k)
    if (problem.column[k] >= 0) answer.lambda[static_cast<Eigen::Index>(k)] = problem.scale[static_cast<Eigen::Index>(k)] * work->x[problem.column[k]];
  for (int i = 0; i < problem.cones.numContacts; ++i) {
    const int n = problem.cones.normalIndices[static_cast<std::size_t>(i)];
    answer.lambda.segment<3>(n) = projectCone(answer.lambda.segment<3>(n), problem.cones.frictionCoefficients[static_cast<std::size_t>(i)]);
  }
  answer.iterations = static_cast<int>(work->info->iter);
  answer.primal_residual = work->info->pres;
  answer.dual_residual = work->info->dres;
  answer.gap = work->info->gap;
#else
  static_cast<void>(absTolerance);
  static_cast<void>(relTolerance);
  static_cast<void>(maxIterations);
#endif
  return answer;
}

}  // namespace stiction
