// The object behind an application's kernel handle, with chosen dtype and flags: its signature, and the table of
// operations selected for its shapes. A warm lookup reads the first cache lines of this object and the table, and
// writes nothing. After a reload of the library, the kernel uses the newer content. It owns all selected operations.
#pragma once

#include "runtime/catalog.h"
#include "runtime/operation.h"
#include "runtime/operation_table.h"
#include "runtime/process.h"
#include "spec/problem.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace warptune {

class Library;

// The interface that the application's calls use; newer content must agree with it.
struct Signature {
  struct Arg {
    std::string name;
    wt_arg_kind kind;
    bool is_optional = false; // whether it is missing for some problems
    bool operator==(const Arg&) const = default;
  };
  std::vector<std::string> dims;  // the dims that the source does not fix; for a list, its four numbers
  std::vector<std::string> lists; // for each dim, the list to which it belongs; empty: a plain dim
  std::vector<Arg> args;
  std::vector<std::int64_t> defaults; // for each dim, its default for callers that name dims; -1: none
  bool operator==(const Signature&) const = default;
};
Signature signature_of(const KernelSpec& spec);
// Convert between the sizes passed in a call, which follow the signature, and all sizes of the problem.
Result<Shape> shape_of_call(const KernelSpec& spec, std::span<const std::int64_t> dims);
std::vector<std::int64_t> dims_of_call(const KernelSpec& spec, const Shape& shape);

using Table = OperationTable<const wt_operation>;

// Positions in Signature::args of the buffers that exist for a problem. They are looked up by dims and context, with
// alignment 0.
using PresentBuffers = std::vector<std::size_t>;
using PresenceTable = OperationTable<const PresentBuffers>;
// If a condition cannot be evaluated for a problem, buffers with conditions are left out; selection then reports the
// error.
PresentBuffers present_buffers(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits);

// A cold selection in progress on one thread; other threads that need the same operation wait for its result.
class Pending {
 public:
  Pending(const Table& table, const OperationKey& key)
      : table_(&table), dims_(key.dims.begin(), key.dims.end()), alignment_(key.alignment), context_(key.context) {}
  OperationKey key() const { return {dims_, alignment_, context_}; }
  bool is_for(const Table& table, const OperationKey& other) const {
    return &table == table_ && other.alignment == alignment_ && other.context == context_ &&
           std::equal(dims_.begin(), dims_.end(), other.dims.begin(), other.dims.end());
  }

  bool is_done = false;
  const wt_operation* operation = nullptr;
  Error error{ErrorKind::internal, "out of memory"}; // valid if operation is null; short enough to need no memory

 private:
  const Table* table_;
  std::vector<std::int64_t> dims_;
  std::uint32_t alignment_;
  std::uint64_t context_;
};

struct alignas(64) KernelHandle {
  KernelHandle(Library& owner, std::string kernel_name, DType type, std::vector<std::int64_t> flag_values,
               Signature called_with)
      : dim_count(static_cast<std::uint32_t>(called_with.dims.size())), library(owner), name(std::move(kernel_name)),
        dtype(type), flags(std::move(flag_values)), signature(std::move(called_with)) {}

  // Lock-free. Returns null if not in the table, without a context, or in a forked process; the cold path tells these
  // apart.
  const wt_operation* find_warm(std::span<const std::int64_t> dims, std::uint32_t alignment) const noexcept {
    return find_in(table, dims, alignment);
  }
  // Like find_warm, for the buffers that exist for a problem. Only for kernels with optional arguments.
  const PresentBuffers* find_present(std::span<const std::int64_t> dims) const noexcept {
    return find_in(presence, dims, 0);
  }

  template <class Value>
  Value* find_in(const std::atomic<const OperationTable<Value>*>& where, std::span<const std::int64_t> dims,
                 std::uint32_t alignment) const noexcept {
    const Driver* loaded = driver.load(std::memory_order_acquire);
    if (loaded == nullptr || dims.size() != dim_count || forks != current_forks()) return nullptr;
    CUcontext context = nullptr;
    unsigned long long context_id = 0; // addresses of contexts are reused, ids are not
    if (loaded->cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr ||
        loaded->cuCtxGetId(context, &context_id) != CUDA_SUCCESS)
      return nullptr;
    return where.load(std::memory_order_acquire)->find({dims, alignment, context_id});
  }

  // Makes later selections use this content. Existing operations stay.
  void follow(std::shared_ptr<const Catalog> content);

  // Every call reads these members, so they share one cache line.
  mutable std::atomic<const Driver*> driver{nullptr}; // the first selection sets it
  std::atomic<const Table*> table{nullptr};
  const std::uint32_t forks = current_forks();
  const std::uint32_t dim_count; // dims in the signature

  Library& library;
  const std::string name;
  const DType dtype;
  const std::vector<std::int64_t> flags;
  const Signature signature;
  const bool has_optional_args = std::any_of(signature.args.begin(), signature.args.end(),
                                             [](const Signature::Arg& arg) { return arg.is_optional; });
  std::atomic<const PresenceTable*> presence{nullptr};

  // Members of cold selections, guarded by the mutex. They are on other cache lines than the members above, so that
  // writing them does not slow readers of those members.
  struct alignas(64) Cold {
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<const Catalog> content;
    std::vector<std::unique_ptr<Table>> tables; // one for each content; the last one is in use
    std::vector<std::unique_ptr<wt_operation>> operations;
    std::vector<std::unique_ptr<PresenceTable>> presence_tables; // one for each content, like tables
    std::vector<std::unique_ptr<const PresentBuffers>> present;
    std::vector<std::shared_ptr<Pending>> pending;
  };
  mutable Cold cold;
};

} // namespace warptune

struct wt_kernel {
  warptune::KernelHandle value;
};
