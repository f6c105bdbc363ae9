// The output of `warptune profile`: counters, what they mean compared with the cost model, and where they were stored.
#pragma once

#include "cli/asked_problem.h"
#include "cli/config_option.h"
#include "cli/source_summary.h"
#include "tuner/run.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct ProfileSummary {
  const Asked& asked;
  const NamedConfig& config;
  const RunReport& report;
  std::string stored; // a sentence: whether counters and samples were stored; empty: there were none
  std::vector<std::string> notes;
  const SourceSummary* source = nullptr; // samples; null: none
};

void print_profile_text(const ProfileSummary& summary);
void print_profile_json(const ProfileSummary& summary);

} // namespace warptune::cli
