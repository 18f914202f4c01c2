#include "io/Hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "base/Error.hpp"

namespace stiction::hdf5 {
namespace {

static_assert(std::is_same_v<Handle::Close, herr_t (*)(hid_t)>, "needs HDF5 1.10 or newer");
static_assert(std::is_same_v<hsize_t, Size>);

// Deflate cannot shrink data more than about 1032 times: a dataset that claims more holds nothing.
constexpr hsize_t maxCompression = 1100;
constexpr std::size_t nameLength = 16;

Handle readAccess() {
  Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  H5Pset_file_locking(access.get(), 0, 1);  // a record that is still being written may be looked at
  return access;
}

/// Large attributes (1.8 format), and metadata that goes to disk only when flushed: a killed program leaves the file of its last flush.
Handle writeAccess() {
  Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(access.get(), &config) >= 0) {
    config.evictions_enabled = false;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(access.get(), &config);
  }
  return access;
}

std::string parentMessage(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return "is a directory";
  const std::filesystem::path parent = std::filesystem::path{path}.parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent, error)) return "folder " + parent.string() + " does not exist";
  return "cannot be written";
}

}  // namespace

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
  }
  return *this;
}

void Handle::reset() {
  if (id_ >= 0 && close_ != nullptr) close_(id_);
  id_ = -1;
}

void prepareLibrary() {
  static const bool once = [] {
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
    return true;
  }();
  static_cast<void>(once);
}

Reader::Reader(const std::string& path) : name_{path} {
  prepareLibrary();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError{path, "no such file", "an existing HDF5 file", "check the path"};
  if (!std::filesystem::is_regular_file(path, error)) throw InputError{path, "not a regular file", "an HDF5 file", "check the path"};
  const Handle access = readAccess();
  file_ = Handle{H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose};
  if (!file_) throw InputError{path, "not a readable HDF5 file (other format, truncated or damaged)", "an HDF5 file", "make or download the file again"};
  H5Fget_filesize(file_.get(), &fileSize_);
}

Reader::Reader(const void* image, std::size_t bytes, const std::string& label) : name_{label}, fileSize_{bytes} {
  prepareLibrary();
  image_.assign(static_cast<const unsigned char*>(image), static_cast<const unsigned char*>(image) + bytes);
  const Handle access = readAccess();
  H5Pset_fapl_core(access.get(), 1 << 16, 0);
  if (bytes != 0) H5Pset_file_image(access.get(), image_.data(), bytes);
  if (bytes != 0) file_ = Handle{H5Fopen("image", H5F_ACC_RDONLY, access.get()), H5Fclose};
  if (!file_) throw InputError{label, "not a readable HDF5 file (other format, truncated or damaged)", "an HDF5 file", "make or download the file again"};
}

void Reader::fail(const std::string& what, const std::string& value, const std::string& range, const std::string& remedy) const {
  throw InputError{name_ + ": " + what, value, range, remedy};
}

bool Reader::exists(const std::string& path) const {
  std::size_t end = 0;
  while (end != std::string::npos) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    H5L_info_t info;
    if (H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Lget_info(file_.get(), part.c_str(), &info, H5P_DEFAULT) < 0) return false;
    if (info.type != H5L_TYPE_HARD) fail(part, "is a link", "a group or dataset of this file", "store the data itself in the file");
  }
  return true;
}

Handle Reader::openDataset(const std::string& path) const {
  if (!exists(path)) fail(path, "missing", "", "write the dataset; the layout is FCLIB's or that of a Stiction record");
  Handle object{H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose};
  if (!object || H5Iget_type(object.get()) != H5I_DATASET) fail(path, "is not a readable dataset", "a dataset", "write it as a dataset");
  return object;
}

std::vector<Size> Reader::extents(const std::string& path) const {
  const Handle data = openDataset(path);
  const Handle space{H5Dget_space(data.get()), H5Sclose};
  const int rank = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0) fail(path, "has no readable extent", "a dataspace", "write the dataset again");
  std::vector<Size> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  return sizes;
}

std::int64_t Reader::count(const std::string& path) const {
  const Handle data = openDataset(path);
  const Handle space{H5Dget_space(data.get()), H5Sclose};
  const hssize_t elements = space ? H5Sget_simple_extent_npoints(space.get()) : -1;
  if (elements < 0 || elements > std::numeric_limits<int>::max())
    fail(path, std::to_string(elements) + " elements", "0 … 2147483647", "write the dataset again with its true size");
  return elements;
}

