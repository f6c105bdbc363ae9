// Why one configuration takes longer than another: what bounds each of them, which counted difference accounts for the
// difference of their times, and what the next limit would be. Pure. States no cause that the counters do not show.
#pragma once

#include "core/device.h"
#include "core/statistics.h"
#include "plan/plan.h"
#include "report/hot_lines.h"
#include "report/resource_times.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune::report {

struct WhySide {
  std::string label; // "A"
  double time_us = 0;
  double sm_clock_mhz = 0;                               // of the timed run; 0: not known
  std::optional<std::map<std::string, double>> counters; // counted with the L2 as it was timed; nullopt: not counted
  std::vector<HotLine> lines = {};                       // of the samples; empty: not sampled
};

struct WhyFacts {
  WhySide a, b;
  Ratio ratio; // b's time over a's
  std::optional<CostEstimate> cost;
  DeviceInfo device;
  bool cold_l2 = true;
  std::map<std::string, std::string> stall_meanings; // "long_scoreboard" -> "for data from global or local memory"
};

// What bounds a configuration, and what would bound it next.
struct Limit {
  std::string name;    // a resource, "latency" or "launch"; empty: not known
  std::string unknown; // why the name is empty: "nothing was counted"
  std::string busiest; // the resource with the longest busy time; empty: none is known
  double share = 0;    // its busy time over the run's time
  bool counted = false;
  std::string stall; // what its warps wait for most; empty: not counted
  double stall_share = 0;
  // If the limit were removed: the resource with the next longest busy time, and this time, which no run can undercut
  // while its work stays the same. With the limit "latency", the resource with the longest one. Empty: none is known.
  std::string next;
  double next_us = 0;
};

// A resource is the limit if its busy time is at least kReached (bound.h) of the time. Otherwise the limit is
// "launch" below kLaunchBoundUs, and "latency" above it if every resource was counted. Not known: a resource was not
// counted, or the model's bytes would take longer from DRAM than the run took (kBeyondRoof), so that some come from
// the L2. `times`: resource_times of `work`.
Limit find_limit(double time_us, const std::vector<ResourceTime>& times, const Work& work);

// Work counted in both by the same metrics, or from the model.
struct ResourceDifference {
  std::string resource, unit;
  double a_work = 0, b_work = 0, a_us = 0, b_us = 0; // busy times
  bool counted = false;
  double explains = 0; // (b_us - a_us) over the difference of the times; 1: all of it
};

// The time of a run, divided among the states of its warps by their share of all warp cycles. Over all states,
// including "issuing", `explains` is 1 in sum.
struct StallDifference {
  std::string reason; // "long_scoreboard"; "issuing": the warp was selected, or could have been
  double a_us = 0, b_us = 0, explains = 0;
};

// The time of a run, divided among the source lines by their share of the samples.
struct LineDifference {
  std::string file; // as in HotLine
  std::int64_t line = 0;
  std::string text;
  double a_us = 0, b_us = 0, explains = 0;
  std::string a_stall, b_stall; // the most frequent state of its warps; empty: no samples
};

struct Why {
  Limit a, b;
  std::vector<ResourceDifference> resources; // those that explain most first
  std::vector<StallDifference> stalls;       // likewise; empty if the stalls of one were not counted
  std::vector<LineDifference> lines;         // likewise; empty if one was not sampled
  bool distinguished = false;                // the interval of the ratio does not contain 1
  std::string cause;   // a resource or "stalls"; empty: the counters do not explain the difference
  std::string verdict; // short sentences
};

Why explain_difference(const WhyFacts& facts);

} // namespace warptune::report
