#include "RunTally.hpp"

#include <algorithm>

#include "base/Hash.hpp"
#include "io/Record.hpp"

namespace stiction::cli {
namespace {

template <class V>
Json list(const V& x) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < x.size(); ++i) out.push_back(static_cast<double>(x[i]));
  return out;
}

Json entries(const std::vector<ImportEntry>& list) {
  Json out = Json::array();
  for (const ImportEntry& entry : list) out.push_back({{"element", entry.element}, {"attribute", entry.attribute}, {"why", entry.why}});
  return out;
}

Json energyLines(const EnergyTotals& energy) {
  const EnergyLedger& sums = energy.lines();
  return {{"start", energy.start()},
          {"end", energy.end()},
          {"external_work", sums.externalWork},
          {"actuator_work", sums.actuatorWork},
          {"friction", sums.friction},
          {"impact", sums.impact},
          {"compliance", sums.compliance},
          {"damping", sums.damping},
          {"scheme", sums.scheme},
          {"stabilisation", sums.stabilisation},
          {"closure_relative", energy.worstClosure()}};
}

std::string geomName(const Model& model, int geom) { return geom < 0 ? "" : model.geoms[static_cast<std::size_t>(geom)].name; }

}  // namespace

Json bodiesJson(const Model& model, const WorldState& state) {
  Json out = Json::object();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind == BodyKind::Static) continue;
    const BodyFrame frame = bodyFrame(model, state, static_cast<int>(i));
    const Quaternion& q = frame.X_WB.rotation;
    out[model.bodies[i].name] = {{"position", list(frame.X_WB.position)},
                                 {"quaternion", list(Eigen::Vector4d{q.w(), q.x(), q.y(), q.z()})},
                                 {"velocity", list(frame.velocity)},
                                 {"angular_velocity", list(frame.angularVelocity)}};
  }
  return out;
}

Json jointsJson(const Simulation& simulation) {
  Json out = Json::object();
  const std::vector<Joint>& joints = simulation.model().joints;
  for (std::size_t id = 0; id < joints.size(); ++id) {
    const JointReading joint = simulation.joint(static_cast<int>(id));
    const Quaternion& q = joint.rotation;
    out[joints[id].name] = joints[id].type == JointType::Ball
                               ? Json{{"position", list(Eigen::Vector4d{q.w(), q.x(), q.y(), q.z()})}, {"velocity", list(joint.angularVelocity)}}
                               : Json{{"position", Json::array({joint.position})}, {"velocity", Json::array({joint.rate})}};
  }
  return out;
}

std::string stateHash(const WorldState& state) { return format("%016llx", static_cast<unsigned long long>(hash(state))); }

void RunTally::add(const Model& model, const StepReport& report, double stepTime) {
  const bool good = report.status == StepStatus::Certified;
  if (good) ++certified;
  if (!good && firstUncertified < 0) {
    firstUncertified = steps;
    uncertifiedTime = stepTime;
    uncertifiedCertificate = report.certificate.relative;
    uncertifiedReason = report.reason;
  }
  if (steps == 0 || !(report.certificate.relative <= worst.relative)) {
    worst = report.certificate;
    worstStep = steps;
    const FeatureKey& key = report.worstContact;
    worstContact = key.geomA < 0 ? "" : geomName(model, key.geomA) + "|" + geomName(model, key.geomB);
  }
  ++steps;
  mostContacts = std::max(mostContacts, report.contacts);
  contactSum += report.contacts;
  deepest = std::max(deepest, report.penetration);
  penetration = report.penetration;
  farthestOff = std::max(farthestOff, report.constraintError);
  off = report.constraintError;
  impacts += report.impacts;
  byMoreau += report.byMoreau;
  inelastic += report.inelastic;
  splitsExhausted += report.splitsExhausted ? 1 : 0;
  times += report.times;
  for (const auto& [rung, count] : report.rungs) rungs[rung] += count;
  if (report.status != StepStatus::NonFinite) energy.add(report.ledger);
}

