#include "tuner/recording.h"

#include "warptune/build_config.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace warptune {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPeek = 2048;                      // bytes; kernel and problem stand at the beginning of a file
constexpr std::size_t kLargest = std::size_t{256} << 20; // bytes; a hundred times the largest sweep
constexpr std::size_t kListed = 12;                      // recordings named in an error

Result<std::string> read_text(const fs::path& file, std::size_t limit = std::string::npos) {
  std::error_code ec;
  if (fs::is_directory(file, ec))
    return fail(ErrorKind::bad_input, fmt::format("{} is a directory, not a recording", file.string()));
  // A pipe would be waited for, and a device may never end.
  if (fs::exists(file, ec) && !fs::is_regular_file(file, ec))
    return fail(ErrorKind::bad_input,
                fmt::format("{} is a pipe, a socket or a device, not a recording; give a file or a directory of "
                            "recordings",
                            file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the recording {}: {}; give a file or a directory of recordings", file.string(),
                            std::strerror(errno)));
  std::string text;
  char chunk[65536];
  while (text.size() < limit && (in.read(chunk, sizeof chunk) || in.gcount() > 0))
    if (text.append(chunk, static_cast<std::size_t>(in.gcount())).size() > kLargest)
      return fail(ErrorKind::bad_input, fmt::format("{} is larger than {} MiB, as no recording is; give another file",
                                                    file.string(), kLargest >> 20));
  if (in.bad())
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the recording {}: {}", file.string(), std::strerror(errno)));
  return text;
}

// A file, or the *.json of a directory in the order of their names.
std::vector<fs::path> recording_files(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_directory(path, ec)) return {path};
  std::vector<fs::path> files;
  for (fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".json") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

bool peek_matches(const fs::path& file, const std::string& kernel, const std::string& problem) {
  const auto head = read_text(file, kPeek);
  return head && head->find(fmt::format("\"kernel\":\"{}\"", kernel)) != std::string::npos &&
         head->find(fmt::format("\"problem\":\"{}\"", problem)) != std::string::npos;
}

// "rows=32,cols=64;bf16;log=0" -> the numbers of its dims, and the rest. The spec is not needed to compare two keys.
struct KeyParts {
  std::vector<double> dims;
  std::string rest;
};

KeyParts key_parts(std::string_view key) {
  KeyParts parts;
  const std::size_t semicolon = std::min(key.find(';'), key.size());
  parts.rest = key.substr(semicolon);
  std::string_view dims = key.substr(0, semicolon);
  while (!dims.empty()) {
    const std::size_t comma = std::min(dims.find(','), dims.size());
    const std::string_view item = dims.substr(0, comma);
    const std::size_t equals = item.find('=');
    std::int64_t value = 0;
    if (equals != std::string_view::npos) std::from_chars(item.data() + equals + 1, item.data() + item.size(), value);
    parts.dims.push_back(static_cast<double>(std::max<std::int64_t>(value, 1)));
    dims.remove_prefix(std::min(comma + 1, dims.size()));
  }
  return parts;
}

double distance(const std::string& a, const std::string& b) {
  const KeyParts x = key_parts(a), y = key_parts(b);
  if (x.dims.size() != y.dims.size()) return 1e9;
  double sum = x.rest == y.rest ? 0 : 1e6; // another dtype or flag is farther than any shape
  for (std::size_t i = 0; i < x.dims.size(); ++i) sum += std::abs(std::log2(x.dims[i] / y.dims[i]));
  return sum;
}

Error not_recorded(const fs::path& path, const std::string& kernel, const std::string& problem) {
  const auto all = list_recordings(path);
  std::vector<std::string> problems, kernels;
  for (const RecordingEntry& e : all) {
    if (e.kernel == kernel) problems.push_back(e.problem);
    if (std::find(kernels.begin(), kernels.end(), e.kernel) == kernels.end()) kernels.push_back(e.kernel);
  }
  const auto listed = [](std::vector<std::string> names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) text += (i ? ", " : "") + names[i];
    return names.size() > kListed ? fmt::format("{} and {} more", text, names.size() - kListed) : text;
  };
  std::string message;
  if (all.empty()) {
    message =
        fmt::format("there is no recording in {}; `warptune record` makes them on a machine with a GPU", path.string());
  } else if (problems.empty()) {
    message = fmt::format("{} holds no recording of '{}'; it has {}", path.string(), kernel, listed(kernels));
  } else {
    std::stable_sort(problems.begin(), problems.end(),
                     [&](const auto& a, const auto& b) { return distance(a, problem) < distance(b, problem); });
    message = fmt::format("{} holds no recording of {} for {}; the nearest is {}", path.string(), kernel, problem,
                          problems.front());
    if (problems.size() > 1) message += fmt::format(" (all: {})", listed(problems));
  }
  return {ErrorKind::bad_input, message};
}

} // namespace

