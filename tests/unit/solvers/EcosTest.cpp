// The forms that go to ECOS, in every build; its answers where it is built in.
#include "solvers/Ecos.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "oracle/PointMass.hpp"
#include "solvers/Solver.hpp"

namespace stiction {
namespace {

TEST(ECOSSparseMatrix, FromDenseKeepsColumnsRowsAndValues) {
  const MatrixX dense = (MatrixX(3, 2) << 1, 0, 0, 2, 3, 0).finished();
  const ECOSSparseMatrix sparse = ECOSSparseMatrix::fromDense(dense);
  EXPECT_EQ(sparse.nrows, 3);
  EXPECT_EQ(sparse.ncols, 2);
  EXPECT_EQ(sparse.nnz, 3);
  EXPECT_EQ(sparse.data, (std::vector<pfloat>{1, 3, 2}));
  EXPECT_EQ(sparse.row_indices, (std::vector<idxint>{0, 2, 1}));
  EXPECT_EQ(sparse.col_ptrs, (std::vector<idxint>{0, 2, 3}));
}

TEST(ECOSSparseMatrix, FromDenseLeavesOutWhatIsBelowTheThreshold) {
  const MatrixX dense = (MatrixX(2, 2) << 1, 1e-13, -1e-3, 0).finished();
  EXPECT_EQ(ECOSSparseMatrix::fromDense(dense).nnz, 2);
  EXPECT_EQ(ECOSSparseMatrix::fromDense(dense, 1e-2).nnz, 1);
  EXPECT_THROW(ECOSSparseMatrix::fromDense(MatrixX::Constant(1, 1, std::nan(""))), std::invalid_argument);
}

TEST(ECOSSparseMatrix, FromSparseIsFromDense) {
  const MatrixX dense = (MatrixX(3, 3) << 1, 0, 4, 0, 2, 0, 0, 3, 5).finished();
  const Eigen::SparseMatrix<double> given = dense.sparseView();
  const ECOSSparseMatrix a = ECOSSparseMatrix::fromDense(dense), b = ECOSSparseMatrix::fromSparse(given);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.row_indices, b.row_indices);
  EXPECT_EQ(a.col_ptrs, b.col_ptrs);
}

TEST(ECOSSparseMatrix, RefusesAThresholdThatIsNone) {
  for (const double threshold : {-1.0, std::nan(""), double{INFINITY}})
    EXPECT_THROW(ECOSSparseMatrix::fromDense(MatrixX::Identity(2, 2), threshold), std::invalid_argument);
}

// ECOS would follow a wrong index anywhere in memory.
TEST(ECOSData, RefusesArraysThatAreNoProblem) {
  const auto refused = [](const char* word, const std::function<void(ECOSData&)>& spoil) {
    FrictionConeSpec spec{1};
    spec.setFriction(0, 0.5, 0);
    ECOSProblem problem = buildFrictionProblem(MatrixX::Identity(3, 3), Vector3{1, 2, 3}, spec);
    spoil(problem.data);
    try {
      problem.data.setup();
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find(hasECOS() ? word : "STICTION_WITH_ECOS"), std::string::npos) << error.what();
    }
    EXPECT_EQ(problem.data.workspace, nullptr);
  };
  refused("G_row_indices[0]: 99; allowed: in [0, 8)", [](ECOSData& d) { d.G_row_indices[0] = 99; });
  refused("G_row_indices[0]: -1", [](ECOSData& d) { d.G_row_indices[0] = -1; });
  refused("G_row_indices[1]", [](ECOSData& d) { d.G_row_indices[1] = d.G_row_indices[0]; });
  refused("G_col_ptrs", [](ECOSData& d) { std::swap(d.G_col_ptrs[1], d.G_col_ptrs[2]); });
  refused("G_col_ptrs", [](ECOSData& d) { d.G_col_ptrs.back() = 1000; });
  refused("G_col_ptrs", [](ECOSData& d) { d.G_col_ptrs.pop_back(); });
  refused("G_data: ", [](ECOSData& d) { d.G_data.pop_back(); });
  refused("G_data[1]: nan", [](ECOSData& d) { d.G_data[1] = std::nan(""); });
  refused("h: 7 entries", [](ECOSData& d) { d.h.pop_back(); });
  refused("h[2]: inf", [](ECOSData& d) { d.h[2] = INFINITY; });
  refused("c: 0 entries", [](ECOSData& d) { d.c.clear(); });
  refused("num_variables: -3", [](ECOSData& d) { d.num_variables = -3; });
  refused("num_linear: -1", [](ECOSData& d) { d.num_linear = -1; });
  refused("num_cones: 5", [](ECOSData& d) { d.num_cones = 5; });
  refused("cone_sizes: 0", [](ECOSData& d) { d.cone_sizes[0] = 0; });
  refused("h: 8 entries", [](ECOSData& d) { d.cone_sizes[0] = 1L << 62; });
  refused("num_variables: 0", [](ECOSData& d) { d = ECOSData{0}; });
  EXPECT_THROW(ECOSData{2'000'000'000}, std::invalid_argument);
  EXPECT_THROW(FrictionConeSpec{2'000'000'000}, std::invalid_argument);
}

TEST(FrictionConeSpec, HoldsCoefficientsAndNormals) {
  FrictionConeSpec spec{3};
  spec.setFriction(0, 0.5, 0);
  spec.setFriction(2, 0.9, 6);
  EXPECT_EQ(spec.frictionCoefficients, (std::vector<double>{0.5, 0, 0.9}));
  EXPECT_EQ(spec.normalIndices, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(spec.getConeSizes(), (std::vector<idxint>{3, 3, 3}));
  EXPECT_THROW(spec.setFriction(3, 0.5, 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, -0.5, 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, std::nan(""), 0), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, 0.5, 8), std::invalid_argument);
  EXPECT_THROW(FrictionConeSpec{-1}, std::invalid_argument);
}

// The fields are public: filled by hand they are taken at their word, or refused.
TEST(FrictionConeSpec, FieldsFilledByHand) {
  const auto build = [](const FrictionConeSpec& spec) { return buildFrictionProblem(MatrixX::Identity(6, 6), VectorX::Ones(6), spec); };
  FrictionConeSpec spec;
  spec.numContacts = 2;
  EXPECT_THROW(build(spec), std::invalid_argument);
  spec.frictionCoefficients = {0.5, 0.7};
  spec.normalIndices = {0, 3};
  EXPECT_EQ(build(spec).data.num_cones, 3);
  spec.setFriction(1, 0.9, 3);
  EXPECT_EQ(spec.frictionCoefficients, (std::vector<double>{0.5, 0.9}));
  for (const int index : {5, -1}) {
    spec.normalIndices[0] = index;
    EXPECT_THROW(build(spec), std::invalid_argument);
  }
  spec.normalIndices[0] = 0;
  for (const double mu : {-0.5, std::nan("")}) {
    spec.frictionCoefficients[0] = mu;
    EXPECT_THROW(build(spec), std::invalid_argument);
  }
  spec.numContacts = -1;
  EXPECT_THROW(spec.getConeSizes(), std::invalid_argument);
  EXPECT_THROW(spec.setFriction(0, 0.5, 0), std::invalid_argument);
}

// x = (λ_n, λ_t1, λ_t2, t): one friction cone, and the objective's of 3 + 2.
TEST(BuildFrictionProblem, OneContact) {
  FrictionConeSpec spec{1};
  spec.setFriction(0, 0.5, 0);
  const ECOSProblem problem = buildFrictionProblem(MatrixX::Identity(3, 3), Vector3{1, 0.2, 0}, spec);
  EXPECT_EQ(problem.data.num_variables, 4);
  EXPECT_EQ(problem.data.num_cones, 2);
  EXPECT_EQ(problem.data.num_linear, 0);
  EXPECT_EQ(problem.data.cone_sizes, (std::vector<idxint>{3, 5}));
  EXPECT_EQ(problem.data.c, (std::vector<pfloat>{0, 0, 0, 1}));
  ASSERT_EQ(problem.data.h.size(), 8U);
  EXPECT_DOUBLE_EQ(problem.data.h[3], std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(problem.data.h[4], -std::sqrt(0.5));
  ASSERT_EQ(problem.data.G_col_ptrs.size(), 5U);
  EXPECT_DOUBLE_EQ(problem.data.G_data[0], -0.5);  // s_0 = μ λ_n
  EXPECT_EQ(problem.data.G_row_indices[0], 0);
}

TEST(BuildFrictionProblem, FrictionlessContactsAreLinearRows) {
  FrictionConeSpec spec{3};
  spec.setFriction(1, 0.3, 3);
  const ECOSProblem problem = buildFrictionProblem(MatrixX::Identity(9, 9), VectorX::Ones(9), spec);
  EXPECT_EQ(problem.data.num_variables, 1 + 3 + 1 + 1);
  EXPECT_EQ(problem.data.num_linear, 2);
  EXPECT_EQ(problem.data.cone_sizes, (std::vector<idxint>{3, 11}));
  EXPECT_EQ(problem.column, (std::vector<int>{0, -1, -1, 1, 2, 3, 4, -1, -1}));
  EXPECT_THROW(buildFrictionProblem(MatrixX::Identity(3, 3), VectorX::Ones(9), spec), std::invalid_argument);
}

// The reference case: 10 kg at (3, 4, −1) m/s, μ = 0.3, e = 0.5: strict r = (15, −2.7, −3.6), relaxed (27.52, −4.954, −6.606).
TEST(Ecos, RelaxedAndStrictReferenceCase) {
  if (!hasECOS()) return;
  const ContactProblem problem = pointMass(10, {3, 4, -1}, 0.3, -0.5);
  const double relaxed = 10 * (1.5 + 0.3 * 5) / 1.09;
  for (const auto& [name, expected] : {std::pair{"ecos", Vector3{relaxed * Vector3{1, -0.18, -0.24}}}, {"ecos-strict", Vector3{15, -2.7, -3.6}}}) {
    Iterate iterate;
    SolveOptions options;
    options.tolerance = 1e-10;
    const SolveReport report = makeSolver(name)->solve(problem, iterate, options);
    EXPECT_EQ(report.status, SolveStatus::Converged) << name << ": " << report.residual;
    EXPECT_LE((iterate.r - expected).norm(), 1e-8) << name;
  }
}

}  // namespace
}  // namespace stiction
