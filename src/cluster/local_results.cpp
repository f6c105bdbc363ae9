#include "cluster/local_results.h"

#include "cluster/run_folder.h"
#include "cluster/shared_file.h"
#include "db/backup.h"
#include "db/reader.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune {

namespace fs = std::filesystem;

namespace {

// A session that stops before it begins may leave a database without tables, which a merge would reject.
bool has_sessions(const fs::path& database) {
  const auto reader = Reader::open(database);
  if (!reader) return false;
  const auto sessions = reader->sessions();
  return sessions && !sessions->empty();
}

} // namespace

std::string deleted_database(const fs::path& database) {
  return fmt::format("the database {} was deleted while this process used it; results that were already published are "
                     "complete. Repeat the command with --local DIR, where DIR is a folder that no program cleans up",
                     database.string());
}

LocalResults::LocalResults(fs::path folder, fs::path results, std::string process)
    : folder_(std::move(folder)), results_(std::move(results)), process_(std::move(process)) {}

Result<std::unique_ptr<LocalResults>> LocalResults::make(const fs::path& parent, const fs::path& run,
                                                         const std::string& process) {
  WT_CHECK(list_shared(results_of(run))); // fail now, not after a job was measured
  std::error_code error;
  const fs::path above = parent.empty() ? fs::temp_directory_path(error) : fs::absolute(parent);
  if (!error) fs::create_directories(above, error);
  const fs::path folder = above / fmt::format("warptune-run-{}", process);
  if (error || ::mkdir(folder.c_str(), 0700) != 0)
    return fail(ErrorKind::database,
                fmt::format("cannot make a folder for databases in {}: {}; name a writable folder on a local disk with "
                            "--local",
                            above.empty() ? "$TMPDIR" : above.string(),
                            error ? error.message() : std::strerror(errno)));
  return std::unique_ptr<LocalResults>(new LocalResults(folder, results_of(run), process));
}

LocalResults::~LocalResults() {
  for (const auto& [database, fd] : watched_) ::close(fd);
  std::error_code kept; // a file that cannot be removed does no harm
  if (all_published_) fs::remove_all(folder_, kept);
}

fs::path LocalResults::volume(int number) const { return folder_ / fmt::format("{}.{}.db", process_, number); }

fs::path LocalResults::database() const {
  const std::lock_guard lock(mutex_);
  return volume(current_);
}

fs::path LocalResults::continue_from(const std::string& published) {
  const std::lock_guard lock(mutex_);
  const fs::path name = fs::path(published).filename(); // only files in results/
  const fs::path copy = folder_ / "continued.db";
  std::error_code error;
  if (!fs::copy_file(results_ / name, copy, error)) return volume(current_);
  const auto checked = backup_database(copy, volume(last_ + 1));
  if (!checked && checked.error().kind == ErrorKind::database) damaged_.insert(results_ / name);
  if (checked && has_sessions(volume(last_ + 1)))
    current_ = ++last_;
  else
    fs::remove(volume(last_ + 1), error);
  fs::remove(copy, error);
  return volume(current_);
}

std::set<fs::path> LocalResults::damaged() const {
  const std::lock_guard lock(mutex_);
  return damaged_;
}

tl::unexpected<Error> LocalResults::keep(const Error& why, const fs::path& database) {
  all_published_ = false;
  return fail(why.kind, fmt::format("{}; this process's results are kept in {}, which `warptune merge` accepts as "
                                    "another input",
                                    why.message, database.string()));
}

bool LocalResults::was_deleted(const fs::path& database) const {
  const auto watched = watched_.find(database);
  struct stat status {};
  return watched != watched_.end() && (::fstat(watched->second, &status) != 0 || status.st_nlink == 0);
}

// With O_PATH, because closing an ordinary descriptor would release SQLite's locks on the file.
void LocalResults::watch(const fs::path& database) {
  if (watched_.count(database) > 0) return;
  if (const int fd = ::open(database.c_str(), O_PATH | O_CLOEXEC); fd >= 0) watched_[database] = fd;
}

Result<std::string> LocalResults::publish(const fs::path& database) {
  const std::lock_guard lock(mutex_); // so that later copies replace earlier ones
  if (was_deleted(database)) return fail(ErrorKind::database, deleted_database(database));
  const fs::path copy = folder_ / fmt::format("copy-{}.db", copies_++);
  auto published = [&]() -> Result<std::string> {
    if (auto copied = backup_database(database, copy); !copied) return fail(copied.error());
    if (!has_sessions(copy)) return std::string();
    WT_CHECK(copy_to_shared(copy, results_ / database.filename()));
    watch(database);
    return database.filename().string();
  }();
  std::error_code none;
  if (fs::file_size(copy, none) > kMaxBytes && !none && database == volume(current_)) current_ = ++last_;
  fs::remove(copy, none);
  all_published_ = all_published_ && published;
  if (!published) return keep(published.error(), database);
  return published;
}

} // namespace warptune
