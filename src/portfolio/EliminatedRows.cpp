#include "portfolio/EliminatedRows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

constexpr int kHolds = 3;            // rows between two blocks: fewer are no joint
constexpr int kLargest = 6;          // velocities of a block of M at most
constexpr double kFullRank = 1e-6;   // [-] least diagonal entry of R, of the largest
constexpr int kPiece = 16;           // velocities of a block of M' at most
constexpr double kDense = 4;         // [-] entries of M', of those of M: beyond that nothing is gained
constexpr double kIdle = 1e-8;       // [-] of a row's largest entry: what moves it less does not move it
constexpr double kRoundOff = 1e-11;  // [-] of a row's largest entry: less is none

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isRigid(const ContactProblem& problem, int row) { return problem.C.size() == 0 || problem.C[row] == 0; }

/// The block's part of a vector, zero beyond its size.
Vector6 partOf(const VectorX& x, int row, int size) {
  if (size == 6) return x.segment<6>(row);
  Vector6 part = Vector6::Zero();
  part.head(size) = x.segment(row, size);
  return part;
}

/// The segment of a row, likewise.
Vector6 columnOf(const BlockColumns& rows, int segment) {
  const BlockColumns::Segment& place = rows.segments[at(segment)];
  Vector6 column = Vector6::Zero();
  std::copy_n(rows.values.data() + place.offset, place.size, column.data());
  return column;
}

/// The first `count` columns as Q R, by reflections; R in their place. Zero columns follow.
Matrix6 factorColumns(Matrix6& columns, int count) {
  Matrix6 Q = Matrix6::Identity();
  for (int k = 0; k < count; ++k) {
    Vector6 reflector = columns.col(k);
    reflector.head(k).setZero();
    reflector[k] += std::copysign(reflector.norm(), reflector[k]);
    const double square = reflector.squaredNorm();
    if (!(square > 0)) continue;
    const Vector6 scaled = (2.0 / square) * reflector;
    columns -= scaled * (reflector.transpose() * columns).eval();
    Q -= (Q * reflector).eval() * scaled.transpose();
  }
  return Q;
}

/// X R⁻¹, of the first `count` columns.
template <class Matrix>
Matrix divided(const Matrix& X, const Matrix6& R, int count) {
  Matrix quotient = Matrix::Zero();
  for (int i = 0; i < count; ++i) {
    auto column = quotient.col(i);
    column = X.col(i);
    for (int j = 0; j < i; ++j) column -= R(j, i) * quotient.col(j);
    column /= R(i, i);
  }
  return quotient;
}

}  // namespace

bool EliminatedRows::eliminate(const ContactProblem& problem, double scale) {
  if (problem.rows() < kHolds || !problem.M.couplings.empty()) return false;
  problem_ = &problem;
  if (!isKnown(problem)) {
    if (!findLinks()) return false;
    known_.M = problem.M, known_.H = problem.H, known_.G = problem.G, known_.C = problem.C;
    eliminates_ = findMatrices();
  }
  if (eliminates_) findTargets(scale);
  return eliminates_;
}

bool EliminatedRows::isKnown(const ContactProblem& problem) const {
  return known_.C.size() == problem.C.size() && known_.C == problem.C && known_.M == problem.M && known_.G == problem.G && known_.H == problem.H;
}

/// All that follows from M, H, G and C. Returns whether there is something to eliminate.
bool EliminatedRows::findMatrices() {
  listRows();
  growTrees();
  const bool hold = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.rows > 0; });
  const bool move = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.free > 0; });
  if (!hold || !move || !isWorthwhile()) return false;
  cutPieces();
  buildMass();
  buildContacts();
  buildRows();
  return true;
}

