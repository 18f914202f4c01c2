// The FCLIB reader on files that are sound HDF5 and hostile in what they say: the bytes choose which datasets there are, their types, lengths and numbers, and
// where the file is cut. The reader answers with an InputError or with a problem whose indices all lie inside it.
#include <hdf5.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/Assert.hpp"
#include "base/Error.hpp"
#include "io/Fclib.hpp"

namespace {

using namespace stiction;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_{data}, end_{data + size} {}
  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? 0 : *at_++; }
  std::int32_t number() {  // mostly small, sometimes anything
    const std::uint8_t kind = byte();
    if (kind < 200) return static_cast<std::int32_t>(kind % 16) - 2;
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return static_cast<std::int32_t>(value);
  }
  double real() {
    const std::uint8_t kind = byte();
    if (kind < 240) return (static_cast<double>(kind) - 100) / 16;
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    double x;
    std::memcpy(&x, &value, sizeof x);
    return x;
  }

 private:
  const std::uint8_t *at_, *end_;
};

/// Writes into the file, or leaves out, or gives another type or length: as the bytes say.
class Forger {
 public:
  Forger(hid_t file, Bytes& bytes) : file_{file}, bytes_{bytes} {}

  void group(const std::string& path) { H5Gclose(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }

  void integers(const std::string& path, std::vector<std::int32_t> values) { write(path, H5T_NATIVE_INT32, values.size(), values.data()); }
  void reals(const std::string& path, std::vector<double> values) { write(path, H5T_NATIVE_DOUBLE, values.size(), values.data()); }
  void integer(const std::string& path, std::int32_t sound) { integers(path, {twist() ? bytes_.number() : sound}); }

  std::vector<double> realList(std::size_t sound) {
    std::vector<double> values(length(sound));
    for (double& value : values) value = bytes_.real();
    return values;
  }
  std::size_t length(std::size_t sound) { return twist() ? bytes_.byte() % 64 : sound; }
  bool twist() { return bytes_.byte() >= 232; }

  void matrix(const std::string& path, std::int32_t rows, std::int32_t columns) {
    group(path);
    const int format = bytes_.byte() % 3;  // triplets, columns, rows
    const std::int32_t lines = format == 1 ? columns : rows, across = format == 1 ? rows : columns;
    std::vector<std::int32_t> p, i;
    if (format == 0) {
      const std::size_t entries = bytes_.byte() % 40U;
      for (std::size_t k = 0; k < entries; ++k) {
        i.push_back(rows > 0 && !twist() ? bytes_.byte() % rows : bytes_.number());
        p.push_back(columns > 0 && !twist() ? bytes_.byte() % columns : bytes_.number());
      }
    } else {
      p.push_back(0);
      for (std::int32_t line = 0; line < lines && line < 64; ++line) {
        for (int k = bytes_.byte() % 4; k > 0; --k) i.push_back(across > 0 && !twist() ? bytes_.byte() % across : bytes_.number());
        p.push_back(twist() ? bytes_.number() : static_cast<std::int32_t>(i.size()));
      }
    }
    const auto count = static_cast<std::int32_t>(i.size());
    std::vector<double> x = realList(i.size());
    const bool diagonal = format == 0 && rows == columns && (bytes_.byte() & 1) != 0;  // so that a mass matrix is often sound
    if (diagonal)
      for (std::int32_t d = 0; d < rows && d < 64; ++d) {
        i.push_back(d);
        p.push_back(d);
        x.push_back(100);
      }
    integer(path + "/m", rows);
    integer(path + "/n", columns);
    integer(path + "/nz", format == 0 ? static_cast<std::int32_t>(i.size()) : -format);
    integer(path + "/nzmax", diagonal ? static_cast<std::int32_t>(i.size()) : count);
    integers(path + "/p", p);
    integers(path + "/i", i);
    reals(path + "/x", x);
  }

 private:
  void write(const std::string& path, hid_t type, std::size_t count, const void* values) {
    const std::uint8_t kind = bytes_.byte();
    if (kind == 255) return;  // missing
    const bool wrongType = kind == 254, huge = kind == 253, chunked = kind > 240 && !huge;
    const hsize_t size = huge ? hsize_t{1} << (20 + bytes_.byte() % 40) : count, chunk = 8;
    const hid_t space = H5Screate_simple(1, &size, nullptr), creation = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked && size > 0) {
      H5Pset_chunk(creation, 1, &chunk);
      H5Pset_deflate(creation, 1);
    }
    const hid_t data = H5Dcreate2(file_, path.c_str(), wrongType ? H5T_NATIVE_FLOAT : type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (data >= 0 && !huge && !wrongType && size > 0) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
  }

  hid_t file_;
  Bytes& bytes_;
};

std::vector<std::uint8_t> forge(Bytes& bytes) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 14, 0);
  const hid_t file = H5Fcreate("forged", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  Forger forger{file, bytes};
  const bool global = (bytes.byte() & 1) != 0, joints = (bytes.byte() & 1) != 0;
  const std::int32_t contacts = bytes.byte() % 6, dof = bytes.byte() % 25, rows = bytes.byte() % 4;
  const std::string group = global ? "fclib_global" : "fclib_local";
  forger.group(group);
  forger.group(group + "/vectors");
  forger.integer(group + "/spacedim", 3);
  forger.reals(group + "/vectors/mu", forger.realList(static_cast<std::size_t>(contacts)));
  if (global) {
    forger.matrix(group + "/M", dof, dof);
    forger.matrix(group + "/H", dof, 3 * contacts);
    forger.reals(group + "/vectors/f", forger.realList(static_cast<std::size_t>(dof)));
    forger.reals(group + "/vectors/w", forger.realList(static_cast<std::size_t>(3 * contacts)));
    if (joints) {
      forger.matrix(group + "/G", rows, dof);
      forger.reals(group + "/vectors/b", forger.realList(static_cast<std::size_t>(rows)));
    }
  } else {
    forger.matrix(group + "/W", 3 * contacts, 3 * contacts);
    forger.reals(group + "/vectors/q", forger.realList(static_cast<std::size_t>(3 * contacts)));
  }
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(std::max<ssize_t>(0, H5Fget_file_image(file, nullptr, 0))));
  H5Fget_file_image(file, image.data(), image.size());
  H5Fclose(file);
  H5Pclose(access);
  return image;
}

