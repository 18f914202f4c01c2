// Accelerations of random trees of bodies against libmujoco's, which has minimal coordinates: joints of all kinds and tendons over them, with springs, dampers, rotors, motors and thrusters.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <memory>
#include <random>
#include <sstream>

#include "integrate/Simulation.hpp"
#include "io/Mjcf.hpp"

namespace stiction {
namespace {

using Compiled = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

class SceneWriter {
 public:
  explicit SceneWriter(unsigned seed) : random_{seed} {}

  /// A floating or fixed tree of a few bodies that collide with nothing, a keyframe "k" and motors.
  std::string write() {
    text_ << "<mujoco><compiler angle=\"radian\"/><option gravity=\"1 -2 -9\"/><default><geom contype=\"0\" conaffinity=\"0\"/></default><worldbody>";
    body(0);
    text_ << "</worldbody>";
    const int tendons = coordinates_.size() < 2 ? 0 : std::uniform_int_distribution<int>{0, 2}(random_);
    text_ << "<tendon>";
    for (int k = 0; k < tendons; ++k) tendon(k);
    text_ << "</tendon><actuator>";
    for (const std::string& joint : driven_) motor("joint", joint);
    for (int k = 0; k < sites_; ++k)
      text_ << "<general site=\"s" << k << "\" gear=\"" << vector(1) << ' ' << vector(0.3) << "\" biastype=\"affine\" biasprm=\".3 0 -.2\"/>";
    for (int k = 0; k < tendons; ++k)
      if (chance(0.7)) motor("tendon", std::string{"t"}.append(std::to_string(k)));
    text_ << "</actuator></mujoco>";
    return text_.str();
  }
  double number(double low, double high) { return std::uniform_real_distribution<double>{low, high}(random_); }

 private:
  bool chance(double p) { return number(0, 1) < p; }
  std::string vector(double half) {
    std::ostringstream text;
    text.precision(17);
    text << number(-half, half) << ' ' << number(-half, half) << ' ' << number(-half, half);
    return text.str();
  }
  void joint(const char* type, const std::string& anchor, const std::string& axis) {
    const std::string name = std::string{"j"}.append(std::to_string(joints_++));
    const bool ball = std::string{type} == "ball";
    text_ << "<joint name=\"" << name << "\" type=\"" << type << "\" pos=\"" << anchor << "\" axis=\"" << axis << "\"";
    if (chance(0.5)) text_ << " damping=\"" << number(0, 0.5) << "\"";
    if (chance(0.5)) text_ << " armature=\"" << number(0, 0.5) << "\"";
    if (!ball && chance(0.5)) text_ << " stiffness=\"" << number(0, 5) << "\" springref=\"" << number(-1, 1) << "\"";
    if (!ball && chance(0.3)) text_ << " ref=\"" << number(-0.5, 0.5) << "\"";
    text_ << "/>";
    if (!ball && chance(0.5)) driven_.push_back(name);
    if (!ball) coordinates_.push_back(name);
  }
  void motor(const char* where, const std::string& name) {
    constexpr const char* kinds[] = {"<motor", "<position kp=\"7\" kv=\"0.3\"", "<general dyntype=\"filter\" dynprm=\"0.4\"",
                                     "<general dyntype=\"integrator\" actlimited=\"true\" actrange=\"-2 2\" biastype=\"affine\" biasprm=\"0.1 -3 -0.2\""};
    text_ << kinds[std::uniform_int_distribution<int>{0, 3}(random_)] << ' ' << where << "=\"" << name << "\" gear=\"" << number(0.5, 2) << "\"/>";
  }
  /// Without armature: libmujoco keeps of it only what couples joints of one branch.
  void tendon(int id) {
    text_ << "<fixed name=\"t" << id << "\"";
    if (chance(0.5)) text_ << " damping=\"" << number(0, 0.5) << "\"";
    if (chance(0.5)) text_ << " stiffness=\"" << number(0, 5) << "\" springlength=\"" << number(0, 1) << "\"";
    text_ << ">";
    for (const std::string& joint : coordinates_)
      if (chance(0.6) || joint == coordinates_.front()) text_ << "<joint joint=\"" << joint << "\" coef=\"" << number(-1.5, 1.5) << "\"/>";
    text_ << "</fixed>";
  }
  void joints() {
    const std::string anchor = vector(0.2);
    switch (std::uniform_int_distribution<int>{0, 11}(random_)) {
      case 0: break;  // welded to its parent
      case 1:
      case 2: joint("hinge", anchor, vector(1)); break;
      case 3: joint("slide", anchor, vector(1)); break;
      case 4: joint("ball", anchor, "0 0 1"); break;
      case 5:
        joint("hinge", anchor, "1 .2 0");
        joint("hinge", anchor, "0 1 .1");
        break;
      case 6:
        joint("hinge", anchor, "1 0 .3");
        joint("hinge", anchor, "0 1 0");
        joint("hinge", anchor, ".1 0 1");
        break;
      case 7:
        joint("slide", anchor, "1 0 0");
        joint("slide", anchor, ".2 0 1");
        joint("hinge", anchor, "0 1 0");
        break;
      case 8:
        joint("hinge", anchor, vector(1));
        joint("slide", anchor, vector(1));
        break;
      case 9:  // through different points
        joint("hinge", vector(0.2), "1 .2 0");
        joint("hinge", anchor, "0 1 .1");
        break;
      case 10:
        joint("slide", anchor, vector(1));
        joint("hinge", vector(0.2), "1 0 .3");
        joint("hinge", vector(0.2), "0 1 0");
        joint("hinge", anchor, ".1 0 1");
        break;
      case 11:  // as if free
        joint("slide", anchor, "1 0 0");
        joint("slide", anchor, "0 1 .2");
        joint("slide", anchor, "0 0 1");
        joint("hinge", anchor, "1 0 0");
        joint("hinge", anchor, "0 1 0");
        joint("hinge", anchor, "0 .3 1");
        break;
      default: break;
    }
  }
  void body(int depth) {
    text_ << "<body pos=\"" << vector(0.5) << "\" euler=\"" << vector(1) << "\">";
    if (depth == 0 && chance(0.5))
      text_ << "<freejoint/>";
    else
      joints();
    text_ << "<geom type=\"box\" size=\"" << number(0.1, 0.3) << ' ' << number(0.1, 0.3) << ' ' << number(0.1, 0.3) << "\" density=\"300\" pos=\""
          << vector(0.2) << "\"/>";
    if (chance(0.3)) text_ << "<site name=\"s" << sites_++ << "\" pos=\"" << vector(0.3) << "\" euler=\"" << vector(1) << "\"/>";
    const int children = depth >= 3 ? 0 : std::uniform_int_distribution<int>{depth == 0 ? 1 : 0, 2}(random_);
    for (int k = 0; k < children; ++k) body(depth + 1);
    text_ << "</body>";
  }

