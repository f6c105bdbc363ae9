#include "tuner/pipeline.h"

#include "worker/trial_of.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr std::size_t kEvidenceKept = 3000; // characters
constexpr int kStopPollMs = 100;            // how soon Ctrl-C is seen

void shorten(std::string& evidence) {
  if (evidence.size() <= kEvidenceKept) return;
  const std::size_t left_out = evidence.size() - kEvidenceKept;
  std::size_t end = kEvidenceKept;
  while (end > 0 && (static_cast<unsigned char>(evidence[end]) & 0xC0u) == 0x80u) --end; // not inside a UTF-8 character
  evidence.resize(end);
  evidence += fmt::format("\n... {} more characters", left_out);
}

} // namespace

Pipeline::Pipeline(const SearchSpace& space, Strategy& strategy, CompileQueue& compilers, DeviceWorker& device,
                   BudgetMeter& budget, PipelineOptions options, TrialBook& book)
    : space_(space), strategy_(strategy), compilers_(compilers), device_(device), budget_(budget),
      options_(std::move(options)), book_(book) {}

void Pipeline::begin() {
  for (const ConfigIndex index : options_.first) add(index);
  propose();
}

Result<void> Pipeline::run(const std::atomic<bool>& stop) {
  if (measured_ + reused_ < counted_) device_.prepare(); // while the first candidates compile
  if (reused_ > 0) options_.progress(nullptr);
  while (true) {
    // Out of time: what is not yet on the device is let go, but something is always measured.
    if (stop)
      end_early(Ending::interrupted);
    else if (budget_.out_of_time(elapsed_s()) && measured_ + reused_ > 0)
      end_early(Ending::seconds);
    WT_TRY(auto compiled, compile());
    WT_TRY(auto evaluated, evaluate());
    WT_TRY(auto recorded, record()); // after the device got its next candidate: a slow disk does not idle it
    if (!strategy_.learns()) propose();
    const bool observed = observe();
    const bool over = stopping_ ? on_device_.empty() : open_.empty();
    if (over && ended_.empty()) return {};
    if (!compiled && !evaluated && !recorded && !observed) wait();
  }
}

// Fills the window. For a strategy that learns it is called once at the start and after each single observation, so
// that the strategy sees the same sequence of calls in every run.
void Pipeline::propose() {
  while (!stopping_) {
    const std::int64_t ahead =
        strategy_.learns() ? kLearningAhead - static_cast<std::int64_t>(open_.size()) : kBlindlyAhead - unfinished_;
    const std::int64_t room = std::min(ahead, budget_.limit() - counted_);
    if (room <= 0) return;
    const auto indices = strategy_.propose(static_cast<std::size_t>(room));
    if (indices.empty()) return; // waits for observations, or is done
    for (const ConfigIndex index : indices) add(index);
  }
}

void Pipeline::add(ConfigIndex index) {
  const std::int64_t ticket = observed_ + static_cast<std::int64_t>(open_.size());
  Candidate& candidate = open_.emplace_back();
  candidate.index = index;
  if (!asked_.insert(index).second) {
    candidate.done = true; // one of the first once more: its trial stands earlier in the line
    return;
  }
  ++counted_;
  if (const auto known = book_.find(index); known != book_.end()) {
    candidate.done = true;
    ++reused_;
    const Trial& trial = known->second;
    if (trial.status == TrialStatus::ok && trial.timing && (best_us_ == 0 || trial.timing->median_us < best_us_))
      best_us_ = trial.timing->median_us;
    return;
  }
  ++unfinished_;
  compilers_.submit({ticket, space_.config(index)});
}

double Pipeline::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

Result<bool> Pipeline::compile() {
  if (stopping_) compilers_.drop_queued();
  WT_TRY(auto finished, compilers_.take());
  for (auto& [ticket, compiled] : finished) {
    if (compiled.no_verdict) return fail(ErrorKind::internal, compiled.evidence);
    Candidate& candidate = at(ticket);
    if (compiled.status == TrialStatus::ok) {
      candidate.compiled = std::move(compiled);
      compiled_.insert(ticket);
      continue;
    }
    end(ticket, trial_of(space_.config(candidate.index), compiled));
  }
  return !finished.empty();
}

Result<bool> Pipeline::evaluate() {
  WT_TRY(auto trial, device_.collect());
  const bool collected = trial.has_value();
  if (collected) {
    end(on_device_.front(), std::move(*trial));
    on_device_.pop_front();
  }
  bool any = collected;
  for (; !stopping_ && device_.has_room() && !compiled_.empty(); any = true) {
    const std::int64_t oldest = *compiled_.begin();
    compiled_.erase(compiled_.begin());
    on_device_.push_back(oldest);
    MeasureOptions measure = options_.measure;
    if (options_.racing && best_us_ > 0) measure.drop_above_us = best_us_ * options_.racing_margin;
    const Candidate& next = at(oldest);
    device_.begin(space_.config(next.index), next.compiled, measure);
  }
  return any;
}

void Pipeline::end(std::int64_t ticket, Trial trial) {
  Candidate& candidate = at(ticket);
  candidate.done = true;
  candidate.compiled = {};
  --unfinished_;
  trial.index = candidate.index;
  shorten(trial.evidence);
  if (trial.status == TrialStatus::ok && trial.timing && (best_us_ == 0 || trial.timing->median_us < best_us_))
    best_us_ = trial.timing->median_us;
  ended_.push_back(std::move(trial));
}

Result<bool> Pipeline::record() {
  const bool any = !ended_.empty();
  for (Trial& trial : ended_) {
    WT_CHECK(options_.record(trial));
    ++measured_;
    const ConfigIndex index = trial.index;
    if (trial.timing) {
      trial.timing->samples_us.clear();
      trial.timing->samples_us.shrink_to_fit();
    }
    const Trial& kept = book_.insert_or_assign(index, std::move(trial)).first->second;
    options_.progress(&kept);
  }
  ended_.clear();
  return any;
}

bool Pipeline::observe() {
  bool any = false;
  const std::int64_t reused_before = reused_;
  while (!stopping_ && !open_.empty() && open_.front().done) {
    const ConfigIndex index = open_.front().index;
    open_.pop_front();
    ++observed_;
    any = true;
    if (told_.insert(index).second) {
      const Trial& trial = book_.at(index);
      const bool ok = trial.status == TrialStatus::ok && trial.timing;
      const Observation observation{index, ok, ok ? trial.timing->median_us : 0};
      strategy_.observe(observation);
      budget_.observe(observation, strategy_);
      if (const auto satisfied = budget_.satisfied()) end_early(*satisfied);
    }
    propose();
  }
  if (reused_ != reused_before) options_.progress(nullptr);
  return any;
}

void Pipeline::end_early(Ending why) {
  stopping_ = true;
  if (!stopped_by_) stopped_by_ = why;
}

Ending Pipeline::ending() const {
  if (stopped_by_) return *stopped_by_;
  if (counted_ >= space_.size()) return Ending::all_tried;
  return counted_ >= budget_.limit() ? Ending::evaluations : Ending::strategy_done;
}

void Pipeline::wait() {
  WorkerProcess* const device = device_.process();
  const int compiled = compilers_.descriptor();
  wait_for_workers({&device, 1}, kStopPollMs, {&compiled, 1});
}

} // namespace warptune
