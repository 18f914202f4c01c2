// Any bytes as an FCLIB file: a problem or an InputError, and a problem that is read can be judged.
#include <cstdint>
#include <cstdlib>
#include <variant>

#include "base/Error.hpp"
#include "certify/Certificate.hpp"
#include "io/Fclib.hpp"

namespace {

using namespace stiction;

Iterate atRest(const ContactProblem& problem) { return {VectorX::Zero(problem.dof()), VectorX::Zero(3 * problem.contacts()), VectorX::Zero(problem.rows())}; }

Iterate atRest(const LocalContactProblem& problem) { return {VectorX{}, VectorX::Zero(3 * problem.contacts()), VectorX{}}; }

}  // namespace

// libhdf5 1.10 loses memory of its own when it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const FclibProblem problem = readFclib(data, size);
    const Certificate certificate = std::visit([](const auto& p) { return Certifier{}.certify(p, atRest(p)); }, problem);
    if (certificate.relative < 0) std::abort();
  } catch (const InputError&) {
    return 0;  // what a file that is no problem ought to give
  }
  return 0;
}
