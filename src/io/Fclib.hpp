// Friction problems in the HDF5 layout of FCLIB (Acary, Brémond, Huber 2014, "On solving contact problems with Coulomb friction: formulations and numerical
// comparisons"): group `fclib_local` (W, q, μ) or `fclib_global` (M, H, G, f, w, b, μ), `/solution/{v,u,r,l}`, `/guesses`.
//
// Sparse matrices come as triplets (nz >= 0: rows i, columns p), compressed columns (nz = -1) or compressed rows (nz = -2); repeated entries add up. A global
// problem's velocities are cut into the finest blocks its mass matrix allows; single velocities that move together (bodies with a diagonal mass) are put together.
// FCLIB has no compliance: R and C, when not zero, are datasets of their own under `/stiction/`.
#pragma once
#include <cstddef>
#include <string>
#include <variant>

#include "problem/ContactProblem.hpp"

namespace stiction {

using FclibProblem = std::variant<LocalContactProblem, ContactProblem>;

/// Reads and checks a problem. Throws InputError on anything that is not one.
FclibProblem readFclib(const std::string& path);
/// The same from a file image in memory.
FclibProblem readFclib(const void* image, std::size_t bytes);

/// Writes the problem and the answer. Returns a warning when the problem has what FCLIB cannot hold (R, C), else an empty string.
std::string writeFclib(const std::string& path, const ContactProblem& problem, const Iterate& answer);
std::string writeFclib(const std::string& path, const LocalContactProblem& problem, const Iterate& answer);

/// Copies the problem of `source` as it is, with its info and guesses, and writes the answer to it in place of any solution it had.
void writeFclibAnswer(const std::string& source, const std::string& path, const FclibProblem& problem, const Iterate& answer);

/// Contact velocities u [m/s]: Hᵀv + w + R r, or W r + q.
VectorX contactVelocity(const ContactProblem& problem, const Iterate& answer);
VectorX contactVelocity(const LocalContactProblem& problem, const Iterate& answer);

}  // namespace stiction
