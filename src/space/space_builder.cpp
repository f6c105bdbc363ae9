#include "space/space_builder.h"

#include "core/random.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace warptune {
namespace {

constexpr std::int64_t kMaxEntries = std::int64_t{1} << 26; // 1 GiB of tree
constexpr std::int32_t kNone = -1;                          // a group without configurations
constexpr std::int32_t kUnknown = -2;
constexpr std::uint64_t kDenseKeys = std::uint64_t{1} << 20;
constexpr std::uint64_t kRowWords = std::uint64_t{1} << 20; // 8 MiB of remembered rows for one rule
constexpr std::size_t kBits = 64;

} // namespace

SpaceBuilder::SpaceBuilder(const SpaceModel& model)
    : model_(model), slots_(model.fixed), index_(model.values.size()), levels_(model.values.size()),
      rejected_(model.constraints.size()) {
  space_.values_ = model.values;
  space_.combinations_ = model.combinations;
  space_.coordinates_ = model.coordinates;
  if (space_.coordinates_.empty())
    for (const auto& values : model.values) space_.coordinates_.emplace_back(values.begin(), values.end());
  space_.levels_.resize(model.values.size());
  slots_.resize(model.fixed.size() + model.values.size());
  space_.order_ = choose_order(model);
  level_of_.resize(model.values.size());
  for (std::size_t l = 0; l < space_.order_.size(); ++l) level_of_[space_.order_[l]] = l;
  plan_checks();
  plan_memos();
}

Result<bool> SpaceBuilder::check_fixed() {
  std::vector<bool> reads(model_.constraints.size());
  for (const SpaceModel::Rule& rule : model_.rules)
    if (!rule.params.empty()) reads[rule.constraint] = true;
  bool all = true;
  for (const SpaceModel::Rule& rule : model_.rules) {
    if (!rule.params.empty()) continue;
    const SpaceModel::Answer answer = rule.ask(slots_.data());
    if (answer == SpaceModel::Answer::met) continue;
    all = false;
    Rejected& rejected = rejected_[rule.constraint];
    ++rejected.count;
    if (answer != SpaceModel::Answer::failed) continue;
    rejected.error = rule.explain(slots_.data());
    if (!reads[rule.constraint]) return fail(ErrorKind::bad_input, rejected.error);
  }
  return all;
}

void SpaceBuilder::run() {
  if (levels_.empty())
    space_.size_ = 1;
  else if (const std::int32_t root = group(0); root != kNone && refusal_.empty())
    space_.size_ = space_.levels_[0].groups[0].leaves;
}

SearchSpace SpaceBuilder::finish() {
  for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
    const Rejected& r = rejected_[c];
    std::string why = model_.constraints[c].why;
    if (!r.error.empty()) why += (why.empty() ? "" : " (") + r.error + (why.empty() ? "" : ")");
    const SpaceModel::Constraint& constraint = model_.constraints[c];
    if (r.count > 0 && !constraint.text.empty())
      space_.rejections_.push_back({constraint.text, why, r.count, constraint.implementation, constraint.where});
  }
  std::stable_sort(space_.rejections_.begin(), space_.rejections_.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  for (auto& level : space_.levels_) {
    level.entries.shrink_to_fit();
    level.groups.shrink_to_fit();
  }
  return std::move(space_);
}

// Fills in the strides of the levels before `level` that are read. Returns the number of keys, or the largest integer
// if it does not fit in 64 bits.
std::uint64_t SpaceBuilder::make_strides(const std::vector<bool>& read, std::size_t level, Strides& strides) const {
  std::uint64_t keys = 1;
  for (std::size_t l = 0; l < level; ++l) {
    if (!read[l] || values(l).size() == 1) continue;
    strides.emplace_back(l, keys);
    if (__builtin_mul_overflow(keys, values(l).size(), &keys)) return std::numeric_limits<std::uint64_t>::max();
  }
  return keys;
}

// Each rule is checked at the level of the last param that it reads, cheap rules first.
void SpaceBuilder::plan_checks() {
  for (const SpaceModel::Rule& rule : model_.rules) {
    if (rule.params.empty()) continue;
    Check check;
    check.rule = &rule;
    check.quick = rule.quick;
    levels_[level_of_[static_cast<std::size_t>(rule.params.back())]].checks.push_back(std::move(check));
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    levels_[l].words = (values(l).size() + kBits - 1) / kBits;
    levels_[l].all.assign(levels_[l].words, ~std::uint64_t{0});
    if (const std::size_t rest = values(l).size() % kBits; rest != 0)
      levels_[l].all.back() = (std::uint64_t{1} << rest) - 1;
    std::stable_sort(levels_[l].checks.begin(), levels_[l].checks.end(),
                     [](const Check& a, const Check& b) { return a.rule->params.size() < b.rule->params.size(); });
  }
}

