// The output of `warptune profile --source`: the source lines and the instructions that have the most samples.
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

// Returns the entry for the list of facts: "52104 samples in 12 runs, ...".
std::string samples_fact(const SourceSummary& summary);
// Prints the ten lines and the ten instructions with the most samples, and the ten memory accesses that waste the most
// bytes. Adds notes.
void print_source_text(const SourceSummary& summary, std::vector<std::string>& notes);
nlohmann::json source_json(const SourceSummary& summary); // all lines, and all instructions with samples or counts

} // namespace warptune::cli
