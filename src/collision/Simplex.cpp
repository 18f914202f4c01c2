#include "collision/Simplex.hpp"

#include <limits>

#include "collision/NearestOnTriangle.hpp"

namespace stiction {
namespace {

constexpr std::array<std::array<int, 3>, 3> faces{{{0, 1, 3}, {0, 2, 3}, {1, 2, 3}}};  // with the last corner

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const Vector3& corner(const Simplex& s, int i) { return s.corners[static_cast<std::size_t>(i)].w; }

/// The corners i, j, … of s with these weights, those without left out.
template <std::size_t Count, class Weights>
Simplex keep(const Simplex& s, const std::array<int, Count>& corners, const Weights& weights) {
  Simplex out;
  for (std::size_t k = 0; k < Count; ++k) {
    const double weight = weights[static_cast<Eigen::Index>(k)];
    if (!(weight > 0)) continue;
    out.corners[static_cast<std::size_t>(out.count)] = s.corners[static_cast<std::size_t>(corners[k])];
    out.weight[static_cast<std::size_t>(out.count++)] = weight;
  }
  return out;
}

/// Nearest point on the surface of the tetrahedron, or count 4 when the origin is inside. The last corner was found beyond the other three, where the nearest point so far is: it is nearer on a face
/// with that corner.
Simplex nearestOnTetrahedron(const Simplex& s) {
  const Vector3& last = corner(s, 3);
  const Vector3 a = corner(s, 0) - last, b = corner(s, 1) - last, c = corner(s, 2) - last;
  const Vector3 ab = a.cross(b), bc = b.cross(c), ca = c.cross(a);
  const double volume = a.dot(bc);
  int best = -1;
  Vector3 weights = Vector3::Zero();
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](int face, const Vector3& normal) {
    if (-normal.dot(last) * volume > 0) return;
    const Vector3 &p = corner(s, faces[at(face)][0]), &q = corner(s, faces[at(face)][1]);
    const Vector3 here = nearestWeights(p, q, last);
    const double square = (here[0] * p + here[1] * q + here[2] * last).squaredNorm();
    if (square < least || best < 0) least = square, weights = here, best = face;
  };
  consider(0, ab);
  consider(1, ca);
  consider(2, bc);
  return best < 0 ? s : keep(s, faces[at(best)], weights);
}

}  // namespace

Simplex nearestPart(const Simplex& s) {
  switch (s.count) {
    case 1: return s;
    case 2: return keep(s, std::array{0, 1}, nearestWeights(corner(s, 0), corner(s, 1)));
    case 3: return keep(s, std::array{0, 1, 2}, nearestWeights(corner(s, 0), corner(s, 1), corner(s, 2)));
    default: return nearestOnTetrahedron(s);
  }
}

}  // namespace stiction
