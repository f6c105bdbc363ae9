// capture: runs an application, ranks its kernels by device time, and writes kernel folders for them.
#include "capture/run_application.h"
#include "cli/capture_folders.h"
#include "cli/capture_summary.h"
#include "cli/cmd_check.h"
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/units.h"
#include "core/text.h"
#include "starter/new_folder.h"
#include "system/file_errors.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex.h>
#include <system_error>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct CaptureArgs {
  std::vector<std::string> words;
  std::string kernels = ".", out = "captured", records, contents = "1M", archs;
  bool is_list = false, no_sources = false, json = false;
};

// "4096", "64K", "1M", "2G".
Result<std::int64_t> read_size(const std::string& text) {
  constexpr std::string_view kUnits = "KMG";
  std::string_view digits = text;
  int shift = 0;
  if (const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back()); unit != kUnits.npos) {
    digits.remove_suffix(1);
    shift = 10 * (static_cast<int>(unit) + 1);
  }
  std::int64_t size = 0;
  constexpr std::int64_t kMost = 1 << 30;
  if (parse_integer(digits, size) != IntegerError::none || size < 0 || size > kMost >> std::max(shift - 10, 0))
    return fail(ErrorKind::bad_input,
                fmt::format("--contents {}: must be a number of bytes such as 65536, 64K or 16M; 0 copies nothing",
                            quote(text)));
  return size << shift;
}

class Pattern {
 public:
  explicit Pattern(const std::string& text) : status_(::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (status_ == 0) ::regfree(&compiled_);
  }
  std::string error() const {
    if (status_ == 0) return {};
    char text[256];
    ::regerror(status_, &compiled_, text, sizeof text);
    return text;
  }

 private:
  regex_t compiled_{};
  int status_;
};

// A temporary folder; the destructor removes it.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Result<fs::path> make() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "warptune-capture-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr)
      return fail(ErrorKind::internal, failed ? "TMPDIR is not a folder; set it to a folder that you can write to"
                                              : fmt::format("cannot make a folder in {}; set TMPDIR to a folder that "
                                                            "you can write to",
                                                            fs::path(name).parent_path().string()));
    path_ = name;
    return path_;
  }

 private:
  fs::path path_;
};

// Looks beside the program of an installation or a build, such as in ../lib/warptune.
Result<fs::path> find_capture_library() {
  constexpr const char* kName = "libwarptune_capture.so";
  std::error_code ignored;
  const fs::path top = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  for (const char* folder : {"lib/warptune", "lib64/warptune", "lib/x86_64-linux-gnu/warptune"})
    if (fs::path path = top / folder / kName; fs::exists(path, ignored)) return path;
  return fail(ErrorKind::internal,
              fmt::format("{} was not found in {}; reinstall warptune", kName, (top / "lib/warptune").string()));
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return fail(kind_of_write_error(failed.value()), fmt::format("cannot make the folder {}: {}; name another folder "
                                                                 "with -o",
                                                                 quote(folder.string()), failed.message()));
  return {};
}

Result<ApplicationEnd> observe(const CaptureArgs& args, const fs::path& records) {
  CaptureRun run;
  WT_TRY(run.library, find_capture_library());
  WT_TRY(run.contents, read_size(args.contents));
  run.preload = !args.no_sources;
  if (run.preload && run.library.string().find_first_of(" :") != std::string::npos)
    return fail(ErrorKind::bad_input, fmt::format("LD_PRELOAD cannot load {}, because the path contains a space or a "
                                                  "colon; install warptune in another folder, or add --no-sources",
                                                  quote(run.library.string())));
  std::error_code ignored;
  run.records = fs::absolute(records, ignored);
  run.words = args.words;
  if (!args.is_list) run.kernels = args.kernels;
  run.output_to_stderr = args.json;
  flush_output();
  return run_application(run);
}

std::optional<Error> nothing_observed(const CaptureRecords& records) {
  if (!records.kernels.empty() || !records.cases.empty()) return std::nullopt;
  for (const CapturedProcess& process : records.processes)
    if (!process.problems.empty())
      return Error{ErrorKind::no_device, fmt::format("no launch was recorded: {}", process.problems.front())};
  const bool has_cuda = std::any_of(records.processes.begin(), records.processes.end(),
                                    [](const CapturedProcess& process) { return process.has_cuda; });
  if (!has_cuda && records.skipped_lines > 0)
    return Error{ErrorKind::no_device,
                 fmt::format("warptune cannot read any of the records: their format is unknown ({})",
                             count_text(records.skipped_lines, "line"))};
  return Error{ErrorKind::no_device, has_cuda
                                         ? "no launch was recorded: the application initialised CUDA but ran no kernel"
                                         : "no launch was recorded: the application did not use CUDA"};
}

std::string end_sentence(const ApplicationEnd& end) {
  if (end.signal != 0) return fmt::format("the application was ended by signal {}", end.signal);
  return end.exit_code == 0 ? "" : fmt::format("the application exited with {}", end.exit_code);
}

