#include "io/Mjcf.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>

#include "base/Error.hpp"
#include "io/MjcfJoints.hpp"
#include "io/MjcfValues.hpp"
#include "io/UrdfPackages.hpp"
#include "io/XmlScan.hpp"

namespace stiction {
namespace {

constexpr double openLimit = 0.05;  // [-] real scans and models have seams of a per cent or two

/// ‖Σ area vectors‖ / Σ area of a triangle surface: zero when it is closed, seams of coincident edges included.
double openPart(const std::vector<Vector3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  Vector3 sum = Vector3::Zero();
  double area = 0;
  for (const auto& [a, b, c] : triangles) {
    const auto vertex = [&](int i) -> const Vector3& { return vertices[static_cast<std::size_t>(i)]; };
    const Vector3 twice = (vertex(b) - vertex(a)).cross(vertex(c) - vertex(a));
    sum += twice;
    area += twice.norm();
  }
  return area > 0 ? sum.norm() / area : 0;
}

constexpr double compilerTimestep = 0.002;  // [s] libmujoco's default

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// libmujoco logs through one global function; imports take turns with it.
std::mutex logMutex;
std::vector<std::string>* logTarget = nullptr;

void onLog(const mjLogMessage* message) {
  if (message->level == mjLOG_ERROR) throw std::runtime_error{message->subject};
  if (message->level == mjLOG_WARNING && logTarget != nullptr) logTarget->emplace_back(message->subject);
}

/// Catches libmujoco's messages while it lives: no log file, no exit.
class LogCapture {
 public:
  explicit LogCapture(std::vector<std::string>& target) : lock_{logMutex} {
    logTarget = &target;
    previous_ = mju_setLogHandler(onLog);
  }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  ~LogCapture() {
    mju_setLogHandler(previous_);
    logTarget = nullptr;
  }

 private:
  std::lock_guard<std::mutex> lock_;
  mjfLogHandler previous_;
};

using Spec = std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)>;
using Compiled = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;

/// libmujoco's message as an InputError: its "line N" goes to the front as file:N.
[[noreturn]] void failCompile(const std::string& label, std::string message) {
  std::string place = label;
  if (const std::size_t found = message.rfind("line ");
      found != std::string::npos && found + 5 < message.size() && std::isdigit(static_cast<unsigned char>(message[found + 5])) != 0)
    place += ":" + message.substr(found + 5, message.find_first_not_of("0123456789", found + 5) - found - 5);
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  for (std::size_t i = 0; (i = message.find('\n', i)) != std::string::npos;) message.replace(i, 1, ", ");
  const bool isOfMesh = message.find("mesh file") != std::string::npos || message.find("STL file") != std::string::npos;
  throw InputError{place, message, "a scene that libmujoco 4.0.0 compiles", isOfMesh ? "convert the mesh to OBJ or binary STL" : "correct the element"};
}

/// Whether the text is URDF (root element robot) and not MJCF (mujoco).
bool isUrdf(const std::string& text, const std::string& label) {
  const std::vector<XmlElement> elements = scanXml(text);
  const std::string root = elements.empty() ? "" : elements.front().name;
  if (root != "robot" && root != "mujoco")
    throw InputError{label, root.empty() ? "not XML" : "root element " + root.substr(0, 64), "MJCF (root element mujoco) or URDF (robot)",
                     "give a scene in one of these formats"};
  return root == "robot";
}

/// libmujoco reserves memory to simulate in, by an estimate that grows with the square of the bodies and is refused at some thousands; its compiler needs a part that grows with their number.
void limitMemory(mjSpec& spec) {
  constexpr mjtSize few = 1000, least = 64 << 20, each = 16 << 10;  // [bodies], [B], [B]
  mjtSize bodies = 0;
  for (const mjsElement* body = mjs_firstElement(&spec, mjOBJ_BODY); body != nullptr; body = mjs_nextElement(&spec, body)) ++bodies;
  if (bodies > few) spec.memory = least + each * bodies;
}

struct Source {
  Spec spec{nullptr, mj_deleteSpec};
  Compiled model{nullptr, mj_deleteModel};
};

/// The file that libmujoco is to read in place of the one of that name.
class FileInMemory {
 public:
  FileInMemory(const std::string& path, const std::string& text) {
    mj_defaultVFS(&files_);
    mj_addBufferVFS(&files_, path.c_str(), text.data(), static_cast<int>(text.size()));
  }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  ~FileInMemory() { mj_deleteVFS(&files_); }
  const mjVFS* files() const { return &files_; }

