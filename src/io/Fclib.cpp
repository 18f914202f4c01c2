#include "io/Fclib.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Error.hpp"
#include "io/Hdf5.hpp"

namespace stiction {
namespace {

constexpr int maxDense = 48;  // velocities: a larger block of M is stored as slices with couplings
constexpr int bodySize = 6;
constexpr std::int64_t maxInt = std::numeric_limits<int>::max();

struct Entry {
  int row, column;
  double value;
};

/// By column, then row: of entries, and of blocks.
constexpr auto isBefore = [](const auto& a, const auto& b) { return a.column != b.column ? a.column < b.column : a.row < b.row; };

/// Sorted by column, then row; every position once.
struct SparseMatrix {
  int rows{0}, columns{0};
  std::vector<Entry> entries;
};

struct MatrixShape {
  int rows, columns;
};

MatrixShape readShape(const hdf5::Reader& file, const std::string& path) {
  return {static_cast<int>(file.integer(path + "/m", 0, maxInt)), static_cast<int>(file.integer(path + "/n", 0, maxInt))};
}

void sortAndAdd(SparseMatrix& A) {
  std::stable_sort(A.entries.begin(), A.entries.end(), isBefore);
  std::size_t kept = 0;
  for (const Entry& entry : A.entries) {
    if (kept > 0 && A.entries[kept - 1].row == entry.row && A.entries[kept - 1].column == entry.column)
      A.entries[kept - 1].value += entry.value;
    else
      A.entries[kept++] = entry;
  }
  A.entries.resize(kept);
}

/// The caller has checked `shape` against the vectors of the problem, so that it is no larger than the file.
SparseMatrix readMatrix(const hdf5::Reader& file, const std::string& path, MatrixShape shape) {
  SparseMatrix A{shape.rows, shape.columns, {}};
  const std::int64_t nz = file.integer(path + "/nz", -2, maxInt);
  const std::vector<int> p = file.integers(path + "/p");
  const std::vector<int> i = file.integers(path + "/i");
  const std::vector<double> x = file.reals(path + "/x");
  const bool triplets = nz >= 0, byColumn = nz == -1;
  const std::int64_t lines = byColumn ? shape.columns : shape.rows;
  const std::int64_t limit = static_cast<std::int64_t>(std::min(i.size(), x.size()));
  if (!triplets && static_cast<std::int64_t>(p.size()) != lines + 1)
    file.fail(path + "/p", std::to_string(p.size()) + " pointers", std::to_string(lines + 1), "give one pointer a line and the end");
  const std::int64_t count = triplets ? nz : p.back();
  if (count < 0 || count > limit || (triplets && count > static_cast<std::int64_t>(p.size())))
    file.fail(path, std::to_string(count) + " entries",
              std::string{"0 … "} + std::to_string(triplets ? std::min<std::int64_t>(limit, static_cast<std::int64_t>(p.size())) : limit) +
                  ", the lengths of p, i and x",
              "make nz, p, i and x agree");
  if (file.exists(path + "/nzmax")) file.integer(path + "/nzmax", count, maxInt);
  if (!triplets && p.front() != 0) file.fail(path + "/p[0]", std::to_string(p.front()), "0", "pointers start at 0");
  if (!triplets && !std::is_sorted(p.begin(), p.end())) file.fail(path + "/p", "falls", "ascending pointers", "pointers never fall");
  A.entries.reserve(static_cast<std::size_t>(count));
  std::int64_t line = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    while (!triplets && p[static_cast<std::size_t>(line) + 1] <= k) ++line;
    const int row = triplets || byColumn ? i[at] : static_cast<int>(line);
    const int column = triplets ? p[at] : byColumn ? static_cast<int>(line) : i[at];
    if (row < 0 || row >= shape.rows || column < 0 || column >= shape.columns)
      file.fail(path + ", entry " + std::to_string(k), std::string{"("} + std::to_string(row) + ", " + std::to_string(column) + ")",
                "rows 0 … " + std::to_string(shape.rows - 1) + ", columns 0 … " + std::to_string(shape.columns - 1), "indices count from 0");
    if (!std::isfinite(x[at])) file.fail(path + "/x[" + std::to_string(k) + "]", number(x[at]), "finite numbers", "correct the entry");
    A.entries.push_back({row, column, x[at]});
  }
  sortAndAdd(A);
  return A;
}

VectorX readVector(const hdf5::Reader& file, const std::string& path, std::int64_t wanted) {
  if (const std::int64_t length = file.count(path); length != wanted)
    file.fail(path, std::string{"length "} + std::to_string(length), std::string{"length "} + std::to_string(wanted), "make the sizes of the problem agree");
  const std::vector<double> values = file.reals(path);
  return Eigen::Map<const VectorX>{values.data(), static_cast<Eigen::Index>(values.size())};
}

void requireSpace(const hdf5::Reader& file, const std::string& group) {
  if (file.exists(group + "/spacedim") && file.integer(group + "/spacedim", 0, maxInt) != 3)
    file.fail(group + "/spacedim", "not 3", "3", "only problems in three dimensions are solved");
}

int readContacts(const hdf5::Reader& file, const std::string& muPath, const std::string& vectorPath) {
  const std::int64_t contacts = file.count(muPath), length = file.count(vectorPath);
  if (length != 3 * contacts)
    file.fail(vectorPath, std::string{"length "} + std::to_string(length), std::string{"3 × "} + std::to_string(contacts) + " (the length of " + muPath + ")",
              "make the sizes of the problem agree");
  return static_cast<int>(contacts);
}

LocalContactProblem readLocal(const hdf5::Reader& file) {
  const std::string group = "fclib_local";
  requireSpace(file, group);
  if (file.exists(group + "/V"))
    file.fail(group + "/V", "equality rows in a local problem", "W, q and mu alone", "give the problem in global form (fclib_global)");
  const int contacts = readContacts(file, group + "/vectors/mu", group + "/vectors/q");
  const MatrixShape shape = readShape(file, group + "/W");
  if (shape.rows != 3 * contacts || shape.columns != 3 * contacts)
    file.fail(group + "/W", std::to_string(shape.rows) + " × " + std::to_string(shape.columns),
              std::to_string(3 * contacts) + " × " + std::to_string(3 * contacts), "make the sizes of the problem agree");
  LocalContactProblem problem;
  problem.q = readVector(file, group + "/vectors/q", 3 * contacts);
  problem.mu = readVector(file, group + "/vectors/mu", contacts);
  SparseMatrix W = readMatrix(file, group + "/W", shape);
  for (int i = 0; i < 3 * contacts; i += 3) W.entries.push_back({i, i, 0.0});  // the diagonal block is always there
  std::stable_sort(W.entries.begin(), W.entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row / 3 != b.row / 3 ? a.row / 3 < b.row / 3 : a.column / 3 < b.column / 3; });
  int row = -1;
  for (const Entry& entry : W.entries) {
    const int blockRow = entry.row / 3, blockColumn = entry.column / 3;
    if (blockRow != row || problem.column.back() != blockColumn) {
      for (; row < blockRow; ++row)
        if (row >= 0) problem.start.push_back(static_cast<int>(problem.blocks.size()));
      problem.column.push_back(blockColumn);
      problem.blocks.emplace_back(Matrix3::Zero());
    }
    problem.blocks.back()(entry.row % 3, entry.column % 3) += entry.value;
  }
  if (contacts > 0) problem.start.push_back(static_cast<int>(problem.blocks.size()));
  return problem;
}

