#include "recording/recorded_space_file.h"

#include "interchange/gzip.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/t4_results.h"
#include "recording/recorded_space_recording.h"
#include "system/text_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRecordedSpace = "recorded space";

Result<RecordedSpace> parse(std::string& text, const fs::path& file) {
  // The first keys tell which of the three formats it is.
  constexpr std::size_t kHead = 4096;
  const std::string_view head = std::string_view(text).substr(0, kHead);
  Result<RecordedSpace> space;
  if (head.find("\"warptune recording\"") != std::string_view::npos) {
    WT_TRY(auto recording, parse_recording(text, file.string()));
    space = space_of(recording);
  } else if (head.find("\"tune_params") != std::string_view::npos || head.find("\"cache\"") != std::string_view::npos) {
    space = read_kernel_tuner_cache(text);
  } else if (head.find("\"results\"") != std::string_view::npos) {
    space = read_t4_results(text);
  } else {
    space = fail(ErrorKind::bad_input, "it is not a recorded space: neither a Kernel Tuner cache ('tune_params', "
                                       "'cache') nor a T4 file ('results') nor a recording of warptune");
  }
  if (!space) space.error().message = fmt::format("{}: {}", file.string(), space.error().message);
  return space;
}

} // namespace

Result<std::string> read_plain_text(const fs::path& file, std::string_view what, bool& truncated) {
  auto bytes = read_text_file(file, what, kLargestText);
  if (!bytes || !is_gzip(*bytes)) return bytes;
  auto inflated = gunzip(*bytes);
  if (!inflated) return fail(inflated.error().kind, fmt::format("{}: {}", file.string(), inflated.error().message));
  truncated = inflated->truncated;
  return std::move(inflated->text);
}

Result<RecordedSpace> load_recorded_space(const fs::path& file) {
  bool truncated = false;
  WT_TRY(auto text, read_plain_text(file, kRecordedSpace, truncated));
  auto space = parse(text, file);
  if (!space) return space;
  space->name = space_name(file);
  if (truncated) space->notes.emplace_back("the compressed file is truncated");
  return space;
}

Result<std::vector<fs::path>> find_space_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    std::error_code ec;
    if (!fs::exists(path, ec))
      return fail(ErrorKind::bad_input, fmt::format("{} does not exist; give files of recorded spaces, or folders of "
                                                    "them",
                                                    path));
    if (!fs::is_directory(path, ec)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> found;
    for (fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec)) {
      const std::string name = it->path().filename().string();
      if (name.ends_with(".json") || name.ends_with(".json.gz")) found.push_back(it->path());
    }
    if (found.empty())
      return fail(ErrorKind::bad_input, fmt::format("{} contains no file that ends in .json or .json.gz", path));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::string space_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view end : {".gz", ".json"})
    if (name.size() > end.size() && name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

} // namespace warptune
