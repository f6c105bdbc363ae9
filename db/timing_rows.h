// Reads the times of a kernel's trials as timing matrices (predict/timing_matrix.h). Works for tuning databases and
// packs, which have the same tables.
#pragma once

#include "core/device.h"
#include "db/records.h"
#include "predict/timing_matrix.h"
#include "spec/problem.h"
#include "spec/spec.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::db {

// Implements Reader::timings. Throws SQLite::Exception.
std::vector<TimingMatrix> read_timings(SQLite::Database& db, const KernelSpec& spec, const std::string& source_hash,
                                       const SomeProblems& problems, std::int64_t& skipped);
// Implements Reader::near_problems. Throws SQLite::Exception.
SomeProblems near_problems(SQLite::Database& db, const KernelSpec& spec, const Problem& problem,
                           const DeviceInfo& device);

} // namespace warptune::db
