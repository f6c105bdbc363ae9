// Keeps device memory for the workspaces of launches. Each piece of memory belongs to one stream, so launches use the
// memory one after another. The memory is lent to one launch at a time, because a launch may consist of several
// commands. Does not depend on tensors, and is guarded by the interpreter's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warptune_python {

class Workspaces {
 public:
  static constexpr std::size_t kSmallBytes = std::size_t{2} << 20; // the driver allocates pieces of this size
  static constexpr std::size_t kLargeBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMaxBuffers = 32;

  Workspaces() = default;
  ~Workspaces(); // returns the memory to the driver, which waits for launches that still use it
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;

  // Returns memory that is lent until `give_back`. Null if `bytes` exceeds kLargeBytes, if the stream is being captured
  // (the graph outlives the launch), or if there is no memory; the caller then allocates memory for this launch only.
  void* lend(std::size_t bytes, void* stream);
  void give_back(void* memory) noexcept;

 private:
  struct Buffer {
    std::uint64_t stream; // the driver's id of the stream; unlike its handle, it is never reused
    std::uint64_t address;
    std::size_t bytes;
    void* context;
    std::uint64_t last_use; // number of loans made before the last use
    bool is_lent;
  };

  void* make(std::size_t bytes, std::uint64_t stream);
  void drop_oldest();

  std::vector<Buffer> buffers_;
  std::uint64_t loans_ = 0;
};

// One loan; its destructor returns the memory.
class Loan {
 public:
  Loan(Workspaces& workspaces, std::size_t bytes, void* stream)
      : workspaces_(workspaces), memory_(workspaces.lend(bytes, stream)) {}
  ~Loan() {
    if (memory_ != nullptr) workspaces_.give_back(memory_);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  void* get() const noexcept { return memory_; }

 private:
  Workspaces& workspaces_;
  void* memory_;
};

} // namespace warptune_python
