// The tuning options of a job in a sweep's file: strategy, budget, seed, objective, finals, timeouts (docs/sweep.md).
// Does not depend on kernels or problems.
#pragma once

#include "spec/spec_json_reader.h"
#include "tuner/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::vector<std::string_view> job_option_keys();

// Sets the options that the object at `at` names; the others keep their values. Errors are reported at their place;
// ignored options are added to `notes`, each sentence once.
void read_job_options(const JsonCursor& at, SessionOptions& options, std::vector<std::string>& notes);

// Reads "time", "energy" or "edp"; empty changes nothing. Error: any other word; the message names the nearest one.
Result<void> read_objective(const std::string& name, Objective& objective);

} // namespace warptune::cli
