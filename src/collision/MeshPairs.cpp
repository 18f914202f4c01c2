#include "collision/MeshPairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/NearestOnTriangle.hpp"
#include "collision/SurfaceContact.hpp"

namespace stiction {
namespace {

constexpr double sameDistance = 1e-12;  // [-] of the mesh's size

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class MeshSurface final : public TriangleSurface {
 public:
  explicit MeshSurface(const TriangleMesh& mesh) : mesh_{mesh} {}

  std::array<Vector3, 3> corners(int triangle) const override {
    const auto& [a, b, c] = mesh_.triangles[at(triangle)];
    return {mesh_.vertices[at(a)], mesh_.vertices[at(b)], mesh_.vertices[at(c)]};
  }

  bool across(int triangle, int k, Vector3& corner) const override {
    const int other = mesh_.adjacent[at(triangle)][at(k)];
    if (other < 0) return false;
    const int a = mesh_.triangles[at(triangle)][at(k)], b = mesh_.triangles[at(triangle)][at((k + 1) % 3)];
    for (const int v : mesh_.triangles[at(other)])
      if (v != a && v != b) corner = mesh_.vertices[at(v)];
    return true;
  }

  /// Around the corner one way until it closes or ends at a border, then the other way.
  void ring(int triangle, int k, std::vector<Vector3>& neighbours) const override {
    const int v = mesh_.triangles[at(triangle)][at(k)];
    for (const int side : {2, 0}) {
      int current = triangle;
      do {
        const auto& corners = mesh_.triangles[at(current)];
        const int i = corners[0] == v ? 0 : (corners[1] == v ? 1 : 2);
        neighbours.push_back(mesh_.vertices[at(corners[at((i + 1) % 3)])]);
        neighbours.push_back(mesh_.vertices[at(corners[at((i + 2) % 3)])]);
        current = mesh_.adjacent[at(current)][at((i + side) % 3)];
      } while (current >= 0 && current != triangle);
      if (current == triangle) return;
    }
  }

 private:
  const TriangleMesh& mesh_;
};

/// The triangle nearest to x; of those that meet there, the one whose plane x is farthest from, which tells the side.
int nearestTriangle(const MeshSurface& surface, const TriangleMesh& mesh, const Vector3& x) {
  thread_local std::vector<int> open;
  open.assign(1, 0);
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity(), height = 0;
  const auto distanceTo = [&](int id) {
    const TriangleMesh::Node& node = mesh.nodes[at(id)];
    return (x - x.cwiseMax(node.low).cwiseMin(node.high)).norm();
  };
  while (!open.empty()) {
    const int id = open.back();
    const TriangleMesh::Node& node = mesh.nodes[at(id)];
    open.pop_back();
    if (distanceTo(id) > least) continue;
    if (node.left >= 0) {
      const bool leftFirst = distanceTo(node.left) <= distanceTo(node.right);
      open.push_back(leftFirst ? node.right : node.left);
      open.push_back(leftFirst ? node.left : node.right);
      continue;
    }
    for (int k = node.first; k < node.first + node.count; ++k) {
      const int triangle = mesh.order[at(k)];
      const std::array<Vector3, 3> corners = surface.corners(triangle);
      const double distance = nearestOnTriangle(x, corners[0], corners[1], corners[2]).way.norm();
      const double above = std::abs(triangleNormal(corners[0], corners[1], corners[2]).dot(corners[0] - x));
      const double slack = sameDistance * mesh.radius;
      if (distance > least + slack || (distance >= least - slack && above <= height)) continue;
      least = std::min(least, distance), height = above, nearest = triangle;
    }
  }
  return nearest;
}

bool overlap(const TriangleMesh::Node& node, const Vector3& low, const Vector3& high) {
  return (node.low.array() <= high.array()).all() && (node.high.array() >= low.array()).all();
}

}  // namespace

void collideConvexMesh(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const TriangleMesh& mesh = *b.mesh;
  const Pose X_SA = X_WB.inverse() * X_WA;
  const auto [lowest, highest] = bounds(a, X_SA);
  const Vector3 low = lowest - Vector3::Constant(reach), high = highest + Vector3::Constant(reach);
  const ConvexShape shape{a, X_SA};
  const MeshSurface surface{mesh};
  thread_local SurfaceContact contact;
  thread_local std::vector<int> open, near;
  contact.begin(shape, reach, false);
  near.clear();
  open.assign(1, 0);
  while (!open.empty()) {
    const TriangleMesh::Node& node = mesh.nodes[at(open.back())];
    open.pop_back();
    if (!overlap(node, low, high)) continue;
    if (node.left >= 0) {
      open.push_back(node.right);
      open.push_back(node.left);
    } else {
      near.insert(near.end(), mesh.order.begin() + node.first, mesh.order.begin() + node.first + node.count);
    }
  }
  std::sort(near.begin(), near.end());  // of coinciding points the one of the lowest triangle stays
  for (const int triangle : near) contact.touch(surface, triangle);
  if (mesh.isSolid && contact.isEmpty() && overlap(mesh.nodes[0], shape.centre(), shape.centre()))
    contact.keepAbove(surface, nearestTriangle(surface, mesh, shape.centre()));
  contact.finish(X_WB, out);
}

}  // namespace stiction
