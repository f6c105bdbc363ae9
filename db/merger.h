// Merges the rows of one input into the output, within a transaction of merge.cpp. merge_facts.cpp handles rows that
// are not part of sessions (kernels, devices, configurations); merge_sessions.cpp handles sessions and their trials.
#pragma once

#include "db/merge.h"
#include "db/merge_rows.h"

#include <functional>
#include <map>
#include <string>

namespace warptune::db {

class Merger {
 public:
  // `target`: the output, in which the caller has begun a transaction. `source`: the input, which is only read. Counts
  // are added to the last file of `report`, which must be the entry for `source`.
  Merger(SQLite::Database& target, SQLite::Database& source, const std::filesystem::path& output,
         const MergeOptions& options, MergeReport& report);
  // Returns the name of a source table that does not match the source's schema; empty if all match.
  std::string wrong_table() const;
  void run(); // throws SQLite::Exception

 private:
  MergedFile& file() { return report_.files.back(); }
  // Returns the target's id for a source row to which others refer. Inserts the row if the target lacks it.
  RowId intern(const Row& theirs);
  RowId reference(const std::string& table, RowId theirs); // throws DanglingReference
  Row translated(const Row& theirs);                       // refers to the target's ids; has no id of its own
  RowId copy(const Row& theirs, RowId owner);              // also copies its parts
  void copy_parts(const Row& theirs, RowId mine);
  // Copies the rows of the table `part` that belong to `theirs` and that `mine` lacks. Rows of the table `later` belong
  // to rows of `part` and may be newer, so missing rows of `later` are copied too.
  void add_missing_parts(const Table& part, RowId theirs, RowId mine, const std::string& later = {});

  bool has_false_files(const Row& theirs); // whether a kernel's files do not match its hash; also reports this
  void settle_device(const Row& mine, const Row& theirs);
  void settle_texts(const Row& mine, const Row& theirs); // for kernels and cubins: decides which content keeps the name
  // Stores in merge_conflicts the content that lost a conflict. `replaced`: whether the content was the target's.
  void keep_loser(const std::string& kind, RowId session, const std::string& subject, const std::string& content,
                  bool replaced);
  // Deletes the entries of merge_conflicts whose content is now in the table that the entry names (`kind`).
  void forget_losers_that_stand();

  void merge_session(const Row& theirs);
  void add_session(const Row& theirs, const std::string& uuid);
  bool extend_session(const Row& mine, const Row& theirs); // returns whether anything was new
  // `broken`: the target's unreadable trials. A trial of the source replaces the unreadable trial of its configuration.
  bool merge_trial(RowId session, const Row& theirs, const std::vector<RowId>& broken);
  bool merge_findings(RowId mine,
                      RowId theirs); // merges counters, energy and samples of two trials that are otherwise equal
  bool merge_counters(RowId mine, RowId theirs, bool later);
  bool settle_state(const Row& mine, const Row& theirs);

  // Runs `f`, which stores `rows` rows. If they cannot be stored, leaves them out and counts them as skipped. Returns
  // whether they were stored.
  bool attempt(std::int64_t rows, const std::function<void()>& f);

  Rows target_, source_;
  const std::filesystem::path& output_;
  const MergeOptions& options_;
  MergeReport& report_;
  SQLite::Database& source_db_;
  SQLite::Database& target_db_;
  std::map<std::string, std::map<RowId, RowId>> numbers_; // table -> (id in the source -> id in the target)
};

} // namespace warptune::db
