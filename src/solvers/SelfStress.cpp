#include "solvers/SelfStress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How far a loaded impulse may go along d before its contact opens or, where it sticks, reaches the rim.
double reach(const Vector3& r, const Vector3& d, double mu, bool sticks) {
  const double opens = d[0] < 0 ? -r[0] / d[0] : kInfinity;
  if (!sticks || !(mu > 0)) return opens;
  // ‖r_T + s d_T‖ = μ (r_n + s d_n):  a s² + 2 b s + c = 0 with c <= 0
  const double radius = mu * r[0], growth = mu * d[0];
  const double a = d.tail<2>().squaredNorm() - growth * growth, b = r.tail<2>().dot(d.tail<2>()) - radius * growth;
  const double c = std::min(0.0, r.tail<2>().squaredNorm() - radius * radius), discriminant = b * b - a * c;
  if (discriminant < 0) return opens;
  const double root = std::sqrt(discriminant);
  if (b > 0) return std::min(opens, -c / (b + root));
  return a > 0 ? std::min(opens, (root - b) / a) : opens;
}

}  // namespace

void SelfStress::findMisfits(const VelocitySystem& system, const VectorX& r, const VectorX& u) {
  const ContactProblem& problem = system.problem();
  states_.resize(at(problem.contacts())), misfit_.resize(at(problem.contacts()));
  worst_ = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const Vector3 ri = r.segment<3>(3 * i), ui = u.segment<3>(3 * i);
    const double mu = problem.mu[i], omega = system.omega(i);
    states_[at(i)] = ri[0] > 0 ? alartCurnierState(ri - ui / omega, mu) : ContactState::Open;
    misfit_[at(i)] = states_[at(i)] == ContactState::Open ? 0.0 : contactResidual(ri, ui, mu, omega);
    worst_ = std::max(worst_, misfit_[at(i)]);
  }
}

void SelfStress::indexContacts(const ContactProblem& problem) {
  start_.assign(at(problem.M.blocks()) + 1, 0);
  for (const BlockColumns::Segment& g : problem.H.segments) ++start_[at(g.block) + 1];
  for (std::size_t b = 1; b < start_.size(); ++b) start_[b] += start_[b - 1];
  next_.assign(start_.begin(), start_.end() - 1);
  contactsOf_.resize(problem.H.segments.size());
  for (int i = 0; i < problem.contacts(); ++i)
    for (int s = problem.H.start[at(i)]; s < problem.H.start[at(i) + 1]; ++s) contactsOf_[at(next_[at(problem.H.segments[at(s)].block)]++)] = i;
}

/// The contacts around the seed, over bodies that they share, whose misfit is of its size.
void SelfStress::collectGroup(const ContactProblem& problem, int seed) {
  constexpr double ofItsSize = 0.05;
  group_.assign(1, seed);
  taken_[at(seed)] = 1;
  for (std::size_t k = 0; k < group_.size(); ++k)
    for (int s = problem.H.start[at(group_[k])]; s < problem.H.start[at(group_[k]) + 1]; ++s) {
      const int block = problem.H.segments[at(s)].block;
      for (int n = start_[at(block)]; n < start_[at(block) + 1]; ++n) {
        const int j = contactsOf_[at(n)];
        if (taken_[at(j)] || !(misfit_[at(j)] > ofItsSize * misfit_[at(seed)])) continue;
        taken_[at(j)] = 1;
        group_.push_back(j);
      }
    }
}

void SelfStress::findDirections(const VelocitySystem& system, const VectorX& r) {
  directions_.clear();
  for (const int i : group_) {
    const double unit = 1.0 / std::sqrt(system.omega(i));
    if (states_[at(i)] == ContactState::Stick) {
      for (int k = 0; k < 3; ++k) directions_.push_back({i, unit * Vector3::Unit(k)});
    } else {
      const double tangential = tangentialNorm(r.segment<3>(3 * i)), slope = tangential > 0 ? system.problem().mu[i] / tangential : 0;
      directions_.push_back({i, unit * Vector3{1, slope * r[3 * i + 1], slope * r[3 * i + 2]}});
    }
  }
}

