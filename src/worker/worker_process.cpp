#include "worker/worker_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warptune {
namespace {

constexpr std::size_t kOutputKept = 4096; // bytes of a worker's output kept for diagnostics
constexpr std::size_t kLinesShown = 6;
constexpr rlim_t kMinFiles = 32, kEnoughFiles = 1024; // a driver and a compiler open a few dozen
constexpr auto kNoDeadline = std::chrono::hours(24 * 365);
// A waiting coordinator checks its workers at least once a second. A longer gap means that the whole program was
// stopped (Ctrl-Z, a frozen container), and the workers with it: such time does not count towards their time limits.
constexpr auto kAbsence = std::chrono::seconds(2);

// Marks every descriptor above the worker's socket as close-on-exec, whatever its flags. Runs between fork and exec, so
// it makes only system calls.
void close_others_at_exec() {
#ifdef SYS_close_range
  constexpr unsigned kCloexec = 1u << 2;
  if (syscall(SYS_close_range, static_cast<unsigned>(kWorkerFd) + 1, ~0u, kCloexec) == 0) return;
#endif
  for (int fd = kWorkerFd + 1; fd < 4096; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void become_worker(const char* executable, char* const* argv, char* const* environment, int socket,
                                int output, pid_t parent, int niceness) {
  // These descriptors may already be 0 to 3: move them out of the way first.
  socket = fcntl(socket, F_DUPFD, 10);
  output = fcntl(output, F_DUPFD, 10);
  const int null = open("/dev/null", O_RDONLY);
  if (socket < 0 || output < 0 || null < 0) _exit(127);
  if (null != 0) dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
  dup2(socket, kWorkerFd);
  close_others_at_exec();
  if (niceness > 0) setpriority(PRIO_PROCESS, 0, niceness);
  // The worker must not outlive its coordinator (strictly: the thread that forked it). getppid covers the time before
  // prctl took effect.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  // Ctrl-C, timeout and batch systems signal the whole process group, but only the coordinator decides when to stop.
  // Ignored signals stay ignored across exec.
  for (const int stop : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(stop, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(executable, argv, environment);
  const char message[] = "cannot execute the worker program\n";
  [[maybe_unused]] auto ignored = write(2, message, sizeof(message) - 1);
  _exit(127);
}

// The words as execve takes them: a null-terminated array.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Killed processes that had not ended when the coordinator stopped waiting. They are reaped when the next worker
// starts, or by the system when this process ends.
class Orphans {
 public:
  void add(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.push_back(pid);
    reap();
  }
  void collect() {
    const std::lock_guard lock(mutex_);
    reap();
  }

 private:
  void reap() {
    std::erase_if(pids_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
  }
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};

Orphans& orphans() {
  static Orphans all;
  return all;
}

} // namespace

std::string exit_sentence(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = strsignal(WTERMSIG(status));
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), name ? name : "unknown");
  }
  return fmt::format("exited with code {}", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

TrialStatus status_of(const WorkerFailure& failure) {
  return failure.kind == WorkerFailure::Kind::timed_out ? TrialStatus::timed_out : TrialStatus::crashed;
}

WorkerProcess::WorkerProcess(WorkerCommand command) : command_(std::move(command)) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  orphans().add(pid_);
  close_all();
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : command_(std::move(other.command_)), only_device_(std::move(other.only_device_)),
      pid_(std::exchange(other.pid_, -1)), socket_(std::exchange(other.socket_, -1)),
      output_(std::exchange(other.output_, -1)), timeouts_(std::exchange(other.timeouts_, {})),
      pending_(std::move(other.pending_)), output_tail_(std::move(other.output_tail_)),
      start_error_(std::move(other.start_error_)), replies_(std::move(other.replies_)), deadline_(other.deadline_) {}

Result<void> WorkerProcess::start() {
  kill();
  orphans().collect();
  output_tail_.clear();
  replies_ = {};
  std::array<int, 2> ends{-1, -1}, pipe_ends{-1, -1};
  const auto no_worker = [&](const char* what) {
    const int error = errno;
    for (int& fd : ends) close_fd(fd);
    for (int& fd : pipe_ends) close_fd(fd);
    return fail(ErrorKind::internal, fmt::format("cannot start a worker process: {}: {}", what, std::strerror(error)));
  };
  if (rlimit files{}; getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kMinFiles)
    return fail(ErrorKind::internal,
                fmt::format("cannot start a worker process: only {} files may be open at once; raise the limit with "
                            "`ulimit -n {}`",
                            files.rlim_cur, kEnoughFiles));
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return no_worker("socketpair");
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return no_worker("pipe");

  const std::string executable = command_.executable.empty() ? "/proc/self/exe" : command_.executable.string();
  WorkerStart words = start_of_worker(command_, only_device_, environ);
  const std::vector<char*> argv = pointers_to(words.arguments), environment = pointers_to(words.environment);

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return no_worker("fork");
  if (child == 0)
    become_worker(executable.c_str(), argv.data(), environment.data(), ends[1], pipe_ends[1], parent,
                  command_.niceness);
  close(ends[1]);
  close(pipe_ends[1]);
  pid_ = child;
  socket_ = ends[0];
  output_ = pipe_ends[0];
  fcntl(socket_, F_SETFL, O_NONBLOCK);
  fcntl(output_, F_SETFL, O_NONBLOCK);
  return {};
}

void WorkerProcess::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    bury();
  }
  timeouts_.clear();
  pending_.clear();
}

void WorkerProcess::close_all() {
  close_fd(socket_);
  close_fd(output_);
}

void WorkerProcess::send(const Request& request, double timeout_s) {
  if (!busy()) {
    start_error_.clear();
    if (!running())
      if (auto started = start(); !started) start_error_ = started.error().message;
    output_tail_.clear(); // keep only the output that follows
  }
  const auto message = frame(encode(request));
  if (!message) {
    kill();
    start_error_ = message.error().message;
  }
  timeouts_.push_back(timeout_s);
  if (timeouts_.size() == 1) set_deadline();
  if (!running()) return;
  pending_ += *message;
  write_pending();
}

void WorkerProcess::set_deadline() {
  const double seconds = timeouts_.front();
  looked_at_ = Clock::now();
  deadline_ =
      looked_at_ + (seconds > 0 ? std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))
                                : Clock::duration(kNoDeadline));
}