/// False where nothing is held together, or blocks are larger than what a node holds.
bool EliminatedRows::findLinks() {
  const BlockColumns& G = problem_->G;
  links_.clear();
  bool hold = false;
  for (int row = 0; row < problem_->rows(); ++row) {
    const int first = G.start[at(row)], count = G.start[at(row) + 1] - first;
    if (!isRigid(*problem_, row) || count < 1 || count > 2) continue;
    const int a = G.segments[at(first)].block, b = count == 2 ? G.segments[at(first) + 1].block : -1;
    if (!links_.empty() && links_.back().first + links_.back().count == row && links_.back().blocks[0] == a && links_.back().blocks[1] == b)
      ++links_.back().count;
    else
      links_.push_back({row, 1, {a, b}});
    hold = hold || links_.back().count >= kHolds;
  }
  for (int k = 0; hold && k < problem_->M.blocks(); ++k) hold = problem_->M.size(k) <= kLargest;
  return hold;
}

/// Links, and rows with compliance, by the blocks that they are of.
void EliminatedRows::listRows() {
  const BlockColumns& G = problem_->G;
  linksOf_.resize(at(problem_->M.blocks()));
  softOf_.resize(linksOf_.size());
  for (std::vector<std::vector<int>>* lists : {&linksOf_, &softOf_})
    for (std::vector<int>& list : *lists) list.clear();
  for (int row = 0; row < problem_->rows(); ++row)
    for (int s = G.start[at(row)]; !isRigid(*problem_, row) && s < G.start[at(row) + 1]; ++s) softOf_[at(G.segments[at(s)].block)].push_back(row);
  for (std::size_t k = 0; k < links_.size(); ++k)
    for (const int block : links_[k].blocks)
      if (block >= 0 && links_[k].count >= kHolds) linksOf_[at(block)].push_back(static_cast<int>(k));
}

/// What hangs on what is fixed, then what hangs on that, and so on; then trees that hang on nothing.
void EliminatedRows::growTrees() {
  nodes_.clear();
  nodeOf_.assign(at(problem_->M.blocks()), -1);
  std::size_t grown = 0;
  const auto grow = [&] {
    for (; grown < nodes_.size(); ++grown) {
      const int block = nodes_[grown].block;
      for (const int k : linksOf_[at(block)]) {
        const Link& link = links_[at(k)];
        const int other = link.blocks[0] == block ? link.blocks[1] : link.blocks[0];
        if (other >= 0 && nodeOf_[at(other)] < 0) addNode(other, static_cast<int>(grown), &link);
      }
    }
  };
  for (const Link& link : links_)
    if (link.blocks[1] < 0 && link.count >= kHolds && nodeOf_[at(link.blocks[0])] < 0) addNode(link.blocks[0], -1, &link);
  grow();
  for (int block = 0; block < problem_->M.blocks(); ++block) {
    if (nodeOf_[at(block)] >= 0) continue;
    addNode(block, -1, nullptr);
    grow();
  }
}

/// Without a link it hangs on nothing. Where the rows do not hold the block by independent directions there is no node: it may still be found by another way.
void EliminatedRows::addNode(int block, int parent, const Link* link) {
  Node& node = nodes_.emplace_back();
  node.block = block;
  node.row = problem_->M.start[at(block)];
  node.size = node.free = problem_->M.size(block);
  node.parent = parent;
  if (link == nullptr) {
    node.Q.setIdentity();
  } else if (!hang(node, *link)) {
    nodes_.pop_back();
    return;
  } else if (parent >= 0) {
    ++nodes_[at(parent)].children;
  }
  nodeOf_[at(block)] = static_cast<int>(nodes_.size()) - 1;
}

Matrix6 EliminatedRows::columnsOf(const Link& link, int block) const {
  Matrix6 columns = Matrix6::Zero();
  const BlockColumns& G = problem_->G;
  for (int k = 0; k < link.count; ++k)
    for (int s = G.start[at(link.first + k)]; s < G.start[at(link.first + k) + 1]; ++s)
      if (G.segments[at(s)].block == block) columns.col(k) = columnOf(G, s);
  return columns;
}

bool EliminatedRows::hang(Node& node, const Link& link) const {
  if (link.count > node.size) return false;
  node.R = columnsOf(link, node.block);
  node.Q = factorColumns(node.R, link.count);
  const auto diagonal = node.R.diagonal().head(link.count).cwiseAbs();
  if (!(diagonal.minCoeff() > kFullRank * diagonal.maxCoeff())) return false;
  node.first = link.first;
  node.rows = link.count;
  node.free = node.size - node.rows;
  if (node.parent < 0) return true;
  node.across = columnsOf(link, nodes_[at(node.parent)].block);
  node.A.noalias() = -node.Q * divided(node.across, node.R, node.rows).transpose();
  turnWithJoint(node);
  return true;
}

