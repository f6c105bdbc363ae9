// The problems of a job in a sweep's file: shapes, dtypes and flags of its kernel (docs/sweep.md). Uses the limits of a
// spec, and does not depend on how a job is tuned. An invalid entry is reported at its place and left out.
#pragma once

#include "spec/problem.h"
#include "spec/spec_json_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

// The entries of a list; if it is empty or not a list, reports an error and returns none. `what`: "a list of jobs".
std::vector<JsonCursor> filled_list(const JsonCursor& cursor, const std::string& what);

// The entries of "shapes", then those of "suite", which may name a dtype and flags.
std::vector<SuiteEntry> read_shapes(const JsonCursor& job, const KernelSpec& spec);
std::vector<DType> read_dtypes(const JsonCursor& job, const KernelSpec& spec);
// Every combination of flag values; flags that are not named keep their default. Stops above `limit`; the caller
// reports that.
std::vector<std::vector<std::int64_t>> read_flags(const JsonCursor& job, const KernelSpec& spec, std::size_t limit);

} // namespace warptune::cli
