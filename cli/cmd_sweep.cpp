// sweep: tunes many problems of many kernels unattended, on one or several devices. run_sweep does the work; this file
// has the options, the display and the summary.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/device_list.h"
#include "cli/help_text.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/sanitize.h"
#include "cli/search_options.h"
#include "cli/spellings.h"
#include "cli/stop_signal.h"
#include "cli/sweep_args.h"
#include "cli/sweep_file.h"
#include "cli/sweep_options.h"
#include "cli/sweep_preview.h"
#include "cli/sweep_progress.h"
#include "cli/sweep_run.h"
#include "cli/sweep_status.h"
#include "cli/sweep_summary.h"
#include "cli/sweep_words.h"
#include "cli/units.h"
#include "cluster/frozen_sweep.h"
#include "core/device.h"
#include "core/shell_words.h"
#include "search/strategy.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptune::cli {
namespace {

std::string shown_devices(const std::vector<std::string>& devices) {
  std::string out;
  for (const std::string& device : devices) out += (out.empty() ? "" : ", ") + shown_device(device);
  return out;
}

Result<SweepOverrides> overrides_of(const SweepArgs& options) {
  SweepOverrides overrides;
  overrides.only = options.only;
  overrides.energy = options.energy;
  overrides.baseline = options.baseline;
  overrides.allow_build = options.allow_build;
  const SearchArgs& search = options.search;
  if (!search.strategy.empty()) {
    WT_TRY(auto chosen, parse_strategy(search.strategy));
    overrides.strategy = strategy_text(chosen);
  }
  if (!options.objective.empty()) {
    overrides.objective.emplace(Objective::time);
    WT_CHECK(read_objective(options.objective, *overrides.objective));
  }
  if (!search.budget.empty()) {
    WT_TRY(auto budget, parse_budget(search.budget));
    overrides.budget = std::move(budget);
  }
  WT_CHECK(read_stop_rules(search, overrides.stop_rules));
  if (!search.knowledge.empty()) {
    WT_TRY(auto parts, parse_knowledge(search.knowledge));
    overrides.knowledge = parts;
  }
  if (options.seed >= 0) overrides.seed = static_cast<std::uint64_t>(options.seed);
  return overrides;
}

void add_unused_include(const FolderArgs& folders, SweepPlan& plan) {
  const auto is_unused = [&](const SweepJob& job) { return !unused_include(job.kernel->spec, folders).empty(); };
  if (!plan.jobs.empty() && std::all_of(plan.jobs.begin(), plan.jobs.end(), is_unused))
    plan.notes.emplace_back("--include is not used: no kernel of this sweep declares \"include\" (docs/spec.md)");
}

bool is_shipped_sweep(const std::string& file, const TemplateStore& store) {
  const auto shipped = shipped_sweeps(store);
  return std::any_of(shipped.begin(), shipped.end(), [&](const ShippedSweep& one) { return one.name == file; });
}

Result<int> preview(const SweepArgs& options, SweepPlan plan, const TemplateStore& store) {
  std::string first;
  if (!options.devices.empty()) {
    WT_TRY(auto devices, parse_devices(options.devices));
    WT_CHECK(keep_recorded(devices, is_shipped_sweep(options.file, store), plan.jobs, plan.notes));
    first = devices.front();
  }
  std::vector<ChosenDevice> of_jobs; // only recordings of one folder may come from several GPUs
  for (const SweepJob& job : plan.jobs) {
    if (of_jobs.empty() || is_recorded_device(first)) {
      const KernelSpec& spec = job.kernel->spec;
      WT_TRY(auto device, choose_device(first, {}, nullptr, {spec.name, problem_key(spec, job.problem)}));
      of_jobs.push_back(std::move(device));
    } else {
      of_jobs.push_back(of_jobs.front());
    }
  }
  return preview_sweep(options.file, plan, of_jobs, options.json, options.wide);
}

int exit_code(const SweepResult& result, const SweepArgs& options, const std::string& resume) {
  if (result.interrupted) return say_interrupted(resume, options.json);
  const bool failed = std::any_of(result.jobs.begin(), result.jobs.end(),
                                  [](const JobReport& job) { return job.state == JobState::failed; });
  return failed ? kNotAllWell : 0;
}

Result<int> submit(SweepArgs options, SweepPlan plan, const TemplateStore& store) {
  if (!options.trace.empty())
    return fail(ErrorKind::bad_input,
                "--trace records only one process, but --slurm starts several; leave --trace out");
  // The GPUs are those of the nodes, not of this machine.
  std::string& devices = options.devices;
  std::string device;
  if (devices.empty()) devices = "all";
  const std::string of_list = devices.substr(0, devices.find(','));
  if (is_recorded_device(of_list) || of_list == "recorded") { // a list has no second spelling: parse_devices refuses it
    WT_TRY(const auto recorded, parse_devices(devices));
    std::vector<std::string> notes;
    WT_CHECK(keep_recorded(recorded, false, plan.jobs, notes)); // the tasks leave out the same jobs
    if (!options.json) print_notes(notes);
    device = recorded.front();
    devices.clear();
    for (const std::string& one : recorded)
      devices +=
          (devices.empty() ? "recorded:" : ",recorded:") + std::filesystem::absolute(recordings_of(one)).string();
  }
  return submit_sweep({options.file, sweep_path(options.file, store), plan.jobs, device, store.roots(),
                       options.folders.also, words_for_tasks(options), options.resume, options.dry_run, options.json},
                      options.slurm, options.run);
}

Result<int> look_at_run(const SweepArgs& options) {
  const char* const option = options.status.empty() ? "--cancel" : "--status";
  if (!options.status.empty() && !options.cancel.empty())
    return fail(ErrorKind::bad_input, "--status shows a run and --cancel ends it; give one of them");
  if (!options.file.empty() || options.run.given())
    return fail(ErrorKind::bad_input,
                fmt::format("{0} DIR takes neither a FILE nor --run; write `warptune sweep {0} DIR`", option));
  return options.status.empty() ? cancel_sweep(options.cancel, options.json)
                                : show_status(options.status, options.json);
}

// Errors (bad_input): there is no FILE, or it is a run folder.
Result<void> check_file(const SweepArgs& options, const TemplateStore& store) {
  if (options.file.empty() && options.run.given() && is_run(options.run.run)) {
    WT_TRY(const auto described, open_run(options.run.run));
    if (!described.command.empty())
      return fail(ErrorKind::bad_input, fmt::format("sweep needs a FILE; the run in {} was made with `{}`",
                                                    options.run.run, described.command));
  }
  if (!options.file.empty() && sweep_path(options.file, store) == options.file && is_run(options.file)) {
    WT_TRY(const auto described, open_run(options.file));
    return fail(
        ErrorKind::bad_input,
        fmt::format("{} is a run folder, not a sweep file; to continue the run, repeat the command that made it{}",
                    options.file, described.command.empty() ? "" : ": `" + described.command + "`"));
  }
  if (options.file.empty())
    return fail(ErrorKind::bad_input, "sweep needs a FILE or the name of a shipped sweep; `warptune sweep --list` "
                                      "lists the shipped ones, and docs/sweep.md says how to write a file");
  return {};
}

Result<SweepPlan> load_plan(const SweepArgs& options, const TemplateStore& store) {
  WT_TRY(auto overrides, overrides_of(options));
  WT_TRY(auto plan, load_sweep(options.file, overrides, store, options.folders.also));
  add_unused_include(options.folders, plan);
  if (std::string note = former_knowledge_note(options.search.knowledge);
      !note.empty() && std::find(plan.notes.begin(), plan.notes.end(), note) == plan.notes.end())
    plan.notes.push_back(std::move(note));
  for (SweepJob& job : plan.jobs) {
    if (!options.profile.empty()) WT_CHECK(read_profile_scope(options.profile, job.options.profile));
    WT_CHECK(read_timeout(options.compile_timeout, "--compile-timeout", job.options.compile_timeout_s));
    WT_CHECK(read_timeout(options.evaluate_timeout, "--evaluate-timeout", job.options.evaluate_timeout_s));
  }
  return plan;
}

// The same command, started again, continues a run that was not cancelled.
std::string command_to_resume(const SweepArgs& options, const std::vector<std::string>& words, bool is_cancelled) {
  if (options.run.given() && std::getenv("SLURM_JOB_ID") != nullptr && was_submitted(options.run.run))
    return quote_for_shell({words.front(), "sweep", "--run", options.run.run, "--slurm", "--resume"});
  return options.run.given() && !is_cancelled ? quote_for_shell(words) : resume_command(words);
}

Result<SweepResult> run_with_progress(const SweepPlan& plan, const SweepArgs& options, const SweepOptions& sweep) {
  const std::atomic<bool>& stop = stop_on_signal();
  // With --json, standard output holds only the result.
  std::FILE* const stream = options.json ? stderr : stdout;
  if (!options.quiet)
    print_now(stream, fmt::format("sweep {}: {} on {}\n", sanitize(options.file),
                                  count_text(static_cast<std::int64_t>(plan.jobs.size()), "job"),
                                  sanitize(shown_devices(sweep.devices))));
  SweepPrinter printer(plan.jobs, stream, options.quiet);
  const auto show = [&](const SweepProgress& progress) {
    printer.show(progress);
    if (output_failed()) request_stop(); // the reader is gone: as after Ctrl-C, all is stored
  };
  if (output_failed()) request_stop();
  auto result = run_sweep(plan.jobs, sweep, show, stop);
  printer.finish();
  return result;
}

Result<int> tune_jobs(const SweepArgs& options, SweepPlan plan, const TemplateStore& store,
                      const std::vector<std::string>& words) {
  SweepOptions sweep;
  WT_TRY(sweep.devices, parse_devices(options.devices.empty() ? "auto" : options.devices));
  WT_CHECK(keep_recorded(sweep.devices, is_shipped_sweep(options.file, store), plan.jobs, plan.notes));
  std::unique_ptr<SharedSweep> shared;
  if (options.run.given()) {
    WT_TRY(shared,
           join_shared_run(options.run, options.file, plan.jobs, sweep.devices.front(), options.resume, plan.notes));
    sweep.shared = shared.get();
  } else {
    sweep.database = database_path(options.db);
    sweep.resume = options.resume;
  }
  sweep.compile_workers = options.compile_workers;
  sweep.trace = options.trace;
  if (!sweep.trace.empty()) WT_CHECK(refuse_overwriting(sweep.trace, {sweep.database}, "--trace"));

  const auto result = run_with_progress(plan, options, sweep);
  const std::vector<std::string> problems = shared ? shared->problems() : std::vector<std::string>{};
  plan.notes.insert(plan.notes.end(), problems.begin(), problems.end());
  shared.reset(); // ends this process's part of the run
  WT_CHECK(result);
  const auto failures = [&] {
    const auto reader = Reader::open(sweep.database);
    return collect_failures(plan.jobs, *result, reader ? &*reader : nullptr);
  }();
  if (!options.run.given()) settle_database(sweep.database);
  const bool is_cancelled = options.run.given() && was_cancelled(options.run);
  if (is_cancelled) plan.notes.emplace_back("the run was cancelled with --cancel");
  const std::string resume = command_to_resume(options, words, is_cancelled);
  const SweepReport report{options.file,   plan.jobs,  *result, failures,       plan.notes,
                           sweep.database, options.db, resume,  options.run.run};
  if (options.json)
    print_sweep_json(report);
  else
    print_sweep_text(report, options.wide);
  const int code = exit_code(*result, options, resume);
  return code == 0 && !problems.empty() ? kNotAllWell : code;
}

Result<int> run_sweep_command(SweepArgs options, const std::vector<std::string>& words) {
  options.run.command = quote_for_shell(words);
  // A frozen run has its own copies of the sweep file and the kernels.
  const bool is_own = options.file.empty() && options.run.given() && is_frozen(options.run.run);
  const FrozenSweep frozen = is_own ? frozen_in(options.run.run) : FrozenSweep{};
  const TemplateStore store = TemplateStore::standard(options.folders.include, frozen.templates);
  if (is_own) {
    options.file = frozen.sweep.string();
    options.folders.also = frozen.also;
    if (options.resume) {
      WT_TRY(const auto stored, stored_options(options.run.run));
      if (stored) add_stored_words(options, stored->sweep);
    }
  }
  if (options.list) return list_sweeps(store, options.json);
  WT_CHECK(check_run_options(options.run, options.db));
  WT_CHECK(check_slurm_options(options.slurm, options.run));
  if (!options.status.empty() || !options.cancel.empty()) return look_at_run(options);
  WT_CHECK(check_file(options, store));
  // Handles signals before this process writes to the run folder: a task may be stopped as soon as it starts.
  if (options.run.given() && !options.slurm.slurm && !options.dry_run) stop_on_signal();
  WT_TRY(auto plan, load_plan(options, store));
  if (options.slurm.slurm) return submit(options, std::move(plan), store);
  if (options.dry_run) return preview(options, std::move(plan), store);
  return tune_jobs(options, std::move(plan), store, words);
}

} // namespace

