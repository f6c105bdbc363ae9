#include "interchange/recorded_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

struct Name {
  std::string_view text;
  TrialStatus status;
};

// A status is written as its first entry. Statuses without an entry are written as failures at run time.
constexpr std::array<Name, 4> kKernelTuner = {{{"CompilationFailedConfig", TrialStatus::compile_failed},
                                               {"RuntimeFailedConfig", TrialStatus::launch_failed},
                                               {"InvalidConfig", TrialStatus::invalid},
                                               {"ErrorConfig", TrialStatus::crashed}}};
constexpr std::array<Name, 6> kInvalidity = {{{"correct", TrialStatus::ok},
                                              {"compile", TrialStatus::compile_failed},
                                              {"runtime", TrialStatus::launch_failed},
                                              {"timeout", TrialStatus::timed_out},
                                              {"correctness", TrialStatus::wrong_result},
                                              {"constraints", TrialStatus::invalid}}};
constexpr double kNoTimeMs = 1e19; // Kernel Tuner once wrote 1e20 for a failure

template <std::size_t N> std::optional<TrialStatus> status_of(const std::array<Name, N>& names, std::string_view text) {
  for (const Name& name : names)
    if (name.text == text) return name.status;
  return std::nullopt;
}

template <std::size_t N>
std::string_view name_of(const std::array<Name, N>& names, TrialStatus status, std::string_view otherwise) {
  for (const Name& name : names)
    if (name.status == status) return name.text;
  return otherwise;
}

} // namespace

std::optional<TrialStatus> parse_kernel_tuner_failure(std::string_view name) {
  if (const auto known = status_of(kKernelTuner, name)) return known;
  if (name.ends_with("Config")) return TrialStatus::launch_failed; // a failure name of a later version
  return std::nullopt;
}
std::string_view kernel_tuner_failure(TrialStatus status) {
  // The schema lacks ErrorConfig.
  return status == TrialStatus::crashed ? "RuntimeFailedConfig" : name_of(kKernelTuner, status, "RuntimeFailedConfig");
}
bool is_kernel_tuner_field(std::string_view name) {
  constexpr std::array<std::string_view, 8> kFields = {
      "time",           "times",         "timestamp",     "compile_time", "verification_time",
      "benchmark_time", "strategy_time", "framework_time"};
  return std::find(kFields.begin(), kFields.end(), name) != kFields.end();
}
std::optional<TrialStatus> parse_invalidity(std::string_view name) { return status_of(kInvalidity, name); }
std::string_view invalidity(TrialStatus status) { return name_of(kInvalidity, status, "runtime"); }

ParamLabel label_of(const JsonScalar& value) {
  switch (value.kind) {
  case JsonScalar::Kind::boolean:
    return {ParamLabel::Kind::boolean, std::string(value.text)};
  case JsonScalar::Kind::integer:
    return {ParamLabel::Kind::integer, std::string(value.text)};
  case JsonScalar::Kind::real:
    return {ParamLabel::Kind::real, std::string(value.text)};
  case JsonScalar::Kind::text:
  case JsonScalar::Kind::null:
    break;
  }
  return {ParamLabel::Kind::text, std::string(value.text)};
}

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string json_text(const ParamLabel& label) {
  return label.kind == ParamLabel::Kind::text ? json_text(std::string_view(label.text)) : label.text;
}
std::string plain_text(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  return value.is_string() ? value.get<std::string>() : json;
}
std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

void RecordedRow::begin(std::size_t param_count) {
  outcome = {};
  failure.reset();
  positions_.assign(param_count, -1);
}

void RecordedRow::set(int param, std::int32_t position) {
  const auto at = static_cast<std::size_t>(param);
  if (at >= positions_.size()) positions_.resize(at + 1, -1);
  positions_[at] = position;
}

Result<void> RecordedRow::add_to(RecordedSpaceBuilder& builder) {
  const bool timed = outcome.time_ms > 0 && outcome.time_ms < kNoTimeMs;
  outcome.status = failure ? *failure : timed ? TrialStatus::ok : TrialStatus::launch_failed;
  if (!failure && !timed) {
    outcome.evidence = std::isnan(outcome.time_ms) ? "it has no valid time"
                                                   : fmt::format("its time of {} is not valid", outcome.time_ms);
    builder.count_invalid_time();
  }
  if (outcome.status != TrialStatus::ok) outcome.time_ms = kNotRecorded;
  return builder.add_row(std::move(positions_), std::move(outcome));
}

} // namespace warptune
