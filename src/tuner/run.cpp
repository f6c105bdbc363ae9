#include "tuner/run.h"

#include "spec/config.h"
#include "worker/device_worker.h"

#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr double kCompileTimeout = 120, kEvaluateTimeout = 60; // seconds
constexpr double kWatchedTimeout = 280;                        // seconds; longer than the limit of the launch itself
constexpr double kSettle_ms = 200;                             // docs/notes/fresh-processes.md

Error no_answer(const CallOutcome& outcome, const std::string& what) {
  if (!outcome) return {ErrorKind::no_candidate, fmt::format("{} failed: {}", what, outcome.error().evidence)};
  if (const auto* error = std::get_if<Error>(&*outcome)) return *error;
  return {ErrorKind::internal, fmt::format("{} failed: the worker gave an unexpected reply", what)};
}

// A task of its own after the sampling, so that the samples are kept if a patched kernel ends the process.
void count_instructions(DeviceWorker& worker, const CountTask& task, const std::string& what, PcSamples& samples) {
  auto counted = worker.ask(task);
  auto* got = counted && *counted ? std::get_if<Samples>(&**counted) : nullptr;
  if (got != nullptr && got->samples)
    add_counts(samples, std::move(*got->samples));
  else if (got != nullptr)
    samples.no_counts = got->unavailable;
  else
    samples.no_counts =
        counted ? no_answer(*counted, "counting the instructions of " + what).message : counted.error().message;
}

} // namespace

Result<RunReport> run_selected(const Kernel& kernel, const Problem& problem, const Config& config,
                               const RunOptions& options) {
  RunReport report;
  ProblemSetup setup{kernel, problem, 0, options.builders};
  setup.line_info = options.samples;
  DeviceWorker worker({options.worker_executable, options.device, options.cache.string()}, std::move(setup),
                      kEvaluateTimeout);
  WT_TRY(auto info, worker.describe());
  report.device = std::move(info);
  if (!report.device.roofs.measured)
    if (auto roofs = worker.measure_roofs()) report.device.roofs = *roofs;
  WT_TRY(auto cost, estimate_cost(kernel.spec, problem, report.device));
  report.cost = std::move(cost);
  const std::string what = fmt::format("{} with {}", kernel.spec.name, config_text(kernel.spec, config));

  WT_TRY(auto compiled, worker.ask(CompileTask{config, report.device, kCompileTimeout}, 2 * kCompileTimeout));
  const auto* code = compiled ? std::get_if<Compiled>(&*compiled) : nullptr;
  if (!code) return fail(no_answer(compiled, "compiling " + what));
  if (code->status != TrialStatus::ok)
    return fail(ErrorKind::no_candidate,
                fmt::format("compiling {}: {}: {}", what, status_name(code->status), code->evidence));

  report.cubin_hash = code->cubin_hash;
  MeasureOptions measure;
  measure.cold_l2 = options.cold_l2;
  measure.settle_ms = kSettle_ms;
  WT_TRY(auto evaluated, worker.ask(EvaluateTask{config, *code, measure}));
  const auto* evaluation = evaluated ? std::get_if<Evaluation>(&*evaluated) : nullptr;
  if (!evaluation) return fail(no_answer(evaluated, "running " + what));
  const Trial& trial = evaluation->trial;
  if (trial.status != TrialStatus::ok && trial.status != TrialStatus::wrong_result)
    return fail(ErrorKind::no_candidate,
                fmt::format("running {}: {}: {}", what, status_name(trial.status), trial.evidence));
  report.resources = trial.resources;
  if (trial.verdict) report.verdict = *trial.verdict;
  if (trial.timing) {
    report.timing = *trial.timing;
    report.roofline = roofline_point(report.cost, report.device.roofs, report.timing.median_us);
  }
  if (report.verdict.correct && !options.metrics.empty()) {
    WT_TRY(auto counted, worker.ask(ProfileTask{{config}, {*code}, options.metrics, options.cold_l2}));
    const auto* profiles = counted ? std::get_if<Profiles>(&*counted) : nullptr;
    if (!profiles) return fail(no_answer(counted, "reading the counters of " + what));
    if (!profiles->profiles.empty()) report.profile = profiles->profiles.front();
    report.no_counters = !profiles->unavailable.empty() || profiles->evidence.empty() ? profiles->unavailable
                                                                                      : profiles->evidence.front();
  }
  if (report.verdict.correct && options.samples) {
    WT_TRY(auto sampled, worker.ask(SampleTask{config, *code, report.timing.median_us, options.cold_l2}));
    auto* samples = sampled ? std::get_if<Samples>(&*sampled) : nullptr;
    if (!samples) return fail(no_answer(sampled, "sampling " + what));
    report.samples = std::move(samples->samples);
    report.no_samples = samples->unavailable;
    if (report.samples) count_instructions(worker, {config, *code}, what, *report.samples);
  }
  return report;
}

Result<void> run_bare(const Kernel& kernel, const Problem& problem, const Config& config, const RunOptions& options) {
  ProblemSetup setup{kernel, problem, 0, options.builders};
  setup.line_info = true;
  DeviceWorker worker({options.worker_executable, options.device, options.cache.string()}, std::move(setup),
                      kWatchedTimeout);
  WT_TRY(const auto info, worker.describe());
  const std::string what = fmt::format("{} with {}", kernel.spec.name, config_text(kernel.spec, config));
  WT_TRY(auto compiled, worker.ask(CompileTask{config, info, kCompileTimeout}, 2 * kCompileTimeout));
  const auto* code = compiled ? std::get_if<Compiled>(&*compiled) : nullptr;
  if (!code) return fail(no_answer(compiled, "compiling " + what));
  if (code->status != TrialStatus::ok)
    return fail(ErrorKind::no_candidate,
                fmt::format("compiling {}: {}: {}", what, status_name(code->status), code->evidence));
  WT_TRY(auto examined, worker.ask(ExamineTask{config, *code, Examination::bare}));
  const auto* verdict = examined ? std::get_if<Verdict>(&*examined) : nullptr;
  if (!verdict) return fail(no_answer(examined, "running " + what));
  if (!verdict->correct) return fail(ErrorKind::no_candidate, fmt::format("running {}: {}", what, verdict->detail));
  return {};
}

} // namespace warptune
