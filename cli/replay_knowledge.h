// The knowledge that `replay --knowledge` gives to strategies. For warptune's own recordings, strategies
// get the same knowledge as in `tune`, but from the command's other recordings in place of a database. For spaces of
// other tuners, there is no knowledge.
#pragma once

#include "interchange/recorded_space.h"
#include "replay/recorded_problem.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

struct ReplayKnowledge {
  std::vector<RecordedProblem> problems; // the knowledge refers to them
  std::vector<Knowledge> of_space;       // one per space; empty: no knowledge
};

// `spaces` were read from `files`. Error (bad_input): a file is not a warptune recording, or its kernel is unknown.
Result<ReplayKnowledge> load_replay_knowledge(const KnowledgeParts& parts, const std::vector<RecordedSpace>& spaces,
                                              const std::vector<std::filesystem::path>& files);

} // namespace warptune::cli
