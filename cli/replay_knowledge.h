// The knowledge that `replay --knowledge` gives to strategies. For warptune's own recordings it is the knowledge that
// `tune` would give, with the other named recordings in place of the database. Spaces of other tuners have no
// knowledge.
#pragma once

#include "interchange/recorded_space.h"
#include "replay/recorded_problem.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

struct ReplayKnowledge {
  std::vector<RecordedProblem> problems; // the problems to which the knowledge refers
  std::vector<Knowledge> of_space;       // the knowledge of each space; empty: no knowledge
};

// `spaces` were read from `files`. Errors (kind bad_input): a file is not a warptune recording, or its kernel is not
// known.
Result<ReplayKnowledge> load_replay_knowledge(const KnowledgeParts& parts, const std::vector<RecordedSpace>& spaces,
                                              const std::vector<std::filesystem::path>& files);

} // namespace warptune::cli
