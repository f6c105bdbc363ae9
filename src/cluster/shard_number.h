// The shard number: the number of this process among the processes that a launcher started for one sweep.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace warptune {

struct ShardNumber {
  std::int64_t shard = 0, shards = 1; // 0 <= shard < shards
  bool operator==(const ShardNumber&) const = default;
};

// Works as std::getenv: returns nullptr if the variable is not set.
using Environment = std::function<const char*(const char* name)>;

// Returns the number from the first of these that is set:
//   `option`, "I/N"
//   SLURM_ARRAY_TASK_ID with _MIN, _STEP and _COUNT; if srun started several processes for the task (SLURM_NTASKS > 1),
//   combined with SLURM_PROCID, the number of the process within the task
//   SLURM_PROCID and SLURM_NTASKS
//   JOB_COMPLETION_INDEX (Kubernetes), which needs `count`
//   otherwise 0 of 1
// `count`: --shards; 0: not given. If it is given, Slurm's variables are ignored. Errors (bad_input): a value that is
// not a number in its range; `option` together with `count`; or only one of JOB_COMPLETION_INDEX and `count`.
Result<ShardNumber> shard_number(const std::string& option, std::int64_t count, const Environment& environment);

} // namespace warptune
