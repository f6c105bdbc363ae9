// The runtime's core: request -> operation (prepare, remembered) -> launch. One per opened database, used by any number
// of threads and contexts. Knows nothing of the C interface but its handle (operation.h); capi.cpp is the only caller.
#pragma once

#include "runtime/catalog.h"
#include "runtime/lookup_table.h"
#include "runtime/operation.h"

#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace warptune {

class Dispatcher {
 public:
  static Result<std::unique_ptr<Dispatcher>> open(const std::string& path);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  const std::vector<std::string>& kernel_names() const { return catalog_->kernel_names(); }

  // `device` as in Catalog::device; empty: the current context's.
  Result<Choice> explain(const Request& request, const std::string& device) const;

  // For the current context. A reference of the operation passes to the caller. Neither locks nor allocates for a
  // request that was prepared before in this context.
  Result<const wt_operation*> prepare(const Request& request);

  // Checks the arguments and enqueues. On success it neither locks, allocates nor waits for the device.
  static Result<void> launch(const Operation& operation, std::span<const void* const> args, void* workspace,
                             CUstream stream);

 private:
  explicit Dispatcher(std::unique_ptr<Catalog> catalog) : catalog_(std::move(catalog)) {}
  Result<std::unique_ptr<wt_operation>> make_operation(const Request& request, const Driver& driver, CUcontext context,
                                                       std::uint64_t context_id) const;

  std::unique_ptr<Catalog> catalog_;
  std::mutex mutex_; // of writers to prepared_
  LookupTable<const wt_operation> prepared_;
};

} // namespace warptune
