#include "cli/sweep_status.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/stop_signal.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cluster/slurm.h"
#include "core/shell_words.h"
#include "core/text.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

namespace warptune::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxNodes = 16, kMaxFailures = 4; // on the screen
constexpr auto kRedraw = std::chrono::seconds(2);
constexpr auto kStopPoll = std::chrono::milliseconds(50);

std::string job_name(const RunDescription& description, std::size_t job) {
  return description.jobs[job].kernel + " " + short_problem(description.jobs[job].problem);
}

// Processes of one machine with the same devices.
struct Node {
  std::set<std::string> devices;
  std::size_t processes = 0;
  std::int64_t jobs = 0, trials = 0;
  std::vector<std::size_t> running;
};

std::map<std::string, Node> nodes_of(const RunStatus& status) {
  std::map<std::string, Node> nodes;
  for (const RunStatus::Process& process : status.processes) {
    // A command such as --resume, which made jobs available again and has no device.
    if (!process.alive && process.record.devices.empty() && process.record.jobs == 0) continue;
    Node& node = nodes[process.record.host];
    for (const ProcessRecord::Device& device : process.record.devices) node.devices.insert(device.name);
    node.processes += process.alive ? 1 : 0;
    node.jobs += process.record.jobs;
    node.trials += process.record.trials;
    node.running.insert(node.running.end(), process.jobs.begin(), process.jobs.end());
  }
  return nodes;
}

std::string joined(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "-" : all;
}

std::string render_nodes(const RunDescription& description, const RunStatus& status, int width) {
  std::vector<Column> columns = {left("node"), left("devices"), right("processes"), right("trials")};
  if (!status.split) { // which has only one job
    columns.insert(columns.begin() + 3, right("jobs"));
    columns.push_back(text("working on"));
  }
  Table table(columns);
  const auto nodes = nodes_of(status);
  std::size_t shown = 0;
  for (const auto& [host, node] : nodes) {
    if (shown++ == kMaxNodes) break;
    std::string work = node.running.empty() ? "-" : job_name(description, node.running.front());
    if (node.running.size() > 1) work += fmt::format(" and {} more", node.running.size() - 1);
    std::vector<std::string> cells = {host, joined(node.devices), std::to_string(node.processes),
                                      std::to_string(node.trials)};
    if (!status.split) {
      cells.insert(cells.begin() + 3, std::to_string(node.jobs));
      cells.push_back(work);
    }
    table.add(std::move(cells));
  }
  std::string out = table.empty() ? "" : "\n" + table.render(width);
  if (nodes.size() > kMaxNodes)
    out += fmt::format("and {}\n", count_text(static_cast<std::int64_t>(nodes.size() - kMaxNodes), "more node"));
  return out;
}

std::string render_failures(const RunDescription& description, const RunStatus& status) {
  std::string out;
  for (std::size_t i = 0; i < std::min(status.failures.size(), kMaxFailures); ++i) {
    const RunStatus::Failure& failure = status.failures[i];
    out += fmt::format("failed: {}: {}\n", sanitize(job_name(description, failure.job)), brief(failure.error));
  }
  if (status.failures.size() > kMaxFailures)
    out += fmt::format("failed: {} more\n", status.failures.size() - kMaxFailures);
  return out;
}

const char* finals_text(const RunStatus::Split& split) {
  switch (split.finals) {
  case ClaimBoard::State::free:
    return "waiting";
  case ClaimBoard::State::running:
    return "running";
  case ClaimBoard::State::finished:
    return "finished";
  case ClaimBoard::State::failed:
    return "failed";
  }
  return "";
}

std::string render_split(const RunStatus::Split& split) {
  std::string out = count_text(split.trials, "trial");
  if (split.best_us > 0) out += ", best " + time_text(split.best_us);
  if (!split.config.empty()) out += " with " + sanitize(split.config);
  return "\n" + out + "; finals: " + finals_text(split) + "\n";
}

// What to do if no process is working on the run.
std::string render_idle(const std::string& folder, const RunStatus& status) {
  const bool has_begun = std::any_of(status.processes.begin(), status.processes.end(),
                                     [](const auto& process) { return !process.record.devices.empty(); });
  if (!status.arrays.empty())
    return fmt::format("{}; `squeue --job {}` shows the waiting tasks; if there are none, see the output of the "
                       "earlier tasks in {}/logs, and repeat the command that made the run, with --resume\n",
                       has_begun ? "no task of the run is running" : "no task of the run has started",
                       fmt::join(status.arrays, ","), folder);
  const char* const idle = has_begun ? "no process is working on the run" : "no process has started";
  if (status.has_scripts)
    return fmt::format("{0}; to start the tasks, use `sbatch {1}/array.sh`; their output is in {1}/logs\n", idle,
                       folder);
  return fmt::format("{}; repeat the command that made the run, on any machine\n", idle);
}

