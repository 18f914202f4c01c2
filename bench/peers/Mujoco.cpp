// MuJoCo on a plain scene.   peer_mujoco SCENE.txt SECONDS STEP SETTING
//   default   pyramidal cone, Euler          elliptic  elliptic cone, implicitfast        noslip  elliptic with 10 noslip iterations and impratio 10
//   cg        elliptic, conjugate gradients  stiff     as noslip, with stiff contacts (solref 0.004, solimp 0.99 ... 0.9999)
#include <mujoco/mujoco.h>

#include <map>
#include <memory>

#include "Scene.hpp"

namespace {

using namespace peers;

struct Setting {
  const char* option;
  const char* geom;
};

const std::map<std::string, Setting> kSettings{
    {"default", {"", ""}},
    {"elliptic", {"cone='elliptic' integrator='implicitfast'", ""}},
    {"cg", {"cone='elliptic' integrator='implicitfast' solver='CG'", ""}},
    {"noslip", {"cone='elliptic' integrator='implicitfast' noslip_iterations='10' impratio='10'", ""}},
    {"stiff", {"cone='elliptic' integrator='implicitfast' noslip_iterations='10' impratio='10'", "solref='0.004 1' solimp='0.99 0.9999 0.001'"}},
};

template <class Numbers>
std::string text(const Numbers& numbers) {
  std::string out;
  char buffer[32];
  for (const double x : numbers) {
    std::snprintf(buffer, sizeof buffer, "%.17g ", x);
    out += buffer;
  }
  return out;
}

/// The rotation that takes z to the normal n.
std::array<double, 4> tilt(const Triple& n) {
  if (n[2] < -0.999999) return {0, 1, 0, 0};
  const double w = std::sqrt(0.5 * (1 + n[2]));
  return {w, -0.5 * n[1] / w, 0.5 * n[0] / w, 0};
}

std::string toXml(const PlainScene& scene, double h, const Setting& setting) {
  std::string assets, bodies, name;
  for (const Plane& plane : scene.planes) {
    const Triple& n = plane.normal;
    bodies += "<geom type='plane' size='0 0 1' pos='" + text(Triple{plane.offset * n[0], plane.offset * n[1], plane.offset * n[2]}) + "' quat='" +
              text(tilt(n)) + "' friction='" + text(std::array{plane.mu}) + "0 0'/>\n";
  }
  for (const Body& body : scene.bodies) {
    if (body.restitution > 0) throw std::string{"restitution cannot be said"};
    std::string geom = std::string{"type='"}.append(body.shape == Shape::Box ? "box" : "sphere").append("' size='").append(text(body.size)).append("'");
    if (body.shape == Shape::Hull) {
      name = std::string{"m"}.append(std::to_string(&body - scene.bodies.data()));
      assets += "<mesh name='" + name + "' vertex='" + text(body.size) + "'/>\n";
      geom = std::string{"type='mesh' mesh='"}.append(name).append("'");
    }
    bodies += "<body pos='" + text(body.position) + "' quat='" + text(body.quaternion) + "'><freejoint/><geom " + geom + " mass='" +
              text(std::array{body.mass}) + "' friction='" + text(std::array{body.mu}) + "0 0'/></body>\n";
  }
  return "<mujoco><size memory='2G'/><option timestep='" + text(std::array{h}) + "' gravity='" + text(scene.gravity) + "' " + setting.option +
         "/><default><geom " + setting.geom + "/></default><asset>" + assets + "</asset><worldbody>" + bodies + "</worldbody></mujoco>";
}

class MujocoWorld {
 public:
  MujocoWorld(const PlainScene& scene, double h, const std::string& setting) {
    const auto known = kSettings.find(setting);
    if (known == kSettings.end()) throw std::string{"unknown setting "}.append(setting);
    const std::string xml = toXml(scene, h, known->second);
    char error[1000] = "";
    mjVFS files;
    mj_defaultVFS(&files);
    mj_addBufferVFS(&files, "scene.xml", xml.data(), static_cast<int>(xml.size()));
    model_.reset(mj_loadXML("scene.xml", &files, error, sizeof error));
    mj_deleteVFS(&files);
    if (!model_) throw std::string{error};
    data_.reset(mj_makeData(model_.get()));
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const Body& body = scene.bodies[i];
      double* velocity = data_->qvel + 6 * i;
      const auto& q = body.quaternion;
      const mjtNum back[4] = {q[0], -q[1], -q[2], -q[3]};  // the angular velocity is in body axes
      for (std::size_t k = 0; k < 3; ++k) velocity[k] = body.velocity[k];
      mju_rotVecQuat(velocity + 3, body.angularVelocity.data(), back);
    }
  }

  void step() { mj_step(model_.get(), data_.get()); }

  Pose pose(std::size_t i) const {
    const double* p = data_->qpos + 7 * i;
    return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  }

 private:
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data_{nullptr, mj_deleteData};
};

}  // namespace

int main(int argc, char** argv) { return peers::peerMain<MujocoWorld>(argc, argv, "default, elliptic, cg, noslip, stiff"); }
