#include "recording/recorded_params.h"

#include "core/text.h"
#include "spec/config.h"

#include <algorithm>

namespace warptune {
namespace {

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A recording holds a value of every param for every trial; ignore those of params that the trial's implementation
// lacks.
const Implementation* implementation_of(const KernelSpec& spec, const Recording& recording, const Config& config) {
  const auto choice = std::find(recording.param_names.begin(), recording.param_names.end(), kImplementation);
  if (!spec.has_choice() || choice == recording.param_names.end()) return nullptr;
  const auto at = static_cast<std::size_t>(choice - recording.param_names.begin());
  const std::string name = param_text(recording, at, config[at]);
  for (const Implementation& implementation : spec.implementations)
    if (implementation.name == name) return &implementation;
  return nullptr;
}

Result<Config> config_of(const KernelSpec& spec, const Recording& recording, const Config& config) {
  const Implementation* implementation = implementation_of(spec, recording, config);
  std::vector<NamedValue> values;
  for (std::size_t p = 0; p < config.size(); ++p) {
    const std::string& name = recording.param_names[p];
    const bool is_own = !implementation || name == kImplementation ||
                        std::any_of(implementation->params.begin(), implementation->params.end(),
                                    [&](const OwnParam& own) { return spec.params[own.index].name == name; });
    if (is_own) values.push_back({name, param_text(recording, p, config[p])});
  }
  return make_config(spec, values);
}

} // namespace

bool adopt_params(const KernelSpec& spec, Recording& recording) {
  const bool same = recording.param_names.size() == spec.params.size() &&
                    std::all_of(spec.params.begin(), spec.params.end(),
                                [&](const Param& param) { return has_name(recording.param_names, param.name); });
  const bool was_divided = std::any_of(spec.implementations.begin(), spec.implementations.end(),
                                       [](const Implementation& i) { return !i.formerly.empty(); });
  if (!same && !spec.has_choice() && !was_divided) return false;
  std::vector<Trial> known;
  for (Trial& trial : recording.trials) {
    auto config = config_of(spec, recording, trial.config);
    if (!config) continue;
    trial.config = std::move(*config);
    known.push_back(std::move(trial));
  }
  if (!same && known.empty()) return false;
  recording.trials = std::move(known);
  recording.param_names = names_of(spec.params);
  recording.param_labels.clear();
  return true;
}

Result<Problem> recorded_problem(const KernelSpec& spec, const Recording& recording) {
  return parse_problem_key(spec, recording.problem);
}

void describe_params(const KernelSpec& spec, Recording& recording) {
  recording.param_names = names_of(spec.params);
  recording.param_labels.clear();
  for (std::size_t p = 0; p < spec.params.size(); ++p) {
    const Param& param = spec.params[p];
    if (param.labels.empty()) continue;
    recording.param_labels.resize(spec.params.size());
    recording.param_labels[p] = param.labels;
    for (Trial& trial : recording.trials)
      trial.config[p] = std::find(param.values.begin(), param.values.end(), trial.config[p]) - param.values.begin();
  }
}

} // namespace warptune
