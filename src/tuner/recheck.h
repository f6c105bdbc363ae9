// Recheck: one stored result looked at again on a device. The configuration is compiled from the result's own sources,
// verified with data it never saw, and timed in turns with the default, with the L2 as it was; what is found becomes a
// CheckRecord. Writes nothing down (recheck_rows.h does).
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "jit/template_store.h"
#include "worker/device_worker.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

struct RecheckOptions {
  std::string device; // as for a session; empty: none, so that nothing is timed (recheck_rows)
  std::filesystem::path cache_directory, worker_executable;
  double tolerance = 0.02; // of the stored median
  int rounds = 15;
  std::uint64_t seed = 0; // draws the inputs
  double compile_timeout_s = 60, evaluate_timeout_s = 30;
  bool allow_build = false; // false: of built implementations only what is stored
};

struct Rechecked {
  CheckRecord check;
  std::string device_uuid; // that it ran on
};

// `device` is given the row's problem; after an error, a wrong result or a failure its process may be of no use any
// more. `kernel` holds the sources that the result came from; `source_hash_now` is that of its folder today, empty
// where none is known. Nothing when `stop` came first. What is wrong with the configuration is the record's status.
// Error: the device is of another model than the result, or cannot be prepared for the problem (no driver, no such
// recording, out of memory), or the row cannot be read with the kernel's spec.
Result<std::optional<Rechecked>> recheck(DeviceWorker& device, const BestRecord& row, const Kernel& kernel,
                                         const std::string& source_hash_now, const RecheckOptions& options,
                                         const std::atomic<bool>& stop);

} // namespace warptune
