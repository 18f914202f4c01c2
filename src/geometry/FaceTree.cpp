#include "geometry/FaceTree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace stiction {
namespace {

constexpr int few_faces = 4;  // of a leaf
constexpr int deepest = 64;   // levels, more than halves of halves can be

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double height(const Vector3& normal, const Vector3& corner, const Vector3& x) { return normal.dot(x - corner); }

}  // namespace

FaceTree::FaceTree(std::span<const Vector3> normals, std::span<const Vector3> corners) {
  for (std::size_t f = 0; f < normals.size(); ++f) faces_.push_back({normals[f], corners[f], static_cast<int>(f)});
  if (!faces_.empty()) build(0, static_cast<int>(faces_.size()));
}

void FaceTree::build(int first, int last) {
  const auto begin = faces_.begin() + first, end = faces_.begin() + last;
  Vector3 mean = Vector3::Zero(), low = begin->normal, high = begin->normal;
  for (auto face = begin; face != end; ++face) {
    mean += face->normal / (last - first);
    low = low.cwiseMin(face->normal);
    high = high.cwiseMax(face->normal);
  }
  const auto away = [&](const Face& face) { return (face.normal - mean).norm(); };
  const auto [middle, farthest] = std::minmax_element(begin, end, [&](const Face& a, const Face& b) { return away(a) < away(b); });
  const std::size_t self = nodes_.size();
  nodes_.push_back({mean, middle->corner, away(*farthest), first, last});
  if (last - first > few_faces) {
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int half = first + (last - first) / 2;
    std::nth_element(begin, faces_.begin() + half, end, [&](const Face& a, const Face& b) {
      return std::pair{a.normal[axis], a.id} < std::pair{b.normal[axis], b.id};
    });
    build(first, half);
    nodes_[self].next = static_cast<int>(nodes_.size());
    build(half, last);
  }
  nodes_[self].after = static_cast<int>(nodes_.size());
}

int FaceTree::facing(const Vector3& direction) const {
  constexpr double roundOff = 1e-14;  // [-] of bounds
  const double length = direction.norm();
  const auto bound = [&](int k) { return nodes_[at(k)].normal.dot(direction) + (nodes_[at(k)].spread + roundOff) * length; };
  int best = faces_[0].id;
  double most = -std::numeric_limits<double>::infinity();
  std::array<std::pair<int, double>, deepest> waiting;
  std::size_t count = 0;
  waiting[count++] = {0, std::numeric_limits<double>::infinity()};
  while (count > 0) {
    const auto [index, atMost] = waiting[--count];
    if (atMost < most) continue;
    const Node& node = nodes_[at(index)];
    if (node.next == 0) {
      for (int k = node.first; k < node.last; ++k) {
        const Face& face = faces_[at(k)];
        const double now = face.normal.dot(direction);
        if (now > most || (now == most && face.id < best)) most = now, best = face.id;
      }
      continue;
    }
    std::pair<int, double> near{index + 1, bound(index + 1)}, far{node.next, bound(node.next)};
    if (near.second < far.second) std::swap(near, far);
    waiting[count++] = far;
    waiting[count++] = near;
  }
  return best;
}

void FaceTree::collect(const Vector3& x, double least, std::vector<int>& faces) const {
  faces.clear();
  for (std::size_t k = 0; k < nodes_.size();) {
    const Node& node = nodes_[k];
    const bool isOut = height(node.normal, node.point, x) + node.spread * (x - node.point).norm() < least;
    if (node.next == 0 && !isOut)
      for (int i = node.first; i < node.last; ++i)
        if (const Face& face = faces_[at(i)]; !(height(face.normal, face.corner, x) < least)) faces.push_back(face.id);
    k = isOut ? at(node.after) : k + 1;
  }
  std::sort(faces.begin(), faces.end());
}

}  // namespace stiction
