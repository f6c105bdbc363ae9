#include "cli/hidden_commands.h"

#include "cli/completion_values.h"
#include "cli/man_page.h"
#include "cli/output.h"
#include "system/whole_file.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <filesystem>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

Result<void> write(const fs::path& path, const std::string& text) {
  if (write_file(path, text) != 0)
    return fail(ErrorKind::bad_input, fmt::format("{} cannot be written", path.string()));
  return {};
}

Result<int> write_manual(const ProgramDoc& program, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  WT_CHECK(write(folder / "warptune.1", man_page(program)));
  for (const CommandDoc& command : program.commands)
    WT_CHECK(write(folder / ("warptune-" + command.name + ".1"), man_page(program, command)));
  return 0;
}

int print_completion(const ProgramDoc& program, const std::vector<std::string>& words) {
  const TemplateStore store = TemplateStore::standard();
  const Completion found =
      complete(program, words, [&](const ValueQuery& query) { return option_values(query, store); });
  for (const Candidate& candidate : found.candidates) print("{}\t{}\n", candidate.word, candidate.help);
  if (found.files) print(":files\n");
  return 0;
}

} // namespace

std::optional<Result<int>> run_hidden_command(const Command& app, const std::vector<std::string>& words) {
  if (words.size() == 3 && words[1] == "__man")
    return write_manual(describe_program(app, std::string("warptune ") + kVersion), words[2]);
  if (words.size() > 2 && words[1] == "__complete") {
    std::vector<std::string> typed{words.begin() + 2, words.end()};
    if (typed.front() == "metrics")
      std::replace(typed.begin(), typed.end(), "--set"s, "--metric-set"s); // its former name
    return print_completion(describe_program(app, kVersion), typed);
  }
  return std::nullopt;
}

} // namespace warptune::cli
