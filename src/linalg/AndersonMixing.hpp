// Anderson's mixing (type II, Walker & Ni 2011), begun anew when `depth` differences are held: of the images of the last points of a fixed-point map the affine combination whose misfit,
// image less point, is least. On a linear map it is GMRES. The misfits' differences as Q R by modified Gram–Schmidt, sums in a fixed order.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

/// Of a map whose images are `Parts` vectors each.
template <std::size_t Parts>
class AndersonMixing {
 public:
  using Image = std::array<VectorX*, Parts>;

  explicit AndersonMixing(std::size_t depth) : columns_(depth) {
    for (Column& column : columns_) column.triangle.reserve(depth);
  }

  /// Forgets all points.
  void reset() { held_ = 0, hasLast_ = false; }

  /// Mixes the image of the next point with those of the points before. `misfit`: its image less the point, in the metric to mix in.
  void mix(const VectorX& misfit, const Image& image) {
    if (held_ == columns_.size()) held_ = 0;
    if (hasLast_) hold(misfit, image);
    hasLast_ = true;
    lastMisfit_ = misfit;
    for (std::size_t part = 0; part < Parts; ++part) lastImage_[part] = *image[part];
    for (std::size_t k = held_; k-- > 0;) {
      double weight = columns_[k].direction.dot(misfit);
      for (std::size_t j = k + 1; j < held_; ++j) weight -= columns_[j].triangle[k] * columns_[j].weight;
      columns_[k].weight = weight / columns_[k].triangle[k];
    }
    for (std::size_t k = 0; k < held_; ++k)
      for (std::size_t part = 0; part < Parts; ++part) *image[part] -= columns_[k].weight * columns_[k].image[part];
  }

 private:
  struct Column {
    VectorX direction;             // of Q
    std::vector<double> triangle;  // of R
    std::array<VectorX, Parts> image;
    double weight{0};
  };

  /// The differences to the last point, unless they bring nothing new.
  void hold(const VectorX& misfit, const Image& image) {
    constexpr double dependent = 1e-10;  // [-] of the difference
    Column& column = columns_[held_];
    column.direction = misfit - lastMisfit_;
    const double size = column.direction.norm();
    column.triangle.resize(held_ + 1);
    for (std::size_t j = 0; j < held_; ++j) {
      column.triangle[j] = columns_[j].direction.dot(column.direction);
      column.direction -= column.triangle[j] * columns_[j].direction;
    }
    const double left = column.direction.norm();
    if (!(left > dependent * size) || !std::isfinite(left)) return;
    column.triangle[held_] = left;
    column.direction /= left;
    for (std::size_t part = 0; part < Parts; ++part) column.image[part] = *image[part] - lastImage_[part];
    ++held_;
  }

  std::vector<Column> columns_;
  std::size_t held_{0};
  bool hasLast_{false};
  VectorX lastMisfit_;
  std::array<VectorX, Parts> lastImage_;
};

}  // namespace stiction
