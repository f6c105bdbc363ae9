// What a kernel's sources include, and one hash over all that matters to results: stored with every record, so that
// data measured from other sources is recognised. A changed header that a kernel does not include changes nothing.
#pragma once

#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

bool is_implementation_file(std::string_view name); // "online/implementation.json"

// The text of a file by its name; nullptr when there is none.
const std::string* find_source(const SourceFiles& sources, std::string_view name);

// The files that `name` includes, directly or not, in the order of `sources`; `name` itself is left out. Quoted and
// angled names count when `sources` has them; where an include is computed from a macro, all headers are returned.
std::vector<std::pair<std::string, std::string>> included_files(const SourceFiles& sources, std::string_view name);

// What the #include lines of a source name, quoted or angled, in order; not those in comments or computed from a macro.
struct IncludedName {
  std::string name;
  bool is_conditional = false; // between #if and #endif: perhaps the compiler never sees it
};
std::vector<IncludedName> included_names(std::string_view text);
// "a/b/../c.cuh" and "./c.cuh" as the names that SourceFiles uses.
std::string normal_include(std::string_view path);

// The name of a file that the command of a built implementation is given: in its own folder, else beside spec.json.
std::string build_input_name(const SourceFiles& sources, const Build& build, const std::string& input);

// `json`, the text of the file `name`, without the `expected_us` of the implementation that it describes; other files
// as they are.
std::string without_expected_time(const KernelSpec& spec, const SourceFiles& sources, const std::string& name,
                                  const std::string& json);
// The text of a spec.json of format 2 with the 1 in its place.
std::string as_format_1(std::string json);

// SHA-256 over spec.json, the source, the reference and the files they include. The `align` of buffers of spec.json
// does not count: it says which callers a configuration serves, and changes neither programs nor times. Nor does
// `tensor_when` of the cost, which says what roof operations are held against, nor `expected_us`, an estimate, nor the
// number of the format where the spec without `expected_us` means the same in format 1: a folder keeps its results
// when it moves to 2.
std::string source_hash(const KernelSpec& spec, const SourceFiles& sources);

} // namespace warptune
