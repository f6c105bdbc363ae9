// The first rows of a list of results, at a cost that grows with the rows and hardly with the database: a million
// trials have ten thousand results, and a table shows twenty.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstddef>
#include <string>
#include <vector>

namespace warptune::db {

// The first `limit` results of Reader::best, of a database and not of a pack. `kernel` empty: of all kernels.
// `left_out`: the number of the others. Throws SQLite::Exception.
std::vector<BestRecord> newest_bests(SQLite::Database& db, int schema_version, const std::string& kernel,
                                     std::size_t limit, std::int64_t& left_out, std::int64_t& skipped);

} // namespace warptune::db
