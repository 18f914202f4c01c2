#include "problem/ContactProblem.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/Error.hpp"
#include "base/ThreadPool.hpp"

namespace stiction {
namespace {

void requireSize(const char* array, Eigen::Index found, Eigen::Index wanted) {
  if (found != wanted)
    throw InputError{array, "length " + std::to_string(found), "length " + std::to_string(wanted), "make the arrays of the problem agree in size"};
}

constexpr double kLargest = 1e100;  // squares stay finite, and their sums

[[noreturn]] void refuse(const char* array, std::size_t i, double value, const char* range) {
  throw InputError{std::string{array} + "[" + std::to_string(i) + "]", number(value), range, "correct the entry"};
}

void requireFinite(const char* array, const double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::abs(values[i]) <= kLargest)) refuse(array, i, values[i], "finite numbers, up to 1e100 either way");
}

void requireFinite(const char* array, const VectorX& x) { requireFinite(array, x.data(), static_cast<std::size_t>(x.size())); }

void requireAtLeastZero(const char* array, const VectorX& x) {
  requireFinite(array, x);
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (x[i] < 0) refuse(array, static_cast<std::size_t>(i), x[i], ">= 0");
}

// One segment's part of A x and of Aᵀ v, three columns side by side, rows in pairs; in the loops over a contact at a free body the size is known.
[[gnu::always_inline]] inline void addTimesThree(const double* a, const double* x, double* out, int size) {
  using Pair = Eigen::Array2d;
  const double *b = a + size, *c = b + size, x0 = x[0], x1 = x[1], x2 = x[2];
  int k = 0;
  for (; k + 2 <= size; k += 2)
    Eigen::Map<Pair>{out + k} += x0 * Eigen::Map<const Pair>{a + k} + x1 * Eigen::Map<const Pair>{b + k} + x2 * Eigen::Map<const Pair>{c + k};
  if (k < size) out[k] += a[k] * x0 + b[k] * x1 + c[k] * x2;
}

[[gnu::always_inline]] inline void addTransposedTimesThree(const double* a, const double* x, double* out, int size) {
  using Pair = Eigen::Array2d;
  for (int c = 0; c < 3; ++c, a += size) {
    Pair sum{0, 0};
    int k = 0;
    for (; k + 2 <= size; k += 2) sum += Eigen::Map<const Pair>{a + k} * Eigen::Map<const Pair>{x + k};
    out[c] += sum[0] + sum[1] + (k < size ? a[k] * x[k] : 0.0);
  }
}

// A row between two free bodies, as joints have: products in pairs, without a loop over what is one.
double multiplyRow(const BlockColumns& A, int i, const double* v) {
  using Pair = Eigen::Array2d;
  const auto k = static_cast<std::size_t>(i);
  Pair sum{0, 0};
  const BlockColumns::Segment *segment = A.segments.data() + A.start[k], *end = A.segments.data() + A.start[k + 1];
  for (; segment != end; ++segment) {
    const double *a = A.values.data() + segment->offset, *x = v + segment->row;
    const auto pair = [&](int row) -> Pair { return Eigen::Map<const Pair>{a + row} * Eigen::Map<const Pair>{x + row}; };
    if (segment->size == 6)
      sum += pair(0) + pair(2) + pair(4);
    else
      for (int row = 0; row < segment->size; ++row) sum[0] += a[row] * x[row];
  }
  return sum[0] + sum[1];
}

void addRowTimes(const BlockColumns& A, int i, double x, double* y) {
  using Pair = Eigen::Array2d;
  for (int s = A.start[static_cast<std::size_t>(i)]; s < A.start[static_cast<std::size_t>(i) + 1]; ++s) {
    const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
    const double* a = A.values.data() + segment.offset;
    double* out = y + segment.row;
    const auto add = [&](int k) { Eigen::Map<Pair>{out + k} += x * Eigen::Map<const Pair>{a + k}; };
    if (segment.size == 6)
      add(0), add(2), add(4);
    else
      for (int k = 0; k < segment.size; ++k) out[k] += a[k] * x;
  }
}

/// z = A_iᵀ v of a group.
void multiplyTransposed(const BlockColumns& A, int i, const double* v, double* z) {
  std::fill_n(z, A.width, 0.0);
  for (int s = A.start[static_cast<std::size_t>(i)]; s < A.start[static_cast<std::size_t>(i) + 1]; ++s) {
    const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
    const double* a = A.values.data() + segment.offset;
    const double* x = v + segment.row;
    if (segment.size == 6)
      addTransposedTimesThree(a, x, z, 6);
    else
      addTransposedTimesThree(a, x, z, segment.size);
  }
}

}  // namespace

