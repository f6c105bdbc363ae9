// A kernel selected for one problem on one device and prepared to launch: everything that a launch reads, nothing that
// it writes. Made by Dispatcher::prepare, shared by all threads.
#pragma once

#include "core/dtype.h"
#include "core/select.h"
#include "gpu/launch.h"
#include "warptune/warptune.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune {

// What the application gives to a launch.
struct OperationArg {
  std::string name;
  DType dtype = DType::fp32;
  bool is_buffer = false;
  std::size_t index = 0; // into the plan's buffers or scalars
  std::size_t bytes = 0; // of the buffer or of the scalar
};

struct OperationWorkspace {
  std::size_t buffer, offset;
};

struct Operation {
  std::string kernel, problem, config, explanation;
  Match match = Match::fallback_default;
  std::vector<OperationArg> args;
  std::vector<OperationWorkspace> workspaces;
  std::size_t workspace_bytes = 0;
  std::size_t buffer_count = 0;
  std::vector<std::uint64_t> scalars; // as planned; a launch replaces the parameters
  CUcontext context = nullptr;
  LaunchSequence sequence;
};

} // namespace warptune

struct wt_operation {
  warptune::Operation value;
  mutable std::atomic<std::int64_t> references{1};

  void retain() const noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};
