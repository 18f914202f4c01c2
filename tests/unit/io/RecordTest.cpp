// Records hold what the simulation had, frame by frame, and stay readable while they are written.
#include "io/Record.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/Error.hpp"
#include "io/Hdf5.hpp"
#include "io/Mjcf.hpp"

namespace stiction {
namespace {

const char* const thrown = R"(<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" friction=".5 0 0"/>
  <body name="box" pos="0 0 .1"><freejoint/><geom name="cube" type="box" size=".1 .1 .1" pos=".05 0 0" mass="2" friction=".5 0 0"/></body></worldbody>
  <keyframe><key name="k" qpos="0 0 .1 1 0 0 0" qvel="2 0 0 0 0 1"/></keyframe></mujoco>)";

struct RecordFile : ::testing::Test {
  void SetUp() override {
    path =
        (std::filesystem::temp_directory_path() / ("stiction-record-" + std::string{::testing::UnitTest::GetInstance()->current_test_info()->name()} + ".h5"))
            .string();
  }
  void TearDown() override { std::filesystem::remove(path); }

  std::string path;
};

TEST_F(RecordFile, JointsAreInIt) {
  const char* const swing = R"(<mujoco><worldbody><body pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size=".1" pos=".5 0 0" mass="1"/>
    <body pos="1 0 0"><joint name="b" type="ball"/><geom size=".1" pos=".2 0 0" mass="1"/></body></body>
    <body pos="0 3 1"><joint name="s" type="slide"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)";
  const Scene scene = loadSceneText(swing, "swing");
  Simulation simulation{scene.model, {}};
  EnergyTotals energy{scene.model, scene.start};
  std::vector<double> position{0, 0}, rate{0, 0};
  {
    Recorder recorder{path, {"1", "swing", swing, "auto", "", 1e-8, 0.01}, scene.model};
    recorder.addStart(scene.start, energy);
    for (int k = 0; k < 20; ++k) {
      const StepReport& report = simulation.step(0.01);
      ASSERT_EQ(report.status, StepStatus::Certified);
      energy.add(report.ledger);
      recorder.addStep(simulation, report, energy, 0);
      for (const int joint : {0, 2}) {
        position.push_back(simulation.joint(joint).position);
        rate.push_back(simulation.joint(joint).rate);
      }
    }
    recorder.finish();
  }
  const hdf5::Reader file{path};
  EXPECT_EQ(file.strings("joints/names"), (std::vector<std::string>{"h", "s"}));
  EXPECT_EQ(file.reals("joints/position"), position);
  EXPECT_EQ(file.reals("joints/velocity"), rate);
  EXPECT_NE(rate[rate.size() - 2], 0);
}

