// A pack has the tables of a database of today's schema, column for column, whatever the scripts did to get there.
#include "db/connection.h"
#include "db/migrate.h"
#include "db/pack_rows.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>
#include <set>

namespace warptune {
namespace {

std::set<std::string> columns_of(SQLite::Database& db) {
  std::set<std::string> columns;
  SQLite::Statement row(db, "SELECT m.name, c.cid, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_schema m, "
                            "pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.name <> 'sqlite_sequence' AND "
                            "m.name NOT IN ('pack', 'pack_rules')");
  while (row.executeStep()) {
    std::string column;
    for (int i = 0; i < 6; ++i) column += row.getColumn(i).getString() + " ";
    columns.insert(column);
  }
  return columns;
}

TEST(PackSchema, IsThatOfADatabase) {
  SQLite::Database migrated(":memory:", SQLite::OPEN_READWRITE), flat(":memory:", SQLite::OPEN_READWRITE);
  db::migrate(migrated, db::embedded_migrations());
  const std::string_view script = db::pack_schema(db::kSchemaVersion);
  ASSERT_FALSE(script.empty()) << "a new schema needs db/schema/pack_NNNN.sql beside its script";
  flat.exec(std::string(script));
  EXPECT_EQ(columns_of(flat), columns_of(migrated));
}

} // namespace
} // namespace warptune