std::string render_next(const std::string& run, const RunStatus& status) {
  const std::string folder = sanitize(quote_path_for_shell(run));
  if (status.is_complete()) {
    if (!status.missing.empty())
      return fmt::format("{}; put the files back, or repeat the command that made the run, with --resume\n",
                         missing_text(status.missing));
    const bool has_results = status.split || std::any_of(status.models.begin(), status.models.end(),
                                                         [](const auto& model) { return model.finished > 0; });
    if (!has_results) return "done, but no job has a result; --resume tries the jobs again\n";
    const std::string collect = fmt::format("`warptune merge -o all.db {}`", folder);
    std::string out =
        status.merged ? fmt::format("done; {}/merged.db has all results\n", folder)
        : !status.arrays.empty()
            ? fmt::format("done; the merge job will write {}/merged.db; to collect the results now, use {}\n", folder,
                          collect)
            : fmt::format("done; collect the results with {}\n", collect);
    if (!status.failures.empty()) out += "--resume tries failed jobs again\n";
    return out;
  }
  if (status.cancelled)
    return fmt::format("cancelled{}; to continue the run, repeat the command that made it, with --resume\n",
                       status.alive() > 0 ? "; its processes are releasing their jobs" : "");
  if (status.alive() == 0) return render_idle(folder, status);
  if (status.split) return fmt::format("{} trials/s\n", three_digits(status.trials_per_s));
  if (status.jobs_per_h <= 0) return "the speed will be shown after the first job has ended\n";
  return fmt::format("{} jobs/h, {} trials/s{}\n", three_digits(status.jobs_per_h), three_digits(status.trials_per_s),
                     status.left_s() > 0 ? ", about " + duration_text(status.left_s()) + " left" : "");
}

json status_json(const std::string& run, const RunDescription& description, const RunStatus& status) {
  json models = json::array(), processes = json::array(), failures = json::array(), missing = json::array();
  for (const RunStatus::Model& model : status.models)
    models.push_back({{"device", model.name},
                      {"finished", model.finished},
                      {"failed", model.failed},
                      {"running", model.running},
                      {"lost", model.lost},
                      {"waiting", model.waiting},
                      {"left_s", model.left_s > 0 ? json(model.left_s) : json()}});
  for (const RunStatus::Process& process : status.processes) {
    json devices = json::array(), jobs = json::array();
    for (const ProcessRecord::Device& device : process.record.devices) devices.push_back(device.name);
    for (const std::size_t job : process.jobs) jobs.push_back(job_name(description, job));
    processes.push_back({{"host", process.record.host},
                         {"pid", process.record.pid},
                         {"shard", process.record.shard},
                         {"slurm_job", process.record.slurm_job.empty() ? json() : json(process.record.slurm_job)},
                         {"alive", process.alive},
                         {"devices", devices},
                         {"jobs", process.record.jobs},
                         {"failed", process.record.failed},
                         {"trials", process.record.trials},
                         {"working_on", jobs}});
  }
  for (const MissingResult& one : status.missing)
    missing.push_back({{"job", job_name(description, one.claim.subject.job)}, {"database", one.database}});
  for (const RunStatus::Failure& failure : status.failures)
    failures.push_back({{"job", job_name(description, failure.job)}, {"error", failure.error}});
  json split;
  if (status.split)
    split = {{"devices", description.split},
             {"trials", status.split->trials},
             {"best_us", status.split->best_us > 0 ? json(status.split->best_us) : json()},
             {"config", status.split->config.empty() ? json() : json(status.split->config)},
             {"finals", finals_text(*status.split)}};
  return {{"run", run},
          {"split", split},
          {"sweep", description.sweep},
          {"jobs", description.jobs.size()},
          {"complete", status.is_complete()},
          {"cancelled", status.cancelled},
          {"own_clock", status.own_clock},
          {"models", models},
          {"processes", processes},
          {"failures", failures},
          {"missing", missing},
          {"merged", status.merged},
          {"jobs_per_h", status.jobs_per_h},
          {"trials_per_s", status.trials_per_s},
          {"left_s", status.left_s() > 0 ? json(status.left_s()) : json()}};
}

// Returns false if the user stopped the command.
bool wait_for_redraw(const std::atomic<bool>& stop) {
  const auto end = std::chrono::steady_clock::now() + kRedraw;
  while (!stop && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStopPoll);
  return !stop;
}

std::string giving_back(std::size_t processes, double lease_s) {
  if (processes == 0) return "no process is working on it";
  return fmt::format("{} within {}",
                     processes == 1 ? "1 process will release its work"
                                    : fmt::format("{} processes will release their work", processes),
                     duration_text(lease_s / 4));
}

