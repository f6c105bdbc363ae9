// record: writes one session of a database to a recording, for machines without the GPU that measured it. --seal adds
// the checksum to older recordings.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/recording_name.h"
#include "cli/sanitize.h"
#include "cli/session_recording.h"
#include "cli/units.h"
#include "core/text.h"
#include "recording/recording.h"
#include "recording/recording_seal.h"
#include "spec/short_problem.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

namespace warptune::cli {
namespace {

struct RecordArgs {
  SessionArgs session;
  std::string output;
  std::vector<std::string> sealed; // files
  bool force = false, json = false;
};

const OutputKind kRecordingFile{"is not a recording",
                                [](const std::filesystem::path& file) { return load_recording(file).has_value(); }};

// Default names replace characters, so two may be equal: refuses to replace the recording of another result.
Result<void> keep_others(const Recording& recording, const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {};
  const auto known = load_recording(file);
  if (!known || (known->kernel == recording.kernel && known->problem == recording.problem &&
                 known->device.name == recording.device.name))
    return {};
  return fail(
      ErrorKind::bad_input,
      fmt::format(
          "{} is a recording of {} {} on {}; name another file with -o, or name this file with -o to replace it",
          quote(file), known->kernel, short_problem(known->problem), known->device.name));
}

Result<int> run_record(const RecordArgs& options) {
  const auto check_output = [&](const std::string& file) -> Result<void> {
    WT_CHECK(refuse_overwriting(file, {database_path(options.session.db)}));
    return refuse_replacing(file, kRecordingFile, options.force);
  };
  if (!options.output.empty()) WT_CHECK(check_output(options.output));
  WT_TRY(auto recorded, record_session(options.session));
  const Recording& recording = recorded.recording;
  const std::string file = options.output.empty()
                               ? recording_name(recording.kernel, recording.problem, recording.device.name)
                               : options.output;
  if (options.output.empty()) {
    WT_CHECK(check_output(file));
    WT_CHECK(keep_others(recording, file));
  }
  WT_CHECK(save_recording(recording, file));
  if (options.json) {
    print_json({{"file", file},
                {"session", to_json(recorded.session, recorded.trials)},
                {"trials", recording.trials.size()},
                {"notes", recorded.notes}});
    return 0;
  }
  print("{}: {} of {} {} on {}, from session {}\n", sanitize(file),
        count_text(static_cast<std::int64_t>(recording.trials.size()), "trial"), sanitize(recording.kernel),
        sanitize(recording.problem), sanitize(recording.device.name), recorded.session.id);
  print_notes(recorded.notes);
  return 0;
}

constexpr const char* kSealNote = "the checksum only shows that the file has not changed since the checksum was added";

Result<int> run_seal(const RecordArgs& options) {
  nlohmann::json files = nlohmann::json::array();
  bool is_any_new = false;
  for (const std::string& file : options.sealed) {
    WT_TRY(const auto sealed, seal_recording(file));
    is_any_new = is_any_new || !sealed.had_checksum;
    files.push_back({{"file", file}, {"trials", sealed.trials}, {"had_checksum", sealed.had_checksum}});
    if (!options.json)
      print("{}: {}, {}\n", sanitize(file), count_text(static_cast<std::int64_t>(sealed.trials), "trial"),
            sealed.had_checksum ? "already has a checksum" : "sealed");
  }
  std::vector<std::string> notes;
  if (is_any_new) notes.emplace_back(kSealNote);
  if (options.json)
    print_json({{"files", files}, {"notes", notes}});
  else
    print_notes(notes);
  return 0;
}

} // namespace

void add_record(Command& app, Invocation& invocation) {
  auto options = std::make_shared<RecordArgs>();
  Command* command =
      add_command(app, "record", "Write a session to a recording, for `tune --device recorded:FILE`", kRecordHelp);
  add_session_options(*command, options->session);
  Option* output = command->add_option("-o,--output", options->output,
                                       "The file to write; default KERNEL__PROBLEM__DEVICE.json in the current folder");
  output->type_name("FILE");
  command->add_flag("--force", options->force, kForceHelp);
  Option* seal = command->add_option("--seal", options->sealed,
                                     "Record nothing; add a checksum to each of these recordings that has none");
  seal->type_name("FILE")->excludes(output);
  for (const char* other :
       {"KERNEL", "--shape", "--dtype", "--set", "--also", "--include", "--session", "--db", "--force"})
    seal->excludes(command->get_option(other));
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] {
    invocation.run = [options] { return options->sealed.empty() ? run_record(*options) : run_seal(*options); };
  });
}

} // namespace warptune::cli