void BlockMass::clear() {
  start.assign(1, 0);
  offset.clear();
  couplings.clear();
  values.clear();
}

int BlockMass::addBlock(const double* block, int n) {
  offset.push_back(static_cast<int>(values.size()));
  values.insert(values.end(), block, block + n * n);
  start.push_back(start.back() + n);
  return blocks() - 1;
}

void BlockMass::addCoupling(int row, int column, const double* block) {
  couplings.push_back({row, column, static_cast<int>(values.size())});
  values.insert(values.end(), block, block + size(row) * size(column));
}

void BlockColumns::clear() {
  start.assign(1, 0);
  segments.clear();
  values.clear();
}

void BlockColumns::addSegment(int block, int row, int size, const double* columnMajor) {
  segments.push_back({block, row, size, static_cast<int>(values.size())});
  values.insert(values.end(), columnMajor, columnMajor + size * width);
}

void multiplyAdd(const BlockColumns& A, const VectorX& x, VectorX& y) {
  for (int i = 0; i < A.groups(); ++i) {
    const double* xi = x.data() + i * A.width;
    if (std::all_of(xi, xi + A.width, [](double value) { return value == 0; })) continue;  // open contacts
    if (A.width == 1) {
      addRowTimes(A, i, *xi, y.data());
      continue;
    }
    for (int s = A.start[static_cast<std::size_t>(i)]; s < A.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
      const double* a = A.values.data() + segment.offset;
      double* out = y.data() + segment.row;
      if (segment.size == 6)
        addTimesThree(a, xi, out, 6);
      else
        addTimesThree(a, xi, out, segment.size);
    }
  }
}

void multiplyTransposed(const BlockColumns& A, const VectorX& v, VectorX& z, ThreadPool* team) {
  constexpr int few = 1024;  // groups of a thread
  z.resize(A.columns());
  if (v.isZero(0.0)) {  // what rests
    z.setZero();
    return;
  }
  inRanges(team, A.groups(), few, [&](int, int first, int last) {
    if (A.width == 1)
      for (int i = first; i < last; ++i) z[i] = multiplyRow(A, i, v.data());
    else
      for (int i = first; i < last; ++i) multiplyTransposed(A, i, v.data(), z.data() + i * A.width);
  });
}

void validate(const ContactProblem& problem) {
  const Eigen::Index n = problem.contacts(), rows = problem.rows(), dof = problem.dof();
  requireSize("f", problem.f.size(), dof);
  requireSize("w", problem.w.size(), 3 * n);
  requireSize("wScale", problem.wScale.size(), 3 * n);
  requireSize("mu", problem.mu.size(), n);
  requireSize("b", problem.b.size(), rows);
  if (problem.R.size() != 0) requireSize("R", problem.R.size(), 3 * n);
  if (problem.C.size() != 0) requireSize("C", problem.C.size(), rows);
  requireFinite("M", problem.M.values.data(), problem.M.values.size());
  requireFinite("H", problem.H.values.data(), problem.H.values.size());
  requireFinite("G", problem.G.values.data(), problem.G.values.size());
  requireFinite("f", problem.f);
  requireFinite("w", problem.w);
  requireFinite("wScale", problem.wScale);
  requireFinite("b", problem.b);
  requireAtLeastZero("mu", problem.mu);
  requireAtLeastZero("R", problem.R);
  requireAtLeastZero("C", problem.C);
  for (int k = 0; k < problem.M.blocks(); ++k) {
    const int size = problem.M.size(k);
    const Eigen::Map<const MatrixX> block{problem.M.values.data() + problem.M.offset[static_cast<std::size_t>(k)], size, size};
    if (Eigen::LLT<MatrixX>{block}.info() != Eigen::Success)
      throw InputError{"M, diagonal block " + std::to_string(k), "not positive definite", "symmetric positive definite",
                       "give every body a positive mass and inertia"};
  }
}

void validate(const LocalContactProblem& problem) {
  const Eigen::Index n = problem.contacts();
  requireSize("q", problem.q.size(), 3 * n);
  requireSize("W row pointers", static_cast<Eigen::Index>(problem.start.size()), n + 1);
  requireFinite("q", problem.q);
  requireAtLeastZero("mu", problem.mu);
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) requireFinite("W", problem.blocks[k].data(), 9);
  for (const int j : problem.column)
    if (j < 0 || j >= n) throw InputError{"W block column", std::to_string(j), "0 … " + std::to_string(n - 1), "correct the index"};
}

}  // namespace stiction
