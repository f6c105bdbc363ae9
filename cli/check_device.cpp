#include "cli/check_device.h"

#include "cli/check_sanitizer.h"
#include "cli/config_choice.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/progress.h"
#include "spec/short_problem.h"
#include "tuner/built_candidates.h"
#include "tuner/device_check.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

// The best configuration for exactly this problem; nullopt if the problem was not tuned.
Result<std::optional<Config>> find_best(const CheckArgs& options, const Kernel& kernel, const Problem& problem,
                                        const DeviceInfo& device) {
  WT_TRY(auto reader, open_if_present(database_path(options.db)));
  if (!reader) return std::optional<Config>();
  std::vector<std::string> notes; // about other problems
  WT_TRY(const auto choice, choose_config({kernel, problem}, device, &*reader, notes, true));
  if (choice.selection.match != Match::exact) return std::optional<Config>();
  return std::optional(choice.selection.config);
}

} // namespace

std::vector<Config> configs_to_run(const CheckedProblem& checked, const std::optional<Config>& best, std::size_t more) {
  std::vector<Config> chosen;
  const auto take = [&](const Config& config) {
    if (std::find(chosen.begin(), chosen.end(), config) != chosen.end()) return false;
    chosen.push_back(config);
    return true;
  };
  for (const CheckedConfig& one : checked.check.configs)
    if (one.is_default && one.compiled.status == TrialStatus::ok) take(one.config);
  if (best) take(*best);
  for (const CheckedConfig& one : checked.check.configs)
    if (more > 0 && one.compiled.status == TrialStatus::ok && take(one.config)) --more;
  return chosen;
}

std::string why_nothing_ran(const CheckReport& report, const DeviceInfo& device) {
  bool is_checked = false, is_without_reference = false;
  for (const CheckedProblem& one : report.problems) {
    if (one.arch != device.arch) continue;
    is_checked = true;
    is_without_reference = is_without_reference || !one.check.reference_error.empty();
  }
  const std::string nothing = fmt::format("nothing was launched on {}: ", device.name);
  if (!is_checked)
    return nothing + fmt::format("--arch does not name the architecture of this GPU; add {} to it", device.arch);
  if (is_without_reference) return nothing + "the reference does not compile";
  return nothing + fmt::format("no sampled configuration can be launched on {}", device.arch);
}

Result<std::optional<DeviceInfo>> find_gpu_to_check(const std::string& device) {
  if (device == "none") return std::optional<DeviceInfo>();
  auto found = find_cuda_device(device, "; --device none checks without a GPU");
  if (found) return std::optional<DeviceInfo>(std::move(*found));
  if (device == "auto" && found.error().kind == ErrorKind::no_device) return std::optional<DeviceInfo>();
  return fail(found.error());
}

Result<void> check_on_gpu(const CheckArgs& options, const std::optional<DeviceInfo>& device, CheckReport& report,
                          const std::atomic<bool>& stop) {
  if (options.device == "none") return {};
  if (!device) {
    report.notes.emplace_back("no GPU was found, so nothing was launched; to omit this note, add --device none");
    return {};
  }
  bool is_run = false;
  for (const CheckedProblem& checked : report.problems) {
    if (stop || checked.arch != device->arch || !checked.check.reference_error.empty()) continue;
    WT_TRY(const auto best, find_best(options, report.kernel, checked.problem, *device));
    const auto configs = configs_to_run(checked, best, static_cast<std::size_t>(options.run_sample));
    if (configs.empty()) continue;
    is_run = true;
    DeviceCheckOptions examine;
    examine.worker = {options.session.worker_executable, options.device, options.session.cache_directory.string()};
    examine.compile_timeout_s = options.session.compile_timeout_s;
    WT_TRY(examine.builders, allowed_builders(report.kernel, options.session, &stop));
    ProgressPrinter printer(fmt::format("{} on {} {}", report.kernel.spec.name, device->name,
                                        short_problem(problem_key(report.kernel.spec, checked.problem))),
                            options.json ? stderr : stdout, options.quiet);
    auto found = check_on_device(
        report.kernel, checked.problem, configs, examine, [&](const Progress& progress) { printer.show(progress); },
        stop);
    printer.finish();
    WT_CHECK(found);
    for (Finding& finding : found->findings) report.findings.push_back(std::move(finding));
    for (const std::string& note : found->notes)
      if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end()) report.notes.push_back(note);
    WT_CHECK(sanitize_on_gpu(options, checked.problem, configs, *device, report, stop));
  }
  if (!is_run) report.notes.push_back(why_nothing_ran(report, *device));
  return {};
}

} // namespace warptune::cli
