// Problem: one instance of an operator: its dims, dtype and flags. Parsed from what the user types; its key is the
// identity under which results are stored.
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
  // The canonical text of each list dim (spec/size_list.h): how it was written, or spread(...) where only its numbers
  // were given. Two lists with the same numbers are two problems, which selection treats alike.
  std::vector<std::string> lists = {};
  bool operator==(const Problem&) const = default;
};

// What a problem is to selection: lists count by their numbers, not by how they were written.
inline bool is_same_but_lists(const Problem& a, const Problem& b) {
  return a.dims == b.dims && a.dtype == b.dtype && a.flags == b.flags;
}

// `dtype` empty: the spec's default. `sets` holds "flag=value" as typed.
Result<Problem> make_problem(const KernelSpec& spec, std::string_view shape, std::string_view dtype,
                             const std::vector<std::string>& sets);
// `lists` empty: each list is spread(...) of its numbers; where no list has these numbers, that is an error.
Result<Problem> make_problem(const KernelSpec& spec, Shape dims, DType dtype, std::vector<std::int64_t> flags,
                             std::vector<std::string> lists = {});

// Canonical text, the identity in the database: "rows=32768,cols=4096;bf16;log=0". Dims and flags for which the
// spec gives a default are left out where they have it, so that one added later leaves keys as they are.
// parse_problem_key reads it.
std::string problem_key(const KernelSpec& spec, const Problem& problem);
Result<Problem> parse_problem_key(const KernelSpec& spec, std::string_view key);

// The entry with this dtype and these flags; nothing where it names others, or its shape is none of the spec's.
std::optional<Problem> suite_problem(const KernelSpec& spec, const SuiteEntry& entry, DType dtype,
                                     const std::vector<std::int64_t>& flags);
// "rows=64,cols=128", then what it names of dtype and flags: "rows=64,cols=128;fp16;log=1".
std::string suite_entry_text(const KernelSpec& spec, const SuiteEntry& entry);

// How far the output may be from the reference's. Error (bad_input): a formula cannot be evaluated for this problem, or
// yields what is no tolerance.
Result<Tolerance> tolerance_of(const KernelSpec& spec, const Problem& problem, const std::string& output);

// The slots of every formula (KernelSpec::scope); params are set to their defaults.
std::vector<std::int64_t> make_slots(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits);

} // namespace warptune
