#include "db/digest.h"
#include "db/merger.h"
#include "db/trial_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace warptune::db {
namespace {

// Columns that no run of a session changes. Rows that differ here are different sessions, even if their uuids are
// equal.
const std::vector<std::string> identity_columns = {"kernel_id", "problem_id", "device_id", "toolchain_id",
                                                   "arch",      "strategy",   "budget",    "seed",
                                                   "cold_l2",   "version",    "started_at"};

std::string identity_of(const Row& row) { // the row's identity, with the target's row ids
  std::string identity;
  for (const std::string& column : identity_columns) {
    const auto* number = std::get_if<std::int64_t>(&row[column]);
    identity += (number ? std::to_string(*number) : row.text(column)) + '\n';
  }
  return identity;
}

int rank(const std::string& state) {
  return state == "finished" ? 3 : state == "failed" ? 2 : state == "interrupted" ? 1 : 0;
}

// Parts and columns that a session's runs change, or that are merged one by one.
const std::vector<std::string> session_passing = {"uuid", "state", "ended_at", "trials", "best", "merge_conflicts"};

// session_passing without the parts of one table.
std::vector<std::string> session_passing_but(const std::string& part) {
  std::vector<std::string> names = session_passing;
  std::erase(names, part);
  return names;
}

} // namespace

void Merger::merge_session(const Row& theirs) {
  const std::int64_t rows =
      1 + source_.statements().run("SELECT count(*) FROM trials WHERE session_id = ?", theirs.id());
  attempt(rows, [&] {
    Row row = translated(theirs);
    const std::string identity = identity_of(row);
    std::string uuid = row.text("uuid");
    const Table& table = target_.table("sessions");
    for (int attempts = 0; attempts < 2; ++attempts) {
      const std::vector<Row> found = target_.where(table, {table.column("uuid")}, {uuid});
      if (found.empty()) return add_session(theirs, uuid);
      const Row& mine = found.front();
      if (identity == identity_of(mine)) {
        ++(extend_session(mine, theirs) ? file().sessions_extended : file().sessions_known);
        return;
      }
      uuid.append(source_.content(theirs, session_passing));
      uuid = digest(uuid);
    }
    throw DanglingReference(); // warptune never writes such rows
  });
}

void Merger::add_session(const Row& theirs, const std::string& uuid) {
  Row row = translated(theirs);
  const std::string holder = options_.holder ? options_.holder(file().file, theirs.id()) : std::string();
  if (!holder.empty())
    report_.notes.push_back(fmt::format("{} is still working on session {} of {}; the trials so far were merged as an "
                                        "interrupted session; merge again when the session has finished",
                                        holder, theirs.id(), file().file.string()));
  if (row.text("state") == "running") row["state"] = std::string("interrupted"); // no process works on the copy
  row["uuid"] = uuid;
  const RowId mine = target_.insert(row);
  ++file().sessions_added;
  const std::vector<RowId> broken = unreadable_trials(source_db_, theirs.id());
  for (const Table* part : source_.parts_of("sessions"))
    for (const Row& part_row : source_.parts(*part, theirs.id())) {
      const bool trial = part->name == "trials";
      if (trial && std::find(broken.begin(), broken.end(), part_row.id()) != broken.end()) {
        ++file().skipped_rows;
        continue;
      }
      if (attempt(1, [&] { copy(part_row, mine); }) && trial) ++file().trials_added;
    }
}

bool Merger::settle_state(const Row& mine, const Row& theirs) {
  if (options_.holder && !options_.holder(output_, mine.id()).empty()) return false; // the holder sets the final state
  const auto weight = [](const Row& row) { return std::tuple(rank(row.text("state")), row.text("ended_at")); };
  const bool later = weight(theirs) > weight(mine) && rank(theirs.text("state")) > 0;
  const std::string ours = target_.content(mine, session_passing), other = source_.content(theirs, session_passing);
  const bool take = later || (weight(theirs) == weight(mine) && other > ours);
  if (ours != other) keep_loser("sessions", mine.id(), mine.text("uuid"), take ? ours : other, take);
  if (!take) return false;
  const Row row = translated(theirs);
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (i != row.table->id && row.table->columns[i] != "uuid") target_.set(mine, row.table->columns[i], row.values[i]);
  return true;
}

