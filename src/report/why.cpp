#include "report/why.h"

#include "report/bound.h"
#include "report/why_sentences.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace warptune::report {
namespace {

using CounterMap = std::map<std::string, double>;

Work work_of(const WhyFacts& facts, const WhySide& side, const CounterMap* counters) {
  Work work;
  work.cost = facts.cost;
  if (counters != nullptr) work.counters = counter_facts(*counters);
  work.sm_clock_mhz = side.sm_clock_mhz;
  work.cold_l2 = facts.cold_l2;
  return work;
}

Limit limit_of(const WhyFacts& facts, const WhySide& side) {
  const Work work = work_of(facts, side, side.counters ? &*side.counters : nullptr);
  return find_limit(side.time_us, resource_times(work, facts.device), work);
}

// Sets of metrics measure some quantities in different ways, so only what was counted for both is compared. Exception:
// the two ways of counting instructions give equal numbers.
CounterMap restricted(const CounterMap& counters, const CounterMap& other) {
  CounterMap common;
  for (const auto& [metric, value] : counters)
    if (other.contains(metric)) common.emplace(metric, value);
  const auto instructions = counter_facts(counters).instructions;
  if (instructions && counter_facts(other).instructions) common["smsp__inst_executed.sum"] = *instructions;
  return common;
}

const ResourceTime* find(const std::vector<ResourceTime>& times, const std::string& resource) {
  const auto found =
      std::find_if(times.begin(), times.end(), [&](const ResourceTime& time) { return time.resource == resource; });
  return found == times.end() ? nullptr : &*found;
}

double share_of_difference(double a, double b, double difference) { return difference != 0 ? (b - a) / difference : 0; }

template <class T> void sort_by_effect(std::vector<T>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const T& x, const T& y) { return std::abs(x.explains) > std::abs(y.explains); });
}

std::vector<ResourceDifference> compare_resources(const std::vector<ResourceTime>& a,
                                                  const std::vector<ResourceTime>& b, double difference) {
  std::set<std::string> names;
  for (const auto* times : {&a, &b})
    for (const ResourceTime& time : *times) names.insert(time.resource);
  std::vector<ResourceDifference> all;
  for (const std::string& name : names) {
    const ResourceTime *in_a = find(a, name), *in_b = find(b, name);
    const ResourceTime& any = in_a != nullptr ? *in_a : *in_b;
    ResourceDifference& one = all.emplace_back();
    one.resource = name;
    one.unit = any.unit;
    one.counted = (in_a == nullptr || in_a->counted) && (in_b == nullptr || in_b->counted);
    if (in_a != nullptr) one.a_work = in_a->work, one.a_us = in_a->busy_us;
    if (in_b != nullptr) one.b_work = in_b->work, one.b_us = in_b->busy_us;
    one.explains = share_of_difference(one.a_us, one.b_us, difference);
  }
  sort_by_effect(all);
  return all;
}

// Shares of all states. The shares of waits come from the counters; the rest is issuing.
std::map<std::string, double> states_of(const CounterFacts& facts) {
  std::map<std::string, double> states;
  if (facts.stalls.empty()) return states;
  double waits = 0;
  for (const auto& [reason, share] : facts.stalls) {
    states[reason] = share;
    waits += share;
  }
  states["issuing"] = std::max(0.0, 1 - waits);
  return states;
}

std::vector<StallDifference> compare_stalls(const WhyFacts& facts, const CounterMap& a, const CounterMap& b) {
  const auto in_a = states_of(counter_facts(a)), in_b = states_of(counter_facts(b));
  std::vector<StallDifference> all;
  for (const auto& [reason, share] : in_a) {
    const auto other = in_b.find(reason);
    if (other == in_b.end()) continue;
    StallDifference& one = all.emplace_back();
    one.reason = reason;
    one.a_us = share * facts.a.time_us;
    one.b_us = other->second * facts.b.time_us;
    one.explains = share_of_difference(one.a_us, one.b_us, facts.b.time_us - facts.a.time_us);
  }
  sort_by_effect(all);
  return all;
}

