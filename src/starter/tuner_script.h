// Reads the facts about a kernel from a Kernel Tuner script. The script is parsed, never executed.
#pragma once

#include "core/result.h"
#include "starter/facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct TunerScript {
  StarterFacts facts;             // kernel, values, constraints and block; other facts are not read
  std::string source;             // the file that the script names: "fir.cu"
  std::vector<std::string> notes; // sentences about parts that could not be converted
};

// Reads tune_params (a dict, or assignments to its keys), restrictions and the name of the kernel. Lists are those of
// python_expr.h. Error (bad_input): there is no tune_kernel, or a parameter's list cannot be read.
Result<TunerScript> read_tuner_script(std::string_view text);

} // namespace warptune
