// View: a report's content for one (kernel, problem, device), as plain values. report_data makes it, and writers of
// several formats output it. Independent of databases, output formats and the clock.
#pragma once

#include "core/device.h"
#include "core/pc_samples.h"
#include "core/trial.h"
#include "db/records.h"
#include "plan/plan.h"
#include "report/bound.h"
#include "report/why.h"
#include "spec/source_files.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::report {

// Levels of the memory hierarchy. Each has its own roof (hierarchical roofline: Yang et al. 2020).
enum class Level { dram, l2, l1 };
inline constexpr std::array<Level, 3> kLevels = {Level::dram, Level::l2, Level::l1};
const char* level_name(Level level); // "DRAM", "L2", "L1"

// The origin of a number of bytes. model: the spec's cost. measured: counters. mixed: counters, plus those modelled
// writes that were still in the L2 when the kernel ended (see dram_traffic).
enum class Origin { none, model, measured, mixed };

struct LevelPoint {
  Origin origin = Origin::none;
  double bytes = 0, gbs = 0;
  double intensity = 0; // operations per byte; 0: not known
};

struct Roof {
  std::string id, label, level, unit;   // level: "DRAM", "L2", "L1" or "compute"; unit: "GB/s", "TFLOP/s", "TOP/s"
  double measured = 0, theoretical = 0; // 0: not known
  double sm_clock_mhz = 0;              // during the measurement; 0: not known
  bool relevant = false;                // whether this kernel can reach this roof
};

struct Point {
  Trial trial;
  std::string config;            // "VEC=4,UNROLL=2"
  double tflops = 0;             // 0: not timed, or no operations are known
  std::int64_t shared_bytes = 0; // per block of the largest launch, static and dynamic
  std::array<LevelPoint, 3> levels;
  const LevelPoint& at(Level level) const { return levels[static_cast<std::size_t>(level)]; }
  bool timed() const { return trial.status == TrialStatus::ok && trial.timing && trial.timing->median_us > 0; }
};

struct Baseline {
  std::string name, source;                            // name, such as "cuBLAS 13.1"; source: how it was measured
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // an interval of 0 to 0: not known
  bool cold_l2 = true;
};

// A configuration whose instructions were sampled.
struct Sampled {
  int point = -1;
  SourceProfile profile;
};

// The comparison of the winner (a) with the default (b).
struct WinnerAndDefault {
  WhyFacts facts;
  Why why;
  std::string measured; // how the ratio of the two times was measured
};

struct View {
  std::string id; // unique within the report
  std::string kernel, problem, summary;
  std::string database = {}; // name of the database file, if the report reads several files
  DeviceInfo device;
  SessionRecord session;
  std::optional<CostEstimate> cost;
  std::vector<Roof> roofs;
  std::string default_config; // default of the session's spec; empty if the spec cannot be read
  std::vector<Param> params;  // the spec's params; if the spec cannot be read, made from the values that occur
  std::vector<Point> points;  // in the order of measurement
  std::optional<BestRecord> best;
  int best_point = -1, default_point = -1; // -1: none
  int fastest_point = -1;                  // the fastest of the search; the finals may have chosen another
  std::vector<int> ties, pareto;           // indices into `points`
  std::vector<Baseline> baselines;
  std::optional<Bound> bound; // nullopt: there is no winner
  std::vector<std::pair<std::string, double>> stalls;
  std::vector<Sampled> sampled;
  SourceFiles sources;                 // sources that were tuned; empty if not known
  std::optional<WinnerAndDefault> why; // nullopt: winner or default was not timed, or both are the same
  std::vector<std::string> notes;      // sentences

  bool has_flops() const; // true: the picture has a roofline; false: a bandwidth chart
  bool recorded() const { return is_recorded_device(session.identity.device_backend); }
  double roof_gbs(Level level) const; // the roof that the kernel can reach, measured if possible; 0: not known
};

struct Report {
  std::string title, generated_at, database; // generated_at: ISO 8601 UTC, from the caller
  std::vector<View> views;
  std::int64_t left_out = 0;                          // number of older views beyond the caller's limit
  std::map<std::string, std::string> metric_meanings; // counter -> meaning, if known
};

// Returns the indices of the timed points, fastest first.
std::vector<int> by_time(const View& view);

// Returns the point's roles in its session: "best", "fastest, tie" or "default"; empty if it has none. The best point
// is never called a tie.
std::string marks_of(const View& view, int index);

} // namespace warptune::report
