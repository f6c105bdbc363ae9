// Databases to merge, and the content of a database as text without row ids.
#pragma once

#include "db/merge.h"
#include "db/merge_rows.h"
#include "support/run_cli.h"
#include "unit/db/fixture.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace warptune::test {

namespace fs = std::filesystem;

// All rows of all tables, with parts nested in their owners, sorted. Two databases with the same content give the same
// text.
inline std::map<std::string, std::vector<std::string>> dump(const fs::path& file) {
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE, 10'000);
  db::Rows rows(db);
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [name, table] : rows.tables()) {
    if (table.owner || name == "migrations") continue;
    for (const db::Row& row : rows.all(table)) out[name].push_back(rows.content(row));
    std::sort(out[name].begin(), out[name].end());
  }
  return out;
}

inline std::int64_t count(const fs::path& file, const std::string& what) {
  return SQLite::Database(file.string(), SQLite::OPEN_READWRITE, 10'000)
      .execAndGet("SELECT count(*) FROM " + what)
      .getInt64();
}

inline void change(const fs::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE, 10'000).exec("PRAGMA ignore_check_constraints = ON; " + sql);
}

struct MergeTest : ::testing::Test {
  TempDir dir;
  fs::path a = dir / "a.db", b = dir / "b.db", c = dir / "c.db", out = dir / "out.db";

  // Adds a session with `trials` trials, a best with ties, its kernel, device, roofs and cubin.
  RowId fill(const fs::path& file, int trials, const SessionIdentity& identity = sample_identity(), int first = 0,
             SessionState state = SessionState::finished) {
    Writer writer = must(Writer::open(file));
    DeviceInfo device = sample_device();
    device.uuid = identity.device_uuid;
    must(writer.put_device(device));
    must(writer.put_roofs(device, sample_roofs()));
    must(writer.put_kernel({0, identity.kernel, identity.source_hash, {{"kernel.cu", "// 1\n"}, {"spec.json", "{}"}}}));
    must(writer.put_cubin({"c0ffee",
                           "sm_90a",
                           std::string("\x7f"
                                       "ELF\0",
                                       5),
                           {"_Z1a"}}));
    const RowId session = must(writer.begin_session(identity, 100, "0.1.0"));
    record(writer, session, first, trials);
    BestRecord best;
    best.session = session;
    best.config = sample_config(first);
    best.default_config = sample_config(77);
    best.median_us = 10.5;
    best.default_us = 20;
    best.tie_set = {sample_config(first), sample_config(77)};
    best.cubin_hash = "c0ffee";
    must(writer.put_best(best));
    must(writer.end_session(session, state));
    return session;
  }
  static void record(Writer& writer, RowId session, int first, int trials) {
    for (int n = first; n < first + trials; ++n) {
      Trial trial = sample_trial(n);
      if (n % 3 == 2) {
        trial.status = TrialStatus::compile_failed;
        trial.evidence = n % 2 == 0 ? "short" : std::string(900, 'x');
      }
      must(writer.record(session, sample_config(n), trial));
    }
  }
  // A second machine continues the session of the first.
  static void copy(const fs::path& from, const fs::path& to) {
    change(from, "PRAGMA wal_checkpoint(TRUNCATE)");
    fs::copy_file(from, to);
  }
  MergeReport merge(const fs::path& output, const std::vector<fs::path>& inputs) {
    return must(merge_databases(output, inputs, {}));
  }
};

} // namespace warptune::test
