// A convex shape placed in a frame, as a core plus a ball of radius `margin` (sphere: point, capsule: segment, others: no margin), with what distance queries need:
// supports, their derivative, the normals of faces and the directions of edges near a normal, and the patch of surface that a contact can rest on.
//
//   s(m) = argmax m·x over the core,  D(m) = ∂s/∂m for unit m: the radii of curvature of the core, 0 at vertices and along edges
//
// Notation: m a unit direction out of the shape, common frame.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "collision/ClosestPoints.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

constexpr double facing_angle{0.1};  // [rad] a surface this close to perpendicular to a normal faces it: it is a patch to rest on

/// A vertex of a patch with a number that stays with the physical feature.
struct PatchVertex {
  Vector3 point{Vector3::Zero()};  // [m] on the surface, margin included
  int id{0};
};

/// The part of a surface that faces a direction: what contact points are made of.
struct Patch {
  enum class Kind { Point, Segment, Polygon, Disc };
  Kind kind{Kind::Point};
  std::vector<PatchVertex> vertices;  // 1, 2 or the polygon's; of a disc, the rim points to try
  Vector3 normal{Vector3::Zero()};    // [-] outward, of polygon and disc
  Vector3 centre{Vector3::Zero()};    // [m] of a disc
  double radius{0};                   // [m] of a disc
};

/// Directions collected near a normal, with a fixed capacity: more than this many features never meet but in finely tessellated shapes, where any few do.
struct DirectionList {
  std::array<Vector3, 24> items;
  std::size_t count{0};
  void add(const Vector3& direction) {
    if (count < items.size()) items[count++] = direction;
  }
};

class ConvexShape {
 public:
  /// Sphere, Box, Capsule, Cylinder, Ellipsoid or Hull at X; the shape must outlive this object.
  ConvexShape(const Shape& shape, const Pose& X);
  /// A triangle without thickness, counter-clockwise seen from its front.
  explicit ConvexShape(const std::array<Vector3, 3>& corners);

  double margin() const { return margin_; }
  double size() const { return size_; }  // [m] radius of a sphere about the centre that holds the shape
  const Vector3& centre() const { return centre_; }

  /// Corners of the core, if it has any.
  std::optional<VertexSet> corners() const;
  bool isCylinder() const { return kind_ == Kind::Cylinder; }
  /// Of a cylinder: radius and half of its length [m]; its axis is the third one of the frame.
  double radius() const { return dimensions_.x(); }
  double halfLength() const { return dimensions_.y(); }
  /// Of boxes and hulls, else null; in a frame of its own, at X.
  const Polytope* polytope() const { return polytope_; }
  const Matrix3& rotation() const { return R_; }
  const Vector3& origin() const { return p_; }
  /// The one that the last support was.
  int lastCorner() const { return last_; }
  /// Of a polytope: the normal nearest to m of the faces at a corner.
  Vector3 faceNormalAt(int corner, const Vector3& m) const;

  /// Whether the core is a point or has one supporting point in every direction, which moves smoothly with it.
  bool isSmooth() const { return kind_ == Kind::Point || kind_ == Kind::Ellipsoid; }
  Vector3 coreSupport(const Vector3& m) const;
  Matrix3 curvature(const Vector3& m) const;

  /// Outward normals of faces (caps) within about `angle` [rad] of m.
  void faceNormals(const Vector3& m, double angle, DirectionList& normals) const;
  /// Unit directions of edges (the axis of a tube) that reach the support in direction m and are within `angle` [rad] of perpendicular to it.
  void edgeDirections(const Vector3& m, double angle, DirectionList& directions) const;
  /// Outward normals worth a try as the direction of least overlap with something centred at `other`.
  void startNormals(const Vector3& other, std::vector<Vector3>& normals) const;

  /// Face, edge or vertex that faces m; surfaces within 0.1 rad of perpendicular to m count as facing it.
  void patch(const Vector3& m, Patch& patch) const;

 private:
  enum class Kind { Point, Segment, Polytope, Triangle, Cylinder, Ellipsoid };

  Vector3 turned(const Vector3& local) const { return R_ * local; }
  Vector3 placed(const Vector3& local) const { return p_ + R_ * local; }
  int bestFace(const Vector3& local) const;
  int bestFaceAt(int corner, const Vector3& local) const;
  void polytopePatch(const Vector3& m, Patch& patch) const;
  void trianglePatch(const Vector3& m, Patch& patch) const;
  void cylinderPatch(const Vector3& m, Patch& patch) const;

  Kind kind_{Kind::Point};
  const Polytope* polytope_{nullptr};
  std::array<Vector3, 3> corners_{};  // [m] of a point, segment or triangle
  std::size_t cornerCount_{0};
  Vector3 dimensions_{Vector3::Zero()};
  Matrix3 R_{Matrix3::Identity()};
  Vector3 p_{Vector3::Zero()};
  Vector3 centre_{Vector3::Zero()};
  double margin_{0};
  double size_{0};
  mutable int last_{0};  // vertex that coreSupport came to, where the next search begins
};

/// Rim points of a cylinder's cap (sign +1 or -1 along z) that can carry a contact in the local direction m: the deepest one, and where the cap stands on
/// something either eight fixed ones (tilt below 1e-3) or two more at 120° from the deepest.
void capRimPoints(const Vector3& dimensions, const Vector3& m, double sign, std::vector<PatchVertex>& points);

}  // namespace stiction
