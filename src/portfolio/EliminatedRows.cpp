#include "portfolio/EliminatedRows.hpp"

#include <algorithm>

#include <Eigen/LU>
#include <Eigen/QR>

namespace stiction {
namespace {

constexpr int kHolds = 3;            // rows between two blocks: fewer are no joint
constexpr double kFullRank = 1e-6;   // [-] least diagonal entry of R, of the largest
constexpr int kPiece = 16;           // velocities of a block of M' at most
constexpr double kDense = 4;         // [-] entries of M', of those of M: beyond that nothing is gained
constexpr double kRoundOff = 1e-11;  // [-] of a column's largest entry: less is none

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isRigid(const ContactProblem& problem, int row) { return problem.C.size() == 0 || problem.C[row] == 0; }

}  // namespace

bool EliminatedRows::eliminate(const ContactProblem& problem, double scale) {
  if (problem.rows() < kHolds || !problem.M.couplings.empty()) return false;
  problem_ = &problem;
  findLinks();
  growTrees();
  const bool hold = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.rows > 0; });
  const bool move = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.free > 0; });
  if (!hold || !move || !isWorthwhile()) return false;
  cutPieces();
  rest_.mu = problem.mu;
  rest_.R = problem.R;
  rest_.axisBounds = problem.axisBounds;
  rest_.scaleFloor = scale;
  buildMass();
  buildMomentum();
  buildContacts();
  buildRows();
  return true;
}

