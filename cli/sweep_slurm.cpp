#include "cli/sweep_slurm.h"

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/units.h"
#include "cluster/frozen_sweep.h"
#include "cluster/run_status.h"
#include "core/device.h"
#include "core/shell_words.h"
#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kDefaultTasks = 64;
// For each GPU of a task, which compiles on all cores but one for each GPU. Slurm's default is one core.
constexpr std::int64_t kDefaultCores = 8;

// "2", "h200:2", "tmp:100,gpu:h200:2": the number of GPUs; 1 if there is none.
std::int64_t count_of(std::string_view gpus) {
  constexpr std::int64_t kMost = 64;
  if (const std::size_t gpu = gpus.find("gpu"); gpu != std::string_view::npos) gpus.remove_prefix(gpu);
  gpus = gpus.substr(0, gpus.find(','));
  std::int64_t count = 0;
  const bool is_number = parse_integer(gpus.substr(gpus.rfind(':') + 1), count) == IntegerError::none;
  return is_number ? std::clamp<std::int64_t>(count, 1, kMost) : 1;
}

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

json submission_json(const RunArgs& args, json array, json merge, std::int64_t tasks,
                     const std::vector<std::string>& kept) {
  return {
      {"run", args.run}, {"array", std::move(array)}, {"merge", std::move(merge)}, {"tasks", tasks}, {"kept", kept}};
}

void print_submitted(const RunArgs& args, const SlurmJobs& jobs, std::int64_t tasks) {
  print(
      "submitted job {0} with {1}, and job {2}, which merges the results afterwards\n\nNext:\n"
      "  warptune sweep --status {3}\n  squeue --job {0},{2}            # output of the tasks: {3}/logs\n"
      "  warptune sweep --cancel {3}\n  warptune show best --limit 0 --db {3}/merged.db     # when job {2} has ended\n",
      jobs.array, count_text(tasks, "task"), jobs.merge, sanitize(quote_path_for_shell(args.run)));
}

void print_written(const fs::path& run, std::int64_t tasks) {
  print("wrote the scripts, and submitted nothing\n\nNext:\n  sbatch --parsable --array=0-{} {}   # prints the job "
        "number N\n  sbatch --dependency=afterany:N {}\n",
        tasks - 1, sanitize(quote_for_shell(array_file(run).string())),
        sanitize(quote_for_shell(merge_file(run).string())));
}

// Options that are not given are those of the last submission.
void complete(SlurmOptions& given, const SlurmOptions& stored) {
  const auto text = [](std::string& value, const std::string& before) {
    if (value.empty()) value = before;
  };
  text(given.partition, stored.partition);
  if (given.gpus.empty() && given.gres.empty()) {
    given.gpus = stored.gpus;
    given.gres = stored.gres;
  }
  text(given.time, stored.time);
  text(given.account, stored.account);
  if (given.cores == 0) given.cores = stored.cores;
  if (given.array_limit == 0) given.array_limit = stored.array_limit;
  if (given.more.empty()) given.more = stored.more;
  if (given.merge.empty()) given.merge = stored.merge;
  if (given.shards == 0) given.shards = stored.shards;
}

Result<void> check_text(const char* option, const std::string& value) {
  if (std::none_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) return {};
  return fail(ErrorKind::bad_input,
              fmt::format("{} '{}' contains a line break or another control character, which a value "
                          "in a Slurm script cannot contain; remove the character",
                          option, sanitize(value)));
}

// An option of sbatch, as it is written into a script.
Result<void> check_sbatch_option(const char* option, const std::string& value) {
  WT_CHECK(check_text(option, value));
  if (value.starts_with("--array") || value.starts_with("-a"))
    return fail(ErrorKind::bad_input, fmt::format("{} cannot take '{}', because --shards and --array-limit decide the "
                                                  "tasks of the array; use these options instead",
                                                  option, sanitize(value)));
  if (value.starts_with("-")) return {};
  return fail(ErrorKind::bad_input, fmt::format("{0} takes an option of sbatch with its leading dashes, such as "
                                                "{0}=--constraint=h200, not '{1}'",
                                                option, sanitize(value)));
}

Result<void> check_values(const SlurmOptions& o, const RunArgs& run) {
  const std::string folder = fs::absolute(run.run).string();
  WT_CHECK(check_text("--run", folder));
  if (folder.find('\\') != std::string::npos)
    return fail(ErrorKind::bad_input, fmt::format("the path of the run folder {} has a backslash, which Slurm removes "
                                                  "from the names of output files; name a folder without a backslash",
                                                  sanitize(folder)));
  if (folder.find(':') != std::string::npos)
    return fail(ErrorKind::bad_input,
                fmt::format("the path of the run folder {} has a colon, but the tasks need this path in "
                            "WARPTUNE_TEMPLATES, where a colon separates folders; name a folder without a colon",
                            sanitize(folder)));
  WT_CHECK(check_text("--partition", o.partition));
  WT_CHECK(check_text("--gpus", o.gpus));
  WT_CHECK(check_text("--gres", o.gres));
  WT_CHECK(check_text("--time", o.time));
  WT_CHECK(check_text("--account", o.account));
  for (const std::string& option : o.more) WT_CHECK(check_sbatch_option("--sbatch-option", option));
  for (const std::string& option : o.merge) WT_CHECK(check_sbatch_option("--merge-option", option));
  return {};
}