std::string removed_text(const std::vector<std::string>& arrays) {
  return arrays.empty() ? "" : fmt::format("; removed the waiting tasks of Slurm job {}", fmt::join(arrays, ", "));
}

// A word that is longer than a line, such as a path, takes several.
std::size_t lines_on_terminal(const std::string& text, std::size_t columns) {
  std::size_t lines = 0;
  for (const std::string_view line : split(std::string_view(text).substr(0, text.rfind('\n')), '\n'))
    lines += std::max<std::size_t>(1, (display_width(line) + columns - 1) / columns);
  return lines;
}

// Wraps each line.
std::string fitted(const std::string& text, int width) {
  std::string out;
  for (const std::string_view line : split(std::string_view(text).substr(0, text.rfind('\n')), '\n'))
    out += wrapped(std::string(line), static_cast<std::size_t>(std::max(width, 0)), 0);
  return out;
}

Result<int> show_live(const std::string& run, RunWatch& watch) {
  const std::atomic<bool>& stop = stop_on_signal("only this display ends, and the run continues");
  std::size_t lines = 0;
  for (;;) {
    WT_TRY(const auto status, watch.look());
    const int width = terminal_width(1) - 1;
    const std::string text = render_status(run, watch.description(), status, width);
    print_now(stdout, (lines > 0 ? fmt::format("\r\x1b[{}A\x1b[J", lines) : "") + text);
    lines = lines_on_terminal(text, static_cast<std::size_t>(width) + 1);
    const bool may_begin = !status.arrays.empty() && !status.cancelled; // tasks may wait in Slurm's queue
    const bool is_over = status.is_complete() || (status.alive() == 0 && !may_begin);
    if (is_over || output_failed() || !wait_for_redraw(stop)) return 0;
  }
}

} // namespace

std::string render_status(const std::string& run, const RunDescription& description, const RunStatus& status,
                          int width) {
  Table models({left("device"), right("jobs"), right("finished"), right("failed"), right("running"), right("lost"),
                right("waiting"), right("left")});
  const std::string total = std::to_string(description.jobs.size());
  for (const RunStatus::Model& model : status.models)
    models.add({model.name, total, std::to_string(model.finished), std::to_string(model.failed),
                std::to_string(model.running), std::to_string(model.lost), std::to_string(model.waiting),
                model.left_s > 0 ? duration_text(model.left_s) : "-"});
  const std::string work = status.split ? "split over " + count_text(description.split, "device")
                                        : count_text(static_cast<std::int64_t>(description.jobs.size()), "job");
  std::string head =
      fmt::format("{} {} in {}: {}, {}\n", status.split ? "tune" : "sweep", sanitize(description.sweep), sanitize(run),
                  work, status.alive() == 1 ? "1 process" : fmt::format("{} processes", status.alive()));
  if (status.split) head += render_split(*status.split);
  std::string out = fitted(head, width);
  if (!models.empty()) out += "\n" + models.render(width);
  out += render_nodes(description, status, width);
  std::string end;
  if (status.own_clock)
    end = "\nthis machine cannot write to the run folder, so the list of live processes depends on the clock of "
          "this machine; if this clock is wrong, the list is wrong too\n";
  return out + fitted(end + "\n" + render_failures(description, status) + render_next(run, status), width);
}

Result<int> show_status(const std::string& run, bool as_json) {
  WT_TRY(auto watch, RunWatch::open(run));
  if (!as_json && is_terminal(1)) return show_live(run, watch);
  WT_TRY(const auto status, watch.look());
  if (as_json)
    print_json(status_json(run, watch.description(), status));
  else
    print(std::string_view(render_status(run, watch.description(), status, terminal_width(1))));
  return 0;
}

Result<int> cancel_sweep(const std::string& run, bool as_json) {
  WT_TRY(auto watch, RunWatch::open(run));
  WT_TRY(const auto before, watch.look());
  const bool is_over = before.is_complete();
  if (!is_over) WT_CHECK(cancel_run(run));
  auto removed = cancel_waiting(std::filesystem::absolute(run));
  if (!removed && !is_over) return fail(removed.error()); // a finished run has no waiting tasks that could do anything
  const auto arrays = removed ? *removed : std::vector<std::string>{};
  WT_TRY(const auto status, watch.look());
  if (as_json)
    print_json({{"run", run}, {"cancelled", !is_over}, {"processes", status.alive()}, {"slurm_jobs", arrays}});
  else if (is_over)
    print("nothing was left to cancel: the run in {} is done{}\n", sanitize(run), removed_text(arrays));
  else
    print("cancelled the run in {}: {}{}; to continue the run, repeat the command that made it, with --resume\n",
          sanitize(run), giving_back(status.alive(), watch.description().lease_s), removed_text(arrays));
  return 0;
}

} // namespace warptune::cli
