// A warptune recording prepared for a search: the space of the spec, the time of each configuration, and knowledge from
// recordings of other problems. Needs the kernel's folder, but no GPU and no database.
#pragma once

#include "interchange/recorded_space.h"
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
  // Loads a file, plain or gzip. Errors: bad_input if the file is not a warptune recording, the kernel is unknown, or
  // the kernel's params have changed since the recording; no_candidate if no configuration is valid.
  static Result<RecordedProblem> load(const std::filesystem::path& file);

  std::string name() const { return recording().kernel + " " + recording().problem; }
  const Recording& recording() const;
  const KernelSpec& spec() const;
  const Problem& problem() const;
  const SearchSpace& space() const; // the valid configurations of the spec; the recording may have fewer
  const std::shared_ptr<const TimeModel>& model() const;

  const Trial* trial(ConfigIndex index) const; // null if the recording does not have the configuration
  double time_us(ConfigIndex index) const;     // 0 if the configuration failed, or is not in the recording
  double best_us() const;                      // precondition: at least one trial is correct
  std::vector<std::pair<double, ConfigIndex>> ranking() const; // (us, index) of correct trials, fastest first

 private:
  struct Facts;
  std::shared_ptr<const Facts> facts_; // at a fixed address, because the knowledge refers to it
};

// Gathers knowledge as gather_knowledge (tuner/gather_knowledge.h) does, but from the kernel's recordings in `all` in
// place of a database. Ignores recordings of the same problem and device. `here` must outlive the result.
Knowledge knowledge_of(const RecordedProblem& here, const std::vector<RecordedProblem>& all,
                       const KnowledgeParts& parts);

// Converts the knowledge for `here` to the indices of `space`, which was made from the same recording
// (recorded_space_recording.h). A configuration that is missing in `space` or in `here` gets no knowledge.
Knowledge knowledge_for(const RecordedSpace& space, const RecordedProblem& here, Knowledge known);

} // namespace warptune
