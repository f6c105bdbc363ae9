#include "cli/command.h"

#include "cli/asked_problem.h"
#include "cli/exit_codes.h"
#include "core/text.h"

#include <fmt/format.h>

namespace warptune::cli {

Command* add_command(Command& app, const char* name, const char* summary, const char* help) {
  Command* command = app.add_command(name, summary);
  command->footer(help + exit_codes(name));
  return command;
}

void add_problem_options(Command& command, ProblemArgs& args) {
  command.add_option("KERNEL", args.kernel, "A shipped kernel's name, or the path of a kernel folder")
      ->required()
      ->type_name("");
  command.add_option("--shape", args.shape, "Sizes (dims) of the problem; `warptune kernels KERNEL` lists them")
      ->type_name("DIM=N,...");
  command.add_option("--dtype", args.dtype, "Element type; default: the kernel's first")->type_name("TYPE");
  command
      .add_option("--set", args.sets,
                  "Value of a flag of the kernel; for several flags, use commas or repeat the option")
      ->type_name("FLAG=VALUE")
      ->allow_extra_args(false);
  add_folder_options(command, args.folders);
}

void add_build_option(Command& command, bool& allow_build) {
  command.add_flag("--allow-build", allow_build,
                   "Allow warptune to run the build commands in the kernel's spec.json and implementation.json");
}

void add_folder_options(Command& command, FolderArgs& args) {
  command.add_option("--include", args.include, "Folder of headers that the kernel includes; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("--also", args.also, "Folder of another implementation of the kernel; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_session_options(Command& command, SessionArgs& args) {
  add_problem_options(command, args.problem);
  command.get_option("KERNEL")->required(false);
  add_number_option(command, "--session", args.session, 1, kNoLimit,
                    "Use this session, finished or not; default: the newest finished one");
  add_db_option(command, args.db);
}

void add_db_option(Command& command, std::string& db) {
  command.add_option("--db", db, "Database file; default: $WARPTUNE_DB, or a file in the user's data directory")
      ->type_name("FILE")
      ->check([](const std::string& file) {
        return file == "-" ? "- means a standard stream, but a database must be a file; name a file (./- for a file "
                             "called -)"
                           : std::string();
      });
}

void add_json_flag(Command& command, bool& json) {
  command.add_flag("--json", json, "Print one JSON object instead of text");
}

void add_wide_flag(Command& command, bool& wide) {
  command.add_flag("--wide", wide, "Print whole tables even if the terminal is narrower");
}

void add_quiet_flag(Command& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "Print only the result, no progress");
}

void add_timeout_options(Command& command, std::string& compile, std::string& evaluate) {
  command.add_option("--compile-timeout", compile, "Time limit for compiling a configuration; default 60s")
      ->type_name("TIME");
  command.add_option("--evaluate-timeout", evaluate, "Time limit for measuring a configuration; default 30s")
      ->type_name("TIME");
}

void add_vendor_flag(Command& command, bool& allow_vendor) {
  command.add_flag("--allow-vendor", allow_vendor, "Include configurations that call vendor libraries");
}

void add_metrics_option(Command& command, std::string& metrics, const char* help) {
  command.add_option("--metrics", metrics, help)->type_name("LIST");
}

namespace {

std::string range_text(std::int64_t low, std::int64_t high) {
  if (high < kNoLimit) return fmt::format("a whole number from {} to {}", low, high);
  return fmt::format("a whole number of at least {}", low);
}

} // namespace

template <class Number>
void add_number_option(Command& command, const char* name, Number& value, std::int64_t low, std::int64_t high,
                       const char* help) {
  // CLI11's own range checks compare floating-point numbers, and their messages show it.
  const auto check = [low, high](const std::string& text) {
    std::int64_t number = 0;
    if (parse_integer(text, number) == IntegerError::none && number >= low && number <= high) return std::string();
    const bool too_large = parse_integer(text, number) == IntegerError::overflow && !text.starts_with('-');
    return fmt::format("takes {}{}, not {}", range_text(low, high),
                       too_large && high == kNoLimit ? fmt::format(" and at most {}", kNoLimit) : "", quote(text));
  };
  command.add_option(name, value, help)->type_name("N")->check(check);
}
template void add_number_option(Command&, const char*, int&, std::int64_t, std::int64_t, const char*);
template void add_number_option(Command&, const char*, std::int64_t&, std::int64_t, std::int64_t, const char*);
template void add_number_option(Command&, const char*, std::uint64_t&, std::int64_t, std::int64_t, const char*);

} // namespace warptune::cli