void SelfStress::buildGram(const VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  const BlockColumns& H = problem.H;
  const auto product = [&](const Direction& a, const Direction& b) {
    double sum = 0;
    for (int s = H.start[at(a.contact)]; s < H.start[at(a.contact) + 1]; ++s)
      for (int t = H.start[at(b.contact)]; t < H.start[at(b.contact) + 1]; ++t) {
        const BlockColumns::Segment &g = H.segments[at(s)], &h = H.segments[at(t)];
        if (g.block != h.block) continue;
        const int first = std::max(g.row, h.row), last = std::min(g.row + g.size, h.row + h.size);
        for (int row = first; row < last; ++row) {
          const double *x = H.values.data() + g.offset + row - g.row, *y = H.values.data() + h.offset + row - h.row;
          const double left = x[0] * a.impulse[0] + x[g.size] * a.impulse[1] + x[2 * g.size] * a.impulse[2];
          const double right = y[0] * b.impulse[0] + y[h.size] * b.impulse[1] + y[2 * h.size] * b.impulse[2];
          sum += left * right / system.massDiagonal()[row];
        }
      }
    return sum;
  };
  const int n = static_cast<int>(directions_.size());
  gram_.resize(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) gram_(i, j) = product(directions_[at(i)], directions_[at(j)]);
}

bool SelfStress::moveGroup(const VelocitySystem& system, const VectorX& u, VectorX& r) {
  constexpr double null = 1e-3;  // [-] of the largest eigenvalue: rows of balls that are not quite straight
  constexpr double most = 0.5;   // [-] of the misfit that is to be one of self-stress
  constexpr double past = 1e-9;  // [-] beyond the border
  const ContactProblem& problem = system.problem();
  findDirections(system, r);
  buildGram(system);
  modes_.compute(gram_);
  const int n = static_cast<int>(directions_.size());
  rate_.resize(n);
  for (int k = 0; k < n; ++k) {
    const auto& [contact, impulse] = directions_[at(k)];
    const bool sticks = states_[at(contact)] == ContactState::Stick;
    rate_[k] = sticks ? -impulse.dot(u.segment<3>(3 * contact)) : -impulse[0] * u[3 * contact];
  }
  shift_.setZero(n);
  double softness = 0;
  for (int k = 0; k < n && modes_.eigenvalues()[k] <= null * modes_.eigenvalues()[n - 1]; ++k) {
    const double part = modes_.eigenvectors().col(k).dot(rate_);
    shift_ += part * modes_.eigenvectors().col(k);
    softness += part * part * std::max(0.0, modes_.eigenvalues()[k]);
  }
  if (!(shift_.norm() > most * rate_.norm())) return false;
  double length = shift_.squaredNorm() / softness;
  const auto impulseOf = [&](std::size_t& k) {
    const int contact = directions_[k].contact;
    Vector3 d = Vector3::Zero();
    for (; k < directions_.size() && directions_[k].contact == contact; ++k) d += shift_[static_cast<Eigen::Index>(k)] * directions_[k].impulse;
    return d;
  };
  for (std::size_t k = 0; k < directions_.size();) {
    const int i = directions_[k].contact;
    const Vector3 d = impulseOf(k);
    length = std::min(length, (1 + past) * reach(r.segment<3>(3 * i), d, problem.mu[i], states_[at(i)] == ContactState::Stick));
  }
  if (!std::isfinite(length)) return false;
  for (std::size_t k = 0; k < directions_.size();) {
    const int i = directions_[k].contact;
    r.segment<3>(3 * i) += length * impulseOf(k);
  }
  return true;
}

int SelfStress::release(const VelocitySystem& system, const VectorX& u, double floor, VectorX& r) {
  constexpr double standsOut = 1e-2;  // [-] of the worst misfit: what is smaller holds nothing up
  const ContactProblem& problem = system.problem();
  if (problem.R.size() != 0) return 0;  // compliance bears what does not fit
  findMisfits(system, r, u);
  indexContacts(problem);
  order_.clear();
  for (int i = 0; i < problem.contacts(); ++i)
    if (misfit_[at(i)] > std::max(floor, standsOut * worst_)) order_.push_back(i);
  std::sort(order_.begin(), order_.end(), [this](int a, int b) { return misfit_[at(a)] > misfit_[at(b)] || (misfit_[at(a)] == misfit_[at(b)] && a < b); });
  taken_.assign(at(problem.contacts()), 0);
  int moved = 0;
  for (const int seed : order_) {
    if (taken_[at(seed)]) continue;
    collectGroup(problem, seed);
    if (group_.size() > 1 && group_.size() <= at(kMostContacts) && moveGroup(system, u, r)) ++moved;
  }
  return moved;
}

}  // namespace stiction