Handle Reader::openForRead(const std::string& path, Kind wanted, std::int64_t& elements) const {
  elements = count(path);
  Handle data = openDataset(path);
  const Handle type{H5Dget_type(data.get()), H5Tclose};
  const H5T_class_t wantedClass = wanted == Kind::Integer ? H5T_INTEGER : wanted == Kind::Float ? H5T_FLOAT : H5T_STRING;
  if (!type || H5Tget_class(type.get()) != wantedClass) {
    const char* kind = wanted == Kind::Integer ? "integers" : wanted == Kind::Float ? "floating-point numbers" : "strings";
    fail(path, "holds another type", kind, std::string{"store it as "} + kind);
  }
  const Handle creation{H5Dget_create_plist(data.get()), H5Pclose};
  const H5D_layout_t layout = creation ? H5Pget_layout(creation.get()) : H5D_LAYOUT_ERROR;
  if ((layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) || H5Pget_external_count(creation.get()) != 0)
    fail(path, "is stored outside of the file or not at all", "compact, contiguous or chunked storage", "store the data itself in the file");
  const hsize_t stored = H5Dget_storage_size(data.get());
  const hsize_t bytes = static_cast<hsize_t>(elements) * H5Tget_size(type.get());
  const bool exact = layout != H5D_CHUNKED && stored != 0 && wanted != Kind::String;  // nothing stored: all elements are the fill value
  if (stored > fileSize_ || bytes / maxCompression > fileSize_ || (exact && bytes != stored))
    fail(path, std::to_string(elements) + " elements in " + std::to_string(stored) + " stored bytes of a " + std::to_string(fileSize_) + " byte file",
         "data that is in the file", "the file is truncated or damaged: make it again");
  return data;
}

