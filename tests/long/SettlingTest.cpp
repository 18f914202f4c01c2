// A thousand spheres, thrown into a box in two layers, collide, jam and come to rest, all but the few that roll between the others on the floor: nothing resists rolling.
#include <algorithm>
#include <random>

#include "laws/Scenes.hpp"
#include "state/WorldState.hpp"

namespace stiction::laws {
namespace {

TEST(Settling, AThousandSpheresComeToRestInABox) {
  constexpr int along = 25, across = 20, layers = 2;
  constexpr double radius = 0.1, pitch = 0.23, cell = 0.24, jitter = 0.01, deepest = 1e-6;
  constexpr double h = 1.0 / 60, longest = 6;
  constexpr double still = 1e-6;  // [m/s]
  constexpr std::ptrdiff_t most = 900;
  constexpr double halfX = along * cell / 2, halfY = across * cell / 2;
  std::mt19937 generator{2};  // others jam for an hour: docs/decisions/0016
  const auto random = [&generator] { return jitter * (2.0 * generator() / std::mt19937::max() - 1); };
  ModelBuilder builder;
  addBox(builder, halfX, halfY, 0.5);
  for (int k = 0; k < layers; ++k)
    for (int i = 0; i < along; ++i)
      for (int j = 0; j < across; ++j) {
        const double x = (i - 0.5 * (along - 1)) * pitch + random();
        const double y = (j - 0.5 * (across - 1)) * pitch + random();
        builder.addSolid("", Shape::sphere(radius), 1000, {{x, y, 0.15 + k * pitch}, Quaternion::Identity()}, 0.5);
      }
  Simulation simulation{builder.build(), {}};
  const WorldState& state = simulation.state();
  const auto resting = [&state] { return std::count_if(state.velocity.begin(), state.velocity.end(), [](const Vector3& v) { return v.norm() < still; }); };
  do {
    advance(simulation, h, 1, deepest);
  } while (resting() < most && state.time < longest && !HasFailure());
  EXPECT_GE(resting(), most) << "at t = " << state.time;
  advance(simulation, h, 60, deepest);
  EXPECT_GE(resting(), most) << "a second later";
  for (std::size_t i = 1; i < state.position.size(); ++i) {
    const Vector3& x = state.position[i];
    EXPECT_LE(std::abs(x.x()), halfX - radius + deepest);
    EXPECT_LE(std::abs(x.y()), halfY - radius + deepest);
    EXPECT_GE(x.z(), radius - deepest);
    EXPECT_LE(x.z(), 2 * layers * radius);
  }
}

}  // namespace
}  // namespace stiction::laws
