// A friction problem of the benchmark in the form it came and in the local form that peers take; answers are judged in the form it came.
#pragma once
#include <string>
#include <vector>

#include "certify/Certificate.hpp"
#include "io/Fclib.hpp"

namespace stiction::bench {

struct BenchProblem {
  std::string name;
  FclibProblem given;
  LocalContactProblem local;  // `given` itself, or W = HᵀM⁻¹H and q = HᵀM⁻¹f + w
  bool hasLocal{true};        // false for global problems with equality rows, coupled masses or compliance: peers are not given those

  bool global() const { return std::holds_alternative<ContactProblem>(given); }
  int contacts() const {
    return std::visit([](const auto& p) { return p.contacts(); }, given);
  }
};

BenchProblem readProblem(const std::string& file);

/// The .hdf5 files of a folder in order of name. Throws InputError when there are none.
std::vector<std::string> problemFiles(const std::string& folder);

/// The certificate of impulses r for the problem as given: velocities are M⁻¹(f + H r).
Certificate judgeImpulses(const BenchProblem& problem, const VectorX& r);

}  // namespace stiction::bench
