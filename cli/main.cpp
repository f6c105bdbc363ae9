// Parses the command line, runs one command and prints its error. Has the only catch-all of the command line.
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/exit_codes.h"
#include "cli/help_format.h"
#include "cli/help_text.h"
#include "cli/hidden_commands.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/spellings.h"
#include "cli/usage_error.h"
#include "core/memory_reserve.h"
#include "core/thread_guard.h"
#include "jit/compile_process.h"
#include "tuner/make_backend.h"
#include "warptune/build_config.h"
#include "worker/worker_main.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace warptune;
using namespace warptune::cli;

int print_failure(const Error& error, bool json) {
  complain(error.message);
  if (json) print_json_error(error);
  return static_cast<int>(error.kind);
}

void build(Command& app, Invocation& invocation) {
  app.footer(kMainHelp + exit_codes(""));
  app.add_version_flag("-V,--version", std::string("warptune ") + kVersion, "Print the version");
  for (auto* add : {add_doctor, add_kernels,    add_metrics, add_roofs,  add_capture, add_new,       add_space,
                    add_check,  add_tune,       add_sweep,   add_show,   add_report,  add_compare,   add_explain,
                    add_run,    add_profile,    add_why,     add_verify, add_record,  add_merge,     add_backup,
                    add_pack,   add_strategies, add_replay,  add_import, add_export,  add_completion})
    add(app, invocation);
}

int run(const std::vector<std::string>& words, bool json) {
  Command app("warptune", kDescription);
  Invocation invocation;
  invocation.words = words;
  build(app, invocation);
  if (const auto hidden = run_hidden_command(app, words))
    return *hidden ? **hidden : print_failure(hidden->error(), json);
  if (const auto misplaced = misplaced_option(app, words)) return print_failure(*misplaced, json);
  const std::vector<std::string> usual = with_usual_spellings(words);
  std::vector<std::string> args(usual.begin() + 1, usual.end());
  if (!args.empty() && args.front() == "help") { // `warptune help tune`
    args.erase(args.begin());
    args.emplace_back("--help");
  }
  // Checked first, because the parser would otherwise take a later word for the command if that word is a command's
  // name.
  if (const auto unknown = unknown_command(app, args)) return print_failure(*unknown, json);
  Command::Complaint complaint;
  switch (app.parse(args, complaint)) {
  case Command::End::parsed:
    break;
  case Command::End::version:
    print("warptune {}\n", kVersion);
    return 0;
  case Command::End::help:
    print(std::string_view(fitted_help(app.help(), static_cast<std::size_t>(terminal_width(1)))));
    return 0;
  case Command::End::complaint:
    return print_failure(usage_error(app, args, complaint), json);
  }
  if (!invocation.run) return print_failure(missing_command(app), json);
  if (const auto empty = empty_value(app)) return print_failure(*empty, json);
  if (const auto pathless = pathless_recording(args)) return print_failure(*pathless, json);
  if (const auto checked = check_environment(); !checked) return print_failure(checked.error(), json);
  auto code = invocation.run();
  return code ? *code : print_failure(code.error(), json);
}

// With a smaller stack, commands end with SIGSEGV. Threads get stacks of the same size.
constexpr rlim_t kMinStack = 512 << 10;

std::optional<Error> too_small_stack() {
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kMinStack) return std::nullopt;
  return Error{ErrorKind::internal,
               fmt::format("the stack is limited to {} KiB, which is too little; allow more with `ulimit -s 8192`",
                           stack.rlim_cur >> 10)};
}

std::string describe_exception(const std::exception& exception) {
  const std::string what = error_of(exception).message;
  if (what == kOutOfMemory || what == kNoThread) return what;
  return fmt::format("internal error: {}; please report it with the command that you typed", what);
}

// The next file that is opened, such as a database or the socket of a worker, would get the number of a closed standard
// descriptor, and output would go into it.
void open_standard_descriptors() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR))
    if (fd == STDOUT_FILENO) {
      standard_output_is_closed();
    } else if (fd > STDERR_FILENO) {
      ::close(fd);
      return;
    }
}

// With a limited address space (`ulimit -v`), glibc cannot reserve 64 MiB for the allocations of each thread. It then
// maps each allocation separately, which made a sweep 40x slower.
void share_little_memory() {
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ::mallopt(M_ARENA_MAX, 1);
}

} // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  share_little_memory();
  if (!keep_memory_reserve()) {
    for (const char* part : {"warptune: ", kOutOfMemory, "\n"}) std::fputs(part, stderr); // allocates nothing
    return static_cast<int>(ErrorKind::internal);
  }
  std::signal(SIGPIPE, SIG_IGN); // writing to a closed pipe is an error instead
  std::signal(SIGXFSZ, SIG_IGN); // writing beyond the file size limit is an error instead
  const std::vector<std::string> words(argv, argv + argc);
  const auto own_end = std::find(words.begin(), words.end(), "--"); // the rest are words of another program
  const bool json = std::find(words.begin(), own_end, "--json") != own_end;
  int code = static_cast<int>(ErrorKind::internal);
  try {
    if (words.size() > 1 && words[1] == "__worker") return worker_main(argc - 2, argv + 2, make_backend);
    if (words.size() > 1 && words[1] == "__compile") return compile_process_main(words.size() > 2 ? words[2] : "");
    const auto refusal = too_small_stack();
    if (!words.empty()) code = refusal ? print_failure(*refusal, json) : run(words, json);
  } catch (const std::exception& error) {
    code = print_failure({ErrorKind::internal, describe_exception(error)}, json);
  } catch (...) {
    code =
        print_failure({ErrorKind::internal, "internal error; please report it with the command that you typed"}, json);
  }
  return finish_output(code);
}
