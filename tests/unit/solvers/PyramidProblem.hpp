// Box pyramids as friction problems: unit boxes in rows, four contact points below each support; made by hand from the geometry, no collision code.
#pragma once
#include <functional>
#include <random>

#include "problem/ContactProblem.hpp"
#include "unit/solvers/ContactSide.hpp"

namespace stiction {

struct PyramidOptions {
  int rows{5};
  double mu{0.5};
  std::function<double(int)> massOfRow{[](int) { return 1.0; }};
  double kick{0};  // [m/s] random horizontal start speed of every box
  unsigned seed{0};
  double h{1.0 / 60};
};

inline ContactProblem makePyramid(const PyramidOptions& o) {
  struct Box {
    Vector3 centre;
    double mass;
  };
  std::vector<Box> boxes;
  std::vector<std::vector<int>> id(static_cast<std::size_t>(o.rows));
  for (int r = 0; r < o.rows; ++r)
    for (int i = 0; i < o.rows - r; ++i) {
      id[static_cast<std::size_t>(r)].push_back(static_cast<int>(boxes.size()));
      boxes.push_back({{(i + 0.5 * r) * 1.05, 0, 0.5 + r}, o.massOfRow(r)});
    }
  ContactProblem p;
  std::mt19937 random{o.seed};
  std::normal_distribution<double> normal;
  VectorX v{6 * static_cast<int>(boxes.size())};
  v.setZero();
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    Matrix6 M = boxes[b].mass * Matrix6::Identity();
    M.bottomRightCorner<3, 3>() /= 6.0;
    p.M.addBlock(M.data(), 6);
    if (o.kick > 0) v[6 * static_cast<int>(b)] = o.kick * normal(random), v[6 * static_cast<int>(b) + 1] = o.kick * normal(random);
    v[6 * static_cast<int>(b) + 2] -= 9.81 * o.h;
  }
  const auto side = [&](int body, const Vector3& point, double sign) {
    Matrix3 F;  // columns n, t1, t2
    F.col(0) = Vector3::UnitZ(), F.col(1) = Vector3::UnitX(), F.col(2) = Vector3::UnitY();
    addContactSide(p.H, body, point - boxes[static_cast<std::size_t>(body)].centre, F, sign);
  };
  int contacts = 0;
  const auto contact = [&](int below, int above, double x) {
    for (const double y : {-0.5, 0.5}) {
      const Vector3 point = boxes[static_cast<std::size_t>(above)].centre + Vector3{x, y, -0.5};
      if (below >= 0) side(below, point, -1);
      side(above, point, 1);
      p.H.endGroup();
      ++contacts;
    }
  };
  for (int r = 0; r < o.rows; ++r)
    for (int i = 0; i < o.rows - r; ++i) {
      const int box = id[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
      if (r == 0) {
        contact(-1, box, -0.5), contact(-1, box, 0.5);
        continue;
      }
      for (const double x : {-0.5, -0.025}) contact(id[static_cast<std::size_t>(r) - 1][static_cast<std::size_t>(i)], box, x);
      for (const double x : {0.025, 0.5}) contact(id[static_cast<std::size_t>(r) - 1][static_cast<std::size_t>(i) + 1], box, x);
    }
  p.f.resize(v.size());
  for (int b = 0; b < static_cast<int>(boxes.size()); ++b) {
    p.f.segment<3>(6 * b) = boxes[static_cast<std::size_t>(b)].mass * v.segment<3>(6 * b);
    p.f.segment<3>(6 * b + 3).setZero();
  }
  p.w.setZero(3 * contacts), p.wScale = p.w;
  p.mu.setConstant(contacts, o.mu);
  p.scaleFloor = 9.81 * o.h;
  return p;
}

}  // namespace stiction
