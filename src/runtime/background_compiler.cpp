#include "runtime/background_compiler.h"

#include "core/thread_guard.h"
#include "jit/compile_process.h"
#include "jit/compiler.h"
#include "runtime/process.h"

#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

// An application may end without closing its libraries, but no compilation may run while NVRTC's own destructors do.
// Exit handlers run in reverse order of registration. stop_all is registered after NVRTC is loaded, so it runs first.
struct Live {
  const std::uint32_t forks = current_forks();
  std::mutex mutex;
  std::vector<BackgroundCompiler*> compilers;
};

Live& live() {
  static Live& only = *new Live; // never destroyed: used at exit
  return only;
}

void stop_all() {
  if (live().forks != current_forks()) return; // a forked child has no threads, and cannot use the lock
  const auto next = []() -> BackgroundCompiler* {
    const std::lock_guard lock(live().mutex);
    return live().compilers.empty() ? nullptr : live().compilers.back();
  };
  while (BackgroundCompiler* compiler = next()) compiler->stop(); // delists itself; allocates nothing
}

void enlist(BackgroundCompiler* compiler) {
  static const int registered = std::atexit(stop_all);
  static_cast<void>(registered);
  const std::lock_guard lock(live().mutex);
  live().compilers.push_back(compiler);
}

void delist(BackgroundCompiler* compiler) {
  const std::lock_guard lock(live().mutex);
  std::erase(live().compilers, compiler);
}

} // namespace

BackgroundCompiler::State BackgroundCompiler::state(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  return found == programs_.end() ? State::unknown : found->second.state;
}

std::string BackgroundCompiler::failure(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  return found == programs_.end() ? std::string() : found->second.failure;
}

std::optional<CubinRecord> BackgroundCompiler::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  if (found == programs_.end() || found->second.state != State::ready) return std::nullopt;
  return found->second.cubin;
}

bool BackgroundCompiler::is_idle() const {
  const std::lock_guard lock(mutex_);
  return programs_.empty();
}

Result<void> BackgroundCompiler::request(const std::string& key, const std::string& arch, const CompileRequest& program,
                                         const std::optional<std::filesystem::path>& apart, Done done) {
  // Load NVRTC here: it must be loaded before stop_all is registered, and its absence is reported at once.
  WT_CHECK(find_nvrtc());
  std::unique_lock lock(mutex_);
  if (is_stopping_) return fail(ErrorKind::internal, "the process is ending");
  Program& entry = programs_[key];
  if (entry.state == State::ready || entry.state == State::failed) {
    lock.unlock();
    done();
    return {};
  }
  entry.done.push_back(std::move(done));
  if (entry.state == State::compiling) return {};
  // Everything that can fail comes before the change of state that others wait for.
  try {
    entry.request = program;
    entry.apart = apart;
    entry.cubin.hash = key;
    entry.cubin.arch = arch;
    if (!thread_.joinable()) {
      enlist(this);
      thread_ = std::thread([this] { run(); });
    }
    waiting_.push_back(key);
  } catch (const std::exception& e) {
    entry.done.clear();
    if (!thread_.joinable()) delist(this); // the thread was never started
    return fail(ErrorKind::internal, fmt::format("cannot compile in the background: {}", e.what()));
  }
  entry.state = State::compiling;
  changed_.notify_all();
  return {};
}

std::string BackgroundCompiler::compile(Program& program) {
  std::string failure;
  auto thrown = run_guarded([&] {
    auto compiled = compile_where(program.apart, CubinCache(), program.request);
    if (!compiled) {
      failure = std::move(compiled.error().message);
    } else if (!*compiled) {
      failure = fmt::format("{} does not compile for {}:\n{}", program.request.source_name, program.cubin.arch,
                            compiled->error().log);
    } else {
      program.cubin.image = std::move((*compiled)->image);
      program.cubin.lowered_names = std::move((*compiled)->lowered_names);
    }
  });
  if (!thrown) return failure;
  // kOutOfMemory names an option that applications do not have. This text is short enough to need no allocation.
  if (thrown->message == kOutOfMemory) return "out of memory";
  return std::move(thrown->message);
}

// An exception that left this function would end the application. So only code in run_guarded may allocate.
void BackgroundCompiler::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_stopping_ || !waiting_.empty(); });
    if (is_stopping_) return;
    Program& program = programs_.find(waiting_.front())->second; // a std::map: the reference stays valid
    waiting_.pop_front();
    is_busy_ = true;
    lock.unlock();
    std::string failure = compile(program);
    lock.lock();
    program.state = failure.empty() ? State::ready : State::failed;
    program.failure = std::move(failure);
    program.request = {};
    const std::vector<Done> done = std::exchange(program.done, {});
    lock.unlock();
    for (const Done& call : done) run_guarded(call);
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

void BackgroundCompiler::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_stopping_ || (waiting_.empty() && !is_busy_); });
}

void BackgroundCompiler::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  std::call_once(stopped_, [this] {
    if (!thread_.joinable()) return;
    thread_.join();
    delist(this);
  });
}

} // namespace warptune
