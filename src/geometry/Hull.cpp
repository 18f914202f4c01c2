// Convex hulls as polytopes with polygon faces.
//   1. Points nearer to each other than 1e-7 of the size are one point (the corners of a file written in single precision repeat that closely).
//   2. Qhull (Barber, Dobkin, Huhdanpaa 1996) gives triangles; only their combinatorics are used, the coordinates stay the caller's.
//   3. From the largest triangle down, a face takes every connected triangle whose corners lie within 1e-6 of the size of its plane: what a body can rest on
//      must be one face, and a rounding error must not split it. Corners left with fewer than three faces lie on an edge or inside a face and go.
// Notation: points scaled to the unit cube about the middle of their bounds. Cost: O(n log n).
#include <libqhull_r/libqhull_r.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/Error.hpp"
#include "geometry/Polyhedra.hpp"

namespace stiction {
namespace {

constexpr double samePoint = 1e-7;     // [-] of the half size
constexpr double samePlane = 1e-6;     // [-] of the half size
constexpr std::size_t manyFaces = 64;  // from which a tree finds faces faster
constexpr double flatVolume = 1e-6;    // [-] least thickness of the points over their half size

using Triangle = std::array<int, 3>;
using Face = std::vector<int>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

InputError flat() {
  return {"convex hull", "all points in one plane, in one line or at one place", "points that span a volume", "give the body some thickness"};
}

std::vector<Vector3> normalised(const std::vector<Vector3>& points) {
  if (points.size() < 4) throw InputError{"convex hull", std::to_string(points.size()) + " points", "at least 4", "give more points"};
  Vector3 low = points[0], high = points[0];
  for (const Vector3& p : points) {
    if (!p.allFinite()) throw InputError{"convex hull point", "not finite", "finite coordinates [m]", "repair the mesh file"};
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double scale = 0.5 * (high - low).maxCoeff();
  if (!(scale > 0)) throw flat();
  std::vector<Vector3> result;
  result.reserve(points.size());
  for (const Vector3& p : points) result.emplace_back((p - 0.5 * (low + high)) / scale);
  return result;
}

/// Indices of points kept, each standing for all points within `samePoint` of it (sweep along x).
std::vector<int> distinct(const std::vector<Vector3>& points) {
  std::vector<int> sorted(points.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto key = [&](int i) { return std::make_tuple(points[at(i)].x(), points[at(i)].y(), points[at(i)].z(), i); };
  std::sort(sorted.begin(), sorted.end(), [&](int a, int b) { return key(a) < key(b); });
  std::vector<int> kept;
  std::multimap<std::pair<double, double>, int> recent;  // by (y, z): points whose x is still within reach
  std::size_t oldest = 0;
  for (const int i : sorted) {
    for (; oldest < kept.size() && points[at(kept[oldest])].x() < points[at(i)].x() - samePoint; ++oldest) {
      const Vector3& gone = points[at(kept[oldest])];
      const auto range = recent.equal_range({gone.y(), gone.z()});
      for (auto it = range.first; it != range.second; ++it)
        if (it->second == kept[oldest]) {
          recent.erase(it);
          break;
        }
    }
    const Vector3& p = points[at(i)];
    bool repeats = false;
    for (auto it = recent.lower_bound({p.y() - samePoint, -2.0}); it != recent.end() && it->first.first <= p.y() + samePoint && !repeats; ++it)
      repeats = (points[at(it->second)] - p).norm() <= samePoint;
    if (repeats) continue;
    kept.push_back(i);
    recent.insert({{p.y(), p.z()}, i});
  }
  return kept;
}

/// Thickness of the points: least extent over the principal directions of a greedy tetrahedron (two far points, far from their line, far from their plane).
double thickness(const std::vector<Vector3>& points) {
  const auto farthest = [&](auto&& distance) {
    return *std::max_element(points.begin(), points.end(), [&](const Vector3& a, const Vector3& b) { return distance(a) < distance(b); });
  };
  const Vector3 a = farthest([&](const Vector3& p) { return (p - points[0]).norm(); });
  const Vector3 b = farthest([&](const Vector3& p) { return (p - a).norm(); });
  const Vector3 along = (b - a).normalized();
  const auto fromLine = [&](const Vector3& p) { return along.cross(p - a).norm(); };
  const Vector3 c = farthest(fromLine);
  if (!(fromLine(c) > flatVolume)) return 0.0;
  const Vector3 normal = along.cross(c - a).normalized();
  const auto fromPlane = [&](const Vector3& p) { return std::abs(normal.dot(p - a)); };
  return fromPlane(farthest(fromPlane));
}

/// Triangles of the hull, indices into `ids`; empty when Qhull gives up. Orientation is consistent; outward or inward for all alike.
std::vector<Triangle> runQhull(const std::vector<Vector3>& points, const std::vector<int>& ids, const char* command) {
  std::vector<double> coordinates;
  for (const int i : ids) coordinates.insert(coordinates.end(), points[at(i)].data(), points[at(i)].data() + 3);
  std::FILE* quiet = std::fopen("/dev/null", "w");
  qhT context;
  qhT* qh = &context;
  qh_zero(qh, quiet);
  std::vector<char> text(command, command + std::char_traits<char>::length(command) + 1);
  const int status = qh_new_qhull(qh, 3, static_cast<int>(ids.size()), coordinates.data(), 0, text.data(), nullptr, quiet);
  std::vector<Triangle> triangles;
  if (status == 0) {
    facetT* facet{nullptr};
    FORALLfacets {
      Triangle corners{};
      std::size_t count = 0;
      vertexT *vertex{nullptr}, **vertexp{nullptr};
      FOREACHvertex_(facet->vertices) {
        if (count < 3) corners[count] = ids[at(qh_pointid(qh, vertex->point))];
        ++count;
      }
      if (count != 3) {
        triangles.clear();
        break;
      }
      if (facet->toporient) std::swap(corners[1], corners[2]);
      triangles.push_back(corners);
    }
  }
  qh_freeqhull(qh, 1);
  int longMemory = 0, longTotal = 0;
  qh_memfreeshort(qh, &longMemory, &longTotal);
  if (quiet != nullptr) std::fclose(quiet);
  return triangles;
}

struct Surface {
  std::vector<Triangle> triangles;  // counter-clockwise seen from outside
  std::vector<Triangle> adjacent;   // across edge (k, k+1)
};

/// Connects the triangles; false unless they form one closed surface. Turns all of them outward.
bool connect(const std::vector<Vector3>& points, Surface& surface) {
  std::map<std::pair<int, int>, std::pair<int, int>> sides;  // directed edge -> triangle, side
  double volume = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& corners = surface.triangles[t];
    volume += points[at(corners[0])].dot(points[at(corners[1])].cross(points[at(corners[2])]));
    for (int k = 0; k < 3; ++k)
      if (!sides.insert({{corners[at(k)], corners[at((k + 1) % 3)]}, {static_cast<int>(t), k}}).second) return false;
  }
  if (surface.triangles.size() < 4 || volume == 0) return false;
  if (volume < 0) {
    for (Triangle& corners : surface.triangles) std::swap(corners[1], corners[2]);
    return connect(points, surface);
  }
  surface.adjacent.assign(surface.triangles.size(), {-1, -1, -1});
  for (const auto& [edge, side] : sides) {
    const auto other = sides.find({edge.second, edge.first});
    if (other == sides.end()) return false;
    surface.adjacent[at(side.first)][at(side.second)] = other->second.first;
  }
  return true;
}

Surface triangulate(const std::vector<Vector3>& points, const std::vector<int>& ids) {
  for (const char* command : {"qhull Qt Pp", "qhull QJ QR-1 Pp"}) {
    Surface surface{runQhull(points, ids, command), {}};
    if (connect(points, surface)) return surface;
  }
  throw flat();
}

Vector3 areaVector(const std::vector<Vector3>& points, const Triangle& t) {
  return (points[at(t[1])] - points[at(t[0])]).cross(points[at(t[2])] - points[at(t[0])]);
}

/// Triangles of the face that grows from `seed`.
std::vector<int> grow(const std::vector<Vector3>& points, const Surface& surface, const std::vector<int>& faceOf, int seed) {
  const Vector3 normal = areaVector(points, surface.triangles[at(seed)]).normalized();
  const double offset = normal.dot(points[at(surface.triangles[at(seed)][0])]);
  std::vector<int> members{seed};
  std::set<int> taken{seed};
  for (std::size_t next = 0; next < members.size(); ++next)
    for (const int t : surface.adjacent[at(members[next])]) {
      if (faceOf[at(t)] >= 0 || taken.contains(t)) continue;
      const Triangle& corners = surface.triangles[at(t)];
      const Vector3 area = areaVector(points, corners);
      const bool inPlane = std::all_of(corners.begin(), corners.end(), [&](int v) { return std::abs(normal.dot(points[at(v)]) - offset) <= samePlane; });
      if (!inPlane || (area.norm() > samePlane && area.dot(normal) < 0)) continue;
      members.push_back(t);
      taken.insert(t);
    }
  return members;
}

/// The border of a set of triangles as one loop; empty when it is not one simple loop.
Face border(const Surface& surface, const std::vector<int>& members) {
  const std::set<int> inside{members.begin(), members.end()};
  std::map<int, int> next;
  for (const int t : members)
    for (int k = 0; k < 3; ++k)
      if (!inside.contains(surface.adjacent[at(t)][at(k)]) && !next.insert({surface.triangles[at(t)][at(k)], surface.triangles[at(t)][at((k + 1) % 3)]}).second)
        return {};
  Face loop;
  if (next.empty()) return loop;
  int v = next.begin()->first;
  do {
    loop.push_back(v);
    v = next.at(v);
  } while (v != loop.front() && loop.size() <= next.size());
  return loop.size() == next.size() ? loop : Face{};
}

std::vector<Face> mergeCoplanar(const std::vector<Vector3>& points, const Surface& surface) {
  const int count = static_cast<int>(surface.triangles.size());
  std::vector<double> area(at(count));
  for (int t = 0; t < count; ++t) area[at(t)] = areaVector(points, surface.triangles[at(t)]).norm();
  std::vector<int> bySize(at(count));
  std::iota(bySize.begin(), bySize.end(), 0);
  std::stable_sort(bySize.begin(), bySize.end(), [&](int a, int b) { return area[at(a)] > area[at(b)]; });
  std::vector<int> faceOf(at(count), -1);
  std::vector<Face> faces;
  for (const int seed : bySize) {
    if (faceOf[at(seed)] >= 0) continue;
    std::vector<int> members = grow(points, surface, faceOf, seed);
    Face loop = border(surface, members);
    if (loop.empty()) {
      members = {seed};
      loop = border(surface, members);
    }
    for (const int t : members) faceOf[at(t)] = static_cast<int>(faces.size());
    faces.push_back(std::move(loop));
  }
  return faces;
}

/// Drops corners where fewer than three faces meet, and faces that vanish with them, until none is left.
void dropNeedless(std::vector<Face>& faces, std::size_t points) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<int> uses(points, 0);
    for (const Face& face : faces)
      for (const int v : face) ++uses[at(v)];
    for (Face& face : faces) changed = std::erase_if(face, [&](int v) { return uses[at(v)] < 3; }) > 0 || changed;
    changed = std::erase_if(faces, [](const Face& face) { return face.size() < 3; }) > 0 || changed;
  }
}

void plantTree(Polytope& p) {
  std::vector<Vector3> corners;
  for (const Face& face : p.faces) corners.push_back(p.vertices[at(face[0])]);
  p.tree = FaceTree{p.normals, corners};
  p.low = p.high = p.vertices[0];
  for (const Vector3& vertex : p.vertices) p.low = p.low.cwiseMin(vertex), p.high = p.high.cwiseMax(vertex);
  p.vertexFace.resize(p.vertices.size());
  for (std::size_t f = 0; f < p.faces.size(); ++f)
    for (const int v : p.faces[f]) p.vertexFace[at(v)] = static_cast<int>(f);
  p.faceEdges.resize(p.faces.size());
  p.sharpest = 1;
  for (std::size_t i = 0; i < p.edges.size(); ++i) {
    const Polytope::Edge& edge = p.edges[i];
    for (const int f : {edge.f0, edge.f1}) p.faceEdges[at(f)].push_back(static_cast<int>(i));
    p.sharpest = std::min(p.sharpest, 0.5 * (p.normals[at(edge.f0)] + p.normals[at(edge.f1)]).norm());
  }
}

}  // namespace

