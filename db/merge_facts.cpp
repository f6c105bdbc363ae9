#include "db/digest.h"
#include "db/merge_true_rows.h"
#include "db/merger.h"
#include "db/stored_kernel.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <tuple>

namespace warptune::db {

// Columns and parts that do not describe the thing itself: when and with which toolchain it was seen, and a device's
// roofs.
static const std::vector<std::string>& passing(const std::string& table) {
  static const std::vector<std::string> device = {"toolchain_id", "seen_at", "peaks"}, text = {"created_at"};
  return table == "devices" ? device : text;
}

Merger::Merger(SQLite::Database& target, SQLite::Database& source, const std::filesystem::path& output,
               const MergeOptions& options, MergeReport& report)
    : target_(target), source_(source, &target_), output_(output), options_(options), report_(report),
      source_db_(source), target_db_(target) {}

bool Merger::attempt(std::int64_t rows, const std::function<void()>& f) {
  try {
    f();
    return true;
  } catch (const DanglingReference&) {
  } catch (const ImpossibleRow&) {
  } catch (const SQLite::Exception& e) {
    if (e.getErrorCode() != SQLITE_CONSTRAINT && e.getErrorCode() != SQLITE_MISMATCH) throw;
  }
  file().skipped_rows += rows;
  return false;
}

std::string Merger::wrong_table() const {
  for (const auto& [name, table] : target_.tables()) {
    const auto found = source_.tables().find(name);
    if (found == source_.tables().end() || found->second.columns != table.columns) return name;
  }
  return {};
}

void Merger::run() {
  std::vector<std::string> foreign;
  for (const auto& [name, table] : source_.tables())
    if (!target_.tables().count(name)) foreign.push_back(name);
  for (const std::string& name : foreign) {
    source_.leave_out(name);
    report_.notes.push_back(
        fmt::format("the table {} of {} is not a table of warptune and was not merged", name, file().file.string()));
  }
  // Include rows that no session refers to, such as a kernel or a device that was only described.
  for (const auto& [name, table] : source_.tables()) {
    if (table.owner || name == "migrations" || name == "sessions") continue;
    source_.for_each(table, [&, &numbers = numbers_[name]](const Row& row) {
      if (row.id() != 0 && numbers.count(row.id())) return; // already merged through a reference
      attempt(1, [&] { numbers[row.id()] = intern(row); });
    });
  }
  const Table& conflicts = source_.table("merge_conflicts");
  for (const Row& row : source_.where(conflicts, {*conflicts.owner}, {std::monostate{}}))
    if (target_
            .where(*row.table, {row.table->column("session_id"), row.table->column("hash"), row.table->column("kind")},
                   {std::monostate{}, row["hash"], row["kind"]})
            .empty())
      attempt(1, [&] { target_.insert(translated(row)); });
  forget_losers_that_stand();
  for (const Row& session : source_.all(source_.table("sessions"))) merge_session(session);
}

RowId Merger::reference(const std::string& table, RowId theirs) {
  auto& known = numbers_[table];
  if (const auto found = known.find(theirs); found != known.end()) return found->second;
  return known[theirs] = intern(source_.at(source_.table(table), theirs));
}

Row Merger::translated(const Row& theirs) {
  Row row = theirs;
  row.table = &target_.table(theirs.table->name);
  if (row.table->id) row.values[*row.table->id] = std::monostate{};
  for (const Table::Reference& r : theirs.table->references)
    if (const auto* id = std::get_if<std::int64_t>(&row.values[r.column]))
      row.values[r.column] = reference(r.table, *id);
  return row;
}

RowId Merger::copy(const Row& theirs, RowId owner) {
  if (!can_be_true(theirs)) throw ImpossibleRow();
  Row row = translated(theirs);
  if (row.table->owner) row.values[*row.table->owner] = owner;
  const RowId mine = target_.insert(row);
  copy_parts(theirs, mine);
  return mine;
}

void Merger::copy_parts(const Row& theirs, RowId mine) {
  if (theirs.id() == 0) return;
  for (const Table* part : source_.parts_of(theirs.table->name))
    for (const Row& row : source_.parts(*part, theirs.id())) attempt(1, [&] { copy(row, mine); });
}

void Merger::add_missing_parts(const Table& part, RowId theirs, RowId mine, const std::string& later) {
  std::map<std::string, RowId> present;
  for (const Row& row : target_.parts(target_.table(part.name), mine))
    present.emplace(target_.content(row, {later}), row.id());
  for (const Row& row : source_.parts(part, theirs))
    attempt(1, [&] {
      const auto [found, missing] = present.try_emplace(source_.content(row, {later}), 0);
      if (missing)
        found->second = copy(row, mine);
      else if (!later.empty())
        add_missing_parts(source_.table(later), row.id(), found->second);
    });
}

// True if the kernel has no files, or if its files match the source hash it is stored under.
static bool is_what_it_is_called(Rows& rows, const Row& kernel) {
  KernelRecord record;
  record.name = kernel.text("name");
  for (const Row& file : rows.parts(rows.table("kernel_files"), kernel.id()))
    record.files.emplace_back(file.text("name"), file.text("text"));
  record.source_hash = kernel.text("source_hash");
  return record.files.empty() || spec_of(record).has_value();
}

// Mismatching files are skipped, but the kernel's results still count; another input may have the files of this hash. A
// hash that is not a SHA-256 was never computed from files.
bool Merger::has_false_files(const Row& theirs) {
  constexpr std::size_t kDigits = 64;
  if (theirs.table->name != "kernels" || theirs.text("source_hash").size() != kDigits ||
      is_what_it_is_called(source_, theirs))
    return false;
  const auto files = static_cast<std::int64_t>(source_.parts(source_.table("kernel_files"), theirs.id()).size());
  file().skipped_rows += files;
  report_.notes.push_back(fmt::format("the files of {} in {} were not merged: they do not match its source hash {:.12}",
                                      theirs.text("name"), file().file.string(), theirs.text("source_hash")));
  return true;
}

RowId Merger::intern(const Row& theirs) {
  if (!can_be_true(theirs)) throw ImpossibleRow();
  Row row = translated(theirs);
  const std::string& name = row.table->name;
  if (name == "evidence_texts") row["hash"] = digest(row.text("text")); // looked up by hash: recompute it
  std::vector<Value> key;
  for (const std::size_t column : row.table->key) key.push_back(row.values[column]);
  const std::vector<Row> found = target_.where(*row.table, row.table->key, key);
  if (found.empty()) {
    const RowId mine = target_.insert(row);
    if (!has_false_files(theirs)) copy_parts(theirs, mine);
    if (name == "kernels") ++file().kernels_added;
    if (name == "devices") ++file().devices_added;
    return mine;
  }
  const Row& mine = found.front();
  if (name == "devices") settle_device(mine, theirs);
  if (name == "cubins" || (name == "kernels" && !has_false_files(theirs))) settle_texts(mine, theirs);
  return mine.id();
}

// Keeps the device as seen last. Roofs are rows of their own, and all of them are kept.
void Merger::settle_device(const Row& mine, const Row& theirs) {
  add_missing_parts(source_.table("peaks"), theirs.id(), mine.id());
  const std::string ours = target_.content(mine, passing("devices")),
                    other = source_.content(theirs, passing("devices"));
  const bool differ = ours != other;
  const bool later = std::tuple(theirs.text("seen_at"), other) > std::tuple(mine.text("seen_at"), ours);
  const bool described = !mine.text("seen_at").empty() && !theirs.text("seen_at").empty();
  if (differ && described) keep_loser("devices", 0, mine.text("name"), later ? ours : other, later);
  if (!later) return;
  const Row row = translated(theirs);
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (i != row.table->id) target_.set(mine, row.table->columns[i], row.values[i]);
}

void Merger::settle_texts(const Row& mine, const Row& theirs) {
  const std::string ours = target_.content(mine, passing(mine.table->name)),
                    other = source_.content(theirs, passing(mine.table->name));
  if (ours == other) { // keep the later time, as is done for differing contents
    if (mine.text("created_at") < theirs.text("created_at")) target_.set(mine, "created_at", theirs["created_at"]);
    return;
  }
  const bool kernel = mine.table->name == "kernels";
  const auto files = [](Rows& rows, const Row& row) { return rows.parts(rows.table("kernel_files"), row.id()).size(); };
  // A kernel row without files (only named by a session) does not conflict with one that has files.
  const bool take_files = kernel && files(target_, mine) == 0, keep_files = kernel && files(source_, theirs) == 0;
  // If the files differ, those that match the hash win.
  const auto rank = [&](Rows& rows, const Row& row, const std::string& content) {
    return std::tuple(kernel && is_what_it_is_called(rows, row), row.text("created_at"), content);
  };
  const bool later = !keep_files && (take_files || rank(source_, theirs, other) > rank(target_, mine, ours));
  if (!take_files && !keep_files)
    keep_loser(mine.table->name, 0, kernel ? mine.text("name") : mine.text("hash"), later ? ours : other, later);
  if (!later) return;
  if (kernel) {
    for (const Row& row : target_.parts(target_.table("kernel_files"), mine.id()))
      target_.statements().run("DELETE FROM kernel_files WHERE kernel_id = ? AND position = ?", mine.id(),
                               std::get<std::int64_t>(row["position"]));
    copy_parts(theirs, mine.id());
    target_.set(mine, "created_at", theirs["created_at"]);
  } else {
    target_.erase(mine);
    target_.insert(translated(theirs));
  }
}

// Content that lost can still win later, when another file has it with a newer time. Its conflict is then deleted, so
// that the stored conflicts do not depend on the order of merging.
void Merger::forget_losers_that_stand() {
  const Table& table = target_.table("merge_conflicts");
  for (const Row& loser : target_.where(table, {table.column("session_id")}, {std::monostate{}})) {
    const std::string kind = loser.text("kind");
    if (kind != "devices" && kind != "kernels" && kind != "cubins") continue;
    const Table& facts = target_.table(kind);
    for (const Row& row : target_.where(facts, {facts.column(kind == "cubins" ? "hash" : "name")}, {loser["subject"]}))
      if (digest(target_.content(row, passing(kind))) == loser.text("hash")) {
        target_.erase(loser);
        break;
      }
  }
}

void Merger::keep_loser(const std::string& kind, RowId session, const std::string& subject, const std::string& content,
                        bool replaced) {
  const std::string hash = digest(content);
  const Value owner = session == 0 ? Value{std::monostate{}} : Value{session};
  const Table& table = target_.table("merge_conflicts");
  const std::vector<std::size_t> key = {table.column("session_id"), table.column("kind"), table.column("hash")};
  if (!target_.where(table, key, {owner, kind, hash}).empty()) return; // already reported when first merged
  Row row{&table, std::vector<Value>(table.columns.size())};
  row["session_id"] = owner;
  row["kind"] = kind;
  row["subject"] = subject;
  row["content"] = content;
  row["hash"] = hash;
  target_.insert(row);
  report_.conflicts.push_back({kind, session, subject, file().file.string(), replaced});
}

} // namespace warptune::db
