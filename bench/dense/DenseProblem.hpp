// Random friction problems of densely touching bodies: several contacts on each of several pairs of every body, masses from 1 to 1e6, friction up to 1.5, bodies that slide over one
// another. v = 0 opens or closes no contact, so each problem has an answer.
#pragma once
#include <algorithm>
#include <cmath>

#include "RandomProblems.hpp"

namespace stiction::bench {

class DenseProblemMaker {
 public:
  explicit DenseProblemMaker(std::uint64_t seed) : random_{seed} {}

  ContactProblem make() {
    const int bodies = random_.integer(3, 24), pairs = bodies * random_.integer(2, 6);
    addBodies(bodies);
    for (int p = 0; p < pairs; ++p) {
      int lower = random_.chance(0.15) ? -1 : random_.integer(0, bodies - 2);  // -1: the ground
      const int upper = random_.integer(lower + 1, bodies - 1);
      addPatch(lower, upper);
    }
    finish();
    return problem_;
  }

 private:
  void addBodies(int bodies) {
    const double decades = random_.uniform(0, 6), speed = std::pow(10, random_.uniform(-2, 1));
    problem_.f.resize(6 * bodies);
    for (int k = 0; k < bodies; ++k) {
      const double mass = std::pow(10, random_.uniform(0, decades)), size = random_.uniform(0.05, 0.5);
      const Vector3 a{random_.uniform(0.2, 1), random_.uniform(0.2, 1), random_.uniform(0.2, 1)};
      const Matrix3 R = random_.rotation();
      const Matrix3 inertia = R * Vector3{a[1] * a[1] + a[2] * a[2], a[0] * a[0] + a[2] * a[2], a[0] * a[0] + a[1] * a[1]}.asDiagonal() * R.transpose();
      Matrix6 M = Matrix6::Zero();
      M.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
      M.bottomRightCorner<3, 3>() = mass * size * size / 3 * 0.5 * (inertia + inertia.transpose());
      problem_.M.addBlock(M.data(), 6);
      sizes_.push_back(size);
      const double own = random_.chance(0.3) ? 0 : speed;
      Vector6 velocity;
      velocity << random_.vector(own) + Vector3{0, 0, -kFall}, random_.vector(own);
      problem_.f.segment<6>(6 * k) = M * velocity;
    }
  }

  /// One to six contacts around a point, with normals that differ a little: two rough faces that meet.
  void addPatch(int lower, int upper) {
    const Vector3 normal = random_.direction(), armUpper = random_.vector(size(upper)), armLower = lower < 0 ? Vector3::Zero() : random_.vector(size(lower));
    const double width = 0.5 * (lower < 0 ? size(upper) : std::min(size(upper), size(lower)));
    const double mu = random_.chance(0.1) ? 0 : random_.uniform(0, 1.5), rough = random_.chance(0.5) ? 0 : 0.1;
    for (int count = random_.integer(1, 6); count > 0; --count) {
      const Vector3 n = (normal + random_.vector(rough)).normalized(), side = n.cross(std::abs(n[0]) < 0.6 ? Vector3{1, 0, 0} : Vector3{0, 1, 0}).normalized();
      const Vector3 spread = random_.vector(width), shift = spread - n.dot(spread) * n;
      Matrix3 frame;
      frame << n, side, n.cross(side);
      addSegment(upper, 1, armUpper + shift, frame);
      if (lower >= 0) addSegment(lower, -1, armLower + shift, frame);
      problem_.H.endGroup();
      mu_.push_back(mu);
      gap_.push_back(random_.chance(0.2) ? random_.uniform(0, 0.3) : 0);
    }
  }

  void addSegment(int body, double sign, const Vector3& arm, const Matrix3& frame) {
    Eigen::Matrix<double, 6, 3> J;
    J << sign * frame, sign * testing_random::skew(arm) * frame;
    problem_.H.addSegment(body, 6 * body, 6, J.data());
  }

  void finish() {
    const auto contacts = static_cast<Eigen::Index>(mu_.size());
    problem_.mu = Eigen::Map<const VectorX>{mu_.data(), contacts};
    problem_.b = VectorX::Zero(0);
    problem_.w = VectorX::Zero(3 * contacts);
    for (Eigen::Index i = 0; i < contacts; ++i) problem_.w[3 * i] = gap_[static_cast<std::size_t>(i)];
    problem_.wScale = problem_.w;
  }

  double size(int body) const { return sizes_[static_cast<std::size_t>(body)]; }

  static constexpr double kFall = 0.0981;  // [m/s] gravity for 10 ms

  testing_random::Random random_;
  ContactProblem problem_;
  std::vector<double> sizes_, mu_, gap_;
};

}  // namespace stiction::bench
