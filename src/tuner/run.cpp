#include "tuner/run.h"

#include "spec/config.h"
#include "worker/device_worker.h"

#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr double kCompileTimeout = 120, kEvaluateTimeout = 60; // seconds

Error no_answer(const CallOutcome& outcome, const std::string& what) {
  if (!outcome) return {ErrorKind::no_candidate, fmt::format("{} failed: {}", what, outcome.error().evidence)};
  if (const auto* error = std::get_if<Error>(&*outcome)) return *error;
  return {ErrorKind::internal, fmt::format("{} failed: the worker gave an unexpected reply", what)};
}

} // namespace

Result<RunReport> run_selected(const Kernel& kernel, const Problem& problem, const Config& config,
                               const RunOptions& options) {
  RunReport report;
  DeviceWorker worker({{}, options.device, options.cache.string()}, {kernel, problem, 0}, kEvaluateTimeout);
  auto info = worker.describe();
  if (!info) return tl::make_unexpected(info.error());
  report.device = std::move(*info);
  if (!report.device.roofs.measured)
    if (auto roofs = worker.measure_roofs()) report.device.roofs = *roofs;
  auto cost = estimate_cost(kernel.spec, problem, report.device);
  if (!cost) return tl::make_unexpected(cost.error());
  report.cost = std::move(*cost);
  const std::string what = fmt::format("{} with {}", kernel.spec.name, config_text(kernel.spec, config));

  auto compiled = worker.ask(CompileTask{config, report.device, kCompileTimeout}, 2 * kCompileTimeout);
  if (!compiled) return tl::make_unexpected(compiled.error());
  const auto* code = *compiled ? std::get_if<Compiled>(&**compiled) : nullptr;
  if (!code) return tl::make_unexpected(no_answer(*compiled, "compiling " + what));
  if (code->status != TrialStatus::ok)
    return fail(ErrorKind::no_candidate,
                fmt::format("compiling {}: {}: {}", what, status_name(code->status), code->evidence));

  MeasureOptions measure;
  measure.cold_l2 = options.cold_l2;
  auto evaluated = worker.ask(EvaluateTask{config, *code, measure});
  if (!evaluated) return tl::make_unexpected(evaluated.error());
  const auto* evaluation = *evaluated ? std::get_if<Evaluation>(&**evaluated) : nullptr;
  if (!evaluation) return tl::make_unexpected(no_answer(*evaluated, "running " + what));
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
    auto counted = worker.ask(ProfileTask{{config}, {*code}, options.metrics, options.cold_l2});
    if (!counted) return tl::make_unexpected(counted.error());
    const auto* profiles = *counted ? std::get_if<Profiles>(&**counted) : nullptr;
    if (!profiles) return tl::make_unexpected(no_answer(*counted, "counting " + what));
    if (!profiles->profiles.empty()) report.profile = profiles->profiles.front();
    report.no_counters = !profiles->unavailable.empty() || profiles->evidence.empty() ? profiles->unavailable
                                                                                      : profiles->evidence.front();
  }
  return report;
}

} // namespace warptune
