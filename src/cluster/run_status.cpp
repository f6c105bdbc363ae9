#include "cluster/run_status.h"

#include "cluster/claims.h"
#include "cluster/facts.h"
#include "cluster/slurm.h"

#include <algorithm>
#include <set>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using State = ClaimBoard::State;

fs::path clock_file(const fs::path& run) { return run / "clock"; }

// Rate of a process per second of work: jobs, trials, and estimated seconds.
struct Speed {
  double jobs = 0, trials = 0, cost = 0;
  void add(const ProcessRecord& record) {
    if (record.worked_s <= 0) return;
    jobs += static_cast<double>(record.jobs) / record.worked_s;
    trials += static_cast<double>(record.trials) / record.worked_s;
    cost += record.cost_s / record.worked_s;
  }
};

std::set<std::string> models_of(const ProcessRecord& record) {
  std::set<std::string> models;
  for (const ProcessRecord::Device& device : record.devices) models.insert(device.model);
  return models;
}

} // namespace

std::size_t RunStatus::alive() const {
  return static_cast<std::size_t>(
      std::count_if(processes.begin(), processes.end(), [](const Process& p) { return p.alive; }));
}

double RunStatus::left_s() const {
  double longest = 0;
  for (const Model& model : models) longest = std::max(longest, model.left_s);
  return longest;
}

bool RunStatus::is_complete() const {
  if (split) return split->finals == State::finished || split->finals == State::failed;
  return !models.empty() && std::all_of(models.begin(), models.end(), [](const Model& model) {
    return model.running + model.lost + model.waiting == 0;
  });
}

RunWatch::RunWatch(fs::path run, RunDescription description)
    : run_(std::move(run)), description_(std::move(description)), trials_(run_, "") {}

Result<RunWatch> RunWatch::open(const fs::path& run) {
  WT_TRY(auto description, open_run(run));
  return RunWatch(run, std::move(description));
}

Result<std::string> RunWatch::fact(const std::string& claim, const char* key) {
  auto known = texts_.find(claim);
  if (known == texts_.end()) {
    WT_TRY(const auto text, read_shared(Claims::folder_of(run_) / claim));
    known = texts_.emplace(claim, text.value_or("")).first;
  }
  return fact_text(known->second, key);
}

Result<std::vector<RunStatus::Process>> RunWatch::processes(bool& own_clock) {
  Heartbeats heartbeats(run_, clock_file(run_), description_.lease_s);
  own_clock = !heartbeats.begin() && !(create_shared(clock_file(run_), "") && heartbeats.begin());
  if (own_clock) heartbeats.begin_by_own_clock();
  WT_TRY(auto names, list_shared(processes_of(run_)));
  std::sort(names.begin(), names.end());
  std::vector<RunStatus::Process> found;
  for (const std::string& name : names) {
    WT_TRY(const auto text, read_shared(processes_of(run_) / name));
    auto record = parse_record(text.value_or(""));
    if (!record) continue;
    const bool has_ended = name.ends_with(kEndedProcess);
    RunStatus::Process process{name, std::move(*record), false, {}};
    if (has_ended)
      process.id.resize(name.size() - kEndedProcess.size());
    else {
      WT_TRY(process.alive, heartbeats.is_alive(name));
    }
    found.push_back(std::move(process));
  }
  return found;
}

Result<void> RunWatch::count(const ClaimBoard& board, RunStatus& status) {
  std::map<std::string, RunStatus::Process*> by_id;
  for (RunStatus::Process& process : status.processes) by_id[process.id] = &process;
  for (RunStatus::Model& model : status.models)
    for (std::size_t job = 0; job < description_.jobs.size(); ++job) {
      const ClaimSubject subject{job, model.key};
      const ClaimName last{subject, board.last_attempt(subject)};
      switch (board.state(subject)) {
      case State::free:
        ++model.waiting;
        break;
      case State::finished:
        ++model.finished;
        break;
      case State::failed: {
        ++model.failed;
        WT_TRY(auto error, fact(last.text() + ".failed", "error"));
        status.failures.push_back({job, model.key, std::move(error)});
        break;
      }
      case State::running: {
        WT_TRY(const auto process, fact(last.text(), "process"));
        const auto owner = by_id.find(process);
        const bool lives = owner != by_id.end() && owner->second->alive;
        ++(lives ? model.running : model.lost);
        if (lives) owner->second->jobs.push_back(job);
        break;
      }
      }
    }
  return {};
}

