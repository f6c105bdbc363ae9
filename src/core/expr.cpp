#include "core/expr.h"

#include "core/dtype.h"
#include "core/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>

namespace warptune {
namespace {

constexpr const char* kOverflow = "overflow of 64-bit integers";
constexpr const char* kZero = "division by zero";

const char* ceil_div(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return kZero;
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return kOverflow;
  result = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  return nullptr;
}

} // namespace

void Scope::add(Name name) {
  assert(!contains(name.name));
  index_.emplace(name.name, names_.size());
  names_.push_back(std::move(name));
}

int Scope::add_slot(std::string name) {
  add({Name::Kind::slot, std::move(name), slots_, nullptr});
  return slots_++;
}

void Scope::add_hidden_slot() { ++slots_; }

void Scope::add_constant(std::string name, std::int64_t value) {
  add({Name::Kind::constant, std::move(name), value, nullptr});
}

void Scope::add_string(std::string text, std::int64_t value) { strings_.emplace_back(std::move(text), value); }

void Scope::add_derived(std::string name, std::shared_ptr<const Expr> expr) {
  add({Name::Kind::derived, std::move(name), 0, std::move(expr)});
}

const Scope::Name* Scope::find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &names_[it->second];
}

int Scope::find_slot(std::string_view name) const {
  const Name* found = find(name);
  return found && found->kind == Name::Kind::slot ? static_cast<int>(found->value) : -1;
}

bool Scope::contains(std::string_view name) const { return find(name) != nullptr; }

int Scope::slot_count() const { return slots_; }

const std::int64_t* Scope::find_string(std::string_view text) const {
  for (const auto& [known, value] : strings_)
    if (known == text) return &value;
  return nullptr;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> all;
  for (const Name& name : names_) all.push_back(name.name);
  return all;
}

std::vector<std::string> Scope::strings() const {
  std::vector<std::string> all;
  for (const auto& entry : strings_) all.push_back(entry.first);
  return all;
}

std::string Scope::nearest(std::string_view name) const { return nearest_name(name, names()); }

Expr::Expr(std::int64_t value) : text_(std::to_string(value)), ops_{{Code::constant, 1, value}} {}

Expr Expr::constant(std::int64_t value) { return Expr(value); }

const char* Expr::apply(Code code, std::int64_t a, std::int64_t b, std::int64_t& result) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  switch (code) {
  case Code::negate:
    if (a == kMin) return kOverflow;
    result = -a;
    return nullptr;
  case Code::logical_not:
    result = a == 0;
    return nullptr;
  case Code::boolean:
    result = a != 0;
    return nullptr;
  case Code::is_pow2:
    result = a > 0 && std::has_single_bit(static_cast<std::uint64_t>(a));
    return nullptr;
  case Code::log2:
    if (a <= 0) return "log2 of a number below 1";
    result = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(a))) - 1;
    return nullptr;
  case Code::abs:
    if (a == kMin) return kOverflow;
    result = a < 0 ? -a : a;
    return nullptr;
  case Code::bytes:
    if (a < 0 || a >= kDTypeCount) return "the argument of bytes() is not a dtype";
    result = dtype_bytes(static_cast<DType>(a));
    return nullptr;
  case Code::add:
    return __builtin_add_overflow(a, b, &result) ? kOverflow : nullptr;
  case Code::sub:
    return __builtin_sub_overflow(a, b, &result) ? kOverflow : nullptr;
  case Code::mul:
    return __builtin_mul_overflow(a, b, &result) ? kOverflow : nullptr;
  case Code::div:
    if (b == 0) return kZero;
    if (a == kMin && b == -1) return kOverflow;
    result = a / b;
    return nullptr;
  case Code::mod:
    if (b == 0) return kZero;
    result = b == -1 ? 0 : a % b; // the processor traps on INT64_MIN % -1
    return nullptr;
  case Code::eq:
    result = a == b;
    return nullptr;
  case Code::ne:
    result = a != b;
    return nullptr;
  case Code::lt:
    result = a < b;
    return nullptr;
  case Code::le:
    result = a <= b;
    return nullptr;
  case Code::gt:
    result = a > b;
    return nullptr;
  case Code::ge:
    result = a >= b;
    return nullptr;
  case Code::min:
    result = std::min(a, b);
    return nullptr;
  case Code::max:
    result = std::max(a, b);
    return nullptr;
  case Code::ceil_div:
    return ceil_div(a, b, result);
  case Code::round_up: {
    std::int64_t multiples = 0;
    if (const char* wrong = ceil_div(a, b, multiples)) return wrong;
    return __builtin_mul_overflow(multiples, b, &result) ? kOverflow : nullptr;
  }
  case Code::constant:
  case Code::slot:
  case Code::derived:
  case Code::jump:
  case Code::jump_if_zero:
  case Code::and_jump:
  case Code::or_jump:
    break;
  }
  return "an unknown operation";
}

