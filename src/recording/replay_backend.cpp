#include "recording/replay_backend.h"

#include "core/device.h"
#include "core/random.h"
#include "recording/recorded_params.h"
#include "recording/recording.h"
#include "worker/trial_of.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace warptune {
namespace {

class ReplayBackend final : public Backend {
 public:
  explicit ReplayBackend(std::filesystem::path path) : path_(std::move(path)) {}

  Result<DeviceInfo> device() override {
    if (!have_) {
      // No kernel is set yet (when listing devices): use the device of the first recording.
      const auto entries = list_recordings(path_);
      if (entries.empty()) {
        auto broken = load_recording(path_);
        return broken ? replayed(*broken) : Result<DeviceInfo>(tl::make_unexpected(broken.error()));
      }
      WT_TRY(auto first, load_recording(entries.front().file));
      return replayed(first);
    }
    return replayed(recording_);
  }

  Result<Roofs> measure_roofs() override {
    WT_TRY(auto info, device());
    return info.roofs;
  }

  Result<void> set_kernel(const ProblemSetup& setup) override {
    const std::string problem = problem_key(setup.kernel.spec, setup.problem);
    WT_TRY(auto found, find_recording(path_, setup.kernel.spec.name, problem));
    const bool imported = found.source_hash.empty();
    if (!adopt_params(setup.kernel.spec, found))
      return fail(ErrorKind::bad_input,
                  fmt::format("the params in the recording of {} in {} differ from those that the kernel has now; {}",
                              found.kernel, path_.string(),
                              imported ? "use a recording that has the kernel's params" : "make a new recording"));
    if (found.device.limits.sm_count <= 0 || found.device.limits.max_shared_per_block <= 0)
      return fail(ErrorKind::bad_input,
                  fmt::format("the recording of {} in {} lacks the limits of its device, so warptune cannot tell which "
                              "configurations are valid; import it again with --arch",
                              found.kernel, path_.string()));
    recording_ = std::move(found);
    by_config_.clear();
    for (std::size_t i = 0; i < recording_.trials.size(); ++i) by_config_[recording_.trials[i].config] = i;
    problem_ = setup.problem;
    kernel_hash_ = setup.kernel.source_hash;
    seed_ = setup.seed;
    rounds_ = 0;
    have_ = true;
    notes_.clear();
    notes_.push_back("recorded, not measured now: the times come from " + origin_text(recording_));
    other_sources_ = recording_.source_hash != setup.kernel.source_hash;
    unknown_sources_ = imported || recording_.source_hash == kSourcesNotKnown;
    if (other_sources_)
      notes_.push_back(
          fmt::format(fmt::runtime(unknown_sources_ ? "the recording does not name the sources of {} from which it was "
                                                      "made, so its times may not hold for the present sources"
                                                    : "the recording was made from other sources of {}, so its times "
                                                      "may not hold for the present sources"),
                      recording_.kernel));
    return {};
  }

  Trial other_l2(const Config& config, const Compiled& compiled) const {
    return trial_of(config, compiled, TrialStatus::invalid,
                    fmt::format("recorded with a {} L2 cache; {} --warm-l2", recording_.cold_l2 ? "cold" : "warm",
                                recording_.cold_l2 ? "leave out" : "add"));
  }

  Result<void> open(const ProblemSetup& setup) override {
    const bool is_set = have_ && recording_.kernel == setup.kernel.spec.name && problem_ == setup.problem &&
                        kernel_hash_ == setup.kernel.source_hash && seed_ == setup.seed;
    return is_set ? Result<void>() : set_kernel(setup);
  }
  std::vector<std::string> notes() const override { return notes_; }

  Compiled compile(const Config& config, const DeviceInfo&, double) override {
    const Trial* t = find(config);
    if (!t) return {TrialStatus::invalid, "not in the recording", {}, {}, 0};
    const bool failed_here = t->status == TrialStatus::invalid || t->status == TrialStatus::compile_failed;
    return {failed_here ? t->status : TrialStatus::ok,
            failed_here ? t->evidence : std::string(),
            {},
            t->resources,
            t->compile_ms};
  }

  Evaluation evaluate(const Config& config, const Compiled& compiled, const MeasureOptions& options) override {
    // Imported recordings do not say whether their times are cold or warm; none of them can become a winner.
    if (options.cold_l2 != recording_.cold_l2 && !recording_.source_hash.empty())
      return {other_l2(config, compiled), false};
    if (const Trial* t = find(config)) {
      Trial trial = *t;
      trial.profile.reset(); // callers request it with profile()
      trial.power.reset();
      return {std::move(trial), false};
    }
    return {trial_of(config, compiled, TrialStatus::invalid, "not in the recording"), false};
  }

