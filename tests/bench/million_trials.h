// The parts of the benchmark million_trials.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace warptune::bench {

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct MillionSizes {
  std::int64_t problems, trials, shards; // trials: number of trials per problem
};
// Writes shard-NNN.db. All these functions throw std::runtime_error.
void make_shards(const std::filesystem::path& folder, const MillionSizes& sizes);
void time_resume(const std::filesystem::path& database);
void time_select(const std::filesystem::path& database, const std::string& libcuda);

} // namespace warptune::bench
