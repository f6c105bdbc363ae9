// Problem: one instance of an operator, given by its dims, dtype and flags. A problem is parsed from user input. A
// problem's key identifies it in the database.
#pragma once

#include "core/result.h"
#include "spec/shape.h"
#include "spec/spec.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct Problem {
  Shape dims;
  DType dtype = DType::fp32;
  std::vector<std::int64_t> flags;
  // For each list dim (spec/size_list.h): the user's list without blanks, signs and leading zeros. If the user gave
  // only the list's count, sum, largest and smallest size, the text is spread(...). Different lists with the same four
  // numbers make different problems, but selection treats these problems alike.
  std::vector<std::string> lists = {};
  bool operator==(const Problem&) const = default;
};

// Equality for selection: compares lists only by their four numbers, which are in `dims`.
inline bool is_same_but_lists(const Problem& a, const Problem& b) {
  return a.dims == b.dims && a.dtype == b.dtype && a.flags == b.flags;
}

// `dtype`: empty means the spec's default. `sets`: texts "flag=value" or "flag=value,flag=value" as the user typed
// them. Error: bad_input.
Result<Problem> make_problem(const KernelSpec& spec, std::string_view shape, std::string_view dtype,
                             const std::vector<std::string>& sets);
// If `lists` is empty, each list becomes spread(...) of its numbers. Error: no list can have these numbers.
Result<Problem> make_problem(const KernelSpec& spec, Shape dims, DType dtype, std::vector<std::int64_t> flags,
                             std::vector<std::string> lists = {});

// Returns the text that identifies the problem in the database: "rows=32768,cols=4096;bf16;log=0". Optional flags, and
// dims with a default, are omitted if their value is the default. So a spec can get such flags and dims later, and
// existing keys stay the same.
std::string problem_key(const KernelSpec& spec, const Problem& problem);
// Reads a problem_key.
Result<Problem> parse_problem_key(const KernelSpec& spec, std::string_view key);

// Returns the entry's problem with this dtype and these flags. nullopt if the entry requires another dtype or flag, or
// if the spec does not accept its shape.
std::optional<Problem> suite_problem(const KernelSpec& spec, const SuiteEntry& entry, DType dtype,
                                     const std::vector<std::int64_t>& flags);
// "rows=64,cols=128", followed by the dtype and flags that the entry requires: "rows=64,cols=128;fp16;log=1".
std::string suite_entry_text(const KernelSpec& spec, const SuiteEntry& entry);

// Returns the allowed difference between `output` and the reference's output. Error (bad_input): a formula cannot be
// evaluated for this problem, or gives a value that is not a valid tolerance.
Result<Tolerance> tolerance_of(const KernelSpec& spec, const Problem& problem, const std::string& output);

// Returns the values of all slots that formulas read (KernelSpec::scope), with every param at its default.
std::vector<std::int64_t> make_slots(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits);

} // namespace warptune
