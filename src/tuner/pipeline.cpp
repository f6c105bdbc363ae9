#include "tuner/pipeline.h"

#include "worker/trial_of.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr std::size_t kEvidenceKept = 3000; // characters
constexpr int kStopPollMs = 100;            // maximum delay until Ctrl-C is noticed
constexpr int kSharePollMs = 20;            // maximum delay until results of other processes are noticed

void shorten(std::string& evidence) {
  if (evidence.size() <= kEvidenceKept) return;
  const std::size_t left_out = evidence.size() - kEvidenceKept;
  std::size_t end = kEvidenceKept;
  while (end > 0 && (static_cast<unsigned char>(evidence[end]) & 0xC0u) == 0x80u) --end; // not inside a UTF-8 character
  evidence.resize(end);
  evidence += fmt::format("\n... {} more characters", left_out);
}

} // namespace

Pipeline::Pipeline(const SearchSpace& space, Strategy& strategy, CompileQueue& compilers,
                   const std::vector<DeviceWorker*>& devices, BudgetMeter& budget, PipelineOptions options,
                   TrialBook& book)
    : space_(space), strategy_(strategy), ahead_(candidates_ahead(strategy.learns(), options.devices)),
      compilers_(compilers), budget_(budget), options_(std::move(options)), book_(book) {
  for (DeviceWorker* const device : devices) lanes_.push_back({device});
}

void Pipeline::begin() {
  for (const ConfigIndex index : options_.first) add(index);
  propose();
}

Result<void> Pipeline::run(const std::atomic<bool>& stop) {
  if (measured_ + reused_ < counted_)
    for (const Lane& lane : lanes_) lane.device->prepare(); // while the first candidates compile
  if (reused_ > 0) options_.progress(nullptr);
  while (true) {
    // If time is up, candidates that are not yet on a device are dropped, but only after there is at least one trial.
    if (stop)
      end_early(Ending::interrupted);
    else if (budget_.out_of_time(elapsed_s()) && measured_ + reused_ + elsewhere_ > 0)
      end_early(Ending::seconds);
    WT_TRY(auto shared, share());
    WT_TRY(auto compiled, compile());
    WT_TRY(auto evaluated, evaluate());
    WT_TRY(auto recorded, record()); // after evaluate(), so that a slow disk does not idle the device
    if (!strategy_.learns()) propose();
    const bool observed = observe();
    const bool over = stopping_ ? is_idle() : open_.empty();
    if (over && ended_.empty()) return {};
    if (!shared && !compiled && !evaluated && !recorded && !observed) wait();
  }
}

// Fills the window. For a strategy that learns, it is called once at the start and after each single observation, so
// that the strategy receives the same sequence of calls in every run.
void Pipeline::propose() {
  while (!stopping_) {
    const std::int64_t open = strategy_.learns() ? static_cast<std::int64_t>(open_.size()) : unfinished_;
    const std::int64_t room = std::min(ahead_ - open, budget_.limit() - counted_);
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
    candidate.done = true; // proposed again, such as the default: an earlier candidate has its trial
    return;
  }
  ++counted_;
  if (const auto known = book_.find(index); known != book_.end()) {
    candidate.done = true;
    ++(options_.shared != nullptr ? elsewhere_ : reused_);
    return note_time(known->second);
  }
  ++unfinished_;
  if (options_.shared == nullptr) return submit(ticket);
  unclaimed_.insert(ticket);
  unclaimed_of_.emplace(index, ticket);
}

void Pipeline::submit(std::int64_t ticket) {
  ++submitted_;
  compilers_.submit({ticket, space_.config(at(ticket).index)});
}

void Pipeline::note_time(const Trial& trial) {
  if (trial.status == TrialStatus::ok && trial.timing && (best_us_ == 0 || trial.timing->median_us < best_us_))
    best_us_ = trial.timing->median_us;
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
  bool any = false;
  for (std::size_t i = 0; i < lanes_.size();) {
    auto collected = collect(lanes_[i]);
    if (!collected && i == 0) return fail(collected.error()); // the finals need the first device
    any = any || !collected || *collected;
    if (collected) {
      ++i;
      continue;
    }
    notes_.push_back("a device failed, and the other devices measured its candidates: " + collected.error().message);
    compiled_.insert(lanes_[i].tickets.begin(), lanes_[i].tickets.end());
    lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (Lane* lane = next_lane(); lane != nullptr && !stopping_ && !compiled_.empty(); lane = next_lane()) {
    const std::int64_t oldest = *compiled_.begin();
    compiled_.erase(compiled_.begin());
    begin_on(*lane, oldest);
    any = true;
  }
  return any;
}

Result<bool> Pipeline::collect(Lane& lane) {
  WT_TRY(auto trial, lane.device->collect());
  if (!trial) return false;
  end(lane.tickets.front(), std::move(*trial));
  lane.tickets.pop_front();
  return true;
}

// The device with the fewest candidates; of several, the one that has received the fewest so far.
Pipeline::Lane* Pipeline::next_lane() {
  Lane* next = nullptr;
  for (Lane& lane : lanes_)
    if (lane.device->has_room() &&
        (next == nullptr || std::pair(lane.tickets.size(), lane.begun) < std::pair(next->tickets.size(), next->begun)))
      next = &lane;
  return next;
}

void Pipeline::begin_on(Lane& lane, std::int64_t ticket) {
  lane.tickets.push_back(ticket);
  ++lane.begun;
  MeasureOptions measure = options_.measure;
  if (options_.racing && best_us_ > 0) measure.drop_above_us = best_us_ * options_.racing_margin;
  const Candidate& next = at(ticket);
  lane.device->begin(space_.config(next.index), next.compiled, measure);
}

bool Pipeline::is_idle() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.tickets.empty(); });
}

void Pipeline::end(std::int64_t ticket, Trial trial) {
  Candidate& candidate = at(ticket);
  candidate.done = true;
  candidate.compiled = {};
  --unfinished_;
  --submitted_;
  trial.index = candidate.index;
  shorten(trial.evidence);
  note_time(trial);
  ended_.push_back(std::move(trial));
}

Result<bool> Pipeline::record() {
  const bool any = !ended_.empty();
  for (Trial& trial : ended_) {
    ++measured_;
    const ConfigIndex index = trial.index;
    if (options_.shared != nullptr && book_.count(index) > 0) continue; // see adopt
    WT_CHECK(options_.record(trial));
    if (trial.timing) {
      trial.timing->samples_us.clear();
      trial.timing->samples_us.shrink_to_fit();
    }
    const Trial& kept = book_.insert_or_assign(index, std::move(trial)).first->second;
    if (options_.shared != nullptr) WT_CHECK(options_.shared->put(kept));
    options_.progress(&kept);
  }
  ended_.clear();
  return any;
}

bool Pipeline::observe() {
  bool any = false;
  const std::int64_t known_before = reused_ + elsewhere_;
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
  if (reused_ + elsewhere_ != known_before) options_.progress(nullptr);
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
  std::vector<WorkerProcess*> devices;
  for (const Lane& lane : lanes_) devices.push_back(lane.device->process());
  const int compiled = compilers_.descriptor();
  wait_for_workers(devices, options_.shared != nullptr ? kSharePollMs : kStopPollMs, {&compiled, 1});
}

} // namespace warptune
