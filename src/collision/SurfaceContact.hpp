// Contact of a convex shape with a surface of triangles (mesh or terrain), without ghost normals at the edges inside the surface.
//
// Each triangle near the shape is one pair, but its normal may only be one that the surface around it allows: the face normal, and at convex edges and corners the
// normals between those of the faces that meet there. A normal m out of the surface is allowed at a triangle when no neighbour of the corners that support it is higher
// along m: m·w <= max m·v. So a ball on a flat floor sees face normals only, a ball on a ridge the ridge's, and a body in a valley the faces of both sides.
//   - the least-overlap normal of shape and triangle is taken where it is allowed,
//   - else, where they touch or overlap (the normal of two corners that meet is anything between their faces), the best normal of the arcs at the triangle's edges,
//   - else the face normal, and then only points of the shape that lie over the triangle count.
//   - what overlaps a triangle and finds no point by any of these is pushed out along the face, by as much as it overlaps.
// Corners and edges of the surface that are flat or hollow add no points of their own where a flat side of the shape rests on them: the gap is least elsewhere.
//
// Frame: the surface's own, S. Cost: a support and a clip for each flat triangle, a separation for each triangle with a ridge.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "collision/ConvexSeparation.hpp"
#include "collision/PairPoint.hpp"
#include "collision/PatchContact.hpp"

namespace stiction {

struct SurfaceTriangle {
  std::array<Vector3, 3> corners;   // [m] S, counter-clockwise seen from the front
  Vector3 normal{Vector3::Zero()};  // [-] to the front
  std::array<bool, 3> ridge{};      // edge (k, k+1) is convex or a border
  std::array<bool, 3> hollow{};     // or concave
  std::array<Vector3, 3> beyond{};  // [-] last normal allowed at a ridge: of the face beyond it, or sideways out of a border
};

/// What a surface must tell about its triangles.
class TriangleSurface {
 public:
  virtual ~TriangleSurface() = default;
  virtual std::array<Vector3, 3> corners(int triangle) const = 0;
  /// The third corner of the triangle across edge (k, k+1); false at a border.
  virtual bool across(int triangle, int k, Vector3& corner) const = 0;
  /// Appends the neighbours of corner k in the surface.
  virtual void ring(int triangle, int k, std::vector<Vector3>& neighbours) const = 0;
};

class SurfaceContact {
 public:
  /// `solidBelow`: triangles, which all face up the z axis, act on what of a shape is straight below them, too, where its centre is behind them.
  void begin(const ConvexShape& shape, double reach, bool solidBelow);
  void touch(const TriangleSurface& surface, int triangle);
  /// Whether no triangle had a point so far.
  bool isEmpty() const { return points_.empty(); }
  /// What has its centre behind this triangle, the one that is nearest to it or over it, and touches nothing, is pushed out here.
  void keepAbove(const TriangleSurface& surface, int triangle);
  /// Appends the points, moved to the world, normals from the shape to the surface; points that coincide within 1e-9 m with equal normals are kept once.
  void finish(const Pose& X_WS, std::vector<PairPoint>& out);

 private:
  /// A direction along which the shape ends at `end` [m].
  struct Axis {
    Vector3 normal;
    double end;
  };
  /// A triangle within reach, and how far the shape is from it.
  struct Near {
    int number;
    SurfaceTriangle triangle;
    Vector3 way;                     // [m] to it from the shape's centre
    double faceGap;                  // [m] over its plane
    std::optional<Separation> near;  // where it was needed
    bool isAllowed;                  // its normal
  };
  /// Whether an axis that told of another triangle that it is beyond reach tells the same of this one.
  bool isBeyond(const std::array<Vector3, 3>& corners) const;
  bool isBeyondAlongCentre(const std::array<Vector3, 3>& corners, Vector3& way);
  void remember(const Vector3& normal, double end);
  bool allowed(const TriangleSurface& surface, int triangle, const SurfaceTriangle& t, const Vector3& m);
  /// On an arc of normals out of the surface.
  struct ArcPoint {
    double angle;    // [rad]
    Vector3 normal;  // [-]
    Vector3 apart;   // [m] from the surface to the core's support
    double gap;      // [m] along the normal,
    double slope;    // [m/rad] and its derivative
  };
  ArcPoint largestGap(const Vector3& n, const Vector3& e, double end, const Vector3& onSurface) const;
  bool touchRidge(const ConvexShape& flat, const SurfaceTriangle& t, int triangle, double faceGap, double slack);
  bool touchInFront(const TriangleSurface& surface, Near& here);
  Separation separationFrom(const ConvexShape& flat, const Vector3& way) const;
  void addMissed();
  static Vector3 pushOf(const Near& missed);
  void addSingle(const Near& missed);
  void touchFreely(const Separation& near, const ConvexShape& flat, const SurfaceTriangle& t, int triangle);
  void touchFace(const ConvexShape& flat, const SurfaceTriangle& t, int triangle, double faceGap, bool inFront);
  void addMeetings(const std::vector<Meeting>& meetings, const Vector3& normal, const SurfaceTriangle& t, int triangle, double least, bool cornersOnly);

  const ConvexShape* shape_{nullptr};
  double reach_{0};
  bool solidBelow_{false};
  Patch patchShape_, patchTriangle_;
  PatchContact contact_;
  std::vector<Meeting> meetings_;
  std::vector<Vector3> neighbours_;
  std::vector<PairPoint> points_;
  std::vector<Near> missed_;
  std::optional<PairPoint> below_;
  std::array<Axis, 8> axes_;  // the last ones
  std::size_t axesKnown_{0};
};

}  // namespace stiction