/// Adds Q₂ K to A. Rows with compliance, their rates by own Q₂ made orthonormal, and with these what they have by the parent's velocities.
void EliminatedRows::turnWithJoint(Node& node) const {
  const BlockColumns& G = problem_->G;
  const Node& parent = nodes_[at(node.parent)];
  Matrix6 rates = Matrix6::Zero(), others = Matrix6::Zero();  // one row a column
  int found = 0;
  for (const int row : softOf_[at(node.block)]) {
    const int first = G.start[at(row)];
    if (found == node.free) break;
    if (G.start[at(row) + 1] - first != 2) continue;
    const int mine = G.segments[at(first)].block == node.block ? first : first + 1, its = 2 * first + 1 - mine;
    if (G.segments[at(its)].block != parent.block) continue;
    const Vector6 own = columnOf(G, mine);
    Vector6 other = columnOf(G, its), rate = Vector6::Zero();
    other.noalias() += node.A.transpose() * own;
    rate.head(node.free) = node.moves().transpose() * own;
    const double size = rate.norm();
    for (int k = 0; k < found; ++k) {
      const double share = rate.dot(rates.col(k));
      rate -= share * rates.col(k);
      other -= share * others.col(k);
    }
    const double left = rate.norm();
    if (!(left > kFullRank * size)) continue;  // as one before it
    rates.col(found) = rate / left;
    others.col(found++) = other / left;
  }
  if (found == node.free) node.A -= node.moves() * (rates * others.transpose()).topRows(node.free);
}

bool EliminatedRows::isWorthwhile() {
  double entries = 0, before = 0;
  std::vector<int>& path = above_;
  path.resize(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    path[k] = node.free + (node.parent < 0 ? 0 : path[at(node.parent)]);
    entries += static_cast<double>(node.free) * path[k];
    before += node.size * node.size;
  }
  return entries <= kDense * before;
}

/// Blocks of M': branches, cut where they are long.
void EliminatedRows::cutPieces() {
  BlockMass& M = rest_.M;
  M.clear();
  sizes_.clear();
  ancestorOf_.clear();
  for (Node& node : nodes_) {
    const int above = node.parent < 0 ? -1 : nodes_[at(node.parent)].piece;
    const bool goesOn = above >= 0 && nodes_[at(node.parent)].children == 1 && sizes_[at(above)] + node.free <= kPiece;
    if (goesOn || node.free == 0) {
      node.piece = above;
    } else {
      node.piece = static_cast<int>(sizes_.size());
      sizes_.push_back(0);
      ancestorOf_.push_back(above);
    }
    if (node.free > 0) sizes_[at(node.piece)] += node.free;
  }
  constexpr std::array<double, kPiece * kPiece> zeros{};
  for (const int size : sizes_) M.addBlock(zeros.data(), size);
  for (int piece = 0; piece < M.blocks(); ++piece) {
    above_.clear();
    for (int k = ancestorOf_[at(piece)]; k >= 0; k = ancestorOf_[at(k)]) above_.push_back(k);
    std::for_each(above_.rbegin(), above_.rend(), [&](int k) { M.addCoupling(piece, k, zeros.data()); });
  }
  used_.assign(sizes_.size(), 0);
  for (Node& node : nodes_) {
    if (node.free == 0) continue;
    node.start = M.start[at(node.piece)] + used_[at(node.piece)];
    used_[at(node.piece)] += node.free;
  }
}

Matrix6 EliminatedRows::massOf(const Node& node) const {
  const double* values = problem_->M.values.data() + problem_->M.offset[at(node.block)];
  if (node.size == 6) return Eigen::Map<const Matrix6>{values};
  Matrix6 mass = Matrix6::Zero();
  mass.topLeftCorner(node.size, node.size) = Eigen::Map<const MatrixX>{values, node.size, node.size};
  return mass;
}

