// Explains why one configuration takes longer than another: what bounds each, which counted difference accounts for the
// time difference, and what the next limit would be. Pure. States no cause that the counters do not show.
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
  double sm_clock_mhz = 0;                               // during the timed run; 0: not known
  std::optional<std::map<std::string, double>> counters; // counted with the L2 as it was timed; nullopt: not counted
  std::vector<HotLine> lines = {};                       // from the samples; empty: not sampled
};

struct WhyFacts {
  WhySide a, b;
  Ratio ratio; // b's time divided by a's
  std::optional<CostEstimate> cost;
  DeviceInfo device;
  bool cold_l2 = true;
  std::map<std::string, std::string> stall_meanings; // "long_scoreboard" -> "for data from global or local memory"
};

// The limit of a configuration's speed, and the limit after it.
struct Limit {
  std::string name;    // a resource, "latency" or "launch"; empty: not known
  std::string unknown; // why the name is empty: "nothing was counted"
  std::string busiest; // the resource with the longest busy time; empty: none is known
  double share = 0;    // its busy time divided by the run's time
  bool counted = false;
  std::string stall; // the most frequent wait of its warps; empty: not counted
  double stall_share = 0;
  // The next limit: the resource with the next longest busy time (for "latency": the longest), and this busy time. The
  // run cannot become shorter than that while its work stays the same. Empty: no next limit is known.
  std::string next;
  double next_us = 0;
};

// A resource is the limit if its busy time is at least kReached (bound.h) of the time. Otherwise the limit is "launch"
// below kLaunchBoundUs, and "latency" above it if every resource was counted. It is not known if a resource was not
// counted, or if the model's bytes would take longer from DRAM than the run took (kBeyondRoof), so that some must come
// from the L2. `times`: resource_times of `work`.
Limit find_limit(double time_us, const std::vector<ResourceTime>& times, const Work& work);

// The work of both on one resource: counted for both by the same metrics, or from the model.
struct ResourceDifference {
  std::string resource, unit;
  double a_work = 0, b_work = 0, a_us = 0, b_us = 0; // busy times
  bool counted = false;
  double explains = 0; // (b_us - a_us) divided by the difference of the run times; 1: all of the difference
};

// The time of a run, divided among the states of its warps by their share of all warp cycles. `explains` adds up to 1
// over all states, including "issuing".
struct StallDifference {
  std::string reason; // "long_scoreboard"; "issuing": the warp was selected, or was eligible
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
  std::vector<ResourceDifference> resources; // the largest `explains` first
  std::vector<StallDifference> stalls;       // likewise; empty if the stalls of one were not counted
  std::vector<LineDifference> lines;         // likewise; empty if one was not sampled
  bool distinguished = false;                // the interval of the ratio does not contain 1
  std::string cause;   // a resource or "stalls"; empty: the counters do not explain the difference
  std::string verdict; // short sentences
};

Why explain_difference(const WhyFacts& facts);

} // namespace warptune::report
