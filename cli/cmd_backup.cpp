// backup: copies a database into one complete file, even while other programs use it.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/sanitize.h"
#include "core/units.h"
#include "db/backup.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

struct BackupArgs {
  std::string database, output;
  bool json = false;
};

Result<int> run_backup(const BackupArgs& options) {
  // The copy is a database: an unwritable place is the same kind of error as in other commands that write a database.
  if (auto refused = refuse_unwritable(options.output, "FILE"); !refused)
    return fail(options.output == "-" ? ErrorKind::bad_input : ErrorKind::database, refused.error().message);
  WT_CHECK(refuse_overwriting(options.output, {options.database}, "FILE"));
  WT_TRY(const auto bytes, backup_database(options.database, options.output));
  if (options.json)
    print_json({{"database", options.database}, {"output", options.output}, {"bytes", bytes}});
  else
    print("{}: {}\n", sanitize(options.output), bytes_text(static_cast<std::int64_t>(bytes)));
  return 0;
}

} // namespace

void add_backup(Command& app, Invocation& invocation) {
  auto options = std::make_shared<BackupArgs>();
  Command* command =
      add_command(app, "backup", "Copy a database into one file, even while other programs use it", kBackupHelp);
  command->add_option("DB", options->database, "The database to copy; it is not changed")->required()->type_name("");
  command->add_option("FILE", options->output, "The file to write; it must not exist yet")->required()->type_name("");
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_backup(*options); }; });
}

} // namespace warptune::cli
