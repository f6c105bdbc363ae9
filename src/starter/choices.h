// The parts of a kernel that can become params: its template parameters and the macros of its source, with the values
// that the user or the source gives.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "starter/described_kernel.h"
#include "starter/kernel_text.h"

#include <string>
#include <vector>

namespace warptune {

struct StarterChoices {
  std::string source; // the first file, with guards around the macros that options set
  std::vector<StarterChoice> macros, template_arguments;
  std::vector<std::string> dtypes; // the dtypes that the user lists for a type; empty: no type can be chosen
  std::vector<std::string> notes;
  std::vector<MissingFact> missing; // template arguments without a value; the lists hold provisional values for them
};

// Errors (bad_input): values for a name that the source does not have, or for a macro that takes arguments; values that
// are not integers; two types with several dtypes.
Result<StarterChoices> find_choices(const SourceFiles& sources, const KernelText& kernel, const StarterFacts& facts);

// "BLOCK=64" for each macro, with the problem's dtype as the type.
std::vector<std::string> macro_options(const StarterChoices& choices, const StarterFacts& facts,
                                       const std::string& dtype);
// "scale<float, 4>".
std::string instance_name(const std::string& kernel, const StarterChoices& choices, const StarterFacts& facts,
                          const std::string& dtype);

} // namespace warptune