/// Contacts × blocks that touch when the velocities are cut at `start`.
std::int64_t incidences(const std::vector<int>& start, const SparseMatrix& H) {
  std::vector<int> blockOf(static_cast<std::size_t>(start.back()));
  for (std::size_t k = 0; k + 1 < start.size(); ++k)
    for (int i = start[k]; i < start[k + 1]; ++i) blockOf[static_cast<std::size_t>(i)] = static_cast<int>(k);
  std::vector<int> seen(start.size(), -1);  // by block: the last contact that touched it; entries are sorted by column
  std::int64_t total = 0;
  for (const Entry& entry : H.entries) {
    int& last = seen[static_cast<std::size_t>(blockOf[static_cast<std::size_t>(entry.row)])];
    if (last != entry.column / 3) ++total;
    last = entry.column / 3;
  }
  return total;
}

/// Cuts at multiples of `size`, if none of them goes through a block of `fine`; else `fine` itself.
std::vector<int> alignedCuts(const std::vector<int>& fine, int size) {
  if (fine.back() % size != 0) return fine;
  std::vector<int> cuts{0};
  for (const int cut : fine) {
    if (cut > cuts.back() + size) return fine;
    if (cut == cuts.back() + size) cuts.push_back(cut);
  }
  return cuts;
}

