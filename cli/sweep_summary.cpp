#include "cli/sweep_summary.h"

#include "cli/baseline_column.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/spellings.h"
#include "cli/tune_summary.h"
#include "cli/units.h"
#include "core/shell_words.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune::cli {
namespace {

constexpr std::size_t kMaxNotes = 8; // on the screen; --json has them all
constexpr std::size_t kMaxNames = 3; // of jobs that failed alike

std::size_t count_state(const SweepResult& result, JobState state) {
  return static_cast<std::size_t>(
      std::count_if(result.jobs.begin(), result.jobs.end(), [&](const JobReport& r) { return r.state == state; }));
}

void print_job_failures(const std::vector<JobFailures>& all) {
  if (!all.empty()) print("\njobs that failed\n");
  for (const JobFailures& alike : all) {
    std::string names;
    for (std::size_t i = 0; i < alike.jobs.size() && i < kMaxNames; ++i)
      names += (names.empty() ? "" : ", ") + alike.jobs[i];
    if (alike.jobs.size() > kMaxNames) names += fmt::format(" and {} more", alike.jobs.size() - kMaxNames);
    if (alike.jobs.size() == 1)
      print("  {}: {}\n", sanitize(names), sanitize_lines(alike.evidence));
    else
      print("  {} jobs for the same reason ({}); the first message: {}\n    {}\n", alike.jobs.size(),
            kind_name(alike.kind), sanitize_lines(alike.evidence), sanitize(names));
  }
}

void print_failures(const SweepReport& report) {
  print_job_failures(group_job_failures(report.jobs, report.result));
  if (report.failures.empty()) return;
  print("\nconfigurations that failed\n");
  for (const FailureKind& kind : report.failures) {
    std::string line = fmt::format("{} {}", kind.count, status_text(kind.status));
    if (!kind.job.empty()) line += fmt::format(", first {}: {}: {}", kind.job, kind.config, first_line(kind.evidence));
    print("  ");
    print_wrapped(line, 2);
  }
}

} // namespace

const char* state_name(JobState state) {
  switch (state) {
  case JobState::waiting:
    return "not started";
  case JobState::running:
    return "running";
  case JobState::finished:
    return "finished";
  case JobState::known:
    return "known";
  case JobState::failed:
    return "failed";
  case JobState::interrupted:
    return "stopped";
  }
  return "failed";
}

Table sweep_table(const std::vector<SweepJob>& jobs, const SweepResult& result) {
  std::set<std::string> devices;
  BaselineColumn baseline;
  for (const JobReport& report : result.jobs) {
    if (report.state == JobState::waiting) continue;
    devices.insert(report.device);
    baseline.add(report.result.best);
  }
  // A shortened key identifies no problem, so a narrow terminal first omits the columns besides the result, then moves
  // the problems below their rows.
  std::vector<Column> columns = {left("kernel"), left_out(7, whole("problem")), right("best"),
                                 left_out(6, right("roofline")), right("vs default")};
  if (!baseline.empty()) columns.push_back(right(baseline.title()));
  columns.push_back(left_out(4, right("ok")));
  columns.push_back(left_out(5, right("failed")));
  columns.push_back(left_out(3, left("state")));
  if (devices.size() > 1) columns.push_back(left_out(2, left("device")));
  columns.push_back(left_out(1, left("config")));
  Table table(std::move(columns));
  for (const JobReport& report : result.jobs) {
    if (report.state == JobState::waiting) continue;
    const SweepJob& job = jobs[report.job];
    const SessionResult& r = report.result;
    const auto ok = r.by_status.find(TrialStatus::ok);
    const bool counted = !r.by_status.empty();
    std::vector<std::string> cells = {
        job.kernel->spec.name, short_problem(problem_key(job.kernel->spec, job.problem)), time_text(r.best.median_us),
        share_text(r.roofline.share),
        r.best.default_us > 0 && has_best(r) ? fmt::format("{:.2f}x", r.best.default_us / r.best.median_us) : "-"};
    if (!baseline.empty()) cells.push_back(baseline.cell(r.best));
    cells.push_back(counted ? std::to_string(ok == r.by_status.end() ? 0 : ok->second) : "-");
    cells.push_back(counted ? std::to_string(failure_count(r.by_status)) : "-");
    cells.emplace_back(state_name(report.state));
    if (devices.size() > 1) cells.push_back(shown_device(report.device));
    cells.push_back(r.best.config.empty() ? "-" : r.best.config);
    table.add(std::move(cells));
  }
  return table;
}

