#include "runtime/misses_file.h"

#include "core/text.h"
#include "system/descriptor.h"
#include "system/new_file.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// A sweep accepts 1 MiB and 10000 jobs; the file stays below that. The most frequent shapes come first.
constexpr std::size_t kMaxJobs = 5000;
constexpr std::size_t kMaxBytes = 1000 * 1000;

// Older libraries wrote different words between kHead and kHeadEnd.
constexpr std::string_view kHead = "{\n"
                                   "  \"warptune_sweep\": 1,\n"
                                   "  \"about\": \"Shapes that an application selected and ";
constexpr std::string_view kHeadEnd = "written by libwarptune\",\n"
                                      "  \"jobs\": [\n";
constexpr std::string_view kComma = ",\n"; // between two jobs
constexpr std::string_view kTail = "\n  ]\n}\n";
constexpr std::string_view kAbout = ", \"about\": \"selected anew ";
constexpr std::string_view kOnce = " time\"}", kTimes = " times\"}";

// The largest count that the file can hold.
constexpr std::uint64_t kMaxTimes = std::numeric_limits<std::int64_t>::max();

// Removes `wanted` from the front of `text`; false if `text` does not begin with it.
bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

// Removes a quoted text without characters that JSON must escape from the front of `text`.
bool take_quoted(std::string_view& text) {
  if (!take(text, "\"")) return false;
  const std::size_t end = text.find('"');
  if (end == std::string_view::npos || !is_plain(text.substr(0, end))) return false;
  text.remove_prefix(end + 1);
  return true;
}

// True if `text` has the form that job_text makes.
bool is_job(std::string_view text) {
  if (!take(text, "    {\"kernel\": ") || !take_quoted(text)) return false;
  if (!take(text, ", \"shapes\": [") || !take_quoted(text)) return false;
  if (!take(text, "], \"dtypes\": [") || !take_quoted(text) || !take(text, "]")) return false;
  if (text.empty()) return true;
  if (!take(text, ", \"flags\": {")) return false;
  do {
    if (!take_quoted(text) || !take(text, ": ") || !take_quoted(text)) return false;
  } while (take(text, ", "));
  return text == "}";
}

std::string line_of(const std::string& job, std::uint64_t times) {
  return fmt::format("{}{}{}{}", job, kAbout, times, times == 1 ? kOnce : kTimes);
}

// Removes the line of a job, without the comma, from the front of `text`, and adds its count to `counts`. Returns false
// if `text` does not begin with such a line.
bool take_line(std::string_view& text, MissCounts& counts) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t about = line.rfind(kAbout);
  if (about == line.npos || !is_job(line.substr(0, about))) return false;
  std::string_view rest = line.substr(about + kAbout.size());
  const std::string_view number = rest.substr(0, rest.find(' '));
  rest.remove_prefix(number.size());
  std::int64_t count = 0;
  if (parse_integer(number, count) != IntegerError::none || count <= 0) return false;
  if (!take(rest, kOnce) && !take(rest, kTimes)) return false;
  add_times(counts, std::string(line.substr(0, about)), static_cast<std::uint64_t>(count));
  text.remove_prefix(line.size() - rest.size());
  return true;
}

std::string format_misses(const MissCounts& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> jobs(counts.begin(), counts.end());
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text(kHead);
  text.append("that were not tuned; ").append(kHeadEnd);
  for (std::size_t i = 0; i < jobs.size() && i < kMaxJobs; ++i) {
    const std::string line = line_of(jobs[i].first, jobs[i].second);
    if (text.size() + line.size() > kMaxBytes) break;
    if (i > 0) text += kComma;
    text += line;
  }
  return text.append(kTail);
}

tl::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return fail(ErrorKind::bad_input,
              fmt::format("cannot write the untuned shapes to {}: {}; name another file with WARPTUNE_MISSES or "
                          "wt_write_misses",
                          path.string(), std::strerror(error)));
}

// Serialises processes that write at the same time, so that each sees the changes of the one before it. If the folder
// cannot be locked, concurrent changes may be lost.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~FolderLock() {
    if (folder_) static_cast<void>(::flock(folder_.get(), LOCK_UN)); // even if a forked child holds a copy of it
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  void wait() const {
    while (folder_ && ::flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) { // by a signal's handler
    }
  }
  // For a thread that must not wait for a stopped process: false if another process keeps the lock.
  bool try_for_a_moment() const {
    for (int attempt = 0; folder_ && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
      if (errno != EWOULDBLOCK && errno != EINTR) return true; // the file system has no locks
      if (attempt == 50) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  const Descriptor folder_;
};

// Whatever the umask of the application is, everyone may read the file.
constexpr mode_t kMode = 0644;

Result<void> replace_misses(const fs::path& path, const MissCounts& counts) {
  NewFile made(path, kMode);
  if (made && made.write(format_misses(counts)) && made.set_mode(kMode) && made.finish(Flush::no) &&
      made.become_target())
    return {};
  return cannot_write(path, errno);
}

// Overwrites the end of the file with `jobs` and the end, in one call. A process that dies meanwhile leaves the old
// file, the new file or, rarely, an incomplete line, which parse_misses accepts.
Result<void> extend_file(const fs::path& path, const std::string& jobs) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return cannot_write(path, errno);
  const std::string before(kTail), text = jobs + before;
  const off_t size = status.st_size, at = size - static_cast<off_t>(before.size());
  const ssize_t written = ::pwrite(file.get(), text.data(), text.size(), at);
  if (written != static_cast<ssize_t>(text.size())) {
    int error = written < 0 ? errno : ENOSPC;
    // Restore the old end, which still fits.
    if (::pwrite(file.get(), before.data(), before.size(), at) < 0 || ::ftruncate(file.get(), size) != 0) error = errno;
    return cannot_write(path, error);
  }
  if (!file.close()) return cannot_write(path, errno);
  return {};
}

