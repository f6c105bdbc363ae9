#include "cli/device_list.h"

#include "cli/device_choice.h"
#include "cli/spellings.h"
#include "core/device.h"
#include "core/shell_words.h"
#include "core/text.h"
#include "gpu/devices.h"
#include "recording/recording.h"
#include "space/space.h"
#include "spec/problem_options.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace warptune::cli {
namespace {

Result<std::vector<std::string>> all_cuda_devices() {
  const auto found = list_cuda_devices();
  if (!found)
    return fail(found.error().kind,
                found.error().message + "; without a GPU, use --devices recorded to replay recordings");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < found->size(); ++i) names.push_back(fmt::format("cuda:{}", i));
  return names;
}

bool is_number(std::string_view text) {
  std::int64_t number = 0;
  return parse_integer(text, number) == IntegerError::none && number >= 0;
}

// "auto", "cuda", "cuda:1", "replay", "replay:PATH".
bool is_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  if (is_recorded_device(text)) return true;
  if (colon == std::string_view::npos) return word == "auto" || word == "cuda";
  return word == "cuda" && is_number(text.substr(colon + 1));
}

// One name for each GPU: `auto` and `cuda` are the first one.
std::string gpu(const std::string& name) { return name == "auto" || name == "cuda" ? "cuda:0" : name; }

// "warptune tune gemm --shape m=16,n=8,k=8 --dtype bf16 --set layout=nt --device recorded"
std::string tune_command(const RecordingEntry& entry, const std::string& device) {
  return fmt::format("warptune tune {} {} --device {}", quote_for_shell(entry.kernel), problem_options(entry.problem),
                     quote_for_shell(shown_device(device)));
}

// The advice for a sweep whose recordings are missing.
std::string instead_of_sweep(const std::vector<SweepJob>& jobs, const std::vector<RecordingEntry>& entries,
                             const std::string& device, bool is_shipped) {
  std::string text = is_shipped
                         ? "the shipped sweep `recorded` needs no GPU"
                         : "remove these problems from the file, or name other recordings with --devices recorded:PATH";
  for (const RecordingEntry& entry : entries)
    for (const SweepJob& job : jobs)
      if (job.kernel->spec.name == entry.kernel)
        return text + "; without a GPU, tune a recorded problem, such as: " + tune_command(entry, device);
  return text;
}

} // namespace

Result<std::vector<std::string>> parse_devices(const std::string& text) {
  if (text == "all") return all_cuda_devices();
  const auto bad = [&](std::string_view piece, const std::string& why) {
    return fail(ErrorKind::bad_input, with_advice(fmt::format("--devices {}: {} {}", quote(text), quote(piece), why),
                                                  "write all, cuda:0,1 or recorded:PATH"));
  };
  std::vector<std::string> names;
  for (const std::string_view piece : split(text, ',')) {
    std::string name(piece);
    if (is_number(piece) && (names.empty() || !is_recorded_device(names.back())))
      name = "cuda:" + name;
    else if (!names.empty() && is_recorded_device(names.back()) && !is_device(piece)) {
      names.back() += "," + name; // the comma is part of the path
      continue;
    } else if (!is_device(piece)) {
      const std::string nearest = nearest_name(piece, {"all", "auto", "cuda:0", "recorded"});
      return bad(piece, "is not a device" + (nearest.empty() ? nearest : "; did you mean '" + nearest + "'?"));
    }
    const auto is_same = [&](const std::string& other) { return gpu(other) == gpu(name); };
    if (!is_recorded_device(name) && std::any_of(names.begin(), names.end(), is_same))
      return bad(name, "is listed twice");
    names.push_back(std::move(name));
  }
  return names;
}

Result<void> keep_recorded(const std::vector<std::string>& devices, bool is_shipped, std::vector<SweepJob>& jobs,
                           std::vector<std::string>& notes) {
  constexpr std::size_t kNamed = 3;
  const bool are_all_recorded = std::all_of(devices.begin(), devices.end(), is_recorded_device);
  for (const std::string& device : devices) {
    if (!is_recorded_device(device)) continue;
    WT_CHECK(device_of_recording(device));
    const auto path = recordings_of(device);
    std::set<std::pair<std::string, std::string>> recorded;
    const std::vector<RecordingEntry> entries = list_recordings(path);
    for (const RecordingEntry& entry : entries) recorded.emplace(entry.kernel, entry.problem);
    std::set<std::pair<std::string, std::string>> asked, missing;
    std::vector<std::string> named;
    std::vector<SweepJob> kept;
    for (const SweepJob& job : jobs) {
      const std::string &kernel = job.kernel->spec.name, problem = problem_key(job.kernel->spec, job.problem);
      asked.emplace(kernel, problem);
      if (recorded.count({kernel, problem}) > 0)
        kept.push_back(job);
      else if (missing.emplace(kernel, problem).second && named.size() < kNamed)
        named.push_back(kernel + " " + short_problem(problem));
    }
    if (missing.size() > named.size()) named.push_back(fmt::format("{} more", missing.size() - named.size()));
    if (!missing.empty() && (kept.empty() || !are_all_recorded))
      return fail(ErrorKind::bad_input,
                  fmt::format("{} has no recording for {} of the {} problems ({}), so no job was started; {}",
                              path.string(), missing.size(), asked.size(), fmt::join(named, ", "),
                              instead_of_sweep(jobs, entries, device, is_shipped)));
    if (!missing.empty())
      notes.push_back(fmt::format("left out {} of the {} problems, because {} has no recording of {}", missing.size(),
                                  asked.size(), path.string(), missing.size() == 1 ? "it" : "them"));
    jobs = std::move(kept);
    for (const SweepJob& job : jobs)
      WT_CHECK(
          check_recording(device, job.kernel->spec, job.problem, job.options, is_shipped ? "" : R"("warm_l2": true)"));
  }
  return {};
}

Result<void> check_recording(const std::string& device, const KernelSpec& spec, const Problem& of_session,
                             const SessionOptions& session, std::string_view warm_option) {
  if (!is_recorded_device(device)) return {};
  const std::string &kernel = spec.name, problem = problem_key(spec, of_session);
  const auto recording = find_recording(recordings_of(device), kernel, problem);
  if (!recording) { // the session reports it, but would not say that no configuration is valid for this problem
    const auto info = device_of_recording(device);
    return info ? SearchSpace::build(spec, of_session, *info).map([](const SearchSpace&) {}) : Result<void>();
  }
  // For imported times, the state of the L2 is not known.
  if (!recording->source_hash.empty() && recording->cold_l2 != session.measure.cold_l2)
    return fail(ErrorKind::bad_input,
                fmt::format("the recording of {} {} was made with a {} L2 cache; {}", kernel, short_problem(problem),
                            recording->cold_l2 ? "cold" : "warm",
                            warm_option.empty() ? "this shipped sweep needs a GPU; `recorded` needs none"
                                                : fmt::format("{} {} to replay it",
                                                              recording->cold_l2 ? "leave out" : "add", warm_option)));
  const auto has_energy = [](const Trial& trial) { return trial.power.has_value(); };
  if (session.objective != Objective::time &&
      std::none_of(recording->trials.begin(), recording->trials.end(), has_energy))
    return fail(ErrorKind::bad_input,
                fmt::format("the recording of {} {} contains no energy measurements, which the objective {} needs; "
                            "use the objective time, or record a session that was tuned with --energy",
                            kernel, short_problem(problem), objective_name(session.objective)));
  return {};
}

} // namespace warptune::cli
