#include "capture/run_application.h"

#include "core/text.h"
#include "gpu/toolkit_search.h"
#include "intercept/settings.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace warptune {
namespace {

constexpr const char* kInjection = "CUDA_INJECTION64_PATH";
constexpr const char* kPreload = "LD_PRELOAD";
constexpr std::array<const char*, 3> kCuptiNames = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

std::atomic<pid_t> g_application{0};

void pass_on(int signal) {
  if (const pid_t pid = g_application.load(); pid > 0) ::kill(pid, signal);
}

// The terminal sends its signals to the application directly; this process ignores them and waits for it. It passes
// other signals on.
class PassedSignals {
 public:
  PassedSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction pass {};
    pass.sa_handler = pass_on;
    pass.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], i < 2 ? &ignore : &pass, &old_[i]);
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;
  ~PassedSignals() { restore(); }
  void restore() const {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 4> kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 4> old_{};
};

std::vector<std::string> environment_for(const CaptureRun& run) {
  std::string preload = run.library.string();
  if (const char* old = std::getenv(kPreload); old != nullptr && *old != '\0') preload += ":" + std::string(old);
  std::vector<std::pair<std::string, std::string>> set = {
      {kInjection, run.library.string()},
      {intercept::kDirVariable, run.records.string()},
      {intercept::kKernelVariable, run.kernels},
      {intercept::kContentsVariable, std::to_string(run.contents)},
      {intercept::kCuptiVariable,
       fmt::format("{}", fmt::join(toolkit_library_candidates("WARPTUNE_LIBCUPTI", kCuptiNames), "\n"))}};
  if (run.preload) set.emplace_back(kPreload, preload);
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const bool is_replaced = std::any_of(set.begin(), set.end(), [&](const auto& one) {
      return entry.starts_with(one.first) && entry.substr(one.first.size()).starts_with('=');
    });
    if (!is_replaced) all.emplace_back(entry);
  }
  for (const auto& [name, value] : set) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Runs after fork. Reports errno if the program cannot be started.
[[noreturn]] void become_application(char* const* words, char* const* variables, bool output_to_stderr, int report) {
  std::signal(SIGPIPE, SIG_DFL); // this program ignores both signals
  std::signal(SIGXFSZ, SIG_DFL);
  if (output_to_stderr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execvpe(words[0], words, variables);
  const int why = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(report, &why, sizeof why);
  ::_exit(127);
}

std::string start_error(const std::string& program, int why) {
  if (why == ENOENT)
    return fmt::format("there is no program {}; check the path, and for a script its interpreter", quote(program));
  return fmt::format("cannot start {}: {}", quote(program), std::strerror(why));
}

} // namespace

Result<ApplicationEnd> run_application(const CaptureRun& run) {
  if (const char* other = std::getenv(kInjection); other != nullptr && *other != '\0')
    return fail(ErrorKind::bad_input, fmt::format("{} is set to {}: another tool observes CUDA here; unset the "
                                                  "variable to use capture",
                                                  kInjection, quote(other)));
  const std::vector<std::string> variables = environment_for(run);
  const std::vector<char*> words = pointers(run.words), entries = pointers(variables);
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    return fail(ErrorKind::internal, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const PassedSignals signals;
  const pid_t pid = ::fork();
  if (pid == 0) {
    signals.restore();
    become_application(words.data(), entries.data(), run.output_to_stderr, report[1]);
  }
  ::close(report[1]);
  g_application = pid;
  int why = 0, status = 0;
  const bool has_failed = pid < 0 || ::read(report[0], &why, sizeof why) == static_cast<ssize_t>(sizeof why);
  ::close(report[0]);
  if (pid < 0) return fail(ErrorKind::internal, fmt::format("cannot start a process: {}", std::strerror(errno)));
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  g_application = 0;
  if (has_failed) return fail(ErrorKind::bad_input, start_error(run.words.front(), why));
  return WIFSIGNALED(status) ? ApplicationEnd{0, WTERMSIG(status)} : ApplicationEnd{WEXITSTATUS(status), 0};
}

} // namespace warptune
