// What `tune` says at the end: the winner, how sure it is, what failed, where it is stored, what to type next.
#pragma once

#include "cli/common.h"
#include "tuner/session.h"

#include <map>
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

void print_tune_text(const TuneReport& report);
void print_tune_json(const TuneReport& report);

// One failure of each kind with its evidence, on standard error: for a session that found nothing.
void print_first_failures(const KernelSpec& spec, const std::map<TrialStatus, Trial>& failures);

} // namespace warptune::cli
