// The learned rule of a kernel (predict/transfer.h) as a file holds it: the times of its trials, with the rules that a
// pack brings. Part of the reader: `explain` and the runtime library choose by the same rule.
#pragma once

#include "db/reader.h"
#include "predict/transfer.h"
#include "spec/spec.h"

#include <set>
#include <string>

namespace warptune {

struct LearnedRule {
  LearnedTransfers transfers;
  std::set<Config> configs; // that have times
};

// `spec` must outlive the result. A pack's rules were learned when it was made; a database's are when first asked for.
Result<LearnedRule> load_learned_rule(const Reader& reader, const KernelSpec& spec, const std::string& source_hash);

} // namespace warptune
