#include "cli/command.h"

#include "cli/help_text.h"

#include <CLI/CLI.hpp>

namespace warptune::cli {

CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* help) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(std::string(help) + kHelpEnd);
  return command;
}

void add_problem_options(CLI::App& command, ProblemArgs& args) {
  command.add_option("KERNEL", args.kernel, "A shipped kernel's name, or the path of a kernel folder")
      ->required()
      ->type_name("");
  command.add_option("--shape", args.shape, "The problem's dims")->type_name("DIM=N,...");
  command.add_option("--dtype", args.dtype, "Element type; default: the kernel's first")->type_name("TYPE");
  command.add_option("--set", args.sets, "A flag of the kernel; may be repeated")
      ->type_name("FLAG=VALUE")
      ->allow_extra_args(false);
}

void add_db_option(CLI::App& command, std::string& db) {
  command.add_option("--db", db, "Database file; default: $WARPTUNE_DB, else the user's data directory")
      ->type_name("FILE");
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print one JSON object instead of text");
}

} // namespace warptune::cli
