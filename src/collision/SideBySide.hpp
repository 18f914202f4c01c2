// Where two tubes lie side by side: capsules, cylinders, and edges of polytopes, which have no thickness.
//
// Axes that enclose a small angle θ are nearest where they cross, by y²/2D nearer than where they are y = θ s apart (D: their distance). That place runs from one end of the overlap to the other with
// the least rotation, and contacts are linear in the motion. So the ends of the overlap are contacts, too: of the cross-section at which one tube ends with the other tube, along the normal that these
// have there. They are parts of the bodies; what they ask for is never more than what the bodies do.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "collision/PairPoint.hpp"
#include "collision/SegmentDistance.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

struct Tube {
  enum class Ends { Round, Flat };

  Vector3 centre{Vector3::Zero()}, axis{Vector3::UnitZ()};  // [m], unit
  double halfLength{0}, radius{0};                          // [m]
  Ends ends{Ends::Round};
  /// Of an edge: unit vectors across it along its two faces, away from it; zero for others.
  std::array<Vector3, 2> intoFaces{Vector3::Zero(), Vector3::Zero()};

  Vector3 at(double along) const { return centre + along * axis; }
  /// [m] From the axis, the point of a cross-section that is farthest along n.
  Vector3 support(const Vector3& n) const;
  /// What has been described in a frame, where that is turned by R and at p.
  Tube placed(const Matrix3& R, const Vector3& p) const;
  /// Parameter of the point of the axis that is nearest to x.
  double nearest(const Vector3& x) const;
};

/// Of the axes, from A's centre.
SegmentPoints nearestPoints(const Tube& a, const Tube& b);

/// In the polytope's frame.
Tube edgeTube(const Polytope& polytope, const Polytope::Edge& edge);

/// A contact of tubes A and B. Its place: 0 and 1 for the lower and the upper end of the overlap along A's axis, 2 between them.
struct TubeContact {
  Vector3 point{Vector3::Zero()};   // [m] midway between the surfaces
  Vector3 normal{Vector3::Zero()};  // from A to B
  double gap{0};                    // [m]
  int place{2};
  double along{0};  // [m] of A's axis, from its centre
};

class TubeContacts {
 public:
  /// `axes`: their nearest points. `normal` and `gap`: of the nearest points of the surfaces, which stand for an end that is near them, and are left out where the ends say as much; alone where the tubes do not lie side by side. Over the faces
  /// of an edge there is no end of it.
  TubeContacts(const Tube& a, const Tube& b, const SegmentPoints& axes, const Vector3& normal, double gap);

  std::span<const TubeContact> items() const { return {items_.data(), count_}; }
  /// Those within `reach` [m], named by their places.
  void addTo(std::vector<PairPoint>& out, double reach) const;

 private:
  void add(const TubeContact& contact);

  std::array<TubeContact, 3> items_;
  std::size_t count_{0};
};

}  // namespace stiction