bool Expr::run(const std::int64_t* slots, std::int64_t& result, Fault& fault) const {
  std::array<std::int64_t, kMaxStack> stack;
  std::int64_t* top = stack.data(); // one past the last value
  const Op* const begin = ops_.data();
  const Op* const end = begin + ops_.size();
  for (const Op* op = begin; op != end; ++op) {
    switch (op->code) {
    case Code::constant:
      *top++ = op->value;
      continue;
    case Code::slot:
      *top++ = slots[op->value];
      continue;
    case Code::derived:
      if (!derived_[static_cast<std::size_t>(op->value)]->run(slots, *top, fault)) return false;
      ++top;
      continue;
    case Code::jump:
      op = begin + op->value - 1;
      continue;
    case Code::jump_if_zero:
      if (*--top == 0) op = begin + op->value - 1;
      continue;
    case Code::and_jump:
      if (top[-1] == 0)
        op = begin + op->value - 1;
      else
        --top;
      continue;
    case Code::or_jump:
      if (top[-1] != 0) {
        top[-1] = 1;
        op = begin + op->value - 1;
      } else {
        --top;
      }
      continue;
    default:
      break;
    }
    const bool two = op->code >= Code::add;
    const std::int64_t b = top[-1];
    if (two) --top;
    if (const char* wrong = apply(op->code, top[-1], b, top[-1])) {
      fault = {wrong, op->column, this};
      return false;
    }
  }
  result = stack[0];
  return true;
}

bool Expr::try_evaluate(std::span<const std::int64_t> slots, std::int64_t& value) const {
  Fault fault;
  return run(slots.data(), value, fault);
}

Result<std::int64_t> Expr::evaluate(std::span<const std::int64_t> slots) const {
  if (!slots_.empty() && static_cast<std::size_t>(slots_.back()) >= slots.size())
    return fail(ErrorKind::internal, "the formula " + quote(text_) + " was given too few values");
  std::int64_t result = 0;
  Fault fault;
  if (run(slots.data(), result, fault)) return result;
  const bool depends_on_sizes = std::string_view(fault.what) == kOverflow && !slots_.empty();
  return fail(ErrorKind::bad_input, std::string(fault.what) + " at column " + std::to_string(fault.column) + " of " +
                                        quote(fault.where->text_) + (depends_on_sizes ? "; use smaller sizes" : ""));
}

Expr Expr::part(std::size_t begin, std::size_t end) const {
  Expr part;
  part.text_ = text_;
  part.height_ = height_;
  part.ops_.assign(ops_.begin() + static_cast<std::ptrdiff_t>(begin), ops_.begin() + static_cast<std::ptrdiff_t>(end));
  part.weight_ = static_cast<std::int64_t>(part.ops_.size());
  for (Op& op : part.ops_) {
    if (op.code == Code::slot) part.slots_.push_back(static_cast<int>(op.value));
    if (op.code >= Code::jump && op.code <= Code::or_jump) op.value -= static_cast<std::int64_t>(begin);
    if (op.code != Code::derived) continue;
    part.derived_.push_back(derived_[static_cast<std::size_t>(op.value)]);
    op.value = static_cast<std::int64_t>(part.derived_.size()) - 1;
    const Expr& derived = *part.derived_.back();
    part.weight_ += derived.weight_;
    part.slots_.insert(part.slots_.end(), derived.slots_.begin(), derived.slots_.end());
  }
  std::sort(part.slots_.begin(), part.slots_.end());
  part.slots_.erase(std::unique(part.slots_.begin(), part.slots_.end()), part.slots_.end());
  return part;
}

Expr Expr::only_where(int slot, std::int64_t value) const {
  // The same operations as for `slot != value || this`.
  constexpr std::int64_t kBefore = 4;
  Expr guarded = *this;
  for (Op& op : guarded.ops_)
    if (op.code >= Code::jump && op.code <= Code::or_jump) op.value += kBefore;
  const auto end = static_cast<std::int64_t>(ops_.size()) + kBefore + 1;
  const Op before[] = {{Code::slot, 0, slot}, {Code::constant, 0, value}, {Code::ne, 0, 0}, {Code::or_jump, 0, end}};
  guarded.ops_.insert(guarded.ops_.begin(), std::begin(before), std::end(before));
  guarded.ops_.push_back({Code::boolean, 0, 0});
  guarded.weight_ += kBefore + 1;
  const auto at = std::lower_bound(guarded.slots_.begin(), guarded.slots_.end(), slot);
  if (at == guarded.slots_.end() || *at != slot) guarded.slots_.insert(at, slot);
  return guarded;
}

std::vector<Expr> Expr::conjuncts() const {
  if (ops_.size() == 1 && ops_[0].code == Code::derived) return derived_[0]->conjuncts();
  // `A && B` is A, a jump to the end, B, boolean. If A has a jump to a place after that jump, it belongs to an
  // enclosing `?:`.
  const auto end = static_cast<std::int64_t>(ops_.size());
  constexpr std::int64_t kMaxSplit = 4096; // each split copies the rest
  if (end > kMaxSplit) return {*this};
  std::int64_t furthest = 0;
  for (std::int64_t at = 0; at < end && ops_.back().code == Code::boolean; ++at) {
    const Op& op = ops_[static_cast<std::size_t>(at)];
    if (op.code == Code::and_jump && op.value == end && furthest <= at) {
      std::vector<Expr> parts = part(0, static_cast<std::size_t>(at)).conjuncts();
      for (Expr& right : part(static_cast<std::size_t>(at) + 1, ops_.size() - 1).conjuncts())
        parts.push_back(std::move(right));
      return parts;
    }
    if (op.code >= Code::jump && op.code <= Code::or_jump) furthest = std::max(furthest, op.value);
  }
  return {*this};
}

} // namespace warptune
