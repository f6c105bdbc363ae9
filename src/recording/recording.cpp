#include "recording/recording.h"

#include "recording/recording_checksum.h"
#include "recording/recording_format.h"
#include "spec/problem_options.h"
#include "system/text_file.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace warptune {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kWhat = "recording";
constexpr std::size_t kPeek = 65536;                // bytes; kernel and problem are at the beginning of a file
constexpr std::size_t kKernels = 12, kProblems = 3; // named in an error

// The file itself, or the *.json files of a directory, sorted by name.
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
  const auto head = read_beginning(file, kWhat, kPeek + problem.size());
  return head && head->find(fmt::format("\"kernel\":\"{}\"", kernel)) != std::string::npos &&
         head->find(fmt::format("\"problem\":\"{}\"", problem)) != std::string::npos;
}

// "rows=32,cols=64;bf16;log=0" -> the numbers of its dims, and the rest. Comparing two keys needs no spec.
struct KeyParts {
  std::vector<double> dims;
  std::string rest;
};

KeyParts key_parts(std::string_view key) {
  KeyParts parts;
  const std::size_t semicolon = std::min(key.find(';'), key.size());
  parts.rest = key.substr(semicolon);
  const auto add = [&](std::int64_t value) {
    parts.dims.push_back(static_cast<double>(std::max<std::int64_t>(value, 1)));
  };
  for (const std::string_view item : split_sizes(key.substr(0, semicolon))) {
    const std::string_view text = item.substr(std::min(item.find('=') + 1, item.size()));
    std::int64_t value = 0;
    if (const auto list = parse_size_list(text)) {
      const ListNumbers numbers = list->numbers();
      for (const std::int64_t number : {numbers.count, numbers.sum, numbers.max, numbers.min}) add(number);
    } else {
      std::from_chars(text.data(), text.data() + text.size(), value);
      add(value);
    }
  }
  return parts;
}

double distance(const std::string& a, const std::string& b) {
  const KeyParts x = key_parts(a), y = key_parts(b);
  if (x.dims.size() != y.dims.size()) return 1e9;
  double sum = x.rest == y.rest ? 0 : 1e6; // a different dtype or flag outweighs every difference in shape
  for (std::size_t i = 0; i < x.dims.size(); ++i) sum += std::abs(std::log2(x.dims[i] / y.dims[i]));
  return sum;
}

// The value of a member that follows `before` in the form of write_recording; empty if it is not there, or is escaped.
std::string_view member_after(std::string_view text, std::string_view before, std::string_view name) {
  const std::size_t from = text.find(before);
  if (from == std::string_view::npos) return {};
  const std::string member = fmt::format("\"{}\":\"", name);
  const std::size_t at = text.find(member, from);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + member.size());
  const std::string_view value = rest.substr(0, rest.find_first_of("\"\\"));
  return value.size() < rest.size() && rest[value.size()] == '"' ? value : std::string_view();
}

// What the beginning of a recording says. A checksum that holds replaces a look at its columns, which takes most of the
// time. nullopt: no checksum, or another form.
std::optional<RecordingEntry> peek_entry(const fs::path& file, const std::string& text) {
  const std::string begin =
      fmt::format("{{\"type\":\"{}\",\"format\":{},\"kernel\":", recording_format::kType, recording_format::kFormat);
  if (!text.starts_with(begin)) return std::nullopt;
  const std::string_view head = std::string_view(text).substr(0, kPeek);
  const std::string_view kernel = member_after(head, "{", "kernel"), problem = member_after(head, "{", "problem"),
                         device = member_after(head, "\"device\":{", "name");
  if (kernel.empty() || problem.empty() || device.empty() || checksum_of(text) != Checksum::holds) return std::nullopt;
  return RecordingEntry{file, std::string(kernel), std::string(problem), std::string(device)};
}

struct Listing {
  std::vector<RecordingEntry> entries;
  std::optional<Error> unreadable; // of the first file that is no recording
};

Listing list_all(const fs::path& path) {
  Listing listing;
  for (const fs::path& file : recording_files(path)) {
    const auto text = read_text_file(file, kWhat, kMaxRecordingBytes);
    auto entry = text ? peek_entry(file, *text) : std::nullopt;
    if (text && !entry) {
      const auto parsed = parse_recording(*text, file.string());
      if (parsed) entry = RecordingEntry{file, parsed->kernel, parsed->problem, parsed->device.name};
      if (!parsed && !listing.unreadable) listing.unreadable = parsed.error();
    }
    if (!text && !listing.unreadable) listing.unreadable = text.error();
    if (entry) listing.entries.push_back(std::move(*entry));
  }
  std::sort(listing.entries.begin(), listing.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.kernel, a.problem, a.file) < std::tie(b.kernel, b.problem, b.file);
  });
  return listing;
}

