#include "cluster/slurm.h"

#include "cluster/shared_file.h"
#include "core/replace_all.h"
#include "core/shell_words.h"
#include "core/text.h"
#include "jit/run_command.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kCommandTimeout_s = 120; // a busy controller may take a minute
constexpr std::size_t kPrinted = 1 << 20; // the list of a user's waiting jobs may be long
// SIGTERM comes this long before the time limit, so that the job can finish the configuration that it is measuring.
constexpr int kSecondsToStop = 60;

// A file for each array, named by its job number. If two commands submit concurrently, both numbers are kept.
fs::path numbers_folder(const fs::path& run) { return run / "arrays"; }

// The folder's name, limited to characters that a job name may contain.
std::string run_name(const fs::path& run) {
  std::string name = (run / ".").lexically_normal().parent_path().filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name;
}

// Slurm replaces %A, %a and others in the name of an output file.
std::string log_file(const fs::path& run, const char* name) {
  std::string folder = logs_of(run).string();
  replace_all(folder, "%", "%%");
  return quote_for_script(folder + "/" + name);
}

void add(std::string& text, const char* option, const std::string& value) {
  if (!value.empty()) text += fmt::format("#SBATCH {}={}\n", option, quote_for_script(value));
}

// `option`: as typed: "--exclusive" or "--comment=two words".
void add(std::string& text, const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos)
    text += fmt::format("#SBATCH {}\n", option);
  else
    text += fmt::format("#SBATCH {}={}\n", option.substr(0, equals),
                        equals + 1 == option.size() ? "" : quote_for_script(option.substr(equals + 1)));
}

std::string array_range(std::int64_t tasks, std::int64_t limit) {
  return fmt::format("0-{}{}", tasks - 1, limit > 0 ? fmt::format("%{}", limit) : "");
}

