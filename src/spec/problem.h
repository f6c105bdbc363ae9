// Problem: one instance of an operator: its dims, dtype and flags. It is parsed from the user's input. Results are
// stored under its key.
#pragma once

#include "core/result.h"
#include "spec/shape.h"
#include "spec/spec.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct Problem {
  Shape dims;
  DType dtype = DType::fp32;
  std::vector<std::int64_t> flags;
  // The canonical text of each list dim (spec/size_list.h): as written, or spread(...) if only its numbers were given.
  // Different lists with the same numbers are different problems, but selection treats them alike.
  std::vector<std::string> lists = {};
  bool operator==(const Problem&) const = default;
};

// Equality for selection: compares the numbers of lists, not their texts.
inline bool is_same_but_lists(const Problem& a, const Problem& b) {
  return a.dims == b.dims && a.dtype == b.dtype && a.flags == b.flags;
}

// An empty `dtype` means the spec's default. `sets` has "flag=value" strings as typed.
Result<Problem> make_problem(const KernelSpec& spec, std::string_view shape, std::string_view dtype,
                             const std::vector<std::string>& sets);
// If `lists` is empty, each list is spread(...) of its numbers. Error: no list has these numbers.
Result<Problem> make_problem(const KernelSpec& spec, Shape dims, DType dtype, std::vector<std::int64_t> flags,
                             std::vector<std::string> lists = {});

// Returns the canonical string that identifies the problem in the database: "rows=32768,cols=4096;bf16;log=0". Dims
// with a default, and optional flags, are left out if they have their default, so such dims and flags can be added
// later without changing keys. parse_problem_key reads it.
std::string problem_key(const KernelSpec& spec, const Problem& problem);
Result<Problem> parse_problem_key(const KernelSpec& spec, std::string_view key);

// Returns the entry's problem with this dtype and these flags; nullopt if the entry names a different dtype or flag, or
// if the spec does not accept its shape.
std::optional<Problem> suite_problem(const KernelSpec& spec, const SuiteEntry& entry, DType dtype,
                                     const std::vector<std::int64_t>& flags);
// "rows=64,cols=128", then the dtype and flags that the entry names: "rows=64,cols=128;fp16;log=1".
std::string suite_entry_text(const KernelSpec& spec, const SuiteEntry& entry);

// Returns the allowed difference between an output and the reference output. Error (bad_input): a formula cannot be
// evaluated for this problem, or its value is not a valid tolerance.
Result<Tolerance> tolerance_of(const KernelSpec& spec, const Problem& problem, const std::string& output);

// Returns the slot values that all formulas read (KernelSpec::scope), with params set to their defaults.
std::vector<std::int64_t> make_slots(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits);

} // namespace warptune
