#include "tuner/device_check.h"

#include "spec/config.h"
#include "spec/spec_places.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace warptune {
namespace {

class DeviceChecker {
 public:
  DeviceChecker(const Kernel& kernel, const Problem& problem, const DeviceCheckOptions& options,
                const std::function<void(const Progress&)>& show)
      : kernel_(kernel), problem_(problem), options_(options), show_(show),
        device_(options.worker, {kernel, problem, options.seed, options.builders}, options.evaluate_timeout_s) {
    progress_.phase = "examining";
  }

  Result<DeviceCheck> run(const std::vector<Config>& configs, const std::atomic<bool>& stop) {
    WT_TRY(info_, device_.describe());
    const auto per_config = static_cast<std::int64_t>(examinations().size()) - 1;
    progress_.total = per_config * static_cast<std::int64_t>(configs.size());
    for (std::size_t i = 0; i < configs.size() && !stop; ++i) {
      WT_CHECK(examine_all(configs[i], stop));
      progress_.done = per_config * static_cast<std::int64_t>(i + 1);
    }
    return std::move(found_);
  }

 private:
  Result<void> examine_all(const Config& config, const std::atomic<bool>& stop) {
    WT_TRY(auto answer,
           device_.ask(CompileTask{config, info_, options_.compile_timeout_s}, 2 * options_.compile_timeout_s));
    const auto* compiled = answer ? std::get_if<Compiled>(&*answer) : nullptr;
    if (!compiled || compiled->status != TrialStatus::ok) return {}; // the compile check reports why
    for (const ExaminationName& what : examinations()) {
      if (what.what == Examination::bare || stop) continue;
      show();
      WT_TRY(const bool is_right, examine(config, *compiled, what));
      ++progress_.done;
      if (!is_right && what.what == Examination::usual) break;
    }
    return {};
  }

  // Returns false if there is a finding.
  Result<bool> examine(const Config& config, const Compiled& compiled, const ExaminationName& what) {
    WT_TRY(const auto answer, device_.ask(ExamineTask{config, compiled, what.what}));
    if (!answer) {
      const bool is_late = answer.error().kind == WorkerFailure::Kind::timed_out;
      add(config, is_late ? "hang" : "crash",
          fmt::format("{}, the launch {}: {}", what.with, is_late ? "does not finish" : "kills its process",
                      answer.error().evidence));
      return false;
    }
    if (const auto* error = std::get_if<Error>(&*answer)) {
      note(fmt::format("{}, the configuration was not examined: {}", what.with, error->message));
      return true;
    }
    const auto* verdict = std::get_if<Verdict>(&*answer);
    if (!verdict)
      return fail(ErrorKind::internal, "a device process gave an unexpected reply when it examined a configuration");
    if (verdict->correct) {
      if (!verdict->detail.empty())
        note(fmt::format("{}, the configuration was not examined: {}", what.with, verdict->detail));
      return true;
    }
    add(config, std::string(what.kind),
        fmt::format("{}, {}: {}; {}", what.with,
                    what.what == Examination::twice ? "the results differ" : "the result is wrong", verdict->detail,
                    what.remedy));
    return false;
  }

  void add(const Config& config, std::string kind, std::string sentence) {
    const Implementation& implementation = kernel_.spec.implementation(config);
    const auto plan = make_plan(kernel_.spec, problem_, config, info_);
    const bool has_launch = plan && !plan->launches.empty();
    found_.findings.push_back({std::move(kind), FindingLevel::warning,
                               place_of_kernel(kernel_.sources, implementation.source,
                                               has_launch ? plan->launches.front().name_expression : std::string()),
                               std::move(sentence), info_.arch, problem_key(kernel_.spec, problem_),
                               config_text(kernel_.spec, config)});
  }

  void note(const std::string& sentence) {
    if (std::find(found_.notes.begin(), found_.notes.end(), sentence) == found_.notes.end())
      found_.notes.push_back(sentence);
  }

  void show() {
    progress_.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (progress_.done > 0)
      progress_.eta_s = progress_.elapsed_s / static_cast<double>(progress_.done) *
                        static_cast<double>(progress_.total - progress_.done);
    show_(progress_);
  }

  const Kernel& kernel_;
  const Problem& problem_;
  const DeviceCheckOptions& options_;
  const std::function<void(const Progress&)>& show_;
  DeviceWorker device_;
  DeviceInfo info_;
  DeviceCheck found_;
  Progress progress_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

Result<DeviceCheck> check_on_device(const Kernel& kernel, const Problem& problem, const std::vector<Config>& configs,
                                    const DeviceCheckOptions& options, const std::function<void(const Progress&)>& show,
                                    const std::atomic<bool>& stop) {
  return DeviceChecker(kernel, problem, options, show).run(configs, stop);
}

} // namespace warptune
