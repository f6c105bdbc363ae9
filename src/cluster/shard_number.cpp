#include "cluster/shard_number.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace warptune {
namespace {

constexpr std::int64_t kMaxShards = 4'000'001; // the largest array of Slurm has as many tasks

std::optional<std::int64_t> number_in(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  if (parse_integer(text, value) != IntegerError::none || value < low || value > high) return std::nullopt;
  return value;
}

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}
  bool has(const char* name) const { return environment_(name) != nullptr; }
  // Parses a variable that is set.
  Result<std::int64_t> number(const char* name, std::int64_t low) const {
    if (const auto value = number_in(environment_(name), low, kMaxShards)) return *value;
    return fail(ErrorKind::bad_input,
                fmt::format("{} is {}, which is not a number from {} to {}; correct it, or use --shard I/N instead",
                            name, quote(environment_(name)), low, kMaxShards));
  }
  Result<std::int64_t> number_or(const char* name, std::int64_t low, std::int64_t otherwise) const {
    return has(name) ? number(name, low) : Result<std::int64_t>(otherwise);
  }

 private:
  const Environment& environment_;
};

Result<ShardNumber> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto shards = number_in(std::string_view(text).substr(slash + 1), 1, kMaxShards);
    const auto shard = number_in(std::string_view(text).substr(0, slash), 0, kMaxShards);
    if (shards && shard && *shard < *shards) return ShardNumber{*shard, *shards};
    if (shards && shard)
      return fail(ErrorKind::bad_input, fmt::format("--shard {}: shards are numbered from 0 to {}", text, *shards - 1));
  }
  return fail(
      ErrorKind::bad_input,
      fmt::format(
          "--shard takes I/N, such as 0/8: the number of this process, from 0, and the number of all processes; "
          "got {}",
          quote(text)));
}

Result<ShardNumber> slurm_shard(const Variables& variables) {
  ShardNumber task;
  if (variables.has("SLURM_ARRAY_TASK_ID")) {
    WT_TRY(const auto id, variables.number("SLURM_ARRAY_TASK_ID", 0));
    WT_TRY(const auto first, variables.number_or("SLURM_ARRAY_TASK_MIN", 0, 0));
    WT_TRY(const auto step, variables.number_or("SLURM_ARRAY_TASK_STEP", 1, 1));
    WT_TRY(const auto count, variables.number_or("SLURM_ARRAY_TASK_COUNT", 1, 1));
    task.shard = std::max<std::int64_t>(id - first, 0) / step;
    task.shards = std::max(count, task.shard + 1); // an array may have gaps
  }
  WT_TRY(const auto process, variables.number_or("SLURM_PROCID", 0, 0));
  WT_TRY(const auto processes, variables.number_or("SLURM_NTASKS", process + 1, process + 1));
  return ShardNumber{task.shard * processes + process, task.shards * processes};
}

} // namespace

Result<ShardNumber> shard_number(const std::string& option, std::int64_t count, const Environment& environment) {
  if (!option.empty() && count > 0)
    return fail(ErrorKind::bad_input, "--shard I/N already contains the number of processes; leave --shards out");
  if (!option.empty()) return parse_shard(option);
  const Variables variables(environment);
  const bool by_slurm = variables.has("SLURM_ARRAY_TASK_ID") || variables.has("SLURM_PROCID");
  if (by_slurm && count == 0) return slurm_shard(variables);
  if (!variables.has("JOB_COMPLETION_INDEX"))
    return count == 0 ? Result<ShardNumber>(ShardNumber{})
                      : fail(ErrorKind::bad_input, "--shards N needs --slurm or the variable JOB_COMPLETION_INDEX, "
                                                   "which is not set; otherwise use --shard I/N");
  if (count == 0)
    return fail(
        ErrorKind::bad_input,
        "JOB_COMPLETION_INDEX gives only the number of this process; add --shards N, the total number of processes");
  WT_TRY(const auto shard, variables.number("JOB_COMPLETION_INDEX", 0));
  if (shard >= count)
    return fail(ErrorKind::bad_input, fmt::format("JOB_COMPLETION_INDEX is {}, but with --shards {} it must be below "
                                                  "{}; set --shards to the total number of processes",
                                                  shard, count, count));
  return ShardNumber{shard, count};
}

} // namespace warptune
