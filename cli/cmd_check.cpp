// check: compiles configurations for problems and architectures, and reports mistakes in a kernel folder. lint_names,
// lint_space, check_compiles and check_device.h find them; this file has the options and chooses what to check.
#include "cli/cmd_check.h"

#include "cli/asked_problem.h"
#include "cli/check_device.h"
#include "cli/check_sanitizer.h"
#include "cli/check_summary.h"
#include "cli/command.h"
#include "cli/device_choice.h"
#include "cli/help_text.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/search_options.h"
#include "cli/stop_signal.h"
#include "core/text.h"
#include "jit/cached_compile.h"
#include "jit/compiler.h"
#include "plan/plan.h"
#include "space/lint_space.h"
#include "spec/lint_names.h"
#include "spec/short_problem.h"
#include "tuner/compile_findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <tuple>

namespace warptune::cli {
namespace {

constexpr int kInterrupted = 130;
constexpr std::int64_t kDefaultSample = 64;

// The number of configurations to compile; 0: all.
Result<std::int64_t> parse_sample(const std::string& text) {
  std::int64_t count = kDefaultSample;
  if (text.empty()) return count;
  if (text == "all") return 0;
  if (parse_integer(text, count) != IntegerError::none || count < 1)
    return fail(ErrorKind::bad_input, fmt::format("--sample {}: give a number of configurations, or all", quote(text)));
  return count;
}

// The problem of one dtype: with the requested shape, else the first of the suite `default`, else the smallest.
Result<Problem> find_problem(const KernelSpec& spec, const ProblemArgs& args, const std::string& dtype) {
  if (!args.shape.empty()) return make_problem(spec, args.shape, dtype, args.sets);
  WT_TRY(auto problem, make_problem(spec, shape_text(spec, smallest_shape(spec)), dtype, args.sets));
  const auto suite = spec.suites.find("default");
  if (suite == spec.suites.end() || suite->second.empty()) return problem;
  const SuiteEntry& entry = suite->second.front();
  problem.dims = entry.shape;
  problem.lists = entry.lists;
  for (std::size_t i = 0; i < entry.flags.size() && args.sets.empty(); ++i)
    problem.flags[i] = entry.flags[i].value_or(problem.flags[i]);
  return problem;
}

Result<std::vector<Problem>> find_problems(const KernelSpec& spec, const ProblemArgs& args) {
  std::vector<Problem> problems;
  std::vector<std::string> dtypes = {args.dtype};
  if (args.dtype.empty()) {
    dtypes.clear();
    for (const DType dtype : spec.dtypes) dtypes.emplace_back(dtype_name(dtype));
  }
  for (const std::string& dtype : dtypes) {
    WT_TRY(auto problem, find_problem(spec, args, dtype));
    problems.push_back(std::move(problem));
  }
  return problems;
}

void add_notes(const std::vector<std::string>& more, std::vector<std::string>& notes) {
  for (const std::string& note : more)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

// Merges findings that differ only in their architecture.
void add_findings(std::vector<Finding> more, std::vector<Finding>& findings) {
  const auto key = [](const Finding& f) {
    return std::tie(f.kind, f.level, f.place.file, f.place.line, f.sentence, f.problem, f.config);
  };
  for (Finding& finding : more) {
    const auto known = std::find_if(findings.begin(), findings.end(),
                                    [&](const Finding& other) { return key(other) == key(finding); });
    if (known == findings.end())
      findings.push_back(std::move(finding));
    else if (!finding.arch.empty())
      known->arch += "," + finding.arch;
  }
}

// Turns findings of the kinds that the user accepts into notes. Error: unknown kind.
Result<void> accept(const std::string& kinds, std::vector<Finding>& findings) {
  const std::vector<std::string> known = finding_kinds();
  for (const std::string_view kind : kinds.empty() ? std::vector<std::string_view>{} : split(kinds, ',')) {
    if (std::find(known.begin(), known.end(), kind) == known.end())
      return fail(ErrorKind::bad_input,
                  fmt::format("--allow: {} is not a kind of finding{}", quote(kind), suggest_name(kind, known)));
    for (Finding& finding : findings)
      if (finding.kind == kind) finding.level = FindingLevel::note;
  }
  return {};
}

class Checker {
 public:
  Checker(const CheckArgs& options, const Kernel& kernel, std::int64_t sample, const std::atomic<bool>& stop)
      : options_(options), kernel_(kernel), sample_(sample), stop_(stop),
        pool_(compile_worker_count(options.session.compile_workers, 0)) {}

  Result<CheckedProblem> check(const Problem& problem, const DeviceInfo& device) {
    CheckedProblem out{problem, device.arch, {}, why_unusable(problem, device), false};
    out.is_unusable = !out.problem_error.empty();
    if (out.is_unusable) return out;
    // With --json, standard output holds only the result.
    ProgressPrinter printer(
        fmt::format("{} {} {}", kernel_.spec.name, device.arch, short_problem(problem_key(kernel_.spec, problem))),
        options_.json ? stderr : stdout, options_.quiet);
    auto checked = check_compiles(
        pool_, kernel_, problem, device, options_.session, sample_,
        [&](const Progress& progress) {
          printer.show(progress);
          if (output_failed()) request_stop();
        },
        stop_);
    printer.finish();
    // An error in this problem does not stop the checks of other problems.
    if (!checked && checked.error().kind != ErrorKind::no_candidate && checked.error().kind != ErrorKind::bad_input)
      return fail(checked.error());
    if (!checked)
      out.problem_error = checked.error().message;
    else
      out.check = std::move(*checked);
    return out;
  }

 private:
  // Mistakes of spec.json that keep every configuration from running: a count below zero, buffers that are too large,
  // a cost below zero. Empty: none.
  std::string why_unusable(const Problem& problem, const DeviceInfo& device) const {
    if (const auto plan = make_reference_plan(kernel_.spec, problem, device); !plan) return plan.error().message;
    const auto cost = estimate_cost(kernel_.spec, problem, device);
    return cost ? std::string() : cost.error().message;
  }

  const CheckArgs& options_;
  const Kernel& kernel_;
  std::int64_t sample_;
  const std::atomic<bool>& stop_;
  CompilePool pool_;
};

} // namespace

Result<std::vector<DeviceInfo>> find_check_devices(const std::string& archs) {
  WT_CHECK(find_nvrtc()); // else a missing NVRTC would be reported as an unsupported architecture
  std::vector<DeviceInfo> devices;
  const auto add = [&](const std::string& arch, bool is_named) -> Result<void> {
    WT_TRY(auto device, choose_device({}, arch, nullptr));
    auto supported = supported_arch(device.info.arch);
    if (!supported) return fail(is_named ? ErrorKind::bad_input : supported.error().kind, supported.error().message);
    device.info.arch = *supported;
    if (std::none_of(devices.begin(), devices.end(), [&](const DeviceInfo& d) { return d.arch == device.info.arch; }))
      devices.push_back(std::move(device.info));
    return {};
  };
  if (archs.empty()) WT_CHECK(add({}, false));
  for (const std::string_view arch : archs.empty() ? std::vector<std::string_view>{} : split(archs, ','))
    WT_CHECK(add(std::string(trim(arch)), true));
  return devices;
}

Result<int> run_check(const CheckArgs& given) {
  CheckArgs options = given;
  options.session.device = "cuda";
  WT_CHECK(read_timeout(options.compile_timeout, "--compile-timeout", options.session.compile_timeout_s));
  WT_TRY(const auto sample, parse_sample(options.sample));
  std::vector<std::string> notes;
  std::vector<Finding> none;
  WT_TRY(const auto kernel, load_kernel(options.problem.kernel, nullptr, notes, options.problem.folders));
  WT_TRY(const auto problems, find_problems(kernel.spec, options.problem));
  WT_TRY(const auto devices, find_check_devices(options.archs));
  WT_CHECK(accept(options.allowed, none));
  WT_CHECK(parse_tools(options.tools));
  WT_TRY(const auto gpu, find_gpu_to_check(options.device));
  const std::atomic<bool>& stop = stop_on_signal("the results so far will be shown");
  CheckReport report{kernel, compiler_name(), {}, std::move(notes), lint_names(kernel.spec, kernel.sources)};
  add_findings(lint_space(kernel.spec, kernel.sources, problems, devices, stop), report.findings);
  Checker checker(options, kernel, sample, stop);
  for (const DeviceInfo& device : devices)
    for (const Problem& problem : problems) {
      if (stop) break;
      WT_TRY(auto checked, checker.check(problem, device));
      add_notes(checked.check.notes, report.notes);
      add_findings(compile_findings(kernel, problem, device, checked.check), report.findings);
      report.problems.push_back(std::move(checked));
    }
  WT_CHECK(check_on_gpu(options, gpu, report, stop));
  WT_CHECK(accept(options.allowed, report.findings));
  if (options.json)
    print_check_json(report);
  else
    print_check_text(report, options.wide);
  if (!options.json) print_notes(report.notes);
  return stop ? kInterrupted : check_exit_code(report);
}

void add_check(Command& app, Invocation& invocation) {
  auto options = std::make_shared<CheckArgs>();
  Command* command =
      add_command(app, "check", "Find mistakes in a kernel folder, without timing the kernel", kCheckHelp);
  add_problem_options(*command, options->problem);
  command->get_option("--dtype")->description("Element type; default: all dtypes of the kernel");
  command
      ->add_option("--arch", options->archs,
                   "Architectures or GPUs to check for, such as sm_80,h100; default: the first GPU, or an H200 if "
                   "there is no GPU")
      ->type_name("ARCH,...");
  command->add_option("--device", options->device, "GPU to run on: auto, cuda:N or none; default auto")
      ->type_name("DEVICE");
  command
      ->add_option(
          "--sanitize", options->tools,
          "Tools of compute-sanitizer to run: all (default), none, or some of memcheck,racecheck,initcheck,synccheck")
      ->type_name("TOOL,...");
  add_number_option(*command, "--run-sample", options->run_sample, 0, 1000,
                    "Number of sampled configurations to run, besides the defaults and the best stored one; default 2");
  add_db_option(*command, options->db);
  command
      ->add_option("--sample", options->sample,
                   "Number of configurations to compile for each problem, or all; default 64")
      ->type_name("N");
  add_number_option(*command, "--seed", options->session.seed, 0, kNoLimit, "Random seed of the sample; default 0");
  add_number_option(*command, "--compile-workers", options->session.compile_workers, 0, 1024,
                    "Number of compiling processes; default: one per core, at most 16");
  command
      ->add_option("--compile-timeout", options->compile_timeout,
                   "Give up compiling a configuration after this time; default 60s")
      ->type_name("TIME");
  add_build_option(*command, options->session.allow_build);
  command
      ->add_option("--allow", options->allowed,
                   "Kinds of findings to report as notes instead of warnings, such as spill,idle-dim (docs/check.md)")
      ->type_name("KIND,...");
  command->add_flag("--wide", options->wide, "Show all configurations, in tables wider than the terminal if needed");
  add_quiet_flag(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_check(*options); }; });
}

} // namespace warptune::cli
