// Methods of strict Coulomb against each other on friction problems that others published: FCLIB files in the folder that STICTION_FCLIB_PROBLEMS names (none: skipped).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "certify/Certificate.hpp"
#include "io/Fclib.hpp"
#include "portfolio/Portfolio.hpp"
#include "solvers/Ecos.hpp"

namespace stiction {
namespace {

constexpr double kCertified = 1e-8, kAgree = 1e-7, kSharp = 1e-11;  // [-] of the certificate's scale
constexpr int kDense = 100;                                         // contacts that ecos-strict, which is dense, is given

/// Answers that both method and `auto` certify have one velocity, or are proved to be two: sharpened to 1e-11, they are still apart.
template <class Problem>
void expectAgreement(const Problem& problem) {
  Iterate reference;
  SolveOptions options;
  ASSERT_TRUE(Portfolio{"auto"}.solve(problem, reference, options).certified);
  const double scale = certify(problem, reference).scale;
  const auto apart = [&](const Iterate& a, const Iterate& b) {
    return (contactVelocity(problem, a) - contactVelocity(problem, b)).template lpNorm<Eigen::Infinity>() / scale;
  };
  const auto sharpened = [&](Iterate answer) {
    SolveOptions sharpen;
    sharpen.warm = true;
    sharpen.tolerance = kSharp;
    Portfolio{"newton"}.solve(problem, answer, sharpen);
    EXPECT_LE(certify(problem, answer).relative, kSharp);
    return answer;
  };
  for (const std::string method : {"nsgs", "prox", "ipm", "ecos-strict"}) {
    if (method == "ecos-strict" && (!hasECOS() || problem.contacts() > kDense)) continue;
    SCOPED_TRACE(method);
    Iterate answer;
    Portfolio{method}.solve(problem, answer, options);
    if (!(certify(problem, answer).relative <= kCertified) || apart(answer, reference) <= kAgree) continue;
    const double distance = apart(sharpened(answer), sharpened(reference));
    EXPECT_TRUE(distance <= kAgree || distance > 1e-3) << distance;
  }
}

TEST(PublishedProblems, MethodsAgree) {
  const char* folder = std::getenv("STICTION_FCLIB_PROBLEMS");
  if (!folder) GTEST_SKIP() << "STICTION_FCLIB_PROBLEMS names no folder";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path().string());
  ASSERT_FALSE(files.empty()) << folder;
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    std::visit([](const auto& problem) { expectAgreement(problem); }, readFclib(file));
  }
}

}  // namespace
}  // namespace stiction
