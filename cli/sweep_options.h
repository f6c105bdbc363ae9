// The tuning options of a job in a sweep's file: strategy, budget, seed, objective, finals, timeouts (docs/sweep.md).
// Independent of kernels and problems.
#pragma once

#include "spec/spec_json_reader.h"
#include "tuner/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::vector<std::string_view> job_option_keys();

// Sets the options that the JSON object at `at` has, and leaves the others. Reports an error at its place. Adds a
// sentence to `notes` for each ignored option, but no sentence twice.
void read_job_options(const JsonCursor& at, SessionOptions& options, std::vector<std::string>& notes);

// Reads "time", "energy" or "edp"; an empty text changes nothing. Error: another word; the message names the nearest.
Result<void> read_objective(const std::string& name, Objective& objective);

} // namespace warptune::cli
