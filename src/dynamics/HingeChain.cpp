#include "dynamics/HingeChain.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/QR>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr int kIterations = 30;
constexpr double kAngle = 1e-15;     // [rad] a Newton step this short is the last
constexpr double kDependent = 1e-6;  // [-] axes nearer to dependence than that count as dependent: the gimbal is locked
constexpr double kFlat = 1e-3;       // [-] area squared of two axes, volume of three unit ones, from which quotients by it have all digits but three

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// In the turn nearest to `before`.
double nearest(double angle, double before) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((before - angle) / turn);
}

/// By which `from` turns about `axis` to `to`.
double angleAbout(const Vector3& axis, const Vector3& from, const Vector3& to) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
}

}  // namespace

HingeChain::Duals dualsOf(const HingeChain::Axes& axes) {
  HingeChain::Duals duals(axes.cols(), 3);
  if (axes.cols() == 0) return duals;
  if (axes.cols() == 2) {
    const Vector3 a = axes.col(0), b = axes.col(1);
    const double aa = a.squaredNorm(), ab = a.dot(b), bb = b.squaredNorm(), area = aa * bb - ab * ab;
    if (area > kFlat * aa * bb) {
      duals << (bb * a - ab * b).transpose(), (aa * b - ab * a).transpose();
      return duals /= area;
    }
  } else if (axes.cols() == 3) {
    const Vector3 a = axes.col(0), b = axes.col(1), c = axes.col(2), across = b.cross(c);
    const double volume = a.dot(across);
    if (std::abs(volume) > kFlat) {
      duals << across.transpose(), c.cross(a).transpose(), a.cross(b).transpose();
      return duals /= volume;
    }
  }
  Eigen::CompleteOrthogonalDecomposition<HingeChain::Axes> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(axes);
  return decomposition.pseudoInverse();
}

void HingeChain::add(const Vector3& axis, const Vector3& point) {
  const int k = count();
  axes_.conservativeResize(3, k + 1);
  axes_.col(k) = axis;
  points_[at(k)] = point;
  isSpread_ = isSpread_ || point != points_[0];
}

void HingeChain::follow(const Quaternion& Q, double* angles) const {
  if (count() == 1) angles[0] = nearest(2 * std::atan2(axes_.col(0).dot(Q.vec()), Q.w()), angles[0]);
  if (count() == 2) followTwo(Q, angles);
  if (count() == 3) followThree(Q, angles);
}

void HingeChain::followTwo(const Quaternion& Q, double* angles) const {
  const Vector3 first = axes_.col(0), second = axes_.col(1);
  angles[0] = nearest(angleAbout(first, second, Q * second), angles[0]);
  angles[1] = nearest(angleAbout(second, Q.conjugate() * first, first), angles[1]);
}

void HingeChain::followThree(const Quaternion& Q, double* angles) const {
  for (int round = 0; round < kIterations; ++round) {
    Quaternion product = Quaternion::Identity();
    Axes axes(3, count());  // in the child's axes
    for (int k = count() - 1; k >= 0; --k) {
      axes.col(k) = product.conjugate() * axes_.col(k);
      product = expRotation(angles[k] * axes_.col(k)) * product;
    }
    const Vector3 change = dualsOf(axes) * logRotation(product.conjugate() * Q);
    for (int k = 0; k < count(); ++k) angles[k] += change[k];
    if (change.norm() <= kAngle) return;
  }
}

HingeChain::Place HingeChain::place(const Quaternion& A, const Quaternion& R_WC, const double* angles) const {
  Place place{Axes(3, count()), {}, {Vector3::Zero(), Vector3::Zero()}};
  Quaternion turned = A;
  for (int k = 0; k < count(); ++k) {
    place.axes.col(k) = (k > 0 && k + 1 == count() ? R_WC : turned) * axes_.col(k);
    if (k + 1 == count()) break;
    turned = turned * expRotation(angles[k] * axes_.col(k));
    place.links[at(k)] = turned * Vector3{points_[at(k) + 1] - points_[at(k)]};
  }
  if (count() == 1)
    place.duals = place.axes.transpose();
  else
    place.duals = dualsOf(place.axes);
  return place;
}

/// Ḃ: the first axis goes with the parent, the last one with the child.
HingeChain::Axes HingeChain::axesRate(const Place& place, const Vector3& angularP, const Vector3& angularC) const {
  const Vector3 angular = angularC - angularP;
  Axes rate(3, count());
  Vector3 spin = angularP;
  for (int k = 0; k < count(); ++k) {
    const Vector3 axis = place.axes.col(k);
    rate.col(k) = (k > 0 && k + 1 == count() ? angularC : spin).cross(axis);
    spin += place.duals.row(k).dot(angular) * axis;
  }
  return rate;
}

Eigen::Vector3d HingeChain::bends(const Place& place, const Vector3& angularP, const Vector3& angularC) const {
  Eigen::Vector3d bends = Eigen::Vector3d::Zero();
  if (count() < 2) return bends;  // about its own axis
  const Vector3 angular = angularC - angularP;
  const Axes rate = axesRate(place, angularP, angularC);
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1> speeds = place.duals * angular;
  const Vector3 left = angular - place.axes * speeds;
  bends.head(count()) = place.duals * (place.duals.transpose() * (rate.transpose() * left) - rate * speeds);
  return bends;
}

Matrix3 HingeChain::reachRate(const Place& place) const {
  Matrix3 K = Matrix3::Zero();
  Vector3 reach = place.reach();
  for (int k = 0; k + 1 < count(); ++k) {
    K += Vector3{place.axes.col(k)}.cross(reach) * place.duals.row(k);
    reach -= place.links[at(k)];
  }
  return K;
}

Vector3 HingeChain::reachBend(const Place& place, const Vector3& angularP, const Vector3& angularC) const {
  const Vector3 angular = angularC - angularP;
  const Axes rate = axesRate(place, angularP, angularC);
  const Eigen::Vector3d bend = bends(place, angularP, angularC);
  Vector3 spin = angularP, change = Vector3::Zero(), sum = Vector3::Zero();
  for (int k = 0; k + 1 < count(); ++k) {
    const double speed = place.duals.row(k).dot(angular);
    spin += speed * place.axes.col(k);
    change += speed * rate.col(k) + bend[k] * place.axes.col(k);
    const Vector3& link = place.links[at(k)];
    sum += spin.cross(spin.cross(link)) + change.cross(link);
  }
  return sum;
}

}  // namespace stiction
