#include "runtime/misses.h"

#include "core/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// A sweep takes 1 MiB and 10000 jobs; the most wanted ones come first.
constexpr std::size_t kMaxJobs = 5000;
constexpr std::size_t kMaxBytes = 1000 * 1000;

constexpr std::string_view kHead =
    "{\n"
    "  \"warptune_sweep\": 1,\n"
    "  \"about\": \"Shapes that an application selected and that were not tuned; written by "
    "libwarptune\",\n"
    "  \"jobs\": [\n";
constexpr std::string_view kTail = "  ]\n}\n";
constexpr std::string_view kAbout = ", \"about\": \"selected anew ";
constexpr std::string_view kOnce = " time\"}", kEnd = " times\"}";

// Names come from a file that anybody may have written; one that JSON would have to quote is not worth a sweep.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
}

// As many as a file can say. What an application writes many times over may say more.
constexpr std::uint64_t kMaxTimes = std::numeric_limits<std::int64_t>::max();

void add_times(std::map<std::string, std::uint64_t>& counts, const std::string& job, std::uint64_t times) {
  std::uint64_t& count = counts[job]; // neither is more than kMaxTimes: no sum wraps
  count = std::min(count + times, kMaxTimes);
}

// Takes `wanted` off the front of `text`; false: it does not begin with it.
bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

// The same for a text in quotes, with nothing in it that JSON would have to quote.
bool take_quoted(std::string_view& text) {
  if (!take(text, "\"")) return false;
  const std::size_t end = text.find('"');
  if (end == std::string_view::npos || !is_plain(text.substr(0, end))) return false;
  text.remove_prefix(end + 1);
  return true;
}

// Whether it is what job_text makes.
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

std::string job_text(const KernelSpec& spec, const Problem& problem) {
  const std::string key = problem_key(spec, problem); // "rows=1,cols=2;bf16;log=0"
  const auto parts = split(key, ';');
  std::string text = fmt::format("    {{\"kernel\": \"{}\", \"shapes\": [\"{}\"], \"dtypes\": [\"{}\"]", spec.name,
                                 parts[0], parts[1]);
  if (parts.size() < 3) return text;
  text += ", \"flags\": {";
  bool is_first = true;
  for (const std::string_view flag : split(parts[2], ',')) {
    const std::size_t equals = flag.find('=');
    text += fmt::format("{}\"{}\": \"{}\"", is_first ? "" : ", ", flag.substr(0, equals), flag.substr(equals + 1));
    is_first = false;
  }
  return text + "}";
}

std::string format_misses(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> jobs(counts.begin(), counts.end());
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text(kHead);
  for (std::size_t i = 0; i < jobs.size() && i < kMaxJobs; ++i) {
    const std::string line =
        fmt::format("{}{}{}{}", jobs[i].first, kAbout, jobs[i].second, jobs[i].second == 1 ? kOnce : kEnd);
    if (text.size() + line.size() > kMaxBytes) break;
    text += (i == 0 ? "" : ",\n") + line;
  }
  return text + "\n" + std::string(kTail);
}

tl::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return fail(ErrorKind::bad_input,
              fmt::format("cannot write the misses to {}: {}; name another file with WARPTUNE_MISSES or "
                          "wt_write_misses",
                          path.string(), std::strerror(error)));
}

// Of several processes that end together each merges what the one before it wrote. A folder that cannot be locked only
// costs that.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) static_cast<void>(::flock(descriptor_, LOCK_EX));
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

Result<void> replace_file(const fs::path& path, const std::string& text) {
  std::string temporary = path.string() + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return cannot_write(path, errno);
  std::size_t written = 0;
  int error = 0;
  while (error == 0 && written < text.size()) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count >= 0)
      written += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      error = errno;
  }
  if (error == 0 && ::fchmod(file, 0644) != 0) error = errno; // mkstemp's is for the owner alone
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return cannot_write(path, error);
}

} // namespace

void Misses::add(const KernelSpec& spec, const Problem& problem) {
  if (!is_plain(spec.name) || !is_plain(problem_key(spec, problem))) return;
  const std::string job = job_text(spec, problem);
  const std::lock_guard lock(mutex_);
  add_times(counts_, job, 1);
}

Result<std::map<std::string, std::uint64_t>> parse_misses(std::string_view text, const std::string& origin) {
  const auto refuse = [&] {
    return fail(ErrorKind::bad_input,
                fmt::format("{} holds something else than misses of this library, and is left as it "
                            "is; name another file with WARPTUNE_MISSES or wt_write_misses",
                            origin));
  };
  std::map<std::string, std::uint64_t> counts;
  if (!text.starts_with(kHead) || !text.ends_with(kTail) || text.size() < kHead.size() + kTail.size()) return refuse();
  text.remove_prefix(kHead.size());
  text.remove_suffix(kTail.size());
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with(',') != !text.empty()) return refuse(); // between jobs, and nowhere else
    if (!text.empty()) line.remove_suffix(1);
    const std::size_t about = line.rfind(kAbout);
    std::int64_t count = 0;
    const std::string_view end = line.ends_with(kOnce) ? kOnce : kEnd;
    if (about == std::string_view::npos || !line.ends_with(end) || !is_job(line.substr(0, about))) return refuse();
    std::string_view number = line.substr(about + kAbout.size());
    number.remove_suffix(end.size());
    if (parse_integer(number, count) != IntegerError::none || count <= 0) return refuse();
    add_times(counts, std::string(line.substr(0, about)), static_cast<std::uint64_t>(count));
  }
  return counts;
}

namespace {

Result<void> merge_into(const fs::path& given, std::map<std::string, std::uint64_t> counts) {
  const bool missed = !counts.empty();
  std::error_code ignored;
  const fs::path path = fs::absolute(given, ignored);
  const FolderLock folder(path.parent_path());
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return fail(ErrorKind::bad_input, fmt::format("the misses cannot be written to {}: it is not a file; name one with "
                                                  "WARPTUNE_MISSES or wt_write_misses",
                                                  path.string()));
  if (fs::exists(status)) {
    if (fs::file_size(path, ignored) > 4 * kMaxBytes) return fail(parse_misses("", path.string()).error());
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    WT_TRY(const auto before, parse_misses(text, path.string()));
    for (const auto& [job, count] : before) add_times(counts, job, count);
  }
  if (!missed) return {};
  return replace_file(path, format_misses(counts));
}

} // namespace

// Takes no memory: that may be what there is none of.
void Misses::put_back(std::map<std::string, std::uint64_t>& counts) {
  const std::lock_guard lock(mutex_);
  counts_.merge(counts);
  for (const auto& [job, count] : counts) add_times(counts_, job, count);
}

Result<void> Misses::write(const fs::path& path) {
  std::map<std::string, std::uint64_t> counts;
  {
    const std::lock_guard lock(mutex_);
    counts.swap(counts_);
  }
  try {
    auto written = merge_into(path, counts);
    if (!written) put_back(counts);
    return written;
  } catch (...) {
    put_back(counts);
    throw;
  }
}

} // namespace warptune
