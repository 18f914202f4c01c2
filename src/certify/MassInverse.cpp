#include "certify/MassInverse.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ThreadPool.hpp"

namespace stiction::certification {
namespace {

/// Lower Cholesky factor of the n × n matrix `a` in place, with the inverses of its diagonal on the diagonal (column major, the upper triangle is left as it is).
/// False where a pivot is not positive.
bool cholesky(double* a, int n) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      const double factor = a[k * n + j];
      for (int i = j; i < n; ++i) a[j * n + i] -= factor * a[k * n + i];
    }
    const double pivot = a[j * n + j];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) a[j * n + i] *= inverse;
    a[j * n + j] = inverse;
  }
  return true;
}

[[gnu::always_inline]] inline void forwardSubstitute(const double* factor, int n, double* x) {
  for (int j = 0; j < n; ++j) {
    x[j] *= factor[j * n + j];
    for (int i = j + 1; i < n; ++i) x[i] -= factor[j * n + i] * x[j];
  }
}

void backSubstitute(const double* factor, int n, double* x) {
  for (int j = n - 1; j >= 0; --j) {
    for (int i = j + 1; i < n; ++i) x[j] -= factor[j * n + i] * x[i];
    x[j] *= factor[j * n + j];
  }
}

/// True where the leading 3 × 3 of `block` is a multiple of the identity and nothing couples it to the rest.
bool leadsWithScalar(const Eigen::Ref<const MatrixX>& block) {
  if (block.rows() < 3 || block(0, 0) != block(1, 1) || block(0, 0) != block(2, 2)) return false;
  for (Eigen::Index column = 0; column < 3; ++column)
    for (Eigen::Index row = 0; row < block.rows(); ++row)
      if (row != column && (block(row, column) != 0 || block(column, row) != 0)) return false;
  return true;
}

/// visit(row, column, value) of the lower triangle, always in the same order.
template <class Visit>
void eachEntry(const BlockMass& M, const Visit& visit) {
  for (int k = 0; k < M.blocks(); ++k) {
    const int n = M.size(k), first = M.start[static_cast<std::size_t>(k)];
    const double* values = M.values.data() + M.offset[static_cast<std::size_t>(k)];
    for (int column = 0; column < n; ++column)
      for (int row = column; row < n; ++row) visit(first + row, first + column, values[column * n + row]);
  }
  for (const BlockMass::Coupling& coupling : M.couplings) {
    const int rows = M.size(coupling.row), columns = M.size(coupling.column);
    const int firstRow = M.start[static_cast<std::size_t>(coupling.row)], firstColumn = M.start[static_cast<std::size_t>(coupling.column)];
    const double* values = M.values.data() + coupling.offset;
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row) visit(firstRow + row, firstColumn + column, values[column * rows + row]);
  }
}

