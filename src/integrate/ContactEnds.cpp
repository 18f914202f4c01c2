#include "integrate/ContactEnds.hpp"

#include <algorithm>
#include <utility>

namespace stiction {
namespace {

constexpr double kHeadway = 0.5;  // [-] of the last miss: what another trial is worth it for
constexpr int kMostStrays = 6;    // that are counted

}  // namespace

bool ContactEnds::enter(double h) {
  step_ = h;
  const std::vector<int>& used = problem_->used;
  const auto isSame = [&](int k, const FeatureKey& key) { return island_->contacts[static_cast<std::size_t>(k)].key == key; };
  const bool same = !std::exchange(isFirst_, false) && std::equal(used.begin(), used.end(), keys_.begin(), keys_.end(), isSame);
  entered_ = problem_->assembly.problem.w.head(static_cast<Eigen::Index>(3 * used.size()));
  if (same) return true;
  keys_.clear();
  for (const int k : used) keys_.push_back(island_->contacts[static_cast<std::size_t>(k)].key);
  aimed_.setZero(entered_.size());
  isTried_ = !island_->bouncing && mayTry();
  isOver_ = !isTried_;
  isDear_ = false;
  last_ = std::numeric_limits<double>::infinity();
  return false;
}

bool ContactEnds::mayTry() const {
  int most = 0;
  for (const FeatureKey& key : keys_)
    if (const ContactMemory* entry = island_->memoryOf(key)) most = std::max<int>(most, entry->strays);
  return island_->stepNumber % (std::int64_t{1} << std::max(most - 1, 0)) == 0;
}

void ContactEnds::remember(bool mended) {
  if (!isTried_) return;
  for (const FeatureKey& key : keys_) {
    ContactMemory* entry = island_->memoryOf(key);
    if (entry == nullptr) continue;
    if ((mended || isDear_) && entry->strays < kMostStrays) ++entry->strays;
    if (!mended && !isDear_ && entry->strays > 0) --entry->strays;
  }
}

void ContactEnds::aim(const Eigen::Ref<const VectorX>& e) {
  aimed_ = e;
  problem_->assembly.problem.w.head(entered_.size()) = entered_ + aimed_;
}

bool ContactEnds::find(const VectorX& rates, Eigen::Ref<VectorX> misses) {
  misses.setZero();
  if (isOver_) return false;
  parts_.clear();
  double worst = 0;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const Contact* end = findContact(island_->contacts, keys_[k]);
    if (end == nullptr) continue;
    parts_.push_back(partOf(k, *end, step_ * rates.segment<3>(static_cast<Eigen::Index>(3 * k))));
    if (parts_.back().isOff) worst = std::max(worst, parts_.back().miss.norm() / step_);
  }
  isOver_ = worst > kHeadway * std::exchange(last_, worst);
  if (isOver_ || worst == 0) return false;
  fitMotions();
  for (const Part& part : parts_) misses.segment<3>(static_cast<Eigen::Index>(3 * part.contact)) = part.miss / step_;
  return true;
}

/// The k-th contact at its end, where its velocity alone would have gone `way` [m].
ContactEnds::Part ContactEnds::partOf(std::size_t k, const Contact& end, const Vector3& way) const {
  const Contact& start = startOf(k);
  const double size = island_->pairSize(start.key), stays = island_->stays() * size, anchorStays = island_->anchorStays() * size;
  const double touch = std::max(Island::kTouch * size, stays);
  const auto n = static_cast<Eigen::Index>(3 * k);
  const bool loaded = problem_->impulseOf(k)[0] > 0;
  const double left = start.gap - step_ * (entered_[n] - problem_->assembly.surface[n]);  // of its gap, where it was not to close by all of it
  double gap = end.gap - (std::abs(left) > touch ? left : 0.0);
  if (!loaded) gap = std::min(gap, 0.0);
  const ContactMemory* entry = island_->memoryOf(start.key);
  const bool anchored = entry != nullptr && entry->anchored;
  Vector2 slid = Vector2::Zero(), bend = Vector2::Zero();
  if (anchored) {
    const auto tangents = problem_->assembly.frames[k].rightCols<2>();
    const Vector2 before = tangents.transpose() * entry->anchor;
    slid = tangents.transpose() * island_->anchorAfter(*entry, start, &end, step_);
    bend = slid - before - way.tail<2>();
    if (before.norm() > Island::kStray * size) slid -= before;
  }
  const bool bends = std::abs(end.gap - start.gap - way[0]) > stays || bend.norm() > anchorStays || !aimed_.segment<3>(n).isZero(0.0);
  const bool isOff = bends && (gap < -stays || gap > touch || slid.norm() > anchorStays);
  return {k, loaded || gap < 0, anchored, isOff, bends ? Vector3{gap, slid[0], slid[1]} : Vector3{Vector3::Zero()}};
}

/// Contacts of the same two bodies, off by what no motion of these takes back, would pull against each other: misses are to be those of a motion.
void ContactEnds::fitMotions() {
  const auto bodies = [this](const Part& part) { return std::pair{startOf(part.contact).bodyA, startOf(part.contact).bodyB}; };
  std::sort(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) { return std::pair{bodies(a), a.contact} < std::pair{bodies(b), b.contact}; });
  for (auto first = parts_.begin(); first != parts_.end();) {
    const auto last = std::find_if(first, parts_.end(), [&](const Part& part) { return bodies(part) != bodies(*first); });
    if (last - first > 1) fitMotion({first, last});
    first = last;
  }
}

/// The motion of B against A that comes nearest to the misses, by least squares, and is no larger than need be, in place of these; also of contacts that slip, beside others that do not.
void ContactEnds::fitMotion(std::span<Part> parts) const {
  constexpr double kLeast = 1e-12;  // [-] of the square's trace: what directions that no contact sees are held by
  using Motion = Eigen::Matrix<double, 6, 1>;
  Vector3 middle = Vector3::Zero();
  for (const Part& part : parts) middle += startOf(part.contact).point;
  middle /= static_cast<double>(parts.size());
  double size = 0;
  for (const Part& part : parts) size = std::max(size, (startOf(part.contact).point - middle).norm());
  if (!(size > 0)) size = 1;
  const bool some = std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.tangents; });
  const auto rateOf = [&](const Part& part, int axis) {
    const Vector3 direction = problem_->assembly.frames[part.contact].col(axis);
    return Motion{(Motion{} << direction, (startOf(part.contact).point - middle).cross(direction) / size).finished()};
  };
  Eigen::Matrix<double, 6, 6> square = Eigen::Matrix<double, 6, 6>::Zero();
  Motion right = Motion::Zero();
  for (const Part& part : parts)
    for (int axis = 0; axis < 3; ++axis) {
      if (!(axis == 0 ? part.normal : part.tangents)) continue;
      const Motion rate = rateOf(part, axis);
      square += rate * rate.transpose();
      right += part.miss[axis] * rate;
    }
  square.diagonal().array() += kLeast * square.trace();
  const Motion motion = square.ldlt().solve(right);
  for (Part& part : parts)
    for (int axis = 0; axis < 3; ++axis)
      if (axis == 0 ? part.normal : some) part.miss[axis] = rateOf(part, axis).dot(motion);
}

void ContactEnds::account(EnergyLedger& ledger) const {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const Vector3 e = aimOf(k), r = problem_->impulseOf(k);
    const double normal = 0.5 * r[0] * e[0], tangential = r.tail<2>().dot(e.tail<2>());
    ledger.impact -= normal;
    ledger.friction -= tangential;
    ledger.scheme += normal + tangential;
  }
}

}  // namespace stiction
