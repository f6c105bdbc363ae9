// One input's rows into the output's: what merge.cpp does within its transaction. Rows that stand for something in the
// world (kernels, devices, configurations) in merge_facts.cpp, sessions with their trials in merge_sessions.cpp.
#pragma once

#include "db/merge.h"
#include "db/merge_rows.h"

#include <functional>
#include <map>
#include <string>

namespace warptune::db {

class Merger {
 public:
  // `target` within a transaction of the caller's; `source` is read only. What happens is told to `report`, whose last
  // file is the source.
  Merger(SQLite::Database& target, SQLite::Database& source, const std::filesystem::path& output,
         const MergeOptions& options, MergeReport& report);
  // A table of the source that is not as its schema says, by name; empty: none.
  std::string wrong_table() const;
  void run(); // throws SQLite::Exception

 private:
  MergedFile& file() { return report_.files.back(); }
  // The source's row of a table that others refer to, in the target; made when it is not there.
  RowId intern(const Row& theirs);
  RowId reference(const std::string& table, RowId theirs); // throws DanglingReference
  Row translated(const Row& theirs);                       // with the target's numbers, and no id
  RowId copy(const Row& theirs, RowId owner);              // with its parts
  void copy_parts(const Row& theirs, RowId mine);
  // A part that is there already gets the missing ones among its own `later` parts: rows added after it was made.
  void add_missing_parts(const Table& part, RowId theirs, RowId mine, const std::string& later = {});

  bool has_false_files(const Row& theirs); // a kernel; says so in the report
  void settle_device(const Row& mine, const Row& theirs);
  void settle_texts(const Row& mine, const Row& theirs); // kernels and cubins: their content goes with their name
  void keep_loser(const std::string& kind, RowId session, const std::string& subject, const std::string& content,
                  bool replaced);
  void forget_losers_that_stand();

  void merge_session(const Row& theirs);
  void add_session(const Row& theirs, const std::string& uuid);
  bool extend_session(const Row& mine, const Row& theirs); // whether anything was new
  // `broken`: the target's trials that no reader believes; they give way to any other.
  bool merge_trial(RowId session, const Row& theirs, const std::vector<RowId>& broken);
  bool merge_findings(RowId mine, RowId theirs); // of trials that are the same but for what was found later
  bool merge_counters(RowId mine, RowId theirs, bool later);
  bool settle_state(const Row& mine, const Row& theirs);

  // Runs `f`; a row that cannot be stored is counted and left out. Whether it was stored.
  bool attempt(std::int64_t rows, const std::function<void()>& f);

  Rows target_, source_;
  const std::filesystem::path& output_;
  const MergeOptions& options_;
  MergeReport& report_;
  SQLite::Database& source_db_;
  SQLite::Database& target_db_;
  std::map<std::string, std::map<RowId, RowId>> numbers_; // table -> the source's number -> the target's
};

} // namespace warptune::db
