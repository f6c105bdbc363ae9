// Recheck: checks one stored result again on a device. It compiles the configuration from the result's own sources,
// verifies it on new data, and times it interleaved with the default, with the same L2 state (cold or warm) as before.
// The findings become a CheckRecord; recheck_rows.h stores it.
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
  std::string device; // device as for a session; empty: none, so recheck_rows times nothing
  std::filesystem::path cache_directory, worker_executable;
  double tolerance = 0.02; // relative to the stored median
  int rounds = 15;
  std::uint64_t seed = 0; // for the inputs
  double compile_timeout_s = 60, evaluate_timeout_s = 30;
  bool allow_build = false; // false: built implementations use only stored cubins
};

struct Rechecked {
  CheckRecord check;
  std::string device_uuid; // the device that the check ran on
};

// `device` is set up for the row's problem; after an error, a wrong result or a failure, discard its process. `kernel`
// has the sources of the result. `source_hash_now`: the current hash of the kernel's folder; empty: not known. Returns
// nullopt if `stop` was set first. A fault of the configuration becomes the record's status, not an error. Error: the
// result is from another device model; or the device cannot be prepared for the problem (no driver, no such recording,
// out of memory); or the kernel's spec cannot read the row.
Result<std::optional<Rechecked>> recheck(DeviceWorker& device, const BestRecord& row, const Kernel& kernel,
                                         const std::string& source_hash_now, const RecheckOptions& options,
                                         const std::atomic<bool>& stop);

} // namespace warptune