// Returns no counts if there is no file.
Result<MissesText> read_misses(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) return MissesText{};
  if (!fs::is_regular_file(status))
    return fail(ErrorKind::bad_input,
                fmt::format("the untuned shapes cannot be written to {}: it is not a file; name one with "
                            "WARPTUNE_MISSES or wt_write_misses",
                            path.string()));
  if (fs::file_size(path, ignored) > 4 * kMaxBytes) return parse_misses("", path.string());
  const auto text = read_file(path);
  if (!text) // without this check, the part that was read would look like a cut file
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the untuned shapes in {}: {}; name another file with WARPTUNE_MISSES or "
                            "wt_write_misses",
                            path.string(), std::strerror(text.error())));
  return parse_misses(*text, path.string());
}

} // namespace

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
}

void add_times(MissCounts& counts, const std::string& job, std::uint64_t times) {
  std::uint64_t& count = counts[job]; // both are at most kMaxTimes: the sum does not overflow
  count = std::min(count + times, kMaxTimes);
}

Result<MissesText> parse_misses(std::string_view text, const std::string& origin) {
  const auto refuse = [&] {
    return fail(ErrorKind::bad_input, fmt::format("{} was not written by this library and is left unchanged; name "
                                                  "another file with WARPTUNE_MISSES or wt_write_misses",
                                                  origin));
  };
  const std::size_t head_end = text.substr(0, text.find(kHeadEnd)).size();
  if (!text.starts_with(kHead) || head_end == text.size() ||
      text.substr(0, head_end).find('\n', kHead.size()) != text.npos)
    return refuse();
  text.remove_prefix(head_end + kHeadEnd.size());
  MissesText found;
  bool is_last = false;
  while (!is_last && take_line(text, found.counts)) is_last = !take(text, kComma);
  found.is_cut = !is_last || text != kTail;
  // An interrupted write leaves an incomplete line without its end, or characters of the old or the new kTail.
  const bool is_rest_of_write = text.find('\n') == text.npos || text.find_first_not_of(",\n ]}") == text.npos;
  if (found.is_cut && !is_rest_of_write) return refuse();
  return found;
}

Result<void> merge_misses(const fs::path& given, MissCounts counts) {
  const bool missed = !counts.empty();
  std::error_code ignored;
  const fs::path path = fs::absolute(given, ignored);
  const FolderLock folder(path.parent_path());
  folder.wait();
  WT_TRY(const MissesText before, read_misses(path));
  for (const auto& [job, count] : before.counts) add_times(counts, job, count);
  if (!missed) return {};
  return replace_misses(path, counts);
}

Result<bool> MissesFile::read(const fs::path& path) {
  const FileStamp now = stamp_of(path); // taken before reading, so that changes made meanwhile are read again
  if (now == stamp_ && now != FileStamp{}) return false;
  WT_TRY(const MissesText found, read_misses(path));
  listed_.clear();
  for (const auto& [job, count] : found.counts) listed_.insert(job);
  stamp_ = found.is_cut ? FileStamp{} : now; // a repair that fails is tried again
  // Without jobs, there is nothing to keep: `append` replaces the file.
  if (!found.is_cut || listed_.empty()) return found.is_cut;
  WT_CHECK(replace_misses(path, found.counts));
  stamp_ = stamp_of(path);
  return true;
}

Result<MissesFile::Appended> MissesFile::append(const fs::path& path, const std::vector<std::string>& jobs) {
  Appended done;
  const FolderLock folder(path.parent_path());
  if (!folder.try_for_a_moment()) return done;
  WT_TRY(done.is_repaired, read(path));
  MissCounts counts;
  std::string text;
  for (const std::string& job : jobs) {
    const std::string line = line_of(job, 1);
    if (holds(job) || counts.count(job) != 0) continue;
    if (listed_.size() + done.jobs.size() >= kMaxJobs || stamp_.size + text.size() + line.size() > kMaxBytes) break;
    text.append(kComma).append(line);
    counts.emplace(job, 1);
    done.jobs.push_back(job);
  }
  if (done.jobs.empty()) return done;
  WT_CHECK(listed_.empty() ? replace_misses(path, counts) : extend_file(path, text));
  listed_.insert(done.jobs.begin(), done.jobs.end());
  stamp_ = stamp_of(path);
  return done;
}

} // namespace warptune