bool Merger::extend_session(const Row& mine, const Row& theirs) {
  const MergedFile before = file();
  const std::size_t conflicts = report_.conflicts.size();
  bool changed = settle_state(mine, theirs);
  const std::vector<RowId> broken = unreadable_trials(source_db_, theirs.id());
  const std::vector<RowId> mine_broken = unreadable_trials(target_db_, mine.id());
  for (const Table* part : source_.parts_of("sessions")) {
    if (part->name != "trials") {
      const std::string before_parts = target_.content(mine, session_passing_but(part->name));
      add_missing_parts(*part, theirs.id(), mine.id(), part->name == "best" ? "checks" : "");
      changed = changed || target_.content(mine, session_passing_but(part->name)) != before_parts;
      continue;
    }
    for (const Row& trial : source_.parts(*part, theirs.id())) {
      if (std::find(broken.begin(), broken.end(), trial.id()) != broken.end()) {
        ++file().skipped_rows;
        continue;
      }
      attempt(1, [&] { changed = merge_trial(mine.id(), trial, mine_broken) || changed; });
    }
  }
  return changed || file().trials_added != before.trials_added || report_.conflicts.size() != conflicts;
}

// Counters, energy and samples may be recorded long after the trial, in either copy. The later reading wins; counters
// are merged one by one.
static const std::vector<std::string> kFindings = {"profiles", "counters", "power", "source_samples"};

bool Merger::merge_findings(RowId mine, RowId theirs) {
  bool changed = false;
  const auto reading = [](Rows& rows, const std::string& table, RowId trial) {
    const std::vector<Row> found = rows.parts(rows.table(table), trial);
    return found.empty() ? std::tuple<std::string, std::string>()
                         : std::tuple(found.front().text("recorded_at"), rows.content(found.front()));
  };
  for (const std::string table : {"profiles", "power", "source_samples"}) {
    const bool later = reading(source_, table, theirs) > reading(target_, table, mine);
    if (table == "profiles") changed = merge_counters(mine, theirs, later) || changed;
    if (!later) continue;
    for (const Row& row : target_.parts(target_.table(table), mine)) target_.erase(row);
    for (const Row& row : source_.parts(source_.table(table), theirs)) attempt(1, [&] { copy(row, mine); });
    changed = true;
  }
  return changed;
}

bool Merger::merge_counters(RowId mine, RowId theirs, bool later) {
  bool changed = false;
  for (const Row& row : source_.parts(source_.table("counters"), theirs))
    attempt(1, [&] {
      const RowId metric = std::get<std::int64_t>(translated(row)["metric_id"]);
      const Table& table = target_.table("counters");
      const auto there = target_.where(table, {table.column("trial_id"), table.column("metric_id")}, {mine, metric});
      if (!there.empty() && (!later || source_.content(row) == target_.content(there.front()))) return;
      target_.statements().run("DELETE FROM counters WHERE trial_id = ? AND metric_id = ?", mine, metric);
      copy(row, mine);
      changed = true;
    });
  return changed;
}

// Of two differing trials the later wins: by time of recording; then a trial that was found wrong, because that is
// always found after the measurement; then the one with more samples; then by content, so that the order of merging
// does not matter.
bool Merger::merge_trial(RowId session, const Row& theirs, const std::vector<RowId>& broken) {
  const Row row = translated(theirs);
  const Table& table = *row.table;
  const std::vector<Row> found =
      target_.where(table, {table.column("session_id"), table.column("config_id")}, {session, row["config_id"]});
  if (found.empty()) {
    copy(theirs, session);
    ++file().trials_added;
    return true;
  }
  const Row& mine = found.front();
  const std::string other = source_.content(theirs, kFindings);
  bool later = std::find(broken.begin(), broken.end(), mine.id()) != broken.end();
  if (!later) {
    const std::string ours = target_.content(mine, kFindings);
    if (ours == other) return merge_findings(mine.id(), theirs.id());
    const auto weight = [](Rows& rows, const Row& trial, const std::string& content) {
      const auto samples = rows.statements().run("SELECT length(us) FROM samples WHERE trial_id = ?", trial.id());
      return std::tuple(trial.text("recorded_at"), trial.text("status") != "ok", samples, content);
    };
    later = weight(source_, theirs, other) > weight(target_, mine, ours);
    const std::size_t conflicts = report_.conflicts.size();
    const Row config = target_.at(target_.table("configs"), std::get<std::int64_t>(mine["config_id"]));
    keep_loser("trials", session, config.text("text"), later ? ours : other, later);
    if (!later) return merge_findings(mine.id(), theirs.id()) || report_.conflicts.size() != conflicts;
  }
  // Keep the row's place in the order of measurement. Findings are merged separately: they describe the configuration,
  // whichever timing is kept.
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (i != table.id && i != table.owner) target_.set(mine, table.columns[i], row.values[i]);
  for (const Table* part : source_.parts_of("trials")) {
    if (std::find(kFindings.begin(), kFindings.end(), part->name) != kFindings.end()) continue;
    for (const Row& old : target_.parts(target_.table(part->name), mine.id())) target_.erase(old);
    for (const Row& fresh : source_.parts(*part, theirs.id())) attempt(1, [&] { copy(fresh, mine.id()); });
  }
  merge_findings(mine.id(), theirs.id());
  return true;
}

} // namespace warptune::db
