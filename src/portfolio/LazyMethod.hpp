// A method that is made when it is first asked for: a small problem takes less time than all methods take to make.
#pragma once
#include <memory>

#include "solvers/VelocityMethod.hpp"

namespace stiction {

class LazyMethod {
 public:
  using Maker = std::unique_ptr<VelocityMethod> (*)();
  explicit LazyMethod(Maker make) : make_{make} {}

  VelocityMethod& operator*() {
    if (!method_) method_ = make_();
    return *method_;
  }

 private:
  Maker make_;
  std::unique_ptr<VelocityMethod> method_;
};

}  // namespace stiction
