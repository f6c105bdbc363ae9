// RecordedSpace: a search space with the measurements of every configuration, as tuners publish them. It is read from
// another tuner's file or from a warptune recording, and can be written as either. Search strategies are replayed on
// it. A plain value.
#pragma once

#include "core/trial.h"
#include "space/space.h"

#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace warptune {

// A param's value with its spelling in the file, so that it can be written back unchanged.
struct ParamLabel {
  enum class Kind { integer, real, boolean, text };
  Kind kind = Kind::integer;
  std::string text; // "16", "0.5", "true"; a string has no quotes here
  friend bool operator==(const ParamLabel&, const ParamLabel&) = default;
};

struct RecordedParam {
  std::string name;
  std::vector<ParamLabel> values; // in the order of the values in the SearchSpace
};

inline constexpr double kNotRecorded = std::numeric_limits<double>::quiet_NaN();

// Times are in milliseconds, as in the files, so that no digit changes when a file is read and written.
struct RecordedOutcome {
  TrialStatus status = TrialStatus::invalid;
  double time_ms = kNotRecorded; // the objective; NaN unless the status is ok
  double compile_ms = kNotRecorded, verify_ms = kNotRecorded, benchmark_ms = kNotRecorded, search_ms = kNotRecorded,
         framework_ms = kNotRecorded;
  std::vector<double> samples_ms;
  std::vector<std::pair<int, double>> metrics; // index into RecordedSpace::metrics -> value
  std::string timestamp;
  // Why the reader counts the configuration as failed although the file does not: "its time of -1 ..."
  std::string evidence;

  // Returns the tuning time spent on the configuration: the sum of the times above that are known; NaN if none is
  // known.
  double spent_ms() const;
};

struct RecordedMetric {
  std::string name, unit;
};

struct RecordedSpace {
  std::string name; // the file's name without .json.gz; names the space in traces
  std::string kernel, device, format, tuner;
  std::string problem; // JSON: "[4096,4096]", "20000000" or "\"rows=32\""
  std::string objective = "time";
  std::vector<RecordedParam> params;
  std::vector<RecordedMetric> metrics;
  SearchSpace space;
  std::vector<RecordedOutcome> outcomes; // indexed by ConfigIndex
  std::vector<std::string> notes;        // a sentence for each part of the file that could not be used

  const RecordedOutcome& at(ConfigIndex index) const { return outcomes[static_cast<std::size_t>(index)]; }
  double best_ms() const;                    // the shortest time; infinity if every configuration failed
  double energy_mj(ConfigIndex index) const; // energy of one launch; NaN if the file has none
  bool has_samples() const;                  // whether any configuration has samples
};

// Limits on a file's content. A file beyond these limits is refused.
inline constexpr std::size_t kMaxRecordedParams = 256, kMaxRecordedRows = 4'000'000;

// Builds a RecordedSpace from params and rows, which may come in any order. Errors (bad_input): the caller puts the
// file's name before the message.
class RecordedSpaceBuilder {
 public:
  RecordedSpace header; // set all members except params, space and outcomes

  Result<void> add_param(const std::string& name); // does nothing if the name is known
  int find_param(const std::string& name) const;   // -1 if unknown
  std::size_t param_count() const { return params_.size(); }
  // Returns the position of a value, and adds the value if it is new. Numbers are compared by value: 16 equals 16.0.
  std::int32_t value(int param, const ParamLabel& label);
  int metric(const std::string& name, const std::string& unit);
  // The row has no value for a param whose position is -1, or is missing at the end of `positions`.
  Result<void> add_row(Positions positions, RecordedOutcome outcome);
  void order_values(); // sorts a param's values in ascending order if all are numbers
  void note_truncated();
  std::size_t value_count(int param) const; // number of the param's values so far
  // Each function counts an entry for the notes: an entry without a valid time; an entry with a value that the file
  // does not list for its param.
  void count_invalid_time() { ++invalid_times_; }
  void count_unlisted_value() { ++unlisted_values_; }
  // Leaves out rows that lack a value for some param. If a configuration occurs twice, the later row is used. Error: no
  // row is left.
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
