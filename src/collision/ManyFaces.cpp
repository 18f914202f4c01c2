#include "collision/ManyFaces.hpp"

#include <algorithm>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

double heightOver(const Polytope& polytope, int face, const Vector3& x) {
  return polytope.normals[at(face)].dot(x - polytope.vertices[at(polytope.faces[at(face)][0])]);
}

int climbFaces(const Polytope& polytope, int face, const Vector3& x) {
  double most = heightOver(polytope, face, x);
  for (int from = -1; from != face;) {
    from = face;
    for (const int i : polytope.faceEdges[at(from)]) {
      const Polytope::Edge& edge = polytope.edges[at(i)];
      const int next = edge.f0 == from ? edge.f1 : edge.f0;
      if (const double height = heightOver(polytope, next, x); height > most) most = height, face = next;
    }
  }
  return face;
}

void facesUnder(const Polytope& polytope, const Vector3& x, double least, std::vector<int>& faces) {
  polytope.tree.collect(x, least - Polytope::unevenness * polytope.radius, faces);
}

void edgesUnder(const Polytope& polytope, const Vector3& x, double least, std::vector<int>& edges) {
  static thread_local std::vector<int> faces;
  facesUnder(polytope, x, least, faces);
  edges.clear();
  for (const int f : faces) edges.insert(edges.end(), polytope.faceEdges[at(f)].begin(), polytope.faceEdges[at(f)].end());
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

}  // namespace stiction
