#include "cli/replay_knowledge.h"

#include "recording/recorded_space_recording.h"

#include <fmt/format.h>

namespace warptune::cli {

Result<ReplayKnowledge> load_replay_knowledge(const KnowledgeParts& parts, const std::vector<RecordedSpace>& spaces,
                                              const std::vector<std::filesystem::path>& files) {
  ReplayKnowledge out;
  if (parts == kNothingKnown) return out;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    if (spaces[i].format != kRecordingFormat)
      return fail(
          ErrorKind::bad_input,
          fmt::format(
              "--knowledge needs warptune recordings, but {} is from another tuner ({}), so its kernel is not known; "
              "remove --knowledge, or leave this file out",
              files[i].string(), spaces[i].format));
    WT_TRY(auto problem, RecordedProblem::load(files[i]));
    out.problems.push_back(std::move(problem));
  }
  for (std::size_t i = 0; i < spaces.size(); ++i)
    out.of_space.push_back(
        knowledge_for(spaces[i], out.problems[i], knowledge_of(out.problems[i], out.problems, parts)));
  return out;
}

} // namespace warptune::cli
