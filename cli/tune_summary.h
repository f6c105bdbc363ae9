// What `tune` says at the end: the winner, how sure it is, what failed, where it is stored, what to type next.
#pragma once

#include "cli/asked_problem.h"
#include "cli/shell_words.h"
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
};

bool has_best(const SessionResult& result);
// What was asked for has the names of `show sessions`.
nlohmann::json session_json(const Kernel& kernel, const Problem& problem, const SessionResult& result,
                            const SessionOptions& options);
void print_tune_text(const TuneReport& report);
void print_tune_json(const TuneReport& report);

} // namespace warptune::cli
