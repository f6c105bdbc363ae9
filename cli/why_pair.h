// The two configurations that `warptune why` compares, with all that is known of them.
#pragma once

#include "cli/config_option.h"
#include "cli/why_trials.h"
#include "core/statistics.h"
#include "report/launch_facts.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

struct WhySideData {
  NamedConfig config;
  std::string text;   // config_text
  std::string origin; // where its time comes from: "session 3", "the recording", "this run"
  Trial trial;        // status ok, with a time; its profile, if any, was counted with the L2 as it was timed
  double time_us = 0;
  std::vector<report::LaunchFacts> launches;
  std::vector<std::string> library_calls;
  std::optional<PcSamples> samples; // stored by `profile --source`
};

struct WhyPair {
  DeviceInfo device;
  WhySideData a, b;
  Ratio ratio;              // b's time over a's
  std::string ratio_origin; // "interleaved in 15 rounds of the finals of session 3"
  std::vector<std::string> notes;
};

// Chooses the two among the measured configurations. `names`: two configurations as --config takes them; empty: the
// winner and the default. A configuration that was not measured has an empty trial, whose status is invalid. Errors
// (bad_input): a name that is not valid, both are the same, there is no winner.
Result<WhyPair> choose_pair(const Asked& asked, const std::vector<std::string>& names, const MeasuredTrials& measured,
                            const Reader* database);

// Whether counters are missing, of the stalls or of the work of some resource. --profile then reads them.
bool lacks_counters(const WhySideData& side);

// The options for profiling the pair on a GPU.
struct CountOptions {
  std::string device = "auto";
  bool cold_l2 = true, allow_build = false;
  std::filesystem::path database; // the file in which counters are stored
};
// Runs the pair on a GPU: both configurations if one of them has no time, otherwise only those without counters. Reads
// the counters of roofline and stalls. Error: no_candidate if a configuration does not run or is wrong, no_device
// without a GPU.
Result<void> measure_missing(const Asked& asked, const CountOptions& options, const Reader* database, WhyPair& pair);

// Fills in times, ratio, launches and library calls; also theoretical roofs if none was measured. Error (no_candidate):
// one of the two has no time.
Result<void> complete_pair(const Asked& asked, const MeasuredTrials& measured, WhyPair& pair);

} // namespace warptune::cli