Result<Recording> load_recording(const fs::path& file) {
  auto text = read_text(file);
  if (!text) return tl::make_unexpected(text.error());
  return parse_recording(*text, file.string());
}

Result<void> save_recording(const Recording& recording, const fs::path& file) {
  const auto bad = [&](const char* what) {
    return fail(ErrorKind::bad_input,
                fmt::format("cannot write the recording {}: {}: {}", file.string(), what, std::strerror(errno)));
  };
  for (const Trial& t : recording.trials)
    if (t.config.size() != recording.param_names.size())
      return fail(ErrorKind::internal, "a trial of the recording has another number of parameters");
  std::error_code ec;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ec);
  const std::string text = write_recording(recording);
  const fs::path temporary = file.string() + fmt::format(".{}.tmp", getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return bad("open");
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = write(fd, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  const bool written = rest.empty() && fsync(fd) == 0;
  const int error = errno;
  close(fd);
  if (!written || rename(temporary.c_str(), file.c_str()) != 0) {
    if (!written) errno = error;
    auto failure = bad("write");
    unlink(temporary.c_str());
    return failure;
  }
  return {};
}

Result<Recording> find_recording(const fs::path& path, const std::string& kernel, const std::string& problem) {
  std::error_code ec;
  if (!fs::exists(path, ec))
    return fail(ErrorKind::bad_input,
                fmt::format("no recording at {}: the file or directory does not exist", path.string()));
  if (!fs::is_directory(path, ec)) {
    auto only = load_recording(path);
    if (!only || (only->kernel == kernel && only->problem == problem)) return only;
    return tl::make_unexpected(not_recorded(path, kernel, problem));
  }
  // A damaged file does not hide a sound one of the same problem.
  std::optional<Error> damaged;
  for (const fs::path& file : recording_files(path)) {
    if (!peek_matches(file, kernel, problem)) continue;
    auto found = load_recording(file);
    if (found && found->kernel == kernel && found->problem == problem) return found;
    if (!found && !damaged) damaged = found.error();
  }
  for (const RecordingEntry& e : list_recordings(path)) // formatted by somebody else's JSON writer
    if (e.kernel == kernel && e.problem == problem) return load_recording(e.file);
  if (damaged) return tl::make_unexpected(*damaged);
  Error missing = not_recorded(path, kernel, problem);
  for (const fs::path& file : recording_files(path))
    if (auto r = load_recording(file); !r) {
      missing.message += fmt::format("; what cannot be read there was left out, such as {}", r.error().message);
      break;
    }
  return tl::make_unexpected(std::move(missing));
}

std::vector<RecordingEntry> list_recordings(const fs::path& path) {
  std::vector<RecordingEntry> entries;
  for (const fs::path& file : recording_files(path))
    if (auto r = load_recording(file)) entries.push_back({file, r->kernel, r->problem, r->device.name});
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.kernel, a.problem, a.file) < std::tie(b.kernel, b.problem, b.file);
  });
  return entries;
}

fs::path recordings_directory() {
  std::error_code ec;
  if (const char* given = std::getenv("WARPTUNE_RECORDINGS"); given && *given) return given;
  const fs::path exe = fs::read_symlink("/proc/self/exe", ec);
  if (!ec) {
    const fs::path installed = exe.parent_path().parent_path() / "share/warptune/recordings";
    if (fs::is_directory(installed, ec)) return installed;
  }
  const fs::path source = fs::path(kSourceDir) / "recordings";
  if (*kSourceDir && fs::is_directory(source, ec)) return source;
  return "recordings";
}

} // namespace warptune
