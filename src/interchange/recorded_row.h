// Code that the readers of this folder share for one evaluated configuration: the names of failures, the values of
// params, and when a time counts as missing. Does not depend on the structure of a format.
#pragma once

#include "interchange/json_events.h"
#include "interchange/recorded_space.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// The status that Kernel Tuner calls, for example, "CompilationFailedConfig". An unknown name that ends in "Config"
// counts as launch_failed; any other text gives nullopt.
std::optional<TrialStatus> parse_kernel_tuner_failure(std::string_view name);
std::string_view kernel_tuner_failure(TrialStatus status);
// Whether this is the name of a field in Kernel Tuner cache entries ("time"), which params and metrics must not use.
bool is_kernel_tuner_field(std::string_view name);
// T4's `invalidity`: "correct", "compile", "runtime", "timeout", "correctness", "constraints".
std::optional<TrialStatus> parse_invalidity(std::string_view name);
std::string_view invalidity(TrialStatus status);

ParamLabel label_of(const JsonScalar& value);
std::string json_text(const ParamLabel& label);  // the value as written in JSON
std::string json_text(std::string_view text);    // with quotes
std::string plain_text(const std::string& json); // the value of a JSON string; `json` itself if it is not a string
std::string json_number(double value); // the shortest text that reads back as the same number; "null" if not finite

class RecordedRow {
 public:
  void begin(std::size_t param_count);
  void set(int param, std::int32_t position);
  // A configuration failed if its time is missing, not positive or beyond 1e19, even if its status says otherwise.
  Result<void> add_to(RecordedSpaceBuilder& builder);

  RecordedOutcome outcome;
  std::optional<TrialStatus> failure;

 private:
  Positions positions_;
};

} // namespace warptune
