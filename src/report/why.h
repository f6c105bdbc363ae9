// Explains why one configuration takes longer than another: what limits each, and which counted difference explains the
// difference of their times. Also states the next limit of each. Pure. States only causes that the counters show.
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
  std::string label; // name in sentences: "A"
  double time_us = 0;
  double sm_clock_mhz = 0; // during the timed run; 0: not known
  std::optional<std::map<std::string, double>>
      counters;                    // counted with the L2 in the same state as for the timing; nullopt: not counted
  std::vector<HotLine> lines = {}; // from samples; empty: not sampled
};

struct WhyFacts {
  WhySide a, b;
  Ratio ratio; // b's time divided by a's
  std::optional<CostEstimate> cost;
  DeviceInfo device;
  bool cold_l2 = true;
  std::map<std::string, std::string> stall_meanings; // "long_scoreboard" -> "for data from global or local memory"
};

// What limits a configuration's speed, and what would limit it next.
struct Limit {
  std::string name;    // a resource, "latency" or "launch"; empty: not known
  std::string unknown; // why the name is not known: "nothing was counted"
  std::string busiest; // the resource with the longest busy time; empty: none is known
  double share = 0;    // busy time of `busiest` divided by the run's time
  bool counted = false;
  std::string stall; // the most frequent stall reason of its warps; empty: not counted
  double stall_share = 0;
  // The next limit: the resource with the longest busy time, apart from the present limit. Empty: not known. `next_us`:
  // its busy time; no run with the same work can be shorter.
  std::string next;
  double next_us = 0;
};

// A resource is the limit if its busy time is at least kReached (bound.h) of the run's time. Otherwise the limit is
// "launch" for runs shorter than kLaunchBoundUs, and "latency" for longer runs if every resource was counted. The limit
// is not known if a resource was not counted. The limit is also not known if reading the model's bytes from DRAM would
// take longer than the run (kBeyondRoof). In this case some of these bytes came from the L2. `times`: resource_times of
// `work`.
Limit find_limit(double time_us, const std::vector<ResourceTime>& times, const Work& work);

// The work of both configurations on one resource, either counted for both by the same metrics, or modelled for both.
struct ResourceDifference {
  std::string resource, unit;
  double a_work = 0, b_work = 0, a_us = 0, b_us = 0; // us: busy times
  bool counted = false;
  double explains = 0; // (b_us - a_us) divided by the difference of the run times; 1: explains the whole difference
};

// The time of each run, divided among the states of its warps in proportion to warp cycles. Over all states, including
// "issuing", `explains` sums to 1.
struct StallDifference {
  std::string reason; // such as "long_scoreboard"; "issuing": the warp was selected or eligible
  double a_us = 0, b_us = 0, explains = 0;
};

// The time of each run, divided among the source lines in proportion to samples.
struct LineDifference {
  std::string file; // as in HotLine
  std::int64_t line = 0;
  std::string text;
  double a_us = 0, b_us = 0, explains = 0;
  std::string a_stall, b_stall; // most frequent state of the warps at this line; empty: no samples
};

struct Why {
  Limit a, b;
  std::vector<ResourceDifference> resources; // largest `explains` first
  std::vector<StallDifference> stalls;       // largest `explains` first; empty if the stalls of a or b were not counted
  std::vector<LineDifference> lines;         // largest `explains` first; empty if a or b was not sampled
  bool distinguished = false;                // whether the ratio's interval excludes 1
  std::string cause;   // a resource, or "stalls"; empty: the counters do not explain the difference
  std::string verdict; // short sentences
};

Why explain_difference(const WhyFacts& facts);

} // namespace warptune::report
