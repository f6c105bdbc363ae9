// What a session can know before it measures anything: expected times of its configurations from the spec and the
// device, hints from what the database holds of the kernel. What recordings hold instead of a database:
// recorded_problem.h.
#pragma once

#include "core/device.h"
#include "db/records.h"
#include "jit/template_store.h"
#include "predict/expected_time.h"
#include "search/knowledge.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace warptune {

struct KnowledgeRequest {
  const Kernel& kernel;
  const Problem& problem;
  const DeviceInfo& device; // without roofs nothing is expected of times
  const SearchSpace& space;
  KnowledgeParts parts;
  SessionIdentity identity; // whose session it is
  // 0: not begun. Else hints come from results that were there when it began, so that it is told the same
  // when it is resumed.
  RowId session = 0;
  std::filesystem::path database; // need not exist
};

struct GatheredKnowledge {
  Knowledge knowledge;            // kernel, problem and space must outlive it
  std::vector<std::string> notes; // sentences for the user: earlier results that could not be read
};

GatheredKnowledge gather_knowledge(const KnowledgeRequest& request);

// Its part that does not depend on where earlier results come from: expected times where the roofs are known. `space`
// must outlive `out`.
void tell_model(const std::shared_ptr<const TimeModel>& model, const SearchSpace& space, const KnowledgeParts& parts,
                Knowledge& out);

} // namespace warptune