/// Where the values of M' have the block that couples the node's piece with one on its way to the root, or its own.
int EliminatedRows::placeOf(const Node& node, const Node& above) const {
  const BlockMass& M = rest_.M;
  if (above.piece == node.piece) return M.offset[at(node.piece)];
  const auto isBefore = [](const BlockMass::Coupling& c, const std::pair<int, int>& wanted) { return std::pair{c.row, c.column} < wanted; };
  return std::lower_bound(M.couplings.begin(), M.couplings.end(), std::pair{node.piece, above.piece}, isBefore)->offset;
}

void EliminatedRows::buildMass() {
  for (Node& node : nodes_) node.composite = massOf(node);
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (node.parent >= 0) nodes_[at(node.parent)].composite += node.A.transpose() * (node.composite * node.A).eval();
    for (int column = 0; column < node.free; ++column) fillMass(node, column);
  }
}

/// M' between one velocity of the node and all of its own and on its way to the root.
void EliminatedRows::fillMass(const Node& node, int column) {
  BlockMass& M = rest_.M;
  const int height = M.size(node.piece), row = node.start - M.start[at(node.piece)] + column;
  Vector6 F = node.composite * node.Q.col(node.rows + column);
  int piece = -1, place = 0;
  const auto fill = [&](const Node& above) {
    if (above.piece != piece) place = placeOf(node, above);
    piece = above.piece;
    for (int j = 0; j < above.free; ++j) {
      const int other = above.start - M.start[at(piece)] + j;
      const double entry = M.values[at(place + other * height + row)] = above.Q.col(above.rows + j).dot(F);
      if (piece == node.piece) M.values[at(place + row * height + other)] = entry;
    }
  };
  fill(node);
  for (const Node* below = &node; below->parent >= 0;) {
    F = (below->A.transpose() * F).eval();
    below = &nodes_[at(below->parent)];
    if (below->free > 0) fill(*below);
  }
}

/// reduced_ = Sᵀ of the group's columns, at the nodes in touched_.
template <int Width>
void EliminatedRows::reduce(const BlockColumns& columns, int group) {
  for (const int k : touched_) reduced_.middleRows(nodes_[at(k)].start, nodes_[at(k)].free).setZero();
  touched_.clear();
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = columns.segments[at(s)];
    Eigen::Matrix<double, 6, Width> X = Eigen::Matrix<double, 6, Width>::Zero();
    X.topRows(segment.size) = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Width>>{columns.values.data() + segment.offset, segment.size, Width};
    for (int k = nodeOf_[at(segment.block)]; k >= 0; k = nodes_[at(k)].parent) {
      const Node& node = nodes_[at(k)];
      for (int j = 0; j < node.free; ++j) reduced_.row(node.start + j).head<Width>() += node.Q.col(node.rows + j).transpose() * X;
      if (node.free > 0) touched_.push_back(k);
      if (node.parent >= 0) X = (node.A.transpose() * X).eval();
    }
  }
}

/// reduced_ as a group of segments, each a whole block of M'.
void EliminatedRows::append(BlockColumns& columns) {
  above_.clear();
  for (const int k : touched_) above_.push_back(nodes_[at(k)].piece);
  std::sort(above_.begin(), above_.end());
  above_.erase(std::unique(above_.begin(), above_.end()), above_.end());
  for (const int piece : above_) {
    const int first = rest_.M.start[at(piece)], size = rest_.M.size(piece);
    columns.segments.push_back({piece, first, size, static_cast<int>(columns.values.size())});
    for (int c = 0; c < columns.width; ++c) {
      const double* values = reduced_.col(c).data() + first;
      columns.values.insert(columns.values.end(), values, values + size);
    }
  }
  columns.endGroup();
}

void EliminatedRows::buildContacts() {
  rest_.H.clear();
  reduced_.setZero(rest_.M.size(), 3);
  touched_.clear();
  for (int i = 0; i < problem_->contacts(); ++i) {
    reduce<3>(problem_->H, i);
    append(rest_.H);
  }
}