Polytope assemblePolytope(std::vector<Vector3> vertices, std::vector<std::vector<int>> faces) {
  Polytope p;
  p.vertices = std::move(vertices);
  p.faces = std::move(faces);
  for (const Vector3& vertex : p.vertices) p.centre += vertex / static_cast<double>(p.vertices.size());
  for (const Vector3& vertex : p.vertices) p.radius = std::max(p.radius, vertex.norm());
  p.neighbours.resize(p.vertices.size());
  std::map<std::pair<int, int>, int> faceLeftOf;  // directed edge -> face
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const Face& face = p.faces[f];
    Vector3 normal = Vector3::Zero();
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int a = face[k], b = face[(k + 1) % face.size()];
      normal += (p.vertices[at(a)] - p.centre).cross(p.vertices[at(b)] - p.centre);
      if (!faceLeftOf.insert({{a, b}, static_cast<int>(f)}).second) throw flat();
    }
    normal.normalize();
    double offset = normal.dot(p.vertices[at(face[0])]);
    for (const int v : face) offset = std::max(offset, normal.dot(p.vertices[at(v)]));
    p.normals.push_back(normal);
    p.offsets.push_back(offset);
  }
  for (const auto& [edge, face] : faceLeftOf) {
    const auto other = faceLeftOf.find({edge.second, edge.first});
    if (other == faceLeftOf.end()) throw flat();
    p.neighbours[at(edge.first)].push_back(edge.second);
    if (edge.first < edge.second) p.edges.push_back({edge.first, edge.second, face, other->second});
  }
  if (p.faces.size() >= manyFaces) plantTree(p);
  return p;
}

Polytope makeHull(const std::vector<Vector3>& points) {
  const std::vector<Vector3> scaled = normalised(points);
  if (!(thickness(scaled) > flatVolume)) throw flat();
  const Surface surface = triangulate(scaled, distinct(scaled));
  std::vector<Face> faces = mergeCoplanar(scaled, surface);
  dropNeedless(faces, points.size());
  std::vector<int> renamed(points.size(), -1);
  for (const Face& face : faces)
    for (const int v : face) renamed[at(v)] = 0;
  std::vector<Vector3> vertices;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (renamed[i] == 0) {
      renamed[i] = static_cast<int>(vertices.size());
      vertices.push_back(points[i]);
    }
  for (Face& face : faces)
    for (int& v : face) v = renamed[at(v)];
  if (faces.size() < 4) throw flat();
  return assemblePolytope(std::move(vertices), std::move(faces));
}

}  // namespace stiction
