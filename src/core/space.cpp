#include "core/space.h"

#include "core/text.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <unordered_map>
#include <utility>

namespace warptune {
namespace {

constexpr std::int64_t kMaxEntries = std::int64_t{1} << 26; // 1 GiB of tree
constexpr std::int64_t kMaxWork = 5'000'000'000;            // about half a minute
constexpr std::int32_t kNone = -1;                          // a group without configurations
constexpr std::int32_t kUnknown = -2;
constexpr std::uint64_t kDenseKeys = std::uint64_t{1} << 20;

} // namespace

// Depth-first over the params. The group of a prefix depends only on those of its values that later constraints read,
// so a group is remembered under them (its key) and found again instead of built twice.
class SpaceBuilder {
 public:
  SpaceBuilder(const KernelSpec& spec, std::vector<std::int64_t> slots) : spec_(spec), slots_(std::move(slots)) {
    for (const Param& param : spec.params) {
      space_.values_.push_back(param.values);
      space_.coordinates_.emplace_back(param.values.begin(), param.values.end());
    }
    space_.levels_.resize(spec.params.size());
    plan_levels();
    plan_memos();
  }

  // The leading constraints, which use no param. Nothing when they cannot be evaluated, else whether they hold.
  Result<bool> check_fixed() {
    bool all = true;
    for (const std::size_t c : fixed_) {
      const Result<std::int64_t> value = spec_.constraints[c].expr.evaluate(slots_);
      if (!value) return tl::make_unexpected(value.error());
      if (*value == 0) {
        ++rejected_[c].count;
        all = false;
      }
    }
    return all;
  }

  void run() {
    if (space_.levels_.empty())
      space_.size_ = 1;
    else if (const std::int32_t root = group(0); root != kNone && refusal_.empty())
      space_.size_ = root_leaves();
  }

  const std::string& refusal() const { return refusal_; }