Result<void> RunWatch::look_at_split(const ClaimBoard& board, RunStatus& status) {
  WT_TRY(const auto trials, trials_.read());
  for (const Trial& trial : trials) {
    ++split_.trials;
    const bool is_ok = trial.status == TrialStatus::ok && trial.timing;
    if (is_ok && (split_.best_us <= 0 || trial.timing->median_us < split_.best_us))
      split_.best_us = trial.timing->median_us;
  }
  for (const ClaimSubject& subject : board.subjects()) {
    if (subject.job != kFinalsJob) continue;
    split_.finals = board.state(subject);
    if (const auto end = board.last_with(subject, ClaimOutcome::failed); end && split_.finals == State::failed) {
      WT_TRY(auto error, fact(end->text() + ".failed", "error"));
      status.failures.push_back({0, subject.model, std::move(error)});
    }
    const auto end = board.last_with(subject, ClaimOutcome::finished);
    if (!end) continue;
    WT_TRY(split_.config, fact(end->text() + ".finished", "config"));
    WT_TRY(const auto text, read_shared(Claims::folder_of(run_) / (end->text() + ".finished")));
    if (const double best_us = fact_number(text, "best_us"); best_us > 0) split_.best_us = best_us;
  }
  status.split = split_;
  return {};
}

Result<RunStatus> RunWatch::look() {
  RunStatus status;
  WT_TRY(status.processes, processes(status.own_clock));
  WT_TRY(const auto cancelled, time_of_shared(cancel_file(run_)));
  status.cancelled = cancelled.has_value();
  WT_TRY(status.arrays, submitted_arrays(run_));
  WT_TRY(const auto script, time_of_shared(array_file(run_)));
  status.has_scripts = script.has_value();
  WT_TRY(const auto names, list_shared(Claims::folder_of(run_)));
  const ClaimBoard board(names, description_.jobs.size());
  WT_TRY(status.merged, is_merged(run_));
  if (description_.split > 0) {
    WT_CHECK(look_at_split(board, status));
    for (const RunStatus::Process& process : status.processes)
      if (process.alive && process.record.worked_s > 0)
        status.trials_per_s += static_cast<double>(process.record.trials) / process.record.worked_s;
    return status;
  }
  std::map<std::string, std::string> models; // key -> name
  for (const ClaimSubject& subject : board.subjects()) models.emplace(subject.model, subject.model);
  for (const RunStatus::Process& process : status.processes)
    for (const ProcessRecord::Device& device : process.record.devices) models[device.model] = device.name;
  for (const auto& [key, name] : models) status.models.push_back({key, name, 0, 0, 0, 0, 0, 0});
  WT_CHECK(count(board, status));
  if (status.is_complete()) {
    WT_TRY(status.missing, missing_results(run_, board));
  }

  Speed all;
  std::map<std::string, Speed> speeds;
  for (const RunStatus::Process& process : status.processes) {
    if (!process.alive) continue;
    all.add(process.record);
    for (const std::string& model : models_of(process.record)) speeds[model].add(process.record);
  }
  status.jobs_per_h = all.jobs * 3600;
  status.trials_per_s = all.trials;
  for (RunStatus::Model& model : status.models) {
    double left = 0;
    for (std::size_t job = 0; job < description_.jobs.size(); ++job)
      if (const State state = board.state({job, model.key}); state == State::free || state == State::running)
        left += description_.jobs[job].cost_s;
    if (const double speed = speeds[model.key].cost; speed > 0) model.left_s = left / speed;
  }
  return status;
}

Result<bool> is_merged(const fs::path& run) {
  WT_TRY(const auto merged_at, time_of_shared(merged_database(run)));
  WT_TRY(const auto published_at, time_of_shared(results_of(run))); // that of the last rename into the folder
  return merged_at && published_at && *merged_at >= *published_at;
}

Result<void> cancel_run(const fs::path& run) {
  WT_CHECK(open_run(run));
  return replace_shared(cancel_file(run), "");
}

} // namespace warptune
