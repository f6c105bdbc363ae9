#include "cluster/shared_sweep.h"

#include "cluster/facts.h"
#include "cluster/missing_results.h"
#include "cluster/run_jobs.h"
#include "tuner/sweep_job.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using State = ClaimBoard::State;

constexpr std::size_t kMaxToDrawFrom = 32;
constexpr std::size_t kMaxRefusals = 32; // failed attempts to claim, before the folder is read again
// Times that the folder is read again without a pause, because other processes were faster. More of them in a row mean
// that the listing is stale.
constexpr int kQuickLooks = 8;
// Pause of an idle process, per idle process: together they read the folder four times a second, and the last one ends
// soon after the last job.
constexpr double kPausePerIdle_s = 0.25, kLongestPause_s = 2;
constexpr auto kStopPoll = std::chrono::milliseconds(50);

void pause(double seconds, const std::atomic<bool>& stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stop && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStopPoll);
}

ClaimOutcome outcome_of(const JobReport& report) {
  switch (report.state) {
  case JobState::finished:
  case JobState::known:
    return ClaimOutcome::finished;
  case JobState::failed: // a disk error of this process is not the job's fault
    return report.error && report.error->kind == ErrorKind::database ? ClaimOutcome::back : ClaimOutcome::failed;
  default:
    return ClaimOutcome::back;
  }
}

// Whether the job may have failed because of this machine, where a file or memory may be missing.
bool may_be_of_machine(const JobReport& report) {
  return report.state == JobState::failed && report.error &&
         (report.error->kind == ErrorKind::bad_input || report.error->kind == ErrorKind::internal ||
          report.error->kind == ErrorKind::no_device);
}

constexpr const char* kFailedOn = "failed_on"; // fact of a job that was handed back because it failed: the host
// After so many looks without a job at work, no process is only between two jobs.
constexpr int kQuietLooks = 4;

} // namespace

SharedSweep::SharedSweep(fs::path run, RunDescription description, std::unique_ptr<RunProcess> process,
                         std::unique_ptr<LocalResults> results)
    : run_(std::move(run)), description_(std::move(description)), order_(longest_first(description_.jobs)),
      process_(std::move(process)), results_(std::move(results)),
      claims_(run_, process_->id(), description_.lease_s, kMaxLostAttempts, description_.jobs.size()),
      random_(static_cast<std::minstd_rand::result_type>(std::hash<std::string>()(process_->id()))) {}

Result<std::unique_ptr<SharedSweep>> SharedSweep::join(const fs::path& run, RunDescription description,
                                                       std::int64_t shard, std::int64_t shards, const fs::path& local) {
  WT_TRY(auto process, RunProcess::start(run, this_process(shard, shards), description.lease_s));
  WT_TRY(auto results, LocalResults::make(local, run, process->id()));
  return std::unique_ptr<SharedSweep>(
      new SharedSweep(run, std::move(description), std::move(process), std::move(results)));
}

SharedSweep::~SharedSweep() {
  // Not required, because claims of ended processes are taken over: it saves other processes a check.
  if (held_.empty() || !process_->check_run()) return;
  for (const auto& [subject, attempt] : held_) (void)claims_.end({subject, attempt}, ClaimOutcome::back, "{}");
}

Result<void> SharedSweep::introduce(const DeviceInfo& device, const std::string& model) {
  models_.insert(model);
  const ProcessRecord::Device entry{device.uuid.empty() ? device.backend : device.uuid, device.name, model};
  const ProcessRecord record = process_->record();
  if (std::find(record.devices.begin(), record.devices.end(), entry) != record.devices.end()) return {};
  return process_->update([&](ProcessRecord& changed) { changed.devices.push_back(entry); });
}

void SharedSweep::count_done(const ClaimBoard& board) {
  std::size_t done = 0;
  for (const ClaimSubject& subject : board.subjects()) {
    const State state = board.state(subject);
    done += models_.count(subject.model) > 0 && (state == State::finished || state == State::failed) ? 1 : 0;
  }
  done_ = done;
}

Result<std::optional<SharedJob>> SharedSweep::next(const DeviceInfo& device, const std::atomic<bool>& stop) {
  const std::string model = model_key(device);
  int quick_looks = 0, quiet_looks = 0;
  for (std::size_t idle_count = 1;;) {
    {
      const std::lock_guard lock(mutex_);
      WT_CHECK(introduce(device, model));
      WT_TRY(const bool goes_on, process_->goes_on());
      if (stop || !goes_on) return std::nullopt;
      WT_TRY(const auto board, claims_.look());
      count_done(board);
      WT_TRY(const bool is_due, claims_.look_is_due());
      if (is_due) {
        WT_TRY(auto taken, take_over(board, device));
        if (taken) return taken;
      }
      const auto free = free_jobs(board, model, false);
      WT_TRY(auto claimed, claim_any(free, device, board));
      if (claimed) return claimed;
      if (!free.empty()) {
        if (++quick_looks <= kQuickLooks) continue;
        idle_count = 1;
      } else {
        const auto at_work = board.running();
        const bool is_quiet =
            std::none_of(at_work.begin(), at_work.end(), [&](const ClaimName& c) { return c.subject.model == model; });
        if (!is_quiet) quiet_looks = 0;
        const auto failed = free_jobs(board, model, true);
        if (is_quiet && failed.empty()) return std::nullopt;
        WT_TRY(const auto idle, claims_.idle(board));
        // No other process takes them: this one is alone, or they failed there too.
        if (is_quiet && (idle.size() <= 1 || ++quiet_looks > kQuietLooks)) {
          WT_TRY(auto again, claim_any(failed, device, board));
          if (again) return again;
        }
        WT_TRY(const bool stays, is_reserve(idle, model));
        if (!stays) return std::nullopt;
        idle_count = std::max<std::size_t>(idle.size(), 1); // 0: another device of this process has a job
      }
    }
    pause(std::min({kPausePerIdle_s * static_cast<double>(idle_count), description_.lease_s / 4, kLongestPause_s}),
          stop);
  }
}

