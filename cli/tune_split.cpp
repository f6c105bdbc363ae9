#include "cli/tune_split.h"

#include "cli/command.h"
#include "cli/device_choice.h"
#include "cli/device_list.h"
#include "cluster/run_jobs.h"
#include "core/device.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

Result<ShardNumber> number_of(const SplitArgs& args) {
  return shard_number(args.run.shard, args.run.shards, [](const char* name) { return std::getenv(name); });
}

// For `--split K` without a list of devices: K of this machine, or one recording K times.
Result<std::vector<std::string>> devices_for(std::int64_t split, const std::string& device) {
  const auto count = static_cast<std::size_t>(split);
  if (is_recorded_device(device)) return std::vector<std::string>(count, device);
  if (device != "auto" && device != "cuda")
    return fail(ErrorKind::bad_input, fmt::format("--split {} needs {} devices, but --device names one; list them with "
                                                  "--devices, or let other processes join with --run DIR",
                                                  split, split));
  WT_TRY(auto all, parse_devices("all"));
  if (all.size() < count)
    return fail(ErrorKind::no_device, fmt::format("--split {} needs {} devices, but this machine has {}; let processes "
                                                  "on other machines join with --run DIR",
                                                  split, split, all.size()));
  all.resize(count);
  return all;
}

// Devices that share a search must be of one model, because their times are compared.
Result<void> check_one_model(const std::vector<std::string>& devices) {
  std::string first, model;
  for (const std::string& device : devices) {
    if (!device.starts_with("cuda:") && !(device == "cuda" || device == "auto")) continue;
    WT_TRY(const auto info, find_cuda_device(device));
    if (model.empty()) {
      first = info.name;
      model = model_key(info);
    }
    if (model_key(info) != model)
      return fail(ErrorKind::bad_input, fmt::format("--devices names GPUs of two models, {} and {}; one problem can be "
                                                    "split only over GPUs of one model",
                                                    first, info.name));
  }
  return {};
}

} // namespace

void add_split_options(Command& command, SplitArgs& args) {
  command.add_option("--devices", args.devices, "Devices that share the problem: all or cuda:0,1; instead of --device")
      ->type_name("DEVICES");
  add_number_option(command, "--split", args.split, 1, kMaxSplit,
                    "Number of devices that share the problem, including those of other processes");
  add_run_options(command, args.run);
}

Result<void> choose_devices(const SplitArgs& args, SessionOptions& session) {
  std::vector<std::string> devices = {session.device};
  if (!args.devices.empty()) {
    if (session.device != "auto")
      return fail(ErrorKind::bad_input, "--device and --devices both name devices; give one of them");
    WT_TRY(devices, parse_devices(args.devices));
  } else if (args.split > 1 && !args.run.given()) {
    WT_TRY(devices, devices_for(args.split, session.device));
  }
  const auto count = static_cast<std::int64_t>(devices.size());
  if (args.split > 0 && count > args.split)
    return fail(ErrorKind::bad_input,
                fmt::format("--devices names {} devices, more than --split {}; name fewer devices, "
                            "or use a larger --split",
                            count, args.split));
  if (args.split > 0 && count < args.split && !args.run.given())
    return fail(ErrorKind::bad_input, fmt::format("--split {} needs {} devices, but --devices names {}; leave --split "
                                                  "out, or let other processes join with --run DIR",
                                                  args.split, args.split, count));
  if (count > 1) WT_CHECK(check_one_model(devices));
  session.device = devices.front();
  session.more_devices.assign(devices.begin() + 1, devices.end());
  return {};
}

Result<std::unique_ptr<SplitSearch>> join_split(const SplitArgs& args, const Asked& asked,
                                                const SessionOptions& session, bool resume) {
  const std::filesystem::path run = args.run.run;
  WT_TRY(const auto number, number_of(args));
  WT_TRY(const auto lease, read_lease(args.run));
  if (session.profile == ProfileScope::all)
    return fail(ErrorKind::bad_input, "--profile all needs the code of every configuration, but with --run this code "
                                      "is on several machines; use --profile best");
  const auto here = static_cast<std::int64_t>(1 + session.more_devices.size());
  const std::int64_t split = args.split > 0 ? args.split : is_run(run) ? 0 : std::min(number.shards * here, kMaxSplit);
  const std::vector<SweepJob> jobs = {{std::make_shared<Kernel>(asked.kernel), asked.problem, session}};
  const std::string name = fmt::format("{} {}", asked.kernel.spec.name, short_problem(asked.key()));
  // "split": this run is not the run of a sweep of the same problem.
  WT_TRY(auto description, join_run(
                               run, name, "split " + jobs_digest(jobs),
                               [&] {
                                 return std::vector<RunJob>{{asked.kernel.spec.name, asked.key(), 0}};
                               },
                               lease, static_cast<int>(split), args.run.command));
  if (description.split < 1) return damaged_run(run);
  if (resume) WT_CHECK(resume_run(run));
  if (was_cancelled(args.run))
    return fail(ErrorKind::bad_input, fmt::format("the run in {} was cancelled; --resume continues it", args.run.run));
  return SplitSearch::join(run, std::move(description), number.shard, number.shards, args.run.local);
}

} // namespace warptune::cli
