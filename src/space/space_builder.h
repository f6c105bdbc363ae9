// SpaceBuilder: builds the tree of a SearchSpace from a SpaceModel. Private to space*.cpp.
#pragma once

#include "space/space.h"
#include "space/space_model.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warptune {

// Returns the param of each level, normally in the model's order. The model may interleave groups of params that share
// no rule. If the tree would then become large, each group's params are moved together, to the position of the group's
// first param.
std::vector<std::size_t> choose_order(const SpaceModel& model);

// Walks depth-first over the params. Three techniques limit time and memory. First, for each rule, the admitted values
// of a param are cached as a row of bits. The cache key is the values of the other params that the rule reads. Second,
// the group after a prefix (space.h) is cached. The cache key is the values of those params in the prefix that later
// rules read. Third, equal groups are stored only once.
class SpaceBuilder {
 public:
  explicit SpaceBuilder(const SpaceModel& model); // `model` must outlive the builder

  // Whether all rules that read no param are met. Error: such a rule cannot be evaluated.
  Result<bool> check_fixed();
  void run();
  const std::string& refusal() const { return refusal_; } // why the build stopped early, or empty
  SearchSpace finish();

 private:
  struct Rejected {
    std::int64_t count = 0;
    std::string error; // the first error
  };
  // Strides of a cache key: pairs of a level and its stride. The key is the sum of (position of the level's value) *
  // stride.
  using Strides = std::vector<std::pair<std::size_t, std::uint64_t>>;
  struct Memo {
    bool useful = false;
    bool follows = true; // whether the groups depend on the previous level's param
    Strides strides;
    std::vector<std::int32_t> dense;
    std::unordered_map<std::uint64_t, std::int32_t> sparse;
  };
  enum class RowState : std::uint8_t { unknown, clean, some_failed };
  struct Check {
    const SpaceModel::Rule* rule = nullptr;
    IntegerProgram quick;
    Strides strides;
    std::vector<RowState> states;    // states by key; empty: this rule is not cached
    std::vector<std::uint64_t> bits; // rows by key; each has Level::words words
  };
  struct Level {
    std::size_t words = 0; // size of a row of bits, with one bit per value
    std::vector<std::uint64_t> all, alive, scratch;
    std::vector<Check> checks;
    std::vector<std::int32_t> table; // hash table of groups by their entries, with open addressing
    Memo memo;
  };

  void plan_checks();
  void plan_memos();
  std::uint64_t make_strides(const std::vector<bool>& read, std::size_t level, Strides& strides) const;
  const std::vector<std::int64_t>& values(std::size_t level) const { return model_.values[space_.order_[level]]; }
  std::int64_t& slot(std::size_t level) { return slots_[model_.fixed.size() + space_.order_[level]]; }
  std::uint64_t key(const Strides& strides) const;

  void filter(std::size_t level, Check& check);
  bool ask_row(std::size_t level, Check& check, std::uint64_t* row);
  void apply(std::size_t level, const Check& check, const std::uint64_t* row, bool some_failed);
  std::int32_t group(std::size_t level);
  std::int32_t build_group(std::size_t level);
  std::int32_t intern(std::size_t level, SearchSpace::Group group);
  std::uint64_t hash(std::size_t level, const SearchSpace::Group& group) const;
  void refuse(const std::string& why);
  void spend(std::int64_t operations) {
    constexpr std::int64_t kMaxWork = 200'000'000; // one or two seconds; the largest known space needs 1.3e6 operations
    work_ += operations;
    if (work_ > kMaxWork) refuse("its constraints need more than 2e8 operations");
  }

  const SpaceModel& model_;
  SearchSpace space_;
  std::vector<std::int64_t> slots_;   // the values that rules read
  std::vector<std::size_t> index_;    // for each level, the position of its current value
  std::vector<std::size_t> level_of_; // for each param, its level
  std::vector<Level> levels_;
  std::vector<Rejected> rejected_; // one per constraint
  std::int64_t work_ = 0, entries_ = 0;
  std::string refusal_;
};

} // namespace warptune
