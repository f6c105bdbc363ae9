#include "cli/sweep_progress.h"

#include "cli/baseline_column.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/spellings.h"
#include "cli/table.h"
#include "cli/tune_summary.h"
#include "cli/units.h"
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

std::string outcome_text(const JobReport& report) {
  const SessionResult& r = report.result;
  const std::string count = count_text(configurations(r), "configuration");
  if (report.state == JobState::failed)
    return "failed: " + brief(report.error ? report.error->message : "no reason is known");
  if (!has_best(r)) return fmt::format("stopped ({})", count);
  std::string text = report.state == JobState::interrupted ? "stopped, best so far " : "";
  text += time_text(r.best.median_us);
  if (r.roofline.share > 0) text += fmt::format(", {} of roofline", share_text(r.roofline.share));
  if (r.best.default_us > 0) text += fmt::format(", {:.2f}x default", r.best.default_us / r.best.median_us);
  text += baseline_words(r.best);
  if (report.state == JobState::known) return text + fmt::format(" ({}, from an earlier run)", count);
  return text + fmt::format(" ({}, {})", count, duration_text(r.wall_s));
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

std::string render_ended(const std::vector<SweepJob>& jobs, const SweepProgress& p) {
  const JobReport& report = *p.ended;
  return fmt::format("[{}/{}] {} {}: {}", p.done, p.total, sanitize(job_text(jobs[report.job])),
                     sanitize(shown_device(report.device)), outcome_text(report));
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
  if (p.ended != nullptr)
    text += shorten(render_ended(jobs_, p), static_cast<std::size_t>(std::max(style.width, 1))) + "\x1b[K\n";
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
