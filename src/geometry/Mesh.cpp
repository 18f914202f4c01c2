// Triangle meshes: welding of equal vertices, adjacency across edges, bounding-volume tree (median split along the longest axis, O(n log² n)).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/Error.hpp"
#include "geometry/Shape.hpp"

namespace stiction {
namespace {

constexpr int leafTriangles = 4;
constexpr double degenerateArea = 1e-14;  // [-] of the longest edge squared

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void check(const std::vector<Vector3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  const int count = static_cast<int>(vertices.size());
  if (triangles.empty()) throw InputError{"mesh", "no triangles", "at least one", "give the mesh its faces"};
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite()) throw InputError{"mesh vertex " + std::to_string(i), "not finite", "finite coordinates [m]", "repair the mesh file"};
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const std::string element = "mesh triangle " + std::to_string(t);
    for (const int v : triangles[t])
      if (v < 0 || v >= count) throw InputError{element, "vertex " + std::to_string(v), "0 to " + std::to_string(count - 1), "repair the mesh file"};
    const auto corner = [&](int k) -> const Vector3& { return vertices[at(triangles[t][at(k)])]; };
    if (areInLine(corner(0), corner(1), corner(2))) throw InputError{element, "zero area", "three corners not in a line", "remove degenerate triangles"};
  }
}

/// Vertices with the very same coordinates become one, so that files that repeat corners still have adjacent triangles.
void weld(TriangleMesh& mesh) {
  std::vector<int> sorted(mesh.vertices.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto key = [&](int i) { return std::make_tuple(mesh.vertices[at(i)].x(), mesh.vertices[at(i)].y(), mesh.vertices[at(i)].z()); };
  std::sort(sorted.begin(), sorted.end(), [&](int a, int b) { return std::make_pair(key(a), a) < std::make_pair(key(b), b); });
  std::vector<int> first(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const bool repeats = k > 0 && key(sorted[k]) == key(sorted[k - 1]);
    first[at(sorted[k])] = repeats ? first[at(sorted[k - 1])] : sorted[k];
  }
  for (auto& triangle : mesh.triangles)
    for (int& v : triangle) v = first[at(v)];
}

struct DirectedEdge {
  int low, high;  // vertices, low < high
  int triangle, side;
  bool forward;  // runs from low to high
};

/// Two triangles are adjacent where they run along a common edge in opposite senses and no third one shares it.
void connect(TriangleMesh& mesh) {
  std::vector<DirectedEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][at(k)], b = mesh.triangles[t][at((k + 1) % 3)];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), k, a < b});
    }
  const auto order = [](const DirectedEdge& e) { return std::make_tuple(e.low, e.high, e.triangle, e.side); };
  std::sort(edges.begin(), edges.end(), [&](const DirectedEdge& a, const DirectedEdge& b) { return order(a) < order(b); });
  mesh.adjacent.assign(mesh.triangles.size(), {-1, -1, -1});
  for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
    for (j = i; j < edges.size() && edges[j].low == edges[i].low && edges[j].high == edges[i].high;) ++j;
    if (j - i != 2 || edges[i].forward == edges[i + 1].forward) continue;
    mesh.adjacent[at(edges[i].triangle)][at(edges[i].side)] = edges[i + 1].triangle;
    mesh.adjacent[at(edges[i + 1].triangle)][at(edges[i + 1].side)] = edges[i].triangle;
  }
}

/// Without borders, and of positive volume (by tetrahedra from a corner).
bool enclosesVolume(const TriangleMesh& mesh) {
  double volume = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (std::any_of(mesh.adjacent[t].begin(), mesh.adjacent[t].end(), [](int other) { return other < 0; })) return false;
    const auto corner = [&](int k) -> Vector3 { return mesh.vertices[at(mesh.triangles[t][at(k)])] - mesh.vertices[0]; };
    volume += corner(0).dot(corner(1).cross(corner(2)));
  }
  return volume > 0;
}

int buildNode(TriangleMesh& mesh, const std::vector<Vector3>& centroids, int first, int count) {
  TriangleMesh::Node node;
  node.low = node.high = mesh.vertices[at(mesh.triangles[at(mesh.order[at(first)])][0])];
  Vector3 low = centroids[at(mesh.order[at(first)])], high = low;
  for (int i = first; i < first + count; ++i) {
    const int t = mesh.order[at(i)];
    for (const int v : mesh.triangles[at(t)]) {
      node.low = node.low.cwiseMin(mesh.vertices[at(v)]);
      node.high = node.high.cwiseMax(mesh.vertices[at(v)]);
    }
    low = low.cwiseMin(centroids[at(t)]);
    high = high.cwiseMax(centroids[at(t)]);
  }
  const int id = static_cast<int>(mesh.nodes.size());
  node.first = first;
  node.count = count;
  mesh.nodes.push_back(node);
  if (count <= leafTriangles) return id;
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const auto begin = mesh.order.begin() + first;
  const int half = count / 2;
  std::nth_element(begin, begin + half, begin + count,
                   [&](int a, int b) { return std::make_pair(centroids[at(a)][axis], a) < std::make_pair(centroids[at(b)][axis], b); });
  const int left = buildNode(mesh, centroids, first, half);
  const int right = buildNode(mesh, centroids, first + half, count - half);
  mesh.nodes[at(id)].left = left;
  mesh.nodes[at(id)].right = right;
  return id;
}

}  // namespace

bool areInLine(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a;
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()});
  return !(ab.cross(ac).norm() > degenerateArea * longest);
}

TriangleMesh makeMesh(std::vector<Vector3> vertices, std::vector<std::array<int, 3>> triangles) {
  check(vertices, triangles);
  TriangleMesh mesh;
  mesh.vertices = std::move(vertices);
  mesh.triangles = std::move(triangles);
  for (const Vector3& vertex : mesh.vertices) mesh.radius = std::max(mesh.radius, vertex.norm());
  weld(mesh);
  connect(mesh);
  mesh.isSolid = enclosesVolume(mesh);
  std::vector<Vector3> centroids;
  centroids.reserve(mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles) centroids.emplace_back((mesh.vertices[at(a)] + mesh.vertices[at(b)] + mesh.vertices[at(c)]) / 3.0);
  mesh.order.resize(mesh.triangles.size());
  std::iota(mesh.order.begin(), mesh.order.end(), 0);
  buildNode(mesh, centroids, 0, static_cast<int>(mesh.order.size()));
  return mesh;
}

}  // namespace stiction
