// FCLIB files: what is written comes back bit for bit; the three sparse formats say the same; hostile files end in an InputError that names the dataset.
#include "io/Fclib.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <random>

#include "base/Error.hpp"
#include "io/Hdf5.hpp"

namespace stiction {
namespace {

class Fclib : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("stiction-fclib-" + std::string{::testing::UnitTest::GetInstance()->current_test_info()->name()});
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

double uniform(std::mt19937& random) { return std::uniform_real_distribution<double>{-1.0, 1.0}(random); }

VectorX randomVector(std::mt19937& random, int n) {
  VectorX x(n);
  for (double& value : x) value = uniform(random);
  return x;
}

/// Three bodies with full 6 × 6 masses, three contacts (two on one body, one between two) and two equality rows.
ContactProblem makeGlobal(std::mt19937& random) {
  ContactProblem p;
  for (int k = 0; k < 3; ++k) {
    const MatrixX A = MatrixX::NullaryExpr(6, 6, [&] { return uniform(random); });
    MatrixX block = A * A.transpose() + MatrixX::Identity(6, 6);
    block = 0.5 * (block + block.transpose()).eval();
    p.M.addBlock(block.data(), 6);
  }
  const auto segment = [&](BlockColumns& A, int body) {
    const VectorX values = randomVector(random, 6 * A.width);
    A.addSegment(body, 6 * body, 6, values.data());
  };
  segment(p.H, 0);
  p.H.endGroup();
  segment(p.H, 0);
  segment(p.H, 2);
  p.H.endGroup();
  segment(p.H, 1);
  p.H.endGroup();
  for (int row = 0; row < 2; ++row) {
    segment(p.G, row);
    segment(p.G, row + 1);
    p.G.endGroup();
  }
  p.f = randomVector(random, 18);
  p.w = randomVector(random, 9);
  p.wScale = p.w;
  p.b = randomVector(random, 2);
  p.mu = randomVector(random, 3).cwiseAbs();
  return p;
}

void expectEqual(const BlockColumns& a, const BlockColumns& b) {
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.values, b.values);
  ASSERT_EQ(a.segments.size(), b.segments.size());
  for (std::size_t k = 0; k < a.segments.size(); ++k) {
    EXPECT_EQ(a.segments[k].block, b.segments[k].block);
    EXPECT_EQ(a.segments[k].row, b.segments[k].row);
    EXPECT_EQ(a.segments[k].size, b.segments[k].size);
  }
}

TEST_F(Fclib, GlobalProblemComesBackBitForBit) {
  std::mt19937 random{7};
  ContactProblem p = makeGlobal(random);
  p.R = randomVector(random, 9).cwiseAbs();
  p.C = randomVector(random, 2).cwiseAbs();
  const Iterate answer{randomVector(random, 18), randomVector(random, 9), randomVector(random, 2)};
  const std::string warning = writeFclib(path("global.hdf5"), p, answer);
  EXPECT_NE(warning.find("/stiction/"), std::string::npos);
  const auto q = std::get<ContactProblem>(readFclib(path("global.hdf5")));
  EXPECT_EQ(p.M.start, q.M.start);
  EXPECT_EQ(p.M.values, q.M.values);
  expectEqual(p.H, q.H);
  expectEqual(p.G, q.G);
  for (const auto& [x, y] : {std::pair{p.f, q.f}, {p.w, q.w}, {p.w, q.wScale}, {p.b, q.b}, {p.mu, q.mu}, {p.R, q.R}, {p.C, q.C}}) EXPECT_EQ(x, y);
  const hdf5::Reader file{path("global.hdf5")};
  const std::vector<double> r = file.reals("solution/r"), v = file.reals("solution/v"), l = file.reals("solution/l"), u = file.reals("solution/u");
  EXPECT_EQ(answer.r, VectorX(Eigen::Map<const VectorX>(r.data(), 9)));
  EXPECT_EQ(answer.v, VectorX(Eigen::Map<const VectorX>(v.data(), 18)));
  EXPECT_EQ(answer.lambda, VectorX(Eigen::Map<const VectorX>(l.data(), 2)));
  // u by hand for the last contact, which touches body 1 alone.
  for (int c = 0; c < 3; ++c) {
    double expected = p.w[6 + c] + p.R[6 + c] * answer.r[6 + c];
    for (int k = 0; k < 6; ++k) expected += p.H.values[static_cast<std::size_t>(p.H.segments[3].offset + 6 * c + k)] * answer.v[6 + k];
    EXPECT_NEAR(u[static_cast<std::size_t>(6 + c)], expected, 1e-14);
  }
}

TEST_F(Fclib, NoWarningWithoutCompliance) {
  std::mt19937 random{8};
  ContactProblem p = makeGlobal(random);
  p.R = VectorX::Zero(9);
  EXPECT_TRUE(writeFclib(path("g.hdf5"), p, {VectorX::Zero(18), VectorX::Zero(9), VectorX::Zero(2)}).empty());
  EXPECT_FALSE(hdf5::Reader{path("g.hdf5")}.exists("stiction"));
}

TEST_F(Fclib, LocalProblemComesBackBitForBit) {
  std::mt19937 random{9};
  LocalContactProblem p;
  for (const auto& [row, columns] : {std::pair{0, std::vector<int>{0, 2}}, {1, {1}}, {2, {0, 1, 2}}}) {
    static_cast<void>(row);
    for (const int column : columns) {
      p.column.push_back(column);
      p.blocks.push_back(Matrix3::NullaryExpr([&] { return uniform(random); }));
    }
    p.start.push_back(static_cast<int>(p.blocks.size()));
  }
  p.q = randomVector(random, 9);
  p.mu = randomVector(random, 3).cwiseAbs();
  const Iterate answer{VectorX{}, randomVector(random, 9), VectorX{}};
  writeFclib(path("local.hdf5"), p, answer);
  const auto q = std::get<LocalContactProblem>(readFclib(path("local.hdf5")));
  EXPECT_EQ(p.start, q.start);
  EXPECT_EQ(p.column, q.column);
  EXPECT_EQ(p.blocks, q.blocks);
  EXPECT_EQ(p.q, q.q);
  EXPECT_EQ(p.mu, q.mu);
  EXPECT_FALSE(hdf5::Reader{path("local.hdf5")}.exists("solution/v"));
}

TEST_F(Fclib, AnswerIsAddedToACopyThatKeepsInfoAndGuesses) {
  std::mt19937 random{10};
  const ContactProblem p = makeGlobal(random);
  {
    writeFclib(path("bare.hdf5"), p, {VectorX::Zero(18), VectorX::Zero(9), VectorX::Zero(2)});
    const hdf5::Reader bare{path("bare.hdf5")};
    hdf5::Writer file{path("in.hdf5")};
    file.copy(bare, "fclib_global");
    file.copy(bare, "solution");
    file.group("guesses");
    file.integer("guesses/number_of_guesses", 1);
    file.finish();
  }
  const Iterate answer{randomVector(random, 18), randomVector(random, 9), randomVector(random, 2)};
  const FclibProblem problem = readFclib(path("in.hdf5"));
  writeFclibAnswer(path("in.hdf5"), path("out.hdf5"), problem, answer);
  const hdf5::Reader out{path("out.hdf5")};
  EXPECT_EQ(out.integer("guesses/number_of_guesses", 0, 9), 1);
  EXPECT_TRUE(out.exists("fclib_global/info/title"));
  const std::vector<double> r = out.reals("solution/r");
  EXPECT_EQ(answer.r, VectorX(Eigen::Map<const VectorX>(r.data(), 9)));
  EXPECT_THROW(writeFclibAnswer(path("in.hdf5"), path("in.hdf5"), problem, answer), InputError);
}

/// W = [[2, 0, 1], [0, 3, 0], [4, 0, 5]], q and mu of one contact, in any of the three formats.
struct SmallLocal {
  int m{3}, n{3}, nz{0}, nzmax{5};
  std::vector<int> p, i;
  std::vector<double> x;
  std::vector<double> q{-1, 0, 0}, mu{0.5};
};

SmallLocal triplets() { return {3, 3, 5, 5, {0, 2, 1, 0, 2}, {0, 0, 1, 2, 2}, {2, 1, 3, 4, 5}}; }
SmallLocal byColumns() { return {3, 3, -1, 5, {0, 2, 3, 5}, {0, 2, 1, 0, 2}, {2, 4, 3, 1, 5}}; }
SmallLocal byRows() { return {3, 3, -2, 5, {0, 2, 3, 5}, {0, 2, 1, 0, 2}, {2, 1, 3, 4, 5}}; }

void writeSmall(const std::string& path, const SmallLocal& s) {
  hdf5::Writer file{path};
  for (const char* group : {"fclib_local", "fclib_local/W", "fclib_local/vectors"}) file.group(group);
  for (const auto& [key, value] : {std::pair{"m", s.m}, {"n", s.n}, {"nz", s.nz}, {"nzmax", s.nzmax}}) file.integer(std::string{"fclib_local/W/"} + key, value);
  file.integer("fclib_local/spacedim", 3);
  file.integers("fclib_local/W/p", s.p);
  file.integers("fclib_local/W/i", s.i);
  file.reals("fclib_local/W/x", s.x.data(), s.x.size());
  file.reals("fclib_local/vectors/q", s.q.data(), s.q.size());
  file.reals("fclib_local/vectors/mu", s.mu.data(), s.mu.size());
  file.finish();
}

TEST_F(Fclib, TripletsColumnsAndRowsAreTheSameMatrix) {
  Matrix3 expected;
  expected << 2, 0, 1, 0, 3, 0, 4, 0, 5;
  for (const SmallLocal& s : {triplets(), byColumns(), byRows()}) {
    writeSmall(path("w.hdf5"), s);
    const auto p = std::get<LocalContactProblem>(readFclib(path("w.hdf5")));
    ASSERT_EQ(p.blocks.size(), 1U);
    EXPECT_EQ(p.blocks[0], expected) << "nz " << s.nz;
  }
}

TEST_F(Fclib, RepeatedTripletsAddUp) {
  SmallLocal s = triplets();
  s.i = {0, 0, 1, 2, 0};
  s.p = {0, 2, 1, 0, 0};
  writeSmall(path("w.hdf5"), s);
  EXPECT_EQ(std::get<LocalContactProblem>(readFclib(path("w.hdf5"))).blocks[0](0, 0), 7.0);
}

TEST_F(Fclib, HostileNumbersAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    const char* element;
    std::function<void(SmallLocal&)> spoil;
  };
  const std::vector<Case> cases = {
      {"fclib_local/W/m", [](SmallLocal& s) { s.m = -3; }},
      {"fclib_local/W", [](SmallLocal& s) { s.m = s.n = 2147483647; }},
      {"fclib_local/W", [](SmallLocal& s) { s.n = 6; }},
      {"fclib_local/W/nz", [](SmallLocal& s) { s.nz = -3; }},
      {"fclib_local/W", [](SmallLocal& s) { s.nz = 2147483647; }},
      {"fclib_local/W/nzmax", [](SmallLocal& s) { s.nzmax = -1; }},
      {"fclib_local/W", [](SmallLocal& s) { s.x.pop_back(); }},
      {"fclib_local/W, entry 2", [](SmallLocal& s) { s.i[2] = 3; }},
      {"fclib_local/W, entry 0", [](SmallLocal& s) { s.p[0] = -1; }},
      {"fclib_local/W/p", [](SmallLocal& s) { s = byRows(), s.p[1] = 4; }},
      {"fclib_local/W/p[0]", [](SmallLocal& s) { s = byRows(), s.p[0] = -1; }},
      {"fclib_local/W/p", [](SmallLocal& s) { s = byColumns(), s.p.pop_back(); }},
      {"fclib_local/W", [](SmallLocal& s) { s = byColumns(), s.p[3] = 2000000000; }},
      {"fclib_local/W/x[1]", [=](SmallLocal& s) { s.x[1] = nan; }},
      {"q[0]", [=](SmallLocal& s) { s.q[0] = nan; }},
      {"mu[0]", [](SmallLocal& s) { s.mu[0] = -0.1; }},
      {"fclib_local/vectors/q", [](SmallLocal& s) { s.q.push_back(0); }},
  };
  for (const Case& c : cases) {
    SmallLocal s = triplets();
    c.spoil(s);
    writeSmall(path("bad.hdf5"), s);
    try {
      readFclib(path("bad.hdf5"));
      ADD_FAILURE() << "accepted a bad " << c.element;
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find(c.element), std::string::npos) << error.what();
      EXPECT_NE(std::string{error.what()}.find("bad.hdf5"), std::string::npos) << error.what();
    }
  }
}

