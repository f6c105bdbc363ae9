// The problems of a job in a sweep's file: shapes, dtypes and flags of its kernel (docs/sweep.md). Knows what a spec
// allows; nothing of how a job is tuned. What is wrong is reported at its place, and left out.
#pragma once

#include "spec/problem.h"
#include "spec/spec_json_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

// A list with something in it; else an error and nothing. `what`: "a list of jobs".
std::vector<JsonCursor> filled_list(const JsonCursor& cursor, const std::string& what);

// Of "shapes", then of "suite", whose entries may name a dtype and flags.
std::vector<SuiteEntry> read_shapes(const JsonCursor& job, const KernelSpec& spec);
std::vector<DType> read_dtypes(const JsonCursor& job, const KernelSpec& spec);
// Every combination; flags that are not named keep their default. Ends early above `limit`, for the caller to say.
std::vector<std::vector<std::int64_t>> read_flags(const JsonCursor& job, const KernelSpec& spec, std::size_t limit);

} // namespace warptune::cli
