// The problems of a job in a sweep's file: shapes, dtypes and flags of its kernel (docs/sweep.md). Uses the limits in
// the spec, and is independent of how the job is tuned. An entry that is not valid is reported at its place and left
// out.
#pragma once

#include "spec/problem.h"
#include "spec/spec_json_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

// Returns the items of a list. If the value at `cursor` is empty or not a list, reports an error and returns no items.
// `what`: "a list of jobs".
std::vector<JsonCursor> filled_list(const JsonCursor& cursor, const std::string& what);

// Returns the entries of "shapes", then those of "suite", which may require a dtype and flags.
std::vector<SuiteEntry> read_shapes(const JsonCursor& job, const KernelSpec& spec);
std::vector<DType> read_dtypes(const JsonCursor& job, const KernelSpec& spec);
// Returns every combination of flag values; a flag that the job does not name has its default. Stops when there are
// more than `limit` combinations; the caller reports this error.
std::vector<std::vector<std::int64_t>> read_flags(const JsonCursor& job, const KernelSpec& spec, std::size_t limit);

} // namespace warptune::cli
