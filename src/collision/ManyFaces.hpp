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

}  // namespace stiction