void add_sweep(Command& app, Invocation& invocation) {
  auto options = std::make_shared<SweepArgs>();
  Command* command =
      add_command(app, "sweep", "Tune all problems in a file, unattended, on one or several devices", kSweepHelp);
  command->add_option("FILE", options->file, "A sweep file (docs/sweep.md), or the name of a shipped sweep")
      ->type_name("");
  command->add_option("--devices", options->devices, "all, auto, cuda:0,1, recorded or recorded:PATH; default auto")
      ->type_name("DEVICES");
  add_db_option(*command, options->db);
  command->add_flag("--resume", options->resume, "Continue where the sweep was stopped or killed");
  command->add_flag("--dry-run", options->dry_run, "Show the jobs and the sizes of their spaces, and tune nothing");
  command->add_flag("--list", options->list, "List the shipped sweeps");
  command->add_option("--only", options->only, "Only jobs of this kernel")->type_name("KERNEL");
  add_folder_options(*command, options->folders);
  add_build_option(*command, options->allow_build);
  add_job_search_options(*command, options->search);
  command
      ->add_option("--profile", options->profile,
                   "Overrides the file's choice of configurations to profile: none, best or all")
      ->type_name("SCOPE");
  add_number_option(*command, "--seed", options->seed, 0, kNoLimit, "Overrides the file's seed");
  command->add_option("--objective", options->objective, "Overrides the file's objective: time, energy or edp")
      ->type_name("NAME");
  command->add_flag("--energy", options->energy, "Also measure the energy of every job's finalists");
  command->add_flag(
      "--baseline", options->baseline,
      "Time the library calls before all other configurations, and compare each winner with the fastest call");
  add_timeout_options(*command, options->compile_timeout, options->evaluate_timeout);
  add_number_option(
      *command, "--compile-workers", options->compile_workers, 1, 256,
      "Number of compiling processes, shared by all devices; default: one per core, minus one per device; at most "
      "16 per device");
  command
      ->add_option("--trace", options->trace,
                   "Write a timeline of compilers and devices to FILE; open it with ui.perfetto.dev")
      ->type_name("FILE");
  add_run_options(*command, options->run);
  command
      ->add_option("--status", options->status,
                   "Show the state of the sweep in this run folder; on a terminal, keep it up to date")
      ->type_name("DIR");
  command
      ->add_option("--cancel", options->cancel,
                   "End the sweep in this run folder; --resume continues its unfinished jobs")
      ->type_name("DIR");
  add_slurm_options(*command, options->slurm);
  add_quiet_flag(*command, options->quiet);
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] {
    invocation.run = [options, &invocation] { return run_sweep_command(*options, invocation.words); };
  });
}

} // namespace warptune::cli