std::string render_sweep_totals(const std::vector<SweepJob>& jobs, const SweepResult& result, bool is_part) {
  const std::size_t total = is_part ? result.jobs.size() : std::max(jobs.size(), result.jobs.size());
  std::string text;
  std::int64_t measured = 0;
  for (const JobReport& report : result.jobs) measured += report.result.measured;
  for (const JobState state : {JobState::finished, JobState::known, JobState::failed, JobState::interrupted,
                               JobState::running, JobState::waiting}) {
    std::size_t count = count_state(result, state);
    if (state == JobState::waiting) count += total - result.jobs.size();
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state_name(state));
  }
  return fmt::format("{}: {}; {} measured in {}", count_text(static_cast<std::int64_t>(total), "job"),
                     text.empty() ? "nothing to do" : text, count_text(measured, "configuration"),
                     duration_text(result.wall_s));
}

void print_sweep_text(const SweepReport& report, bool wide) {
  const SweepResult& result = report.result;
  if (count_state(result, JobState::waiting) < result.jobs.size()) {
    print("\n");
    print_table(sweep_table(report.jobs, result), wide);
  }
  print_failures(report);
  print("\n");
  print_wrapped(fmt::format("{}sweep {}: {}", result.interrupted ? "stopped: " : "", report.name,
                            render_sweep_totals(report.jobs, result, !report.run.empty())));
  print("stored in {}\n", sanitize(report.run.empty() ? report.database.string() : report.run));
  std::vector<std::string> notes = grouped_notes(report);
  const std::size_t more = notes.size() > kMaxNotes ? notes.size() - kMaxNotes : 0;
  notes.resize(notes.size() - more);
  print_notes(notes);
  if (more > 0) print("note: {}; --json lists all of them\n", count_text(static_cast<std::int64_t>(more), "more note"));
  const std::string db = report.db.empty() ? "" : " --db " + sanitize(quote_for_shell(report.db));
  if (result.interrupted)
    print("\nEverything measured is stored. To resume:\n  {}\n", sanitize(report.resume_command));
  else if (!report.run.empty())
    print("\nNext:\n  warptune sweep --status {0}\n  warptune merge -o all.db {0}\n",
          sanitize(quote_for_shell(report.run)));
  else
    print("\nNext:\n  warptune show best --limit 0{}\n", db);
}

void print_sweep_json(const SweepReport& report) {
  nlohmann::json jobs = nlohmann::json::array(), failures = nlohmann::json::array();
  for (const JobReport& r : report.result.jobs) {
    const SweepJob& job = report.jobs[r.job];
    nlohmann::json out = session_json(*job.kernel, job.problem, r.result, job.options);
    out["state"] = state_name(r.state);
    out["on"] = r.device; // as named by --devices; "device" describes it
    out["error"] = nullptr;
    if (r.error) out["error"] = {{"kind", kind_name(r.error->kind)}, {"message", r.error->message}};
    jobs.push_back(std::move(out));
  }
  for (const FailureKind& kind : report.failures)
    failures.push_back({{"status", status_name(kind.status)},
                        {"count", kind.count},
                        {"job", kind.job},
                        {"config", config_json(kind.config)},
                        {"config_text", kind.config},
                        {"evidence", kind.evidence}});
  nlohmann::json out = {{"sweep", report.name},
                        {"database", report.run.empty() ? nlohmann::json(report.database.string()) : nlohmann::json()},
                        {"run", report.run.empty() ? nlohmann::json() : nlohmann::json(report.run)},
                        {"interrupted", report.result.interrupted},
                        {"total", std::max(report.jobs.size(), report.result.jobs.size())},
                        {"jobs", jobs},
                        {"failures", failures},
                        {"wall_s", report.result.wall_s},
                        {"notes", distinct_notes(report)}};
  if (report.result.interrupted) out["resume"] = report.resume_command;
  print_json(out);
}

} // namespace warptune::cli