/// Joins neighbouring blocks touched by the same contacts, up to the six velocities of a body.
std::vector<int> joinAlike(const std::vector<int>& fine, const SparseMatrix& H) {
  std::vector<std::vector<int>> touching(static_cast<std::size_t>(fine.back()));
  for (const Entry& entry : H.entries) {
    std::vector<int>& list = touching[static_cast<std::size_t>(entry.row)];
    if (list.empty() || list.back() != entry.column / 3) list.push_back(entry.column / 3);
  }
  std::vector<int> cuts{0};
  for (std::size_t k = 1; k + 1 < fine.size(); ++k) {
    const auto before = static_cast<std::size_t>(fine[k] - 1), after = static_cast<std::size_t>(fine[k]);
    if (fine[k + 1] - cuts.back() > bodySize || touching[before] != touching[after]) cuts.push_back(fine[k]);
  }
  if (fine.back() > 0) cuts.push_back(fine.back());
  return cuts;
}

/// The finest cuts of the velocities that no entry of M crosses; blocks beyond maxDense are sliced, their slices coupled.
std::vector<int> cutVelocities(const SparseMatrix& M, const SparseMatrix& H) {
  const int n = M.rows;
  std::vector<int> reach(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) reach[static_cast<std::size_t>(i)] = i;
  for (const Entry& entry : M.entries) {
    int& far = reach[static_cast<std::size_t>(std::min(entry.row, entry.column))];
    far = std::max(far, std::max(entry.row, entry.column));
  }
  std::vector<int> fine{0};
  int end = 0;
  for (int i = 0; i < n; ++i) {
    end = std::max(end, reach[static_cast<std::size_t>(i)]);
    if (end != i) continue;
    const bool slice = i + 1 - fine.back() > maxDense;
    while (slice && i + 1 - fine.back() > bodySize) fine.push_back(fine.back() + bodySize);
    fine.push_back(i + 1);
  }
  std::vector<int> best = alignedCuts(fine, bodySize / 2);
  std::vector<int> bodies = alignedCuts(fine, bodySize);
  const auto saves = [&H](const std::vector<int>& coarse, const std::vector<int>& cuts) { return 5 * incidences(coarse, H) <= 3 * incidences(cuts, H); };
  if (bodies.size() < best.size() && saves(bodies, best)) return bodies;
  return best.size() < fine.size() && saves(best, fine) ? best : joinAlike(fine, H);
}

/// Whether only one side of the diagonal has entries.
bool isHalf(const SparseMatrix& M) {
  const auto isBelow = [](const Entry& entry) { return entry.row > entry.column && entry.value != 0; };
  const auto isAbove = [](const Entry& entry) { return entry.row < entry.column && entry.value != 0; };
  return std::any_of(M.entries.begin(), M.entries.end(), isBelow) != std::any_of(M.entries.begin(), M.entries.end(), isAbove);
}

/// Up to the round-off of forming M: what differs across the diagonal is small against the entry or against the two diagonal ones.
void requireSymmetric(const hdf5::Reader& file, const std::string& path, const SparseMatrix& M) {
  const auto at = [&M](int row, int column) {
    const auto found = std::lower_bound(M.entries.begin(), M.entries.end(), Entry{row, column, 0}, isBefore);
    return found != M.entries.end() && found->row == row && found->column == column ? found->value : 0.0;
  };
  std::vector<double> root(static_cast<std::size_t>(M.rows));
  for (int i = 0; i < M.rows; ++i) root[static_cast<std::size_t>(i)] = std::sqrt(std::max(0.0, at(i, i)));
  for (const Entry& entry : M.entries) {
    const double other = at(entry.column, entry.row);
    const double roundOff = std::max(1e-9 * std::max(std::abs(entry.value), std::abs(other)),
                                     1e-12 * root[static_cast<std::size_t>(entry.row)] * root[static_cast<std::size_t>(entry.column)]);
    if (std::abs(entry.value - other) > roundOff)
      file.fail(path + ", entry (" + std::to_string(entry.row) + ", " + std::to_string(entry.column) + ")",
                number(entry.value) + " against " + number(other) + " across the diagonal", "a symmetric matrix",
                isHalf(M) ? "only one side of the diagonal has entries: store the other half as well" : "correct the entry, or the one across");
  }
}

