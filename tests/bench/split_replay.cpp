#include "bench/split_replay.h"

#include "tuner/budget_meter.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

namespace warptune {
namespace {

using Ticket = std::size_t;

struct Device {
  std::vector<double> compilers_s; // the time at which each is free
  std::set<Ticket> compiled;       // waiting for the device, oldest first
  std::int64_t claimed = 0;        // claimed but not yet measured
  bool busy = false;
};

struct Candidate {
  SplitEvaluation evaluation;
  std::size_t device = 0;
  bool seen = false;
};

enum class What { compiled, measured, seen };
using Event = std::tuple<double, Ticket, What>; // time in seconds

class Simulation {
 public:
  Simulation(Strategy& strategy, const std::function<SplitEvaluation(ConfigIndex)>& evaluate, const SplitPlan& plan)
      : strategy_(strategy), evaluate_(evaluate), plan_(plan),
        ahead_(plan.ahead > 0 ? plan.ahead : candidates_ahead(strategy.learns(), plan.devices)),
        per_device_((ahead_ + plan.devices - 1) / plan.devices), devices_(static_cast<std::size_t>(plan.devices)) {
    for (Device& device : devices_) device.compilers_s.assign(static_cast<std::size_t>(plan.compilers), 0);
  }

  SplitReplay run() {
    propose();
    claim();
    while (!events_.empty()) {
      const auto [time, ticket, what] = events_.top();
      events_.pop();
      now_s_ = time;
      take(ticket, what);
      claim();
    }
    return std::move(out_);
  }

 private:
  void propose() {
    const auto open = static_cast<std::int64_t>(candidates_.size() - observed_);
    const auto left = plan_.budget - static_cast<std::int64_t>(candidates_.size());
    const std::int64_t room = std::min(ahead_ - open, left);
    if (room <= 0) return;
    for (const ConfigIndex index : strategy_.propose(static_cast<std::size_t>(room))) {
      out_.order.push_back(index);
      candidates_.push_back({evaluate_(index), 0, false});
    }
  }

  // In the order of proposal; the device with the fewest claimed candidates takes the next one.
  void claim() {
    for (; claimed_ < candidates_.size(); ++claimed_) {
      const auto device = std::min_element(devices_.begin(), devices_.end(),
                                           [](const Device& a, const Device& b) { return a.claimed < b.claimed; });
      if (device->claimed >= per_device_) return;
      ++device->claimed;
      candidates_[claimed_].device = static_cast<std::size_t>(device - devices_.begin());
      double& free_s = *std::min_element(device->compilers_s.begin(), device->compilers_s.end());
      free_s = std::max(free_s, now_s_) + candidates_[claimed_].evaluation.compile_s;
      events_.emplace(free_s, claimed_, What::compiled);
    }
  }

  void take(Ticket ticket, What what) {
    Device& device = devices_[candidates_[ticket].device];
    switch (what) {
    case What::compiled:
      device.compiled.insert(ticket);
      break;
    case What::measured:
      device.busy = false;
      --device.claimed;
      events_.emplace(now_s_ + (plan_.devices > 1 ? plan_.delay_s : 0), ticket, What::seen);
      break;
    case What::seen:
      candidates_[ticket].seen = true;
      return observe();
    }
    if (device.busy || device.compiled.empty()) return;
    const Ticket oldest = *device.compiled.begin();
    device.compiled.erase(device.compiled.begin());
    device.busy = true;
    events_.emplace(now_s_ + candidates_[oldest].evaluation.device_s, oldest, What::measured);
  }

  void observe() {
    for (; observed_ < candidates_.size() && candidates_[observed_].seen;) {
      strategy_.observe(candidates_[observed_++].evaluation.observation);
      out_.seen_s.push_back(now_s_);
      propose();
    }
  }

  Strategy& strategy_;
  const std::function<SplitEvaluation(ConfigIndex)>& evaluate_;
  const SplitPlan plan_;
  const std::int64_t ahead_, per_device_;
  std::vector<Device> devices_;
  std::vector<Candidate> candidates_; // indexed by ticket
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Ticket claimed_ = 0, observed_ = 0;
  double now_s_ = 0;
  SplitReplay out_;
};

} // namespace

SplitReplay replay_split(Strategy& strategy, const std::function<SplitEvaluation(ConfigIndex)>& evaluate,
                         const SplitPlan& plan) {
  return Simulation(strategy, evaluate, plan).run();
}

} // namespace warptune
