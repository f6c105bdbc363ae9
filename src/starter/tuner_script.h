// Reads facts about a kernel from a Kernel Tuner script, which is parsed and never executed.
#pragma once

#include "core/result.h"
#include "starter/facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct TunerScript {
  StarterFacts facts;             // only kernel, values, constraints and block are set
  std::string source;             // the source file that the script names: "fir.cu"
  std::vector<std::string> notes; // a sentence for each part that could not be converted
};

// Reads tune_params (a dict, or assignments to its keys), restrictions and the name of the kernel. Lists may have the
// forms that python_expr.h reads. A restriction is converted for the param's values in `values`, if there are any, and
// otherwise for those of the script. Error (bad_input): there is no tune_kernel, or the list of a parameter cannot be
// read.
Result<TunerScript> read_tuner_script(std::string_view text, const Entries& values);

} // namespace warptune
