// The tables of `why`: the params and launches that differ, the resources, the stalls and the source lines.
#pragma once

#include "cli/table.h"
#include "cli/why_pair.h"
#include "report/why.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct ParamDifference {
  std::string name, a, b; // "-": the implementation does not have the param
};
std::vector<ParamDifference> differing_params(const KernelSpec& spec, const WhyPair& pair);

// `width`: 0 means no limit. Returns the tables that have rows, in this order: launches, resources, stalls, lines.
std::vector<Table> why_tables(const KernelSpec& spec, const WhyPair& pair, const report::Why& why, int width);

} // namespace warptune::cli