void SpaceBuilder::plan_memos() {
  const auto mark = [&](const SpaceModel::Rule& rule, std::vector<bool>& read) {
    for (const int param : rule.params) read[level_of_[static_cast<std::size_t>(param)]] = true;
  };
  std::vector<bool> read(levels_.size());
  for (std::size_t l = levels_.size(); l-- > 0;) {
    Level& level = levels_[l];
    for (const Check& check : level.checks) mark(*check.rule, read);
    Memo& memo = level.memo;
    const std::uint64_t keys = make_strides(read, l, memo.strides);
    std::size_t choices = 0; // earlier levels with more than one value
    for (std::size_t before = 0; before < l; ++before) choices += values(before).size() > 1;
    memo.useful = keys != std::numeric_limits<std::uint64_t>::max() && memo.strides.size() < choices;
    memo.follows = l > 0 && read[l - 1];
    if (memo.useful && keys <= kDenseKeys) memo.dense.assign(keys, kUnknown);
    for (Check& check : level.checks) {
      std::vector<bool> of_rule(levels_.size());
      mark(*check.rule, of_rule);
      const std::uint64_t rows = make_strides(of_rule, l, check.strides);
      // A rule that reads all that the group depends on never sees the same row twice.
      const bool repeats = check.strides.size() < memo.strides.size();
      if (!repeats || rows > kRowWords / std::max<std::size_t>(level.words, 1)) continue;
      check.states.assign(rows, RowState::unknown);
      check.bits.resize(rows * level.words);
    }
  }
}

std::uint64_t SpaceBuilder::key(const Strides& strides) const {
  std::uint64_t sum = 0;
  for (const auto& [level, stride] : strides) sum += index_[level] * stride;
  return sum;
}

// Clears the bits of the values that do not meet the rule. Returns whether it could not be evaluated for some of them.
bool SpaceBuilder::ask_row(std::size_t l, Check& check, std::uint64_t* row) {
  const std::vector<std::int64_t>& all = values(l);
  std::int64_t& current = slot(l);
  bool some_failed = false;
  const bool quick = check.quick.usable() && check.quick.begin_row(slots_.data());
  const std::int64_t cost = quick ? check.quick.operations() : check.rule->operations;
  for (std::size_t w = 0; w < levels_[l].words; ++w) {
    for (std::uint64_t left = row[w]; left != 0 && refusal_.empty(); left &= left - 1) {
      spend(cost);
      current = all[w * kBits + static_cast<std::size_t>(std::countr_zero(left))];
      const auto truth = quick ? check.quick.test(slots_.data()) : IntegerProgram::Truth::unknown;
      if (truth == IntegerProgram::Truth::yes) continue;
      const auto answer =
          truth == IntegerProgram::Truth::no ? SpaceModel::Answer::unmet : check.rule->ask(slots_.data());
      if (answer == SpaceModel::Answer::met) continue;
      row[w] &= ~(left & -left);
      some_failed |= answer == SpaceModel::Answer::failed;
    }
  }
  return some_failed;
}

// Removes the values that the row does not admit from `alive`.
void SpaceBuilder::apply(std::size_t l, const Check& check, const std::uint64_t* row, bool some_failed) {
  Level& level = levels_[l];
  Rejected& rejected = rejected_[check.rule->constraint];
  for (std::size_t w = 0; w < level.words; ++w) {
    std::uint64_t gone = level.alive[w] & ~row[w];
    if (gone == 0) continue;
    rejected.count += std::popcount(gone);
    level.alive[w] &= row[w];
    for (; some_failed && rejected.error.empty() && gone != 0; gone &= gone - 1) {
      const std::size_t v = w * kBits + static_cast<std::size_t>(std::countr_zero(gone));
      slot(l) = values(l)[v];
      if (check.rule->ask(slots_.data()) == SpaceModel::Answer::failed)
        rejected.error = check.rule->explain(slots_.data());
    }
  }
}

void SpaceBuilder::filter(std::size_t l, Check& check) {
  Level& level = levels_[l];
  if (check.states.empty()) {
    level.scratch = level.alive;
    const bool some_failed = ask_row(l, check, level.scratch.data());
    return apply(l, check, level.scratch.data(), some_failed);
  }
  const std::uint64_t k = key(check.strides);
  std::uint64_t* const row = check.bits.data() + k * level.words;
  if (check.states[k] == RowState::unknown) {
    std::copy(level.all.begin(), level.all.end(), row);
    check.states[k] = ask_row(l, check, row) ? RowState::some_failed : RowState::clean;
  }
  apply(l, check, row, check.states[k] == RowState::some_failed);
}

