#include "cli/sweep_slurm.h"

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/units.h"
#include "cluster/frozen_sweep.h"
#include "cluster/run_status.h"
#include "cluster/shared_file.h"
#include "core/shell_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDefaultTasks = 64;

// The number of unfinished jobs, for the device model with most of them.
Result<std::int64_t> missing_jobs(const fs::path& run) {
  WT_TRY(auto watch, RunWatch::open(run));
  WT_TRY(const auto status, watch.look());
  std::size_t missing = status.models.empty() ? watch.description().jobs.size() : 0;
  for (const RunStatus::Model& model : status.models)
    missing = std::max(missing, model.waiting + model.lost + model.running);
  return static_cast<std::int64_t>(missing);
}

SlurmScripts scripts_of(const fs::path& run, const SlurmSweep& sweep, const FrozenSweep& frozen) {
  SlurmScripts scripts{run, frozen.program, frozen.templates, {"sweep", frozen.sweep.string()}};
  for (const std::string& folder : frozen.also) scripts.words.insert(scripts.words.end(), {"--also", folder});
  scripts.words.insert(scripts.words.end(), sweep.options.begin(), sweep.options.end());
  return scripts;
}

int print_scripts(const fs::path& run, const SlurmScripts& scripts, const SlurmOptions& options, bool as_json) {
  const std::string array = array_script(scripts, options), merge = merge_script(scripts, options);
  if (as_json)
    print_json({{"run", run.string()}, {"array", array}, {"merge", merge}});
  else
    print("# {}\n{}\n# {}\n{}", sanitize(array_file(run).string()), sanitize_lines(array),
          sanitize(merge_file(run).string()), sanitize_lines(merge));
  return 0;
}

void print_submitted(const RunArgs& args, const SlurmJobs& jobs, std::int64_t tasks, bool as_json) {
  if (as_json) return print_json({{"run", args.run}, {"array", jobs.array}, {"merge", jobs.merge}, {"tasks", tasks}});
  print(
      "submitted job {0} with {1}, and job {2}, which merges the results afterwards\n\nNext:\n"
      "  warptune sweep --status {3}\n  squeue --job {0},{2}\n"
      "  warptune sweep --cancel {3}\n  warptune show best --limit 0 --db {3}/merged.db     # when job {2} has ended\n",
      jobs.array, count_text(tasks, "task"), jobs.merge, sanitize(quote_for_shell(args.run)));
}

} // namespace

void add_slurm_options(Command& command, SlurmArgs& args) {
  SlurmOptions& o = args.options;
  command.add_flag("--slurm", args.slurm,
                   "Submit the sweep to Slurm: an array of tasks, then a job that merges their results");
  command.add_option("--partition", o.partition, "--slurm: the partition")->type_name("NAME");
  command.add_option("--gpus", o.gpus, "--slurm: GPUs per task, in sbatch format; default 1; 0: request none")
      ->type_name("GPUS");
  command.add_option("--gres", o.gres, "--slurm: resources of each task, instead of --gpus")->type_name("LIST");
  command.add_option("--time", o.time, "--slurm: time limit of a task, in sbatch format")->type_name("TIME");
  command.add_option("--account", o.account, "--slurm: the account")->type_name("NAME");
  add_number_option(command, "--array-limit", o.array_limit, 1, 1'000'000,
                    "--slurm: maximum number of concurrent tasks");
  command
      .add_option("--sbatch-option", o.more,
                  "--slurm: another option of sbatch, such as --constraint=h200; may be repeated")
      ->type_name("OPTION")
      ->allow_extra_args(false);
}

Result<void> check_slurm_options(const SlurmArgs& args, const RunArgs& run) {
  const SlurmOptions& o = args.options;
  if (args.slurm) {
    if (!run.given())
      return fail(ErrorKind::bad_input, "--slurm needs --run DIR, a new folder that the login node and the compute "
                                        "nodes share");
    if (!run.shard.empty())
      return fail(ErrorKind::bad_input,
                  "--slurm numbers its tasks itself; leave --shard out, and give the number of tasks with --shards N");
    if (!o.gpus.empty() && !o.gres.empty())
      return fail(ErrorKind::bad_input, "--gpus and --gres both ask for GPUs; give one of them");
    for (const std::string& option : o.more)
      if (!option.starts_with("-") || option.find('\n') != std::string::npos)
        return fail(ErrorKind::bad_input,
                    fmt::format("--sbatch-option takes an option with its value in one word, such as "
                                "--sbatch-option=--constraint=h200, and not '{}'",
                                sanitize(option)));
    return {};
  }
  const char* const given = !o.partition.empty() ? "--partition"
                            : !o.gpus.empty()    ? "--gpus"
                            : !o.gres.empty()    ? "--gres"
                            : !o.time.empty()    ? "--time"
                            : !o.account.empty() ? "--account"
                            : o.array_limit > 0  ? "--array-limit"
                            : !o.more.empty()    ? "--sbatch-option"
                                                 : nullptr;
  if (given != nullptr) return fail(ErrorKind::bad_input, fmt::format("{} needs --slurm", given));
  return {};
}

Result<int> submit_sweep(const SlurmSweep& sweep, SlurmArgs args, const RunArgs& run_args) {
  const fs::path run = (fs::absolute(run_args.run) / "").lexically_normal().parent_path();
  SlurmOptions& options = args.options;
  if (options.gpus.empty() && options.gres.empty() && !sweep.device.starts_with("replay")) options.gpus = "1";
  const auto jobs = static_cast<std::int64_t>(sweep.jobs.size());
  options.tasks = run_args.shards > 0 ? run_args.shards : std::min(jobs, kDefaultTasks);
  if (sweep.dry_run) {
    FrozenSweep frozen = frozen_in(run);
    if (!is_frozen(run)) frozen.also = sweep.also;
    return print_scripts(run, scripts_of(run, sweep, frozen), options, sweep.json);
  }
  if (was_submitted(run) && !sweep.resume)
    return fail(ErrorKind::bad_input, fmt::format("the run in {} was submitted already; --resume submits what is "
                                                  "missing, or name a new folder",
                                                  run_args.run));
  WT_CHECK(make_shared_run(run_args, sweep.name, sweep.jobs, sweep.device));
  if (sweep.resume) WT_CHECK(resume_run(run));
  WT_TRY(const std::int64_t missing, missing_jobs(run));
  if (missing == 0) {
    if (sweep.json)
      print_json({{"run", run_args.run}, {"array", nullptr}, {"merge", nullptr}, {"tasks", 0}});
    else
      print("nothing is missing; collect the results with `warptune merge -o all.db {}`\n",
            sanitize(quote_for_shell(run_args.run)));
    return 0;
  }
  options.tasks = std::min(options.tasks, missing);
  // Keeps the files of a frozen run, because earlier tasks may still use them.
  if (!is_frozen(run)) WT_CHECK(freeze_sweep(run, sweep.file, sweep.templates, sweep.also));
  const SlurmScripts scripts = scripts_of(run, sweep, frozen_in(run));
  WT_CHECK(replace_shared(array_file(run), array_script(scripts, options)));
  WT_CHECK(replace_shared(merge_file(run), merge_script(scripts, options)));
  WT_TRY(const auto submitted, submit_run(run, options.tasks, options.array_limit));
  print_submitted(run_args, submitted, options.tasks, sweep.json);
  return 0;
}

} // namespace warptune::cli