std::vector<ClaimSubject> SharedSweep::free_jobs(const ClaimBoard& board, const std::string& model,
                                                 bool failed_here) const {
  std::vector<ClaimSubject> free;
  for (const std::size_t job : order_)
    if (ClaimSubject subject{job, model};
        board.state(subject) == State::free && (failed_here_.count(subject) > 0) == failed_here)
      free.push_back(std::move(subject));
  return free;
}

// If all processes tried the longest job first, only one would get it. So each starts at a random one of the N longest,
// where N is the number of running jobs (docs/notes/cluster-simulation.md). For its first claim, it starts at its own
// shard number.
Result<std::optional<SharedJob>> SharedSweep::claim_any(const std::vector<ClaimSubject>& free, const DeviceInfo& device,
                                                        const ClaimBoard& board) {
  if (free.empty()) return std::nullopt;
  const std::size_t longest = std::clamp<std::size_t>(board.running().size(), 1, std::min(free.size(), kMaxToDrawFrom));
  const std::size_t first =
      has_claimed_ ? random_() % longest : static_cast<std::size_t>(process_->record().shard) % free.size();
  for (std::size_t i = 0; i < std::min(free.size(), kMaxRefusals); ++i) {
    const ClaimSubject& subject = free[(first + i) % free.size()];
    WT_TRY(auto claimed, claim({subject, board.last_attempt(subject) + 1}, device, board));
    if (claimed) return claimed;
  }
  return std::nullopt;
}

Result<std::optional<SharedJob>> SharedSweep::take_over(const ClaimBoard& board, const DeviceInfo& device) {
  WT_TRY(const auto lost, claims_.lost(board));
  for (const ClaimName& one : lost) {
    if (one.subject.model != model_key(device)) continue;
    WT_TRY(auto claimed, claim({one.subject, one.attempt + 1}, device, board));
    if (!claimed) continue;
    // The earlier listing may have been stale; since the claim above, it cannot be.
    WT_TRY(const auto now, claims_.look());
    if (now.state(one.subject) != State::finished) {
      if (lost.size() > 1) claims_.look_again(); // a failed node may have held many jobs
      return claimed;
    }
    WT_CHECK(claims_.end({one.subject, one.attempt + 1}, ClaimOutcome::back, "{}"));
    held_.erase(one.subject);
  }
  return std::nullopt;
}

Result<std::optional<SharedJob>> SharedSweep::claim(const ClaimName& name, const DeviceInfo& device,
                                                    const ClaimBoard& board) {
  WT_TRY(const bool is_mine, claims_.take(name, facts_text(facts_of(device))));
  if (!is_mine) return std::nullopt;
  has_claimed_ = true;
  idle_beats_.clear();
  held_[name.subject] = name.attempt;
  SharedJob job{name.subject.job, {}, false};
  // On the same device, continue from the results that were stored when the job was handed back.
  if (const auto before = board.last_with(name.subject, ClaimOutcome::back)) {
    WT_TRY(const auto text, claims_.facts(*before, ClaimOutcome::back));
    const std::string results = fact_text(text, "results");
    job.resume = !results.empty() && fact_text(text, "uuid") == device.uuid;
    if (job.resume) job.database = results_->continue_from(results);
  }
  if (job.database.empty()) job.database = results_->database();
  return job;
}

// While others work on the last jobs, one idle process per model waits to take over jobs of processes that die. The
// others end and free their devices. Before it ends, a process must see the waiting one touch its file, because a
// process that was just killed looks alive for one lease.
Result<bool> SharedSweep::is_reserve(const std::vector<std::string>& idle, const std::string& model) {
  for (const std::string& id : idle) {
    if (id >= process_->id()) return true;
    WT_TRY(const auto text, read_shared(processes_of(run_) / id));
    const auto record = parse_record(text.value_or(""));
    if (!record || std::none_of(record->devices.begin(), record->devices.end(),
                                [&](const ProcessRecord::Device& d) { return d.model == model; }))
      continue;
    WT_TRY(const auto beat, time_of_shared(processes_of(run_) / id));
    if (!beat) continue;
    const auto [first, is_new] = idle_beats_.try_emplace(id, *beat);
    if (!is_new && *beat != first->second) return false; // any change counts: the clock may be set back
  }
  return true;
}

