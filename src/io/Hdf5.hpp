// HDF5 files for the readers and writers of this room: handles that close themselves, and reads that trust nothing the file says.
//
// A read checks kind, type and extent of a dataset, and that its storage lies inside the file, before a single element is allocated. Links that leave the
// file, virtual and external storage and filter plug-ins are refused. Every failure is an InputError that names file, dataset, value, range and remedy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stiction::hdf5 {

// The types of HDF5's own header, which stays out of this one.
using Id = std::int64_t;          // hid_t
using Size = unsigned long long;  // hsize_t
enum class Kind { Integer, Float, String };

/// Owns one HDF5 identifier.
class Handle {
 public:
  using Close = int (*)(Id);
  Handle() = default;
  Handle(Id id, Close close) : id_{id}, close_{close} {}
  Handle(Handle&& other) noexcept : id_{other.id_}, close_{other.close_} { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  void reset();
  Id get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  Id id_{-1};
  Close close_{nullptr};
};

/// Turns HDF5's own printing of errors and its loading of plug-ins off. Called by every constructor here.
void prepareLibrary();

/// A file opened for reading. Paths are absolute in the file, without a leading slash: "fclib_local/W/m".
class Reader {
 public:
  explicit Reader(const std::string& path);
  /// A file image in memory; `label` stands for the file name in messages.
  Reader(const void* image, std::size_t bytes, const std::string& label);

  bool exists(const std::string& path) const;
  std::vector<Size> extents(const std::string& dataset) const;
  /// Number of elements of a dataset.
  std::int64_t count(const std::string& dataset) const;
  /// One integer in [low, high].
  std::int64_t integer(const std::string& dataset, std::int64_t low, std::int64_t high) const;
  std::vector<int> integers(const std::string& dataset) const;
  std::vector<std::int64_t> longs(const std::string& dataset) const;
  std::vector<double> reals(const std::string& dataset) const;
  /// Variable or fixed length strings of a one-dimensional dataset.
  std::vector<std::string> strings(const std::string& dataset) const;
  /// Text and number attributes of the root group; the fallback when absent.
  std::string attributeText(const std::string& name, const std::string& fallback) const;
  /// Members of a group, sorted by name.
  std::vector<std::string> members(const std::string& group) const;

  Id file() const { return file_.get(); }
  const std::string& name() const { return name_; }
  /// InputError about something in this file.
  [[noreturn]] void fail(const std::string& what, const std::string& value, const std::string& range, const std::string& remedy) const;

 private:
  Handle openDataset(const std::string& path) const;
  Handle openForRead(const std::string& path, Kind wanted, std::int64_t& elements) const;

  std::string name_;
  std::vector<unsigned char> image_;
  Handle file_;
  Size fileSize_{0};
};

/// How numbers and names are stored in a table that grows.
enum class Cell { Real, Integer, Long, Name };  // float64, int32, uint64, 16 characters

/// A file being written. Throws InputError when the disk or the path refuses.
class Writer {
 public:
  /// Creates or truncates.
  explicit Writer(const std::string& path);

  void group(const std::string& path);
  void integer(const std::string& path, int value) { integers(path, {value}); }
  void integers(const std::string& path, const std::vector<int>& values);
  void reals(const std::string& path, const double* values, std::size_t count);
  void text(const std::string& path, const std::string& value);
  void strings(const std::string& path, const std::vector<std::string>& values);
  void attribute(const std::string& name, const std::string& value);
  void attribute(const std::string& name, double value);
  /// Copies an object of another file with all it holds.
  void copy(const Reader& from, const std::string& path);
  /// Everything so far becomes readable even if the program is killed.
  void flush();
  /// Flushes and closes, so that a full disk is noticed.
  void finish();

  Id file() const { return file_.get(); }
  const std::string& name() const { return name_; }
  void require(bool good, const std::string& what) const;

 private:
  std::string name_;
  Handle file_;
};

/// A chunked, compressed dataset that grows by rows. Rows are gathered in memory until `write`.
class Table {
 public:
  /// A row is `shape` cells (empty: one cell); `chunk` rows are compressed together.
  Table(const Writer& file, const std::string& path, Cell cell, std::vector<Size> shape, Size chunk);

  void add(double value) { put(&value, sizeof value); }
  void add(const double* values, std::size_t count) { put(values, count * sizeof(double)); }
  void add(int value) { put(&value, sizeof value); }
  void add(std::uint64_t value) { put(&value, sizeof value); }
  void add(const std::string& name);
  /// Appends the gathered rows to the dataset.
  void write();
  std::size_t waiting() const { return buffer_.size() / rowBytes_; }  // rows

 private:
  void put(const void* bytes, std::size_t count);

  const Writer* file_;
  std::string path_;
  Handle data_, type_;
  std::vector<Size> shape_;  // of the dataset: rows first
  std::size_t rowBytes_{0};
  std::vector<unsigned char> buffer_;
};

}  // namespace stiction::hdf5