// Writes the scripts for a run with missing jobs, and submits them.
Result<int> submit_missing(const SlurmSweep& sweep, const SlurmArgs& args, const RunArgs& run_args, const fs::path& run,
                           std::int64_t missing) {
  SlurmOptions options = args.options;
  options.tasks = std::min(options.tasks, missing);
  if (!args.no_submit)
    if (const auto queued = queued_arrays(run, "PENDING,RUNNING"); queued && !queued->empty())
      complain(fmt::format(
          "note: tasks of job {} are still in Slurm's queue; they and the new tasks share the jobs of the sweep",
          fmt::join(*queued, ", ")));
  // Keeps the files of a frozen run, because earlier tasks may still use them.
  if (!is_frozen(run)) WT_CHECK(freeze_sweep(run, sweep.file, sweep.templates, sweep.also));
  WT_TRY(const auto kept, write_scripts(scripts_of(run, sweep, frozen_in(run)), options));
  for (const std::string& name : kept)
    complain(fmt::format(
        "{} was edited, so warptune keeps it, and the options of this command{} have no effect on it; to get a new "
        "script, delete this file",
        (run / name).string(), name == array_file(run).filename() ? ", except --shards and --array-limit," : ""));
  if (args.no_submit) {
    if (sweep.json)
      print_json(submission_json(run_args, json(), json(), options.tasks, kept));
    else
      print_written(run, options.tasks);
    return 0;
  }
  WT_TRY(const auto jobs, submit_run(run, options.tasks, options.array_limit));
  if (sweep.json)
    print_json(submission_json(run_args, json(jobs.array), json(jobs.merge), options.tasks, kept));
  else
    print_submitted(run_args, jobs, options.tasks);
  return 0;
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
  add_number_option(command, "--cpus-per-task", o.cores, 1, 4096,
                    "--slurm: cores per task; one core per GPU is reserved, the others compile; default 8 per GPU");
  add_number_option(command, "--array-limit", o.array_limit, 1, 1'000'000,
                    "--slurm: maximum number of concurrent tasks");
  command
      .add_option("--sbatch-option", o.more,
                  "--slurm: another option of sbatch, such as --constraint=h200; may be repeated")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command
      .add_option("--merge-option", o.merge,
                  "--slurm: an option of sbatch for the job that merges, such as --qos=short; may be repeated")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command.add_flag("--no-submit", args.no_submit, "--slurm: write the run folder and its scripts, and submit nothing");
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
      return fail(ErrorKind::bad_input, "--gpus and --gres both request GPUs; give one of them");
    return check_values(o, run);
  }
  const char* const given = !o.partition.empty() ? "--partition"
                            : !o.gpus.empty()    ? "--gpus"
                            : !o.gres.empty()    ? "--gres"
                            : !o.time.empty()    ? "--time"
                            : !o.account.empty() ? "--account"
                            : o.cores > 0        ? "--cpus-per-task"
                            : o.array_limit > 0  ? "--array-limit"
                            : !o.more.empty()    ? "--sbatch-option"
                            : !o.merge.empty()   ? "--merge-option"
                            : args.no_submit     ? "--no-submit"
                                                 : nullptr;
  if (given != nullptr) return fail(ErrorKind::bad_input, fmt::format("{} needs --slurm", given));
  return {};
}

Result<int> submit_sweep(const SlurmSweep& sweep, SlurmArgs args, const RunArgs& run_args) {
  const fs::path run = (fs::absolute(run_args.run) / "").lexically_normal().parent_path();
  SlurmOptions& options = args.options;
  options.shards = run_args.shards;
  options.sweep = sweep.options;
  if (sweep.resume) {
    WT_TRY(const auto stored, stored_options(run));
    if (stored) complete(options, *stored);
  }
  const SlurmOptions given = options; // without the defaults, which depend on the options of each submission
  if (options.gpus.empty() && options.gres.empty() && !is_recorded_device(sweep.device)) options.gpus = "1";
  const bool has_gpus = !options.gres.empty() || (!options.gpus.empty() && options.gpus != "0");
  if (options.cores == 0 && has_gpus)
    options.cores = kDefaultCores * count_of(options.gres.empty() ? options.gpus : options.gres);
  const auto jobs = static_cast<std::int64_t>(sweep.jobs.size());
  options.tasks = std::min(jobs, options.shards > 0 ? options.shards : kDefaultTasks);
  if (sweep.dry_run) {
    FrozenSweep frozen = frozen_in(run);
    if (!is_frozen(run)) frozen.also = sweep.also;
    return print_scripts(run, scripts_of(run, sweep, frozen), options, sweep.json);
  }
  if (!args.no_submit) WT_CHECK(find_sbatch()); // before the run folder is written
  if (was_submitted(run) && !sweep.resume)
    return fail(
        ErrorKind::bad_input,
        fmt::format(
            "the run in {} was submitted already; add --resume to submit its unfinished jobs, or name a new folder",
            run_args.run));
  WT_CHECK(make_shared_run(run_args, sweep.name, sweep.jobs, sweep.device));
  const bool is_cancelled = was_cancelled(run_args);
  WT_TRY(const auto arrays, submitted_arrays(run));
  if (sweep.resume) WT_CHECK(resume_run(run));
  WT_TRY(const std::int64_t missing, missing_jobs(run));
  if (missing == 0) {
    WT_TRY(const bool merged, is_merged(run));
    const std::string folder = sanitize(quote_path_for_shell(run_args.run));
    if (sweep.json)
      print_json(submission_json(run_args, nullptr, nullptr, 0, {}));
    else if (merged)
      print("no result is missing; {}/merged.db has all results\n", folder);
    else
      print("no result is missing; collect the results with `warptune merge -o all.db {}`\n", folder);
    return 0;
  }
  const auto code = submit_missing(sweep, args, run_args, run, missing);
  WT_TRY(const auto now, submitted_arrays(run));
  if (code || now.size() > arrays.size()) // the merge job may be refused after the array
    WT_CHECK(store_options(run, given));
  else if (is_cancelled) // a command that fails before Slurm has an array changes nothing
    WT_CHECK(cancel_run(run));
  return code;
}

} // namespace warptune::cli
