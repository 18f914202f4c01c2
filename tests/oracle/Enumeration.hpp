// Every answer of a tiny friction problem by brute force: each contact open, sticking or sliding, 3ⁿ combinations, and for each a Newton iteration from eight directions per
// sliding contact on
//   stick  (W r + q)_i = 0 ;   slip  (W r + q)_i = (0, s e) with r_i = r_n (1, −μ e), e = (cos θ, sin θ), unknowns r_n, θ, s .
// A root counts when its inequalities hold: stick inside the cone, slip with r_n >= 0 and s >= 0, open with u_n >= 0. Shares no code with the solvers or the certificate.
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction::enumeration {

enum class ContactState { Open, Stick, Slip };

inline MatrixX denseDelassus(const LocalContactProblem& problem) {
  MatrixX W = MatrixX::Zero(3 * problem.contacts(), 3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i)
    for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
      W.block(3 * i, 3 * problem.column[static_cast<std::size_t>(k)], 3, 3) += problem.blocks[static_cast<std::size_t>(k)];
  return W;
}

class Enumeration {
 public:
  explicit Enumeration(const LocalContactProblem& problem)
      : W_{denseDelassus(problem)}, q_{problem.q}, mu_{problem.mu}, states_(mu_.size(), ContactState::Open) {}

  /// The impulses r of every answer found.
  std::vector<VectorX> answers() {
    choose(0);
    return found_;
  }

 private:
  static constexpr int kDirections = 8;

  void choose(std::size_t contact) {
    if (contact == states_.size()) return start();
    for (const ContactState state : {ContactState::Open, ContactState::Stick, ContactState::Slip}) {
      states_[contact] = state;
      choose(contact + 1);
    }
  }

  void start() {
    int sliding = 0;
    for (const ContactState state : states_) sliding += state == ContactState::Slip;
    int starts = 1;
    for (int k = 0; k < sliding; ++k) starts *= kDirections;
    for (int k = 0; k < starts; ++k) {
      VectorX x = VectorX::Zero(q_.size());
      int code = k;
      for (std::size_t i = 0; i < states_.size(); ++i)
        if (states_[i] == ContactState::Slip) {
          x.segment<3>(3 * static_cast<Eigen::Index>(i)) = Vector3{1, 2 * M_PI * (code % kDirections + 0.3) / kDirections, 1};
          code /= kDirections;
        }
      newton(x);
      if (sliding == 0) break;
    }
  }

  Vector3 impulse(Eigen::Index i, const Vector3& x) const {
    if (states_[static_cast<std::size_t>(i)] != ContactState::Slip) return x;
    return {x[0], -mu_[i] * x[0] * std::cos(x[1]), -mu_[i] * x[0] * std::sin(x[1])};
  }

  /// Residual and Jacobian; open contacts keep r = 0 by identity rows.
  void evaluate(const VectorX& x, VectorX& residual, MatrixX& jacobian) const {
    const Eigen::Index n = mu_.size();
    VectorX r(3 * n);
    MatrixX dr = MatrixX::Zero(3 * n, 3 * n), du = MatrixX::Zero(3 * n, 3 * n);
    VectorX u = VectorX::Zero(3 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Vector3 xi = x.segment<3>(3 * i);
      r.segment<3>(3 * i) = impulse(i, xi);
      if (states_[static_cast<std::size_t>(i)] != ContactState::Slip) {
        dr.block<3, 3>(3 * i, 3 * i).setIdentity();
        continue;
      }
      const double c = std::cos(xi[1]), s = std::sin(xi[1]);
      dr.block<3, 3>(3 * i, 3 * i) << 1, 0, 0, -mu_[i] * c, mu_[i] * xi[0] * s, 0, -mu_[i] * s, -mu_[i] * xi[0] * c, 0;
      u.segment<3>(3 * i) = Vector3{0, xi[2] * c, xi[2] * s};
      du.block<3, 3>(3 * i, 3 * i) << 0, 0, 0, 0, -xi[2] * s, c, 0, xi[2] * c, s;
    }
    residual = W_ * r + q_ - u;
    jacobian = W_ * dr - du;
    for (Eigen::Index i = 0; i < n; ++i)
      if (states_[static_cast<std::size_t>(i)] == ContactState::Open) {
        residual.segment<3>(3 * i) = x.segment<3>(3 * i);
        jacobian.middleRows(3 * i, 3).setZero();
        jacobian.block<3, 3>(3 * i, 3 * i).setIdentity();
      }
  }

  void newton(VectorX x) {
    VectorX residual;
    MatrixX jacobian;
    for (int k = 0; k < 60; ++k) {
      evaluate(x, residual, jacobian);
      const VectorX step = jacobian.fullPivLu().solve(residual);
      if (!step.allFinite()) return;
      x -= std::min(1.0, 3 / step.norm()) * step;
      if (step.norm() <= 1e-15 * (1 + x.norm())) break;
    }
    evaluate(x, residual, jacobian);
    if (residual.norm() <= 1e-11 * (1 + q_.norm())) accept(x);
  }

  void accept(const VectorX& x) {
    const double slack = 1e-10 * (1 + q_.norm());
    VectorX r(x.size());
    for (Eigen::Index i = 0; i < mu_.size(); ++i) r.segment<3>(3 * i) = impulse(i, x.segment<3>(3 * i));
    const VectorX u = W_ * r + q_;
    for (Eigen::Index i = 0; i < mu_.size(); ++i) {
      const ContactState state = states_[static_cast<std::size_t>(i)];
      const Vector3 ri = r.segment<3>(3 * i);
      if (state == ContactState::Open && u[3 * i] < -slack) return;
      if (state == ContactState::Stick && std::hypot(ri[1], ri[2]) > mu_[i] * ri[0] + slack) return;
      if (state == ContactState::Slip && (ri[0] < -slack || x[3 * i + 2] < -slack)) return;
    }
    for (const VectorX& known : found_)
      if ((known - r).norm() <= 1e-7 * (1 + r.norm())) return;
    found_.push_back(r);
  }

  MatrixX W_;
  VectorX q_, mu_;
  std::vector<ContactState> states_;
  std::vector<VectorX> found_;
};

}  // namespace stiction::enumeration
