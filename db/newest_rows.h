// Reads only the first rows of a list of results. The cost depends on the number of these rows, and hardly on the size
// of the database. For example, a listing may show twenty of ten thousand results.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstddef>
#include <string>
#include <vector>

namespace warptune::db {

// Returns the first `limit` results of Reader::best, for a database but not for a pack. `kernel`: empty means all.
// `left_out`: number of results beyond `limit`. Throws SQLite::Exception.
std::vector<BestRecord> newest_bests(SQLite::Database& db, int schema_version, const std::string& kernel,
                                     std::size_t limit, std::int64_t& left_out, std::int64_t& skipped);

} // namespace warptune::db