void EliminatedRows::findLinks() {
  const BlockColumns& G = problem_->G;
  links_.clear();
  linksOf_.resize(at(problem_->M.blocks()));
  softOf_.resize(linksOf_.size());
  for (std::vector<std::vector<int>>* lists : {&linksOf_, &softOf_})
    for (std::vector<int>& list : *lists) list.clear();
  for (int row = 0; row < problem_->rows(); ++row) {
    const int first = G.start[at(row)], count = G.start[at(row) + 1] - first;
    if (!isRigid(*problem_, row)) {
      for (int s = first; s < first + count; ++s) softOf_[at(G.segments[at(s)].block)].push_back(row);
      continue;
    }
    if (count < 1 || count > 2) continue;
    const int a = G.segments[at(first)].block, b = count == 2 ? G.segments[at(first) + 1].block : -1;
    if (!links_.empty() && links_.back().first + links_.back().count == row && links_.back().blocks[0] == a && links_.back().blocks[1] == b)
      ++links_.back().count;
    else
      links_.push_back({row, 1, {a, b}});
  }
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

/// Without a link, or where the rows do not hold the block by independent directions, it hangs on nothing; in the second case it may still be found by another way.
void EliminatedRows::addNode(int block, int parent, const Link* link) {
  Node node;
  node.block = block;
  node.row = problem_->M.start[at(block)];
  node.size = node.free = problem_->M.size(block);
  node.parent = parent;
  if (link != nullptr) {
    if (!hang(node, *link)) return;
    if (parent >= 0) ++nodes_[at(parent)].children;
  } else {
    node.Q = Matrix6::Identity(node.size, node.size);
    node.s = Vector6::Zero(node.size);
  }
  nodeOf_[at(block)] = static_cast<int>(nodes_.size());
  nodes_.push_back(std::move(node));
}

EliminatedRows::Matrix6 EliminatedRows::columnsOf(const Link& link, int block, int size) const {
  Matrix6 columns(size, link.count);
  const BlockColumns& G = problem_->G;
  for (int k = 0; k < link.count; ++k)
    for (int s = G.start[at(link.first + k)]; s < G.start[at(link.first + k) + 1]; ++s)
      if (const BlockColumns::Segment& segment = G.segments[at(s)]; segment.block == block)
        columns.col(k) = Eigen::Map<const VectorX>{G.values.data() + segment.offset, size};
  return columns;
}

bool EliminatedRows::hang(Node& node, const Link& link) const {
  if (link.count > node.size) return false;
  const Matrix6 columns = columnsOf(link, node.block, node.size);
  const Eigen::HouseholderQR<Matrix6> decomposition{columns};
  node.R = decomposition.matrixQR().topRows(link.count).triangularView<Eigen::Upper>();
  const auto diagonal = node.R.diagonal().cwiseAbs();
  if (!(diagonal.minCoeff() > kFullRank * diagonal.maxCoeff())) return false;
  node.Q = decomposition.householderQ();
  node.first = link.first;
  node.rows = link.count;
  node.free = node.size - node.rows;
  const auto back = [&](const Matrix6& right) -> Matrix6 { return -node.still() * node.R.transpose().triangularView<Eigen::Lower>().solve(right); };
  node.d = back(problem_->b.segment(link.first, link.count));
  node.s = node.d;
  if (node.parent < 0) return true;
  const Node& parent = nodes_[at(node.parent)];
  node.across = columnsOf(link, parent.block, parent.size);
  node.A = back(node.across.transpose());
  turnWithJoint(node);
  node.s += node.A * parent.s;
  return true;
}

/// Adds Q₂ K to A.
void EliminatedRows::turnWithJoint(Node& node) const {
  const BlockColumns& G = problem_->G;
  const Node& parent = nodes_[at(node.parent)];
  Matrix6 own(node.free, node.size), other(node.free, parent.size), basis(node.free, node.free);  // `basis`: rows of own Q₂, made orthonormal
  int found = 0;
  for (const int row : softOf_[at(node.block)]) {
    const int first = G.start[at(row)];
    if (found == node.free) break;
    if (G.start[at(row) + 1] - first != 2) continue;
    const BlockColumns::Segment &a = G.segments[at(first)], &b = G.segments[at(first) + 1];
    const bool isFirst = a.block == node.block;
    if ((isFirst ? b : a).block != parent.block) continue;
    const auto values = [&](const BlockColumns::Segment& segment) {
      return Eigen::Map<const Eigen::RowVectorXd>{G.values.data() + segment.offset, segment.size};
    };
    own.row(found) = values(isFirst ? a : b);
    other.row(found) = values(isFirst ? b : a);
    Eigen::RowVectorXd rate = own.row(found) * node.moves();
    const double size = rate.norm();
    for (int k = 0; k < found; ++k) rate -= rate.dot(basis.row(k)) * basis.row(k);
    if (!(rate.norm() > kFullRank * size)) continue;  // as one before it
    basis.row(found++) = rate.normalized();
  }
  if (found != node.free) return;
  const Eigen::PartialPivLU<Matrix6> rates{Matrix6{own * node.moves()}};
  node.A -= node.moves() * rates.solve(Matrix6{other + own * node.A});
}

bool EliminatedRows::isWorthwhile() const {
  double entries = 0, before = 0;
  std::vector<int> path(nodes_.size());
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
  std::vector<int> sizes, ancestorOf;
  for (Node& node : nodes_) {
    const int above = node.parent < 0 ? -1 : nodes_[at(node.parent)].piece;
    const bool goesOn = above >= 0 && nodes_[at(node.parent)].children == 1 && sizes[at(above)] + node.free <= kPiece;
    if (goesOn || node.free == 0) {
      node.piece = above;
    } else {
      node.piece = static_cast<int>(sizes.size());
      sizes.push_back(0);
      ancestorOf.push_back(above);
    }
    if (node.free > 0) sizes[at(node.piece)] += node.free;
  }
  const std::vector<double> zeros(at(kPiece) * at(kPiece));
  for (const int size : sizes) M.addBlock(zeros.data(), size);
  std::vector<int> above;
  for (int piece = 0; piece < M.blocks(); ++piece) {
    above.clear();
    for (int k = ancestorOf[at(piece)]; k >= 0; k = ancestorOf[at(k)]) above.push_back(k);
    std::for_each(above.rbegin(), above.rend(), [&](int k) { M.addCoupling(piece, k, zeros.data()); });
  }
  std::vector<int> used(sizes.size(), 0);
  for (Node& node : nodes_) {
    if (node.free == 0) continue;
    node.start = M.start[at(node.piece)] + used[at(node.piece)];
    used[at(node.piece)] += node.free;
  }
}

Eigen::Map<const MatrixX> EliminatedRows::massOf(const Node& node) const {
  return {problem_->M.values.data() + problem_->M.offset[at(node.block)], node.size, node.size};
}

/// Where M' has the entries between the node's velocities and those of one on its way to the root, or its own.
Eigen::Block<Eigen::Map<MatrixX>> EliminatedRows::placeOf(const Node& node, const Node& above) {
  BlockMass& M = rest_.M;
  int offset = M.offset[at(node.piece)];
  if (above.piece != node.piece)
    offset = std::lower_bound(M.couplings.begin(), M.couplings.end(), std::pair{node.piece, above.piece},
                              [](const BlockMass::Coupling& c, const std::pair<int, int>& wanted) {
                                return std::pair{c.row, c.column} < wanted;
                              })
                 ->offset;
  Eigen::Map<MatrixX> block{M.values.data() + offset, M.size(node.piece), M.size(above.piece)};
  return block.block(node.start - M.start[at(node.piece)], above.start - M.start[at(above.piece)], node.free, above.free);
}

void EliminatedRows::buildMass() {
  for (Node& node : nodes_) node.composite = massOf(node);
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (node.parent >= 0) nodes_[at(node.parent)].composite += node.A.transpose() * node.composite * node.A;
    if (node.free == 0) continue;
    Matrix6 F = node.composite * node.moves();
    placeOf(node, node) = node.moves().transpose() * F;
    for (const Node* below = &node; below->parent >= 0;) {
      const Node& above = nodes_[at(below->parent)];
      F = (below->A.transpose() * F).eval();
      below = &above;
      if (above.free == 0) continue;
      const Matrix6 product = F.transpose() * above.moves();
      placeOf(node, above) = product;
      if (above.piece == node.piece) placeOf(above, node) = product.transpose();
    }
  }
}