// Runs a command without a terminal. Returns its standard output, without the line break.
Result<std::string> ask(const std::vector<std::string>& words, const fs::path& run, const std::string& otherwise) {
  // run_command removes this folder afterwards: name one that does not exist.
  const CommandEnd end = run_command(words, run, run / "no-such-folder", {kCommandTimeout_s, kPrinted, nullptr});
  if (end.succeeded()) return std::string(trim(end.printed));
  if (end.kind == CommandEnd::Kind::not_started)
    return fail(ErrorKind::bad_input, fmt::format("{} {}; use a login node of the cluster, or another launcher "
                                                  "(docs/cluster.md)",
                                                  words.front(), end.sentence()));
  return fail(ErrorKind::bad_input, fmt::format("{} {}; {}", words.front(), end.sentence(), otherwise));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  return lines;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// "123" or "123;cluster", as sbatch --parsable prints it.
Result<std::string> job_number(const std::string& printed) {
  std::string number = printed.substr(0, printed.find(';'));
  if (is_number(number)) return number;
  return fail(ErrorKind::bad_input,
              fmt::format("sbatch printed {} instead of a job number; check squeue", quote(printed)));
}

// What write_scripts wrote, to tell it from what a user changed.
fs::path copy_of(const fs::path& script) { return script.parent_path() / "frozen" / "scripts" / script.filename(); }
fs::path options_file(const fs::path& run) { return run / "frozen" / "scripts" / "options.json"; }

std::string options_text(const SlurmOptions& o) {
  const json all = {{"partition", o.partition},
                    {"gpus", o.gpus},
                    {"gres", o.gres},
                    {"time", o.time},
                    {"account", o.account},
                    {"cores", o.cores},
                    {"array_limit", o.array_limit},
                    {"more", o.more},
                    {"merge", o.merge},
                    {"shards", o.shards},
                    {"sweep", o.sweep}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace

Result<std::vector<std::string>> submitted_arrays(const fs::path& run) {
  std::vector<std::string> numbers;
  std::error_code none;
  if (!fs::exists(numbers_folder(run), none)) return numbers;
  WT_TRY(numbers, list_shared(numbers_folder(run)));
  std::erase_if(numbers, [](const std::string& name) { return !is_number(name); });
  std::sort(numbers.begin(), numbers.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return numbers;
}

bool was_submitted(const fs::path& run) {
  const auto numbers = submitted_arrays(run);
  return numbers && !numbers->empty();
}

fs::path array_file(const fs::path& run) { return run / "array.sh"; }
fs::path merge_file(const fs::path& run) { return run / "merge.sh"; }
fs::path logs_of(const fs::path& run) { return run / "logs"; }
fs::path merged_database(const fs::path& run) { return run / "merged.db"; }

std::string array_script(const SlurmScripts& s, const SlurmOptions& o) {
  std::string text = fmt::format(R"(#!/bin/bash
# Works through the sweep in {0}.
# Each task of this array claims one job after another and publishes its results. A task does not need other tasks.
# Submit it again at any time: only unfinished jobs run. Written by warptune; you may change it.
#SBATCH --job-name=warptune-{1}
#SBATCH --array={2}
#SBATCH --output={3}
#SBATCH --open-mode=append
# After a preemption or the loss of a node, Slurm starts the task again. The task continues with the next job.
#SBATCH --requeue
# The GPUs of a task must be on one node.
#SBATCH --nodes=1
# Slurm sends SIGTERM a minute before the time limit. warptune then publishes its results and hands the job back.
#SBATCH --signal=B:TERM@{4}
)",
                                 s.run.string(), run_name(s.run), array_range(o.tasks, o.array_limit),
                                 log_file(s.run, "%A_%a.log"), kSecondsToStop);
  add(text, "--partition", o.partition);
  add(text, "--gpus", o.gpus == "0" ? "" : o.gpus);
  add(text, "--gres", o.gres);
  add(text, "--cpus-per-task", o.cores > 0 ? std::to_string(o.cores) : "");
  add(text, "--time", o.time);
  add(text, "--account", o.account);
  for (const std::string& option : o.more) add(text, option);
  std::string command = quote_for_script(s.program.string());
  for (const std::string& word : s.words) command += " " + quote_for_script(word);
  return text + fmt::format(R"(
# With this number, --status and --cancel find the waiting tasks, even if you submitted the script yourself.
[ -z "$SLURM_ARRAY_JOB_ID" ] || touch {0}/"$SLURM_ARRAY_JOB_ID"
export WARPTUNE_TEMPLATES={1}
# Compiled kernels stay on the node: a shared home directory would be slow.
export XDG_CACHE_HOME="${{WARPTUNE_NODE_CACHE:-${{TMPDIR:-/tmp}}/warptune-cache-$(id -u)}}"
# With exec, Slurm's signals reach warptune itself.
exec {2} --run {3}
)",
                            quote_for_script(numbers_folder(s.run).string()), quote_for_script(s.templates.string()),
                            command, quote_for_script(s.run.string()));
}

std::string merge_script(const SlurmScripts& s, const SlurmOptions& o) {
  std::string text = fmt::format(R"(#!/bin/bash
# Merges all results in {0} into {0}/merged.db. Runs after the array, on one core and without a GPU.
# Submit it again at any time, even while tasks are running. Written by warptune; you may change it.
#SBATCH --job-name=warptune-merge-{1}
#SBATCH --output={2}
)",
                                 s.run.string(), run_name(s.run), log_file(s.run, "merge_%j.log"));
  add(text, "--partition", o.partition);
  add(text, "--account", o.account);
  for (const std::string& option : o.merge) add(text, option);
  return text + fmt::format(R"(
# SQLite writes only on the node. The finished database is then copied, and gets its name in one step.
local=$(mktemp -d) || exit
part={1}/merged.db.$(hostname).$$
trap 'rm -rf "$local" "$part" "$part.begin"' EXIT
touch "$part.begin" || exit # the database gets this time, so that --status knows which results it has
(cd "$local" && {0} merge -o merged.db {1})
code=$? # 1: some results are missing; the database has the others
[ $code -le 1 ] || exit $code
cp "$local/merged.db" "$part" && touch -r "$part.begin" "$part" && mv "$part" {1}/merged.db || exit
echo "The merged database is now "{1}/merged.db
{0} sweep --status {1}
exit $code
)",
                            quote_for_script(s.program.string()), quote_for_script(s.run.string()));
}

Result<std::vector<std::string>> write_scripts(const SlurmScripts& s, const SlurmOptions& o) {
  std::vector<std::string> kept;
  const auto write = [&](const fs::path& file, const std::string& text) -> Result<void> {
    const fs::path copy = copy_of(file);
    WT_TRY(const auto there, read_shared(file));
    WT_TRY(const auto written, read_shared(copy));
    if (there && written && *there != *written) {
      kept.push_back(file.filename().string());
      return {};
    }
    WT_CHECK(replace_shared(file, text));
    return replace_shared(copy, text);
  };
  // Slurm fails a task whose output file has no folder, without a word.
  for (const fs::path& folder : {copy_of(array_file(s.run)).parent_path(), logs_of(s.run), numbers_folder(s.run)})
    WT_CHECK(make_shared_folder(folder));
  WT_CHECK(write(array_file(s.run), array_script(s, o)));
  WT_CHECK(write(merge_file(s.run), merge_script(s, o)));
  return kept;
}

