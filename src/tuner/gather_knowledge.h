// What a session can know before it measures anything: features and expected times of its configurations from the spec
// and the device, hints and counters from what the database holds of the kernel. The only place that fills a Knowledge.
#pragma once

#include "core/device.h"
#include "db/records.h"
#include "jit/template_store.h"
#include "search/knowledge.h"

#include <filesystem>
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
  // 0: not begun. Else hints and counters come from results that were there when it began, so that it is told the same
  // when it is resumed.
  RowId session = 0;
  std::filesystem::path database; // need not exist
};

struct GatheredKnowledge {
  Knowledge knowledge;            // kernel, problem and space must outlive it
  std::vector<std::string> notes; // sentences for the user: earlier results that could not be read
};

GatheredKnowledge gather_knowledge(const KnowledgeRequest& request);

} // namespace warptune
