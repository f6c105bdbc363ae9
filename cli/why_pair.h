// The two configurations that `warptune why` compares, with all that is known about them.
#pragma once

#include "cli/config_option.h"
#include "cli/why_trials.h"
#include "core/statistics.h"
#include "report/launch_facts.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

struct WhySideData {
  NamedConfig config;
  std::string text;   // the config_text of `config`
  std::string origin; // where its time is from: "session 3", "the recording", "this run"
  Trial trial;        // ok, with a time; counters, if any, were read in the same L2 state (cold or warm) as the time
  double time_us = 0;
  std::vector<report::LaunchFacts> launches;
  std::vector<std::string> library_calls;
  std::optional<PcSamples> samples; // stored by `profile --source`
};

struct WhyPair {
  DeviceInfo device;
  WhySideData a, b;
  Ratio ratio;              // b's time divided by a's
  std::string ratio_origin; // such as "interleaved in 15 rounds of the finals of session 3"
  std::vector<std::string> notes;
};

// Chooses the two configurations and finds their trials. `names`: two configurations as --config takes them; empty: the
// winner and the default. A configuration that was not measured gets an empty trial with status invalid. Errors
// (bad_input): a name is not valid, the names mean the same configuration, or there is no winner.
Result<WhyPair> choose_pair(const Asked& asked, const std::vector<std::string>& names, const MeasuredTrials& measured,
                            const Reader* database);

// Whether the counters of stalls, or of the work on a resource, are missing. --profile reads missing counters.
bool lacks_counters(const WhySideData& side);

// Options for measuring the pair on a GPU.
struct CountOptions {
  std::string device = "auto";
  bool cold_l2 = true, allow_build = false;
  std::filesystem::path database; // where counters are stored
};
// Runs both configurations on a GPU if a configuration has no time; otherwise runs only configurations without
// counters. Reads the counters of the sets roofline and stalls. Errors: no_candidate if a configuration does not run or
// is wrong; no_device if there is no GPU.
Result<void> measure_missing(const Asked& asked, const CountOptions& options, const Reader* database, WhyPair& pair);

// Sets times, ratio, launches and library calls. If no roofs were measured, sets the theoretical ones. Error
// (no_candidate): a configuration has no time.
Result<void> complete_pair(const Asked& asked, const MeasuredTrials& measured, WhyPair& pair);

} // namespace warptune::cli
