// completion: prints the completion script of a shell, for installations without a package. The script calls warptune
// for the possible next words.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "core/text.h"
#include "embedded/shell_completions.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

struct Shell {
  const char *name, *file;
};
constexpr Shell kShells[] = {{"bash", "warptune.bash"}, {"zsh", "_warptune"}, {"fish", "warptune.fish"}};

struct CompletionArgs {
  std::string shell;
  bool json = false;
};

Result<int> run_completion(const CompletionArgs& options) {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) {
    names.emplace_back(shell.name);
    if (options.shell != shell.name) continue;
    const std::string_view script = embedded::shell_completions::find(shell.file).value_or("");
    if (options.json)
      print_json({{"shell", shell.name}, {"script", std::string(script)}});
    else
      print(script);
    return 0;
  }
  return fail(ErrorKind::bad_input,
              fmt::format("no completion for {}; choose {}", quote(options.shell), join_choices(names)));
}

} // namespace

void add_completion(Command& app, Invocation& invocation) {
  auto options = std::make_shared<CompletionArgs>();
  Command* command = add_command(app, "completion", "Print the completion script of a shell", kCompletionHelp);
  command->add_option("SHELL", options->shell, "bash, zsh or fish")->required()->type_name("");
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_completion(*options); }; });
}

} // namespace warptune::cli
