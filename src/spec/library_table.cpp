#include "spec/library_table.h"

namespace warptune {
namespace {

using Kind = LibraryArg::Kind;

// driver: what the CUDA driver itself does. Nothing has to be installed for it, and a copy is the floor of what a
// memory-bound operator can take.
constexpr LibraryValue kCopyValues[] = {{.name = "bytes"}};
constexpr LibraryArg kCopyArgs[] = {{"to", Kind::written}, {"from", Kind::read}};
constexpr LibraryValue kFillValues[] = {
    {.name = "bytes"},
    {.name = "pattern", .max = 0xFFFFFFFF, .is_required = false},
    {.name = "pattern_bytes", .min = 1, .max = 4, .is_required = false, .standard = 1}};
constexpr LibraryArg kFillArgs[] = {{"to", Kind::written}};
constexpr LibraryFunction kDriver[] = {{"copy", kCopyValues, kCopyArgs}, {"fill", kFillValues, kFillArgs}};

constexpr KnownLibrary kLibraries[] = {{"driver", kDriver}};

} // namespace

std::span<const KnownLibrary> known_libraries() { return kLibraries; }

const KnownLibrary* find_known_library(std::string_view name) { return find_named(known_libraries(), name); }

const LibraryFunction* find_library_function(std::string_view library, std::string_view call) {
  const KnownLibrary* known = find_known_library(library);
  return known == nullptr ? nullptr : find_named(known->functions, call);
}

} // namespace warptune