/// A row with compliance whose rate is of the velocities of one node alone, but for round-off, goes into M'.
bool EliminatedRows::soften(int row) {
  const BlockColumns& G = problem_->G;
  const int first = G.start[at(row)], count = G.start[at(row) + 1] - first;
  if (count < 1 || count > 2) return false;
  const auto nodeAt = [&](int s) { return nodeOf_[at(G.segments[at(s)].block)]; };
  const int mine = count == 1 || nodes_[at(nodeAt(first))].parent == nodeAt(first + 1) ? first : first + 1, its = 2 * first + 1 - mine;
  SoftRow soft{row, nodeAt(mine), Vector6::Zero()};
  const Node& node = nodes_[at(soft.node)];
  if (node.free == 0 || node.parent != (count == 1 ? -1 : nodeAt(its))) return false;
  const Vector6 own = columnOf(G, mine);
  if (count == 2) {
    const Vector6 other = columnOf(G, its), beyond = other + node.A.transpose() * own;
    if (!(beyond.cwiseAbs().maxCoeff() <= kRoundOff * std::max(own.cwiseAbs().maxCoeff(), other.cwiseAbs().maxCoeff()))) return false;
  }
  soft.rate.head(node.free) = node.moves().transpose() * own;
  const int place = placeOf(node, node), height = rest_.M.size(node.piece), begin = node.start - rest_.M.start[at(node.piece)];
  for (int i = 0; i < node.free; ++i)
    for (int j = 0; j < node.free; ++j) rest_.M.values[at(place + (begin + j) * height + begin + i)] += soft.rate[i] * soft.rate[j] / problem_->C[row];
  soft_.push_back(soft);
  return true;
}

/// Whether no velocity that is left moves the row, but for round-off: loops of joints have such rows. It takes no part, and is judged with the others.
bool EliminatedRows::followsFromOthers(int row) const {
  const BlockColumns& G = problem_->G;
  double own = 0, left = 0;
  for (int s = G.start[at(row)]; s < G.start[at(row) + 1]; ++s) own = std::max(own, columnOf(G, s).cwiseAbs().maxCoeff());
  for (const int k : touched_) left = std::max(left, reduced_.col(0).segment(nodes_[at(k)].start, nodes_[at(k)].free).cwiseAbs().maxCoeff());
  return left <= kIdle * own;
}

void EliminatedRows::buildRows() {
  isGone_.assign(at(problem_->rows()), 0);
  for (const Node& node : nodes_) std::fill_n(isGone_.begin() + node.first, node.rows, char{1});
  left_.clear();
  soft_.clear();
  rest_.G.clear();
  reduced_.setZero(rest_.M.size(), 3);
  touched_.clear();
  for (int row = 0; row < problem_->rows(); ++row) {
    if (isGone_[at(row)] != 0 || (!isRigid(*problem_, row) && soften(row))) continue;
    reduce<1>(problem_->G, row);
    if (isRigid(*problem_, row) && followsFromOthers(row)) continue;
    append(rest_.G);
    left_.push_back(row);
  }
  rest_.C.resize(static_cast<Eigen::Index>(left_.size()));
  for (std::size_t k = 0; k < left_.size(); ++k) rest_.C[static_cast<Eigen::Index>(k)] = isRigid(*problem_, left_[k]) ? 0.0 : problem_->C[left_[k]];
}