void buildMass(const SparseMatrix& M, const std::vector<int>& start, BlockMass& mass) {
  std::vector<int> blockOf(static_cast<std::size_t>(M.rows));
  std::vector<double> block;
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    const int size = start[k + 1] - start[k];
    block.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
    mass.addBlock(block.data(), size);
    for (int i = start[k]; i < start[k + 1]; ++i) blockOf[static_cast<std::size_t>(i)] = static_cast<int>(k);
  }
  struct Off {
    int row, column;
    Entry entry;
  };
  std::vector<Off> below;
  for (const Entry& entry : M.entries) {
    const int row = blockOf[static_cast<std::size_t>(entry.row)], column = blockOf[static_cast<std::size_t>(entry.column)];
    if (row == column) {
      const int local = (entry.row - start[static_cast<std::size_t>(row)]) + (entry.column - start[static_cast<std::size_t>(row)]) * mass.size(row);
      mass.values[static_cast<std::size_t>(mass.offset[static_cast<std::size_t>(row)] + local)] = entry.value;
    } else if (row > column) {
      below.push_back({row, column, entry});
    }
  }
  std::stable_sort(below.begin(), below.end(), isBefore);
  for (const Off& off : below) {
    const int height = mass.size(off.row);
    if (mass.couplings.empty() || mass.couplings.back().row != off.row || mass.couplings.back().column != off.column) {
      block.assign(static_cast<std::size_t>(height * mass.size(off.column)), 0.0);
      mass.addCoupling(off.row, off.column, block.data());
    }
    const int local = (off.entry.row - start[static_cast<std::size_t>(off.row)]) + (off.entry.column - start[static_cast<std::size_t>(off.column)]) * height;
    mass.values[static_cast<std::size_t>(mass.couplings.back().offset + local)] = off.entry.value;
  }
}