json SharedSweep::facts_of(const DeviceInfo& device) const {
  const ProcessRecord record = process_->record();
  return {{"host", record.host},
          {"pid", record.pid},
          {"shard", record.shard},
          {"device", device.name},
          {"uuid", device.uuid}};
}

Result<void> SharedSweep::ended(const SharedJob& job, const DeviceInfo& device, const JobReport& report) {
  const ClaimSubject subject{job.job, model_key(device)};
  json facts = facts_of(device);
  facts["kernel"] = description_.jobs[job.job].kernel;
  facts["problem"] = description_.jobs[job.job].problem;
  std::error_code none;
  if (auto checked = process_->check_run(); !checked) return results_->keep(checked.error(), job.database);
  if (fs::exists(job.database, none)) { // a job may fail before it stores anything
    WT_TRY(auto published, results_->publish(job.database));
    if (!published.empty()) facts["results"] = std::move(published);
  } else if (report.result.measured > 0 || !fs::exists(job.database.parent_path(), none)) {
    return fail(ErrorKind::database, deleted_database(job.database));
  }
  const SessionResult& result = report.result;
  facts["trials"] = result.measured;
  facts["wall_s"] = result.wall_s;
  if (!result.best.config.empty()) {
    facts["best_us"] = result.best.median_us;
    facts["config"] = result.best.config;
  }
  if (report.error) facts["error"] = report.error->message;
  ClaimOutcome outcome = outcome_of(report);
  {
    const std::lock_guard lock(mutex_);
    if (may_be_of_machine(report)) {
      WT_TRY(const bool is_final, failed_before(subject));
      if (is_final) {
        failed_here_.erase(subject);
      } else {
        outcome = ClaimOutcome::back;
        facts[kFailedOn] = process_->record().host;
        failed_here_.insert(subject);
      }
    }
    const auto held = held_.find(subject);
    WT_CHECK(claims_.end({subject, held->second}, outcome, facts_text(facts)));
    held_.erase(held);
  }
  if (outcome != ClaimOutcome::back) ++done_;
  process_->note([&](ProcessRecord& record) {
    record.trials += result.measured;
    record.worked_s = std::chrono::duration<double>(Clock::now() - start_).count();
    if (outcome == ClaimOutcome::back) return;
    ++record.jobs;
    record.failed += outcome == ClaimOutcome::failed ? 1 : 0;
    record.cost_s += description_.jobs[job.job].cost_s;
  });
  return {};
}

Result<bool> SharedSweep::failed_before(const ClaimSubject& subject) const {
  if (failed_here_.count(subject) > 0) return true;
  WT_TRY(const auto board, claims_.look());
  const auto before = board.last_with(subject, ClaimOutcome::back);
  if (!before) return false;
  WT_TRY(const auto text, claims_.facts(*before, ClaimOutcome::back));
  const std::string host = fact_text(text, kFailedOn);
  return !host.empty() && host != process_->record().host;
}

std::vector<std::string> SharedSweep::problems() const {
  std::vector<std::string> sentences;
  if (!failed_here_.empty())
    sentences.push_back(fmt::format("{} that failed on this machine {} left to the other processes",
                                    failed_here_.size() == 1 ? "1 job" : fmt::format("{} jobs", failed_here_.size()),
                                    failed_here_.size() == 1 ? "was" : "were"));
  for (const fs::path& database : results_->damaged())
    sentences.push_back(fmt::format("{} is damaged, so its unfinished job was started again; move the file out of "
                                    "results/, and repeat the command with --resume to repeat its finished jobs",
                                    database.string()));
  for (const auto& [subject, error] : claims_.given_up()) {
    const RunJob& job = description_.jobs[subject.job];
    sentences.push_back(fmt::format("{} {}: {}", job.kernel, job.problem, error));
  }
  return sentences;
}

Result<ResumedJobs> resume_run(const fs::path& run) {
  WT_TRY(const auto description, open_run(run));
  WT_TRY(const auto process, RunProcess::start(run, this_process(0, 1), description.lease_s));
  Claims claims(run, process->id(), description.lease_s, kMaxLostAttempts, description.jobs.size());
  WT_TRY(const auto board, claims.look());
  ResumedJobs resumed;
  WT_TRY(const auto missing, missing_results(run, board));
  for (const MissingResult& one : missing) WT_CHECK(claims.end(one.claim, ClaimOutcome::lost, "{}"));
  resumed.missing = missing.size();
  for (const ClaimSubject& subject : board.subjects()) {
    if (board.state(subject) != State::failed) continue;
    WT_CHECK(claims.free_again({subject, board.last_attempt(subject)}));
    ++resumed.failed;
  }
  std::error_code error;
  fs::remove(cancel_file(run), error);
  if (error)
    return fail(ErrorKind::database, fmt::format("the run stays cancelled, because {} cannot be removed: {}; remove it",
                                                 cancel_file(run).string(), error.message()));
  return resumed;
}

} // namespace warptune
