// Finds the files that a kernel's sources include, and computes one hash over everything that affects the kernel's
// results. Every record stores this hash, so that results measured with other sources are recognised. Headers that the
// kernel does not include do not affect the hash.
#pragma once

#include "spec/source_files.h"
#include "spec/spec.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

bool is_implementation_file(std::string_view name); // such as "online/implementation.json"

// Returns a file's text; nullptr if no file has this name.
const std::string* find_source(const SourceFiles& sources, std::string_view name);

// Returns the files that `name` includes, directly or indirectly, but not `name` itself, in the order of `sources`.
// Quoted and angled includes are followed if `sources` has the file. If a macro computes an include, returns all
// headers.
std::vector<std::pair<std::string, std::string>> included_files(const SourceFiles& sources, std::string_view name);

// A name in an #include line, quoted or angled.
struct IncludedName {
  std::string name;
  bool is_conditional = false; // whether it is between #if and #endif, so that the compiler may skip it
};
// Returns the included names in order, except names in comments and names that a macro computes.
std::vector<IncludedName> included_names(std::string_view text);
// Converts "a/b/../c.cuh" and "./c.cuh" to the names that SourceFiles uses.
std::string normal_include(std::string_view path);

// Returns the name in `sources` of an input file of a built implementation. The file is in the implementation's folder
// or, if it is not there, next to spec.json.
std::string build_input_name(const SourceFiles& sources, const Build& build, const std::string& input);

// `json` is the text of the file `name`. If the file describes an implementation, returns the text without the
// implementation's `expected_us`. Otherwise returns the text unchanged.
std::string without_expected_time(const KernelSpec& spec, const SourceFiles& sources, const std::string& name,
                                  const std::string& json);
// Returns the text of a format 2 spec.json with the format number 1.
std::string as_format_1(std::string json);

// SHA-256 over the JSON files (spec.json and every implementation.json), all sources with the files that they include,
// and the inputs of build commands. The sources are those of the implementations, the reference and `prepare`. The hash
// leaves out three parts of the JSON files: `align` of buffers, because it changes neither cubins nor times;
// `tensor_when` of the cost, because it only selects a roof; and `expected_us`, because it is only an estimate. If a
// spec of format 2 uses no feature of format 2 except `expected_us`, it is hashed with the format number 1. So results
// remain valid when a folder moves to format 2.
std::string source_hash(const KernelSpec& spec, const SourceFiles& sources);

} // namespace warptune
