// doctor: reports what works on this machine and what is missing.
#include "cli/command.h"
#include "cli/doctor_checks.h"
#include "cli/help_text.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "core/text.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct DoctorArgs {
  std::string db;
  bool json = false;
};

std::vector<Check> all_checks(const std::string& db) {
  std::vector<Check> checks = check_gpus();
  checks.push_back(check_nvrtc());
  checks.push_back(check_cublaslt());
  for (Check& check : check_counters()) checks.push_back(std::move(check));
  checks.push_back(check_nvml());
  checks.push_back(check_database(db));
  checks.push_back(check_templates());
  checks.push_back(check_cache());
  checks.push_back(check_recordings());
  return checks;
}

const Check& find(const std::vector<Check>& checks, const char* name) {
  return *std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name; });
}

// Tuning from recordings needs kernels and a database, but no GPU.
int exit_code(const std::vector<Check>& checks) {
  if (!find(checks, "database").ok) return static_cast<int>(ErrorKind::database);
  if (!find(checks, "kernels").ok) return static_cast<int>(ErrorKind::bad_input);
  return 0;
}

// Returns the names of the failed checks that keep a command from working without a GPU: "`database` and `cubin
// cache`".
std::string missing_names(const std::vector<Check>& checks) {
  std::string names;
  for (const char* const name : {"database", "kernels", "cubin cache"})
    if (!find(checks, name).ok) names += fmt::format("{}`{}`", names.empty() ? "" : " and ", name);
  return names;
}

// A problem may have several lines: the libraries that were tried.
void print_found(const Check& check) {
  std::size_t indent = 25;
  for (const std::string_view line : split(check.found, '\n')) {
    if (indent > 25) print("{:>{}}", "", indent);
    print_wrapped(trim(line), indent);
    indent = 27;
  }
}

std::string verdict(const std::vector<Check>& checks) {
  const bool gpu = checks.front().ok, nvrtc = find(checks, "NVRTC").ok;
  if (exit_code(checks) != 0) return "Not ready: first fix " + missing_names(checks) + ".";
  if (gpu && nvrtc) return "Ready to tune on this machine's GPU.";
  if (gpu) return "There is a GPU but no NVRTC, so kernels cannot be compiled; --device recorded works.";
  return "Ready to replay recordings (--device recorded), and to explain and show stored results.";
}

Result<int> run_doctor(const DoctorArgs& options) {
  const auto checks = all_checks(options.db);
  if (options.json) {
    json rows = json::array();
    for (const Check& c : checks)
      rows.push_back({{"name", c.name}, {"ok", c.ok}, {"found", c.found}, {"remedy", c.remedy}});
    print_json({{"version", kVersion},
                {"checks", rows},
                {"ready", exit_code(checks) == 0},
                {"can_measure", checks.front().ok},
                {"verdict", verdict(checks)}});
    return exit_code(checks);
  }
  print("warptune {}\n\n", kVersion);
  const char* green = wants_color(1) ? "\x1b[32m" : "";
  const char* yellow = wants_color(1) ? "\x1b[33m" : "";
  const char* plain = wants_color(1) ? "\x1b[0m" : "";
  for (const Check& c : checks) {
    print("{}{:<8}{} {:<15} ", c.ok ? green : yellow, c.ok ? "ok" : "missing", plain, c.name);
    print_found(c);
    if (c.ok) continue;
    print("{:>25}-> ", "");
    print_wrapped(c.remedy, 28);
  }
  print("\n");
  print_wrapped(verdict(checks));
  return exit_code(checks);
}

} // namespace

void add_doctor(Command& app, Invocation& invocation) {
  auto options = std::make_shared<DoctorArgs>();
  Command* command =
      add_command(app, "doctor", "Show what works on this machine, and how to fix the rest", kDoctorHelp);
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_doctor(*options); }; });
}

} // namespace warptune::cli
