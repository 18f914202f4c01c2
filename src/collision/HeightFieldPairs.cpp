#include "collision/HeightFieldPairs.hpp"

#include <algorithm>
#include <cmath>

#include "collision/SurfaceContact.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Grid points (c, r); cell (c, r) holds triangles 2i: (c,r) (c+1,r) (c+1,r+1) and 2i+1: (c,r) (c+1,r+1) (c,r+1), i = r (columns − 1) + c.
class Terrain final : public TriangleSurface {
 public:
  explicit Terrain(const HeightField& field) : field_{field}, dx_{2 * field.rx / (field.columns - 1)}, dy_{2 * field.ry / (field.rows - 1)} {}

  double dx() const { return dx_; }
  double dy() const { return dy_; }

  bool has(int c, int r) const { return c >= 0 && r >= 0 && c < field_.columns && r < field_.rows; }
  double height(int c, int r) const { return field_.heights[at(r) * at(field_.columns) + at(c)]; }
  Vector3 point(int c, int r) const { return {-field_.rx + c * dx_, -field_.ry + r * dy_, height(c, r)}; }

  /// The triangle over or under a point; -1: none.
  int triangleAt(const Vector3& p) const {
    const double x = (p.x() + field_.rx) / dx_, y = (p.y() + field_.ry) / dy_;
    const int c = static_cast<int>(std::floor(x)), r = static_cast<int>(std::floor(y));
    if (!has(c, r) || !has(c + 1, r + 1)) return -1;
    return 2 * (r * (field_.columns - 1) + c) + (y - r > x - c ? 1 : 0);
  }

  std::array<Vector3, 3> corners(int triangle) const override {
    std::array<Vector3, 3> result;
    for (int k = 0; k < 3; ++k) {
      const auto [c, r] = grid(triangle, k);
      result[at(k)] = point(c, r);
    }
    return result;
  }

  bool across(int triangle, int k, Vector3& corner) const override {
    static constexpr int lower[3][2] = {{0, -1}, {2, 1}, {0, 1}};  // offsets from (c, r) for triangle 2i, edges 0 to 2
    static constexpr int upper[3][2] = {{1, 0}, {1, 2}, {-1, 0}};
    const auto [c, r] = grid(triangle, 0);
    const int* offset = triangle % 2 == 0 ? lower[k] : upper[k];
    if (!has(c + offset[0], r + offset[1])) return false;
    corner = point(c + offset[0], r + offset[1]);
    return true;
  }

  void ring(int triangle, int k, std::vector<Vector3>& neighbours) const override {
    static constexpr int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const auto [c, r] = grid(triangle, k);
    for (const auto& step : steps)
      if (has(c + step[0], r + step[1])) neighbours.push_back(point(c + step[0], r + step[1]));
  }

 private:
  std::pair<int, int> grid(int triangle, int k) const {
    static constexpr int lower[3][2] = {{0, 0}, {1, 0}, {1, 1}};
    static constexpr int upper[3][2] = {{0, 0}, {1, 1}, {0, 1}};
    const int cell = triangle / 2;
    const int* offset = triangle % 2 == 0 ? lower[k] : upper[k];
    return {cell % (field_.columns - 1) + offset[0], cell / (field_.columns - 1) + offset[1]};
  }

  const HeightField& field_;
  double dx_, dy_;  // [m] grid spacing
};

/// First and last cell along one axis that [low, high] meets; first > last when none.
std::pair<int, int> cells(double low, double high, double half, double spacing, int points) {
  const double last = points - 2;
  if (high < -half || low > half) return {1, 0};
  return {static_cast<int>(std::clamp(std::floor((low + half) / spacing), 0.0, last)),
          static_cast<int>(std::clamp(std::floor((high + half) / spacing), 0.0, last))};
}

}  // namespace

void collideConvexHeightField(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const HeightField& field = *b.heightField;
  const Pose X_SA = X_WB.inverse() * X_WA;
  const auto [low, high] = bounds(a, X_SA);
  if (high.z() < -field.bottom) return;  // wholly under the base
  const Terrain terrain{field};
  const auto [c0, c1] = cells(low.x() - reach, high.x() + reach, field.rx, terrain.dx(), field.columns);
  const auto [r0, r1] = cells(low.y() - reach, high.y() + reach, field.ry, terrain.dy(), field.rows);
  const ConvexShape shape{a, X_SA};
  thread_local SurfaceContact contact;
  contact.begin(shape, reach, true);
  for (int r = r0; r <= r1; ++r)
    for (int c = c0; c <= c1; ++c) {
      const double top = std::max({terrain.height(c, r), terrain.height(c + 1, r), terrain.height(c, r + 1), terrain.height(c + 1, r + 1)});
      if (top < low.z() - reach) continue;
      const int cell = r * (field.columns - 1) + c;
      contact.touch(terrain, 2 * cell);
      contact.touch(terrain, 2 * cell + 1);
    }
  if (const int under = contact.isEmpty() ? terrain.triangleAt(shape.centre()) : -1; under >= 0) contact.keepAbove(terrain, under);
  contact.finish(X_WB, out);
}

}  // namespace stiction
