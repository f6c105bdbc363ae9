#include "cli/sweep_progress.h"

#include "cli/baseline_column.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/spellings.h"
#include "cli/table.h"
#include "cli/tune_summary.h"
#include "cli/units.h"
#include "core/replace_all.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

constexpr auto kFrame = std::chrono::milliseconds(100);

std::int64_t configurations(const SessionResult& r) {
  std::int64_t all = 0;
  for (const auto& [status, count] : r.by_status) all += count;
  return all;
}

std::string failure_text(const JobReport& report) {
  return "failed: " + (report.error ? first_line(report.error->message) : "no reason is known");
}

std::string count_words(const JobReport& report) {
  const SessionResult& r = report.result;
  const std::string count = count_text(configurations(r), "configuration");
  if (report.state == JobState::known) return fmt::format(" ({}, from an earlier run)", count);
  return fmt::format(" ({}, {})", count, duration_text(r.wall_s));
}

// The outcome of a job with a result.
std::string result_text(const JobReport& report, bool with_share) {
  const SessionResult& r = report.result;
  std::string text = report.state == JobState::interrupted ? "stopped, best so far " : "";
  text += time_text(r.best.median_us);
  if (with_share && r.roofline.share > 0) text += fmt::format(", {} of roofline", share_text(r.roofline.share));
  if (r.best.default_us > 0) text += fmt::format(", {:.2f}x default", r.best.default_us / r.best.median_us);
  return text + baseline_words(r.best);
}

// The outcome in one line, from long to short.
std::vector<std::string> outcome_texts(const JobReport& report) {
  if (report.state == JobState::failed) return {failure_text(report)};
  if (!has_best(report.result))
    return {fmt::format("stopped ({})", count_text(configurations(report.result), "configuration"))};
  const std::string whole = result_text(report, true);
  return {whole + count_words(report), whole, result_text(report, false)};
}

} // namespace

std::string job_text(const SweepJob& job) {
  return job.kernel->spec.name + " " + short_problem(problem_key(job.kernel->spec, job.problem));
}

std::string render_overall(const SweepProgress& p, std::int64_t failed_jobs, double trials_per_s,
                           const ProgressStyle& style) {
  const auto done = static_cast<std::int64_t>(p.done), total = static_cast<std::int64_t>(p.total);
  const LinePart bar{bar_text(done, total)}, percent{percent_text(done, total)};
  const LinePart jobs{fmt::format("{}/{} jobs", done, total)}, jobs_short{fmt::format("{}/{}", done, total)};
  const LinePart rate{trials_per_s >= 0.01 ? three_digits(trials_per_s) + " trials/s" : "", kDim};
  const LinePart failed{failed_jobs > 0 ? fmt::format("{} failed", failed_jobs) : "", kRed};
  const LinePart eta{eta_text(p.eta_s)};
  return fit_line({{bar, jobs, percent, rate, failed, eta},
                   {jobs, percent, rate, failed, eta},
                   {jobs, failed, eta},
                   {jobs_short, eta},
                   {jobs_short}},
                  style);
}

std::string render_device(const SweepJob& job, const SweepProgress::Running& running, const ProgressStyle& style) {
  const Progress p = own_count(running.progress);
  const LinePart device{sanitize(shown_device(running.device)), kDim}, phase{p.phase, kDim}, count{done_text(p)};
  const LinePart name{sanitize(job_text(job))}, kernel{sanitize(job.kernel->spec.name)};
  const LinePart percent{percent_text(p.done, p.total)}, eta{eta_text(p.eta_s)};
  const LinePart best_long{best_text(p, true), kGreen}, best_short{best_text(p, false), kGreen};
  const LinePart failed_long{failed_text(p, true), kRed}, failed_short{failed_text(p, false), kRed};
  return fit_line({{device, name, phase, count, percent, best_long, failed_long, eta},
                   {device, name, count, percent, best_long, failed_short, eta},
                   {device, name, count, best_short, failed_short, eta},
                   {device, name, count, best_short, eta},
                   {device, name, count, best_short},
                   {device, kernel, count, best_short, failed_short, eta},
                   {device, kernel, count, best_short},
                   {device, kernel, count},
                   {kernel, count},
                   {kernel}},
                  style);
}

std::string render_ended(const std::vector<SweepJob>& jobs, const SweepProgress& p, int width) {
  const JobReport& report = *p.ended;
  const std::string count = fmt::format("[{}/{}] ", p.done, p.total);
  const auto limit = static_cast<std::size_t>(std::max(width, 0));
  std::string text;
  for (const std::string& outcome : outcome_texts(report)) {
    text = sanitize(fmt::format("{} {}: {}", job_text(jobs[report.job]), shown_device(report.device), outcome));
    if (limit == 0 || count.size() + display_width(text) <= limit) return count + text;
  }
  std::string lines = wrapped(text, limit, count.size());
  lines.pop_back(); // the last line end
  return count + lines.substr(count.size());
}

SweepPrinter::SweepPrinter(const std::vector<SweepJob>& jobs, std::FILE* stream, bool quiet)
    : jobs_(jobs), stream_(stream), fd_(stream == stdout ? 1 : 2), live_(is_terminal(fd_)), quiet_(quiet) {}

void SweepPrinter::show(const SweepProgress& p) {
  count(p);
  if (quiet_) return;
  if (!live_) {
    if (p.ended != nullptr) print_now(stream_, render_ended(jobs_, p) + "\n");
    return;
  }
  const auto now = Clock::now();
  if (p.ended == nullptr && drawn_ > 0 && now - last_drawn_ < kFrame) return;
  last_drawn_ = now;
  // One column stays free: a full line would wrap on some terminals.
  const ProgressStyle style{terminal_width(fd_) - 1, wants_color(fd_)};
  std::string text = drawn_ > 0 ? fmt::format("\r\x1b[{}A", drawn_) : "\r";
  if (p.ended != nullptr) {
    std::string lines = render_ended(jobs_, p, std::max(style.width, 1)) + "\n";
    replace_all(lines, "\n", "\x1b[K\n"); // each line is written over a live line
    text += lines;
  }
  drawn_ = 0;
  text += live_lines(p, style) + "\x1b[J";
  print_now(stream_, text);
}

std::string SweepPrinter::live_lines(const SweepProgress& p, const ProgressStyle& style) {
  std::int64_t trials = 0;
  for (const auto& [job, measured] : measured_) trials += measured;
  const double rate = p.elapsed_s > 0 ? static_cast<double>(trials) / p.elapsed_s : 0;
  std::string lines = render_overall(p, failed_, rate, style) + "\x1b[K\n";
  for (const SweepProgress::Running& running : p.running)
    lines += render_device(jobs_[running.job], running, style) + "\x1b[K\n";
  drawn_ = 1 + p.running.size();
  return lines;
}

void SweepPrinter::count(const SweepProgress& p) {
  for (const SweepProgress::Running& running : p.running) {
    std::int64_t& measured = measured_[{running.job, running.device}];
    measured = std::max(measured, running.progress.done - running.progress.reused); // later phases count rounds
  }
  if (p.ended == nullptr) return;
  if (p.ended->state == JobState::failed)
    ++failed_;
  else
    measured_[{p.ended->job, p.ended->device}] = p.ended->result.measured;
}

void SweepPrinter::finish() {
  if (drawn_ > 0) print_now(stream_, fmt::format("\r\x1b[{}A\x1b[J", drawn_)); // the summary replaces it
  drawn_ = 0;
}

} // namespace warptune::cli
