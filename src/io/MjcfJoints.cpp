#include "io/MjcfJoints.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <new>

#include "base/Error.hpp"
#include "io/MjcfValues.hpp"

namespace stiction {
namespace {

bool isZero(const mjtNum* numbers, int count) {
  return std::all_of(numbers, numbers + count, [](mjtNum x) { return x == 0; });
}

/// Refuses springs and dampers that are not.
void requireLinear(const mjtNum* stiffness, const mjtNum* damping, int plastic, const std::string& title) {
  if (!isZero(stiffness, mjNPOLY) || !isZero(damping, mjNPOLY))
    throw InputError{title, "springs or dampers of higher order", "none", "only linear ones are supported"};
  if (plastic >= 0) throw InputError{title, "a plastic spring", "none", "only elastic springs are supported"};
}

/// Spring, damping and dry friction are those of the file unless it switches them off.
void switchOff(const mjModel& m, Resistance& resistance) {
  resistance.limited = resistance.limited && !isDisabled(m, mjDSBL_LIMIT) && !isDisabled(m, mjDSBL_CONSTRAINT);
  if (isDisabled(m, mjDSBL_SPRING)) resistance.stiffness = 0;
  if (isDisabled(m, mjDSBL_DAMPER)) resistance.damping = 0;
  if (isDisabled(m, mjDSBL_FRICTIONLOSS) || isDisabled(m, mjDSBL_CONSTRAINT)) resistance.friction = 0;
}

/// Whether the tendon runs over joints alone, and what it takes of each.
bool isFixedTendon(const mjModel& m, int tendon) { return m.tendon_num[tendon] > 0 && m.wrap_type[m.tendon_adr[tendon]] == mjWRAP_JOINT; }
void addTerms(const mjModel& m, int tendon, std::vector<CoordinateTerm>& terms) {
  for (int k = m.tendon_adr[tendon]; k < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++k)
    if (m.wrap_prm[k] != 0) terms.push_back({m.wrap_objid[k], m.wrap_prm[k]});
}

/// Range of the sum of all actuators' forces along a joint or tendon; null: none.
const mjtNum* rangeOfForce(const mjModel& m, const Actuator& actuator) {
  if (actuator.thruster >= 0) return nullptr;
  if (actuator.tendon >= 0) return m.tendon_actfrclimited[actuator.tendon] ? m.tendon_actfrcrange + 2 * actuator.tendon : nullptr;
  return m.jnt_actfrclimited[actuator.joint] ? m.jnt_actfrcrange + 2 * actuator.joint : nullptr;
}

/// Where an actuator acts: of thrusters, the site.
void readTransmission(const mjModel& m, int actuator, Actuator& out) {
  const int type = m.actuator_trntype[actuator];
  (type == mjTRN_TENDON ? out.tendon : type == mjTRN_SITE ? out.thruster : out.joint) = m.actuator_trnid[2 * actuator];
}

template <class Refuse>
void readActivation(const mjModel& m, int actuator, const Refuse& refuse, Actuator& out) {
  const int kind = m.actuator_dyntype[actuator];
  if (kind == mjDYN_NONE) return;
  if (kind != mjDYN_INTEGRATOR && kind != mjDYN_FILTER && kind != mjDYN_FILTEREXACT) refuse("activation of a muscle or another kind", "integrator or filter");
  if (m.actuator_actnum[actuator] != 1) refuse("several activations", "one");
  out.activation = kind == mjDYN_INTEGRATOR ? Activation::Integrator : Activation::Filter;
  out.timeConstant = std::max(m.actuator_dynprm[mjNDYN * actuator], mjMINVAL);
  if (!m.actuator_actlimited[actuator]) return;
  out.lowActivation = m.actuator_actrange[2 * actuator];
  out.highActivation = m.actuator_actrange[2 * actuator + 1];
}

}  // namespace

void MjcfKinematics::Release::operator()(mjData* data) const { mj_deleteData(data); }

MjcfKinematics::MjcfKinematics(const mjModel& model) : model_{&model}, data_{mj_makeData(&model)} {
  if (!data_) throw std::bad_alloc{};
}

void MjcfKinematics::set(const double* qpos, const double* qvel, const double* mocapPosition, const double* mocapRotation) {
  const mjModel& m = *model_;
  mj_resetData(&m, data_.get());
  std::copy_n(qpos, m.nq, data_->qpos);
  if (qvel != nullptr) std::copy_n(qvel, m.nv, data_->qvel);
  if (mocapPosition != nullptr) std::copy_n(mocapPosition, 3 * m.nmocap, data_->mocap_pos);
  if (mocapRotation != nullptr) std::copy_n(mocapRotation, 4 * m.nmocap, data_->mocap_quat);
  mj_kinematics(&m, data_.get());
  mj_comPos(&m, data_.get());
  mj_comVel(&m, data_.get());
}

Pose MjcfKinematics::pose(int body) const { return {vector3(data_->xpos + 3 * body), quaternion(data_->xquat + 4 * body)}; }

void MjcfKinematics::velocity(int body, Vector3& linear, Vector3& angular) const {
  double spatial[6];
  mj_objectVelocity(model_, data_.get(), mjOBJ_XBODY, body, spatial, 0);
  angular = vector3(spatial);
  linear = vector3(spatial + 3);
}

Joint readMjcfJoint(const mjModel& m, int joint, const std::string& title) {
  const int dof = m.jnt_dofadr[joint];
  requireLinear(m.jnt_stiffnesspoly + mjNPOLY * joint, m.dof_dampingpoly + mjNPOLY * dof, m.jnt_plasticadr[joint], title);
  if (m.jnt_actgravcomp[joint] && m.jnt_actfrclimited[joint])
    throw InputError{title, "actuatorgravcomp within a range of force", "none", "compensate gravity by gravcomp alone"};
  Joint out;
  out.type = m.jnt_type[joint] == mjJNT_BALL ? JointType::Ball : m.jnt_type[joint] == mjJNT_SLIDE ? JointType::Slide : JointType::Hinge;
  if (out.type != JointType::Ball) {
    out.axis = vector3(m.jnt_axis + 3 * joint);
    if (out.type == JointType::Hinge) out.offset = vector3(m.jnt_pos + 3 * joint) - anchorOf(m, m.jnt_bodyid[joint]);
    out.reference = m.qpos0[m.jnt_qposadr[joint]];
    out.springReference = m.qpos_spring[m.jnt_qposadr[joint]];
  }
  out.limited = m.jnt_limited[joint];
  out.low = m.jnt_range[2 * joint];
  out.high = m.jnt_range[2 * joint + 1];
  out.stiffness = m.jnt_stiffness[joint];
  out.damping = m.dof_damping[dof];
  out.armature = m.dof_armature[dof];
  out.friction = m.dof_frictionloss[dof];
  switchOff(m, out);
  return out;
}

std::optional<Tendon> readMjcfTendon(const mjModel& m, int tendon, const std::string& title) {
  if (!isFixedTendon(m, tendon)) return std::nullopt;
  Tendon out;
  addTerms(m, tendon, out.terms);
  out.limited = m.tendon_limited[tendon];
  out.low = m.tendon_range[2 * tendon];
  out.high = m.tendon_range[2 * tendon + 1];
  out.stiffness = m.tendon_stiffness[tendon];
  out.springReference = m.tendon_lengthspring[2 * tendon];
  out.damping = m.tendon_damping[tendon];
  out.armature = m.tendon_armature[tendon];
  out.friction = m.tendon_frictionloss[tendon];
  switchOff(m, out);
  requireLinear(m.tendon_stiffnesspoly + mjNPOLY * tendon, m.tendon_dampingpoly + mjNPOLY * tendon, m.tendon_plasticadr[tendon], title);
  if (out.stiffness > 0 && m.tendon_lengthspring[2 * tendon + 1] != out.springReference)
    throw InputError{title, "a spring that is slack between two lengths", "none", "give springlength one number"};
  const auto acts = [&](int actuator) {
    return m.actuator_trntype[actuator] == mjTRN_TENDON && m.actuator_trnid[2 * actuator] == tendon && whyLeftOut(m, actuator).empty();
  };
  bool matters = out.limited || out.stiffness > 0 || out.damping > 0 || out.armature > 0 || out.friction > 0;
  for (int actuator = 0; actuator < m.nactuator; ++actuator) matters = matters || acts(actuator);
  return matters && !out.terms.empty() ? std::optional{out} : std::nullopt;
}

Vector3 anchorOf(const mjModel& m, int body) {
  const int first = m.body_jntadr[body];
  for (int j = first + m.body_jntnum[body]; j-- > first;)
    if (m.jnt_type[j] != mjJNT_SLIDE) return vector3(m.jnt_pos + 3 * j);
  return Vector3::Zero();
}

std::string whyLeftOut(const mjModel& m, int actuator) {
  const int transmission = m.actuator_trntype[actuator];
  if (isDisabled(m, mjDSBL_ACTUATION)) return "actuation is switched off in the file";
  if (transmission == mjTRN_TENDON && isFixedTendon(m, m.actuator_trnid[2 * actuator])) return "";
  if (transmission == mjTRN_SITE) {
    if (m.actuator_trnid[2 * actuator + 1] >= 0) return "actuators between two sites are not supported";
    return m.body_weldid[m.site_bodyid[m.actuator_trnid[2 * actuator]]] == 0 ? "it acts on what cannot move" : "";
  }
  if (transmission != mjTRN_JOINT && transmission != mjTRN_JOINTINPARENT) return "only actuators on joints, fixed tendons and sites are supported";
  const int type = m.jnt_type[m.actuator_trnid[2 * actuator]];
  if (type == mjJNT_FREE) return "actuators on free bodies are not supported";
  if (type == mjJNT_BALL) return "actuators on balls are not supported";
  return "";
}

Actuator readMjcfActuator(const mjModel& m, int actuator, const std::string& title) {
  const auto refuse = [&title](const char* found, const char* wanted) { throw InputError{title, found, wanted, "use motor, position or velocity"}; };
  if (m.actuator_gaintype[actuator] != mjGAIN_FIXED) refuse("a gain that depends on the motion", "gaintype fixed");
  if (m.actuator_biastype[actuator] != mjBIAS_NONE && m.actuator_biastype[actuator] != mjBIAS_AFFINE)
    refuse("a bias of a muscle or another kind", "none or affine");
  if (m.actuator_delay[actuator] != 0 || m.actuator_plugin[actuator] >= 0) refuse("a delay or a plug-in", "none");
  if (m.actuator_damping[actuator] != 0 || m.actuator_armature[actuator] != 0) refuse("damping or armature of its own", "those of its joint");
  if (m.actuator_actearly[actuator]) refuse("actearly", "false");
  Actuator out;
  readTransmission(m, actuator, out);
  readActivation(m, actuator, refuse, out);
  if (out.thruster < 0) out.gear = m.actuator_gear[6 * m.actuator_outadr[actuator]];
  out.gain = m.actuator_gainprm[mjNGAIN * actuator];
  if (m.actuator_biastype[actuator] == mjBIAS_AFFINE) std::copy_n(m.actuator_biasprm + mjNBIAS * actuator, 3, out.bias.begin());
  if (out.thruster >= 0) out.bias[1] = 0;  // a site alone has no length
  const int control = m.actuator_ctrladr[actuator];
  if (m.actuator_ctrllimited[control] && !isDisabled(m, mjDSBL_CLAMPCTRL)) {
    out.lowControl = m.actuator_ctrlrange[2 * control];
    out.highControl = m.actuator_ctrlrange[2 * control + 1];
  }
  if (m.actuator_forcelimited[actuator]) {
    out.lowForce = m.actuator_forcerange[2 * actuator];
    out.highForce = m.actuator_forcerange[2 * actuator + 1];
  }
  if (const mjtNum* range = rangeOfForce(m, out); range != nullptr && out.gear != 0) {
    const auto shares = [&](int other) {
      Actuator its;
      readTransmission(m, other, its);
      return other != actuator && whyLeftOut(m, other).empty() && its.joint == out.joint && its.tendon == out.tendon;
    };
    for (int other = 0; other < m.nactuator; ++other)
      if (shares(other)) refuse("several actuators on a joint or tendon with a range for the sum of their forces", "one, or a range for each");
    const auto [low, high] = std::minmax({range[0] / out.gear, range[1] / out.gear});
    out.lowForce = std::max(out.lowForce, low);
    out.highForce = std::min(out.highForce, high);
  }
  return out;
}

Thruster readMjcfThruster(const mjModel& m, int actuator) {
  const int site = m.actuator_trnid[2 * actuator];
  const mjtNum* gear = m.actuator_gear + 6 * m.actuator_outadr[actuator];
  const Quaternion R = quaternion(m.site_quat + 4 * site);
  Thruster out;
  out.body = m.site_bodyid[site];
  out.point = vector3(m.site_pos + 3 * site);
  out.force = R * vector3(gear);
  out.torque = R * vector3(gear + 3);
  return out;
}

bool isMjcfCoupling(const mjModel& m, int equality) { return m.eq_type[equality] == mjEQ_JOINT || m.eq_type[equality] == mjEQ_TENDON; }

Coupling readMjcfCoupling(const mjModel& m, int equality, const std::string& title) {
  static_assert(std::tuple_size_v<decltype(Coupling::polynomial)> <= mjNEQDATA);
  const bool ofTendons = m.eq_type[equality] == mjEQ_TENDON;
  const auto add = [&](int id, std::vector<CoordinateTerm>& terms) {
    if (!ofTendons) {
      terms.push_back({id, 1});
      return;
    }
    if (!isFixedTendon(m, id)) throw InputError{title, "a tendon along sites", "fixed tendons", R"(remove it or set active="false")"};
    addTerms(m, id, terms);
  };
  Coupling out;
  add(m.eq_obj1id[equality], out.driven);
  if (m.eq_obj2id[equality] >= 0) add(m.eq_obj2id[equality], out.driving);
  std::copy_n(m.eq_data + mjNEQDATA * equality, out.polynomial.size(), out.polynomial.begin());
  return out;
}

Connection readMjcfConnection(const mjModel& m, int equality, const std::string& title) {
  const bool fixes = m.eq_type[equality] == mjEQ_WELD;
  if (!fixes && m.eq_type[equality] != mjEQ_CONNECT)
    throw InputError{title, "an active equality constraint of flexes", "connect, weld, joint and tendon", R"(remove it or set active="false")"};
  const int first = m.eq_obj1id[equality], second = m.eq_obj2id[equality];
  const double* data = m.eq_data + mjNEQDATA * equality;
  Connection out;
  if (m.eq_objtype[equality] == mjOBJ_SITE) {
    const auto pose = [&m](int site) { return Pose{vector3(m.site_pos + 3 * site), quaternion(m.site_quat + 4 * site)}; };
    const Pose A = pose(first), B = pose(second);
    out.bodyA = m.site_bodyid[first], out.bodyB = m.site_bodyid[second];
    out.p_A = A.position, out.p_B = B.position;
    if (fixes) out.R_AB = A.rotation * B.rotation.conjugate();
    return out;
  }
  out.bodyA = first, out.bodyB = second;
  out.p_A = vector3(fixes ? data + 3 : data);
  out.p_B = vector3(fixes ? data : data + 3);
  if (fixes) out.R_AB = quaternion(data + 6);
  return out;
}

}  // namespace stiction
