// What `tune` prints at its end: the winner and how certain it is, the failures, where the result is stored, and the
// next command to type.
#pragma once

#include "cli/asked_problem.h"
#include "tuner/session.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

struct TuneReport {
  const Asked& asked;
  const SessionResult& result;
  const std::map<TrialStatus, Trial>& first_failures;
  const SessionOptions& session;
  const ProblemArgs& args;
  const std::string& db;
  std::string resume_command;
  std::string run = {}; // the run folder; empty: there is none
};

bool has_best(const SessionResult& result);
// The members for the requested options are named as in `show sessions`.
nlohmann::json session_json(const Kernel& kernel, const Problem& problem, const SessionResult& result,
                            const SessionOptions& options);
void print_tune_text(const TuneReport& report);
void print_tune_json(const TuneReport& report);

} // namespace warptune::cli
