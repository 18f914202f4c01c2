#include "io/Record.hpp"

#include <algorithm>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "io/Hdf5.hpp"

namespace stiction {
namespace {

constexpr std::size_t chunkRows = 64;       // frames gathered before they are written
constexpr std::size_t contactChunk = 4096;  // contacts compressed together
constexpr double writeInterval = 2.0;       // [s] a slow run is written at least this often

using hdf5::Cell;
using hdf5::Table;

}  // namespace

struct Recorder::Tables {
  Tables(hdf5::Writer writer, std::size_t bodies, std::size_t joints) : file{std::move(writer)} {
    for (const char* group : {"contact", "step", "energy"}) file.group(group);
    const hdf5::Size B = bodies;
    if (joints > 0) {
      jointPosition = make("joints/position", Cell::Real, {joints});
      jointVelocity = make("joints/velocity", Cell::Real, {joints});
    }
    time = make("time", Cell::Real, {});
    position = make("position", Cell::Real, {B, 3});
    quaternion = make("quaternion", Cell::Real, {B, 4});
    velocity = make("velocity", Cell::Real, {B, 3});
    angularVelocity = make("angular_velocity", Cell::Real, {B, 3});
    offset = make("contact/offset", Cell::Long, {});
    geomA = make("contact/geom_a", Cell::Integer, {}, contactChunk);
    geomB = make("contact/geom_b", Cell::Integer, {}, contactChunk);
    feature = make("contact/feature", Cell::Long, {}, contactChunk);
    point = make("contact/point", Cell::Real, {3}, contactChunk);
    normal = make("contact/normal", Cell::Real, {3}, contactChunk);
    gap = make("contact/gap", Cell::Real, {}, contactChunk);
    impulse = make("contact/impulse", Cell::Real, {3}, contactChunk);
    slip = make("contact/slip", Cell::Real, {3}, contactChunk);
    state = make("contact/state", Cell::Integer, {}, contactChunk);
    certificate = make("step/certificate", Cell::Real, {});
    rung = make("step/rung", Cell::Name, {});
    iterations = make("step/iterations", Cell::Integer, {});
    contacts = make("step/contacts", Cell::Integer, {});
    cpu = make("step/cpu_s", Cell::Real, {});
    for (const char* line : {"kinetic", "potential", "elastic", "total", "external_work", "actuator_work", "friction", "impact", "compliance", "damping",
                             "scheme", "stabilisation"})
      energy.push_back(make(std::string{"energy/"} + line, Cell::Real, {}));
  }

  Table* make(const std::string& path, Cell cell, std::vector<hdf5::Size> shape, hdf5::Size chunk = chunkRows) {
    all.push_back(std::make_unique<Table>(file, path, cell, std::move(shape), chunk));
    return all.back().get();
  }

  hdf5::Writer file;
  std::vector<std::unique_ptr<Table>> all;
  Table *time, *position, *quaternion, *velocity, *angularVelocity, *offset, *geomA, *geomB, *feature, *point, *normal, *gap, *impulse, *slip, *state,
      *certificate, *rung, *iterations, *contacts, *cpu;
  Table *jointPosition{nullptr}, *jointVelocity{nullptr};  // null: no joints
  std::vector<Table*> energy;
};

BodyFrame bodyFrame(const Model& model, const WorldState& state, int body) {
  const auto i = static_cast<std::size_t>(body);
  const Vector3 arm = state.rotation[i] * model.bodies[i].p_BC;  // from the body frame's origin to the centre of mass
  return {{state.position[i] - arm, state.rotation[i]}, state.velocity[i] - state.angularVelocity[i].cross(arm), state.angularVelocity[i]};
}

Recorder::Recorder(const std::string& path, const RecordHead& head, const Model& model)
    : model_{model}, motions_{jointMotions(model)}, lastWrite_{wallSeconds()} {
  hdf5::Writer file{path};
  for (const auto& [name, text] :
       {std::pair{"version", head.version}, {"scene", head.scene}, {"scene_text", head.sceneText}, {"solver", head.solver}, {"options", head.options}})
    file.attribute(name, text);
  file.attribute("units", "SI: m, s, kg, rad, N s, J");
  file.attribute("tolerance", head.tolerance);
  file.attribute("dt", head.dt);
  std::vector<std::string> names, geoms;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind == BodyKind::Static) continue;
    bodies_.push_back(static_cast<int>(i));
    names.push_back(model.bodies[i].name);
  }
  for (const Geom& geom : model.geoms) geoms.push_back(geom.name);
  file.strings("bodies", names);
  file.strings("geoms", geoms);
  std::vector<std::string> joints;
  for (const Joint& joint : model.joints)
    if (joint.type != JointType::Ball) joints.push_back(joint.name);
  if (!joints.empty()) {
    file.group("joints");
    file.strings("joints/names", joints);
  }
  tables_ = std::make_unique<Tables>(std::move(file), bodies_.size(), joints.size());
  tables_->offset->add(contacts_);
  tables_->file.flush();
}

