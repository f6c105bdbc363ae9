// The names that can become params of a kernel: its template parameters and the macros of its source. Their values are
// from the user or from the source.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "starter/described_kernel.h"
#include "starter/kernel_text.h"

#include <string>
#include <vector>

namespace warptune {

struct StarterChoices {
  std::string source; // the first file, with #ifndef around the macros that options set
  std::vector<StarterChoice> macros, template_arguments;
  std::vector<std::string> dtypes; // the dtypes that --type gives for the problem's dtype; empty: --type was not given
  std::vector<std::string> notes;
  std::vector<MissingFact>
      missing; // template arguments without a value; the lists above have provisional values for them
};

// Errors (bad_input): values for a name that the source does not have, or for a macro that takes arguments; values that
// are not integers; more than one type with several dtypes.
Result<StarterChoices> find_choices(const SourceFiles& sources, const KernelText& kernel, const StarterFacts& facts);

// Returns "BLOCK=64" and so on, one per macro. A macro that is a type gets the problem's dtype.
std::vector<std::string> macro_options(const StarterChoices& choices, const StarterFacts& facts,
                                       const std::string& dtype);
// Returns a C++ name such as "scale<float, 4>".
std::string instance_name(const std::string& kernel, const StarterChoices& choices, const StarterFacts& facts,
                          const std::string& dtype);

} // namespace warptune
