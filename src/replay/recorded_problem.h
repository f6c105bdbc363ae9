// A warptune recording prepared for a search: the space of the spec, the time of each configuration, and the
// knowledge from recordings of other problems. Needs the kernel's folder; no GPU and no database.
#pragma once

#include "interchange/recorded_space.h"
#include "jit/template_store.h"
#include "predict/expected_time.h"
#include "recording/recording.h"
#include "search/knowledge.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

class RecordedProblem {
 public:
  // Loads a file, plain or gzip. Errors (kind bad_input): not a warptune recording, an unknown kernel, or params that
  // the kernel no longer has; no_candidate: no configuration is valid.
  static Result<RecordedProblem> load(const std::filesystem::path& file);

  std::string name() const { return recording().kernel + " " + recording().problem; }
  const Recording& recording() const;
  const KernelSpec& spec() const;
  const Problem& problem() const;
  const SearchSpace& space() const; // the valid configurations of the spec; the recording may hold fewer
  const std::shared_ptr<const TimeModel>& model() const;

  const Trial* trial(ConfigIndex index) const;                 // null: the configuration is not in the recording
  double time_us(ConfigIndex index) const;                     // 0: it failed, or is not in the recording
  double best_us() const;                                      // precondition: a trial is correct
  std::vector<std::pair<double, ConfigIndex>> ranking() const; // times in us of correct trials, fastest first

 private:
  struct Facts;
  std::shared_ptr<const Facts> facts_; // must not move, because the knowledge refers to it
};

// Like gather_knowledge (tuner/gather_knowledge.h), but from the kernel's recordings among `all` instead of a database.
// Ignores recordings of the same problem and device. `here` must outlive the result.
Knowledge knowledge_of(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                       const KnowledgeParts& parts);

// Translates the knowledge of `here` to the indices of `space`, made from the same recording
// (recorded_space_recording.h). A configuration that is missing in either gets no knowledge.
Knowledge knowledge_for(const RecordedSpace& space, const RecordedProblem& here, Knowledge known);

} // namespace warptune