Recorder::~Recorder() = default;

void Recorder::addFrame(const WorldState& state, const EnergyTotals& energy) {
  Tables& t = *tables_;
  t.time->add(state.time);
  for (const int body : bodies_) {
    const BodyFrame frame = bodyFrame(model_, state, body);
    const Quaternion& q = frame.X_WB.rotation;
    const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
    t.position->add(frame.X_WB.position.data(), 3);
    t.quaternion->add(wxyz, 4);
    t.velocity->add(frame.velocity.data(), 3);
    t.angularVelocity->add(frame.angularVelocity.data(), 3);
  }
  for (const JointMotion& motion : motions_) {
    const JointState joints = stateOf(motion, state);
    for (std::size_t j = 0; j < motion.all().size(); ++j) {
      if (motion.all()[j].type == JointType::Ball) continue;
      t.jointPosition->add(joints.position[j]);
      t.jointVelocity->add(joints.rate[j]);
    }
  }
  const EnergyLedger& sums = energy.lines();
  const double lines[] = {energy.kinetic(), energy.potential(), energy.elastic(), energy.end(), sums.externalWork, sums.actuatorWork,
                          sums.friction,    sums.impact,        sums.compliance,  sums.damping, sums.scheme,       sums.stabilisation};
  for (std::size_t i = 0; i < t.energy.size(); ++i) t.energy[i]->add(lines[i]);
}

void Recorder::addStart(const WorldState& state, const EnergyTotals& energy) {
  addFrame(state, energy);
  tables_->certificate->add(0.0);
  tables_->rung->add(std::string{"start"});
  tables_->iterations->add(0);
  tables_->contacts->add(0);
  tables_->cpu->add(0.0);
  endFrame();
}

void Recorder::addStep(const Simulation& simulation, const StepReport& report, const EnergyTotals& energy, double cpu) {
  Tables& t = *tables_;
  addFrame(simulation.state(), energy);
  for (const SolvedContact& solved : simulation.contacts()) {
    t.geomA->add(solved.contact.key.geomA);
    t.geomB->add(solved.contact.key.geomB);
    t.feature->add(solved.contact.key.feature);
    t.point->add(solved.contact.point.data(), 3);
    t.normal->add(solved.contact.normal.data(), 3);
    t.gap->add(solved.contact.gap);
    t.impulse->add(solved.impulse.data(), 3);
    t.slip->add(solved.slip.data(), 3);
    t.state->add(solved.state);
  }
  contacts_ += simulation.contacts().size();
  const auto most = std::max_element(report.rungs.begin(), report.rungs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  t.certificate->add(report.certificate.relative);
  t.rung->add(std::string{most == report.rungs.end() ? "none" : most->first});
  t.iterations->add(report.iterations);
  t.contacts->add(report.contacts);
  t.cpu->add(cpu);
  endFrame();
}

void Recorder::endFrame() {
  tables_->offset->add(contacts_);
  if (tables_->time->waiting() >= chunkRows || wallSeconds() - lastWrite_ > writeInterval) write();
}

void Recorder::write() {
  for (const std::unique_ptr<Table>& table : tables_->all) table->write();
  tables_->file.flush();
  lastWrite_ = wallSeconds();
}

void Recorder::finish() {
  write();
  tables_->all.clear();
  tables_->file.finish();
}

bool isRecord(const std::string& path) {
  const hdf5::Reader file{path};
  return file.exists("time") && file.exists("step/certificate");
}

RecordSummary readRecordSummary(const std::string& path) {
  const hdf5::Reader file{path};
  if (!file.exists("time") || !file.exists("step/certificate"))
    file.fail("root group", "no record", "a file written by `stiction run --record`", "check the file");
  RecordSummary summary;
  summary.version = file.attributeText("version", "unknown");
  summary.scene = file.attributeText("scene", "unknown");
  summary.solver = file.attributeText("solver", "unknown");
  summary.bodies = file.strings("bodies");
  const std::vector<double> time = file.reals("time");
  summary.frames = time.size();
  if (!time.empty()) {
    summary.start = time.front();
    summary.end = time.back();
  }
  for (const double certificate : file.reals("step/certificate")) summary.worstCertificate = std::max(summary.worstCertificate, certificate);
  for (const int contacts : file.integers("step/contacts")) summary.mostContacts = std::max(summary.mostContacts, contacts);
  return summary;
}

}  // namespace stiction
