#include "cli/sweep_run.h"

#include "cli/command.h"
#include "cli/device_choice.h"
#include "cli/search_options.h"
#include "cli/units.h"
#include "cluster/claims.h"
#include "cluster/run_jobs.h"
#include "cluster/shared_file.h"
#include "core/text.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace warptune::cli {
namespace {

constexpr double kShortestLease_s = 1;

} // namespace

Result<std::optional<double>> read_lease(const RunArgs& args) {
  if (args.lease.empty()) return std::nullopt;
  double seconds = 0;
  if (!read_timeout(args.lease, "--lease", seconds) || seconds < kShortestLease_s)
    return fail(ErrorKind::bad_input,
                fmt::format("--lease takes a time from 1s to 24h, such as 90s or 2m, not {}", quote(args.lease)));
  return seconds;
}

void add_run_options(Command& command, RunArgs& args) {
  command.add_option("--run", args.run, "Share the work with other processes through the folder DIR (docs/cluster.md)")
      ->type_name("DIR");
  command
      .add_option(
          "--shard", args.shard,
          "This process is number I of N, counted from 0; default: the number from Slurm or Kubernetes, else 0/1")
      ->type_name("I/N");
  add_number_option(
      command, "--shards", args.shards, 1, 1'000'000,
      "Number of processes, if Kubernetes numbers them (JOB_COMPLETION_INDEX); with sweep --slurm: number of tasks");
  command
      .add_option("--local", args.local,
                  "Local folder for the databases that this process writes; default: $TMPDIR or /tmp")
      ->type_name("DIR");
  command
      .add_option("--lease", args.lease,
                  "Take over the jobs of a process that has not touched its file in DIR/processes for this long; "
                  "default 60s, or 10s with tune")
      ->type_name("TIME");
}

Result<void> check_run_options(const RunArgs& args, const std::string& db) {
  if (!args.given()) {
    const char* const given = !args.shard.empty()   ? "--shard"
                              : args.shards > 0     ? "--shards"
                              : !args.local.empty() ? "--local"
                              : !args.lease.empty() ? "--lease"
                                                    : nullptr;
    if (given != nullptr)
      return fail(ErrorKind::bad_input, fmt::format("{} needs --run DIR, the folder that the processes share", given));
    return {};
  }
  if (!db.empty())
    return fail(ErrorKind::bad_input, fmt::format("--run publishes results in its folder, so it cannot be combined "
                                                  "with --db; collect them with `warptune merge -o {} {}`",
                                                  db, args.run));
  return {};
}

bool was_cancelled(const RunArgs& args) {
  const auto cancelled = time_of_shared(cancel_file(args.run));
  return cancelled && *cancelled;
}

Result<RunDescription> make_shared_run(const RunArgs& args, const std::string& sweep, const std::vector<SweepJob>& jobs,
                                       const std::string& device) {
  WT_TRY(const auto lease, read_lease(args));
  WT_TRY(const auto chosen, choose_device(device, {}, nullptr));
  WT_TRY(auto description,
         join_run(
             args.run, sweep, jobs_digest(jobs), [&] { return list_jobs(jobs, chosen.info); }, lease, 0, args.command));
  if (description.jobs.size() != jobs.size() || description.split > 0) return damaged_run(args.run);
  return description;
}

Result<std::unique_ptr<SharedSweep>> join_shared_run(const RunArgs& args, const std::string& sweep,
                                                     const std::vector<SweepJob>& jobs, const std::string& device,
                                                     bool resume, std::vector<std::string>& notes) {
  WT_TRY(const auto number, shard_number(args.shard, args.shards, [](const char* name) { return std::getenv(name); }));
  WT_TRY(auto description, make_shared_run(args, sweep, jobs, device));
  if (resume) {
    WT_TRY(const ResumedJobs resumed, resume_run(args.run));
    const auto note = [&](std::size_t count, const char* why) {
      if (count > 0)
        notes.push_back(fmt::format("{} {} {} tried again", count_text(static_cast<std::int64_t>(count), "job"), why,
                                    count == 1 ? "is" : "are"));
    };
    note(resumed.failed, "that failed before");
    note(resumed.missing, "whose results are missing");
  }
  if (was_cancelled(args))
    return fail(ErrorKind::bad_input, fmt::format("the run in {} was cancelled; --resume continues it", args.run));
  WT_TRY(const auto claims, list_shared(Claims::folder_of(args.run)));
  const ClaimBoard board(claims, description.jobs.size());
  const auto subjects = board.subjects();
  if (const auto failed =
          std::count_if(subjects.begin(), subjects.end(),
                        [&](const ClaimSubject& one) { return board.state(one) == ClaimBoard::State::failed; });
      failed > 0)
    notes.push_back(fmt::format("{} of this run {} failed before; --resume tries {} again", count_text(failed, "job"),
                                failed == 1 ? "has" : "have", failed == 1 ? "it" : "them"));
  return SharedSweep::join(args.run, std::move(description), number.shard, number.shards, args.local);
}

} // namespace warptune::cli