std::vector<LineDifference> compare_lines(const WhyFacts& facts) {
  std::map<std::pair<std::string, std::int64_t>, LineDifference> by_place;
  const auto take = [&](const WhySide& side, double LineDifference::*time, std::string LineDifference::*stall) {
    for (const HotLine& hot : side.lines) {
      if (hot.share <= 0) continue; // only counted
      LineDifference& one = by_place[{hot.file, hot.line}];
      std::tie(one.file, one.line, one.text) = std::tie(hot.file, hot.line, hot.text);
      one.*time = hot.share * side.time_us;
      if (!hot.stalls.empty()) one.*stall = hot.stalls.front().first;
    }
  };
  take(facts.a, &LineDifference::a_us, &LineDifference::a_stall);
  take(facts.b, &LineDifference::b_us, &LineDifference::b_stall);
  std::vector<LineDifference> all;
  for (auto& [place, one] : by_place) {
    one.explains = share_of_difference(one.a_us, one.b_us, facts.b.time_us - facts.a.time_us);
    all.push_back(std::move(one));
  }
  sort_by_effect(all);
  return all;
}

// The work that limits the slower one is the cause if it accounts for half of the difference; otherwise its longer
// waits are, if the two largest do.
std::string find_cause(const Why& why, const Limit& slower) {
  if (slower.name == slower.busiest)
    for (const ResourceDifference& one : why.resources)
      if (one.resource == slower.name && one.explains >= kExplained) return one.resource;
  return explaining_stalls(why).empty() ? "" : "stalls";
}

} // namespace

Limit find_limit(double time_us, const std::vector<ResourceTime>& times, const Work& work) {
  Limit limit;
  const auto& counters = work.counters;
  if (counters && !counters->stalls.empty()) std::tie(limit.stall, limit.stall_share) = counters->stalls.front();
  if (!(time_us > 0)) return limit;
  if (!times.empty()) {
    limit.busiest = times.front().resource;
    limit.share = times.front().busy_us / time_us;
    limit.counted = times.front().counted;
  }
  if (limit.share > kBeyondRoof && limit.busiest == "DRAM" && (!limit.counted || times.front().mixed))
    limit.unknown = "moving the modelled bytes from DRAM would take longer than the run, so some of them must come "
                    "from the L2 cache";
  else if (limit.share >= kReached)
    limit.name = limit.busiest;
  else if (time_us < kLaunchBoundUs)
    limit.name = "launch";
  else if (!counters)
    limit.unknown = "nothing was counted";
  else if (times.empty())
    limit.unknown = "no roof is known";
  else if (const auto missing = uncounted(work); !missing.empty())
    limit.unknown = fmt::format("some resources were not counted ({})", fmt::join(missing, ", "));
  else
    limit.name = "latency";
  if (limit.name.empty()) return limit;
  if (!counters) return limit; // the models know some resources only, so another one may be next
  const std::size_t next = limit.name == limit.busiest ? 1 : 0;
  if (next >= times.size()) return limit;
  limit.next = times[next].resource;
  limit.next_us = std::min(times[next].busy_us, time_us);
  return limit;
}

Why explain_difference(const WhyFacts& facts) {
  Why why;
  why.a = limit_of(facts, facts.a);
  why.b = limit_of(facts, facts.b);
  why.distinguished = facts.ratio.low > 1 || facts.ratio.high < 1;
  if (facts.a.counters && facts.b.counters) {
    const CounterMap a = restricted(*facts.a.counters, *facts.b.counters);
    const CounterMap b = restricted(*facts.b.counters, *facts.a.counters);
    why.resources =
        compare_resources(resource_times(work_of(facts, facts.a, &a), facts.device),
                          resource_times(work_of(facts, facts.b, &b), facts.device), facts.b.time_us - facts.a.time_us);
    why.stalls = compare_stalls(facts, a, b);
    if (why.distinguished && !times_contradict(facts))
      why.cause = find_cause(why, facts.ratio.value > 1 ? why.b : why.a);
  }
  if (!facts.a.lines.empty() && !facts.b.lines.empty()) why.lines = compare_lines(facts);
  why.verdict = why_verdict(facts, why);
  return why;
}

} // namespace warptune::report
