#include "db/backup.h"

#include "db/connection.h"
#include "db/merge_source.h"

#include <fmt/format.h>
#include <utility>

namespace warptune {

namespace fs = std::filesystem;

Result<std::uintmax_t> backup_database(const fs::path& database, const fs::path& given) {
  WT_TRY(const auto from, db::check_path(database));
  WT_TRY(const auto output, db::check_path(given));
  std::error_code ec;
  if (!fs::exists(from, ec))
    return fail(ErrorKind::database, fmt::format("there is no database {}; check the path", from.string()));
  if (fs::exists(fs::symlink_status(output, ec)))
    return fail(ErrorKind::bad_input,
                fmt::format("{} already exists, and backup never replaces a file; name another file, or remove it",
                            output.string()));
  WT_TRY(auto source, db::open_read_only(from));
  WT_TRY(const auto scratch, db::ScratchFolder::make(output.parent_path()));
  const fs::path file = scratch.path() / "backup.db";
  const auto copied = db::guard(source.get(), from, "copy", [&]() -> Result<void> {
    db::copy_database(*source, file);
    return {};
  });
  // The source is only read, so a write error belongs to the copy.
  if (!copied && copied.error().message.find("cannot write the database") != std::string::npos)
    return fail(db::about_output(copied.error(), from, output, ""));
  WT_CHECK(copied);
  source.reset();
  auto made = db::guard(nullptr, output, "write", [&]() -> Result<std::unique_ptr<SQLite::Database>> {
    auto copy = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE, db::busy_timeout_ms());
    db::distrust(*copy);
    copy->exec("PRAGMA ignore_check_constraints = ON"); // as in every reader
    if (const std::string state = copy->execAndGet("PRAGMA quick_check(1)").getString(); state != "ok")
      return fail(ErrorKind::database,
                  fmt::format("the database {} is damaged ({}), and was not copied; recover the rest with "
                              "`sqlite3 {} .recover`",
                              from.string(), state, from.string()));
    copy->execAndGet("PRAGMA journal_mode = DELETE"); // readers need no second file
    return copy;
  });
  WT_CHECK(made);
  WT_CHECK(db::publish(std::move(*made), file, output, "copy again, or name another file"));
  return fs::file_size(output, ec);
}

} // namespace warptune
