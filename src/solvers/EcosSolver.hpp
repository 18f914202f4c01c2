// The methods on ECOS, dense and for problems of up to some hundred contacts: `ecos`, the convex relaxation; `ecos-strict`, strict Coulomb by De Saxcé's shift brought up to date
// after each cone program (Haslinger 1983, Cadoux 2009), at most 200 of them. A local problem's W enters by its symmetric part.
#pragma once
#include <memory>

#include "solvers/Solver.hpp"

namespace stiction {

std::unique_ptr<Solver> makeEcosSolver(bool strict);

}  // namespace stiction
