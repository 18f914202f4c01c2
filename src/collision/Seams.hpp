// Geoms that lie flush, as tiles of a floor or planks of a table, are one surface: the edge of one of them, where another one goes on, is no obstacle. Nearest points of single pairs
// do not know: a ball that rolls over A sees B's edge ahead, with a normal that leans against it, and a disc that slides sees a wall of no height.
//
// A contact of S, of a dynamic body, with B, at p on B, is an edge in a seam where S also has a contact with A, no farther away, at q on A with the normal m out of A, and
//
//   m·(p − q) = 0 and p is in A     A goes on to where B begins,
//   m·(x − q) <= 0 for x in B       B does not rise above A's tangent plane, and
//   m·(v_B − v_A) <= 0 at p         is not about to.
//
// From p the way to q, inside of A, leads nearer to S (the distance from a convex S is convex along it): p is no nearest point of what A and B are together. Whatever else of S's contacts
// with B leans the same way is wrong by the same tilt: where S is over B it becomes one with the plane of A, else it goes, too. A tile found so goes on to the next one.
// Contacts of two polytopes that touch are left to dropCoveredFlushEdges, which knows their edges. Cost: a look at each contact, and where
// edges are near, at each pair of contacts of a geom.
#pragma once
#include <vector>

#include "collision/Contact.hpp"

namespace stiction {

class Seams {
 public:
  /// `radius` [m]: size of each geom. Both must outlive this object.
  Seams(const Model& model, const std::vector<double>& radius);

  /// Moves contacts with edges in seams, at the state's poses, from `contacts` to `seams`, which is cleared first; both stay sorted. Safe to call from several threads at once.
  void sortOut(const WorldState& state, ContactSet& contacts, ContactSet& seams) const;

 private:
  const Model* model_;
  const std::vector<double>* radius_;
  std::vector<ShapeType> types_;  // of the geoms
};

}  // namespace stiction
