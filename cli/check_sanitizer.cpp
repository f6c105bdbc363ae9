#include "cli/check_sanitizer.h"

#include "cli/output.h"
#include "core/text.h"
#include "plan/plan.h"
#include "spec/config.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kSanitizerTimeout = 600; // seconds, for each tool and configuration

void add_note(const std::string& note, CheckReport& report) {
  if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end()) report.notes.push_back(note);
}

// The names of the launched kernels without namespaces and template arguments, each once.
std::vector<std::string> kernel_names(const LaunchPlan& plan) {
  std::vector<std::string> names;
  for (const KernelLaunch& launch : plan.launches) {
    std::string name = launch.name_expression.substr(0, launch.name_expression.find('<'));
    name.erase(0, name.rfind(':') + 1); // npos + 1 is 0
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::string absolute_if_there(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? fs::absolute(path, ignored).string() : path;
}

} // namespace

Result<std::vector<SanitizerTool>> parse_tools(const std::string& text) {
  if (text == "all") return sanitizer_tools();
  std::vector<SanitizerTool> chosen;
  if (text == "none") return chosen;
  std::vector<std::string> known = {"all", "none"};
  for (const SanitizerTool& tool : sanitizer_tools()) known.emplace_back(tool.name);
  for (const std::string_view name : split(text, ',')) {
    const auto found = std::find_if(sanitizer_tools().begin(), sanitizer_tools().end(),
                                    [&](const SanitizerTool& tool) { return tool.name == name; });
    if (found == sanitizer_tools().end())
      return fail(ErrorKind::bad_input, fmt::format("--sanitize: compute-sanitizer has no tool {}{}", quote(name),
                                                    suggest_name(name, known)));
    chosen.push_back(*found);
  }
  return chosen;
}

Problem problem_to_watch(const KernelSpec& spec, const Problem& asked, const Config& config, const DeviceInfo& device) {
  Problem smallest = asked;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, entries] : spec.suites)
    for (const SuiteEntry& entry : entries) {
      const auto problem = suite_problem(spec, entry, asked.dtype, asked.flags);
      if (!problem || check_config(spec, *problem, device, config)) continue;
      const auto cost = estimate_cost(spec, *problem, device);
      if (!cost || cost->bytes_read + cost->bytes_written >= least) continue;
      least = cost->bytes_read + cost->bytes_written;
      smallest = *problem;
    }
  return smallest;
}

std::vector<std::string> watched_command(const std::string& program, const CheckArgs& options, const Kernel& kernel,
                                         const Problem& problem, const Config& config) {
  const KernelSpec& spec = kernel.spec;
  std::vector<std::string> words = {program, "run", absolute_if_there(options.problem.kernel)};
  const auto add = [&](const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  if (const std::string shape = shape_text(spec, problem.dims, problem.lists); !shape.empty()) add("--shape", shape);
  add("--dtype", std::string(dtype_name(problem.dtype)));
  for (std::size_t i = 0; i < spec.flags.size(); ++i) {
    const Flag& flag = spec.flags[i];
    const auto at = std::find(flag.values.begin(), flag.values.end(), problem.flags[i]) - flag.values.begin();
    add("--set", flag.name + "=" + flag.labels[static_cast<std::size_t>(at)]);
  }
  const std::string text = config_text(spec, config);
  add("--config", text.empty() ? "default" : text);
  for (const std::string& folder : options.problem.folders.also) add("--also", absolute_if_there(folder));
  for (const std::string& folder : options.problem.folders.include) add("--include", absolute_if_there(folder));
  add("--device", options.device);
  if (!options.db.empty()) add("--db", fs::absolute(options.db).string());
  if (options.session.allow_build) words.emplace_back("--allow-build");
  words.emplace_back("--once");
  return words;
}

Result<void> sanitize_on_gpu(const CheckArgs& options, const Problem& problem, const std::vector<Config>& configs,
                             const DeviceInfo& device, CheckReport& report, const std::atomic<bool>& stop) {
  WT_TRY(const auto tools, parse_tools(options.tools));
  if (tools.empty()) return {};
  const auto sanitizer = find_sanitizer();
  if (!sanitizer) {
    add_note(sanitizer.error().message, report);
    return {};
  }
  for (const Config& config : configs) {
    const Problem watched =
        options.problem.shape.empty() ? problem_to_watch(report.kernel.spec, problem, config, device) : problem;
    const auto plan = make_plan(report.kernel.spec, watched, config, device);
    if (!plan || plan->launches.empty()) continue; // the checks report why, or only libraries launch kernels
    const SanitizerRun run{
        *sanitizer,
        watched_command(fs::read_symlink("/proc/self/exe").string(), options, report.kernel, watched, config),
        kernel_names(*plan), kSanitizerTimeout, &stop};
    for (const SanitizerTool& tool : tools) {
      if (stop) return {};
      if (!options.quiet)
        print_now(options.json ? stderr : stdout,
                  fmt::format("compute-sanitizer {}: {} {}\n", tool.name, report.kernel.spec.name,
                              config_text(report.kernel.spec, config)));
      const auto found = run_sanitizer(tool, run);
      if (!found) {
        add_note(found.error().message, report);
        continue;
      }
      for (Finding& finding : sanitizer_findings(tool, *found, report.kernel, watched, config)) {
        finding.arch = device.arch;
        report.findings.push_back(std::move(finding));
      }
      if (found->unprinted > 0)
        add_note(fmt::format("compute-sanitizer {} did not print all errors that it found in {}; missing: {}",
                             tool.name, config_text(report.kernel.spec, config), found->unprinted),
                 report);
    }
  }
  return {};
}

} // namespace warptune::cli
