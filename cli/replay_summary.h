// The output of `replay`: a table of strategies, as text and as JSON.
#pragma once

#include "replay/strategy_replay.h"
#include "replay/strategy_score.h"

#include <map>
#include <string>
#include <vector>

namespace warptune::cli {

struct ReplayReport {
  std::vector<RecordedSpace> spaces;
  std::vector<StrategyScore> scores;             // best first
  std::map<std::string, double> own_ms;          // strategy that ran here -> its own CPU time per evaluation
  std::size_t complete_runs = 0, total_runs = 0; // not all runs are complete if the replay was stopped
  std::vector<std::string> notes;
};

std::string replay_table(const ReplayReport& report, bool per_space, int width);
void print_replay_json(const ReplayReport& report);

} // namespace warptune::cli
