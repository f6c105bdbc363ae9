// The files that a kernel's sources include, and one hash over everything that affects results. Every record stores the
// hash, so that data measured with other sources is recognised. Headers that the kernel does not include do not affect
// the hash.
#pragma once

#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

bool is_implementation_file(std::string_view name); // "online/implementation.json"

// Returns the text of a file by its name; nullptr if there is no such file.
const std::string* find_source(const SourceFiles& sources, std::string_view name);

// Returns the files that `name` includes, directly or indirectly, in the order of `sources`, without `name` itself.
// Quoted and angled names count if `sources` has them. If a macro computes an include, returns all headers.
std::vector<std::pair<std::string, std::string>> included_files(const SourceFiles& sources, std::string_view name);

// A name in an #include line, quoted or angled. included_names returns them in order, except those in comments or
// computed by a macro.
struct IncludedName {
  std::string name;
  bool is_conditional = false; // whether it is between #if and #endif, so that the compiler may skip it
};
std::vector<IncludedName> included_names(std::string_view text);
// Converts "a/b/../c.cuh" and "./c.cuh" to the names that SourceFiles uses.
std::string normal_include(std::string_view path);

// Returns the name of an input file of a built implementation: in the implementation's folder, otherwise next to
// spec.json.
std::string build_input_name(const SourceFiles& sources, const Build& build, const std::string& input);

// Returns `json`, the text of the file `name`, without the `expected_us` of the implementation that it describes; texts
// of other files are returned unchanged.
std::string without_expected_time(const KernelSpec& spec, const SourceFiles& sources, const std::string& name,
                                  const std::string& json);
// Replaces the 2 by a 1 in the text of a spec.json of format 2.
std::string as_format_1(std::string json);

// SHA-256 over spec.json, every implementation.json, the sources of the implementations, of the reference and of
// `prepare` with the files they include, and the inputs of build commands. Three parts of the descriptions are
// excluded: `align` of buffers (it decides which callers can use a configuration, but changes neither cubins nor
// times), `tensor_when` of the cost (it only selects the roof for operations) and `expected_us` (an estimate). The
// format number is excluded if the spec without `expected_us` means the same in format 1, so a folder keeps its results
// when it moves to format 2.
std::string source_hash(const KernelSpec& spec, const SourceFiles& sources);

} // namespace warptune