  std::mt19937 random_;
  std::ostringstream text_;
  int joints_{0}, sites_{0};
  std::vector<std::string> driven_, coordinates_;
};

/// Puts a keyframe into the text.
std::string withKey(const std::string& text, const mjModel& m, SceneWriter& random) {
  std::ostringstream key;
  key.precision(17);
  key << text.substr(0, text.rfind("</mujoco>")) << "<keyframe><key name=\"k\" qpos=\"";
  for (int j = 0; j < m.njnt; ++j) {
    const int count = m.jnt_type[j] == mjJNT_FREE ? 7 : m.jnt_type[j] == mjJNT_BALL ? 4 : 1;
    Eigen::Vector4d q{random.number(0.5, 1), random.number(-0.5, 0.5), random.number(-0.5, 0.5), random.number(-0.5, 0.5)};
    q.normalize();
    for (int i = 0; i < count; ++i)
      key << (count == 1            ? m.qpos0[m.jnt_qposadr[j]] + random.number(-0.7, 0.7)
              : count == 7 && i < 3 ? random.number(-1, 1)
                                    : q[count == 7 ? i - 3 : i])
          << ' ';
  }
  key << "\" qvel=\"";
  for (int i = 0; i < m.nv; ++i) key << random.number(-1, 1) << ' ';
  key << "\" ctrl=\"";
  for (int i = 0; i < m.nu; ++i) key << random.number(-2, 2) << ' ';
  key << "\" act=\"";
  for (int i = 0; i < m.na; ++i) key << random.number(-2, 2) << ' ';
  key << "\"/></keyframe></mujoco>";
  return key.str();
}

Compiled compile(const std::string& text) {
  char message[1000] = "";
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec{mj_parseXMLString(text.c_str(), nullptr, message, sizeof message), mj_deleteSpec};
  EXPECT_TRUE(spec) << message;
  return {mj_compile(spec.get(), nullptr), mj_deleteModel};
}

/// Rates of libmujoco's degrees of freedom that belong to joints of ours, in our order.
std::vector<double> rates(const Simulation& simulation) {
  std::vector<double> all;
  for (std::size_t j = 0; j < simulation.model().joints.size(); ++j) {
    const JointReading joint = simulation.joint(static_cast<int>(j));
    if (simulation.model().joints[j].type == JointType::Ball)
      for (int i = 0; i < 3; ++i) all.push_back(joint.angularVelocity[i]);
    else
      all.push_back(joint.rate);
  }
  return all;
}

/// (q̇(3h) − q̇(2h)) / h: of the first step, in which rotors fall behind the bodies by J̇v h, nothing is left.
std::vector<double> accelerations(const Scene& scene, double h) {
  Simulation simulation{scene.model, {}};
  simulation.setState(findKeyframe(scene, "k"));
  for (int k = 0; k < 2; ++k) simulation.step(h);
  const std::vector<double> before = rates(simulation);
  const StepReport& report = simulation.step(h);
  EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
  EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
  std::vector<double> after = rates(simulation);
  for (std::size_t k = 0; k < after.size(); ++k) after[k] = (after[k] - before[k]) / h;
  return after;
}

/// What is held where we say it is has no error in libmujoco's own constraints: points and rotations by bodies and by sites, of moving bodies, parts of them, and fixed ones.
TEST(Joints, ConnectionsAreThoseOfLibmujoco) {
  const std::string world = R"(<mujoco><option gravity="0 0 0"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
    <body name="fixed" pos=".3 -.2 .1" euler="20 30 -40"><site name="s0" pos=".1 .2 .3" euler="10 0 50"/></body>
    <body name="a" pos="0 0 1" euler="30 0 20"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/><site name="s1" pos="0 .1 0" euler="0 80 0"/>
      <body name="part" pos=".2 .1 0" euler="0 40 0"><geom size=".1" pos="0 .3 0"/></body></body>
    <body name="b" pos=".5 .4 1.2" euler="-10 60 0"><freejoint/><geom type="box" size=".3 .1 .2" pos="0 0 .1"/><site name="s2" pos=".1 0 .1" euler="30 20 10"/></body>
    </worldbody><equality>)";
  for (const char* equality :
       {R"(<connect body1="a" body2="b" anchor=".1 .2 .3"/>)", R"(<connect body1="part" anchor=".1 .2 .3"/>)",
        R"(<connect body1="fixed" body2="b" anchor="-.1 .2 .1"/>)", R"(<connect site1="s1" site2="s2"/>)", R"(<connect site1="s1" site2="s0"/>)",
        R"(<weld body1="a" body2="b"/>)", R"(<weld body1="b" body2="part" anchor=".2 .1 0"/>)", R"(<weld body1="a"/>)",
        R"(<weld body1="a" body2="b" relpose=".4 .5 .3 .9 .1 .2 -.3" anchor=".1 0 .2"/>)", R"(<weld body1="fixed" body2="a" relpose="-.2 .3 .8 .8 .5 0 .2"/>)",
        R"(<weld site1="s0" site2="s2"/>)", R"(<weld site1="s1" site2="s2"/>)"}) {
    const std::string text = world + equality + "</equality></mujoco>";
    const Scene scene = loadSceneText(text, "test.xml");
    ASSERT_EQ(scene.model.connections.size(), 1U) << equality;
    Simulation simulation{scene.model, {}};
    StepReport report;
    for (int k = 0; k < 400; ++k) report = simulation.step(0.01);  // what is far apart in the file comes together at a bounded speed
    EXPECT_EQ(report.status, StepStatus::Certified) << equality;
    EXPECT_LT(report.constraintError, 1e-10) << equality;
    const Compiled compiled = compile(text);
    const Data data{mj_makeData(compiled.get()), mj_deleteData};
    for (const char* name : {"a", "b"}) {
      const int body = mj_name2id(compiled.get(), mjOBJ_BODY, name);
      double* q = data->qpos + compiled->jnt_qposadr[compiled->body_jntadr[body]];
      for (std::size_t ours = 0; ours < scene.model.bodies.size(); ++ours) {
        if (scene.model.bodies[ours].name != name) continue;
        const Quaternion& R = simulation.state().rotation[ours];
        const Vector3 x = simulation.state().position[ours] - R * scene.model.bodies[ours].p_BC;
        std::copy_n(x.data(), 3, q);
        const double rotation[] = {R.w(), R.x(), R.y(), R.z()};
        std::copy_n(rotation, 4, q + 3);
      }
    }
    mj_forward(compiled.get(), data.get());
    ASSERT_EQ(data->ne, std::string{equality}.find("weld") == std::string::npos ? 3 : 6) << equality;
    for (int row = 0; row < data->ne; ++row) EXPECT_NEAR(data->efc_pos[row], 0, 1e-9) << equality << ' ' << row;
  }
}

/// Coordinates that follow others where we have them have no error in libmujoco's own constraints, which has each of ours as one of its own.
TEST(Joints, CouplingsAreThoseOfLibmujoco) {
  const std::string world = R"(<mujoco><option gravity="1 2 -3"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" ref="10"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <body pos=".3 0 0"><joint name="b" type="slide" axis="1 0 .2" ref=".1"/><joint name="c" axis="1 0 0"/><joint name="d" axis="0 1 0"/>
        <geom type="box" size=".1 .05 .02"/></body></body>
    <body pos="0 1 1"><freejoint/><geom size=".1"/><body><joint name="e" axis="0 0 1"/><geom type="box" size=".1 .2 .3" pos=".2 0 0"/></body></body>
    </worldbody><tendon><fixed name="s"><joint joint="a" coef=".5"/><joint joint="c" coef="-2"/></fixed>
    <fixed name="t"><joint joint="d" coef="1"/><joint joint="e" coef="1.5"/></fixed></tendon><equality>)";
  for (const char* equality : {R"(<joint joint1="a"/>)", R"(<joint joint1="b" polycoef=".05"/>)", R"(<joint joint1="a" joint2="c"/>)",
                               R"(<joint joint1="e" joint2="a" polycoef=".1 -2 .5 .1 -.2"/>)", R"(<joint joint1="d" joint2="c" polycoef="0 1.5 0 .3"/>)",
                               R"(<tendon tendon1="s" polycoef=".2"/>)", R"(<tendon tendon1="s" tendon2="t" polycoef=".1 .5 -.3"/>)"}) {
    const std::string text = world + equality + "</equality></mujoco>";
    const Scene scene = loadSceneText(text, "test.xml");
    ASSERT_EQ(scene.model.couplings.size(), 1U) << equality;
    Simulation simulation{scene.model, {}};
    StepReport report;
    for (int k = 0; k < 400; ++k) {
      report = simulation.step(0.004);
      ASSERT_EQ(report.status, StepStatus::Certified) << equality << ": " << report.reason;
      ASSERT_LE(std::abs(report.ledger.closureRelative()), 1e-12) << equality;
    }
    EXPECT_LT(report.constraintError, 1e-10) << equality;
    const Compiled compiled = compile(text);
    const Data data{mj_makeData(compiled.get()), mj_deleteData};
    for (std::size_t j = 0; j < scene.model.joints.size(); ++j)
      data->qpos[compiled->jnt_qposadr[mj_name2id(compiled.get(), mjOBJ_JOINT, scene.model.joints[j].name.c_str())]] =
          simulation.joint(static_cast<int>(j)).position;
    mj_forward(compiled.get(), data.get());
    ASSERT_EQ(data->ne, 1) << equality;
    EXPECT_NEAR(data->efc_pos[0], 0, 1e-9) << equality;
  }
}

