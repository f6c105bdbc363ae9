// RecordedSpace: a search space with the measurements of each configuration, as tuners publish them. It is read from
// another tuner's file or a warptune recording, and can be written as either. Search strategies are replayed on it. A
// plain value that does not depend on files, kernels, devices or strategies.
#pragma once

#include "core/trial.h"
#include "space/space.h"

#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace warptune {

// A param's value as written in the file, so that it is written back unchanged.
struct ParamLabel {
  enum class Kind { integer, real, boolean, text };
  Kind kind = Kind::integer;
  std::string text; // "16", "0.5", "true"; for a string: without its quotes
  friend bool operator==(const ParamLabel&, const ParamLabel&) = default;
};

struct RecordedParam {
  std::string name;
  std::vector<ParamLabel> values; // in the order of the param's values in the SearchSpace
};

inline constexpr double kNotRecorded = std::numeric_limits<double>::quiet_NaN();

// Times are in milliseconds, as in the files, so that reading and writing changes no digit.
struct RecordedOutcome {
  TrialStatus status = TrialStatus::invalid;
  double time_ms = kNotRecorded; // the objective; a number only if the status is ok
  double compile_ms = kNotRecorded, verify_ms = kNotRecorded, benchmark_ms = kNotRecorded, search_ms = kNotRecorded,
         framework_ms = kNotRecorded;
  std::vector<double> samples_ms;
  std::vector<std::pair<int, double>> metrics; // index into RecordedSpace::metrics, and the value
  std::string timestamp;
  std::string evidence; // why the configuration counts as failed, if the file does not say so: "its time of -1 ..."
  // Total tuning time spent on the configuration: the sum of the times above that the file has; NaN if it has none.
  double spent_ms() const;
};

struct RecordedMetric {
  std::string name, unit;
};

struct RecordedSpace {
  std::string name; // the space's name in traces: the file's name without .json.gz
  std::string kernel, device, format, tuner;
  std::string problem; // as JSON: "[4096,4096]", "20000000" or "\"rows=32\""
  std::string objective = "time";
  std::vector<RecordedParam> params;
  std::vector<RecordedMetric> metrics;
  SearchSpace space;
  std::vector<RecordedOutcome> outcomes; // by ConfigIndex
  std::vector<std::string> notes;        // sentences, one for each part of the file that could not be used

  const RecordedOutcome& at(ConfigIndex index) const { return outcomes[static_cast<std::size_t>(index)]; }
  double best_ms() const;                      // the shortest time; infinite if every configuration failed
  double energy_mj(ConfigIndex index) const;   // energy of one launch; NaN if the file has none
  bool has_samples() const, has_times() const; // whether any configuration has samples; a tuning time
};

// Limits on the size of a file's content; larger files are refused.
inline constexpr std::size_t kMaxRecordedParams = 256, kMaxRecordedRows = 4'000'000;

// Collects params and rows in any order. Errors (bad_input): the caller prefixes the file's name.
class RecordedSpaceBuilder {
 public:
  RecordedSpace header; // all members except params, space and outcomes

  Result<void> add_param(const std::string& name); // does nothing for a known name
  int find_param(const std::string& name) const;   // -1: unknown
  std::size_t param_count() const { return params_.size(); }
  // Returns the position of a value, which is added if it is new. Numbers are compared as numbers: 16 and 16.0 are one
  // value.
  std::int32_t value(int param, const ParamLabel& label);
  int metric(const std::string& name, const std::string& unit);
  // A position of -1, or a missing position at the end, means that the param has no value.
  Result<void> add_row(Positions positions, RecordedOutcome outcome);
  void order_values(); // sorts the values, smallest first, if all are numbers
  void note_truncated();
  std::size_t value_count(int param) const; // of the values so far
  // Count entries whose time is not valid; that have a value which the file does not list for the param.
  void count_invalid_time() { ++invalid_times_; }
  void count_unlisted_value() { ++unlisted_values_; }
  // Leaves out rows that lack a value for some param; if a configuration occurs twice, the later row counts. Both add a
  // note. Fails if no row is left.
  Result<RecordedSpace> finish();

 private:
  struct Param {
    RecordedParam recorded;
    std::unordered_map<std::string, std::int32_t> positions;
  };
  struct Row {
    Positions positions;
    RecordedOutcome outcome;
  };
  std::vector<Param> params_;
  std::unordered_map<std::string, int> param_numbers_, metric_numbers_;
  std::vector<Row> rows_;
  std::size_t invalid_times_ = 0, unlisted_values_ = 0;
};

} // namespace warptune
