#include "tuner/recorded_results.h"

#include "recording/recorded_params.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// Files as `record` names them: those of other kernels need not be read.
std::vector<fs::path> files_of(const std::string& kernel) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(recordings_directory(), error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(kernel + "__") && at->path().extension() == ".json")
      files.push_back(at->path());
  std::sort(files.begin(), files.end()); // the same hints on every machine
  return files;
}

struct Recorded {
  Recording recording;
  Problem problem;
  double likeness;
};

TunedElsewhere result_without_configs(const Recording& recording, const Problem& problem) {
  return {problem, recording.device.name, recording.device.arch, recording.source_hash, recording.cold_l2, {}};
}

} // namespace

TunedElsewhere recorded_result(const Recording& recording, const Problem& problem, const TimeModel* model) {
  TunedElsewhere result = result_without_configs(recording, problem);
  std::vector<const Trial*> trials;
  for (const Trial& trial : recording.trials)
    if (trial.status == TrialStatus::ok && trial.timing && trial.timing->median_us > 0) trials.push_back(&trial);
  const auto us = [](const Trial* trial) { return trial->timing->median_us; };
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial* a, const Trial* b) { return us(a) < us(b); });
  for (std::size_t i = 0; i < std::min(kGoodConfigs, trials.size()); ++i) {
    const Config& config = trials[i]->config;
    const double slowdown = !model                 ? 0
                            : model->knows_times() ? model->expected_log_slowdown(config)
                                                   : std::numeric_limits<double>::quiet_NaN();
    result.good.push_back({config, us(trials[i]) / us(trials.front()), slowdown});
  }
  return result;
}

std::vector<TunedElsewhere> shipped_results(const Kernel& kernel, const HintTarget& here, bool prior,
                                            std::size_t most) {
  std::vector<Recorded> found;
  for (const fs::path& file : files_of(kernel.spec.name)) {
    auto recording = load_recording(file);
    if (!recording || recording->kernel != kernel.spec.name) continue;
    auto problem = recorded_problem(kernel.spec, *recording);
    if (!problem) continue;
    const double like = likeness(result_without_configs(*recording, *problem), here);
    found.push_back({std::move(*recording), std::move(*problem), like});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Recorded& a, const Recorded& b) { return a.likeness > b.likeness; });
  std::vector<TunedElsewhere> results;
  for (auto at = found.begin(); at != found.end() && results.size() < most; ++at) {
    if (!adopt_params(kernel.spec, at->recording)) continue;
    std::optional<TimeModel> model;
    if (prior) model.emplace(kernel.spec, at->problem, at->recording.device);
    auto result = recorded_result(at->recording, at->problem, model ? &*model : nullptr);
    if (!result.good.empty()) results.push_back(std::move(result));
  }
  return results;
}

} // namespace warptune