TEST_F(Fclib, TruncatedFilesAndOtherFormatsAreRefused) {
  std::mt19937 random{11};
  writeFclib(path("whole.hdf5"), makeGlobal(random), {VectorX::Zero(18), VectorX::Zero(9), VectorX::Zero(2)});
  const auto size = std::filesystem::file_size(path("whole.hdf5"));
  for (std::uintmax_t cut = 0; cut < size; cut += 512) {
    std::filesystem::copy_file(path("whole.hdf5"), path("cut.hdf5"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path("cut.hdf5"), cut);
    EXPECT_THROW(readFclib(path("cut.hdf5")), InputError) << "cut at " << cut << " of " << size;
  }
  EXPECT_THROW(readFclib(path("none.hdf5")), InputError);
  EXPECT_THROW(readFclib(folder_.string()), InputError);
}

TEST_F(Fclib, WrongTypesAndMissingDatasetsAreRefused) {
  {
    hdf5::Writer file{path("type.hdf5")};
    for (const char* group : {"fclib_local", "fclib_local/W", "fclib_local/vectors"}) file.group(group);
    file.text("fclib_local/vectors/mu", "0.5");
    file.integers("fclib_local/vectors/q", {1, 2, 3});
    for (const char* key : {"m", "n"}) file.integer(std::string{"fclib_local/W/"} + key, 3);
    file.finish();
  }
  EXPECT_THROW(readFclib(path("type.hdf5")), InputError);
  {
    hdf5::Writer file{path("missing.hdf5")};
    file.group("fclib_local");
    file.finish();
  }
  EXPECT_THROW(readFclib(path("missing.hdf5")), InputError);
}

/// A global problem with diagonal mass: five spheres of six velocities each, sphere k touching sphere k + 1, without some structurally zero rows.
TEST_F(Fclib, DiagonalMassIsCutIntoBodies) {
  constexpr int bodies = 5;
  ContactProblem p;
  const std::vector<double> mass(static_cast<std::size_t>(bodies * 6), 2.0);
  for (int i = 0; i < 6 * bodies; ++i) p.M.addBlock(&mass[static_cast<std::size_t>(i)], 1);
  std::mt19937 random{12};
  for (int c = 0; c + 1 < bodies; ++c) {
    for (const int body : {c, c + 1}) {
      for (int k = 0; k < 5; ++k) {  // the last row of each body is touched by no contact
        const VectorX values = randomVector(random, 3);
        p.H.addSegment(6 * body + k, 6 * body + k, 1, values.data());
      }
    }
    p.H.endGroup();
  }
  p.f = randomVector(random, 6 * bodies);
  p.w = randomVector(random, 3 * (bodies - 1));
  p.wScale = p.w;
  p.mu = VectorX::Constant(bodies - 1, 0.3);
  writeFclib(path("diagonal.hdf5"), p, {VectorX::Zero(6 * bodies), VectorX::Zero(p.w.size()), VectorX{}});
  const auto q = std::get<ContactProblem>(readFclib(path("diagonal.hdf5")));
  EXPECT_EQ(q.M.start, (std::vector<int>{0, 6, 12, 18, 24, 30}));
  EXPECT_EQ(q.H.segments.size(), 2U * (bodies - 1));
  // The same operators: products with random vectors agree.
  const VectorX r = randomVector(random, static_cast<int>(p.w.size()));
  VectorX a = VectorX::Zero(30), b = VectorX::Zero(30);
  multiplyAdd(p.H, r, a);
  multiplyAdd(q.H, r, b);
  EXPECT_LT((a - b).norm(), 1e-14);
}

/// A problem of one block of M, two by two, no contacts.
void writeMass(const std::string& path, const std::array<double, 4>& block) {
  ContactProblem p;
  p.M.addBlock(block.data(), 2);
  p.f = VectorX::Zero(2);
  p.H.clear();
  writeFclib(path, p, {VectorX::Zero(2), VectorX{}, VectorX{}});
}

TEST_F(Fclib, AnUnsymmetricMassIsRefused) {
  writeMass(path("m.hdf5"), {2, 0.5, 0.25, 2});
  EXPECT_THROW(readFclib(path("m.hdf5")), InputError);
}

TEST_F(Fclib, RoundOffAcrossTheDiagonalOfTheMassIsNone) {
  writeMass(path("m.hdf5"), {2, 1e-17, -3e-16, 3});
  EXPECT_EQ(std::get<ContactProblem>(readFclib(path("m.hdf5"))).M.blocks(), 1);
}

TEST_F(Fclib, HalfOfASymmetricMassIsRefusedAsSuch) {
  for (const bool below : {false, true}) {
    writeMass(path("m.hdf5"), {2, below ? 0.5 : 0.0, below ? 0.0 : 0.5, 3});
    try {
      readFclib(path("m.hdf5"));
      ADD_FAILURE() << "read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find("store the other half as well"), std::string::npos) << error.what();
    }
  }
}

TEST_F(Fclib, ALargeConnectedMassIsSlicedAndCoupled) {
  constexpr int n = 120;
  MatrixX M = 4.0 * MatrixX::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) M(i, i + 1) = M(i + 1, i) = -1.0 - 0.001 * i;
  ContactProblem p;
  p.M.addBlock(M.data(), n);
  p.f = VectorX::Ones(n);
  writeFclib(path("chain.hdf5"), p, {VectorX::Zero(n), VectorX{}, VectorX{}});
  const auto q = std::get<ContactProblem>(readFclib(path("chain.hdf5")));
  MatrixX back = MatrixX::Zero(n, n);
  for (int k = 0; k < q.M.blocks(); ++k) {
    const int at = q.M.start[static_cast<std::size_t>(k)], size = q.M.size(k);
    back.block(at, at, size, size) = Eigen::Map<const MatrixX>(q.M.values.data() + q.M.offset[static_cast<std::size_t>(k)], size, size);
  }
  for (const BlockMass::Coupling& c : q.M.couplings) {
    const int row = q.M.start[static_cast<std::size_t>(c.row)], column = q.M.start[static_cast<std::size_t>(c.column)];
    const Eigen::Map<const MatrixX> block{q.M.values.data() + c.offset, q.M.size(c.row), q.M.size(c.column)};
    back.block(row, column, block.rows(), block.cols()) = block;
    back.block(column, row, block.cols(), block.rows()) = block.transpose();
  }
  EXPECT_EQ(back, M);
}

}  // namespace
}  // namespace stiction
