// How a subcommand joins the program: add_<name> declares its options and help, and sets `invocation` when the user
// chose it. The chosen one runs after parsing is over; its error is printed by main.cpp alone.
#pragma once

#include "cli/common.h"
#include "cli/session_recording.h"
#include "core/result.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): theirs
class App;
}

namespace warptune::cli {

struct Invocation {
  std::function<Result<int>()> run; // the exit code, or the error whose kind is the exit code
  std::vector<std::string> words;   // the command line as typed
};

void add_doctor(CLI::App& app, Invocation& invocation);
void add_kernels(CLI::App& app, Invocation& invocation);
void add_space(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_tune(CLI::App& app, Invocation& invocation);
void add_sweep(CLI::App& app, Invocation& invocation);
void add_show(CLI::App& app, Invocation& invocation);
void add_explain(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_profile(CLI::App& app, Invocation& invocation);
void add_verify(CLI::App& app, Invocation& invocation);
void add_roofs(CLI::App& app, Invocation& invocation);
void add_record(CLI::App& app, Invocation& invocation);
void add_metrics(CLI::App& app, Invocation& invocation);
void add_merge(CLI::App& app, Invocation& invocation);
void add_backup(CLI::App& app, Invocation& invocation);
void add_pack(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_strategies(CLI::App& app, Invocation& invocation);
void add_replay(CLI::App& app, Invocation& invocation);
void add_import(CLI::App& app, Invocation& invocation);
void add_export(CLI::App& app, Invocation& invocation);
void add_completion(CLI::App& app, Invocation& invocation);

// Options that mean the same everywhere.
CLI::App* add_command(CLI::App& app, const char* name, const char* summary, const char* help);
void add_problem_options(CLI::App& command, ProblemArgs& args);
void add_folder_options(CLI::App& command, FolderArgs& args); // --include, --also
void add_build_option(CLI::App& command, bool& allow_build);
void add_session_options(CLI::App& command, SessionArgs& args); // KERNEL, problem, --session, --db
void add_db_option(CLI::App& command, std::string& db);
void add_json_flag(CLI::App& command, bool& json);
void add_quiet_flag(CLI::App& command, bool& quiet);
void add_timeout_options(CLI::App& command, std::string& compile, std::string& evaluate); // for read_timeout
void add_vendor_flag(CLI::App& command, bool& allow_vendor);
void add_metrics_option(CLI::App& command, std::string& metrics, const char* help);
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
// "--limit N": a whole number from `low` to `high`.
template <class Number>
void add_number_option(CLI::App& command, const char* name, Number& value, std::int64_t low, std::int64_t high,
                       const char* help);

} // namespace warptune::cli
