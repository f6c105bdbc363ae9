// The measured configurations of a problem, from which `warptune why` chooses. They are from a database or a recording.
#pragma once

#include "cli/asked_problem.h"
#include "core/device.h"
#include "core/pc_samples.h"
#include "core/trial.h"
#include "db/reader.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

struct MeasuredTrial {
  Trial trial;        // the trial's config is valid in the present spec
  std::string origin; // "session 3" or "the recording"
  std::optional<PcSamples> samples = {};
};

struct MeasuredTrials {
  DeviceInfo device; // with its roofs
  std::map<std::string, MeasuredTrial>
      by_config;                  // keyed by config_text; trials of the result's session have precedence
  std::optional<BestRecord> best; // the result in use; nullopt: none
  std::string winner; // config_text of `best`, or of one of a recording's fastest configurations; empty: none
  std::vector<std::string> notes;
};

// `device`: as for choose_device. Errors: no_candidate if nothing was measured (the message says what to do); database.
Result<MeasuredTrials> load_measured(const Asked& asked, const std::string& device, bool cold_l2,
                                     const Reader* database);

} // namespace warptune::cli
