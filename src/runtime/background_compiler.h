// Compiles programs that a pack lacks while the application goes on: one thread, made when it is first needed, working
// through its requests in order. Results are images; loading them is for a thread that has the context. Knows no
// driver.
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
  using Done = std::function<void()>; // called on the compiling thread, whatever came of it

  BackgroundCompiler() = default;
  ~BackgroundCompiler() { stop(); }
  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

  State state(const std::string& key) const;
  std::string failure(const std::string& key) const; // why it failed; empty otherwise
  std::optional<CubinRecord> find(const std::string& key) const;
  bool is_idle() const; // nothing was ever asked of it

  // Enqueues the program where its state is unknown. `done` is called at once for what is ready or failed. `apart`:
  // compile_where's.
  Result<void> request(const std::string& key, const std::string& arch, const CompileRequest& program,
                       const std::optional<std::filesystem::path>& apart, Done done);

  // Until nothing is compiling or waiting to be. Nothing is enqueued after stop.
  void wait() const;
  void stop(); // waits for the program in the compiler, forgets the rest

 private:
  struct Program {
    State state = State::unknown;
    CompileRequest request;
    std::optional<std::filesystem::path> apart;
    CubinRecord cubin;
    std::string failure;
    std::vector<Done> done;
  };
  void run();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Program, std::less<>> programs_;
  std::deque<std::string> waiting_;
  bool is_busy_ = false, is_stopping_ = false;
  std::thread thread_;
};

} // namespace warptune
