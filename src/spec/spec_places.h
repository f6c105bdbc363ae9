// Finds the line of spec.json or an implementation.json that describes a part of a spec. Findings show this line.
#pragma once

#include "core/finding.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <string_view>

namespace warptune {

// The place of `pointer` ("/params/VEC") in the file that describes the implementation.
Place place_in(const SourceFiles& sources, const Implementation& implementation, const std::string& pointer);
// The place of `pointer` in spec.json, for parts that belong to the operator.
Place place_in_spec(const SourceFiles& sources, const std::string& pointer);

// Returns the line in `source`, or in a file that it includes, that defines a kernel. `kernel` is its C++ name with
// template arguments: "softmax_kernel<float, 4>". If no line is found, the place is the file `source`.
Place place_of_kernel(const SourceFiles& sources, const std::string& source, std::string_view kernel);

// Returns " of online"; empty if the operator has only one implementation.
std::string of_implementation(const Implementation& implementation);

} // namespace warptune
