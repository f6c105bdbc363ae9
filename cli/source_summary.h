// The output of `warptune profile --source`: the hottest source lines and instructions of a sampled configuration.
#pragma once

#include "core/pc_samples.h"
#include "jit/template_store.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

struct SourceSummary {
  const Kernel& kernel;
  SourceProfile profile;
};

// "52104 samples in 12 runs, ..." for the list of facts.
std::string samples_fact(const SourceSummary& summary);
// Prints the ten hottest lines, the ten hottest instructions, and the ten accesses to memory that waste most. Adds
// notes.
void print_source_text(const SourceSummary& summary, std::vector<std::string>& notes);
nlohmann::json source_json(const SourceSummary& summary); // all lines and all instructions with samples or counts

} // namespace warptune::cli