Result<void> store_options(const fs::path& run, const SlurmOptions& options) {
  return replace_shared(options_file(run), options_text(options));
}

Result<std::optional<SlurmOptions>> stored_options(const fs::path& run) {
  WT_TRY(const auto text, read_shared(options_file(run)));
  if (!text) return std::nullopt;
  try {
    const json value = json::parse(*text);
    SlurmOptions o;
    o.partition = value.at("partition");
    o.gpus = value.at("gpus");
    o.gres = value.at("gres");
    o.time = value.at("time");
    o.account = value.at("account");
    o.cores = value.at("cores");
    o.array_limit = value.at("array_limit");
    o.more = value.at("more");
    o.merge = value.at("merge");
    o.shards = value.value("shards", o.shards); // earlier versions did not store these
    o.sweep = value.value("sweep", o.sweep);
    return o;
  } catch (const json::exception&) {
    return fail(ErrorKind::database, fmt::format("{} is damaged; delete it, and repeat the command with all options",
                                                 options_file(run).string()));
  }
}

Result<void> find_sbatch() {
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (const std::string_view folder : split(folders, ':'))
    if (!folder.empty() && ::access((fs::path(folder) / "sbatch").c_str(), X_OK) == 0) return {};
  return fail(ErrorKind::bad_input,
              "sbatch was not found, so nothing was submitted; use a login node of the cluster, write the scripts with "
              "--no-submit, or use another launcher (docs/cluster.md)");
}

Result<SlurmJobs> submit_run(const fs::path& run, std::int64_t tasks, std::int64_t array_limit) {
  WT_CHECK(make_shared_folder(numbers_folder(run)));
  SlurmJobs jobs;
  WT_TRY(const auto array,
         ask({"sbatch", "--parsable", "--array=" + array_range(tasks, array_limit), array_file(run).string()}, run,
             fmt::format("nothing was submitted; repeat the command with other options (--partition, --gpus, "
                         "--sbatch-option, ...), or change {} and submit it yourself",
                         array_file(run).string())));
  WT_TRY(jobs.array, job_number(array));
  WT_CHECK(replace_shared(numbers_folder(run) / jobs.array, ""));
  const std::string after = "--dependency=afterany:" + jobs.array, script = merge_file(run).string();
  const auto merge = ask({"sbatch", "--parsable", after, script}, run, fmt::format("change {} if necessary", script));
  if (!merge) // the array stays: its tasks need no merge job
    return fail(merge.error().kind, fmt::format("job {} was submitted with its tasks, but the merge job was not: {}; "
                                                "to submit the merge job, use `sbatch {} {}`",
                                                jobs.array, merge.error().message, after, quote_for_shell(script)));
  WT_TRY(jobs.merge, job_number(*merge));
  return jobs;
}

Result<std::vector<std::string>> queued_arrays(const fs::path& run, const std::string& states) {
  WT_TRY(auto arrays, submitted_arrays(run));
  if (arrays.empty()) return arrays;
  WT_TRY(const auto printed,
         ask({"squeue", "--me", "--states=" + states, "--noheader", "--format=%F"}, run, "check squeue"));
  const std::vector<std::string> queued = lines_of(printed);
  std::erase_if(
      arrays, [&](const std::string& array) { return std::find(queued.begin(), queued.end(), array) == queued.end(); });
  return arrays;
}

Result<std::vector<std::string>> cancel_waiting(const fs::path& run) {
  std::vector<std::string> arrays;
  const auto removed = [&]() -> Result<void> {
    // Only these: scancel fails for jobs that Slurm no longer knows, such as arrays that ended before a --resume.
    WT_TRY(arrays, queued_arrays(run, "PENDING"));
    if (arrays.empty()) return {};
    std::vector<std::string> words = {"scancel", "--state=PENDING"};
    words.insert(words.end(), arrays.begin(), arrays.end());
    WT_CHECK(ask(words, run, "check squeue"));
    return {};
  }();
  if (!removed)
    return fail(removed.error().kind, fmt::format("the run is cancelled, but waiting tasks could not be removed from "
                                                  "the queue: {}; each of these tasks ends as soon as it starts",
                                                  removed.error().message));
  return arrays;
}

} // namespace warptune
