// Handles one evaluated configuration for all readers of this folder: names of failures, values of params, and the rule
// for missing times.
#pragma once

#include "interchange/json_events.h"
#include "interchange/recorded_space.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// Reads Kernel Tuner's name of a failure, such as "CompilationFailedConfig". An unknown name that ends in "Config"
// counts as launch_failed; other texts give nullopt.
std::optional<TrialStatus> parse_kernel_tuner_failure(std::string_view name);
std::string_view kernel_tuner_failure(TrialStatus status);
// Whether `name` is a field of Kernel Tuner's cache entries ("time"). Params and metrics must not have such a name.
bool is_kernel_tuner_field(std::string_view name);
// Reads T4's `invalidity`: "correct", "compile", "runtime", "timeout", "correctness", "constraints".
std::optional<TrialStatus> parse_invalidity(std::string_view name);
std::string_view invalidity(TrialStatus status);

ParamLabel label_of(const JsonScalar& value);
std::string json_text(const ParamLabel& label);  // the label as a JSON value
std::string json_text(std::string_view text);    // the text as a JSON string, with quotes
std::string plain_text(const std::string& json); // the content of a JSON string; other JSON is returned unchanged
std::string json_number(double value); // the shortest text that reads back as the same number; "null" if not finite

class RecordedRow {
 public:
  void begin(std::size_t param_count);
  void set(int param, std::int32_t position);
  // The configuration counts as failed if its time is missing, not positive or above 1e19, whatever its status says.
  Result<void> add_to(RecordedSpaceBuilder& builder);

  RecordedOutcome outcome;
  std::optional<TrialStatus> failure;

 private:
  Positions positions_;
};

} // namespace warptune