std::int32_t SpaceBuilder::group(std::size_t l) {
  Memo& memo = levels_[l].memo;
  if (!memo.useful) return build_group(l);
  const std::uint64_t k = key(memo.strides);
  if (!memo.dense.empty()) {
    if (memo.dense[k] == kUnknown) memo.dense[k] = build_group(l);
    return memo.dense[k];
  }
  if (const auto found = memo.sparse.find(k); found != memo.sparse.end()) return found->second;
  if (++entries_ > kMaxEntries) refuse("the tree of its configurations has more than 6.7e7 nodes");
  const std::int32_t built = build_group(l);
  memo.sparse.emplace(k, built);
  return built;
}

std::int32_t SpaceBuilder::build_group(std::size_t l) {
  if (!refusal_.empty()) return kNone;
  Level& level = levels_[l];
  level.alive = level.all;
  spend(static_cast<std::int64_t>(level.words + level.checks.size()));
  for (Check& check : level.checks) filter(l, check);
  const bool last = l + 1 == levels_.size();
  const bool same_child = !last && !levels_[l + 1].memo.follows;
  std::int32_t child = kUnknown;
  std::vector<SearchSpace::Entry>& entries = space_.levels_[l].entries;
  SearchSpace::Group group{static_cast<std::int64_t>(entries.size()), 0, 0};
  for (std::size_t w = 0; w < level.words; ++w) {
    for (std::uint64_t left = level.alive[w]; left != 0; left &= left - 1) {
      const std::size_t v = w * kBits + static_cast<std::size_t>(std::countr_zero(left));
      slot(l) = values(l)[v];
      index_[l] = v;
      if (last)
        child = kNone;
      else if (!same_child || child == kUnknown)
        child = this->group(l + 1);
      if (!last && child == kNone) continue;
      const std::int64_t leaves = last ? 1 : space_.levels_[l + 1].groups[static_cast<std::size_t>(child)].leaves;
      entries.push_back({static_cast<std::int32_t>(v), child, group.leaves});
      if (__builtin_add_overflow(group.leaves, leaves, &group.leaves)) refuse("it has more than 9e18 configurations");
    }
  }
  spend(static_cast<std::int64_t>(entries.size()) - group.begin);
  group.size = static_cast<std::int32_t>(static_cast<std::int64_t>(entries.size()) - group.begin);
  return group.size == 0 || !refusal_.empty() ? kNone : intern(l, group);
}

std::uint64_t SpaceBuilder::hash(std::size_t l, const SearchSpace::Group& group) const {
  const SearchSpace::Entry* const entries = space_.levels_[l].entries.data() + group.begin;
  std::uint64_t h = static_cast<std::uint64_t>(group.size);
  for (std::int32_t i = 0; i < group.size; ++i)
    h = mix(h ^ (static_cast<std::uint64_t>(entries[i].value) << 32 | static_cast<std::uint32_t>(entries[i].child)));
  return h;
}

// Returns the group whose entries are the last of the level, or an earlier equal group.
std::int32_t SpaceBuilder::intern(std::size_t l, SearchSpace::Group group) {
  auto& [entries, groups] = space_.levels_[l];
  std::vector<std::int32_t>& table = levels_[l].table;
  if (table.size() < 2 * (groups.size() + 1)) {
    table.assign(std::max<std::size_t>(kBits, 2 * table.size()), kNone);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::size_t at = hash(l, groups[g]) & (table.size() - 1);
      while (table[at] != kNone) at = (at + 1) & (table.size() - 1);
      table[at] = static_cast<std::int32_t>(g);
    }
  }
  std::size_t at = hash(l, group) & (table.size() - 1);
  const auto begin = entries.begin() + group.begin;
  for (; table[at] != kNone; at = (at + 1) & (table.size() - 1)) {
    const SearchSpace::Group& other = groups[static_cast<std::size_t>(table[at])];
    if (other.size != group.size || other.leaves != group.leaves) continue;
    const bool same = std::equal(begin, entries.end(), entries.begin() + other.begin,
                                 [](const auto& a, const auto& b) { return a.value == b.value && a.child == b.child; });
    if (!same) continue;
    entries.resize(static_cast<std::size_t>(group.begin));
    return table[at];
  }
  entries_ += group.size;
  if (entries_ > kMaxEntries) refuse("the tree of its configurations has more than 6.7e7 nodes");
  groups.push_back(group);
  return table[at] = static_cast<std::int32_t>(groups.size() - 1);
}

void SpaceBuilder::refuse(const std::string& why) {
  if (refusal_.empty()) refusal_ = why;
}

} // namespace warptune