/// Each group of columns gets one segment a block, from the first to the last row it touches there.
void buildColumns(const SparseMatrix& A, const std::vector<int>& start, BlockColumns& columns) {
  const int width = columns.width;
  std::size_t next = 0;
  std::vector<Entry> group;
  std::vector<double> values;
  for (int g = 0; g < A.columns / width; ++g) {
    group.clear();
    for (; next < A.entries.size() && A.entries[next].column < (g + 1) * width; ++next) group.push_back(A.entries[next]);
    std::stable_sort(group.begin(), group.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
    for (std::size_t first = 0, last = 0; first < group.size(); first = last) {
      const int block = static_cast<int>(std::upper_bound(start.begin(), start.end(), group[first].row) - start.begin()) - 1;
      while (last < group.size() && group[last].row < start[static_cast<std::size_t>(block) + 1]) ++last;
      const int row = group[first].row, size = group[last - 1].row - row + 1;
      values.assign(static_cast<std::size_t>(size * width), 0.0);
      for (std::size_t k = first; k < last; ++k) values[static_cast<std::size_t>((group[k].row - row) + (group[k].column - g * width) * size)] = group[k].value;
      columns.addSegment(block, row, size, values.data());
    }
    columns.endGroup();
  }
}

/// H or G, dof × columns; turned when the file has it the other way round.
SparseMatrix readColumns(const hdf5::Reader& file, const std::string& path, int dof, int columns) {
  const MatrixShape shape = readShape(file, path);
  const bool upright = shape.rows == dof && shape.columns == columns;
  if (!upright && !(shape.rows == columns && shape.columns == dof))
    file.fail(path, std::to_string(shape.rows) + " × " + std::to_string(shape.columns),
              std::to_string(dof) + " × " + std::to_string(columns) + " or its transpose", "make the sizes of the problem agree");
  SparseMatrix A = readMatrix(file, path, shape);
  if (upright) return A;
  std::swap(A.rows, A.columns);
  for (Entry& entry : A.entries) std::swap(entry.row, entry.column);
  sortAndAdd(A);
  return A;
}

ContactProblem readGlobal(const hdf5::Reader& file) {
  const std::string group = "fclib_global";
  requireSpace(file, group);
  const int contacts = readContacts(file, group + "/vectors/mu", group + "/vectors/w");
  const int dof = static_cast<int>(file.count(group + "/vectors/f"));
  const MatrixShape shape = readShape(file, group + "/M");
  if (shape.rows != dof || shape.columns != dof)
    file.fail(group + "/M", std::to_string(shape.rows) + " × " + std::to_string(shape.columns),
              std::to_string(dof) + " × " + std::to_string(dof) + " (the length of vectors/f)", "make the sizes of the problem agree");
  ContactProblem problem;
  problem.f = readVector(file, group + "/vectors/f", dof);
  problem.w = readVector(file, group + "/vectors/w", 3 * contacts);
  problem.wScale = problem.w;
  problem.mu = readVector(file, group + "/vectors/mu", contacts);
  const SparseMatrix M = readMatrix(file, group + "/M", shape);
  requireSymmetric(file, group + "/M", M);
  const SparseMatrix H = readColumns(file, group + "/H", dof, 3 * contacts);
  const std::vector<int> start = cutVelocities(M, H);
  buildMass(M, start, problem.M);
  buildColumns(H, start, problem.H);
  if (file.exists(group + "/G")) {
    const int rows = static_cast<int>(file.count(group + "/vectors/b"));
    problem.b = readVector(file, group + "/vectors/b", rows);
    buildColumns(readColumns(file, group + "/G", dof, rows), start, problem.G);
  }
  if (file.exists("stiction/R")) problem.R = readVector(file, "stiction/R", 3 * contacts);
  if (file.exists("stiction/C")) problem.C = readVector(file, "stiction/C", problem.rows());
  return problem;
}

FclibProblem readFrom(const hdf5::Reader& file) {
  try {
    FclibProblem problem;
    if (file.exists("fclib_local")) {
      problem = readLocal(file);
    } else if (file.exists("fclib_global")) {
      problem = readGlobal(file);
    } else {
      file.fail("root group", "no friction problem", "a group fclib_local or fclib_global", "give a file in FCLIB's layout");
    }
    std::visit([](const auto& p) { validate(p); }, problem);
    return problem;
  } catch (const InputError& error) {
    if (error.element().rfind(file.name(), 0) == 0) throw;
    throw InputError{file.name() + ": " + error.what(), "", "", ""};
  }
}

void writeMatrix(hdf5::Writer& file, const std::string& path, SparseMatrix A, bool byRow) {
  if (byRow)
    for (Entry& entry : A.entries) std::swap(entry.row, entry.column);
  sortAndAdd(A);
  std::vector<int> p{0}, i;
  std::vector<double> x;
  int line = 0;
  for (const Entry& entry : A.entries) {
    for (; line < entry.column; ++line) p.push_back(static_cast<int>(i.size()));
    i.push_back(entry.row);
    x.push_back(entry.value);
  }
  p.resize(static_cast<std::size_t>(byRow ? A.rows : A.columns) + 1, static_cast<int>(i.size()));
  file.group(path);
  file.integer(path + "/nzmax", static_cast<int>(i.size()));
  file.integer(path + "/m", A.rows);
  file.integer(path + "/n", A.columns);
  file.integer(path + "/nz", byRow ? -2 : -1);
  file.integers(path + "/p", p);
  file.integers(path + "/i", i);
  file.reals(path + "/x", x.data(), x.size());
}

void writeVector(hdf5::Writer& file, const std::string& path, const VectorX& x) { file.reals(path, x.data(), static_cast<std::size_t>(x.size())); }

void writeHead(hdf5::Writer& file, const std::string& group) {
  file.group(group);
  file.integer(group + "/spacedim", 3);
  file.group(group + "/info");
  file.text(group + "/info/title", "Stiction");
  file.text(group + "/info/description", "a step problem with its answer");
  file.text(group + "/info/math_info", "");
  file.group(group + "/vectors");
}

/// As FCLIB's fclib_write_solution: v and l only when the problem has them.
void writeSolution(hdf5::Writer& file, const Iterate& answer, const VectorX& u, bool global) {
  file.group("solution");
  if (global && answer.v.size() > 0) writeVector(file, "solution/v", answer.v);
  writeVector(file, "solution/u", u);
  writeVector(file, "solution/r", answer.r);
  if (global && answer.lambda.size() > 0) writeVector(file, "solution/l", answer.lambda);
}

SparseMatrix spread(const BlockColumns& A, int dof) {
  SparseMatrix out{dof, A.columns(), {}};
  for (int g = 0; g < A.groups(); ++g)
    for (int s = A.start[static_cast<std::size_t>(g)]; s < A.start[static_cast<std::size_t>(g) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
      for (int c = 0; c < A.width; ++c)
        for (int k = 0; k < segment.size; ++k)
          out.entries.push_back({segment.row + k, g * A.width + c, A.values[static_cast<std::size_t>(segment.offset + c * segment.size + k)]});
    }
  return out;
}

SparseMatrix spread(const BlockMass& M) {
  SparseMatrix out{M.size(), M.size(), {}};
  const auto add = [&](int row, int column, int height, int width, int offset, bool mirror) {
    for (int c = 0; c < width; ++c)
      for (int r = 0; r < height; ++r) {
        const double value = M.values[static_cast<std::size_t>(offset + c * height + r)];
        out.entries.push_back({row + r, column + c, value});
        if (mirror) out.entries.push_back({column + c, row + r, value});
      }
  };
  for (int k = 0; k < M.blocks(); ++k)
    add(M.start[static_cast<std::size_t>(k)], M.start[static_cast<std::size_t>(k)], M.size(k), M.size(k), M.offset[static_cast<std::size_t>(k)], false);
  for (const BlockMass::Coupling& c : M.couplings)
    add(M.start[static_cast<std::size_t>(c.row)], M.start[static_cast<std::size_t>(c.column)], M.size(c.row), M.size(c.column), c.offset, true);
  return out;
}

bool isZero(const VectorX& x) { return x.size() == 0 || x.cwiseAbs().maxCoeff() == 0; }

}  // namespace

FclibProblem readFclib(const std::string& path) { return readFrom(hdf5::Reader{path}); }

FclibProblem readFclib(const void* image, std::size_t bytes) { return readFrom(hdf5::Reader{image, bytes, "memory"}); }

VectorX contactVelocity(const ContactProblem& problem, const Iterate& answer) {
  VectorX u;
  multiplyTransposed(problem.H, answer.v, u);
  u += problem.w;
  if (problem.R.size() > 0) u += problem.R.cwiseProduct(answer.r);
  return u;
}

VectorX contactVelocity(const LocalContactProblem& problem, const Iterate& answer) {
  VectorX u = problem.q;
  for (int i = 0; i < problem.contacts(); ++i)
    for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
      u.segment<3>(3 * i) += problem.blocks[static_cast<std::size_t>(k)] * answer.r.segment<3>(3 * problem.column[static_cast<std::size_t>(k)]);
  return u;
}

std::string writeFclib(const std::string& path, const ContactProblem& problem, const Iterate& answer) {
  hdf5::Writer file{path};
  const std::string group = "fclib_global";
  writeHead(file, group);
  writeMatrix(file, group + "/M", spread(problem.M), false);
  writeMatrix(file, group + "/H", spread(problem.H, problem.dof()), false);
  if (problem.rows() > 0) {
    writeMatrix(file, group + "/G", spread(problem.G, problem.dof()), false);
    writeVector(file, group + "/vectors/b", problem.b);
  }
  writeVector(file, group + "/vectors/f", problem.f);
  writeVector(file, group + "/vectors/w", problem.w);
  writeVector(file, group + "/vectors/mu", problem.mu);
  writeSolution(file, answer, contactVelocity(problem, answer), true);
  std::string warning;
  if (!isZero(problem.R) || !isZero(problem.C)) {
    file.group("stiction");
    if (!isZero(problem.R)) writeVector(file, "stiction/R", problem.R);
    if (!isZero(problem.C)) writeVector(file, "stiction/C", problem.C);
    warning = path + ": compliance (R, C) has no place in FCLIB's layout; it is under /stiction/ and other programs will not see it";
  }
  file.finish();
  return warning;
}

std::string writeFclib(const std::string& path, const LocalContactProblem& problem, const Iterate& answer) {
  hdf5::Writer file{path};
  const std::string group = "fclib_local";
  writeHead(file, group);
  SparseMatrix W{3 * problem.contacts(), 3 * problem.contacts(), {}};
  for (int i = 0; i < problem.contacts(); ++i)
    for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          W.entries.push_back({3 * i + r, 3 * problem.column[static_cast<std::size_t>(k)] + c, problem.blocks[static_cast<std::size_t>(k)](r, c)});
  writeMatrix(file, group + "/W", std::move(W), true);
  writeVector(file, group + "/vectors/q", problem.q);
  writeVector(file, group + "/vectors/mu", problem.mu);
  writeSolution(file, answer, contactVelocity(problem, answer), false);
  file.finish();
  return {};
}

void writeFclibAnswer(const std::string& source, const std::string& path, const FclibProblem& problem, const Iterate& answer) {
  const hdf5::Reader from{source};
  hdf5::Writer file{path};
  for (const char* group : {"fclib_local", "fclib_global", "guesses", "stiction"})
    if (from.exists(group)) file.copy(from, group);
  const bool global = std::holds_alternative<ContactProblem>(problem);
  writeSolution(file, answer, std::visit([&answer](const auto& p) { return contactVelocity(p, answer); }, problem), global);
  file.finish();
}

}  // namespace stiction
