// A robot-like tree in minimal coordinates, standing on its feet: a floating base and four limbs of hinges in a row, four contacts at the end of each; 60 velocities, 16 contacts.
// Velocities: the base's translation and rotation about its centre (world axes), then every hinge's rate, limb by limb. The pose stays; the load of a step is gravity, the momentum
// of the last answer, and hinge torques that turn slowly, so that each step is a warm start of its own.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction::bench {

class TreeProblem {
 public:
  static constexpr std::array<int, 4> kHinges{14, 14, 13, 13};

  /// `sparse`: a block of M for the base and one for each limb, as the tree has them; else one block for all.
  TreeProblem(std::uint64_t seed, bool sparse) : random_{seed} {
    build();
    if (sparse)
      fill({6, kHinges[0], kHinges[1], kHinges[2], kHinges[3]});
    else
      fill({static_cast<int>(M_.rows())});
  }

  const ContactProblem& problem() const { return problem_; }

  /// Sets the load of step `k` for a tree that moves with `v`.
  void load(int k, const VectorX& v) {
    VectorX before = v;
    before[2] -= kStep * kGravity;  // a uniform field: the base falls, hinges do not turn
    problem_.f = inertia_ * before;
    for (Eigen::Index i = kBase; i < problem_.f.size(); ++i) problem_.f[i] += kStep * kTorque * std::sin(0.05 * k + static_cast<double>(i));
  }

 private:
  static constexpr int kBase = 6;
  static constexpr double kStep = 1.0 / 240, kGravity = 9.81;            // [s], [m/s²]
  static constexpr double kTorque = 2, kDamping = 20, kArmature = 1e-4;  // [N m], [N m s], [kg m²]

  struct Hinge {
    int velocity;
    Vector3 place, axis;
  };

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }

  static Matrix3 cross(const Vector3& p) { return (Matrix3{} << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0).finished(); }

  /// Velocity of the point `p` that hinges `chain` carry: 3 × velocities.
  MatrixX pointJacobian(const std::vector<Hinge>& chain, const Vector3& p) const {
    MatrixX J = MatrixX::Zero(3, inertia_.cols());
    J.leftCols<3>().setIdentity();
    J.middleCols<3>(3) = -cross(p);
    for (const Hinge& hinge : chain) J.col(hinge.velocity) = hinge.axis.cross(p - hinge.place);
    return J;
  }

  /// Adds a link of mass `m` at `p`, a solid sphere of radius of gyration 0.1 m.
  void addLink(const std::vector<Hinge>& chain, const Vector3& p, double m) {
    const MatrixX J = pointJacobian(chain, p);
    MatrixX turn = MatrixX::Zero(3, inertia_.cols());
    turn.middleCols<3>(3).setIdentity();
    for (const Hinge& hinge : chain) turn.col(hinge.velocity) = hinge.axis;
    inertia_ += m * J.transpose() * J + 0.01 * m * turn.transpose() * turn;
  }

  void build() {
    int n = kBase;
    for (const int hinges : kHinges) n += hinges;
    inertia_ = MatrixX::Zero(n, n);
    addLink({}, Vector3::Zero(), 20);
    int velocity = kBase;
    for (std::size_t limb = 0; limb < kHinges.size(); ++limb) {
      std::vector<Hinge> chain;
      Vector3 p{limb % 2 == 0 ? -0.3 : 0.3, limb / 2 == 0 ? -0.2 : 0.2, 0};
      for (int k = 0; k < kHinges[limb]; ++k) {
        const double height = uniform(-1, 1), angle = uniform(0, 2 * M_PI), radius = std::sqrt(1 - height * height);
        chain.push_back({velocity++, p, {radius * std::cos(angle), radius * std::sin(angle), height}});
        const Vector3 end = p + Vector3{uniform(-0.01, 0.01), uniform(-0.01, 0.01), -0.06};
        addLink(chain, 0.5 * (p + end), 1);
        p = end;
      }
      for (const Vector3& corner : {Vector3{-0.04, -0.03, -0.02}, {0.04, -0.03, -0.02}, {-0.04, 0.03, -0.02}, {0.04, 0.03, -0.02}})
        contacts_.push_back(pointJacobian(chain, p + corner));
    }
    M_ = inertia_;
    M_.diagonal().tail(n - kBase).array() += kStep * kDamping + kArmature;
  }

  /// M, H and the rest by blocks of these sizes.
  void fill(const std::vector<int>& sizes) {
    std::vector<int> start{0};
    for (const int size : sizes) start.push_back(start.back() + size);
    const auto part = [&](int row, int column) {
      const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
      return MatrixX{M_.block(start[r], start[c], sizes[r], sizes[c])};
    };
    const int blocks = static_cast<int>(sizes.size());
    for (int k = 0; k < blocks; ++k) problem_.M.addBlock(part(k, k).data(), sizes[static_cast<std::size_t>(k)]);
    for (int k = 1; k < blocks; ++k)
      for (int j = 0; j < k; ++j)
        if (const MatrixX coupling = part(k, j); !coupling.isZero(0)) problem_.M.addCoupling(k, j, coupling.data());
    for (const MatrixX& J : contacts_) {
      MatrixX H(J.cols(), 3);
      H << J.row(2).transpose(), J.row(0).transpose(), J.row(1).transpose();  // the normal points up
      for (int k = 0; k < blocks; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (const MatrixX segment = H.middleRows(start[at], sizes[at]); !segment.isZero(0)) problem_.H.addSegment(k, start[at], sizes[at], segment.data());
      }
      problem_.H.endGroup();
    }
    const auto n = static_cast<Eigen::Index>(contacts_.size());
    problem_.mu = VectorX::Constant(n, 0.8);
    problem_.w = problem_.wScale = VectorX::Zero(3 * n);
    problem_.f = VectorX::Zero(M_.rows());
  }

  std::mt19937_64 random_;
  MatrixX inertia_, M_;  // [kg, kg m²] of the links; with damping and armature
  std::vector<MatrixX> contacts_;
  ContactProblem problem_;
};

}  // namespace stiction::bench
