// Mass-weighted columns against dense algebra: what a group reads, what its impulse does, and its own Delassus block.
#include "solvers/MassWeighted.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <random>

namespace stiction {
namespace {

class Dense {
 public:
  explicit Dense(unsigned seed) : generator_{seed} {
    for (const int n : {6, 3, 1, 6}) addBlock(n);
    addGroup({{0, 0, 6}});
    addGroup({{0, 0, 6}, {3, 10, 6}});
    addGroup({{1, 6, 3}, {2, 9, 1}});
    addGroup({{0, 3, 3}, {0, 0, 2}, {3, 12, 4}, {0, 3, 3}});  // pieces of one block, one said twice
    addGroup({});
  }

  BlockMass M;
  BlockColumns A{3};
  MatrixX mass{MatrixX::Zero(16, 16)}, columns{MatrixX::Zero(16, 15)};

  VectorX random(int n) {
    return VectorX::NullaryExpr(n, [this] { return draw(); });
  }

 private:
  struct Piece {
    int block, row, size;
  };

  double draw() { return 2.0 * generator_() / std::mt19937::max() - 1; }

  void addBlock(int n) {
    const MatrixX root = MatrixX::NullaryExpr(n, n, [this] { return draw(); });
    const MatrixX block = root * root.transpose() + 0.1 * MatrixX::Identity(n, n);
    const int first = M.size();
    M.addBlock(block.data(), n);
    mass.block(first, first, n, n) = block;
  }

  void addGroup(std::initializer_list<Piece> pieces) {
    for (const Piece& piece : pieces) {
      const MatrixX values = MatrixX::NullaryExpr(piece.size, 3, [this] { return draw(); });
      A.addSegment(piece.block, piece.row, piece.size, values.data());
      columns.block(piece.row, 3 * A.groups(), piece.size, 3) += values;
    }
    A.endGroup();
  }

  std::mt19937 generator_;
};

const std::vector<int> asTheyCome{0, 1, 2, 3, 4};

TEST(MassWeighted, GroupsReadAndActLikeTheDenseProducts) {
  Dense dense{7};
  MassRoot root;
  ASSERT_TRUE(root.factor(dense.M));
  WeightedColumns<3> weighted;
  weighted.build(dense.M, root, dense.A, asTheyCome);
  const VectorX v = dense.random(16);
  Packs y;
  root.weigh(dense.mass * v, y);  // L⁻¹ M v = Lᵀ v
  for (int i = 0; i < dense.A.groups(); ++i) {
    const MatrixX columns = dense.columns.middleCols(3 * i, 3);
    const Vector3 read = weighted.read(i, y);
    EXPECT_LT((read - columns.transpose() * v).norm(), 1e-13) << "group " << i;
    EXPECT_NEAR(weighted.readFirst(i, y), read[0], 1e-14) << "group " << i;
    EXPECT_LT((weighted.gram(i) - columns.transpose() * dense.mass.llt().solve(columns)).norm(), 1e-11) << "group " << i;
    const Vector3 x = dense.random(3);
    const auto moved = [&](const Packs& packs) {
      VectorX velocity;
      root.unweigh(packs, velocity);
      return VectorX{velocity - v};
    };
    Packs after = y;
    weighted.apply(i, x, after);
    EXPECT_LT((moved(after) - dense.mass.llt().solve(columns * x)).norm(), 1e-11) << "group " << i;
    after = y;
    weighted.applyFirst(i, x[0], after);
    EXPECT_LT((moved(after) - dense.mass.llt().solve(columns.col(0) * x[0])).norm(), 1e-11) << "group " << i;
  }
}

TEST(MassWeighted, GroupsComeInTheOrderAskedFor) {
  Dense dense{8};
  MassRoot root;
  ASSERT_TRUE(root.factor(dense.M));
  Packs y;
  root.weigh(dense.random(16), y);
  WeightedColumns<3> plain, ordered;
  plain.build(dense.M, root, dense.A, asTheyCome);
  const std::vector<int> order{3, 1, 4, 0, 2};
  ordered.build(dense.M, root, dense.A, order);
  for (int k = 0; k < dense.A.groups(); ++k) EXPECT_EQ(ordered.read(k, y), plain.read(order[static_cast<std::size_t>(k)], y)) << "turn " << k;
}

TEST(MassWeighted, ForwardIsTheInverseRoot) {
  Dense dense{11};
  MassRoot root;
  ASSERT_TRUE(root.factor(dense.M));
  const VectorX f = dense.random(16);
  VectorX y = f;
  for (int k = 0; k < dense.M.blocks(); ++k) root.forward(k, y.data() + dense.M.start[static_cast<std::size_t>(k)]);
  EXPECT_LT((y - dense.mass.llt().matrixL().solve(f)).norm(), 1e-12);
  Packs packs;
  root.weigh(f, packs);
  for (int k = 0; k < dense.M.blocks(); ++k)
    for (int i = 0; i < 8 * root.packs(k); ++i) {
      const Pack& pack = packs[static_cast<std::size_t>(root.firstPack(k) + i / 8)];
      const double number = i % 8 < 4 ? pack.low[i % 4] : pack.high[i % 4];
      EXPECT_EQ(number, i < dense.M.size(k) ? y[dense.M.start[static_cast<std::size_t>(k)] + i] : 0.0) << k << ' ' << i;
    }
}

TEST(MassWeighted, MassesThatAreNoneAreRefused) {
  for (const double mass : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    BlockMass M;
    M.addBlock(&mass, 1);
    MassRoot root;
    EXPECT_FALSE(root.factor(M)) << mass;
  }
}

}  // namespace
}  // namespace stiction
