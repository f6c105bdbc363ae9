// Recheck: checks one stored result on a device. It compiles the configuration from the sources stored with the result,
// and verifies it on new inputs. It times the configuration interleaved with the default. The L2 is in the same state
// (cold or warm) as in the stored measurement. The findings become a CheckRecord, which recheck_rows.h stores.
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
  std::string device; // as for a session; empty: no device, so recheck_rows times nothing
  std::filesystem::path cache_directory, worker_executable;
  double tolerance = 0.02; // allowed change of the median, as a share of the stored one
  int rounds = 15;
  std::uint64_t seed = 0; // seed of the inputs
  double compile_timeout_s = 60, evaluate_timeout_s = 30;
  bool allow_build = false; // false: built implementations use stored cubins only
};

struct Rechecked {
  CheckRecord check;
  std::string device_uuid; // uuid of the device that ran the check
};

// `device` must be set up for the row's problem. After an error, a wrong result or a failure, discard the device's
// process. `kernel` has the sources of the result. `source_hash_now`: the present hash of the kernel's folder; empty:
// not known. Returns nullopt if `stop` was set before the check ended. If the configuration fails, the record's status
// says so, and there is no error. Error: the result is from another device model; the kernel's spec cannot read the
// row; or the device cannot be prepared for the problem (no driver, no such recording, out of memory).
Result<std::optional<Rechecked>> recheck(DeviceWorker& device, const BestRecord& row, const Kernel& kernel,
                                         const std::string& source_hash_now, const RecheckOptions& options,
                                         const std::atomic<bool>& stop);

} // namespace warptune
