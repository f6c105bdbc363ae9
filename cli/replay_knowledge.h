// The knowledge that `replay --knowledge` gives to strategies. For our own recordings it is what `tune` would give,
// with the other named recordings instead of the database. For other tuners' spaces there is none.
#pragma once

#include "interchange/recorded_space.h"
#include "replay/recorded_problem.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

struct ReplayKnowledge {
  std::vector<RecordedProblem> problems; // the knowledge refers to them
  std::vector<Knowledge> of_space;       // by space; empty: no knowledge
};

// `spaces` were read from `files`. Errors (kind bad_input): a file is not one of our recordings, or its kernel is not
// known.
Result<ReplayKnowledge> load_replay_knowledge(const KnowledgeParts& parts, const std::vector<RecordedSpace>& spaces,
                                              const std::vector<std::filesystem::path>& files);

} // namespace warptune::cli
