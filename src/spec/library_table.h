// The functions of vendors' libraries that a spec may call in place of a kernel, with their parameters. The code that
// reads a spec uses this table, so the table needs no library, driver or device. gpu/vendor_library.h makes the calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace warptune {

// An integer parameter of the call. The spec gives its value as a formula.
struct LibraryValue {
  std::string_view name;
  std::int64_t min = 0, max = std::numeric_limits<std::int64_t>::max();
  bool is_required = true;
  std::int64_t standard = 0; // the value to use if the spec gives none
};

// A buffer or scalar parameter of the call.
struct LibraryArg {
  enum class Kind { read, written, workspace, scalar };
  std::string_view name;
  Kind kind = Kind::read;
  // If false, the argument is optional: the call receives null if the spec does not give the argument, or if the
  // argument does not exist for the problem.
  bool is_required = true;
};

struct LibraryFunction {
  std::string_view name;
  std::span<const LibraryValue> values;
  std::span<const LibraryArg> args;
};

struct KnownLibrary {
  std::string_view name;
  std::span<const LibraryFunction> functions;
};

// The find functions return null for an unknown name.
std::span<const KnownLibrary> known_libraries();
const KnownLibrary* find_known_library(std::string_view name);
const LibraryFunction* find_library_function(std::string_view library, std::string_view call);

// Returns the entry with this name in one of the table's lists; null if there is none.
template <class T> const T* find_named(std::span<const T> list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

} // namespace warptune
