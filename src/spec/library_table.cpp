#include "spec/library_table.h"

namespace warptune {
namespace {

using Kind = LibraryArg::Kind;

// driver: calls of the CUDA driver itself. They need no installation, and a copy gives the minimum time of a
// memory-bound operator.
constexpr LibraryValue kCopyValues[] = {{.name = "bytes"}};
constexpr LibraryArg kCopyArgs[] = {{"to", Kind::written}, {"from", Kind::read}};
constexpr LibraryValue kFillValues[] = {
    {.name = "bytes"},
    {.name = "pattern", .max = 0xFFFFFFFF, .is_required = false},
    {.name = "pattern_bytes", .min = 1, .max = 4, .is_required = false, .standard = 1}};
constexpr LibraryArg kFillArgs[] = {{"to", Kind::written}};
constexpr LibraryFunction kDriver[] = {{"copy", kCopyValues, kCopyArgs}, {"fill", kFillValues, kFillArgs}};

// cublaslt: products of row-major matrices, accumulated in fp32. `lda`, `ldb`, `ldc`: elements from row to row, 0 for
// rows without a gap. `activation`: 0 none, 1 relu, 2 gelu by tanh. `rank`: number of the algorithm in the list that
// the library's heuristic proposes. The values after it replace what the heuristic chose for this algorithm:
// `cluster_rows` and `cluster_columns`: tiles of C, below and beside one another, that a cluster computes; `split_k`:
// parts of k; all three: 0 replaces nothing. `option`: CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION; -1 replaces nothing.
constexpr LibraryValue kProductValues[] = {
    {.name = "m", .min = 1},
    {.name = "n", .min = 1},
    {.name = "k", .min = 1},
    {.name = "batch", .min = 1, .is_required = false, .standard = 1},
    {.name = "a_is_k_by_m", .max = 1, .is_required = false},
    {.name = "b_is_n_by_k", .max = 1, .is_required = false},
    {.name = "lda", .max = 1LL << 40, .is_required = false},
    {.name = "ldb", .max = 1LL << 40, .is_required = false},
    {.name = "ldc", .max = 1LL << 40, .is_required = false},
    {.name = "a_is_shared", .max = 1, .is_required = false},
    {.name = "b_is_shared", .max = 1, .is_required = false},
    {.name = "activation", .max = 2, .is_required = false},
    {.name = "rank", .max = 63, .is_required = false},
    {.name = "cluster_rows", .max = 16, .is_required = false},
    {.name = "cluster_columns", .max = 16, .is_required = false},
    {.name = "split_k", .max = 1024, .is_required = false},
    {.name = "option", .min = -1, .max = 1 << 16, .is_required = false, .standard = -1}};
constexpr LibraryArg kProductArgs[] = {{"a", Kind::read},           {"b", Kind::read},
                                       {"c", Kind::written},        {"workspace", Kind::workspace, false},
                                       {"bias", Kind::read, false}, {"residual", Kind::read, false}};
constexpr LibraryFunction kCublasLt[] = {{"matmul", kProductValues, kProductArgs}};

constexpr KnownLibrary kLibraries[] = {{"driver", kDriver}, {"cublaslt", kCublasLt}};

} // namespace

std::span<const KnownLibrary> known_libraries() { return kLibraries; }

const KnownLibrary* find_known_library(std::string_view name) { return find_named(known_libraries(), name); }

const LibraryFunction* find_library_function(std::string_view library, std::string_view call) {
  const KnownLibrary* known = find_known_library(library);
  return known == nullptr ? nullptr : find_named(known->functions, call);
}

} // namespace warptune
