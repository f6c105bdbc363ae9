#include "tuner/recheck.h"

#include "core/device.h"
#include "core/units.h"
#include "db/tuned_entries.h"
#include "tuner/final_device.h"
#include "tuner/finals.h"
#include "tuner/recheck_judgement.h"
#include "tuner/winner_checks.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace warptune {
namespace {

std::string status_words(TrialStatus status) {
  std::string words(status_name(status));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

struct Outcome {
  TrialStatus status = TrialStatus::ok;
  std::string evidence;
};

// The outcome for a configuration whose task was not answered as expected.
Outcome no_answer(const CallOutcome& answer) {
  if (!answer) return {status_of(answer.error()), answer.error().evidence};
  const auto* error = std::get_if<Error>(&*answer);
  return {TrialStatus::launch_failed, error ? error->message : "the worker gave an unexpected reply"};
}

class Recheck {
 public:
  Recheck(DeviceWorker& device, const BestRecord& row, ProblemSetup setup, Config config, const RecheckOptions& options,
          const std::atomic<bool>& stop)
      : row_(row), setup_(std::move(setup)), config_(std::move(config)), options_(options), stop_(stop),
        device_(device) {
    device_.assign(setup_, options.evaluate_timeout_s);
  }

  Result<std::optional<Rechecked>> run(const std::string& source_hash_now) {
    WT_TRY(auto info, device_.describe());
    info_ = std::move(info);
    if (info_.name != row_.device_name)
      return fail(ErrorKind::bad_input,
                  fmt::format("the result is from {}, but the device {} is {}; choose a device of the result's model",
                              row_.device_name, options_.device, info_.name));
    WT_TRY(auto check, examine());
    if (!check) return std::nullopt;
    Rechecked done{std::move(*check), info_.uuid};
    done.check.best = row_.id;
    done.check.driver = info_.driver;
    if (setup_.builders.is_allowed) info_.compiler = with_builders(info_.compiler, setup_.builders);
    done.check.compiler = info_.compiler;
    done.check.version = kVersion;
    done.check.stale = stale_text(row_, {info_.driver, info_.compiler, kVersion, source_hash_now});
    return done;
  }

 private:
  using Examined = Result<std::optional<CheckRecord>>;

  // A wrong kernel is never timed.
  Examined examine() {
    WT_TRY(auto checks, check_winner(device_, setup_, info_, config_));
    if (checks.other_sources) {
      CheckRecord check;
      check.evidence = checks.unknown_sources
                           ? "the recording does not name its sources, so they cannot be compared with those of this "
                             "result; make a new recording"
                           : "the sources of the recording differ from those of this result; make a new recording";
      return check;
    }
    if (checks.status != TrialStatus::ok) return verdict({checks.status, checks.evidence});
    if (stop_) return std::nullopt;
    WT_TRY(auto outcome, evaluate());
    if (outcome.status != TrialStatus::ok) return verdict(outcome);
    return time_again();
  }

  // Compiles, launches and verifies the configuration alone, with inputs of this run's seed, and verifies it again
  // after many launches.
  Result<Outcome> evaluate() {
    WT_TRY(auto compiled,
           device_.ask(CompileTask{config_, info_, options_.compile_timeout_s}, 2 * options_.compile_timeout_s));
    const auto* code = compiled ? std::get_if<Compiled>(&*compiled) : nullptr;
    if (!code) return no_answer(compiled);
    if (code->no_verdict) return fail(ErrorKind::internal, code->evidence);
    if (code->status != TrialStatus::ok) return Outcome{code->status, code->evidence};
    MeasureOptions measure;
    measure.cold_l2 = row_.cold_l2;
    WT_TRY(auto evaluated, device_.ask(EvaluateTask{config_, *code, measure}));
    const auto* evaluation = evaluated ? std::get_if<Evaluation>(&*evaluated) : nullptr;
    if (!evaluation) return no_answer(evaluated);
    return Outcome{evaluation->trial.status, evaluation->trial.evidence};
  }

  Examined time_again() {
    std::vector<Finalist> finalists{{-1, config_, {}, false, 0, {}, TrialStatus::ok, {}}};
    const Config standard = default_config(setup_.kernel.spec, setup_.problem, info_);
    if (standard != config_ && !check_config(setup_.kernel.spec, setup_.problem, info_, standard))
      finalists.push_back({-1, standard, {}, true, 0, {}, TrialStatus::ok, {}});
    WT_TRY(auto finals, run_finals(
                            device_, info_, finalists, options_.rounds, options_.compile_timeout_s, [](int) {}, stop_,
                            row_.cold_l2));
    if (finals.stopped) return std::nullopt;
    const Finalist& winner = finalists.front();
    if (winner.status != TrialStatus::ok) return verdict({winner.status, winner.evidence});
    // Times of a throttling device do not show whether the result still holds.
    if (finals.kept_throttled)
      for (Finalist& f : finalists) f.samples_us.clear();
    const std::vector<FinalRound> rounds = stored_rounds(finals, winner, nullptr, nullptr);
    NewTimes times{winner.samples_us, {}, rounds};
    const bool has_default = finalists.size() > 1 && finalists[1].status == TrialStatus::ok;
    if (has_default) times.standard_us = finalists[1].samples_us;
    CheckRecord check = judge_times(row_, times, options_.tolerance);
    if (finals.throttled > 0)
      check.evidence +=
          fmt::format("; {} {} discarded because the device throttled ({})", count_text(finals.throttled, "round"),
                      finals.throttled == 1 ? "was" : "were", throttle_text(finals.fault_reasons));
    if (finalists.size() > 1 && !has_default) check.evidence += "; the default did not run: " + finalists[1].evidence;
    return check;
  }

  CheckRecord verdict(const Outcome& outcome) const {
    CheckRecord check;
    check.evidence = fmt::format("{}: {}", status_words(outcome.status), outcome.evidence);
    // A recording cannot judge a configuration that it lacks.
    if (is_recorded_device(info_.backend) && outcome.status == TrialStatus::invalid) return check;
    const bool wrong = outcome.status == TrialStatus::wrong_result || outcome.status == TrialStatus::unstable;
    check.status = wrong ? CheckStatus::wrong : CheckStatus::failed;
    return check;
  }

  const BestRecord& row_;
  const ProblemSetup setup_;
  const Config config_;
  const RecheckOptions& options_;
  const std::atomic<bool>& stop_;
  DeviceWorker& device_;
  DeviceInfo info_;
};

} // namespace

Result<std::optional<Rechecked>> recheck(DeviceWorker& device, const BestRecord& row, const Kernel& kernel,
                                         const std::string& source_hash_now, const RecheckOptions& options,
                                         const std::atomic<bool>& stop) {
  StoredValues stored(kernel.spec);
  WT_TRY(auto values, tuned_values(row, stored));
  Builders builders = builders_of(row.compiler); // the cubin of the result is stored under these versions
  if (options.allow_build && !is_recorded_device(options.device) && kernel.spec.implementation(values.config).build) {
    WT_TRY(auto found, find_builders(kernel, &stop));
    builders = std::move(found);
  }
  return Recheck(device, row, {kernel, std::move(values.problem), options.seed, std::move(builders)},
                 std::move(values.config), options, stop)
      .run(source_hash_now);
}

} // namespace warptune
