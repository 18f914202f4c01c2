// Where two patches of surface can touch along a common normal n: corners of one inside the other and crossings of their borders, seen along n, each with the gap
// between the two surfaces there (planes of polygons and discs, straight lines of segments). Coincident points are kept once, corners before crossings.
#pragma once
#include <cstdint>
#include <vector>

#include "collision/ConvexShape.hpp"

namespace stiction {

/// One meeting point. Which numbers name it: `Corner*` a vertex of one patch, `Crossing` an edge (two vertex ids, of a circle 60 + which crossing and 63) of each.
struct Meeting {
  enum class Kind : std::uint8_t { CornerA, CornerB, Crossing };
  Kind kind{Kind::CornerA};
  Vector3 point{Vector3::Zero()};  // [m] midway between the two surfaces
  double gap{0};                   // [m] along n
  int a0{0}, a1{0}, b0{0}, b1{0};
};

/// Holds the scratch of the intersection; reuse it. n points from A to B.
class PatchContact {
 public:
  /// All meeting points, whatever their gap; empty where the patches do not overlap as seen along n. Corners within
  /// `tolerance` [m] of a border count as inside, points nearer to each other than it as one.
  const std::vector<Meeting>& meet(const Patch& a, const Patch& b, const Vector3& n, double tolerance);

 private:
  struct Flat {
    const Patch* patch{nullptr};
    std::vector<Vector2> q;          // vertices seen along n
    std::vector<double> h;           // [m] heights along n
    Vector2 slope{Vector2::Zero()};  // height of the plane: offset + slope·q
    double offset{0};
    Vector2 centre{Vector2::Zero()};
    double turn{1};  // sign of the polygon's area
  };

  void flatten(const Patch& patch, Flat& flat) const;
  Vector3 lift(const Vector2& q, double h) const { return q.x() * t1_ + q.y() * t2_ + h * n_; }
  double height(const Flat& flat, const Vector2& q) const;
  bool contains(const Flat& flat, const Vector2& q) const;
  void add(Meeting::Kind kind, const Vector2& q, int a0, int a1, int b0, int b1);
  void corners(const Flat& from, const Flat& into, Meeting::Kind kind);
  void crossings();
  void crossSegments(std::size_t i, std::size_t j);
  void crossCircle(const Flat& circle, const Flat& lines, std::size_t i, bool circleIsA);
  void crossCircles();
  void meetSegments();

  Vector3 n_{Vector3::Zero()}, t1_{Vector3::Zero()}, t2_{Vector3::Zero()};
  double tolerance_{0};
  Flat a_, b_;
  std::vector<Meeting> meetings_;
};

}  // namespace stiction
