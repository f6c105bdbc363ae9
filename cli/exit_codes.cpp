#include "cli/exit_codes.h"

#include "cli/table.h"

#include <array>
#include <fmt/format.h>
#include <map>

namespace warptune::cli {
namespace {

struct ExitCode {
  const char *code, *meaning;
  std::map<std::string_view, const char*> of_command; // command -> what the code means for it
};

const std::array<ExitCode, 8>& codes() {
  static const std::array<ExitCode, 8> all = {{
      {"0", "done", {}},
      {"1",
       "completed, with failures",
       {{"sweep", "jobs failed"},
        {"merge", "the database of a finished job is missing from a run folder"},
        {"capture", "the application failed, or a kernel has no folder"},
        {"check", "there are warnings, or a configuration or the reference does not compile"},
        {"recheck", "a result no longer holds"},
        {"compare", "a result is slower (only with --fail-slower)"},
        {"pack", "the pack is inconsistent (list, check), the packs differ (diff), or the new pack has no cubin"}}},
      {"2", "wrong usage or input, or a file or folder that cannot be written", {}},
      {"3",
       "the device does not exist or cannot be used",
       {{"capture", "no launch was recorded, because the application ran no kernel or CUPTI cannot be used"},
        {"recheck", "there is no GPU, so nothing was timed"}}},
      {"4",
       "no usable configuration or result",
       {{"capture", "no kernel matches, or no source is known"},
        {"tune", "no configuration is valid or correct"},
        {"space", "no configuration is valid"},
        {"check", "no configuration can be launched"},
        {"explain", "no configuration can be launched"},
        {"run", "no configuration can be launched, or the result is wrong"},
        {"profile", "the result is wrong, or there are no counters or samples"},
        {"why", "nothing to compare, because nothing was measured, a configuration has no time or the winner is the "
                "default"},
        {"recheck", "no result matches"},
        {"report", "no result matches"},
        {"compare", "a database has no result that matches"},
        {"show", "the database does not have the kernel or the session"},
        {"record", "no session matches"},
        {"export", "no session matches"}}},
      {"5",
       "database error (also: it cannot be written), or a run folder (sweep --run, tune --run) that cannot be written",
       {}},
      {"6", "internal error, or an output could not be written because the disk is full", {}},
      {"130", "interrupted", {}},
  }};
  return all;
}

} // namespace

std::string exit_codes(std::string_view command) {
  constexpr std::size_t kWidth = 92, kIndent = 7;
  std::string out = "\nExit codes:\n";
  for (const ExitCode& one : codes()) {
    const auto own = one.of_command.find(command);
    const std::string text =
        own == one.of_command.end() ? one.meaning : fmt::format("{}: {}", one.meaning, own->second);
    out += fmt::format("  {:<5}", one.code) + wrapped(text, kWidth, kIndent).substr(kIndent);
  }
  return out + "\nWith --json, an error is also printed as {\"error\": {\"kind\", \"code\", \"message\"}} on standard "
               "output.\n"
               "More: README.md; docs/spec.md (how a kernel is described)\n";
}

} // namespace warptune::cli
