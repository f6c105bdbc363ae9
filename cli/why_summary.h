// The output of `warptune why`: what differs between two configurations, and the verdict.
#pragma once

#include "cli/asked_problem.h"
#include "cli/why_pair.h"
#include "report/why.h"

namespace warptune::cli {

// Returns the data that the analysis needs. `pair`: already completed by complete_pair.
report::WhyFacts why_facts(const Asked& asked, const WhyPair& pair);

void print_why_text(const Asked& asked, const WhyPair& pair, const report::Why& why, bool wide);
void print_why_json(const Asked& asked, const WhyPair& pair, const report::WhyFacts& facts, const report::Why& why);

} // namespace warptune::cli