std::vector<std::int64_t> Reader::longs(const std::string& path) const {
  std::int64_t elements = 0;
  const Handle data = openForRead(path, Kind::Integer, elements);
  std::vector<std::int64_t> values(static_cast<std::size_t>(elements));
  if (elements > 0 && H5Dread(data.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(path, "cannot be read", "", "the file is truncated or damaged: make it again");
  return values;
}

std::vector<int> Reader::integers(const std::string& path) const {
  const std::vector<std::int64_t> wide = longs(path);
  std::vector<int> values;
  values.reserve(wide.size());
  for (const std::int64_t value : wide) {
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
      fail(path + "[" + std::to_string(values.size()) + "]", std::to_string(value), "32-bit integers", "correct the entry");
    values.push_back(static_cast<int>(value));
  }
  return values;
}

std::int64_t Reader::integer(const std::string& path, std::int64_t low, std::int64_t high) const {
  if (const std::int64_t elements = count(path); elements != 1) fail(path, std::to_string(elements) + " elements", "one integer", "write a single number");
  const std::int64_t value = longs(path).front();
  if (value < low || value > high) fail(path, std::to_string(value), std::to_string(low) + " … " + std::to_string(high), "correct the number");
  return value;
}

std::vector<double> Reader::reals(const std::string& path) const {
  std::int64_t elements = 0;
  const Handle data = openForRead(path, Kind::Float, elements);
  std::vector<double> values(static_cast<std::size_t>(elements));
  if (elements > 0 && H5Dread(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(path, "cannot be read", "", "the file is truncated or damaged: make it again");
  return values;
}

std::vector<std::string> Reader::strings(const std::string& path) const {
  std::int64_t elements = 0;
  const Handle data = openForRead(path, Kind::String, elements);
  std::vector<std::string> values;
  const Handle type{H5Dget_type(data.get()), H5Tclose};
  if (H5Tis_variable_str(type.get()) <= 0) fail(path, "holds strings of fixed length", "strings of variable length", "write the dataset again");
  const Handle space{H5Dget_space(data.get()), H5Sclose};
  std::vector<char*> raw(static_cast<std::size_t>(elements), nullptr);
  const Handle memory{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(memory.get(), H5T_VARIABLE);
  H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
  if (elements > 0 && H5Dread(data.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0)
    fail(path, "cannot be read", "", "the file is truncated or damaged: make it again");
  values.reserve(raw.size());
  for (const char* text : raw) values.emplace_back(text == nullptr ? "" : text);
  if (elements > 0) H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, raw.data());
  return values;
}

std::string Reader::attributeText(const std::string& attributeName, const std::string& fallback) const {
  if (H5Aexists(file_.get(), attributeName.c_str()) <= 0) return fallback;
  const Handle attribute{H5Aopen(file_.get(), attributeName.c_str(), H5P_DEFAULT), H5Aclose};
  const Handle type{attribute ? H5Aget_type(attribute.get()) : -1, H5Tclose};
  if (!type || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return fallback;
  const hsize_t stored = H5Aget_storage_size(attribute.get());
  const std::size_t size = H5Tget_size(type.get());
  if (stored != size || stored > fileSize_) return fallback;
  std::string value(size, '\0');
  if (H5Aread(attribute.get(), type.get(), value.data()) < 0) return fallback;
  value.resize(std::strlen(value.c_str()));
  return value;
}

std::vector<std::string> Reader::members(const std::string& path) const {
  std::vector<std::string> names;
  if (!exists(path)) return names;
  const Handle group{H5Gopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Gclose};
  if (!group) return names;
  const auto visit = [](hid_t, const char* member, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(member);
    return 0;
  };
  H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names);
  std::sort(names.begin(), names.end());
  return names;
}

Writer::Writer(const std::string& path) : name_{path} {
  prepareLibrary();
  const Handle access = writeAccess();
  file_ = Handle{H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose};
  if (!file_) throw InputError{path, parentMessage(path), "a writable file that is not open elsewhere", "choose another name or folder"};
}

void Writer::require(bool good, const std::string& what) const {
  if (!good) throw InputError{name_ + ": " + what, "cannot be written", "", "check the free space and the rights of the folder"};
}

void Writer::group(const std::string& path) {
  const Handle made{H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
  require(static_cast<bool>(made), path);
}

void Writer::integers(const std::string& path, const std::vector<int>& values) {
  const hsize_t size = values.size();
  const Handle space{H5Screate_simple(1, &size, nullptr), H5Sclose};
  const Handle data{H5Dcreate2(file_.get(), path.c_str(), H5T_STD_I32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
  require(data && (size == 0 || H5Dwrite(data.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0), path);
}

void Writer::reals(const std::string& path, const double* values, std::size_t count) {
  const hsize_t size = count;
  const Handle space{H5Screate_simple(1, &size, nullptr), H5Sclose};
  const Handle data{H5Dcreate2(file_.get(), path.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
  require(data && (size == 0 || H5Dwrite(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0), path);
}

void Writer::text(const std::string& path, const std::string& value) {
  const Handle type{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(type.get(), value.size() + 1);
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  const Handle data{H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
  require(data && H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()) >= 0, path);
}

void Writer::attribute(const std::string& attributeName, const std::string& value) {
  const Handle type{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(type.get(), value.size() + 1);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  const Handle made{H5Acreate2(file_.get(), attributeName.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
  require(made && H5Awrite(made.get(), type.get(), value.c_str()) >= 0, attributeName);
}

void Writer::attribute(const std::string& attributeName, double value) {
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  const Handle made{H5Acreate2(file_.get(), attributeName.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
  require(made && H5Awrite(made.get(), H5T_NATIVE_DOUBLE, &value) >= 0, attributeName);
}

void Writer::strings(const std::string& path, const std::vector<std::string>& values) {
  const Handle type{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const hsize_t size = values.size();
  const Handle space{H5Screate_simple(1, &size, nullptr), H5Sclose};
  const Handle data{H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
  std::vector<const char*> raw;
  raw.reserve(values.size());
  for (const std::string& value : values) raw.push_back(value.c_str());
  require(data && (size == 0 || H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) >= 0), path);
}

void Writer::copy(const Reader& from, const std::string& path) {
  require(H5Ocopy(from.file(), path.c_str(), file_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0, path);
}

void Writer::flush() { require(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) >= 0, "file"); }

void Writer::finish() {
  flush();
  file_.reset();
}

Table::Table(const Writer& file, const std::string& path, Cell cell, std::vector<Size> shape, Size chunk)
    : file_{&file}, path_{path}, shape_{std::move(shape)} {
  type_ = Handle{H5Tcopy(cell == Cell::Real      ? H5T_IEEE_F64LE
                         : cell == Cell::Integer ? H5T_STD_I32LE
                         : cell == Cell::Long    ? H5T_STD_U64LE
                                                 : H5T_C_S1),
                 H5Tclose};
  if (cell == Cell::Name) H5Tset_size(type_.get(), nameLength);
  rowBytes_ = H5Tget_size(type_.get());
  for (const Size extent : shape_) rowBytes_ *= extent;
  shape_.insert(shape_.begin(), 0);
  std::vector<Size> most = shape_, chunks = shape_;
  most[0] = H5S_UNLIMITED;
  chunks[0] = chunk;
  for (Size& extent : chunks) extent = std::max<Size>(extent, 1);
  const Handle space{H5Screate_simple(static_cast<int>(shape_.size()), shape_.data(), most.data()), H5Sclose};
  const Handle creation{H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
  H5Pset_chunk(creation.get(), static_cast<int>(chunks.size()), chunks.data());
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), 4);
  data_ = Handle{H5Dcreate2(file.file(), path.c_str(), type_.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose};
  file.require(static_cast<bool>(data_), path);
  rowBytes_ = std::max<std::size_t>(rowBytes_, 1);  // rows without cells are never gathered
}

void Table::put(const void* bytes, std::size_t count) {
  const auto* first = static_cast<const unsigned char*>(bytes);
  buffer_.insert(buffer_.end(), first, first + count);
}

void Table::add(const std::string& name) {
  char cell[nameLength] = "";
  name.copy(cell, nameLength - 1);
  put(cell, nameLength);
}

void Table::write() {
  const std::size_t rows = waiting();
  if (rows == 0) return;
  std::vector<Size> offset(shape_.size(), 0), block = shape_;
  offset[0] = shape_[0];
  block[0] = rows;
  shape_[0] += rows;
  file_->require(H5Dset_extent(data_.get(), shape_.data()) >= 0, path_);
  const Handle target{H5Dget_space(data_.get()), H5Sclose};
  const Handle source{H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr), H5Sclose};
  H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, offset.data(), nullptr, block.data(), nullptr);
  // The stored types are this machine's own layout: little-endian numbers and plain characters.
  file_->require(H5Dwrite(data_.get(), type_.get(), source.get(), target.get(), H5P_DEFAULT, buffer_.data()) >= 0, path_);
  buffer_.clear();
}

}  // namespace stiction::hdf5