TEST(Joints, AccelerateAsMinimalCoordinatesHaveIt) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    SceneWriter writer{seed};
    const std::string plain = writer.write();
    SCOPED_TRACE(seed);
    const Compiled bare = compile(plain);
    if (bare->nv == 0) continue;
    const std::string text = withKey(plain, *bare, writer);
    const Compiled m = compile(text);
    const Data d{mj_makeData(m.get()), mj_deleteData};
    mj_resetDataKeyframe(m.get(), d.get(), 0);
    mj_forward(m.get(), d.get());
    const Scene scene = loadSceneText(text, std::string{"random "}.append(std::to_string(seed)));
    std::vector<double> wanted;
    for (int i = 0; i < m->nv; ++i)
      if (m->jnt_type[m->dof_jntid[i]] != mjJNT_FREE) wanted.push_back(d->qacc[i]);
    const double h = 5e-5;
    const std::vector<double> whole = accelerations(scene, h), half = accelerations(scene, h / 2);
    ASSERT_EQ(whole.size(), wanted.size());
    double largest = 1;
    for (const double a : wanted) largest = std::max(largest, std::abs(a));
    for (std::size_t k = 0; k < wanted.size(); ++k, ++compared)
      EXPECT_NEAR(2 * half[k] - whole[k], wanted[k], 1e-4 * largest) << "seed " << seed << ", entry " << k << "\n" << text;
    if (HasFailure()) break;
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace stiction
