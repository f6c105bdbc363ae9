#include "cli/sweep_failures.h"

#include "cli/sanitize.h"
#include "cli/sweep_progress.h"
#include "tuner/ledger.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warptune::cli {
namespace {

// The newest session of a job without a result; 0 if none is known.
RowId session_of_failed(const SweepJob& job, const std::vector<SessionRecord>& sessions) {
  const std::string key = problem_key(job.kernel->spec, job.problem);
  const std::vector<std::string> spellings = strategy_spellings(strategy_identity(job.options));
  for (const SessionRecord& s : sessions) {
    const SessionIdentity& i = s.identity;
    if (i.kernel == job.kernel->spec.name && i.source_hash == job.kernel->source_hash && i.problem == key &&
        std::find(spellings.begin(), spellings.end(), i.strategy) != spellings.end() &&
        i.budget == ending_text(job.options.budget, job.options.stop_rules) && i.seed == job.options.seed)
      return s.id;
  }
  return 0;
}

// Takes the first failed trial of each status that has no example yet; with `count`, also counts all failed trials.
void read_trials(const Reader& reader, RowId session, const std::string& job, bool count,
                 std::map<TrialStatus, FailureKind>& kinds) {
  const auto rows = reader.trials(session);
  if (!rows) return;
  for (const TrialRow& row : *rows) {
    if (row.trial.status == TrialStatus::ok) continue;
    FailureKind& kind = kinds[row.trial.status];
    if (count) ++kind.count;
    if (!kind.job.empty()) continue;
    kind.job = job;
    kind.config = row.config;
    kind.evidence = first_line(row.trial.evidence);
  }
}

// The first clause of an error without the words that differ between jobs: names, numbers, paths and problems.
std::string without_particulars(const std::string& message, const std::string& kernel) {
  const std::string line = first_line(message);
  std::string clause;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (!word.empty() && word.front() == '(') break;
    const bool particular = word == kernel || word.find_first_of("0123456789=/'") != std::string_view::npos;
    if (!particular) clause += fmt::format(" {}", word);
    if (!word.empty() && (word.back() == ':' || word.back() == ';')) break;
  }
  return clause;
}

} // namespace

std::vector<FailureKind> collect_failures(const std::vector<SweepJob>& jobs, const SweepResult& result,
                                          const Reader* reader) {
  std::map<TrialStatus, FailureKind> kinds;
  std::vector<SessionRecord> sessions;
  if (reader != nullptr)
    if (auto known = reader->sessions()) sessions = std::move(*known);
  std::set<RowId> counted;
  for (const JobReport& report : result.jobs) {
    const SweepJob& job = jobs[report.job];
    // With any other error, the job may have failed before it had a session.
    if (report.state == JobState::failed && report.error && report.error->kind == ErrorKind::no_candidate) {
      const RowId session = session_of_failed(job, sessions);
      if (session > 0 && counted.insert(session).second) read_trials(*reader, session, job_text(job), true, kinds);
      continue;
    }
    bool new_kind = false;
    for (const auto& [status, count] : report.result.by_status) {
      if (status == TrialStatus::ok || count == 0) continue;
      FailureKind& kind = kinds[status];
      kind.count += count;
      new_kind = new_kind || kind.job.empty();
    }
    if (new_kind && reader != nullptr) read_trials(*reader, report.result.session, job_text(job), false, kinds);
  }
  std::vector<FailureKind> all;
  for (auto& [status, kind] : kinds) {
    kind.status = status;
    if (kind.count > 0) all.push_back(std::move(kind));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return all;
}

std::vector<JobFailures> group_job_failures(const std::vector<SweepJob>& jobs, const SweepResult& result) {
  std::vector<JobFailures> all;
  std::map<std::pair<ErrorKind, std::string>, std::size_t> places;
  for (const JobReport& report : result.jobs) {
    if (!report.error) continue;
    const SweepJob& job = jobs[report.job];
    const auto [place, is_new] = places.emplace(
        std::pair(report.error->kind, without_particulars(report.error->message, job.kernel->spec.name)), all.size());
    if (is_new) all.push_back({report.error->kind, report.error->message, {}});
    all[place->second].jobs.push_back(job_text(job) + " on " + report.device);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.jobs.size() > b.jobs.size(); });
  return all;
}

} // namespace warptune::cli
