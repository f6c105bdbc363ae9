// The times of a kernel's trials as timing matrices (predict/timing_matrix.h), from a tuning database or a pack, which
// has the same tables.
#pragma once

#include "predict/timing_matrix.h"
#include "spec/spec.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::db {

// Like Reader::timings. Throws SQLite::Exception.
std::vector<TimingMatrix> read_timings(SQLite::Database& db, const KernelSpec& spec, const std::string& source_hash,
                                       std::int64_t& skipped);

} // namespace warptune::db
