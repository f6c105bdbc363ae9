// Finds the line of spec.json, or of an implementation.json, that describes a part of a spec. Used for findings.
#pragma once

#include "core/finding.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <string_view>

namespace warptune {

// The place of `pointer` ("/params/VEC") in the file that describes the implementation.
Place place_in(const SourceFiles& sources, const Implementation& implementation, const std::string& pointer);
// The same for spec.json and the parts that belong to the operator.
Place place_in_spec(const SourceFiles& sources, const std::string& pointer);

// The line of `source`, or of a file that it includes, that defines a launch's kernel. `kernel`: its C++ name with
// template arguments ("softmax_kernel<float, 4>"). If there is no such line, the place is `source` as a whole.
Place place_of_kernel(const SourceFiles& sources, const std::string& source, std::string_view kernel);

// " of online"; empty if the operator has only one implementation.
std::string of_implementation(const Implementation& implementation);

} // namespace warptune
