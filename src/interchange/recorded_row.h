// What the readers of this folder share about one evaluated configuration: the names of failures, the values of
// params, and when a time is none. Knows no format's structure.
#pragma once

#include "interchange/json_events.h"
#include "interchange/recorded_space.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// "CompilationFailedConfig", as Kernel Tuner calls a status; nothing for ok and for what is no such name.
std::optional<TrialStatus> parse_kernel_tuner_failure(std::string_view name);
std::string_view kernel_tuner_failure(TrialStatus status);
// What an entry of a Kernel Tuner cache says beside its params and metrics, which therefore have other names: "time".
bool is_kernel_tuner_field(std::string_view name);
// T4's `invalidity`: "correct", "compile", "runtime", "timeout", "correctness", "constraints".
std::optional<TrialStatus> parse_invalidity(std::string_view name);
std::string_view invalidity(TrialStatus status);

ParamLabel label_of(const JsonScalar& value);
std::string json_text(const ParamLabel& label);  // as it stands in a JSON text
std::string json_text(std::string_view text);    // with quotes
std::string plain_text(const std::string& json); // what a JSON text says; as it is where that is no text
std::string json_number(double value);           // shortest that reads back as the same; "null" when it is none

class RecordedRow {
 public:
  void begin(std::size_t param_count);
  void set(int param, std::int32_t position);
  // A configuration whose time is missing, none or beyond 1e19 failed, whatever else is said of it.
  Result<void> add_to(RecordedSpaceBuilder& builder);

  RecordedOutcome outcome;
  std::optional<TrialStatus> failure;

 private:
  Positions positions_;
};

} // namespace warptune