  // Returns recorded samples; evaluate() already refused trials with the other L2 setting. They come from no common
  // round, so the round has no clock.
  Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>&, const std::vector<float>&,
                      bool) override {
    Round round;
    ++rounds_;
    for (const Config& config : configs) {
      const Trial* t = find(config);
      if (!t || !t->timing) return fail(ErrorKind::internal, "a finalist has no time in the recording");
      std::uint64_t state = mix(seed_ ^ mix(rounds_));
      for (const std::int64_t v : config) state = mix(state ^ static_cast<std::uint64_t>(v));
      const auto& samples = t->timing->samples_us;
      round.samples_us.push_back(samples.empty() ? static_cast<float>(t->timing->median_us)
                                                 : samples[state % samples.size()]);
    }
    return round;
  }

  // A recording has no later launches: return the recorded verdict.
  Result<Verdict> verify_once_more(const Config& config, const Compiled&) override {
    const Trial* t = find(config);
    if (!t || !t->verdict)
      return fail(ErrorKind::no_device, "the recording has no verification result for this configuration");
    return *t->verdict;
  }

  Result<Verdict> examine(const Config&, const Compiled&, Examination) override {
    return fail(ErrorKind::no_device, "a recording launches nothing; examine the configuration on a GPU");
  }

  // Returns the recorded counters, whichever were requested.
  Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>&, const std::string&,
                           bool) override {
    Profiles out;
    if (std::none_of(recording_.trials.begin(), recording_.trials.end(),
                     [](const Trial& t) { return t.profile.has_value(); })) {
      out.unavailable =
          fmt::format("the recording of {} contains no counters; record a session that was tuned with --profile all",
                      recording_.kernel);
      return out;
    }
    for (const Config& config : configs) {
      const Trial* t = find(config);
      out.profiles.push_back(t ? t->profile : std::nullopt);
      out.evidence.emplace_back(out.profiles.back() ? "" : "the recording contains no counters of this configuration");
    }
    return out;
  }

  Result<Samples> sample(const Config&, const Compiled&, double, bool) override {
    return Samples{{}, "a recording launches nothing; sample the configuration on a GPU"};
  }
  Result<Samples> count_instructions(const Config&, const Compiled&) override {
    return Samples{{}, "a recording launches nothing; count the instructions on a GPU"};
  }

  Result<Power> measure_power(const Config& config, const Compiled&, double) override {
    if (std::none_of(recording_.trials.begin(), recording_.trials.end(),
                     [](const Trial& t) { return t.power.has_value(); }))
      return Power{
          {},
          fmt::format(
              "the recording of {} contains no energy measurements; record a session that was tuned with --energy",
              recording_.kernel)};
    const Trial* t = find(config);
    return Power{t ? t->power : std::nullopt, {}};
  }

  Result<Verdict> check(const Config& config, const Problem& problem, std::uint64_t) override {
    const Trial* t = find(config);
    if (other_sources_) {
      Verdict v = t && t->verdict ? *t->verdict : Verdict{};
      v.correct = t && t->status == TrialStatus::ok;
      v.detail = unknown_sources_ ? kRecordedOfUnknownSources : kRecordedOfOtherSources;
      return v;
    }
    if (!t || !t->verdict)
      return fail(ErrorKind::no_device, "the recording has no verification result for this configuration");
    if (problem != problem_) return fail(ErrorKind::no_device, "a recording cannot check another shape");
    Verdict v = *t->verdict;
    if (v.correct) v.detail = kRecorded;
    return v;
  }

 private:
  static Result<DeviceInfo> replayed(const Recording& recording) {
    DeviceInfo device = recording.device;
    device.backend = kReplayBackend;
    device.uuid.clear();
    device.roofs.measured_at = recording.recorded_at;
    if (device.roofs.driver.empty()) device.roofs.driver = device.driver;
    return device;
  }

  const Trial* find(const Config& config) const {
    const auto at = by_config_.find(config);
    return at == by_config_.end() ? nullptr : &recording_.trials[at->second];
  }

  std::filesystem::path path_;
  Recording recording_;
  Problem problem_;
  std::string kernel_hash_; // source hash of the kernel that was set last
  std::map<Config, std::size_t> by_config_;
  std::uint64_t seed_ = 0, rounds_ = 0;
  bool have_ = false, other_sources_ = false, unknown_sources_ = false;
  std::vector<std::string> notes_;
};

} // namespace

Result<std::unique_ptr<Backend>> make_replay_backend(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    return fail(ErrorKind::bad_input,
                fmt::format("no recording at {}: the file or directory does not exist", path.string()));
  return std::make_unique<ReplayBackend>(path);
}

} // namespace warptune