Error not_recorded(const fs::path& path, const std::vector<RecordingEntry>& all, const std::string& kernel,
                   const std::string& problem) {
  std::vector<std::string> problems, kernels;
  for (const RecordingEntry& e : all) {
    if (e.kernel == kernel) problems.push_back(e.problem);
    if (std::find(kernels.begin(), kernels.end(), e.kernel) == kernels.end()) kernels.push_back(e.kernel);
  }
  const auto listed = [](const std::vector<std::string>& names, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < std::min(names.size(), end); ++i) text += (i > begin ? ", " : "") + names[i];
    return names.size() > end ? fmt::format("{} and {} more", text, names.size() - end) : text;
  };
  std::string message;
  if (all.empty()) {
    message = fmt::format("there are no recordings in {}; `warptune record` writes recordings on a machine with a GPU",
                          path.string());
  } else if (problems.empty()) {
    message =
        fmt::format("{} contains no recording of '{}'; it has {}", path.string(), kernel, listed(kernels, 0, kKernels));
  } else {
    std::stable_sort(problems.begin(), problems.end(),
                     [&](const auto& a, const auto& b) { return distance(a, problem) < distance(b, problem); });
    message = fmt::format("{} contains no recording of {} for {}; the nearest is {}: {}", path.string(), kernel,
                          problem, problems.front(), problem_options(problems.front()));
    if (problems.size() > 1) message += fmt::format(" (then: {})", listed(problems, 1, kProblems));
  }
  return {ErrorKind::bad_input, message};
}

} // namespace

std::string origin_text(const Recording& recording) {
  const std::string& time = recording.recorded_at;
  return recording.device.name + (time.empty() ? ", measured at an unknown time" : ", " + time);
}

std::string param_text(const Recording& recording, std::size_t param, std::int64_t value) {
  const bool labelled = param < recording.param_labels.size() && !recording.param_labels[param].empty();
  return labelled ? recording.param_labels[param].at(static_cast<std::size_t>(value)) : std::to_string(value);
}

Result<Recording> load_recording(const fs::path& file) {
  WT_TRY(auto text, read_text_file(file, kWhat, kMaxRecordingBytes));
  return parse_recording(text, file.string());
}

Result<void> save_recording(const Recording& recording, const fs::path& file) {
  for (const Trial& t : recording.trials)
    if (t.config.size() != recording.param_names.size())
      return fail(ErrorKind::internal, "a trial and the recording have different numbers of parameters");
  return write_text_file(file, kWhat, write_recording(recording));
}

Result<Recording> find_recording(const fs::path& path, const std::string& kernel, const std::string& problem) {
  std::error_code ec;
  if (!fs::exists(path, ec))
    return fail(ErrorKind::bad_input,
                fmt::format("no recording at {}: the file or directory does not exist", path.string()));
  if (!fs::is_directory(path, ec)) {
    auto only = load_recording(path);
    if (!only || (only->kernel == kernel && only->problem == problem)) return only;
    return fail(not_recorded(path, list_recordings(path), kernel, problem));
  }
  // A damaged file must not hide an intact one of the same problem.
  std::optional<Error> damaged;
  for (const fs::path& file : recording_files(path)) {
    if (!peek_matches(file, kernel, problem)) continue;
    auto found = load_recording(file);
    if (found && found->kernel == kernel && found->problem == problem) return found;
    if (!found && !damaged) damaged = found.error();
  }
  const Listing all = list_all(path);
  for (const RecordingEntry& e : all.entries) // files that another JSON writer formatted
    if (e.kernel == kernel && e.problem == problem) return load_recording(e.file);
  if (damaged) return fail(*damaged);
  Error missing = not_recorded(path, all.entries, kernel, problem);
  if (all.unreadable)
    missing.message +=
        fmt::format("; some recordings in this folder could not be read; the first error: {}", all.unreadable->message);
  return fail(std::move(missing));
}

std::vector<RecordingEntry> list_recordings(const fs::path& path) { return list_all(path).entries; }

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
