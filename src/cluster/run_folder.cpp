#include "cluster/run_folder.h"

#include "cluster/claims.h"
#include "cluster/run_process.h"
#include "cluster/shared_file.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersionOfFormat = 1;
constexpr double kMaxLease_s = 86400; // the limit of --lease
// What a run folder may contain before run.json exists, because several processes may create it.
constexpr std::array<std::string_view, 6> kOwn = {"claims", "processes", "results", "trials", "logs", "frozen"};

fs::path description_file(const fs::path& run) { return run / "run.json"; }

std::string description_text(const RunDescription& run) {
  json jobs = json::array();
  for (const RunJob& job : run.jobs)
    jobs.push_back({{"kernel", job.kernel}, {"problem", job.problem}, {"cost_s", job.cost_s}});
  const json all = {{"warptune_run", kVersionOfFormat}, {"sweep", run.sweep},     {"digest", run.digest},
                    {"lease_s", run.lease_s},           {"version", run.version}, {"jobs", jobs},
                    {"command", run.command},           {"split", run.split}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n"; // the sweep's name may contain any bytes
}

Result<RunDescription> parse_description(const std::string& text, const fs::path& run_folder) {
  try {
    const json value = json::parse(text);
    if (const double version = value.at("warptune_run"); version > kVersionOfFormat)
      return fail(ErrorKind::database, fmt::format("{} was written by a newer warptune; use that version",
                                                   description_file(run_folder).string()));
    RunDescription run;
    run.sweep = value.at("sweep");
    run.digest = value.at("digest");
    run.lease_s = value.at("lease_s");
    run.version = value.at("version");
    for (const json& job : value.at("jobs"))
      run.jobs.push_back({job.at("kernel"), job.at("problem"), job.at("cost_s")});
    run.command = value.value("command", "");
    const double split = value.value("split", 0.0);
    if (!(run.lease_s > 0 && run.lease_s <= kMaxLease_s && split >= 0 && split <= kMaxSplit))
      return damaged_run(run_folder);
    run.split = static_cast<int>(split);
    return run;
  } catch (const json::exception&) {
    return damaged_run(run_folder);
  }
}

// True if there was a run whose run.json was deleted: claims are made only after run.json.
bool is_lost(const fs::path& run) {
  const auto claims = list_shared(Claims::folder_of(run));
  return claims && !claims->empty() && !is_run(run);
}

tl::unexpected<Error> lost_run(const fs::path& run) {
  return fail(
      ErrorKind::database,
      fmt::format(
          "{} is missing or is not a file, but its folder contains other files of a run; restore the missing file, or "
          "name a new run folder; `warptune merge -o all.db {}/*.db` collects the published results",
          description_file(run).string(), results_of(run).string()));
}

// A folder with other files is probably a mistake: a run adds thousands of files to it.
Result<void> check_unused(const fs::path& run) {
  WT_TRY(const auto names, list_shared(run));
  // Another process has just made the run. It may already have written files that are not in kOwn.
  if (std::find(names.begin(), names.end(), "run.json") != names.end()) return {};
  for (const std::string& name : names)
    if (std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end())
      return fail(
          ErrorKind::bad_input,
          fmt::format("the folder {} contains other files, such as {}, so it is not a run folder; name a new folder",
                      run.string(), name));
  return {};
}

Result<RunDescription> make_run(const fs::path& run, const RunDescription& description) {
  for (const fs::path& folder : {run, Claims::folder_of(run), processes_of(run), results_of(run)})
    WT_CHECK(make_shared_folder(folder));
  if (description.split > 0) WT_CHECK(make_shared_folder(trials_of(run)));
  WT_TRY(const bool is_mine, create_shared(description_file(run), description_text(description), Flush::yes));
  return is_mine ? description : open_run(run);
}

} // namespace

fs::path results_of(const fs::path& run) { return run / "results"; }
fs::path trials_of(const fs::path& run) { return run / "trials"; }

bool is_run(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(description_file(folder), error);
}

tl::unexpected<Error> damaged_run(const fs::path& run) {
  return fail(ErrorKind::database, fmt::format("{} is damaged; restore it, or start the sweep in a new run folder",
                                               description_file(run).string()));
}

Result<RunDescription> open_run(const fs::path& run) {
  WT_TRY(const auto text, read_shared(description_file(run)));
  if (!text && is_lost(run)) return lost_run(run);
  if (!text)
    return fail(
        ErrorKind::database,
        fmt::format("there is no run in {0}: it has no run.json; `warptune sweep FILE --run {0}` makes one; if a "
                    "process has just been started, try again",
                    run.string()));
  return parse_description(*text, run);
}

Result<RunDescription> join_run(const fs::path& run, const std::string& sweep, const std::string& digest,
                                const std::function<std::vector<RunJob>()>& list, std::optional<double> lease_s,
                                int split, const std::string& command) {
  Result<RunDescription> found;
  if (is_run(run)) {
    found = open_run(run);
  } else {
    WT_CHECK(make_shared_folder(run));
    if (is_lost(run)) return lost_run(run);
    WT_CHECK(check_unused(run));
    const double lease = lease_s.value_or(split > 0 ? kSplitLease_s : kDefaultLease_s);
    found = make_run(run, {sweep, digest, lease, kVersion, list(), command, split});
  }
  WT_CHECK(found);
  if (found->digest != digest)
    return fail(ErrorKind::bad_input,
                fmt::format("the jobs of the run in {} differ from those of {}: the {}, the sources of the kernels "
                            "or the options have changed{}; restore them, or name a new folder",
                            run.string(), sweep, found->split > 0 ? "problem" : "file",
                            found->command.empty() ? "" : "; the run was made with `" + found->command + "`"));
  if (lease_s && *lease_s != found->lease_s)
    return fail(ErrorKind::bad_input, fmt::format("all processes of the run in {} have a lease of {} s; leave --lease "
                                                  "out, or name a new folder",
                                                  run.string(), found->lease_s));
  if (split > 0 && split != found->split)
    return fail(ErrorKind::bad_input,
                fmt::format("the run in {} splits its problem over {} devices, and all its processes must use this "
                            "number; leave --split out, or name a new folder",
                            run.string(), found->split));
  return found;
}

} // namespace warptune
