#include "tuner/sweep.h"

#include <chrono>
#include <utility>

namespace warptune {

Result<SweepResult> run_sweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                              const std::function<void(const SweepProgress&)>& progress,
                              const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  SweepResult result;
  SweepProgress now;
  now.total = jobs.size();
  for (std::size_t i = 0; i < jobs.size() && !stop; ++i) {
    SessionOptions session = jobs[i].options;
    session.device = options.devices.front();
    session.database = options.database;
    session.cache_directory = options.cache_directory;
    session.worker_executable = options.worker_executable;
    session.resume = options.resume;
    session.compile_workers = options.compile_workers;
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto show = [&](const Progress& p) {
      now.running = {{i, session.device, p}};
      now.elapsed_s = elapsed();
      progress(now);
    };
    auto done = run_session(*jobs[i].kernel, jobs[i].problem, session, show, stop);
    JobReport report{i, session.device, JobState::finished, {}, {}};
    if (!done) {
      report.state = JobState::failed;
      report.error = done.error();
    } else {
      if (done->interrupted) report.state = JobState::interrupted;
      report.result = std::move(*done);
    }
    result.jobs.push_back(std::move(report));
    ++now.done;
    now.running.clear();
    now.ended = &result.jobs.back();
    now.elapsed_s = elapsed();
    progress(now);
    now.ended = nullptr;
  }
  result.interrupted = stop;
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace warptune
