// The answer before anything is known: zeros of the problem's sizes.
#pragma once
#include "problem/ContactProblem.hpp"

namespace stiction::cli {

inline Iterate coldStart(const ContactProblem& problem) {
  return {VectorX::Zero(problem.dof()), VectorX::Zero(3 * problem.contacts()), VectorX::Zero(problem.rows())};
}

inline Iterate coldStart(const LocalContactProblem& problem) { return {VectorX{}, VectorX::Zero(3 * problem.contacts()), VectorX{}}; }

}  // namespace stiction::cli
