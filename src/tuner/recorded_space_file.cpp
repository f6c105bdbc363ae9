#include "tuner/recorded_space_file.h"

#include "interchange/gzip.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/recorded_row.h"
#include "interchange/t4_results.h"
#include "tuner/text_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kWhat = "recorded space";

Result<RecordedSpace> parse(std::string& text, const fs::path& file) {
  // Which of the three it is shows in the keys at its beginning.
  constexpr std::size_t kHead = 4096;
  const std::string_view head = std::string_view(text).substr(0, kHead);
  Result<RecordedSpace> space;
  if (head.find("\"warptune recording\"") != std::string_view::npos) {
    auto recording = parse_recording(text, file.string());
    if (!recording) return tl::make_unexpected(recording.error());
    space = space_of(*recording);
  } else if (head.find("\"tune_params") != std::string_view::npos || head.find("\"cache\"") != std::string_view::npos) {
    space = read_kernel_tuner_cache(text);
  } else if (head.find("\"results\"") != std::string_view::npos) {
    space = read_t4_results(text);
  } else {
    space = fail(ErrorKind::bad_input, "it is no recorded space: no Kernel Tuner cache ('tune_params', 'cache'), no T4 "
                                       "file ('results'), no recording of warptune");
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
  auto text = read_plain_text(file, kWhat, truncated);
  if (!text) return tl::make_unexpected(text.error());
  auto space = parse(*text, file);
  if (!space) return space;
  space->name = space_name(file);
  if (truncated) space->notes.emplace_back("the compressed file has no end");
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
      return fail(ErrorKind::bad_input, fmt::format("{} holds no file that ends in .json or .json.gz", path));
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

Result<RecordedSpace> space_of(const Recording& recording) {
  RecordedSpaceBuilder builder;
  builder.header.kernel = recording.kernel;
  builder.header.device = recording.device.name;
  builder.header.format = "warptune recording";
  builder.header.tuner = "warptune";
  builder.header.problem = json_text(recording.problem);
  for (const std::string& name : recording.param_names)
    if (auto added = builder.add_param(name); !added) return tl::make_unexpected(added.error());
  for (const Trial& trial : recording.trials) {
    RecordedRow row;
    row.begin(builder.param_count());
    for (std::size_t p = 0; p < trial.config.size(); ++p)
      row.set(static_cast<int>(p),
              builder.value(static_cast<int>(p), {ParamLabel::Kind::integer, std::to_string(trial.config[p])}));
    if (trial.status != TrialStatus::ok) row.failure = trial.status;
    row.outcome.compile_ms = trial.compile_ms;
    row.outcome.verify_ms = trial.verify_ms;
    row.outcome.benchmark_ms = trial.measure_ms;
    row.outcome.timestamp = recording.recorded_at;
    if (trial.timing) {
      row.outcome.time_ms = trial.timing->median_us * 1e-3;
      for (const float sample : trial.timing->samples_us)
        row.outcome.samples_ms.push_back(static_cast<double>(sample) * 1e-3);
    }
    if (auto added = row.add_to(builder); !added) return tl::make_unexpected(added.error());
  }
  builder.order_values();
  return builder.finish();
}

} // namespace warptune
