// Recorded sweeps as timing matrices, one for each kernel, dtype, flags and device: as a database of the same sweeps
// would give them. Library calls are left out, because applications launch them only if they allow it.
#pragma once

#include "jit/template_store.h"
#include "pack/measured.h"
#include "predict/timing_matrix.h"
#include "recording/recorded_params.h"
#include "recording/recording.h"

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace testing {} // namespace testing

namespace warptune::testing {

using namespace ::testing; // so that a file compiled after this one in a batch still finds testing::Test

struct RecordedVariant {
  Kernel kernel;
  DeviceInfo device;
  TimingMatrix matrix;
};

// By "kernel dtype;flags device". Returns the error of the first recording that cannot be read.
inline Result<std::map<std::string, RecordedVariant>>
recorded_matrices(const std::vector<std::filesystem::path>& recordings) {
  std::map<std::string, RecordedVariant> out;
  std::map<std::string, std::vector<std::pair<Problem, std::vector<Trial>>>> sweeps;
  for (const auto& file : recordings) {
    auto recording = load_recording(file);
    if (!recording) return tl::make_unexpected(recording.error());
    auto kernel = TemplateStore::standard().load(recording->kernel);
    if (!kernel) return tl::make_unexpected(kernel.error());
    if (!adopt_params(kernel->spec, *recording))
      return fail(ErrorKind::bad_input, file.string() + " is of a kernel with other params");
    std::erase_if(recording->trials, [&](const Trial& trial) { return kernel->spec.calls_libraries(trial.config); });
    auto problem = recorded_problem(kernel->spec, *recording);
    if (!problem) return tl::make_unexpected(problem.error());
    const std::string kind = recording->problem.substr(recording->problem.find(';') + 1);
    const std::string key = recording->kernel + " " + kind + " " + recording->device.name;
    sweeps[key].emplace_back(std::move(*problem), std::move(recording->trials));
    if (out.count(key) > 0) continue;
    RecordedVariant variant{std::move(*kernel), std::move(recording->device), {}};
    variant.matrix.device_name = variant.device.name;
    variant.matrix.arch = variant.device.arch;
    out.emplace(key, std::move(variant));
  }
  for (auto& [key, variant] : out) {
    std::map<Config, std::size_t> position;
    TimingMatrix& matrix = variant.matrix;
    for (const auto& [problem, trials] : sweeps[key]) {
      matrix.problems.push_back(problem);
      for (const Trial& trial : trials)
        if (position.emplace(trial.config, matrix.configs.size()).second) matrix.configs.push_back(trial.config);
    }
    matrix.us.assign(matrix.problems.size() * matrix.configs.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t p = 0; p < matrix.problems.size(); ++p)
      for (const Trial& trial : sweeps[key][p].second)
        if (trial.status == TrialStatus::ok && trial.timing)
          matrix.us[p * matrix.configs.size() + position[trial.config]] = trial.timing->median_us;
    matrix = canonical(matrix);
  }
  return out;
}

} // namespace warptune::testing
