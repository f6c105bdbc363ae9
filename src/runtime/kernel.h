// KernelHandle: the object behind a wt_kernel of the application. It has a kernel's dtype, flags and signature. It owns
// a table with the operation that was selected for each shape. Finding a selected operation (a warm lookup) reads the
// first cache lines of this object and of the table, and writes nothing. After a reload of the library, selections use
// the new content.
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

// The parts of a kernel's spec that the application's calls depend on. Newer content of the file must have the same
// signature.
struct Signature {
  struct Arg {
    std::string name;
    wt_arg_kind kind;
    bool is_optional = false;  // whether the argument is missing in some problems
    DType dtype = DType::fp32; // of a scalar; the dtype of a buffer may depend on the problem
    bool operator==(const Arg&) const = default;
  };
  std::vector<std::string> dims;  // names of the dims without a fixed size; a list dim has four entries
  std::vector<std::string> lists; // for each entry of `dims`, the name of its list dim; empty: not from a list
  std::vector<Arg> args;
  std::vector<std::int64_t> defaults; // for each dim, the default for shapes in text form; -1: none
  bool operator==(const Signature&) const = default;
};
Signature signature_of(const KernelSpec& spec);
// These functions convert between the sizes in a call, which follow the signature, and all sizes of the problem.
Result<Shape> shape_of_call(const KernelSpec& spec, std::span<const std::int64_t> dims);
std::vector<std::int64_t> dims_of_call(const KernelSpec& spec, const Shape& shape);

using Table = OperationTable<const wt_operation>;

// The buffers that exist for a problem, as positions in Signature::args. In a PresenceTable, keys have dims and
// context, and their alignment is 0.
struct PresentBuffers {
  std::vector<std::size_t> all;
  std::vector<std::size_t> largest; // those with the most bytes
};
using PresenceTable = OperationTable<const PresentBuffers>;
// If a buffer's condition cannot be evaluated for the problem, the buffer is left out, and selection reports the error.
PresentBuffers present_buffers(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits);

// A cold selection in progress: one thread selects an operation that is not in the table. Other threads that need the
// same operation wait for the result.
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
  Error error{ErrorKind::internal, "out of memory"}; // used if operation is null; short enough to need no allocation

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

  // Lock-free. Returns null if the operation is not in the table, no context is current, or the process was forked; the
  // cold path finds the reason.
  const wt_operation* find_warm(std::span<const std::int64_t> dims, std::uint32_t alignment) const noexcept {
    return find_in(table, dims, alignment);
  }
  // Finds the buffers that exist for a problem, without a lock. Use it only for kernels with optional arguments.
  const PresentBuffers* find_present(std::span<const std::int64_t> dims) const noexcept {
    return find_in(presence, dims, 0);
  }

  template <class Value>
  Value* find_in(const std::atomic<const OperationTable<Value>*>& where, std::span<const std::int64_t> dims,
                 std::uint32_t alignment) const noexcept {
    const Driver* loaded = driver.load(std::memory_order_acquire);
    if (loaded == nullptr || dims.size() != dim_count || forks != current_forks()) return nullptr;
    CUcontext context = nullptr;
    unsigned long long context_id = 0; // CUDA reuses the addresses of contexts, but not their ids
    if (loaded->cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr ||
        loaded->cuCtxGetId(context, &context_id) != CUDA_SUCCESS)
      return nullptr;
    return where.load(std::memory_order_acquire)->find({dims, alignment, context_id});
  }

  // The memory that `follow` needs. Made before, so that following cannot fail.
  struct Tables {
    std::unique_ptr<Table> table;
    std::unique_ptr<PresenceTable> presence;
  };
  Tables make_tables();
  // Later selections use this content. Operations that exist do not change. `made` comes from make_tables, after the
  // last call of follow.
  void follow(std::shared_ptr<const Catalog> content, Tables made);

  // Every call reads these members, so they are in one cache line.
  mutable std::atomic<const Driver*> driver{nullptr}; // set by the first selection
  std::atomic<const Table*> table{nullptr};
  const std::uint32_t forks = current_forks();
  const std::uint32_t dim_count; // number of dims in the signature

  Library& library;
  const std::string name;
  const DType dtype;
  const std::vector<std::int64_t> flags;
  const Signature signature;
  const bool has_optional_args = std::any_of(signature.args.begin(), signature.args.end(),
                                             [](const Signature::Arg& arg) { return arg.is_optional; });
  std::atomic<const PresenceTable*> presence{nullptr};

  // Members for cold selections, guarded by the mutex. They are not in the cache lines of the members above, so that
  // writing them does not slow down warm lookups.
  struct alignas(64) Cold {
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<const Catalog> content;
    std::vector<std::unique_ptr<Table>> tables; // one per content; the last one is in use
    std::vector<std::unique_ptr<wt_operation>> operations;
    std::vector<std::unique_ptr<PresenceTable>> presence_tables; // one per content, like `tables`
    std::vector<std::unique_ptr<const PresentBuffers>> present;
    std::vector<std::shared_ptr<Pending>> pending;
    // Selections that failed because nothing can run until the background compiler has made a program of this kernel.
    // Selecting again would only repeat the work of finding that out, and applications call in a loop.
    std::vector<std::shared_ptr<Pending>> awaiting_compile;
  };
  mutable Cold cold;
};

} // namespace warptune

struct wt_kernel {
  warptune::KernelHandle value;
};
