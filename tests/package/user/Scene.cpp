// The public API as a user meets it: a scene from text, steps with their certificates, a friction problem solved and judged, a record. Exit code 0 when every number is right.
#include <stiction/stiction.hpp>

#include <cmath>
#include <cstdio>
#include <string>

namespace {

int failures = 0;

void expect(bool right, const std::string& what) {
  if (right) return;
  ++failures;
  std::fprintf(stderr, "Scene: wrong: %s\n", what.c_str());
}

/// A box slides on flat ground at 1 m/s, μ = 0.3: it stops after n = ⌈v / (μ g h)⌉ steps.
void slide(const std::string& recordPath) {
  const char* xml = R"(<mujoco model="slide"><worldbody>
      <geom type="plane" size="5 5 1" friction=".3 0 0"/>
      <body name="box" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" friction=".3 0 0"/></body>
    </worldbody></mujoco>)";
  const stiction::Scene scene = stiction::loadSceneText(xml, "slide");
  stiction::Simulation simulation{scene.model, {}};
  simulation.setState(scene.start);
  simulation.setVelocity(1, {1, 0, 0}, {0, 0, 0});
  constexpr double h = 1e-3;
  stiction::Recorder recorder{recordPath, {"0.1", "slide", xml, "auto", "", 1e-8, h}, simulation.model()};
  stiction::EnergyTotals energy{simulation.model(), simulation.state()};
  recorder.addStart(simulation.state(), energy);
  int moving = 0;
  for (int k = 0; k < 500; ++k) {
    const stiction::StepReport& report = simulation.step(h);
    expect(report.status == stiction::StepStatus::Certified && report.certificate.relative <= 1e-8, "step " + std::to_string(k) + ": " + report.reason);
    if (simulation.state().velocity[1].norm() > 0) ++moving;
    energy.add(report.ledger);
    recorder.addStep(simulation, report, energy, 0.0);
  }
  recorder.finish();
  expect(moving == static_cast<int>(std::floor(1.0 / (0.3 * 9.81 * h))), "stops in step " + std::to_string(moving));
  expect(stiction::isRecord(recordPath) && stiction::readRecordSummary(recordPath).frames == 501, "the record");
}

/// One contact: W = 1₃, q = (−1, 3, 0), μ = 0.5: it slips, and presses so hard that u_n = 0: r_n = 1, r_T = (−0.5, 0).
void solveProblem() {
  stiction::LocalContactProblem problem;
  problem.start = {0, 1};
  problem.column = {0};
  problem.blocks = {stiction::Matrix3::Identity()};
  problem.q = stiction::Vector3{-1, 3, 0};
  problem.mu = stiction::VectorX::Constant(1, 0.5);
  stiction::Portfolio portfolio;
  stiction::Iterate answer;
  const stiction::PortfolioReport report = portfolio.solve(problem, answer, {});
  expect(report.certified, "certificate of one contact");
  expect((answer.r - stiction::Vector3{1, -0.5, 0}).norm() < 1e-12, "impulse of one contact");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  slide(std::string{argv[1]} + "/slide.h5");
  solveProblem();
  try {
    stiction::loadSceneText("<mujoco><worldbody><geom type='sphere' size='-1'/></worldbody></mujoco>", "bad");
    expect(false, "a negative size was accepted");
  } catch (const stiction::InputError&) {}
  return failures == 0 ? 0 : 1;
}
