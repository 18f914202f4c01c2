// Feature ids: which features of two shapes meet, packed into 64 bits so that the same physical features give the same id from step to step, whichever of the two
// shapes served as the reference. Vertices and faces are indices into the polytope; an edge is its two vertices, smaller first. Each index keeps 15 bits.
#pragma once
#include <cstdint>

namespace stiction {

enum class FeatureKind : std::uint64_t {
  Point = 1,             // a point named by one number: sphere (0), end of a capsule (0, 1), vertex on a plane
  VertexFaceB = 2,       // vertex of A on a face of B
  FaceVertexB = 3,       // vertex of B on a face of A
  EdgeEdge = 4,          // edges cross
  VertexEdgeB = 5,       // vertex of A at an edge of B (end of the overlap of two parallel edges)
  EdgeVertexB = 6,       // vertex of B at an edge of A
  Vertices = 7,          // nearest features in a corner region
  FlushVertexEdgeB = 8,  // as 5 and 6, where the faces at the edges lie against each other (bodies that share an edge line, as in a grid of crates)
  FlushEdgeVertexB = 9,
  FlushVertices = 10  // corners that touch in a point
};

inline std::uint64_t feature(FeatureKind kind, int a, int b = 0, int c = 0, int d = 0) {
  const auto bits = [](int i) { return static_cast<std::uint64_t>(i) & 0x7fff; };
  return static_cast<std::uint64_t>(kind) << 60 | bits(a) << 45 | bits(b) << 30 | bits(c) << 15 | bits(d);
}

inline bool isFlush(std::uint64_t id) {
  const auto kind = static_cast<FeatureKind>(id >> 60);
  return kind == FeatureKind::FlushVertexEdgeB || kind == FeatureKind::FlushEdgeVertexB || kind == FeatureKind::FlushVertices;
}

}  // namespace stiction
