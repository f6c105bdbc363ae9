#include "cli/implementation_kind.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace warptune::cli {
namespace {

// "cublaslt.matmul", each once, in the order of the launches.
std::vector<std::string> calls_of(const Implementation& implementation) {
  std::vector<std::string> calls;
  for (const LibraryCall& call : implementation.library_calls) {
    std::string name = call.library + "." + call.call;
    if (std::find(calls.begin(), calls.end(), name) == calls.end()) calls.push_back(std::move(name));
  }
  return calls;
}

} // namespace

std::string kind_text(const Implementation& implementation) {
  if (implementation.build) return "built by a command, which runs only with --allow-build";
  const std::vector<std::string> calls = calls_of(implementation);
  return calls.empty() ? "" : fmt::format("calls {}", fmt::join(calls, ", "));
}

void add_kind(nlohmann::json& row, const Implementation& implementation) {
  row["built"] = implementation.build.has_value();
  row["library_calls"] = calls_of(implementation);
}

} // namespace warptune::cli
