// export: writes a session of the database, or a recording, in the format of another tuner.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/sanitize.h"
#include "cli/session_recording.h"
#include "cli/space_format.h"
#include "cli/units.h"
#include "recording/recorded_space_file.h"
#include "recording/recorded_space_recording.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

struct ExportArgs {
  SessionArgs session;
  std::string recording, output, format;
  bool force = false, json = false;
};

Result<RecordedSpace> find_space(const ExportArgs& o) {
  if (!o.recording.empty()) {
    if (!o.session.problem.kernel.empty() || o.session.session > 0)
      return fail(ErrorKind::bad_input, "--recording already names what to export; remove KERNEL and --session");
    return load_recorded_space(o.recording);
  }
  WT_TRY(auto recorded, record_session(o.session));
  auto space = space_of(recorded.recording);
  if (!space) return fail(space.error().kind, fmt::format("the session cannot be exported: {}", space.error().message));
  space->name = recorded.recording.kernel;
  for (std::string& note : recorded.notes) space->notes.push_back(std::move(note));
  return space;
}

Result<int> run_export(const ExportArgs& o) {
  if (o.format == "recording")
    return fail(ErrorKind::bad_input,
                "--format must be kernel-tuner or t4; to make a recording, use `warptune record`");
  WT_TRY(auto format, parse_space_format(o.format, false));
  const fs::path input = o.recording.empty() ? database_path(o.session.db) : fs::path(o.recording);
  WT_CHECK(refuse_overwriting(o.output, {input}));
  WT_CHECK(refuse_replacing(o.output, files_of(format), o.force));
  WT_TRY(auto space, find_space(o));
  WT_CHECK(write_space(space, format, o.output));
  if (o.json) {
    print_json({{"file", o.output},
                {"format", o.format},
                {"kernel", space.kernel},
                {"device", space.device},
                {"configurations", space.space.size()},
                {"notes", space.notes}});
    return 0;
  }
  print("{}: {} of {} on {}\n", sanitize(o.output), count_text(space.space.size(), "configuration"),
        sanitize(space.kernel), sanitize(space.device));
  print_notes(space.notes);
  return 0;
}

} // namespace

void add_export(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ExportArgs>();
  Command* command =
      add_command(app, "export", "Write a session or a recording as a Kernel Tuner cache or a T4 file", kExportHelp);
  add_session_options(*command, options->session);
  command->add_option("--recording", options->recording, "Export this recording instead of a session")
      ->type_name("FILE");
  command->add_option("--format", options->format, "kernel-tuner (a cache) or t4")->required()->type_name("FORMAT");
  command->add_option("-o,--output", options->output, "The file to write; compressed if its name ends in .gz")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", options->force, kForceHelp);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_export(*options); }; });
}

} // namespace warptune::cli
