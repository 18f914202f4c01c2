#include "collision/PolytopePairs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "collision/ClosestPoints.hpp"
#include "collision/EdgeContact.hpp"
#include "collision/FaceClip.hpp"
#include "collision/Features.hpp"
#include "collision/SeparatingAxis.hpp"

namespace stiction {
namespace {

// All lengths relative to the smaller body's radius.
constexpr double clip_tolerance{1e-9};    // a vertex this near a side plane is on it
constexpr double softness{1e-5};          // δ0 of a ridge, and how near to the lowest point another one counts as touching with it
constexpr double ridge_window{10.0};      // [δ0] offset from the reference edge within which parallel edges are a ridge
constexpr double face_margin{1e-5};       // an axis of the second choice must be better by this much
constexpr double face_preference{1e-2};   // [-] and by this fraction
constexpr double nearest_fraction{1e-3};  // [-] apart, a corner region counts when it may be nearer by this fraction
constexpr double same_direction{0.9986};  // [-] cosine: an edge axis this near a face normal tells nothing the clipped face does not

struct Face {
  bool ofA{true};
  int index{-1};
  double separation{0};
};

/// One pair at work: both polytopes in the frame of A.
class Manifold {
 public:
  Manifold(const Polytope& a, const Pose& X_WA, const Polytope& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
  void collide();

 private:
  void addFace(const Face& face, const EdgeAxis& edge);
  void place();
  int incidentFace(const PlacedPolytope& reference, const Face& face, const PlacedPolytope& incident) const;
  bool touchesAtCorner() const;
  bool addRidge(const Face& face, int incident);
  bool addNearest(const Face& face, double nearest);
  bool addNearestRidge(const ClosestPoints& near);
  void addEdges(const EdgeManifold& edges);
  void add(const Vector3& point, const Vector3& normal, double gap, std::uint64_t feature);

  Matrix3 R_WA_;
  Vector3 p_WA_;
  double reach_;
  std::vector<PairPoint>& out_;
  PlacedPolytope a_, b_;
  double size_;  // [m]
  std::vector<SidePlane>& sides_;
  std::vector<ClipCorner>& corners_;
};

struct Workspace {
  std::vector<Vector3> vertices, normals;
  std::vector<SidePlane> sides;
  std::vector<ClipCorner> corners;
};

Workspace& workspace() {
  static thread_local Workspace space;
  return space;
}

Manifold::Manifold(const Polytope& a, const Pose& X_WA, const Polytope& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out)
    : R_WA_{X_WA.rotation.toRotationMatrix()},
      p_WA_{X_WA.position},
      reach_{reach},
      out_{out},
      size_{std::min(a.radius, b.radius)},
      sides_{workspace().sides},
      corners_{workspace().corners} {
  const Matrix3 R_AB = R_WA_.transpose() * X_WB.rotation.toRotationMatrix();
  const Vector3 p_AB = R_WA_.transpose() * (X_WB.position - X_WA.position);
  a_ = {&a, a.vertices, a.normals, a.centre};
  b_ = {&b, {}, {}, R_AB * b.centre + p_AB, R_AB, p_AB};
}

void Manifold::place() {
  Workspace& space = workspace();
  const Polytope& b = *b_.shape;
  const Matrix3 R_AB = b_.rotation;
  const Vector3 p_AB = b_.origin;
  space.vertices.resize(b.vertices.size());
  space.normals.resize(b.normals.size());
  for (std::size_t i = 0; i < b.vertices.size(); ++i) space.vertices[i].noalias() = R_AB * b.vertices[i] + p_AB;
  for (std::size_t i = 0; i < b.normals.size(); ++i) space.normals[i].noalias() = R_AB * b.normals[i];
  b_.vertices = space.vertices, b_.normals = space.normals;
}

void Manifold::collide() {
  const bool many = a_.hasTree() || b_.hasTree();
  NearPoint nearA, nearB;
  if (many && !findNearPoints(a_, {b_.shape->vertices, &b_.shape->neighbours, &b_.rotation, &b_.origin}, b_.centre, size_, reach_, nearA, nearB)) return;
  place();
  const FaceAxis axisA = largestFaceSeparation(a_, b_, many ? &nearB : nullptr, reach_);
  if (axisA.separation > reach_) return;
  const FaceAxis axisB = largestFaceSeparation(b_, a_, many ? &nearA : nullptr, reach_);
  if (axisB.separation > reach_) return;
  const auto better = [&](double second, double first) { return second > first + face_margin * size_ + face_preference * std::abs(first); };
  const bool useB = better(axisB.separation, axisA.separation);
  const Face face{!useB, useB ? axisB.face : axisA.face, useB ? axisB.separation : axisA.separation};
  const double least = face.separation - 2 * face_margin * size_;  // edges tell nothing below that
  const EdgeAxis edge = largestEdgeSeparation(a_, axisA, b_, axisB, reach_, least);
  if (edge.edgeA >= 0 && edge.separation > reach_) return;
  const Vector3 n = face.ofA ? a_.normal(face.index) : Vector3{-b_.normal(face.index)};
  const bool useEdge = edge.edgeA >= 0 && better(edge.separation, face.separation) && edge.normal.dot(n) < same_direction;
  if (useEdge) {
    const EdgeManifold edges = crossEdges(a_, b_, edge);
    const double miss = (edges.points[0].pointB - edges.points[0].pointA).norm();
    if (edge.separation > clip_tolerance * size_ && miss > edge.separation + clip_tolerance * size_) {
      addNearest(face, reach_);
    } else {
      addEdges(edges);
    }
    return;
  }
  addFace(face, edge);
}

/// The face most nearly against the reference face; where it misses the nearest vertex, the most nearly opposite one of the faces that meet at that vertex.
int Manifold::incidentFace(const PlacedPolytope& reference, const Face& face, const PlacedPolytope& incident) const {
  const Vector3& n = reference.normal(face.index);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](int f) {
    const double along = n.dot(incident.normal(f));
    if (along < least) {
      least = along;
      best = f;
    }
  };
  if (!incident.hasTree()) {
    for (int f = 0; f < static_cast<int>(incident.shape->faces.size()); ++f) consider(f);
  } else {
    best = incident.shape->tree.facing(incident.turnedBack(-n));
  }
  const int vertex = incident.set().support(-n, incident.face(best)[0]);
  const double height = n.dot(incident.vertex(vertex)) + softness * size_;
  const std::vector<int>& loop = incident.face(best);
  if (std::any_of(loop.begin(), loop.end(), [&](int v) { return n.dot(incident.vertex(v)) <= height; })) return best;
  least = 2;
  for (const Polytope::Edge& edge : incident.shape->edges) {
    if (edge.v0 != vertex && edge.v1 != vertex) continue;
    consider(edge.f0);
    consider(edge.f1);
  }
  return best;
}

void Manifold::addFace(const Face& face, const EdgeAxis& edge) {
  const PlacedPolytope& reference = face.ofA ? a_ : b_;
  const PlacedPolytope& incident = face.ofA ? b_ : a_;
  const int incidentIndex = incidentFace(reference, face, incident);
  sidePlanes(reference, face.index, sides_);
  clipFace(reference, face.index, sides_, incident, incidentIndex, clip_tolerance * size_, corners_);
  const Vector3& outward = reference.normal(face.index);
  const Vector3 n = face.ofA ? outward : Vector3{-outward};
  double lowest = std::numeric_limits<double>::infinity();
  for (const ClipCorner& corner : corners_) lowest = std::min(lowest, corner.gap);
  const bool ridged = lowest <= reach_ && addRidge(face, incidentIndex);
  for (const ClipCorner& corner : corners_) {
    if (corner.gap > reach_ || (ridged && corner.gap <= lowest + ridge_window * softness * size_)) continue;
    const std::uint64_t id = touchesAtCorner()
                                 ? feature(FeatureKind::FlushVertices, face.ofA ? face.index : incidentIndex, face.ofA ? incidentIndex : face.index)
                                 : cornerFeature(reference, face.index, incident, incidentIndex, face.ofA, corner);
    add(corner.p - 0.5 * corner.gap * outward, n, corner.gap, id);
  }
  // The face's axis says the bodies are nearer than anything seen over the face.
  const double fraction = face.separation > 0 ? nearest_fraction : face_preference;
  if (lowest <= face.separation + softness * size_ + fraction * std::abs(face.separation)) return;
  if (face.separation > clip_tolerance * size_) {
    addNearest(face, std::min(lowest, reach_));
  } else if (edge.edgeA >= 0 && edge.separation >= face.separation - face_margin * size_) {
    addEdges(crossEdges(a_, b_, edge));
  } else if ((corners_.empty() || lowest > reach_) && !addNearest(face, reach_)) {  // no face separates bodies that are apart at a corner
    const int vertex = incident.set().support(-outward);
    const std::uint64_t id = face.ofA ? feature(FeatureKind::FaceVertexB, face.index, vertex) : feature(FeatureKind::VertexFaceB, vertex, face.index);
    add(incident.vertex(vertex) - 0.5 * face.separation * outward, n, face.separation, id);
  }
}

/// The clipped polygon is a single point at a corner of the reference face.
bool Manifold::touchesAtCorner() const {
  const auto on = [&](const SidePlane& side) { return std::abs(side.beyond(corners_[0].p)) <= clip_tolerance * size_; };
  return corners_.size() == 1 && std::count_if(sides_.begin(), sides_.end(), on) == 2;
}

/// True when what touches at the face's outline is a pair of parallel edges; their points (none for flush edges) are added.
bool Manifold::addRidge(const Face& face, int incidentIndex) {
  const PlacedPolytope& reference = face.ofA ? a_ : b_;
  const PlacedPolytope& incident = face.ofA ? b_ : a_;
  double lowest = std::numeric_limits<double>::infinity();
  for (const ClipCorner& corner : corners_) lowest = std::min(lowest, corner.gap);
  const double window = ridge_window * softness * size_;
  const Vector3& outward = reference.normal(face.index);
  const std::vector<int>& loop = reference.face(face.index);
  const std::vector<int>& incidentLoop = incident.face(incidentIndex);
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const auto away = [&](const ClipCorner& corner) { return corner.gap <= lowest + window && std::abs(sides_[k].beyond(corner.p)) > window; };
    if (std::any_of(corners_.begin(), corners_.end(), away)) continue;
    for (std::size_t i = 0; i < incidentLoop.size(); ++i) {
      const int p = incidentLoop[i];
      const int q = incidentLoop[(i + 1) % incidentLoop.size()];
      const auto off = [&](int vertex) {
        const Vector3& x = incident.vertex(vertex);
        return std::abs(sides_[k].beyond(x)) > window || std::abs(outward.dot(x - reference.vertex(loop[0])) - lowest) > window;
      };
      if (off(p) || off(q)) continue;
      const int mine = findEdge(*reference.shape, loop[k], loop[(k + 1) % loop.size()]);
      const int other = findEdge(*incident.shape, p, q);
      const std::optional<EdgeManifold> edges = face.ofA ? ridge(a_, mine, b_, other, softness * size_) : ridge(a_, other, b_, mine, softness * size_);
      if (!edges) continue;
      addEdges(*edges);
      return true;
    }
  }
  return false;
}

/// Nearest features in a corner region, when nearer than what has been found so far. Returns whether the bodies are apart, so far that there is a direction to it.
bool Manifold::addNearest(const Face& face, double nearest) {
  const Vector3 n = face.ofA ? a_.normal(face.index) : Vector3{-b_.normal(face.index)};
  const ClosestPoints near = closestPoints(a_.set(), b_.set(), n);
  if (!near.apart || near.distance <= clip_tolerance * size_) return false;
  if (near.distance > std::min(nearest, reach_) || addNearestRidge(near)) return true;
  const std::uint64_t id = feature(FeatureKind::Vertices, near.vertexA[0], near.vertexA[1] + 1, near.vertexB[0], near.vertexB[1] + 1);
  add(0.5 * (near.pointA + near.pointB), (near.pointB - near.pointA).normalized(), near.distance, id);
  return true;
}

/// Parallel edges among the nearest features; true when there are any. Edges that are only level with those are none: of a face and an edge above it, the edge and one far off on the face's outline.
bool Manifold::addNearestRidge(const ClosestPoints& near) {
  const Vector3 n = (near.pointB - near.pointA).normalized();
  const double farthest = near.distance + ridge_window * softness * size_;
  const auto isNear = [&](const EdgePoint& end) { return (end.pointB - end.pointA).norm() <= farthest; };
  // edges with that vertex, in their order
  const auto eachLevel = [&](const PlacedPolytope& body, int vertex, const auto& take) {
    for (const int other : body.shape->neighbours[static_cast<std::size_t>(vertex)])
      if (std::abs(n.dot(body.vertex(other) - body.vertex(vertex))) <= softness * size_ && take(findEdge(*body.shape, vertex, other))) return true;
    return false;
  };
  return eachLevel(a_, near.vertexA[0], [&](int i) {
    return eachLevel(b_, near.vertexB[0], [&](int j) {
      const std::optional<EdgeManifold> edges = ridge(a_, i, b_, j, softness * size_);
      if (!edges || !std::all_of(std::begin(edges->points), std::end(edges->points), isNear)) return false;
      addEdges(*edges);
      return true;
    });
  });
}

void Manifold::addEdges(const EdgeManifold& edges) {
  for (int i = 0; i < edges.count; ++i) {
    const EdgePoint& end = edges.points[i];
    const double gap = edges.normal.dot(end.pointB - end.pointA);
    if (gap <= reach_) add(0.5 * (end.pointA + end.pointB), edges.normal, gap, end.feature);
  }
}

void Manifold::add(const Vector3& point, const Vector3& normal, double gap, std::uint64_t id) {
  out_.push_back({p_WA_ + R_WA_ * point, R_WA_ * normal, gap, id});
}

}  // namespace

void collidePolytopes(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  Manifold{*a.polytope, X_WA, *b.polytope, X_WB, reach, out}.collide();
}

}  // namespace stiction
