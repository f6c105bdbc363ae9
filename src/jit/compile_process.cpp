#include "jit/compile_process.h"

#include "jit/cached_compile.h"
#include "jit/compile_message.h"
#include "jit/toolkit_program.h"
#include "system/descriptor.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeout = 600;    // seconds; the slowest shipped kernels take one
constexpr unsigned kGrace = 10;     // seconds for the compiler to stop by itself
constexpr std::size_t kShown = 500; // bytes of the output of a failed process

// A file without a name, so that nothing is left behind, whichever process is killed.
class MemoryFile {
 public:
  MemoryFile() {
    const Descriptor made(::memfd_create("warptune", MFD_CLOEXEC));
    if (made) file_ = Descriptor(::fcntl(made.get(), F_DUPFD_CLOEXEC, 10)); // above the standard ones that replace it
  }
  int get() const { return file_.get(); }
  bool write(std::string_view bytes) const { return write_all(get(), bytes) && ::lseek(get(), 0, SEEK_SET) == 0; }
  std::string read() const { // all that any process wrote
    std::string bytes;
    return ::lseek(get(), 0, SEEK_SET) == 0 && read_all(get(), bytes) ? bytes : std::string();
  }

 private:
  Descriptor file_;
};

// posix_spawn instead of fork, because the application may be large and have state that must not run in a child.
class Spawn {
 public:
  Spawn(int in, int out, int log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    const std::array<int, 3> files = {in, out, log};
    for (int to = 0; to < 3; ++to) posix_spawn_file_actions_adddup2(&actions_, files[static_cast<std::size_t>(to)], to);
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions_, 3); // files of the application are not inherited
#endif
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  // Returns 0 or errno.
  int run(const fs::path& program, pid_t& pid) const {
    std::string name = "warptune", command = "__compile", parent = std::to_string(::getpid());
    const std::array<char*, 4> words = {name.data(), command.data(), parent.data(), nullptr};
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

tl::unexpected<Error> cannot(const fs::path& program, const std::string& why) {
  return fail(ErrorKind::internal,
              fmt::format("cannot compile in a separate process with {}: {}", program.string(), why));
}

Result<CompileResult> run_compiler(const fs::path& program, const CompileRequest& request) {
  const MemoryFile order, answer, log;
  if (order.get() < 0 || answer.get() < 0 || log.get() < 0) return cannot(program, std::strerror(errno));
  if (!order.write(encode_order({request, kTimeout}))) return cannot(program, std::strerror(errno));
  pid_t pid = -1;
  if (const int error = Spawn(order.get(), answer.get(), log.get()).run(program, pid); error != 0)
    return cannot(program, std::strerror(error));
  int status = 0;
  pid_t ended = -1;
  while ((ended = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  // If the application lets the system reap its children, the exit code is lost and only the answer shows how the
  // process ended.
  const bool is_known = ended == pid;
  if (is_known && WIFSIGNALED(status)) {
    const char* name = strsignal(WTERMSIG(status));
    return CompileResult(
        tl::make_unexpected(CompileFailure{fmt::format("{}: the compile process was killed by signal {} ({})",
                                                       request.source_name, WTERMSIG(status), name ? name : "unknown"),
                                           WTERMSIG(status) == SIGALRM, true, true}));
  }
  if (auto decoded = decode_answer(compile_key(request), answer.read())) return std::move(*decoded);
  const std::string said = log.read().substr(0, kShown);
  return cannot(program,
                fmt::format("it exited with code {} without a complete reply; its version may differ from this "
                            "program's, or memory or disk space ran out{}{}",
                            is_known ? WEXITSTATUS(status) : -1, said.empty() ? "" : "\n", said));
}

} // namespace

std::optional<fs::path> find_compile_program() {
  if (const char* chosen = std::getenv("WARPTUNE_PROGRAM"); chosen != nullptr && *chosen != '\0')
    return is_program(chosen) ? std::optional<fs::path>(chosen) : std::nullopt;
  std::error_code error;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !error && self.filename() == "warptune")
    return "/proc/self/exe"; // valid even if the file was replaced
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&find_compile_program), &info) == 0 || info.dli_fname == nullptr)
    return std::nullopt;
  const fs::path library = fs::canonical(info.dli_fname, error);
  if (error) return std::nullopt;
  const fs::path folder = library.parent_path().parent_path(); // PREFIX/lib/libwarptune.so, PREFIX/lib/TRIPLET/...
  for (const fs::path& prefix : {folder, folder.parent_path()})
    if (is_program(prefix / "bin" / "warptune")) return prefix / "bin" / "warptune";
  return std::nullopt;
}

Result<CompileResult> compile_apart(const fs::path& program, const CubinCache& cache, const CompileRequest& request) {
  if (auto found = find_cached(cache, request)) return std::move(*found);
  auto compiled = run_compiler(program, request);
  if (compiled) store_cached(cache, request, *compiled);
  return compiled;
}

Result<CompileResult> compile_where(const std::optional<fs::path>& program, const CubinCache& cache,
                                    const CompileRequest& request) {
  return program && !request.build ? compile_apart(*program, cache, request) : compile_cached(cache, request, 0);
}

int compile_process_main(std::string_view parent) {
  // Without the process that asked, the answer is not needed. It may have ended before prctl took effect. A script in
  // between (WARPTUNE_PROGRAM) has another pid.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pid_t asking = 0;
  std::from_chars(parent.data(), parent.data() + parent.size(), asking);
  if (asking > 0 && asking != ::getppid() && ::kill(asking, 0) != 0 && errno == ESRCH)
    return static_cast<int>(ErrorKind::internal);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::ofstream("/proc/self/oom_score_adj") << 1000; // out of memory, the kernel kills this process first
  std::string bytes;
  const bool is_read = read_all(STDIN_FILENO, bytes);
  const auto order = decode_order(bytes);
  if (!is_read || !order) {
    constexpr std::string_view kNoOrder = "__compile is started by warptune itself and must not be called directly\n";
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, kNoOrder.data(), kNoOrder.size());
    return static_cast<int>(ErrorKind::bad_input);
  }
  ::alarm(static_cast<unsigned>(order->timeout_s) + kGrace);
  const std::string answer = encode_answer(compile_key(order->request), compile(order->request, order->timeout_s));
  return write_all(STDOUT_FILENO, answer) ? 0 : static_cast<int>(ErrorKind::internal);
}

} // namespace warptune
