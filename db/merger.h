// Merges one input's rows into the output, within merge.cpp's transaction. merge_facts.cpp handles rows outside
// sessions (kernels, devices, configurations); merge_sessions.cpp handles sessions with their trials.
#pragma once

#include "db/merge.h"
#include "db/merge_rows.h"

#include <functional>
#include <map>
#include <string>

namespace warptune::db {

class Merger {
 public:
  // `target` is in a transaction of the caller; `source` is only read. The counts are added to the last file of
  // `report`, which describes `source`.
  Merger(SQLite::Database& target, SQLite::Database& source, const std::filesystem::path& output,
         const MergeOptions& options, MergeReport& report);
  // Returns the name of a source table that does not match its schema; empty if all match.
  std::string wrong_table() const;
  void run(); // throws SQLite::Exception

 private:
  MergedFile& file() { return report_.files.back(); }
  // Returns the target's id for a source row that others refer to; inserts the row if it is missing.
  RowId intern(const Row& theirs);
  RowId reference(const std::string& table, RowId theirs); // throws DanglingReference
  Row translated(const Row& theirs);          // the row with the target's ids in its references, without its own id
  RowId copy(const Row& theirs, RowId owner); // also copies its parts
  void copy_parts(const Row& theirs, RowId mine);
  // If a part already exists, adds its missing `later` parts: rows added after the part was stored.
  void add_missing_parts(const Table& part, RowId theirs, RowId mine, const std::string& later = {});

  bool has_false_files(const Row& theirs); // whether a kernel's files do not match its hash; adds this to the report
  void settle_device(const Row& mine, const Row& theirs);
  void settle_texts(const Row& mine, const Row& theirs); // for kernels and cubins: decides which content a name keeps
  // Stores the content that lost a conflict in merge_conflicts. `replaced`: the target's own content lost.
  void keep_loser(const std::string& kind, RowId session, const std::string& subject, const std::string& content,
                  bool replaced);
  // Deletes those entries of merge_conflicts whose content is now the content in its table.
  void forget_losers_that_stand();

  void merge_session(const Row& theirs);
  void add_session(const Row& theirs, const std::string& uuid);
  bool extend_session(const Row& mine, const Row& theirs); // returns whether anything was new
  // `broken`: the target's unreadable trials, which any other trial replaces.
  bool merge_trial(RowId session, const Row& theirs, const std::vector<RowId>& broken);
  bool merge_findings(RowId mine, RowId theirs); // merges the findings of two trials that are otherwise equal
  bool merge_counters(RowId mine, RowId theirs, bool later);
  bool settle_state(const Row& mine, const Row& theirs);

  // Runs `f`; rows that cannot be stored are counted and left out. Returns whether they were stored.
  bool attempt(std::int64_t rows, const std::function<void()>& f);

  Rows target_, source_;
  const std::filesystem::path& output_;
  const MergeOptions& options_;
  MergeReport& report_;
  SQLite::Database& source_db_;
  SQLite::Database& target_db_;
  std::map<std::string, std::map<RowId, RowId>> numbers_; // by table: the source's id -> the target's id
};

} // namespace warptune::db
