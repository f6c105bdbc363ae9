// The subcommands of the program. add_<name> declares a command's options and help, and sets `invocation` if the user
// chose this command. The chosen command runs after parsing. Its errors are printed only in main.cpp.
#pragma once

#include "cli/asked_problem.h"
#include "cli/options.h"
#include "cli/session_recording.h"
#include "core/result.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace warptune::cli {

struct Invocation {
  std::function<Result<int>()> run; // returns the exit code, or an error whose kind is the exit code
  std::vector<std::string> words;   // the command line as typed
};

void add_doctor(Command& app, Invocation& invocation);
void add_kernels(Command& app, Invocation& invocation);
void add_space(Command& app, Invocation& invocation);
void add_check(Command& app, Invocation& invocation);
void add_capture(Command& app, Invocation& invocation);
void add_new(Command& app, Invocation& invocation);
void add_tune(Command& app, Invocation& invocation);
void add_sweep(Command& app, Invocation& invocation);
void add_show(Command& app, Invocation& invocation);
void add_explain(Command& app, Invocation& invocation);
void add_run(Command& app, Invocation& invocation);
void add_profile(Command& app, Invocation& invocation);
void add_why(Command& app, Invocation& invocation);
void add_verify(Command& app, Invocation& invocation);
void add_roofs(Command& app, Invocation& invocation);
void add_record(Command& app, Invocation& invocation);
void add_metrics(Command& app, Invocation& invocation);
void add_merge(Command& app, Invocation& invocation);
void add_backup(Command& app, Invocation& invocation);
void add_pack(Command& app, Invocation& invocation);
void add_report(Command& app, Invocation& invocation);
void add_compare(Command& app, Invocation& invocation);
void add_strategies(Command& app, Invocation& invocation);
void add_replay(Command& app, Invocation& invocation);
void add_import(Command& app, Invocation& invocation);
void add_export(Command& app, Invocation& invocation);
void add_completion(Command& app, Invocation& invocation);

// These functions declare options that mean the same in all commands.
Command* add_command(Command& app, const char* name, const char* summary, const char* help);
void add_problem_options(Command& command, ProblemArgs& args);
void add_folder_options(Command& command, FolderArgs& args); // --include, --also
void add_build_option(Command& command, bool& allow_build);
void add_session_options(Command& command, SessionArgs& args); // KERNEL, problem, --session, --db
void add_db_option(Command& command, std::string& db);
void add_json_flag(Command& command, bool& json);
void add_wide_flag(Command& command, bool& wide); // for print_table
void add_quiet_flag(Command& command, bool& quiet);
void add_timeout_options(Command& command, std::string& compile,
                         std::string& evaluate); // read_timeout parses both texts
void add_vendor_flag(Command& command, bool& allow_vendor);
void add_metrics_option(Command& command, std::string& metrics, const char* help);
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
// An option such as "--limit N": a whole number from `low` to `high`.
template <class Number>
void add_number_option(Command& command, const char* name, Number& value, std::int64_t low, std::int64_t high,
                       const char* help);

} // namespace warptune::cli
