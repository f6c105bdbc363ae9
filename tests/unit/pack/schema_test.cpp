// A pack has the tables of a database with today's schema, column for column, whichever migrations made it.
#include "core/sha256.h"
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
  flat.exec(db::pack_schema(db::kSchemaVersion));
  EXPECT_EQ(columns_of(flat), columns_of(migrated));
}

// Shipped packs contain these texts, and open only as long as the texts do not change.
TEST(PackSchema, StaysAsItWasShipped) {
  const auto digest = [](int version) {
    const std::string script = db::pack_schema(version);
    return sha256_hex(std::string_view(script).substr(script.find("CREATE ")));
  };
  EXPECT_EQ(digest(4), "17bd3b61dc2fbbe963334ab25de62b13eb7e1c67a6d18ae843d45431571ac0f1");
  EXPECT_EQ(digest(5), "b6fe0ddf8cd7b592d543020f721eb84c3dea8465ef711404a7a64777ed3c5c02");
  EXPECT_EQ(digest(6), "8e182be94bc17003b59c0f2fd15de3bea42914aa070244b4865dfacd81f62965");
  EXPECT_EQ(db::pack_schema(3), "") << "no pack had it";
  EXPECT_EQ(db::pack_schema(db::kSchemaVersion + 1), "");
}

} // namespace
} // namespace warptune
