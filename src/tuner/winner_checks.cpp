#include "tuner/winner_checks.h"

#include "core/device.h"
#include "core/units.h"
#include "recording/replay_backend.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace warptune {
namespace {

constexpr int kFurtherSeeds = 2;
// Subtracted from every dim of the tuned shape if no shape of the suite can be used: odd numbers first, then multiples
// of the widths of vector loads and tiles.
constexpr std::int64_t kShortened[] = {1, 3, 4, 8, 24, 40, 72};

// A library chooses an algorithm for each shape anew, so other shapes prove nothing about the algorithm that was tuned.
bool is_only_library_calls(const ProblemSetup& setup, const Config& config) {
  return setup.kernel.spec.implementation(config).source.empty();
}

bool is_valid(const ProblemSetup& setup, const DeviceInfo& info, const Config& config, const Result<Problem>& problem) {
  return problem && *problem != setup.problem && !check_config(setup.kernel.spec, *problem, info, config);
}

// The suite's shapes on which the configuration is valid, else the first shortened one, else none. None for library
// calls.
std::vector<Problem> ragged_problems(const ProblemSetup& setup, const DeviceInfo& info, const Config& config) {
  const KernelSpec& spec = setup.kernel.spec;
  const Problem& tuned = setup.problem;
  std::vector<Problem> problems;
  if (is_only_library_calls(setup, config)) return problems;
  if (const auto suite = spec.suites.find("ragged"); suite != spec.suites.end())
    for (const SuiteEntry& entry : suite->second)
      if (auto problem = suite_problem(spec, entry, tuned.dtype, tuned.flags);
          problem && is_valid(setup, info, config, *problem))
        problems.push_back(std::move(*problem));
  for (const std::int64_t less : kShortened) {
    if (!problems.empty()) break;
    Shape shape = tuned.dims;
    for (std::int64_t& dim : shape)
      if (dim > less) dim -= less;
    make_lists_exist(spec, shape);
    if (auto problem = make_problem(spec, shape, tuned.dtype, tuned.flags); is_valid(setup, info, config, problem))
      problems.push_back(std::move(*problem));
  }
  return problems;
}

struct Checker {
  DeviceWorker& device;
  const ProblemSetup& setup;
  const Config& config;
  WinnerChecks result;
  bool recorded = false;
  std::string impossible; // why a check was not possible

  // Returns true if the check was made and passed. A failure is in result.status.
  Result<bool> passes(const Problem& problem, std::uint64_t seed) {
    WT_TRY(auto answer, device.ask(CheckTask{config, problem, seed}));
    const std::string where = fmt::format("checked as the winner (seed {}, {}): ", seed,
                                          short_problem(problem_key(setup.kernel.spec, problem)));
    if (!answer) {
      const WorkerFailure& failure = answer.error();
      result.status = status_of(failure);
      result.evidence = where + failure.evidence;
      return false;
    }
    if (const auto* error = std::get_if<Error>(&*answer)) {
      impossible = error->message;
      return false;
    }
    const auto* verdict = std::get_if<Verdict>(&*answer);
    result.unknown_sources |= verdict && verdict->detail == kRecordedOfUnknownSources;
    result.other_sources |= result.unknown_sources || (verdict && verdict->detail == kRecordedOfOtherSources);
    if (verdict && verdict->correct) {
      recorded |= verdict->detail == kRecorded;
      return true;
    }
    result.status = TrialStatus::wrong_result;
    result.evidence = where + (verdict ? verdict->detail : std::string("unexpected reply"));
    return false;
  }
};

} // namespace

Result<WinnerChecks> check_winner(DeviceWorker& device, const ProblemSetup& setup, const DeviceInfo& info,
                                  const Config& config) {
  Checker checker{device, setup, config, {}, false, {}};
  int seeds = 0, shapes = 0;
  // A recording answers every check alike, and each refused check replaces its process, so one check is enough.
  const bool is_recorded = is_recorded_device(info.backend);
  for (int i = 1; i <= (is_recorded ? 1 : kFurtherSeeds); ++i) {
    WT_TRY(auto passed, checker.passes(setup.problem, setup.seed + static_cast<std::uint64_t>(i)));
    if (checker.result.status != TrialStatus::ok) return checker.result;
    seeds += passed;
  }
  std::string shapes_text;
  const std::vector<Problem> ragged = is_recorded ? std::vector<Problem>() : ragged_problems(setup, info, config);
  for (const Problem& problem : ragged) {
    WT_TRY(auto passed, checker.passes(problem, setup.seed));
    if (checker.result.status != TrialStatus::ok) return checker.result;
    shapes += passed;
    if (passed)
      shapes_text += (shapes_text.empty() ? "" : ", ") + short_problem(problem_key(setup.kernel.spec, problem));
  }
  std::string& summary = checker.result.summary;
  if (checker.result.other_sources) {
    summary = std::string("not checked: the times and verdicts come from a recording ") +
              (checker.result.unknown_sources ? "that does not name the sources of the kernel"
                                              : "made from different sources of the kernel");
    return checker.result;
  }
  if (checker.recorded) {
    summary = "correct when recorded; a recorded device cannot check other data";
    return checker.result;
  }
  if (seeds == 0 && shapes == 0) {
    summary = fmt::format("could not be checked further: {}",
                          checker.impossible.empty() ? "no check was possible" : checker.impossible);
    return checker.result;
  }
  summary = fmt::format("correct with {}", count_text(seeds, "further seed"));
  if (shapes > 0)
    summary += fmt::format(" and on {} ragged shape{} ({})", shapes, shapes == 1 ? "" : "s", shapes_text);
  else if (ragged.empty())
    summary += is_only_library_calls(setup, config)
                   ? "; no ragged shape was checked, because the library may use another algorithm there"
                   : "; no ragged shape was checked, because the configuration is not valid for any";
  if (!checker.impossible.empty()) summary += fmt::format("; another check was not possible: {}", checker.impossible);
  return checker.result;
}

} // namespace warptune