void EliminatedRows::buildMomentum() {
  s_.resize(problem_->dof());
  for (const Node& node : nodes_) s_.segment(node.row, node.size) = node.s;
  impulse_ = problem_->f;
  for (const Node& node : nodes_) impulse_.segment(node.row, node.size) -= massOf(node) * node.s;
  rest_.f.setZero(rest_.M.size());
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    const Vector6 own = impulse_.segment(node.row, node.size);
    rest_.f.segment(node.start, node.free) = node.moves().transpose() * own;
    if (node.parent < 0) continue;
    const Node& parent = nodes_[at(node.parent)];
    impulse_.segment(parent.row, parent.size) += node.A.transpose() * own;
  }
}

void EliminatedRows::beginReducing(int width) {
  reduced_.setZero(rest_.M.size(), width);
  touched_.clear();
}

/// reduced_ = Sᵀ of the group's columns, at the nodes in touched_.
void EliminatedRows::reduce(const BlockColumns& columns, int group) {
  for (const int k : touched_) reduced_.middleRows(nodes_[at(k)].start, nodes_[at(k)].free).setZero();
  touched_.clear();
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = columns.segments[at(s)];
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 3> X =
        Eigen::Map<const MatrixX>{columns.values.data() + segment.offset, segment.size, columns.width};
    for (int k = nodeOf_[at(segment.block)]; k >= 0; k = nodes_[at(k)].parent) {
      const Node& node = nodes_[at(k)];
      if (node.free > 0) {
        reduced_.block(node.start, 0, node.free, columns.width) += node.moves().transpose() * X;
        touched_.push_back(k);
      }
      if (node.parent >= 0) X = (node.A.transpose() * X).eval();
    }
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
}

/// reduced_ as a group of segments, each a whole block of M'.
void EliminatedRows::append(BlockColumns& columns) {
  std::vector<int> pieces;
  for (const int k : touched_) pieces.push_back(nodes_[at(k)].piece);
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  for (const int piece : pieces) {
    const MatrixX part = reduced_.middleRows(rest_.M.start[at(piece)], rest_.M.size(piece));
    columns.addSegment(piece, rest_.M.start[at(piece)], rest_.M.size(piece), part.data());
  }
  columns.endGroup();
}

void EliminatedRows::buildContacts() {
  VectorX shift;
  multiplyTransposed(problem_->H, s_, shift);
  rest_.w = problem_->w + shift;
  rest_.wScale = problem_->wScale + shift;
  rest_.H.clear();
  beginReducing(rest_.H.width);
  for (int i = 0; i < problem_->contacts(); ++i) {
    reduce(problem_->H, i);
    append(rest_.H);
  }
}