 private:
  mjVFS files_;
};

/// `path` empty: from the text alone; else what it names lies beside it. `replaced`: the file holds another text. In memory it would hide all files of its name, wherever they are.
Source compile(const std::string& path, const std::string& text, bool replaced, const std::string& label, std::vector<std::string>& warnings) {
  const LogCapture capture{warnings};
  char message[1024] = "";
  Source source;
  std::optional<FileInMemory> file;
  if (replaced) file.emplace(path, text);
  const mjVFS* files = file ? file->files() : nullptr;
  try {
    source.spec.reset(path.empty() ? mj_parseXMLString(text.c_str(), nullptr, message, sizeof message)
                                   : mj_parseXML(path.c_str(), files, message, sizeof message));
    if (source.spec) {
      limitMemory(*source.spec);
      source.model.reset(mj_compile(source.spec.get(), files));
    }
  } catch (const std::runtime_error& error) {
    failCompile(label, error.what());
  }
  if (!source.spec) failCompile(label, message);
  if (!source.model) failCompile(label, mjs_getError(source.spec.get()));
  for (int i = 0; i < mjs_numWarnings(source.spec.get()); ++i) warnings.emplace_back(mjs_getWarning(source.spec.get(), i));
  return source;
}

/// One import: the compiled model on one side, the builder on the other.
class Importer {
 public:
  Importer(const Source& source, const std::string& label, bool isUrdf, ImportReport& report)
      : spec_{*source.spec}, m_{*source.model}, label_{label}, isUrdf_{isUrdf}, report_{report} {}

  Model build(bool timestepGiven) {
    refuse();
    readOptions(timestepGiven);
    readRestitution();
    readBodies();
    readGeoms();
    readJoints();
    readTendons();
    readActuators();
    readConnections();
    readPairs();
    readExcludes();
    return builder_.build();
  }

  std::vector<Keyframe> keyframes(const Model& model);

 private:
  void refuse() const;
  void readOptions(bool timestepGiven);
  void readRestitution();
  void readBodies();
  void addRoot(int root);
  void addMass(int root, Body& body, const std::vector<int>& parts);
  void readGeoms();
  Shape makeShape(int geom, bool moves) const;
  Shape makeMeshShape(int geom, bool moves) const;
  void readJoints();
  void readTendons();
  void readActuators();
  int addThruster(int actuator);
  void readConnections();
  void readCoupling(int equality);
  void numberJoints(std::vector<CoordinateTerm>& terms) const;
  void readPairs();
  void readExcludes();
  void readKey(int key, const Model& model, WorldState& state);
  void readJointKey(int key, const Model& model, WorldState& state);

  std::string name(mjtObj type, int id) const {
    const char* text = mj_id2name(&m_, type, id);
    return text == nullptr || *text == '\0' ? std::string{mju_type2Str(type)} + "_" + std::to_string(id) : text;
  }
  mjsElement* elementOf(mjtObj type, int id) const;
  /// "file: kind name" and the line it is written in.
  std::string title(mjtObj type, int id) const;
  bool carriesJoints(int body) const;
  bool weighs(int geom) const;
  bool disabled(int flag) const { return isDisabled(m_, flag); }
  bool isFree(int body) const { return m_.body_jntnum[body] == 1 && m_.jnt_type[m_.body_jntadr[body]] == mjJNT_FREE; }
  /// Whether joints that are not free hold the body.
  bool isJoined(int body) const { return m_.body_jntnum[body] > 0 && !isFree(body); }
  bool contactsOff() const { return disabled(mjDSBL_CONTACT) || disabled(mjDSBL_CONSTRAINT); }
  /// The body this one moves with: itself when it is free or mocap, 0 when it is fixed.
  int rootOf(int body) const {
    while (body != 0 && m_.body_jntnum[body] == 0 && m_.body_mocapid[body] < 0) body = m_.body_parentid[body];
    return body;
  }
  /// Pose of a body in the frame of the one that it is part of.
  Pose inOurs(int body) const { return rootOf(body) == 0 && ours_[at(body)] != 0 ? Pose{} : inRoot(body); }
  /// Pose of a body in its root's frame.
  Pose inRoot(int body) const {
    Pose X;
    for (const int root = rootOf(body); body != root; body = m_.body_parentid[body])
      X = Pose{vector3(m_.body_pos + 3 * body), quaternion(m_.body_quat + 4 * body)} * X;
    return X;
  }

