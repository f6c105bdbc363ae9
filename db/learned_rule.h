// Loads a kernel's learned rule (predict/transfer.h) from a database or a pack. Uses the times of trials and, in a
// pack, the stored rules. `explain` and the runtime library both use this function, so they choose the same
// configuration.
#pragma once

#include "db/reader.h"
#include "predict/transfer.h"
#include "spec/spec.h"

#include <set>
#include <string>

namespace warptune {

struct LearnedRule {
  LearnedTransfers transfers;
  std::set<Config> configs; // configurations that have times
};

// `spec` must outlive the result. A pack's rules were learned from all problems when the pack was made. A database's
// rules are learned from `problems` (Reader::near_problems) at their first use.
Result<LearnedRule> load_learned_rule(const Reader& reader, const KernelSpec& spec, const std::string& source_hash,
                                      const SomeProblems& problems);

} // namespace warptune