/// Whether only the first column of the group is not zero: contacts that stand for ends of ranges.
bool hasFirstAlone(const BlockColumns& A, int group) {
  for (int s = A.start[static_cast<std::size_t>(group)]; s < A.start[static_cast<std::size_t>(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
    const double* others = A.values.data() + segment.offset + segment.size;
    if (std::any_of(others, others + (A.width - 1) * segment.size, [](double value) { return value != 0; })) return false;
  }
  return true;
}

}  // namespace

void MassInverse::factor(const BlockMass& M) {
  kept_ = isFactored_ && M == whole_;
  if (kept_) return;
  const bool isAlike = isFactored_ && M.start == whole_.start && M.couplings == whole_.couplings;
  isFactored_ = false;
  whole_ = M;
  usable_ = true;
  if (coupled())
    factorWhole(isAlike);
  else
    factorBlocks();
  usable_ = usable_ && Eigen::Map<const VectorX>{M.values.data(), static_cast<Eigen::Index>(M.values.size())}.allFinite();
  isFactored_ = true;
}

void MassInverse::addScalar(int row, int size, double mass) {
  usable_ = usable_ && mass > 0 && std::isfinite(mass);
  pieces_.push_back({row, size, -1, 1 / mass});
}

void MassInverse::addDense(int row, const Eigen::Ref<const MatrixX>& block) {
  const int n = static_cast<int>(block.rows());
  const std::size_t offset = factors_.size();
  pieces_.push_back({row, n, static_cast<int>(offset), 0});
  factors_.resize(offset + static_cast<std::size_t>(n * n));
  Eigen::Map<MatrixX>{factors_.data() + offset, n, n} = block;
  usable_ = cholesky(factors_.data() + offset, n) && usable_;
}

void MassInverse::factorBlocks() {
  const BlockMass& M = whole_;
  pieces_.clear();
  factors_.clear();
  blockRow_.assign(M.start.begin(), M.start.end());
  pieceStart_.assign(1, 0);
  largest_ = 0;
  for (int k = 0; k < M.blocks(); ++k) {
    const int n = M.size(k), row = M.start[static_cast<std::size_t>(k)];
    const Eigen::Map<const MatrixX> block{M.values.data() + M.offset[static_cast<std::size_t>(k)], n, n};
    const int scalar = leadsWithScalar(block) ? 3 : 0;
    if (scalar > 0) addScalar(row, scalar, block(0, 0));
    if (n > scalar) addDense(row + scalar, block.bottomRightCorner(n - scalar, n - scalar));
    pieceStart_.push_back(static_cast<int>(pieces_.size()));
    largest_ = std::max(largest_, n);
  }
  columns_.resize(static_cast<std::size_t>(kMostRanges * largest_));
}

/// `isAlike`: with the pattern of the last one.
void MassInverse::factorWhole(bool isAlike) {
  if (!isAlike) analyse();
  entries_.clear();
  eachEntry(whole_, [&](int, int, double value) { entries_.push_back(value); });
  usable_ = factor_.factor(entries_);
}

/// The pattern of the whole mass matrix, and its ordering.
void MassInverse::analyse() {
  std::vector<std::pair<int, int>> pattern;
  eachEntry(whole_, [&](int row, int column, double) { pattern.emplace_back(row, column); });
  factor_.analyse(whole_.size(), pattern);
  marked_.assign(static_cast<std::size_t>(whole_.size()), 0);
}

void MassInverse::solve(VectorX& x, ThreadPool* team) {
  constexpr int few = 512;  // pieces of a thread
  if (coupled()) {
    factor_.solve(x);
    return;
  }
  inRanges(team, static_cast<int>(pieces_.size()), few, [&](int, int first, int last) {
    for (int p = first; p < last; ++p) {
      const Piece& piece = pieces_[static_cast<std::size_t>(p)];
      double* part = x.data() + piece.row;
      if (piece.offset < 0) {
        for (int i = 0; i < piece.size; ++i) part[i] *= piece.inverse;
      } else {
        forwardSubstitute(factors_.data() + piece.offset, piece.size, part);
        backSubstitute(factors_.data() + piece.offset, piece.size, part);
      }
    }
  });
}

double MassInverse::trace(const BlockColumns& A, int group, int range) {
  if (!coupled()) return blockTrace(A, group, columns_.data() + range * largest_);
  return A.width == 3 && !hasFirstAlone(A, group) ? wholeTrace<3>(A, group) : wholeTrace<1>(A, group);
}

/// xᵀM⁻¹x of a whole column x of a block; x is lost.
double MassInverse::energy(int block, double* x) const {
  const int first = blockRow_[static_cast<std::size_t>(block)];
  double sum = 0;
  for (int p = pieceStart_[static_cast<std::size_t>(block)]; p < pieceStart_[static_cast<std::size_t>(block) + 1]; ++p) {
    const Piece& piece = pieces_[static_cast<std::size_t>(p)];
    const auto squares = [&, part = x + (piece.row - first)](int n) {
      if (piece.offset >= 0) forwardSubstitute(factors_.data() + piece.offset, n, part);
      double total = 0;
      for (int i = 0; i < n; ++i) total += part[i] * part[i];
      return piece.offset < 0 ? total * piece.inverse : total;
    };
    sum += piece.size == 3 ? squares(3) : squares(piece.size);
  }
  return sum;
}

/// Whether a block is m·1 and a 3 × 3 of inertia.
bool MassInverse::isFreeBody(int block) const {
  const auto k = static_cast<std::size_t>(block);
  return blockRow_[k + 1] - blockRow_[k] == 6 && pieces_[static_cast<std::size_t>(pieceStart_[k])].offset < 0;
}

/// trace(XᵀM⁻¹X) of three whole columns of a free body.
double MassInverse::bodyTrace(int block, const double* x) const {
  const Piece* pieces = pieces_.data() + pieceStart_[static_cast<std::size_t>(block)];
  const double* L = factors_.data() + pieces[1].offset;
  double linear = 0, turning = 0;
  for (int c = 0; c < 3; ++c, x += 6) {
    const double p = x[3] * L[0], q = (x[4] - L[1] * p) * L[4], r = (x[5] - L[2] * p - L[5] * q) * L[8];
    linear += x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    turning += p * p + q * q + r * r;
  }
  return linear * pieces[0].inverse + turning;
}

double MassInverse::blockTrace(const BlockColumns& A, int group, double* column) const {
  const int begin = A.start[static_cast<std::size_t>(group)], end = A.start[static_cast<std::size_t>(group) + 1];
  const auto segment = [&A](int s) -> const BlockColumns::Segment& { return A.segments[static_cast<std::size_t>(s)]; };
  double sum = 0;
  for (int s = begin; s < end; ++s) {
    const int block = segment(s).block, first = blockRow_[static_cast<std::size_t>(block)], size = blockRow_[static_cast<std::size_t>(block) + 1] - first;
    bool counted = false, alone = segment(s).size == size;
    for (int earlier = begin; earlier < s; ++earlier) counted = counted || segment(earlier).block == block;
    for (int later = s + 1; later < end; ++later) alone = alone && segment(later).block != block;
    if (counted) continue;
    if (alone && A.width == 3 && isFreeBody(block)) {
      sum += bodyTrace(block, A.values.data() + segment(s).offset);
      continue;
    }
    for (int c = 0; c < A.width; ++c) {
      std::fill_n(column, size, 0.0);
      for (int other = s; other < end; ++other) {
        if (segment(other).block != block) continue;
        const double* values = A.values.data() + segment(other).offset + c * segment(other).size;
        for (int i = 0; i < segment(other).size; ++i) column[segment(other).row - first + i] += values[i];
      }
      sum += energy(block, column);
    }
  }
  return sum;
}

template <int Width>
double MassInverse::wholeTrace(const BlockColumns& A, int group) {
  using Columns = Eigen::Matrix<double, Width, 1>;
  work_.resize(static_cast<std::size_t>(3 * factor_.size()));
  const auto row = [this](int j) { return Eigen::Map<Columns>{work_.data() + 3 * j}; };
  reach_.clear();
  for (int s = A.start[static_cast<std::size_t>(group)]; s < A.start[static_cast<std::size_t>(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
    for (int i = 0; i < segment.size; ++i) {
      const int at = factor_.placeOf(segment.row + i);
      for (int c = 0; c < Width; ++c) row(at)[c] += A.values[static_cast<std::size_t>(segment.offset + c * segment.size + i)];
      for (int j = at; j >= 0 && !marked_[static_cast<std::size_t>(j)]; j = factor_.parentOf(j)) {
        marked_[static_cast<std::size_t>(j)] = 1;
        reach_.push_back(j);
      }
    }
  }
  std::sort(reach_.begin(), reach_.end());
  double sum = 0;
  for (const int j : reach_) {
    const Columns half = row(j);
    factor_.eachBelow(j, [&](int below, double value) { row(below) -= value * half; });
    sum += half.squaredNorm() / factor_.pivotOf(j);
    row(j).setZero();
    marked_[static_cast<std::size_t>(j)] = 0;
  }
  return sum;
}

}  // namespace stiction::certification