bool WorkerProcess::is_overdue() {
  const auto now = Clock::now();
  if (now - looked_at_ > kAbsence) deadline_ += now - looked_at_;
  looked_at_ = now;
  return now >= deadline_;
}

bool WorkerProcess::write_pending() {
  while (!pending_.empty()) {
    const ssize_t n = ::send(socket_, pending_.data(), pending_.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    pending_.erase(0, static_cast<std::size_t>(n));
  }
  return true;
}

void WorkerProcess::read_output() {
  std::array<char, 4096> chunk;
  // Bounded, so that a worker that writes endlessly cannot block the coordinator.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(output_, chunk.data(), chunk.size());
    if (n == 0) close_fd(output_); // else poll() would report the end of file for ever
    if (n <= 0) return;
    output_tail_.append(chunk.data(), static_cast<std::size_t>(n));
    if (output_tail_.size() > kOutputKept) output_tail_.erase(0, output_tail_.size() - kOutputKept);
  }
}

std::string WorkerProcess::last_lines() const {
  std::string_view text = output_tail_;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t start = text.size();
  for (std::size_t lines = 0; start > 0; --start)
    if (text[start - 1] == '\n' && ++lines == kLinesShown) break;
  return std::string(text.substr(start));
}

WorkerFailure WorkerProcess::bury() {
  // A process stuck in the driver can outlive SIGKILL for a while; do not wait for it for ever.
  int status = 0;
  pid_t reaped = 0;
  for (int i = 0; i < 5000 && reaped == 0; ++i) {
    reaped = waitpid(pid_, &status, WNOHANG);
    if (reaped < 0 && errno == EINTR) reaped = 0;
    if (reaped == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (output_ >= 0) read_output();
  close_all();
  if (reaped == 0) orphans().add(pid_); // collected later, if it ends
  pid_ = -1;
  WorkerFailure failure;
  failure.evidence = reaped > 0 ? "the worker process " + exit_sentence(status) : "the worker process cannot be ended";
  failure.killed_from_outside = reaped > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (const std::string lines = last_lines(); !lines.empty()) failure.evidence += "; its last output:\n" + lines;
  return failure;
}

CallOutcome WorkerProcess::fail_with(WorkerFailure::Kind kind, std::string what) {
  ::kill(pid_, SIGKILL);
  bury();
  timeouts_.clear();
  if (const std::string lines = last_lines(); !lines.empty()) what += "; the worker's last output:\n" + lines;
  return tl::make_unexpected(WorkerFailure{kind, std::move(what), false});
}

std::optional<CallOutcome> WorkerProcess::receive() {
  if (!busy()) return std::nullopt;
  if (!running()) {
    timeouts_.clear();
    return CallOutcome(tl::make_unexpected(WorkerFailure{WorkerFailure::Kind::not_started, start_error_, false}));
  }
  bool closed = !write_pending();
  if (output_ >= 0) read_output();
  std::array<char, 65536> chunk;
  while (true) {
    const ssize_t n = recv(socket_, chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n > 0) replies_.feed({chunk.data(), static_cast<std::size_t>(n)});
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) closed = true;
    if (n <= 0) break;
  }
  auto body = replies_.next();
  if (!body) return fail_with(WorkerFailure::Kind::crashed, body.error().message);
  if (*body) {
    auto reply = decode_reply(**body);
    if (!reply) return fail_with(WorkerFailure::Kind::crashed, reply.error().message);
    timeouts_.pop_front();
    if (busy()) set_deadline();
    return CallOutcome(std::move(*reply));
  }
  if (closed) {
    // The socket closes after a dying process has its exit status, so this kill does not change the status. It only
    // ends a process that closed the descriptor itself.
    ::kill(pid_, SIGKILL);
    timeouts_.clear();
    return CallOutcome(tl::make_unexpected(bury()));
  }
  if (is_overdue())
    return fail_with(WorkerFailure::Kind::timed_out,
                     fmt::format("no answer within {:g} s; the worker process was killed", timeouts_.front()));
  return std::nullopt;
}

CallOutcome WorkerProcess::call(const Request& request, double timeout_s) {
  send(request, timeout_s);
  WorkerProcess* self = this;
  while (true) {
    if (auto outcome = receive()) return std::move(*outcome);
    wait_for_workers({&self, 1}, 1000);
  }
}

void wait_for_workers(std::span<WorkerProcess* const> workers, int timeout_ms, std::span<const int> descriptors) {
  std::vector<pollfd> fds;
  for (const int descriptor : descriptors) fds.push_back({descriptor, POLLIN, 0});
  auto wait = std::chrono::duration<double, std::milli>(timeout_ms);
  const auto now = WorkerProcess::Clock::now();
  for (const WorkerProcess* worker : workers) {
    if (!worker->busy()) continue;
    if (!worker->running()) return; // receive() reports its failure at once
    const auto events = static_cast<short>(POLLIN | (worker->pending_.empty() ? 0 : POLLOUT));
    fds.push_back({worker->socket_, events, 0});
    fds.push_back({worker->output_, POLLIN, 0});
    wait = std::min(wait, std::chrono::duration<double, std::milli>(worker->deadline_ - now));
  }
  poll(fds.data(), fds.size(), std::max(0, static_cast<int>(std::ceil(wait.count()))));
}

} // namespace warptune
