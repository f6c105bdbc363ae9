// The digest that identifies rows: the first half of SHA-256, in hex. Available in C++ and, as wt_digest(text), in the
// SQL of migrations.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>
#include <string_view>

namespace warptune::db {

std::string digest(std::string_view text);      // 32 hex digits
void add_digest_function(SQLite::Database& db); // defines wt_digest(text) for this connection; NULL gives NULL

} // namespace warptune::db
