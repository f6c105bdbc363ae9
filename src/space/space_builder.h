// SpaceBuilder: from a SpaceModel to the tree of a SearchSpace; private to space*.cpp. Knows neither specs nor
// formulas.
#pragma once

#include "space/space.h"
#include "space/space_model.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warptune {

// The params in the order of the levels: the model's, unless groups that no rule ties together take turns in it so that
// the tree would be large; then each group stands where its first param does.
std::vector<std::size_t> choose_order(const SpaceModel& model);

// Depth-first over the params. Three things keep it small: the values of a param that a rule admits are a row of bits,
// remembered under the other params that the rule reads; the group of a prefix is remembered under those of its params
// that later rules read; and groups that came out equal are one.
class SpaceBuilder {
 public:
  explicit SpaceBuilder(const SpaceModel& model); // which must outlive it

  // Whether the rules that read no param hold; an error when a constraint that reads none cannot be evaluated.
  Result<bool> check_fixed();
  void run();
  const std::string& refusal() const { return refusal_; } // why it stopped, or empty
  SearchSpace finish();

 private:
  struct Rejected {
    std::int64_t count = 0;
    std::string error; // the first one
  };
  // What one step of a level's position adds to the key.
  using Strides = std::vector<std::pair<std::size_t, std::uint64_t>>;
  struct Memo {
    bool useful = false;
    bool follows = true; // whether the groups differ by the param just before
    Strides strides;
    std::vector<std::int32_t> dense;
    std::unordered_map<std::uint64_t, std::int32_t> sparse;
  };
  enum class RowState : std::uint8_t { unknown, clean, some_failed };
  struct Check {
    const SpaceModel::Rule* rule = nullptr;
    IntegerProgram quick;
    Strides strides;
    std::vector<RowState> states;    // by key; empty: asked anew each time
    std::vector<std::uint64_t> bits; // by key, as many words as the level has
  };
  struct Level {
    std::size_t words = 0; // of a row of bits, one per value
    std::vector<std::uint64_t> all, alive, scratch;
    std::vector<Check> checks;
    std::vector<std::int32_t> table; // of groups, by the hash of their entries; open addressing
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
    constexpr std::int64_t kMaxWork = 200'000'000; // a second or two; the largest known space takes 1.3e6
    work_ += operations;
    if (work_ > kMaxWork) refuse("its constraints take more than 2e8 operations");
  }

  const SpaceModel& model_;
  SearchSpace space_;
  std::vector<std::int64_t> slots_;   // as rules see them
  std::vector<std::size_t> index_;    // of the current value, by level
  std::vector<std::size_t> level_of_; // a param
  std::vector<Level> levels_;
  std::vector<Rejected> rejected_; // by constraint
  std::int64_t work_ = 0, entries_ = 0;
  std::string refusal_;
};

} // namespace warptune
