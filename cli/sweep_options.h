// What a job of a sweep's file may say about how it is tuned: strategy, budget, seed, objective, finals, timeouts
// (docs/sweep.md). Knows nothing of kernels and problems.
#pragma once

#include "spec/spec_json_reader.h"
#include "tuner/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::vector<std::string_view> job_option_keys();

// Changes what the object at `at` names and leaves the rest; what is wrong is reported at its place, what is ignored in
// `notes`, each sentence once.
void read_job_options(const JsonCursor& at, SessionOptions& options, std::vector<std::string>& notes);

// "time", "energy" or "edp"; empty changes nothing. Error: another word, with the nearest.
Result<void> read_objective(const std::string& name, Objective& objective);

} // namespace warptune::cli
