// Questions to a polytope with many faces, whose tree leaves most of them unasked. Points in the polytope's own frame.
#pragma once
#include <vector>

#include "geometry/Shape.hpp"

namespace stiction {

/// Height [m] of x over the plane of a face.
double heightOver(const Polytope& polytope, int face, const Vector3& x);

/// A face that x is higher above than above those that it meets at edges; found from `face` on. Mostly the one that x is highest above.
int climbFaces(const Polytope& polytope, int face, const Vector3& x);

/// The faces that x is `least` [m] or more above (less: below), with some more for corners off their planes; ascending.
void facesUnder(const Polytope& polytope, const Vector3& x, double least, std::vector<int>& faces);

/// The edges of such faces, ascending.
void edgesUnder(const Polytope& polytope, const Vector3& x, double least, std::vector<int>& edges);

/// Calls take(edge) for them, or for all edges of a polytope with few faces, ascending.
template <class Take>
[[gnu::always_inline]] inline void eachEdgeUnder(const Polytope& polytope, const Vector3& x, double least, const Take& take) {
  if (polytope.tree.empty()) {
    for (int i = 0; i < static_cast<int>(polytope.edges.size()); ++i) take(i);
    return;
  }
  static thread_local std::vector<int> edges;
  edgesUnder(polytope, x, least, edges);
  for (const int i : edges) take(i);
}

}  // namespace stiction
