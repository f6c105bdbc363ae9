#include "cuda/cuda_backend_impl.h"
#include "spec/config.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kMaxFinalists = 64;
constexpr std::uint64_t kRoundSeeds = 0x10001,
                        kLateSeed = 0x8000; // offset of verifications from their round

} // namespace

bool CudaBackend::is_ready(const Config& config) const {
  const auto found = finalists_.find(config_text(setup_->kernel.spec, config));
  return found != finalists_.end() && found->second && found->second->generation == memory_->generation();
}

// Keeps all finalists in memory at once. Growing a workspace for one finalist invalidates the pointers of the finalists
// before it, so the loop repeats until all are ready. Each is launched once and verified; returns one message per
// configuration, empty if correct.
Result<std::vector<std::string>> CudaBackend::prepare_finalists(const std::vector<Config>& configs,
                                                                const std::vector<Compiled>& compiled) {
  std::vector<std::string> wrong(configs.size());
  if (finalists_.size() > kMaxFinalists) finalists_.clear();
  for (bool settled = false; !settled;) {
    settled = true;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      if (is_ready(configs[i])) continue;
      auto& entry = finalists_[config_text(setup_->kernel.spec, configs[i])];
      settled = false;
      WT_TRY(auto candidate,
             prepare(*memory_, setup_->problem, configs[i], i < compiled.size() ? compiled[i].cubin_hash : ""));
      entry = std::move(candidate);
      auto ran = run_verified(*device_, *memory_, *entry);
      if (!ran)
        return fail(ErrorKind::no_candidate,
                    fmt::format("{}: {}", config_text(setup_->kernel.spec, configs[i]), ran.error().evidence));
      wrong[i] = ran->verdict.correct ? "" : ran->verdict.detail;
    }
  }
  return wrong;
}

Result<Round> CudaBackend::round(const std::vector<Config>& configs, const std::vector<Compiled>& compiled,
                                 const std::vector<float>& idle_us, bool cold_l2) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a round");
  if (!memory_) WT_CHECK(ensure_memory());
  stop_counting();
  ++rounds_;
  const std::uint64_t seed = setup_->seed + rounds_ * kRoundSeeds;
  // Run the reference only if a finalist must be verified.
  const bool known = std::all_of(configs.begin(), configs.end(), [&](const Config& c) { return is_ready(c); });
  WT_CHECK(known ? memory_->draw(seed) : memory_->ensure(seed));
  Round round;
  WT_TRY(auto wrong, prepare_finalists(configs, compiled));
  if (std::any_of(wrong.begin(), wrong.end(), [](const std::string& detail) { return !detail.empty(); })) {
    round.samples_us.resize(configs.size());
    round.wrong = std::move(wrong);
    return round;
  }
  const std::size_t count = configs.size();
  std::vector<TimedWork> works;
  std::vector<const TimedWork*> order;
  works.reserve(count);
  for (const Config& config : configs)
    works.push_back(finalists_[config_text(setup_->kernel.spec, config)]->work(*memory_, false));
  // With a warm cache, each sample follows an untimed run of the same finalist, as in an evaluation.
  const std::size_t runs = cold_l2 ? 1 : 2;
  std::vector<float> idle; // idle time after each finalist's last run
  for (std::size_t i = 0; i < count; ++i) {
    order.insert(order.end(), runs, &works[i]);
    idle.resize(order.size());
    if (i < idle_us.size()) idle.back() = idle_us[i];
  }
  auto samples = device_->timer.sample_each(order, cold_l2, device_->stream.get(), idle);
  if (!samples) {
    const RunFailure failure = describe_failure(*device_, samples.error(), device_->timer.deadline_s);
    return fail(ErrorKind::internal, "the finalists could not be timed: " + failure.evidence);
  }
  round.samples_us.resize(count);
  for (std::size_t i = 0; i < count; ++i) round.samples_us[i] = (*samples)[i * runs + runs - 1];
  round.device = device_->timer.readings();
  return round;
}

// All finalists use the same data, so the reference runs once. A loaded finalist is launched as it is, with the state
// that its earlier launches left.
Result<Verdict> CudaBackend::verify_once_more(const Config& config, const Compiled& compiled) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before a verification");
  if (!memory_) WT_CHECK(ensure_memory());
  stop_counting();
  WT_CHECK(memory_->ensure(setup_->seed + rounds_ * kRoundSeeds + kLateSeed));
  WT_TRY(auto wrong, prepare_finalists({config}, {compiled}));
  if (wrong.front().empty()) {
    auto ran = run_verified(*device_, *memory_, *finalists_[config_text(setup_->kernel.spec, config)]);
    if (!ran) return fail(ErrorKind::internal, ran.error().evidence);
    return std::move(ran->verdict);
  }
  Verdict verdict;
  verdict.detail = std::move(wrong.front());
  return verdict;
}

} // namespace warptune