  const mjSpec& spec_;
  const mjModel& m_;
  std::string label_;
  bool isUrdf_;
  ImportReport& report_;
  ModelBuilder builder_;
  std::vector<std::vector<int>> parts_;         // by root: all bodies that move with it
  std::vector<int> ours_;                       // libmujoco's body -> ours
  std::vector<int> geoms_;                      // libmujoco's geom -> ours, -1 when it can touch nothing
  std::vector<int> joints_;                     // libmujoco's joint -> ours, -1 for a free one
  std::vector<int> tendons_;                    // libmujoco's tendon -> ours, -1 where nothing acts along it
  std::vector<int> actuators_;                  // libmujoco's actuator -> ours, -1 when left out
  std::unique_ptr<MjcfKinematics> kinematics_;  // where there are joints
  std::vector<double> restitution_;
};

mjsElement* Importer::elementOf(mjtObj type, int id) const {
  for (const mjsElement* e = mjs_firstElement(&spec_, type); e != nullptr; e = mjs_nextElement(&spec_, e))
    if (mjs_getId(e) == id) return const_cast<mjsElement*>(e);  // libmujoco's casts take no const pointers
  return nullptr;
}

std::string Importer::title(mjtObj type, int id) const {
  std::string line;
  if (mjsElement* element = elementOf(type, id); element != nullptr) {
    const mjString* info = type == mjOBJ_JOINT      ? mjs_asJoint(element)->info
                           : type == mjOBJ_GEOM     ? mjs_asGeom(element)->info
                           : type == mjOBJ_EQUALITY ? mjs_asEquality(element)->info
                           : type == mjOBJ_TENDON   ? mjs_asTendon(element)->info
                           : type == mjOBJ_ACTUATOR ? mjs_asActuator(element)->info
                                                    : nullptr;
    if (info != nullptr) line = mjs_getString(info);
  }
  return label_ + ": " + mju_type2Str(type) + " " + name(type, id) + (line.empty() ? "" : " (" + line + ")");
}

/// What cannot be left out without changing the motion altogether.
void Importer::refuse() const {
  if (m_.nflex > 0)
    throw InputError{label_ + ": flex " + name(mjOBJ_FLEX, 0), "a deformable body", "rigid bodies", "deformable bodies are not supported: remove it"};
  for (int b = 0; b < m_.nbody; ++b)
    if (m_.body_plugin[b] >= 0) throw InputError{label_ + ": body " + name(mjOBJ_BODY, b), "a plug-in", "none", "plug-ins are not supported: remove it"};
}

void Importer::readOptions(bool timestepGiven) {
  const char* modelName = mjs_getString(spec_.modelname);
  builder_.setName(modelName == nullptr || std::string{modelName} == "MuJoCo Model" ? "" : modelName);  // libmujoco's name for nameless models
  builder_.setGravity(disabled(mjDSBL_GRAVITY) ? Vector3{Vector3::Zero()} : vector3(m_.opt.gravity));
  const double h = m_.opt.timestep;
  if (!timestepGiven && h == compilerTimestep) return;
  if (!(h > 0) || !std::isfinite(h))
    throw InputError{label_ + ": option timestep", std::to_string(h) + " s", "> 0 and finite", "give a step between 0.1 and 50 ms, or none"};
  builder_.setTimestep(h);
}

void Importer::readRestitution() {
  restitution_.assign(at(static_cast<int>(m_.ngeom)), 0.0);
  const auto check = [this](double e) {
    if (!(e >= 0 && e <= 1)) throw InputError{label_ + ": custom stiction_restitution", std::to_string(e), "0 to 1", "give a coefficient of restitution"};
  };
  for (int k = 0; k < m_.nnumeric; ++k) {
    if (name(mjOBJ_NUMERIC, k) != "stiction_restitution" || m_.numeric_size[k] < 1) continue;
    check(m_.numeric_data[m_.numeric_adr[k]]);
    std::fill(restitution_.begin(), restitution_.end(), m_.numeric_data[m_.numeric_adr[k]]);
  }
  for (int k = 0; k < m_.ntuple; ++k) {
    if (name(mjOBJ_TUPLE, k) != "stiction_restitution") continue;
    for (int i = m_.tuple_adr[k]; i < m_.tuple_adr[k] + m_.tuple_size[k]; ++i) {
      if (m_.tuple_objtype[i] != mjOBJ_GEOM)
        throw InputError{label_ + ": tuple stiction_restitution", std::string{"objtype "} + mju_type2Str(m_.tuple_objtype[i]), "geom", "name geoms only"};
      check(m_.tuple_objprm[i]);
      restitution_[at(m_.tuple_objid[i])] = m_.tuple_objprm[i];
    }
  }
}

void Importer::readBodies() {
  ours_.assign(at(static_cast<int>(m_.nbody)), 0);
  std::set<int> excluded;  // fixed bodies that an <exclude> names stay bodies of their own; all of them when it names the world
  for (int k = 0; k < m_.nexclude; ++k) excluded.insert({m_.exclude_signature[k] & 0xFFFF, m_.exclude_signature[k] >> 16});
  parts_.resize(at(static_cast<int>(m_.nbody)));
  for (int b = 1; b < m_.nbody; ++b)
    if (isJoined(b)) {
      kinematics_ = std::make_unique<MjcfKinematics>(m_);
      kinematics_->set(m_.qpos0, nullptr, nullptr, nullptr);
      break;
    }
  for (int b = 1; b < m_.nbody; ++b) parts_[at(rootOf(b))].push_back(b);
  for (int b = 1; b < m_.nbody; ++b) {
    if (rootOf(b) == b) {
      addRoot(b);
    } else if (rootOf(b) == 0 && (excluded.count(b) != 0 || excluded.count(0) != 0)) {
      Body body;
      body.name = name(mjOBJ_BODY, b);
      body.kind = BodyKind::Static;
      body.X_WB = inRoot(b);
      ours_[at(b)] = builder_.addBody(std::move(body));
    } else {
      ours_[at(b)] = ours_[at(rootOf(b))];
    }
  }
}

void Importer::addRoot(int root) {
  Body body;
  body.name = name(mjOBJ_BODY, root);
  const bool free = isFree(root);
  const double* q = m_.qpos0 + (free ? m_.jnt_qposadr[m_.body_jntadr[root]] : 0);
  body.X_WB = free             ? Pose{vector3(q), quaternion(q + 3)}
              : isJoined(root) ? kinematics_->pose(root)
                               : Pose{vector3(m_.body_pos + 3 * root), quaternion(m_.body_quat + 4 * root)};
  body.kind = m_.body_jntnum[root] > 0 ? BodyKind::Dynamic : BodyKind::Kinematic;
  if (body.kind == BodyKind::Dynamic) addMass(root, body, parts_[at(root)]);
  ours_[at(root)] = builder_.addBody(std::move(body));
}

/// Mass properties of everything welded to the root, about the common centre of mass, in the root's axes (parallel-axis theorem).
void Importer::addMass(int root, Body& body, const std::vector<int>& parts) {
  struct Part {
    double mass;
    Vector3 centre;
    Matrix3 inertia;
  };
  std::vector<Part> list;
  for (const int b : parts) {
    const Pose X = b == root ? Pose{} : inRoot(b);
    const Matrix3 R = (X.rotation * quaternion(m_.body_iquat + 4 * b)).toRotationMatrix();
    const Matrix3 I = R * vector3(m_.body_inertia + 3 * b).asDiagonal() * R.transpose();
    list.push_back({m_.body_mass[b], X * vector3(m_.body_ipos + 3 * b), 0.5 * (I + I.transpose())});
  }
  for (const Part& part : list) body.mass += part.mass;
  if (list.size() == 1) {
    body.p_BC = list[0].centre;
  } else {
    for (const Part& part : list) body.p_BC += part.mass / body.mass * part.centre;
  }
  for (const Part& part : list) {
    const Vector3 d = part.centre - body.p_BC;
    body.I_C += part.inertia + part.mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  }
  const double compensation = m_.body_gravcomp[root];
  for (const int b : parts)
    if (m_.body_mass[b] > 0 && m_.body_gravcomp[b] != compensation) {
      report_.ignored.push_back({"body " + name(mjOBJ_BODY, b), "gravcomp", "it differs from that of the moving body it is welded to, whose value is used"});
    }
  if (compensation == 1) body.gravity = false;
  if (compensation != 0 && compensation != 1 && !disabled(mjDSBL_GRAVITY)) body.force = -compensation * body.mass * vector3(m_.opt.gravity);
}

/// Whether joints hang on the fixed body, or on what it is fixed together with: a robot's base, which is the same as the robot's links. Of an URDF the base is the world itself.
bool Importer::carriesJoints(int body) const {
  const auto base = [&](int b) {
    while (b != 0 && m_.body_parentid[b] != 0) b = m_.body_parentid[b];
    return b;
  };
  if (body == 0 && !isUrdf_) return false;
  for (int b = 1; b < m_.nbody; ++b)
    if (isJoined(b) && m_.body_weldid[m_.body_parentid[b]] == 0 && base(m_.body_parentid[b]) == base(body)) return true;
  return false;
}

/// Whether the body's mass is read off the geom.
bool Importer::weighs(int geom) const {
  mjsElement* own = elementOf(mjOBJ_GEOM, geom);
  mjsElement* body = elementOf(mjOBJ_BODY, m_.geom_bodyid[geom]);
  if (own == nullptr || body == nullptr) return true;
  const mjsGeom& it = *mjs_asGeom(own);
  const bool given = mjs_asBody(body)->explicitinertial;
  const mjtInertiaFromGeom rule = spec_.compiler.inertiafromgeom;
  return it.mass != 0 && it.density != 0 && (rule == mjINERTIAFROMGEOM_TRUE || (rule == mjINERTIAFROMGEOM_AUTO && !given));
}

Shape Importer::makeMeshShape(int geom, bool moves) const {
  const int mesh = m_.geom_dataid[geom];
  std::vector<Vector3> vertices;
  for (int v = m_.mesh_vertadr[mesh]; v < m_.mesh_vertadr[mesh] + m_.mesh_vertnum[mesh]; ++v)
    vertices.emplace_back(m_.mesh_vert[3 * v], m_.mesh_vert[3 * v + 1], m_.mesh_vert[3 * v + 2]);
  std::vector<std::array<int, 3>> triangles;
  for (int f = m_.mesh_faceadr[mesh]; f < m_.mesh_faceadr[mesh] + m_.mesh_facenum[mesh]; ++f)
    triangles.push_back({m_.mesh_face[3 * f], m_.mesh_face[3 * f + 1], m_.mesh_face[3 * f + 2]});
  if (moves || carriesJoints(m_.geom_bodyid[geom])) {  // its hull, as MuJoCo; a surface that mass and inertia are read off must enclose a volume
    if (moves && openPart(vertices, triangles) > openLimit && weighs(geom))
      throw InputError{"mesh " + name(mjOBJ_MESH, mesh), "an open surface",
                       "a surface closed but for seams (area vectors that sum to less than 5 % of the area), where a moving body's mass is read off it",
                       "close the mesh, give the body an <inertial>, or the mesh its vertices alone for their convex hull"};
    return Shape::hull(vertices);
  }
  const auto corner = [&](int i) -> const Vector3& { return vertices[at(i)]; };
  const std::size_t flat = std::erase_if(triangles, [&](const std::array<int, 3>& t) { return areInLine(corner(t[0]), corner(t[1]), corner(t[2])); });
  if (flat > 0)
    report_.changed.push_back(
        {"geom " + name(mjOBJ_GEOM, geom) + " mesh " + name(mjOBJ_MESH, mesh), "", std::to_string(flat) + " triangles without area are left out"});
  return Shape::triangles(std::move(vertices), std::move(triangles));
}

Shape Importer::makeShape(int geom, bool moves) const {
  const double* size = m_.geom_size + 3 * geom;
  switch (m_.geom_type[geom]) {
    case mjGEOM_PLANE: return Shape::plane();
    case mjGEOM_SPHERE: return Shape::sphere(size[0]);
    case mjGEOM_CAPSULE: return Shape::capsule(size[0], size[1]);
    case mjGEOM_ELLIPSOID: return Shape::ellipsoid(vector3(size));
    case mjGEOM_CYLINDER: return Shape::cylinder(size[0], size[1]);
    case mjGEOM_BOX: return Shape::box(vector3(size));
    case mjGEOM_MESH: return makeMeshShape(geom, moves);
    case mjGEOM_HFIELD: {
      const int id = m_.geom_dataid[geom];
      const double* extent = m_.hfield_size + 4 * id;
      HeightField field{m_.hfield_nrow[id], m_.hfield_ncol[id], extent[0], extent[1], extent[3], {}};
      const float* data = m_.hfield_data + m_.hfield_adr[id];
      for (int i = 0; i < field.rows * field.columns; ++i) field.heights.push_back(extent[2] * static_cast<double>(data[i]));
      return Shape::terrain(std::move(field));
    }
    default:
      throw InputError{"type", "sdf or another special shape", "plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh", "use one of these shapes"};
  }
}

void Importer::readGeoms() {
  std::set<int> paired;
  for (int p = 0; p < m_.npair; ++p) paired.insert({m_.pair_geom1[p], m_.pair_geom2[p]});
  geoms_.assign(at(static_cast<int>(m_.ngeom)), -1);
  int torsional = 0, firstTorsional = -1, fixedMeshes = 0;
  for (int g = 0; g < m_.ngeom; ++g) {
    if (m_.geom_contype[g] == 0 && m_.geom_conaffinity[g] == 0 && paired.count(g) == 0) continue;  // it can touch nothing
    Geom geom;
    geom.name = name(mjOBJ_GEOM, g);
    const int body = m_.geom_bodyid[g];
    geom.body = ours_[at(body)];
    const BodyKind kind = builder_.body(geom.body).kind;
    try {
      geom.shape = makeShape(g, kind == BodyKind::Dynamic);
    } catch (const InputError& error) {
      throw InputError{title(mjOBJ_GEOM, g) + ": " + error.what(), "", "", ""};
    }
    if (geom.shape.type == ShapeType::Mesh) ++fixedMeshes;
    geom.friction = m_.geom_friction[3 * g];
    if (!(geom.friction >= 0) || !std::isfinite(geom.friction))
      throw InputError{title(mjOBJ_GEOM, g) + " friction", std::to_string(geom.friction), "finite and >= 0", "give a coefficient of friction"};
    geom.restitution = restitution_[at(g)];
    geom.contype = contactsOff() ? 0 : m_.geom_contype[g];
    geom.conaffinity = contactsOff() ? 0 : m_.geom_conaffinity[g];
    geom.condim = m_.geom_condim[g];
    geom.priority = m_.geom_priority[g];
    if (geom.condim > 3 && torsional++ == 0) firstTorsional = g;
    const Pose X_BG{vector3(m_.geom_pos + 3 * g), quaternion(m_.geom_quat + 4 * g)};
    geoms_[at(g)] = builder_.addGeom(std::move(geom), inOurs(body) * X_BG);
  }
  if (torsional > 0)
    report_.changed.push_back({"geom " + name(mjOBJ_GEOM, firstTorsional) + (torsional > 1 ? " and " + std::to_string(torsional - 1) + " more" : ""), "condim",
                               "counted as 3: torsional and rolling friction are not supported"});
  if (fixedMeshes > 0)
    report_.changed.push_back({"geom type mesh ×" + std::to_string(fixedMeshes), "", "fixed meshes collide with their triangles, not with their convex hull"});
}

void Importer::readJoints() {
  joints_.assign(at(static_cast<int>(m_.njnt)), -1);
  int next = 0;
  for (int b = 1; b < m_.nbody; ++b) {
    if (!isJoined(b)) continue;
    std::vector<Joint> joints;
    for (int j = m_.body_jntadr[b]; j < m_.body_jntadr[b] + m_.body_jntnum[b]; ++j) {
      joints.push_back(readMjcfJoint(m_, j, title(mjOBJ_JOINT, j)));
      joints.back().name = name(mjOBJ_JOINT, j);
      joints_[at(j)] = next++;
    }
    const int parent = ours_[at(rootOf(m_.body_parentid[b]))];
    builder_.addJoints(parent, ours_[at(b)], anchorOf(m_, b), std::move(joints));
    if (isUrdf_ && builder_.body(parent).kind == BodyKind::Static)
      builder_.addExclude(parent, ours_[at(b)]);  // links and what they hang on never collide there
  }
}

void Importer::readTendons() {
  tendons_.assign(at(static_cast<int>(m_.ntendon)), -1);
  for (int t = 0; t < m_.ntendon; ++t) {
    std::optional<Tendon> tendon = readMjcfTendon(m_, t, title(mjOBJ_TENDON, t));
    if (!tendon) continue;
    tendon->name = name(mjOBJ_TENDON, t);
    numberJoints(tendon->terms);
    tendons_[at(t)] = builder_.addTendon(std::move(*tendon));
  }
}

/// By our numbers in place of libmujoco's.
void Importer::numberJoints(std::vector<CoordinateTerm>& terms) const {
  for (CoordinateTerm& term : terms) term.joint = joints_[at(term.joint)];
}

void Importer::readActuators() {
  actuators_.assign(at(static_cast<int>(m_.nactuator)), -1);
  int next = 0;
  for (int a = 0; a < m_.nactuator; ++a) {
    if (const std::string why = whyLeftOut(m_, a); !why.empty()) {
      report_.ignored.push_back({"actuator " + name(mjOBJ_ACTUATOR, a), "", why});
      continue;
    }
    Actuator actuator = readMjcfActuator(m_, a, title(mjOBJ_ACTUATOR, a));
    actuator.name = name(mjOBJ_ACTUATOR, a);
    if (actuator.thruster >= 0)
      actuator.thruster = addThruster(a);
    else if (actuator.tendon >= 0)
      actuator.tendon = tendons_[at(actuator.tendon)];
    else
      actuator.joint = joints_[at(actuator.joint)];
    actuators_[at(a)] = next++;
    builder_.addActuator(std::move(actuator));
  }
}

int Importer::addThruster(int actuator) {
  Thruster thruster = readMjcfThruster(m_, actuator);
  const Pose X = inOurs(thruster.body);
  thruster.name = name(mjOBJ_ACTUATOR, actuator);
  thruster.body = ours_[at(thruster.body)];
  thruster.point = X * thruster.point;
  thruster.force = X.rotation * thruster.force;
  thruster.torque = X.rotation * thruster.torque;
  return builder_.addThruster(std::move(thruster));
}

void Importer::readConnections() {
  for (int e = 0; e < m_.neq; ++e) {
    if (!m_.eq_active0[e] || disabled(mjDSBL_EQUALITY) || disabled(mjDSBL_CONSTRAINT)) {
      report_.ignored.push_back({"equality " + name(mjOBJ_EQUALITY, e), "", "switched off in the file"});
      continue;
    }
    if (isMjcfCoupling(m_, e)) {
      readCoupling(e);
      continue;
    }
    Connection connection = readMjcfConnection(m_, e, title(mjOBJ_EQUALITY, e));
    connection.name = name(mjOBJ_EQUALITY, e);
    const Pose A = inOurs(connection.bodyA), B = inOurs(connection.bodyB);
    connection.p_A = A * connection.p_A;
    connection.p_B = B * connection.p_B;
    if (connection.R_AB) connection.R_AB = A.rotation * *connection.R_AB * B.rotation.conjugate();
    connection.bodyA = ours_[at(connection.bodyA)];
    connection.bodyB = ours_[at(connection.bodyB)];
    const auto moves = [&](int body) { return builder_.body(body).kind == BodyKind::Dynamic; };
    if (connection.bodyA == connection.bodyB || (!moves(connection.bodyA) && !moves(connection.bodyB)))
      report_.ignored.push_back({"equality " + connection.name, "", "its bodies cannot move against each other anyway"});
    else
      builder_.addConnection(std::move(connection));
  }
}

void Importer::readCoupling(int equality) {
  Coupling coupling = readMjcfCoupling(m_, equality, title(mjOBJ_EQUALITY, equality));
  coupling.name = name(mjOBJ_EQUALITY, equality);
  numberJoints(coupling.driven);
  numberJoints(coupling.driving);
  builder_.addCoupling(std::move(coupling));
}

void Importer::readPairs() {
  if (contactsOff()) return;
  for (int p = 0; p < m_.npair; ++p) {
    const int a = m_.pair_geom1[p], b = m_.pair_geom2[p];
    const double* friction = m_.pair_friction + 5 * p;
    if (friction[0] != friction[1])
      report_.changed.push_back({"pair " + name(mjOBJ_PAIR, p), "friction", "the first number counts in both tangent directions"});
    if (m_.pair_dim[p] > 3)
      report_.changed.push_back({"pair " + name(mjOBJ_PAIR, p), "condim", "counted as 3: torsional and rolling friction are not supported"});
    builder_.addPair({geoms_[at(a)], geoms_[at(b)], friction[0], std::max(restitution_[at(a)], restitution_[at(b)]), m_.pair_dim[p]});
  }
}

void Importer::readExcludes() {
  for (int k = 0; k < m_.nexclude; ++k) {
    const int a = m_.exclude_signature[k] >> 16, b = m_.exclude_signature[k] & 0xFFFF;
    const auto welded = [this](int body) { return rootOf(body) != body && rootOf(body) != 0; };
    if (welded(a) || welded(b))
      report_.ignored.push_back(
          {"exclude " + name(mjOBJ_BODY, a) + ", " + name(mjOBJ_BODY, b), "", "a body welded to a moving body is part of it and cannot be excluded alone"});
    else
      builder_.addExclude(ours_[at(a)], ours_[at(b)]);
  }
}

/// Bodies with joints, and what controls and drives actuators.
void Importer::readJointKey(int key, const Model& model, WorldState& state) {
  for (int a = 0; a < m_.nactuator; ++a) {
    if (actuators_[at(a)] < 0) continue;
    state.control[at(actuators_[at(a)])] = m_.key_ctrl[key * m_.nu + m_.actuator_ctrladr[a]];
    if (m_.actuator_actadr[a] >= 0) state.activation[at(actuators_[at(a)])] = m_.key_act[key * m_.na + m_.actuator_actadr[a]];
  }
  if (!kinematics_) return;
  const double* qpos = m_.key_qpos + key * m_.nq;
  kinematics_->set(qpos, m_.key_qvel + key * m_.nv, m_.key_mpos + 3 * key * m_.nmocap, m_.key_mquat + 4 * key * m_.nmocap);
  for (int b = 1; b < m_.nbody; ++b) {
    if (!isJoined(b)) continue;
    const auto id = at(ours_[at(b)]);
    const Pose X_WB = kinematics_->pose(b);
    const Vector3 arm = X_WB.rotation * model.bodies[id].p_BC;
    state.position[id] = X_WB.position + arm;
    state.rotation[id] = X_WB.rotation;
    kinematics_->velocity(b, state.velocity[id], state.angularVelocity[id]);
    state.velocity[id] += state.angularVelocity[id].cross(arm);
    for (int j = m_.body_jntadr[b]; j < m_.body_jntadr[b] + m_.body_jntnum[b]; ++j)
      if (m_.jnt_type[j] != mjJNT_BALL) state.jointPosition[at(joints_[at(j)])] = qpos[m_.jnt_qposadr[j]];
  }
}

void Importer::readKey(int key, const Model& model, WorldState& state) {
  const double* qpos = m_.key_qpos + key * m_.nq;
  const double* qvel = m_.key_qvel + key * m_.nv;
  const std::string element = label_ + ": key " + name(mjOBJ_KEY, key);
  const auto requireFinite = [&element](const char* array, const double* values, mjtSize count) {
    for (mjtSize i = 0; i < count; ++i)
      if (!std::isfinite(values[i]))
        throw InputError{element + " " + array + "[" + std::to_string(i) + "]", number(values[i]), "finite numbers", "correct the keyframe"};
  };
  requireFinite("qpos", qpos, m_.nq);
  requireFinite("qvel", qvel, m_.nv);
  requireFinite("ctrl", m_.key_ctrl + key * m_.nu, m_.nu);
  requireFinite("mpos", m_.key_mpos + 3 * key * m_.nmocap, 3 * m_.nmocap);
  requireFinite("mquat", m_.key_mquat + 4 * key * m_.nmocap, 4 * m_.nmocap);
  requireFinite("time", m_.key_time + key, 1);
  state.time = m_.key_time[key];
  for (int b = 1; b < m_.nbody; ++b) {
    if (rootOf(b) != b || isJoined(b)) continue;
    const auto id = at(ours_[at(b)]);
    const bool free = isFree(b);
    const int joint = free ? m_.body_jntadr[b] : -1;
    const double* position = free ? qpos + m_.jnt_qposadr[joint] : m_.key_mpos + 3 * (key * m_.nmocap + m_.body_mocapid[b]);
    const double* rotation = free ? position + 3 : m_.key_mquat + 4 * (key * m_.nmocap + m_.body_mocapid[b]);
    if (!(Eigen::Map<const Eigen::Vector4d>(rotation).norm() > 0))
      throw InputError{element + ", body " + name(mjOBJ_BODY, b), "a zero quaternion", "any other", "give a rotation"};
    const Pose X_WB{vector3(position), quaternion(rotation)};
    const Vector3 arm = X_WB.rotation * model.bodies[id].p_BC;
    state.position[id] = X_WB.position + arm;
    state.rotation[id] = X_WB.rotation;
    if (!free) continue;
    const double* speed = qvel + m_.jnt_dofadr[joint];
    state.angularVelocity[id] = X_WB.rotation * vector3(speed + 3);
    state.velocity[id] = vector3(speed) + state.angularVelocity[id].cross(arm);
  }
  readJointKey(key, model, state);
}

std::vector<Keyframe> Importer::keyframes(const Model& model) {
  std::vector<Keyframe> keys;
  for (int k = 0; k < m_.nkey; ++k) {
    Keyframe key{name(mjOBJ_KEY, k), makeState(model)};
    readKey(k, model, key.state);
    keys.push_back(std::move(key));
  }
  return keys;
}

Scene load(const std::string& path, std::string text, const std::string& label, const std::string& folder) {
  const bool urdf = isUrdf(text, label);
  std::vector<std::string> warnings;
  const bool replaced = urdf && !path.empty();
  const Source source = compile(path, replaced ? resolvePackages(text, folder, label) : text, replaced, label, warnings);
  SceneText scanned = scanScene(text, folder, urdf);
  Scene scene;
  scene.report = std::move(scanned.report);
  scene.report.warnings = std::move(warnings);
  Importer importer{source, label, urdf, scene.report};
  const LogCapture capture{scene.report.warnings};  // its kinematics may have something to say, too
  try {
    scene.model = importer.build(scanned.setsTimestep);
    scene.start = makeState(scene.model);
    scene.keyframes = importer.keyframes(scene.model);
  } catch (const InputError& error) {
    if (error.element().rfind(label, 0) == 0) throw;
    throw InputError{label + ": " + error.what(), "", "", ""};
  } catch (const std::runtime_error& error) {
    failCompile(label, error.what());
  }
  scene.text = std::move(text);
  return scene;
}

}  // namespace

Scene loadScene(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError{path, "no such file", "an existing scene file", "check the path"};
  std::ifstream stream{path, std::ios::binary};
  if (!stream || !std::filesystem::is_regular_file(path, error))
    throw InputError{path, "cannot be read", "a readable scene file", "check the path and its rights"};
  std::ostringstream text;
  text << stream.rdbuf();
  const std::filesystem::path parent = std::filesystem::path{path}.parent_path();
  return load(path, text.str(), path, parent.empty() ? "." : parent.string());
}

Scene loadSceneText(const std::string& xml, const std::string& label) { return load("", xml, label, ""); }

const WorldState& findKeyframe(const Scene& scene, const std::string& name) {
  std::string names;
  for (const Keyframe& key : scene.keyframes) {
    if (key.name == name) return key.state;
    names += (names.empty() ? "" : ", ") + key.name;
  }
  throw InputError{"keyframe " + name, "not in the scene", names.empty() ? "the scene has no keyframes" : names,
                   "give one of these names, or none for the start of the file"};
}

}  // namespace stiction
