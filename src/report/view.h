// The content of a report for one (kernel, problem, device), as plain values: report_data makes it, and the report
// writers output it. Does not depend on a database, an output format or a clock.
#pragma once

#include "core/device.h"
#include "core/pc_samples.h"
#include "core/trial.h"
#include "db/records.h"
#include "plan/plan.h"
#include "report/bound.h"
#include "report/why.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::report {

// Levels of the memory hierarchy, each with a roof of its own (hierarchical roofline: Yang et al. 2020).
enum class Level { dram, l2, l1 };
inline constexpr std::array<Level, 3> kLevels = {Level::dram, Level::l2, Level::l1};
const char* level_name(Level level); // "DRAM", "L2", "L1"

// The source of a byte count: the spec's cost (model); counters (measured); or counters plus the cost's writes that
// were still in the L2 (mixed; see dram_traffic).
enum class Origin { none, model, measured, mixed };

struct LevelPoint {
  Origin origin = Origin::none;
  double bytes = 0, gbs = 0;
  double intensity = 0; // operations per byte; 0: not known
};

struct Roof {
  std::string id, label, level, unit;   // level: "DRAM", "L2", "L1" or "compute"; unit: "GB/s", "TFLOP/s", "TOP/s"
  double measured = 0, theoretical = 0; // 0: not known
  double sm_clock_mhz = 0;              // the clock during the measurement; 0: not known
  bool relevant = false;                // whether this kernel can reach the roof
};

struct Point {
  Trial trial;
  std::string config;            // "VEC=4,UNROLL=2"
  double tflops = 0;             // 0: not timed, or no operations are known
  std::int64_t shared_bytes = 0; // shared memory per block of the largest launch, static and dynamic
  std::array<LevelPoint, 3> levels;
  const LevelPoint& at(Level level) const { return levels[static_cast<std::size_t>(level)]; }
  bool timed() const { return trial.status == TrialStatus::ok && trial.timing && trial.timing->median_us > 0; }
};

struct Baseline {
  std::string name, source;                            // "cuBLAS 13.1"; how it was measured
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // interval 0, 0: not known
  bool cold_l2 = true;
};

// A configuration whose instructions were sampled.
struct Sampled {
  int point = -1;
  SourceProfile profile;
};

// The winner (a) and the default (b), compared.
struct WinnerAndDefault {
  WhyFacts facts;
  Why why;
  std::string measured; // how the ratio was measured
};

struct View {
  std::string id; // unique in a report
  std::string kernel, problem, summary;
  std::string database = {}; // the name of its file, if the report has several databases
  DeviceInfo device;
  SessionRecord session;
  std::optional<CostEstimate> cost;
  std::vector<Roof> roofs;
  std::string default_config; // the default by the session's spec; empty if the spec cannot be read
  std::vector<Param> params;  // params of the spec; if it cannot be read, with the values that occur
  std::vector<Point> points;  // in the order measured
  std::optional<BestRecord> best;
  int best_point = -1, default_point = -1; // -1: none
  int fastest_point = -1;                  // the fastest point of the search; the finals may have chosen another one
  std::vector<int> ties, pareto;           // indices of points
  std::vector<Baseline> baselines;
  std::optional<Bound> bound; // nullopt: no winner
  std::vector<std::pair<std::string, double>> stalls;
  std::vector<Sampled> sampled;
  SourceFiles sources;                 // sources as tuned; empty if not known
  std::optional<WinnerAndDefault> why; // nullopt: one of them was not timed, or the winner is the default
  std::vector<std::string> notes;      // sentences

  bool has_flops() const; // true: a roofline; false: a bandwidth chart
  bool recorded() const { return session.identity.device_backend == "replay"; }
  double roof_gbs(Level level) const; // the roof that the kernel can reach, measured if known; 0: not known
};

struct Report {
  std::string title, generated_at, database; // generated_at: ISO 8601 UTC, given by the caller
  std::vector<View> views;
  std::map<std::string, std::string> metric_meanings; // meanings of counters, if known
};

// Returns the points that were timed, the fastest first.
std::vector<int> by_time(const View& view);

// The role of a point in its session: "best", "fastest, tie" (never for the best), "default"; empty: no special role.
std::string marks_of(const View& view, int index);

} // namespace warptune::report
