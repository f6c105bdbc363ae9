// Gathers the knowledge that a session has before any measurement. It consists of expected times of the configurations,
// from the spec and the device, and of hints from the kernel's earlier results in the database and in the shipped
// recordings. replay/recorded_problem.h takes hints only from recordings.
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
  const DeviceInfo& device; // if its roofs are not known, there are no expected times
  const SearchSpace& space;
  KnowledgeParts parts;
  SessionIdentity identity; // identity of the session
  // 0: the session is not stored yet. Otherwise hints come only from results that existed when the session began, so
  // that a resumed session gets the same hints.
  RowId session = 0;
  std::filesystem::path database; // the file need not exist
  bool recordings = true;         // whether the shipped recordings also give hints
};

struct GatheredKnowledge {
  Knowledge knowledge;            // kernel, problem and space must outlive it
  std::vector<std::string> notes; // sentences for the user: which earlier results could not be read
};

GatheredKnowledge gather_knowledge(const KnowledgeRequest& request);

// The part of gather_knowledge that needs no earlier results: adds expected times if the roofs are known. `space` must
// outlive `out`.
void tell_model(const std::shared_ptr<const TimeModel>& model, const SearchSpace& space, const KnowledgeParts& parts,
                Knowledge& out);

} // namespace warptune