/// f', w' and b', and all else that M, H, G and C do not say.
void EliminatedRows::findTargets(double scale) {
  const ContactProblem& problem = *problem_;
  rest_.mu = problem.mu;
  rest_.R = problem.R;
  rest_.axisBounds = problem.axisBounds;
  rest_.scaleFloor = scale;
  s_.resize(problem.dof());
  for (Node& node : nodes_) {
    node.d.setZero();
    if (node.rows > 0) {
      Eigen::Matrix<double, 1, 6> b = Eigen::Matrix<double, 1, 6>::Zero();
      b.head(node.rows) = problem.b.segment(node.first, node.rows).transpose();
      node.d.noalias() = -node.Q * divided(b, node.R, node.rows).transpose();
    }
    node.s = node.d;
    if (node.parent >= 0) node.s.noalias() += node.A * nodes_[at(node.parent)].s;
    s_.segment(node.row, node.size) = node.s.head(node.size);
  }
  impulse_ = problem.f;
  rest_.f.setZero(rest_.M.size());
  for (const Node& node : nodes_) impulse_.segment(node.row, node.size) -= (massOf(node) * node.s).head(node.size);
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    const Vector6 own = partOf(impulse_, node.row, node.size);
    for (int j = 0; j < node.free; ++j) rest_.f[node.start + j] = node.Q.col(node.rows + j).dot(own);
    if (node.parent < 0) continue;
    const Node& parent = nodes_[at(node.parent)];
    impulse_.segment(parent.row, parent.size) += (node.A.transpose() * own).head(parent.size);
  }
  multiplyTransposed(problem.H, s_, shift_);
  rest_.w = problem.w + shift_;
  rest_.wScale = problem.wScale + shift_;
  multiplyTransposed(problem.G, s_, rates_);
  for (const SoftRow& soft : soft_) {
    const Node& node = nodes_[at(soft.node)];
    rest_.f.segment(node.start, node.free) -= soft.rate.head(node.free) * ((problem.b[soft.row] + rates_[soft.row]) / problem.C[soft.row]);
  }
  rest_.b.resize(static_cast<Eigen::Index>(left_.size()));
  for (std::size_t k = 0; k < left_.size(); ++k) rest_.b[static_cast<Eigen::Index>(k)] = problem.b[left_[k]] + rates_[left_[k]];
}

void EliminatedRows::enter(const Iterate& whole, Iterate& rest) const {
  rest.v.setZero(rest_.dof());
  if (whole.v.size() == problem_->dof())
    for (const Node& node : nodes_) {
      Vector6 own = partOf(whole.v, node.row, node.size);
      if (node.parent >= 0) own -= node.A * partOf(whole.v, nodes_[at(node.parent)].row, nodes_[at(node.parent)].size);
      for (int j = 0; j < node.free; ++j) rest.v[node.start + j] = node.Q.col(node.rows + j).dot(own);
    }
  rest.r = whole.r;
  rest.lambda.setZero(rest_.rows());
  if (whole.lambda.size() == problem_->rows())
    for (std::size_t k = 0; k < left_.size(); ++k) rest.lambda[static_cast<Eigen::Index>(k)] = whole.lambda[left_[k]];
}

void EliminatedRows::leave(const Iterate& rest, Iterate& whole) {
  const ContactProblem& problem = *problem_;
  whole.r = rest.r;
  whole.v.resize(problem.dof());
  for (const Node& node : nodes_) {
    Vector6 v = node.d;
    for (int j = 0; j < node.free; ++j) v += node.Q.col(node.rows + j) * rest.v[node.start + j];
    if (node.parent >= 0) v.noalias() += node.A * partOf(whole.v, nodes_[at(node.parent)].row, nodes_[at(node.parent)].size);
    whole.v.segment(node.row, node.size) = v.head(node.size);
  }
  whole.lambda.setZero(problem.rows());
  for (std::size_t k = 0; k < left_.size(); ++k) whole.lambda[left_[k]] = rest.lambda[static_cast<Eigen::Index>(k)];
  multiplyTransposed(problem.G, whole.v, rates_);
  for (const SoftRow& soft : soft_) whole.lambda[soft.row] = -(rates_[soft.row] + problem.b[soft.row]) / problem.C[soft.row];
  impulse_ = problem.f;
  multiplyAdd(problem.H, whole.r, impulse_);
  multiplyAdd(problem.G, whole.lambda, impulse_);
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (node.rows == 0) continue;
    const Vector6 missing = massOf(node) * partOf(whole.v, node.row, node.size) - partOf(impulse_, node.row, node.size);
    Vector6 lambda = node.Q.transpose() * missing;
    lambda.tail(6 - node.rows).setZero();
    for (int i = node.rows; i-- > 0;) {
      lambda[i] /= node.R(i, i);
      lambda.head(i) -= lambda[i] * node.R.col(i).head(i);
    }
    whole.lambda.segment(node.first, node.rows) = lambda.head(node.rows);
    if (node.parent < 0) continue;
    const Node& parent = nodes_[at(node.parent)];
    impulse_.segment(parent.row, parent.size) += (node.across * lambda).head(parent.size);
  }
}

}  // namespace stiction
