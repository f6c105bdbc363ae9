// A kernel selected for one problem in one context and prepared to launch: everything that a launch reads. Launches
// write nothing here. A cold selection makes the operation (selection.cpp), and all threads share it. Does not depend
// on a database.
#pragma once

#include "core/dtype.h"
#include "gpu/launch.h"
#include "predict/select.h"
#include "warptune/warptune.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// An argument that the application passes to a launch.
struct OperationArg {
  std::string name;
  DType dtype = DType::fp32;
  wt_arg_kind kind = WT_ARG_NONE;
  std::size_t index = 0;     // index into the plan's buffers or scalars
  std::size_t bytes = 0;     // size of the buffer or of the scalar
  std::size_t alignment = 0; // required alignment of the buffer's address in bytes
  bool is_written = false;
  std::size_t position = 0; // index in the kernel's signature, which includes arguments that are absent here
};

struct OperationWorkspace {
  std::size_t buffer, offset;
};

struct Operation {
  std::string kernel, problem, config, explanation;
  Match match = Match::fallback_default;
  double predicted_loss = -1; // negative: not known
  std::vector<OperationArg> args;
  std::vector<OperationWorkspace> workspaces;
  std::size_t workspace_bytes = 0;
  std::size_t buffer_count = 0;
  std::vector<std::uint64_t> scalars; // the planned values; a launch replaces those of parameters
  CUcontext context = nullptr;
  std::uint64_t context_id = 0; // id of the context, because addresses of contexts are reused
  std::uint32_t forks = 0;      // current_forks() when the operation was made
  LaunchSequence sequence;
};

// "1 argument was given", "3 arguments were given".
std::string given_text(std::int64_t count, const std::string& noun);

// Returns the argument kind of a scalar of this type.
wt_arg_kind scalar_kind(DType dtype);

// Sets args, workspaces, buffer_count and scalars.
Result<void> describe_arguments(const KernelSpec& spec, const Config& config, const LaunchPlan& plan,
                                Operation& operation);

// Checks the arguments and enqueues. On success it neither locks, allocates nor waits for the device.
// `workspace_bytes`: the size of the given workspace; pass the operation's own size if it is not known. `in`: this_one
// if the operation was just found or made for the current context.
enum class CurrentContext { any, this_one };
Result<void> launch(const Operation& operation, std::span<const void* const> args, void* workspace,
                    std::size_t workspace_bytes, CUstream stream, CurrentContext in);

} // namespace warptune

struct wt_operation {
  warptune::Operation value;
};