json end_json(const std::optional<ApplicationEnd>& end) {
  if (!end) return nullptr;
  return {{"exit_code", end->signal == 0 ? json(end->exit_code) : json()},
          {"signal", end->signal == 0 ? json() : json(end->signal)}};
}

int exit_code(const std::optional<ApplicationEnd>& end, const std::vector<WrittenFolder>& folders) {
  const bool has_failed = end && (end->exit_code != 0 || end->signal != 0);
  const bool has_missing =
      std::any_of(folders.begin(), folders.end(), [](const WrittenFolder& folder) { return !folder.why_not.empty(); });
  return has_failed || has_missing ? kNotAllWell : 0;
}

Result<void> check_args(const CaptureArgs& args) {
  if (args.words.empty() == args.records.empty())
    return fail(
        ErrorKind::bad_input,
        "capture needs an application (warptune capture -- ./app ARGS), or --records DIR of an earlier capture");
  if (const std::string why = Pattern(args.kernels).error(); !why.empty() || args.kernels.empty())
    return fail(ErrorKind::bad_input,
                fmt::format("--kernel {}: {}", quote(args.kernels), why.empty() ? "must not be empty" : why));
  return {};
}

// Runs the application, which writes its records to `folder`.
Result<ApplicationEnd> record_application(const CaptureArgs& args, const fs::path& folder) {
  if (!args.is_list) WT_CHECK(make_folder(folder));
  auto ended = observe(args, folder);
  std::error_code ignored;
  if (!ended && !args.is_list) fs::remove_all(args.out, ignored);
  return ended;
}

// Frees the name for the next capture, if there are no records.
void remove_empty_output(const CaptureArgs& args, const fs::path& records) {
  std::error_code ignored;
  if (!args.is_list && fs::remove(records, ignored)) // fails unless the folder is empty
    fs::remove(args.out, ignored);
}

Result<int> run_capture(const CaptureArgs& args) {
  WT_CHECK(check_args(args));
  std::string arch;
  if (!args.is_list) {
    WT_CHECK(refuse_existing_folder(args.out));
    WT_TRY(const auto devices, find_check_devices(args.archs)); // before a possibly long run of the application
    arch = devices.front().arch;
  }
  ScratchFolder scratch;
  fs::path folder = args.records;
  std::optional<ApplicationEnd> end;
  std::vector<std::string> notes;
  if (folder.empty()) {
    folder = fs::path(args.out) / "records";
    if (args.is_list) {
      WT_TRY(folder, scratch.make());
    }
    WT_TRY(end, record_application(args, folder));
    if (std::string sentence = end_sentence(*end); !sentence.empty()) notes.push_back(std::move(sentence));
  }
  WT_TRY(const auto records, read_capture_records(folder));
  if (const auto error = nothing_observed(records)) {
    if (end) remove_empty_output(args, folder);
    if (!args.json) print_notes(notes);
    return fail(*error);
  }
  for (std::string& note : capture_notes(records)) notes.push_back(std::move(note));
  std::vector<WrittenFolder> folders;
  if (!args.is_list) {
    WT_CHECK(make_folder(args.out));
    WT_TRY(folders, write_captured_folders(records, args.out, arch));
  }
  if (args.json) {
    print_json({{"application", end_json(end)},
                {"kernels", capture_json(records)},
                {"folders", folders_json(folders)},
                {"notes", notes}});
  } else {
    print_capture_list(records);
    print_folders(folders);
    print_notes(notes);
  }
  if (!args.is_list && folders.empty())
    return fail(
        ErrorKind::no_candidate,
        records.cases.empty()
            ? fmt::format("no kernel matches {}; `capture --list` shows the names", quote(args.kernels))
            : "no matching kernel has a known source, so none of them can be tuned; see docs/capture.md, \"Sources\"");
  return exit_code(end, folders);
}

} // namespace

void add_capture(Command& app, Invocation& invocation) {
  auto args = std::make_shared<CaptureArgs>();
  Command* command =
      add_command(app, "capture", "Record an application's kernels, and make a kernel folder for each", kCaptureHelp);
  command->add_option("PROGRAM", args->words, "The application and its arguments, after --")->type_name("");
  command->add_flag("--list", args->is_list, "Only rank the kernels by device time");
  command->add_option("--kernel", args->kernels, "Kernels to record; default: all")->type_name("REGEX");
  command->add_option("-o,--output", args->out, "The folder to make; default: captured")->type_name("DIR");
  command->add_option("--records", args->records, "Use the records of an earlier capture, and run no application")
      ->type_name("DIR");
  command
      ->add_option("--contents", args->contents,
                   "Bytes to copy from each buffer, to find the value range of inputs; 0: none; default: 1M")
      ->type_name("SIZE");
  command
      ->add_option("--arch", args->archs,
                   "Architecture or GPU to compile for; default: the first GPU, or an H200 if there is no GPU")
      ->type_name("ARCH");
  command->add_flag("--no-sources", args->no_sources,
                    "Do not preload the library that records NVRTC sources. Use this option if the application was "
                    "built with sanitizers");
  add_json_flag(*command, args->json);
  command->callback([args, &invocation] { invocation.run = [args] { return run_capture(*args); }; });
}

} // namespace warptune::cli
