#include "db/merge.h"

#include "db/connection.h"
#include "db/merge_source.h"
#include "db/merger.h"
#include "db/migrate.h"
#include "db/write_log.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <sqlite3.h>
#include <sys/stat.h>
#include <utility>

namespace warptune {

namespace fs = std::filesystem;

namespace {

using db::ScratchFolder;

// Finds the first input that is the same file: by name and, if it exists, by device and inode.
class FirstNamed {
 public:
  std::optional<std::size_t> find_or_add(const fs::path& input, std::size_t number) {
    const bool is_new_name = names_.emplace(input, number).second;
    std::optional<std::size_t> first;
    if (!is_new_name) first = names_.at(input);
    if (struct stat status{}; ::stat(input.c_str(), &status) == 0) {
      const auto [known, is_new] = files_.emplace(std::pair(status.st_dev, status.st_ino), number);
      if (!is_new && (!first || known->second < *first)) first = known->second;
    }
    return first;
  }

 private:
  std::map<fs::path, std::size_t> names_;
  std::map<std::pair<dev_t, ino_t>, std::size_t> files_;
};

Result<void> check_names(const fs::path& output, const std::vector<fs::path>& inputs) {
  std::error_code ec;
  FirstNamed first_named;
  if (inputs.empty()) return fail(ErrorKind::bad_input, "there is nothing to merge; name at least one database");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (fs::equivalent(output, inputs[i], ec))
      return fail(
          ErrorKind::bad_input,
          fmt::format("{} is both the output and an input; remove it from the inputs (the output keeps its content)",
                      inputs[i].string()));
    if (const auto j = first_named.find_or_add(inputs[i], i))
      return fail(ErrorKind::bad_input,
                  fmt::format("{} and {} are the same file; name it once", inputs[*j].string(), inputs[i].string()));
  }
  return {};
}

// Reports the error of the connection that failed.
Error blame(const SQLite::Exception& e, SQLite::Database& source, const fs::path& input, SQLite::Database& target,
            const fs::path& output) {
  const int code = sqlite3_errcode(source.getHandle());
  const bool theirs = code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
  return theirs ? db::explain(e, source.getHandle(), input, "read")
                : db::explain(e, target.getHandle(), output, "merge");
}

bool stopped(const MergeOptions& options) { return options.stop != nullptr && *options.stop; }

// Makes running statements of `db` fail once `options.stop` is set.
void heed_stop(SQLite::Database& db, const MergeOptions& options) {
  constexpr int kSteps = 10000; // SQLite virtual machine instructions: well below a millisecond
  const auto look = [](void* o) { return stopped(*static_cast<const MergeOptions*>(o)) ? 1 : 0; };
  sqlite3_progress_handler(db.getHandle(), kSteps, look, const_cast<MergeOptions*>(&options));
}

// Inserts hit random index pages; a small cache would evict and rewrite the same page many times.
void use_large_cache(SQLite::Database& db) {
  constexpr int kCacheKiB = 96 << 10;
  db.exec(fmt::format("PRAGMA cache_size = -{}", kCacheKiB));
}

// A new output has no readers before it is published, so it needs no log: each page is written once, in place.
void write_without_log(SQLite::Database& db) {
  db.execAndGet("PRAGMA journal_mode = DELETE");
  db.exec("PRAGMA synchronous = FULL");
}

Result<void> merge_input(SQLite::Database& target, const fs::path& output, const fs::path& input, const fs::path& copy,
                         const MergeOptions& options, MergeReport& report) {
  WT_TRY(auto source, db::open_source(input, copy));
  heed_stop(*source, options);
  report.files.push_back({});
  report.files.back().file = input;
  try {
    db::Merger merger(target, *source, output, options, report);
    if (const std::string wrong = merger.wrong_table(); !wrong.empty())
      return fail(ErrorKind::database, fmt::format("the database {} is damaged: its table {} is missing, or its "
                                                   "columns differ from the schema; restore a copy",
                                                   input.string(), wrong));
    merger.run();
    if (const std::int64_t rows = report.files.back().skipped_rows; rows > 0)
      report.notes.push_back(fmt::format("{} of {} {} not merged, because {} impossible values",
                                         rows == 1 ? "1 row" : fmt::format("{} rows", rows), input.string(),
                                         rows == 1 ? "was" : "were", rows == 1 ? "it has" : "they have"));
    return {};
  } catch (const SQLite::Exception& e) {
    return fail(blame(e, *source, input, target, output));
  }
}

Result<void> merge_all(SQLite::Database& target, const fs::path& output, const std::vector<fs::path>& inputs,
                       const ScratchFolder& scratch, const MergeOptions& options, MergeReport& report) {
  return db::guard(&target, output, "merge", [&]() -> Result<void> {
    SQLite::Transaction transaction(target, SQLite::TransactionBehavior::IMMEDIATE);
    heed_stop(target, options);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto merged =
          merge_input(target, output, inputs[i], scratch.path() / fmt::format("input-{}.db", i), options, report);
      if (!merged) return merged;
      if (stopped(options)) return fail(ErrorKind::interrupted, "stopped");
    }
    sqlite3_progress_handler(target.getHandle(), 0, nullptr, nullptr); // the commit itself must not be interrupted
    transaction.commit();
    return {};
  });
}

} // namespace

MergedFile MergeReport::total() const {
  MergedFile sum;
  for (const MergedFile& f : files)
    for (const auto member :
         {&MergedFile::sessions_added, &MergedFile::sessions_extended, &MergedFile::sessions_known,
          &MergedFile::trials_added, &MergedFile::kernels_added, &MergedFile::devices_added, &MergedFile::skipped_rows})
      sum.*member += f.*member;
  return sum;
}

Result<MergeReport> merge_databases(const fs::path& given, const std::vector<fs::path>& inputs,
                                    const MergeOptions& options) {
  WT_TRY(auto output, db::check_path(given));
  WT_CHECK(check_names(output, inputs));
  std::error_code ec;
  const bool there = fs::exists(output, ec);
  WT_TRY(auto scratch, ScratchFolder::make(options.dry_run ? fs::temp_directory_path(ec) : output.parent_path()));
  const bool in_place = there && !options.dry_run;
  const fs::path file = in_place ? output : scratch.path() / "merged.db";
  if (there && options.dry_run) {
    WT_TRY(auto old, db::open_read_only(output));
    WT_CHECK(db::guard(old.get(), output, "read", [&]() -> Result<void> {
      db::copy_database(*old, file);
      return {};
    }));
  }
  const auto blamed = [&](Error error) { return fail(db::about_output(std::move(error), file, output, "-o")); };
  auto opened = db::open_for_writing(file);
  if (!opened) return blamed(opened.error());
  auto target = std::move(*opened);
  const auto prepared = db::guard(target.get(), output, "write", [&]() -> Result<void> {
    use_large_cache(*target);
    if (!in_place) write_without_log(*target);
    return {};
  });
  if (!prepared) return blamed(prepared.error());
  MergeReport report;
  auto merged = merge_all(*target, output, inputs, scratch, options, report);
  if (!merged && stopped(options))
    return fail(ErrorKind::interrupted, fmt::format("stopped; {} is unchanged", output.string()));
  if (!merged) return blamed(merged.error());
  if (in_place) db::settle_log(*target);
  if (in_place || options.dry_run) return report;
  const auto published = db::publish(std::move(target), file, output, "merge again, or name another output");
  if (!published) return blamed(published.error());
  return report;
}

} // namespace warptune
