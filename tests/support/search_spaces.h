// Shared by tests of strategies: small, large and smooth search spaces, and a run of a strategy on one until it ends.
#pragma once

#include "search/strategy.h"
#include "support/spec_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace warptune::testing {

inline SearchSpace space_of(const std::string& params, const std::string& constraints) {
  SpecText text;
  text.set("params", params).set("constraints", constraints).set("derived", "{}");
  text.set("compile", "{}")
      .set(
          "launches",
          R"([{"kernel": "k", "template": [{"type": "dtype"}], "grid": ["rows"], "block": [32], "args": ["x", "y", "tmp", "cols", "alpha"]}])");
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input"},
                            "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"},
                            "tmp": {"buffer": "acc", "count": "rows", "role": "workspace", "zero": true},
                            "cols": {"scalar": "int32", "value": "cols"},
                            "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})");
  const KernelSpec spec = text.parse();
  auto space = SearchSpace::build(spec, problem_of(spec, "rows=64,cols=1024"), h200_device());
  EXPECT_TRUE(space.has_value()) << space.error().message;
  return std::move(*space);
}

// `count` params A, B, C ... with the values 1..values each.
inline SearchSpace grid(int count, int values, const std::string& constraints = "[]") {
  std::string list, params;
  for (int v = 1; v <= values; ++v) list += (v > 1 ? ", " : "") + std::to_string(v);
  for (int p = 0; p < count; ++p)
    params += (p > 0 ? ", \"" : "\"") + std::string(1, static_cast<char>('A' + p)) + R"(": {"values": [)" + list +
              R"(], "default": 1})";
  return space_of("{" + params + "}", constraints);
}

inline SearchSpace medium() {
  return space_of(R"({"WARPS": {"values": [1, 2, 4, 8, 16], "default": 4}, "VEC": {"values": [1, 2, 4], "default": 2},
                      "U": {"values": [1, 2, 3, 4, 5, 6, 7], "default": 1}, "S": {"values": [0, 1], "default": 0}})",
                  R"([{"expr": "WARPS * U <= 40", "why": "w"}])");
}

inline SearchSpace single() { return grid(3, 4, R"([{"expr": "A == 2 && B == 1 && C == 3", "why": "w"}])"); }

// Returns a time in us that depends only on the values: a bowl around 3/4 of each range, steeper in the first params,
// with a valley that couples neighbours, as tile sizes have.
inline double smooth_time_us(const SearchSpace& space, ConfigIndex index) {
  const Config config = space.config(index);
  double log_time = 0, before = 0;
  for (std::size_t p = 0; p < config.size(); ++p) {
    const auto most = static_cast<double>(space.values()[p].back());
    const double off = static_cast<double>(config[p]) / most - 0.75;
    log_time += 2 * off * off / static_cast<double>(p + 1) + 0.5 * (off + before) * (off + before);
    before = off;
  }
  return 10 * std::exp(log_time);
}

// All proposals of the strategy, each batch observed before the next is requested, until it ends or has proposed
// `most`.
inline std::vector<ConfigIndex> propose_all(Strategy& strategy, const SearchSpace& space, std::size_t batch,
                                            const std::function<Observation(ConfigIndex)>& observe,
                                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  std::vector<ConfigIndex> all;
  std::set<ConfigIndex> seen;
  while (static_cast<std::int64_t>(all.size()) < std::min(most, space.size() + 1)) {
    const std::size_t asked = std::min(batch, static_cast<std::size_t>(most) - all.size());
    const std::vector<ConfigIndex> proposed = strategy.propose(asked);
    if (proposed.empty()) return all;
    EXPECT_LE(proposed.size(), asked);
    const double gain = strategy.expected_improvement().value_or(0);
    EXPECT_TRUE(gain >= 0 && gain <= 1) << gain;
    for (const ConfigIndex index : proposed) {
      EXPECT_TRUE(index >= 0 && index < space.size()) << index;
      EXPECT_TRUE(seen.insert(index).second) << index << " was proposed twice";
      all.push_back(index);
    }
    for (const ConfigIndex index : proposed) strategy.observe(observe(index));
  }
  EXPECT_LE(static_cast<std::int64_t>(all.size()), space.size()) << "the strategy does not end";
  return all;
}

} // namespace warptune::testing
