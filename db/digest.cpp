#include "db/digest.h"

#include "core/sha256.h"

#include <sqlite3.h>

namespace warptune::db {

std::string digest(std::string_view text) { return sha256_hex(text).substr(0, 32); }

void add_digest_function(SQLite::Database& db) {
  const auto function = [](sqlite3_context* context, int, sqlite3_value** values) {
    const void* text = sqlite3_value_blob(values[0]); // also null for an empty text
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
    const std::string hex = digest({static_cast<const char*>(text), size});
    sqlite3_result_text(context, hex.data(), static_cast<int>(hex.size()), SQLITE_TRANSIENT);
  };
  db.createFunction("wt_digest", 1, true, nullptr, function, nullptr, nullptr, nullptr);
}

} // namespace warptune::db
