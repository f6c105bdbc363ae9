// Reads a kernel's learned rule (predict/transfer.h) from a file: from its trials' times, and from a pack's stored
// rules. `explain` and the runtime library both use it, so they choose by the same rule.
#pragma once

#include "db/reader.h"
#include "predict/transfer.h"
#include "spec/spec.h"

#include <set>
#include <string>

namespace warptune {

struct LearnedRule {
  LearnedTransfers transfers;
  std::set<Config> configs; // configurations with times
};

// `spec` must outlive the result. The rules of a pack were learned from all problems when the pack was made. The rules
// of a database are learned from `problems` (Reader::near_problems) when they are first needed.
Result<LearnedRule> load_learned_rule(const Reader& reader, const KernelSpec& spec, const std::string& source_hash,
                                      const SomeProblems& problems);

} // namespace warptune
