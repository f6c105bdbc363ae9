// The tuning options of a job in a sweep's file: strategy, budget, seed, objective, finals, timeouts (docs/sweep.md).
// Knows nothing of kernels and problems.
#pragma once

#include "spec/spec_json_reader.h"
#include "tuner/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::vector<std::string_view> job_option_keys();

// Sets the options that the object at `at` names and leaves the others. Errors are reported at their place; ignored
// options are added to `notes`, each sentence once.
void read_job_options(const JsonCursor& at, SessionOptions& options, std::vector<std::string>& notes);

// Reads "time", "energy" or "edp"; empty changes nothing. Error: another word, with the nearest one.
Result<void> read_objective(const std::string& name, Objective& objective);

} // namespace warptune::cli