TEST_F(RecordFile, FramesAreTheStatesOfTheRun) {
  const Scene scene = loadSceneText(thrown, "thrown");
  const WorldState& start = findKeyframe(scene, "k");
  Simulation simulation{scene.model, {}};
  simulation.setState(start);
  EnergyTotals energy{scene.model, start};
  std::vector<BodyFrame> frames{bodyFrame(scene.model, start, 1)};
  std::vector<double> total{energy.end()}, impulses;
  std::vector<std::uint64_t> offsets{0, 0};
  {
    Recorder recorder{path, {"1.2.3", "thrown.xml", thrown, "auto", "", 1e-8, 0.01}, scene.model};
    recorder.addStart(start, energy);
    for (int k = 0; k < 150; ++k) {
      const StepReport& report = simulation.step(0.01);
      ASSERT_EQ(report.status, StepStatus::Certified);
      energy.add(report.ledger);
      recorder.addStep(simulation, report, energy, 0.5);
      frames.push_back(bodyFrame(scene.model, simulation.state(), 1));
      total.push_back(energy.end());
      for (const SolvedContact& contact : simulation.contacts()) impulses.insert(impulses.end(), contact.impulse.data(), contact.impulse.data() + 3);
      offsets.push_back(impulses.size() / 3);
    }
    recorder.finish();
  }
  const hdf5::Reader file{path};
  EXPECT_EQ(file.extents("position"), (std::vector<hdf5::Size>{151, 1, 3}));
  EXPECT_EQ(file.extents("quaternion"), (std::vector<hdf5::Size>{151, 1, 4}));
  EXPECT_EQ(file.strings("bodies"), std::vector<std::string>{"box"});
  EXPECT_EQ(file.strings("geoms"), (std::vector<std::string>{"floor", "cube"}));
  EXPECT_EQ(file.attributeText("version", ""), "1.2.3");
  EXPECT_EQ(file.attributeText("scene_text", ""), thrown);
  const std::vector<double> position = file.reals("position"), quaternion = file.reals("quaternion"), velocity = file.reals("velocity"),
                            spin = file.reals("angular_velocity");
  for (std::size_t k = 0; k < frames.size(); ++k) {
    EXPECT_EQ(frames[k].X_WB.position, Vector3(Eigen::Map<const Vector3>(&position[3 * k])));
    EXPECT_EQ(frames[k].X_WB.rotation.w(), quaternion[4 * k]);
    EXPECT_EQ(frames[k].X_WB.rotation.z(), quaternion[4 * k + 3]);
    EXPECT_EQ(frames[k].velocity, Vector3(Eigen::Map<const Vector3>(&velocity[3 * k])));
    EXPECT_EQ(frames[k].angularVelocity, Vector3(Eigen::Map<const Vector3>(&spin[3 * k])));
  }
  EXPECT_LT((frames[0].velocity - Vector3{2, 0, 0}).norm(), 1e-15) << "the velocity of the frame's origin, not of the centre of mass";
  EXPECT_EQ(file.reals("energy/total"), total);
  EXPECT_EQ(file.reals("contact/impulse"), impulses);
  const std::vector<std::int64_t> stored = file.longs("contact/offset");
  EXPECT_TRUE(std::equal(stored.begin(), stored.end(), offsets.begin(), offsets.end(),
                         [](std::int64_t a, std::uint64_t b) { return a == static_cast<std::int64_t>(b); }));
  EXPECT_GT(impulses.size(), 0U);
  const RecordSummary summary = readRecordSummary(path);
  EXPECT_EQ(summary.frames, 151U);
  EXPECT_NEAR(summary.end, 1.5, 1e-12);
}

TEST_F(RecordFile, ReadableBeforeItIsFinished) {
  const Scene scene = loadSceneText(thrown, "thrown");
  Simulation simulation{scene.model, {}};
  EnergyTotals energy{scene.model, simulation.state()};
  Recorder recorder{path, {"1", "s", "", "auto", "", 1e-8, 0.01}, scene.model};
  recorder.addStart(simulation.state(), energy);
  for (int k = 0; k < 100; ++k) {
    const StepReport& report = simulation.step(0.01);
    energy.add(report.ledger);
    recorder.addStep(simulation, report, energy, 0);
  }
  const std::string copy = path + ".copy";  // what a kill would leave
  std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
  EXPECT_GE(readRecordSummary(copy).frames, 64U);
  std::filesystem::remove(copy);
}

// Attributes beyond 64 KiB need HDF5's newer layout.
TEST_F(RecordFile, LongSceneTexts) {
  const Scene scene = loadSceneText(thrown, "thrown");
  const std::string text(300000, 'x');
  Recorder recorder{path, {"1", "s", text, "auto", "", 1e-8, 0.01}, scene.model};
  recorder.addStart(scene.start, EnergyTotals{scene.model, scene.start});
  recorder.finish();
  EXPECT_EQ(hdf5::Reader{path}.attributeText("scene_text", ""), text);
}

TEST_F(RecordFile, AProblemIsNoRecord) {
  hdf5::Writer file{path};
  file.group("fclib_local");
  file.finish();
  EXPECT_FALSE(isRecord(path));
  EXPECT_THROW(readRecordSummary(path), InputError);
}

// Thrown up at 3 m/s from 1 m: E = ½ m v² + m g z.
TEST(EnergyTotals, StartIsKineticPlusPotential) {
  const Scene scene = loadSceneText(R"(<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/><geom size=".1" mass="2"/></body></worldbody>
    <keyframe><key name="up" qpos="0 0 1 1 0 0 0" qvel="0 0 3 0 0 0"/></keyframe></mujoco>)",
                                    "up");
  const EnergyTotals energy{scene.model, findKeyframe(scene, "up")};
  EXPECT_NEAR(energy.start(), 0.5 * 2 * 9 + 2 * 9.81 * 1, 1e-12);
}

}  // namespace
}  // namespace stiction
