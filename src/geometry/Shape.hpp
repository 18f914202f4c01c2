// The shapes a geom can have, in their own frame, as MuJoCo defines them: centre at the origin; capsule and cylinder along z; plane z = 0 with the free side z > 0.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "geometry/FaceTree.hpp"
#include "math/Types.hpp"

namespace stiction {

enum class ShapeType : std::uint8_t { Plane, Sphere, Box, Capsule, Cylinder, Ellipsoid, Hull, Mesh, HeightField };

/// A convex polytope: coplanar triangles merged into faces, so that a face is what a contact can rest on. Built by makeHull.
struct Polytope {
  struct Edge {
    int v0, v1;  // vertices, v0 < v1
    int f0, f1;  // the two faces that meet here
  };
  static constexpr double unevenness = 1e-5;  // [-] of the radius: more than what corners are off the planes of their faces

  std::vector<Vector3> vertices;        // [m]
  std::vector<std::vector<int>> faces;  // vertex indices, counter-clockwise seen from outside
  std::vector<Vector3> normals;         // [-] outward, one a face
  std::vector<double> offsets;          // [m] n·x of the face plane
  std::vector<Edge> edges;
  std::vector<std::vector<int>> neighbours;  // vertex -> adjacent vertices (hill climbing)
  Vector3 centre{Vector3::Zero()};           // [m] an interior point (vertex mean)
  double radius{0};                          // [m] of the bounding sphere about the origin
  // Of polytopes with many faces, else empty:
  FaceTree tree;
  Vector3 low{Vector3::Zero()}, high{Vector3::Zero()};  // [m] bounds
  std::vector<int> vertexFace;                          // vertex -> one of its faces
  std::vector<std::vector<int>> faceEdges;              // face -> its edges
  double sharpest{0};                                   // [-] least cosine of half the angle between the normals at an edge
};

/// Triangles of a static mesh, with a bounding-volume tree. Built by makeMesh.
struct TriangleMesh {
  struct Node {
    Vector3 low, high;  // [m]
    int left{-1};       // child node, or -1 for a leaf
    int right{-1};
    int first{0}, count{0};  // leaf: range in `order`
  };
  std::vector<Vector3> vertices;              // [m]
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
  std::vector<std::array<int, 3>> adjacent;   // triangle across edge (k, k+1), or -1 at a border
  std::vector<Node> nodes;                    // nodes[0] is the root
  std::vector<int> order;                     // triangle ids in leaf order
  double radius{0};                           // [m] of the bounding sphere about the origin
  bool isSolid{false};                        // without borders, its front outside
};

/// z = heights(row, column) on a regular grid over [-rx, rx] × [-ry, ry]; each cell split along the diagonal (c, r)–(c+1, r+1), as MuJoCo; base at -bottom.
struct HeightField {
  int rows{0}, columns{0};
  double rx{0}, ry{0};           // [m] half sizes
  double bottom{0};              // [m] thickness below z = 0
  std::vector<double> heights;   // [m] rows × columns, row major, y grows with the row
  double lowest{0}, highest{0};  // [m] least and greatest height, filled by Shape::terrain
};

/// A shape value. `size` as MuJoCo: sphere (r), capsule and cylinder (r, half length), ellipsoid and box (half axes); unused for the others.
struct Shape {
  ShapeType type{ShapeType::Sphere};
  Vector3 size{Vector3::Zero()};                   // [m]
  std::shared_ptr<const Polytope> polytope;        // Hull, and Box (its eight corners as a polytope)
  std::shared_ptr<const TriangleMesh> mesh;        // Mesh
  std::shared_ptr<const HeightField> heightField;  // HeightField

  static Shape plane();
  static Shape sphere(double radius);
  static Shape box(const Vector3& halfSizes);
  static Shape capsule(double radius, double halfLength);
  static Shape cylinder(double radius, double halfLength);
  static Shape ellipsoid(const Vector3& halfAxes);
  static Shape hull(const std::vector<Vector3>& points);                                             // convex hull of the points
  static Shape triangles(std::vector<Vector3> vertices, std::vector<std::array<int, 3>> triangles);  // exact triangles (static bodies)
  static Shape terrain(HeightField field);
};

const char* name(ShapeType type);

/// Radius [m] of the bounding sphere about the shape's origin; infinite for a plane.
double boundingRadius(const Shape& shape);

/// Half of the least width [m] of a convex shape, of a hull between a face and the corner farthest from it; infinite for a plane, mesh or height field.
double leastHalfWidth(const Shape& shape);

/// Axis-aligned bounds [m] of the shape at X_WS: {low, high}; a plane's are infinite; those of a turned mesh or height field hold its turned box.
std::pair<Vector3, Vector3> bounds(const Shape& shape, const Pose& X_WS);

/// The point [m], shape frame, of a convex shape (Sphere, Box, Capsule, Cylinder, Ellipsoid, Hull) farthest along `direction` (any length > 0).
Vector3 support(const Shape& shape, const Vector3& direction);

/// Index of the vertex farthest along `direction`: all vertices in small polytopes, hill climbing from `start` in large ones.
int supportVertex(const Polytope& polytope, const Vector3& direction, int start = 0);

/// Volume [m³], centre [m] and inertia about the centre for density 1 [kg m²/(kg/m³)], shape frame. Closed form; polyhedra by Mirtich 1996 (divergence theorem).
/// Throws InputError for shapes without volume (plane, height field, open or degenerate mesh).
struct MassProperties {
  double volume{0};
  Vector3 centre{Vector3::Zero()};
  Matrix3 inertia{Matrix3::Zero()};
};
MassProperties massProperties(const Shape& shape);

/// Convex hull with merged coplanar faces (Qhull). Throws InputError when the points are fewer than 4, not finite or all in one plane.
Polytope makeHull(const std::vector<Vector3>& points);

/// Whether the corners of a triangle span no area.
bool areInLine(const Vector3& a, const Vector3& b, const Vector3& c);

/// Throws InputError on indices out of range, non-finite vertices or triangles of zero area.
TriangleMesh makeMesh(std::vector<Vector3> vertices, std::vector<std::array<int, 3>> triangles);

}  // namespace stiction
