// What `replay --knowledge` tells the strategies: of recordings of ours as much as `tune` would tell them, where the
// other recordings that are named stand in for the database. Of other tuners' spaces nothing is known.
#pragma once

#include "interchange/recorded_space.h"
#include "replay/recorded_problem.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

struct ReplayKnowledge {
  std::vector<RecordedProblem> problems; // what is known refers to them
  std::vector<Knowledge> of_space;       // by space; empty: nothing is told
};

// `spaces` were read from `files`. Errors (kind bad_input): one is no recording of ours, its kernel is not known.
Result<ReplayKnowledge> load_replay_knowledge(const KnowledgeParts& parts, const std::vector<RecordedSpace>& spaces,
                                              const std::vector<std::filesystem::path>& files);

} // namespace warptune::cli
