#include "interchange/recorded_space.h"

#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace warptune {
namespace {

std::optional<double> as_number(const ParamLabel& label) {
  if (label.kind == ParamLabel::Kind::boolean) return label.text == "true" ? 1 : 0;
  double value = 0;
  const char* end = label.text.data() + label.text.size();
  const auto [stopped, error] = std::from_chars(label.text.data(), end, value);
  if (error != std::errc() || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Equal if and only if two labels mean the same value.
std::string identity(const ParamLabel& label) {
  switch (label.kind) {
  case ParamLabel::Kind::integer:
    return "n" + label.text;
  case ParamLabel::Kind::boolean:
    return "b" + label.text;
  case ParamLabel::Kind::text:
    return "t" + label.text;
  case ParamLabel::Kind::real:
    break;
  }
  constexpr double kExact = 9e15; // integers below this are exact
  const auto number = as_number(label);
  if (!number) return "r" + label.text;
  if (*number == std::floor(*number) && std::abs(*number) < kExact)
    return "n" + std::to_string(static_cast<std::int64_t>(*number));
  return "n" + fmt::format("{}", *number);
}

// The values that configurations hold for a param: the numbers themselves if all are integers, otherwise positions.
std::vector<std::int64_t> values_of(const RecordedParam& param) {
  std::vector<std::int64_t> values(param.values.size());
  std::iota(values.begin(), values.end(), 0);
  std::vector<std::int64_t> integers;
  for (const ParamLabel& label : param.values) {
    std::int64_t value = 0;
    if (label.kind != ParamLabel::Kind::integer || parse_integer(label.text, value) != IntegerError::none)
      return values;
    integers.push_back(value);
  }
  return integers;
}

std::vector<double> coordinates_of(const RecordedParam& param) {
  std::vector<double> coordinates;
  for (const ParamLabel& label : param.values) {
    const auto number = as_number(label);
    if (!number) return std::vector<double>(param.values.size(), kNotRecorded); // one text makes all of them names
    coordinates.push_back(*number);
  }
  return coordinates;
}

} // namespace

double RecordedOutcome::spent_ms() const {
  double sum = kNotRecorded;
  for (const double part : {compile_ms, verify_ms, benchmark_ms, search_ms, framework_ms})
    if (std::isfinite(part)) sum = std::isnan(sum) ? part : sum + part;
  return sum;
}

double RecordedSpace::best_ms() const {
  double best = std::numeric_limits<double>::infinity();
  for (const RecordedOutcome& o : outcomes)
    if (o.status == TrialStatus::ok) best = std::min(best, o.time_ms);
  return best;
}

double RecordedSpace::energy_mj(ConfigIndex index) const {
  for (const auto& [metric, value] : at(index).metrics) {
    const RecordedMetric& m = metrics[static_cast<std::size_t>(metric)];
    if (m.name == "nvml_energy" || m.name == "ps_energy" || m.name == "energy")
      return m.unit == "mJ" ? value : value * 1e3; // Kernel Tuner's observers record joules, and no unit
  }
  return kNotRecorded;
}

bool RecordedSpace::has_samples() const {
  return std::any_of(outcomes.begin(), outcomes.end(), [](const auto& o) { return !o.samples_ms.empty(); });
}

Result<void> RecordedSpaceBuilder::add_param(const std::string& name) {
  if (find_param(name) >= 0) return {};
  if (params_.size() == kMaxRecordedParams)
    return fail(ErrorKind::bad_input, fmt::format("it has more than {} parameters", kMaxRecordedParams));
  param_numbers_.emplace(name, static_cast<int>(params_.size()));
  params_.push_back({{name, {}}, {}});
  return {};
}

int RecordedSpaceBuilder::find_param(const std::string& name) const {
  const auto found = param_numbers_.find(name);
  return found == param_numbers_.end() ? -1 : found->second;
}

std::int32_t RecordedSpaceBuilder::value(int param, const ParamLabel& label) {
  Param& p = params_[static_cast<std::size_t>(param)];
  const auto [at, fresh] = p.positions.try_emplace(identity(label), static_cast<std::int32_t>(p.positions.size()));
  if (fresh) p.recorded.values.push_back(label);
  return at->second;
}

int RecordedSpaceBuilder::metric(const std::string& name, const std::string& unit) {
  const auto [at, fresh] = metric_numbers_.try_emplace(name, static_cast<int>(header.metrics.size()));
  if (fresh) header.metrics.push_back({name, unit});
  return at->second;
}

Result<void> RecordedSpaceBuilder::add_row(Positions positions, RecordedOutcome outcome) {
  if (rows_.size() == kMaxRecordedRows)
    return fail(ErrorKind::bad_input, fmt::format("it has more than {} configurations", kMaxRecordedRows));
  rows_.push_back({std::move(positions), std::move(outcome)});
  return {};
}

void RecordedSpaceBuilder::order_values() {
  for (std::size_t p = 0; p < params_.size(); ++p) {
    std::vector<ParamLabel>& values = params_[p].recorded.values;
    const std::vector<double> numbers = coordinates_of(params_[p].recorded);
    if (numbers.empty() || std::isnan(numbers.front())) continue;
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    std::vector<ParamLabel> ordered;
    std::vector<std::int32_t> moved(values.size());
    for (const std::size_t from : order) {
      moved[from] = static_cast<std::int32_t>(ordered.size());
      ordered.push_back(values[from]);
    }
    values = std::move(ordered);
    for (auto& [label, position] : params_[p].positions) position = moved[static_cast<std::size_t>(position)];
    for (Row& row : rows_)
      if (p < row.positions.size() && row.positions[p] >= 0)
        row.positions[p] = moved[static_cast<std::size_t>(row.positions[p])];
  }
}

std::size_t RecordedSpaceBuilder::value_count(int param) const {
  return params_[static_cast<std::size_t>(param)].recorded.values.size();
}

void RecordedSpaceBuilder::note_truncated() {
  header.notes.emplace_back("the file is truncated; all entries before the last, incomplete one are used");
}

Result<RecordedSpace> RecordedSpaceBuilder::finish() {
  const std::size_t all = rows_.size();
  std::erase_if(rows_, [&](const Row& row) {
    return row.positions.size() != params_.size() ||
           std::any_of(row.positions.begin(), row.positions.end(), [](std::int32_t p) { return p < 0; });
  });
  if (rows_.size() < all)
    header.notes.push_back(
        fmt::format("entries left out because a parameter is missing in them: {}", all - rows_.size()));
  if (invalid_times_ > 0)
    header.notes.push_back(fmt::format("entries without a valid time: {}; they count as failed", invalid_times_));
  if (unlisted_values_ > 0)
    header.notes.push_back(
        fmt::format("entries with a value that is not in the file's list for the parameter: {}; they are used anyway",
                    unlisted_values_));
  if (params_.empty()) return fail(ErrorKind::bad_input, "it has no parameters");
  if (rows_.empty()) return fail(ErrorKind::bad_input, "it has no configurations");
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.positions < b.positions; });
  RecordedSpace out = std::move(header);
  std::vector<Positions> valid;
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (i + 1 < rows_.size() && rows_[i].positions == rows_[i + 1].positions) {
      ++repeated;
      continue;
    }
    valid.push_back(std::move(rows_[i].positions));
    out.outcomes.push_back(std::move(rows_[i].outcome));
  }
  rows_.clear();
  if (repeated > 0)
    out.notes.push_back(
        fmt::format("configurations that occur more than once: {}; the last entry of each is used", repeated));
  std::vector<std::vector<std::int64_t>> values;
  std::vector<std::vector<double>> coordinates;
  for (Param& param : params_) {
    values.push_back(values_of(param.recorded));
    coordinates.push_back(coordinates_of(param.recorded));
    out.params.push_back(std::move(param.recorded));
  }
  out.space = SearchSpace::from_list(std::move(values), std::move(coordinates), std::move(valid));
  return out;
}

} // namespace warptune
