// Compiles programs that a pack lacks, while the application continues. One thread, started at the first request,
// handles the requests in order. The results are cubins, which a thread with a current CUDA context must load. Does not
// use the driver.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "plan/compile_request.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace warptune {

class BackgroundCompiler {
 public:
  enum class State { unknown, compiling, ready, failed };
  using Done = std::function<void()>; // called on the compiling thread, after success or failure

  BackgroundCompiler() = default;
  ~BackgroundCompiler() { stop(); }
  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  State state(const std::string& key) const;
  std::string failure(const std::string& key) const; // why the compile failed; empty if it did not
  std::optional<CubinRecord> find(const std::string& key) const;
  bool is_idle() const; // whether nothing was ever requested

  // Enqueues the program if its state is unknown. If the program is already ready or has failed, calls `done` at once.
  // `apart`: the first argument of compile_where. Error: there is no NVRTC, or stop() was called.
  Result<void> request(const std::string& key, const std::string& arch, const CompileRequest& program,
                       const std::optional<std::filesystem::path>& apart, Done done);

  // Waits until no compile runs and no request is left, or until stop() is called.
  void wait() const;
  // Waits for the running compile and drops all other requests. Every call waits, also if several threads call stop().
  void stop();

 private:
  struct Program {
    State state = State::unknown;
    CompileRequest request;
    std::optional<std::filesystem::path> apart;
    CubinRecord cubin;
    std::string failure;
    std::vector<Done> done;
  };
  static std::string compile(Program& program); // sets program.cubin, or returns why not; throws nothing
  void run();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Program, std::less<>> programs_;
  std::deque<std::string> waiting_;
  bool is_busy_ = false, is_stopping_ = false;
  std::thread thread_; // not changed after is_stopping_ is set, except by stop()
  std::once_flag stopped_;
};

} // namespace warptune
