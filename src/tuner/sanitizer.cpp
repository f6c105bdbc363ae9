#include "tuner/sanitizer.h"

#include "jit/build_folder.h"
#include "jit/toolkit_program.h"
#include "spec/config.h"
#include "spec/source_hash.h"
#include "spec/spec_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "compute-sanitizer";
constexpr std::size_t kMaxPrinted = std::size_t{4} << 20;

std::string_view base_name(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? file : file.substr(slash + 1);
}

// The tool prints only the last part of a path, so the implementation's own files are tried first.
std::string source_named(const Kernel& kernel, const Implementation& implementation, const std::string& printed) {
  if (printed.empty()) return {};
  if (base_name(implementation.source) == base_name(printed)) return implementation.source;
  for (const auto& [name, text] : included_files(kernel.sources, implementation.source))
    if (base_name(name) == base_name(printed)) return name;
  return {};
}

// The error message that the examined program, which is warptune, printed.
std::string error_of_program(std::string_view printed) {
  const std::size_t begin = printed.find("\nwarptune: ");
  if (begin == std::string_view::npos) return {};
  return std::string(printed.substr(begin + 1, printed.find('\n', begin + 1) - begin - 1));
}

bool is_in(const std::vector<std::string>& kernels, const SanitizerError& error) {
  if (kernels.empty() || error.places.empty() || error.places.front().function.empty()) return true;
  return std::any_of(error.places.begin(), error.places.end(), [&](const SanitizerPlace& place) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const std::string& kernel) { return place.function.find(kernel) != std::string::npos; });
  });
}

} // namespace

const std::vector<SanitizerTool>& sanitizer_tools() {
  static const std::vector<SanitizerTool> tools = {
      // Without padding, an access beyond a buffer may hit another buffer and go unnoticed.
      {"memcheck", "memory-error", "check the index against the size of the buffer", {"--padding", "512"}},
      {"racecheck",
       "race",
       "put a __syncthreads() or __syncwarp() between the accesses",
       // The report that groups hazards crashes the examined program (compute-sanitizer of CUDA 13.0).
       {"--racecheck-report", "hazard"}},
      {"initcheck",
       "uninitialised-read",
       "write the memory before it is read, or give the workspace \"zero\": true",
       {},
       true},
      {"synccheck", "barrier-error", "make sure that all threads for which the barrier waits reach it"},
  };
  return tools;
}

Result<fs::path> find_sanitizer() {
  return find_toolkit_program({kProgram, "WARPTUNE_COMPUTE_SANITIZER", "cuda-sanitizer"});
}

Result<SanitizerReport> run_sanitizer(const SanitizerTool& tool, const SanitizerRun& run) {
  std::vector<std::string> words = {
      run.sanitizer.string(), "--tool", std::string(tool.name), "--target-processes", "all",
      "--show-backtrace",     "device"};
  words.insert(words.end(), tool.options.begin(), tool.options.end());
  for (const std::string& kernel : tool.watches_all ? std::vector<std::string>() : run.kernels) {
    words.emplace_back("--kernel-name");
    words.push_back("kernel_substring=" + kernel);
  }
  words.insert(words.end(), run.command.begin(), run.command.end());
  WT_TRY(const auto folder, BuildFolder::make({}));
  const CommandEnd end = folder.run(words, {run.timeout_s, kMaxPrinted, run.stop});
  SanitizerReport report = parse_sanitizer_report(end.printed);
  if (tool.watches_all)
    std::erase_if(report.errors, [&](const SanitizerError& error) { return !is_in(run.kernels, error); });
  // If the program failed, an error says why. If there is no error, the tool itself made it fail.
  if (report.is_complete && !(report.target_failed && report.errors.empty())) return report;
  std::string why = end.sentence();
  for (const std::string& problem : report.problems) why += "; " + problem;
  if (const std::string said = error_of_program(end.printed); !said.empty()) why += "; " + said;
  return fail(ErrorKind::no_candidate, fmt::format("compute-sanitizer --tool {} {}", tool.name, why));
}

std::vector<Finding> sanitizer_findings(const SanitizerTool& tool, const SanitizerReport& report, const Kernel& kernel,
                                        const Problem& problem, const Config& config) {
  const Implementation& implementation = kernel.spec.implementation(config);
  std::vector<Finding> findings;
  for (const SanitizerError& error : report.errors) {
    Place place;
    std::string others;
    std::set<std::pair<std::string, int>> told;
    for (const SanitizerPlace& one : error.places) {
      const std::string file = source_named(kernel, implementation, one.file);
      if (file.empty() || !told.emplace(file, one.line).second) continue;
      if (place.file.empty())
        place = {file, one.line, {}};
      else
        others += (others.empty() ? "" : ", ") + place_text({file, one.line, {}});
    }
    if (place.file.empty())
      place =
          place_of_kernel(kernel.sources, implementation.source,
                          error.places.empty() ? std::string_view() : std::string_view(error.places.front().function));
    std::string sentence = fmt::format("compute-sanitizer {}: {}", tool.name, error.what);
    if (!others.empty()) sentence += " with " + others;
    if (error.count > 1) sentence += fmt::format(", {} times", error.count);
    if (!error.detail.empty()) sentence += " (" + error.detail + ")";
    findings.push_back({std::string(tool.kind),
                        FindingLevel::warning,
                        std::move(place),
                        fmt::format("{}; {}", sentence, tool.remedy),
                        {},
                        problem_key(kernel.spec, problem),
                        config_text(kernel.spec, config)});
  }
  return findings;
}

} // namespace warptune
