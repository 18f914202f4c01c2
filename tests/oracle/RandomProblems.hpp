// Random contact problems from a seed, the same on every machine. Print the seed with every failure: `SCOPED_TRACE(seed)`.
//
// Two families. Piled: bodies in layers over a ground, normals pointing up within 60 degrees, gravity, restitution; a velocity field that grows with height opens every contact,
// so a solution exists. Jammed: normals in any direction, pinching included, gaps >= 0, so that v = 0 is admissible. Both: masses over decades, full inertia tensors,
// duplicated contacts, mixed friction with zeros, perhaps joint rows and compliance.
#pragma once
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction::testing_random {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  int integer(int low, int high) { return low + static_cast<int>(uniform(0, high - low + 1)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  Vector3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vector3 direction() {
    const double z = uniform(-1, 1), angle = uniform(0, 2 * M_PI), radius = std::sqrt(1 - z * z);
    return {radius * std::cos(angle), radius * std::sin(angle), z};
  }
  Matrix3 rotation() { return Eigen::AngleAxisd{uniform(0, 2 * M_PI), direction()}.toRotationMatrix(); }

 private:
  std::mt19937_64 engine_;
};

struct RandomOptions {
  int minBodies{1}, maxBodies{20};
  int minContacts{1}, maxContacts{60};
  double massDecades{3};  // masses 10^±this
  double maxFriction{2};
  bool duplicates{true};  // some contacts twice
  bool rows{true};        // joints in some problems
  bool compliance{true};  // R and C in some problems
};

inline Matrix3 skew(const Vector3& p) { return (Matrix3{} << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0).finished(); }

class ProblemMaker {
 public:
  ProblemMaker(std::uint64_t seed, const RandomOptions& options) : random_{seed}, options_{options} {}

  ContactProblem make() {
    piled_ = random_.chance(0.5);
    bodies_ = random_.integer(options_.minBodies, options_.maxBodies);
    const int contacts = random_.integer(options_.minContacts, options_.maxContacts);
    const bool jointed = options_.rows && random_.chance(0.3);
    restitution_ = piled_ && !jointed && random_.chance(0.3) ? random_.uniform(0.1, 1) : 0;
    makeBodies();
    mu_.clear(), w_.clear(), wScale_.clear();
    for (int i = 0; i < contacts; ++i) addContact();
    if (jointed) makeRows();
    finish(contacts);
    return problem_;
  }

 private:
  void makeBodies() {
    free_.resize(6 * bodies_);
    const double decades = random_.uniform(0, options_.massDecades);
    for (int k = 0; k < bodies_; ++k) {
      const double mass = std::pow(10, random_.uniform(-decades, decades)), size = random_.uniform(0.05, 0.5);
      const Vector3 a{random_.uniform(0.2, 1), random_.uniform(0.2, 1), random_.uniform(0.2, 1)};
      const Matrix3 R = random_.rotation();
      Matrix6 M = Matrix6::Zero();
      M.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
      const Matrix3 inertia = R * Vector3{a[1] * a[1] + a[2] * a[2], a[0] * a[0] + a[2] * a[2], a[0] * a[0] + a[1] * a[1]}.asDiagonal() * R.transpose();
      M.bottomRightCorner<3, 3>() = mass * size * size / 3 * 0.5 * (inertia + inertia.transpose());
      problem_.M.addBlock(M.data(), 6);
      sizes_.push_back(size);
      const double speed = random_.chance(0.5) ? 0 : std::pow(10, random_.uniform(-2, 1));
      free_.segment<3>(6 * k) = random_.vector(speed) + Vector3{0, 0, -0.0981};
      free_.segment<3>(6 * k + 3) = random_.vector(speed);
    }
    problem_.f.resize(6 * bodies_);
    for (int k = 0; k < bodies_; ++k) problem_.f.segment<6>(6 * k) = Eigen::Map<const Matrix6>{problem_.M.values.data() + 36 * k} * free_.segment<6>(6 * k);
  }

  void addContact() {
    if (options_.duplicates && problem_.contacts() > 0 && random_.chance(0.1)) return repeatContact(random_.integer(0, problem_.contacts() - 1));
    int lower = random_.integer(-1, bodies_ - 2), upper = random_.integer(0, bodies_ - 1);
    if (lower >= upper) lower = -1;  // -1: the ground
    Vector3 normal = random_.direction();
    if (piled_) normal = (Vector3{0, 0, 1} + random_.uniform(0, 0.8) * normal).normalized();
    const Vector3 side = normal.cross(std::abs(normal[0]) < 0.6 ? Vector3{1, 0, 0} : Vector3{0, 1, 0}).normalized();
    Matrix3 frame;
    frame << normal, side, normal.cross(side);
    addSegment(upper, 1, frame);
    if (lower >= 0) addSegment(lower, -1, frame);
    problem_.H.endGroup();
    closeContact();
  }

  void addSegment(int body, double sign, const Matrix3& frame) {
    const Vector3 arm = random_.vector(sizes_[static_cast<std::size_t>(body)]);
    Eigen::Matrix<double, 6, 3> J;
    J << sign * frame, sign * skew(arm) * frame;
    problem_.H.addSegment(body, 6 * body, 6, J.data());
  }

  void repeatContact(int i) {
    for (int s = problem_.H.start[static_cast<std::size_t>(i)]; s < problem_.H.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment segment = problem_.H.segments[static_cast<std::size_t>(s)];
      const std::vector<double> values(problem_.H.values.begin() + segment.offset, problem_.H.values.begin() + segment.offset + 18);
      problem_.H.addSegment(segment.block, segment.row, segment.size, values.data());
    }
    problem_.H.endGroup();
    closeContact();
  }

  /// Friction and velocity term of the contact just added.
  void closeContact() {
    mu_.push_back(random_.chance(0.1) ? 0 : random_.uniform(0, options_.maxFriction));
    double approach = 0;
    const int i = problem_.contacts() - 1;
    for (int s = problem_.H.start[static_cast<std::size_t>(i)]; s < problem_.H.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = problem_.H.segments[static_cast<std::size_t>(s)];
      approach += Eigen::Map<const Vector6>{problem_.H.values.data() + segment.offset}.dot(free_.segment<6>(segment.row));
    }
    const double bounce = restitution_ * std::min(approach, 0.0), gap = random_.chance(0.3) ? random_.uniform(0, 0.5) : 0;
    wScale_.push_back(bounce);
    w_.push_back(bounce < 0 ? bounce : gap);
  }

  void makeRows() {
    const int joints = random_.integer(1, std::max(1, bodies_ / 2));
    for (int j = 0; j < joints; ++j) {
      const int a = random_.integer(0, bodies_ - 1), b = random_.integer(-1, bodies_ - 1);
      const Vector3 armA = random_.vector(0.5), armB = random_.vector(0.5);
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3 e = Vector3::Unit(axis);
        const Vector6 onA = (Vector6{} << e, armA.cross(e)).finished(), onB = (Vector6{} << -e, -armB.cross(e)).finished();
        problem_.G.addSegment(a, 6 * a, 6, onA.data());
        if (b >= 0 && b != a) problem_.G.addSegment(b, 6 * b, 6, onB.data());
        problem_.G.endGroup();
      }
    }
  }

  void finish(int contacts) {
    problem_.b = VectorX::Zero(problem_.rows());
    problem_.w = VectorX::Zero(3 * contacts);
    problem_.wScale = VectorX::Zero(3 * contacts);
    problem_.mu.resize(contacts);
    for (int i = 0; i < contacts; ++i) {
      problem_.mu[i] = mu_[static_cast<std::size_t>(i)];
      problem_.w[3 * i] = w_[static_cast<std::size_t>(i)];
      problem_.wScale[3 * i] = wScale_[static_cast<std::size_t>(i)];
    }
    problem_.scaleFloor = 0.0981;
    if (!options_.compliance || !random_.chance(0.2)) return;
    problem_.R = VectorX::Constant(3 * contacts, random_.uniform(0, 0.1));
    problem_.C = VectorX::Constant(problem_.rows(), random_.uniform(0, 0.1));
  }

  Random random_;
  RandomOptions options_;
  ContactProblem problem_;
  bool piled_{false};
  int bodies_{0};
  double restitution_{0};
  VectorX free_;
  std::vector<double> sizes_, mu_, w_, wScale_;
};

inline ContactProblem randomProblem(std::uint64_t seed, const RandomOptions& options = {}) { return ProblemMaker{seed, options}.make(); }

/// Few contacts on bodies of like mass: W well conditioned, so that velocities are unique and sweeps converge fast.
inline ContactProblem wellConditionedProblem(std::uint64_t seed) {
  return randomProblem(seed, {.minBodies = 4,
                              .maxBodies = 20,
                              .minContacts = 1,
                              .maxContacts = 8,
                              .massDecades = 0.3,
                              .maxFriction = 0.8,
                              .duplicates = false,
                              .rows = false,
                              .compliance = false});
}

inline MatrixX denseMass(const BlockMass& mass) {
  MatrixX M = MatrixX::Zero(mass.size(), mass.size());
  for (int k = 0; k < mass.blocks(); ++k) {
    const int n = mass.size(k), first = mass.start[static_cast<std::size_t>(k)];
    M.block(first, first, n, n) = Eigen::Map<const MatrixX>{mass.values.data() + mass.offset[static_cast<std::size_t>(k)], n, n};
  }
  for (const BlockMass::Coupling& coupling : mass.couplings) {
    const int i = mass.start[static_cast<std::size_t>(coupling.row)], j = mass.start[static_cast<std::size_t>(coupling.column)];
    const Eigen::Map<const MatrixX> block{mass.values.data() + coupling.offset, mass.size(coupling.row), mass.size(coupling.column)};
    M.block(i, j, block.rows(), block.cols()) = block;
    M.block(j, i, block.cols(), block.rows()) = block.transpose();
  }
  return M;
}

inline MatrixX denseColumns(const BlockColumns& A, int dof) {
  MatrixX dense = MatrixX::Zero(dof, A.columns());
  for (int i = 0; i < A.groups(); ++i)
    for (int s = A.start[static_cast<std::size_t>(i)]; s < A.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
      dense.block(segment.row, A.width * i, segment.size, A.width) += Eigen::Map<const MatrixX>{A.values.data() + segment.offset, segment.size, A.width};
    }
  return dense;
}

/// The local form of a problem without equality rows: W = HᵀM⁻¹H + diag R, q = HᵀM⁻¹f + w, every 3 × 3 block that is not zero.
inline LocalContactProblem condense(const ContactProblem& problem) {
  const int contacts = problem.contacts();
  const MatrixX H = denseColumns(problem.H, problem.dof());
  const Eigen::LDLT<MatrixX> factor{denseMass(problem.M)};
  MatrixX W = H.transpose() * factor.solve(H);
  W = (0.5 * (W + W.transpose())).eval();
  if (problem.R.size() != 0) W.diagonal() += problem.R;
  LocalContactProblem local;
  for (int i = 0; i < contacts; ++i) {
    for (int j = 0; j < contacts; ++j) {
      const Matrix3 block = W.block(3 * i, 3 * j, 3, 3);
      if (i != j && block.isZero(0)) continue;
      local.column.push_back(j);
      local.blocks.push_back(block);
    }
    local.start.push_back(static_cast<int>(local.column.size()));
  }
  local.q = H.transpose() * factor.solve(problem.f) + problem.w;
  local.mu = problem.mu;
  return local;
}

}  // namespace stiction::testing_random