/// Whether all of reduced_ but round-off is of one node.
bool EliminatedRows::isOfOneNode(int& node) const {
  double largest = 0;
  for (const int k : touched_)
    if (const double size = reduced_.middleRows(nodes_[at(k)].start, nodes_[at(k)].free).cwiseAbs().maxCoeff(); size > largest) {
      largest = size;
      node = k;
    }
  return std::all_of(touched_.begin(), touched_.end(), [&](int k) {
    return k == node || reduced_.middleRows(nodes_[at(k)].start, nodes_[at(k)].free).cwiseAbs().maxCoeff() <= kRoundOff * largest;
  });
}

void EliminatedRows::buildRows() {
  VectorX shift;
  multiplyTransposed(problem_->G, s_, shift);
  rowIsLeft_.assign(at(problem_->rows()), 1);
  for (const Node& node : nodes_) std::fill_n(rowIsLeft_.begin() + node.first, node.rows, char{0});
  left_.clear();
  rest_.G.clear();
  beginReducing(rest_.G.width);
  std::vector<double> b, C;
  for (int row = 0; row < problem_->rows(); ++row) {
    if (rowIsLeft_[at(row)] == 0) continue;
    reduce(problem_->G, row);
    const double moving = problem_->b[row] + shift[row];
    int k = -1;
    if (!isRigid(*problem_, row) && isOfOneNode(k) && k >= 0) {
      const Node& node = nodes_[at(k)];
      const auto g = reduced_.col(0).segment(node.start, node.free);
      placeOf(node, node) += g * g.transpose() / problem_->C[row];
      rest_.f.segment(node.start, node.free) -= g * (moving / problem_->C[row]);
      rowIsLeft_[at(row)] = 2;
      continue;
    }
    append(rest_.G);
    left_.push_back(row);
    b.push_back(moving);
    C.push_back(problem_->C.size() == 0 ? 0.0 : problem_->C[row]);
  }
  rest_.b = Eigen::Map<const VectorX>{b.data(), static_cast<Eigen::Index>(b.size())};
  rest_.C = Eigen::Map<const VectorX>{C.data(), static_cast<Eigen::Index>(C.size())};
}

void EliminatedRows::enter(const Iterate& whole, Iterate& rest) const {
  rest.v.setZero(rest_.dof());
  if (whole.v.size() == problem_->dof())
    for (const Node& node : nodes_) {
      Vector6 own = whole.v.segment(node.row, node.size);
      if (node.parent >= 0) own -= node.A * whole.v.segment(nodes_[at(node.parent)].row, nodes_[at(node.parent)].size);
      rest.v.segment(node.start, node.free) = node.moves().transpose() * own;
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
    auto v = whole.v.segment(node.row, node.size);
    v = node.moves() * rest.v.segment(node.start, node.free);
    if (node.rows > 0) v += node.d;
    if (node.parent < 0) continue;
    const Node& parent = nodes_[at(node.parent)];
    v += node.A * whole.v.segment(parent.row, parent.size);
  }
  whole.lambda.setZero(problem.rows());
  for (std::size_t k = 0; k < left_.size(); ++k) whole.lambda[left_[k]] = rest.lambda[static_cast<Eigen::Index>(k)];
  VectorX rates;
  multiplyTransposed(problem.G, whole.v, rates);
  for (int row = 0; row < problem.rows(); ++row)
    if (rowIsLeft_[at(row)] == 2) whole.lambda[row] = -(rates[row] + problem.b[row]) / problem.C[row];
  impulse_ = problem.f;
  multiplyAdd(problem.H, whole.r, impulse_);
  multiplyAdd(problem.G, whole.lambda, impulse_);
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (node.rows == 0) continue;
    const Vector6 missing = massOf(node) * whole.v.segment(node.row, node.size) - impulse_.segment(node.row, node.size);
    const Vector6 lambda = node.R.triangularView<Eigen::Upper>().solve(Vector6{node.still().transpose() * missing});
    whole.lambda.segment(node.first, node.rows) = lambda;
    if (node.parent < 0) continue;
    const Node& parent = nodes_[at(node.parent)];
    impulse_.segment(parent.row, parent.size) += node.across * lambda;
  }
}

}  // namespace stiction
