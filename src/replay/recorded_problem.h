// A recording of ours as a search of its kernel sees it: the space of the spec, what each configuration took, and what
// the recordings of other problems let know of it beforehand. Needs the kernel's folder; no GPU and no database.
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
  // Of a file, plain or gzip. Errors (kind bad_input): no recording of ours, a kernel that is not known, other params
  // than the kernel has today; no_candidate: nothing is valid.
  static Result<RecordedProblem> load(const std::filesystem::path& file);

  std::string name() const { return recording().kernel + " " + recording().problem; }
  const Recording& recording() const;
  const KernelSpec& spec() const;
  const Problem& problem() const;
  const SearchSpace& space() const; // what is valid by the spec; the recording may hold less
  const std::shared_ptr<const TimeModel>& model() const;

  const Trial* trial(ConfigIndex index) const;                 // null: it is not in the recording
  double time_us(ConfigIndex index) const;                     // 0: it failed, or is not in the recording
  double best_us() const;                                      // precondition: one is correct
  std::vector<std::pair<double, ConfigIndex>> ranking() const; // time in us; correct ones alone, the fastest first

 private:
  struct Facts;
  std::shared_ptr<const Facts> facts_; // stay where they are: what is known refers to them
};

// As gather_knowledge (tuner/gather_knowledge.h), with the kernel's recordings among `all` in place of a database, but
// for those of the same problem and device; `here` must outlive what is returned.
Knowledge knowledge_of(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                       const KnowledgeParts& parts);

// What is known of `here`, for the indices of `space`, which is the same recording (recorded_space_recording.h).
// Configurations that only one of the two has are known nothing of.
Knowledge knowledge_for(const RecordedSpace& space, const RecordedProblem& here, Knowledge known);

} // namespace warptune