Json toJson(const RunNames& names, const RunTally& tally, const Simulation& simulation, const ImportReport& report) {
  const WorldState& state = simulation.state();
  Json first = nullptr;
  if (tally.firstUncertified >= 0)
    first = {
        {"step", tally.firstUncertified}, {"time", tally.uncertifiedTime}, {"certificate", tally.uncertifiedCertificate}, {"reason", tally.uncertifiedReason}};
  Json rungs = Json::object();
  for (const auto& [rung, count] : tally.rungs) rungs[rung] = count;
  return {{"stiction", STICTION_VERSION},
          {"scene", names.scene},
          {"solver", names.solver},
          {"law", names.law},
          {"dt", names.dt},
          {"steps", tally.steps},
          {"time", state.time - tally.startTime},
          {"threads", names.threads},
          {"certified_steps", tally.certified},
          {"first_uncertified", first},
          {"certificate",
           {{"worst", tally.worst.relative},
            {"worst_m_s", tally.worst.metersPerSecond},
            {"worst_fclib", tally.worst.fclib},
            {"step", tally.worstStep},
            {"contact", tally.worstContact},
            {"tolerance", names.tolerance}}},
          {"contacts", {{"max", tally.mostContacts}, {"mean", tally.steps > 0 ? tally.contactSum / tally.steps : 0.0}}},
          {"penetration_m", {{"max", tally.deepest}, {"end", tally.penetration}}},
          {"joint_error_m", {{"max", tally.farthestOff}, {"end", tally.off}}},
          {"impacts", {{"total", tally.impacts}, {"by_moreau", tally.byMoreau}, {"inelastic", tally.inelastic}}},
          {"energy_J", energyLines(tally.energy)},
          {"bodies", bodiesJson(simulation.model(), state)},
          {"joints", jointsJson(simulation)},
          {"wall_s", tally.wall},
          {"cpu_s", tally.cpu},
          {"phases_s",
           {{"collide", tally.times.collide},
            {"assemble", tally.times.assemble},
            {"solve", tally.times.solve},
            {"certify", tally.times.certify},
            {"integrate", tally.times.integrate + tally.times.project},
            {"account", tally.times.account},
            {"record", tally.recordTime}}},
          {"rungs", rungs},
          {"state_hash", stateHash(state)},
          {"import", {{"ignored", entries(report.ignored)}, {"changed", entries(report.changed)}}}};
}

std::string toTable(const RunNames& names, const RunTally& tally) {
  const double time = tally.steps * names.dt;
  std::string out;
  out += format("scene         %s\n", names.scene.c_str());
  out += format("steps         %d of %g s (%g s simulated, %.3g s wall: %.3g × real time)\n", tally.steps, names.dt, time, tally.wall,
                tally.wall > 0 ? time / tally.wall : 0.0);
  out += format("certified     %d of %d steps at %g\n", tally.certified, tally.steps, names.tolerance);
  out += format("worst         %.3e relative, %.3e m/s at step %d%s%s\n", tally.worst.relative, tally.worst.metersPerSecond, tally.worstStep,
                tally.worstContact.empty() ? "" : ", ", tally.worstContact.c_str());
  out += format("contacts      %d at most, %.1f on average\n", tally.mostContacts, tally.steps > 0 ? tally.contactSum / tally.steps : 0.0);
  out += format("penetration   %.3e m at most, %.3e m at the end\n", tally.deepest, tally.penetration);
  if (tally.hasJoints) out += format("joints        off by %.3e m at most, %.3e m at the end\n", tally.farthestOff, tally.off);
  const EnergyLedger& sums = tally.energy.lines();
  out += format("energy        %.6g J -> %.6g J; friction %.6g J, impact %.6g J, closure %.1e\n", tally.energy.start(), tally.energy.end(), sums.friction,
                sums.impact, tally.energy.worstClosure());
  if (tally.byMoreau + tally.inelastic > 0)
    out += format("impacts       %d, of them %d by Moreau's law and %d with e = 0 in place of the law asked for\n", tally.impacts, tally.byMoreau,
                  tally.inelastic);
  if (tally.splitsExhausted > 0)
    out += format("impacts       in %d steps more pairs of an island met than a step is split for: they bounced within it, to first order in the step\n",
                  tally.splitsExhausted);
  out += format("cpu           %.3g s:", tally.cpu);
  const std::pair<const char*, double> phases[] = {{"collide", tally.times.collide},
                                                   {"assemble", tally.times.assemble},
                                                   {"solve", tally.times.solve},
                                                   {"certify", tally.times.certify},
                                                   {"integrate", tally.times.integrate + tally.times.project},
                                                   {"account", tally.times.account},
                                                   {"record", tally.recordTime}};
  for (const auto& [phase, seconds] : phases) out += format(" %s %.3g", phase, seconds);
  out += "\nrungs        ";
  for (const auto& [rung, count] : tally.rungs) out += format(" %s %d", rung.c_str(), count);
  out += "\n";
  return out;
}

}  // namespace stiction::cli
