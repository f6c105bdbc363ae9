// The times of a kernel's trials as timing matrices (predict/timing_matrix.h): from a tuning database and from a pack
// alike, which is one too.
#pragma once

#include "predict/timing_matrix.h"
#include "spec/spec.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::db {

// As Reader::timings. Throws SQLite::Exception.
std::vector<TimingMatrix> read_timings(SQLite::Database& db, const KernelSpec& spec, const std::string& source_hash,
                                       std::int64_t& skipped);

} // namespace warptune::db