void checkColumns(const BlockColumns& A, const BlockMass& M) {
  for (const BlockColumns::Segment& s : A.segments) {
    STICTION_ASSERT(s.block >= 0 && s.block < M.blocks() && s.size > 0 && s.row >= M.start[static_cast<std::size_t>(s.block)]);
    STICTION_ASSERT(s.row + s.size <= M.start[static_cast<std::size_t>(s.block) + 1]);
    STICTION_ASSERT(static_cast<std::size_t>(s.offset + s.size * A.width) <= A.values.size());
  }
}

void check(const ContactProblem& problem) {
  checkColumns(problem.H, problem.M);
  checkColumns(problem.G, problem.M);
  contactVelocity(problem, {VectorX::Ones(problem.dof()), VectorX::Ones(3 * problem.contacts()), VectorX::Ones(problem.rows())});
}

void check(const LocalContactProblem& problem) {
  STICTION_ASSERT(static_cast<std::size_t>(problem.start.back()) == problem.blocks.size() && problem.column.size() == problem.blocks.size());
  contactVelocity(problem, {VectorX{}, VectorX::Ones(3 * problem.contacts()), VectorX{}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(quiet);
  Bytes bytes{data, size};
  std::vector<std::uint8_t> image = forge(bytes);
  if (!bytes.empty() && (bytes.byte() & 7) == 0) image.resize(image.size() * bytes.byte() / 256);
  try {
    std::visit([](const auto& problem) { check(problem); }, readFclib(image.data(), image.size()));
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