  SearchSpace finish() {
    for (std::size_t c = 0; c < spec_.constraints.size(); ++c) {
      const Rejected& r = rejected_[c];
      std::string why = spec_.constraints[c].why;
      if (!r.error.empty()) why += " (" + r.error + ")";
      if (r.count > 0) space_.rejections_.push_back({spec_.constraints[c].expr.text(), why, r.count});
    }
    std::stable_sort(space_.rejections_.begin(), space_.rejections_.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return std::move(space_);
  }

 private:
  struct Rejected {
    std::int64_t count = 0;
    std::string error; // the first one
  };
  struct Memo {
    bool useful = false;
    std::vector<std::pair<std::size_t, std::uint64_t>> strides; // param and what one step of it adds to the key
    std::vector<std::int32_t> dense;
    std::unordered_map<std::uint64_t, std::int32_t> sparse;
  };

  std::int64_t root_leaves() const { return space_.levels_[0].groups[0].leaves; }

  // Each constraint is evaluated at the level of the last param that it reads.
  void plan_levels() {
    rejected_.resize(spec_.constraints.size());
    by_level_.resize(spec_.params.size());
    cost_.assign(spec_.params.size(), 1);
    for (std::size_t c = 0; c < spec_.constraints.size(); ++c) {
      const std::vector<int>& slots = spec_.constraints[c].expr.slots();
      const int last = slots.empty() ? -1 : slots.back() - spec_.first_param_slot;
      if (last < 0) {
        fixed_.push_back(c);
        continue;
      }
      by_level_[static_cast<std::size_t>(last)].push_back(c);
      cost_[static_cast<std::size_t>(last)] += spec_.constraints[c].expr.operations();
    }
  }

  void plan_memos() {
    memos_.resize(spec_.params.size());
    index_.resize(spec_.params.size());
    std::vector<bool> read(spec_.params.size());
    for (std::size_t level = spec_.params.size(); level-- > 1;) {
      for (const std::size_t c : by_level_[level])
        for (const int slot : spec_.constraints[c].expr.slots())
          if (slot >= spec_.first_param_slot) read[static_cast<std::size_t>(slot - spec_.first_param_slot)] = true;
      Memo& memo = memos_[level];
      std::uint64_t keys = 1;
      bool fits = true;
      for (std::size_t p = 0; p < level; ++p) {
        if (!read[p]) continue;
        memo.strides.emplace_back(p, keys);
        fits = fits && !__builtin_mul_overflow(keys, spec_.params[p].values.size(), &keys);
      }
      memo.useful = fits && memo.strides.size() < level;
      if (memo.useful && keys <= kDenseKeys) memo.dense.assign(keys, kUnknown);
    }
  }

  bool valid(std::size_t level) {
    for (const std::size_t c : by_level_[level]) {
      std::int64_t value = 0;
      const Expr& expr = spec_.constraints[c].expr;
      const bool evaluated = expr.try_evaluate(slots_, value);
      if (evaluated && value != 0) continue;
      ++rejected_[c].count;
      if (!evaluated && rejected_[c].error.empty()) rejected_[c].error = expr.evaluate(slots_).error().message;
      return false;
    }
    return true;
  }

  std::int32_t group(std::size_t level) {
    Memo& memo = memos_[level];
    if (!memo.useful) return build_group(level);
    std::uint64_t key = 0;
    for (const auto& [param, stride] : memo.strides) key += index_[param] * stride;
    if (!memo.dense.empty()) {
      if (memo.dense[key] == kUnknown) memo.dense[key] = build_group(level);
      return memo.dense[key];
    }
    if (const auto found = memo.sparse.find(key); found != memo.sparse.end()) return found->second;
    const std::int32_t built = build_group(level);
    memo.sparse.emplace(key, built);
    return built;
  }

  std::int32_t build_group(std::size_t level) {
    const std::vector<std::int64_t>& values = space_.values_[level];
    const bool last = level + 1 == space_.levels_.size();
    std::vector<SearchSpace::Entry>& entries = space_.levels_[level].entries;
    std::int64_t& slot = slots_[static_cast<std::size_t>(spec_.first_param_slot) + level];
    SearchSpace::Group group{static_cast<std::int64_t>(entries.size()), 0, 0};
    for (std::size_t v = 0; v < values.size() && refusal_.empty(); ++v) {
      slot = values[v];
      index_[level] = v;
      work_ += cost_[level];
      if (work_ > kMaxWork) refuse("its constraints take more than 5e9 operations");
      if (!valid(level)) continue;
      const std::int32_t child = last ? kNone : this->group(level + 1);
      if (!last && child == kNone) continue;
      entries.push_back({static_cast<std::int32_t>(v), child, group.leaves});
      if (++entries_ > kMaxEntries) refuse("its tree has more than 6.7e7 nodes");
      const std::int64_t leaves = last ? 1 : space_.levels_[level + 1].groups[static_cast<std::size_t>(child)].leaves;
      if (__builtin_add_overflow(group.leaves, leaves, &group.leaves)) refuse("it has more than 9e18 configurations");
    }
    group.size = static_cast<std::int32_t>(static_cast<std::int64_t>(entries.size()) - group.begin);
    if (group.size == 0) return kNone;
    space_.levels_[level].groups.push_back(group);
    return static_cast<std::int32_t>(space_.levels_[level].groups.size() - 1);
  }

  void refuse(const std::string& why) {
    if (refusal_.empty()) refusal_ = why;
  }

  const KernelSpec& spec_;
  std::vector<std::int64_t> slots_;
  std::vector<std::size_t> fixed_;                 // constraints without params
  std::vector<std::vector<std::size_t>> by_level_; // constraints by the level that decides them
  std::vector<std::int64_t> cost_;                 // operations of trying one value, by level
  std::vector<Rejected> rejected_;                 // by constraint
  std::vector<Memo> memos_;                        // by level
  std::vector<std::size_t> index_;                 // of the current value, by param
  std::int64_t work_ = 0, entries_ = 0;
  std::string refusal_;
  SearchSpace space_;
};

Result<SearchSpace> SearchSpace::build(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  const std::string what = "the space of " + spec.name + " for " + problem_key(spec, problem) + " on " +
                           (device.name.empty() ? "this device" : device.name);
  SpaceBuilder builder(spec, make_slots(spec, problem, device.limits));
  const Result<bool> fixed = builder.check_fixed();
  if (!fixed) return fail(ErrorKind::bad_input, what + ": a constraint cannot be evaluated: " + fixed.error().message);
  if (*fixed) builder.run();
  if (!builder.refusal().empty())
    return fail(ErrorKind::bad_input, what + " is too large: " + builder.refusal() +
                                          "; list fewer values, or order the params so that constraints decide early");
  SearchSpace space = builder.finish();
  if (space.size_ > 0) return space;
  std::string message = what + " is empty: its constraints leave none of the configurations.";
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < space.rejections_.size() && i < kNamed; ++i) {
    const Rejection& r = space.rejections_[i];
    message += (i ? "; " : " Removed most: ") + quote(r.expr) + " (" + r.why + "): " + std::to_string(r.count);
  }
  return fail(ErrorKind::no_candidate, message + ". Relax a constraint, add values, or choose another shape.");
}

} // namespace warptune
