#include "core/integer_program.h"

#include <algorithm>
#include <limits>

namespace warptune {
namespace {

using Op = IntegerProgram::Op;
constexpr std::size_t kMaxRegisters = 256; // the search for equal operations is linear

// Returns false on a fault.
inline bool divide(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
  const std::int64_t quotient = a / b, rest = a % b;
  const bool inexact = rest != 0;
  const bool opposed = (a < 0) != (b < 0);
  switch (op) {
  case Op::div:
    result = quotient;
    return true;
  case Op::mod:
    result = rest;
    return true;
  case Op::floor_div:
    result = quotient - (inexact && opposed ? 1 : 0);
    return true;
  case Op::floor_mod:
    result = inexact && opposed ? rest + b : rest;
    return true;
  default:
    result = quotient + (inexact && !opposed ? 1 : 0); // ceil_div
    return true;
  }
}

inline bool compute(Op op, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t& result) {
  switch (op) {
  case Op::load:
    return false;
  case Op::add:
    return !__builtin_add_overflow(a, b, &result);
  case Op::sub:
    return !__builtin_sub_overflow(a, b, &result);
  case Op::mul:
    return !__builtin_mul_overflow(a, b, &result);
  case Op::div:
  case Op::mod:
  case Op::floor_div:
  case Op::floor_mod:
  case Op::ceil_div:
    return divide(op, a, b, result);
  case Op::min:
    result = std::min(a, b);
    return true;
  case Op::max:
    result = std::max(a, b);
    return true;
  case Op::eq:
    result = a == b;
    return true;
  case Op::ne:
    result = a != b;
    return true;
  case Op::lt:
    result = a < b;
    return true;
  case Op::le:
    result = a <= b;
    return true;
  case Op::gt:
    result = a > b;
    return true;
  case Op::ge:
    result = a >= b;
    return true;
  case Op::both:
    result = a != 0 ? b : a;
    return true;
  case Op::either:
    result = a != 0 ? a : b;
    return true;
  case Op::choose:
    result = a != 0 ? b : c;
    return true;
  }
  return false;
}

} // namespace

IntegerProgram::Register IntegerProgram::constant(std::int64_t value) {
  for (std::size_t r = 0; r < registers_.size(); ++r)
    if (constant_[r] && registers_[r] == value) return static_cast<Register>(r);
  if (registers_.size() >= kMaxRegisters) return -1;
  registers_.push_back(value);
  constant_.push_back(true);
  return static_cast<Register>(registers_.size() - 1);
}

const std::int64_t* IntegerProgram::find_constant(Register a) const {
  return a >= 0 && constant_[static_cast<std::size_t>(a)] ? &registers_[static_cast<std::size_t>(a)] : nullptr;
}

IntegerProgram::Register IntegerProgram::slot(int slot) { return apply(Op::load, slot, 0); }

IntegerProgram::Register IntegerProgram::apply(Op op, Register a, Register b, Register c) {
  if (a < 0 || b < 0 || c < 0 || registers_.size() >= kMaxRegisters) return -1;
  const auto value = [&](Register r) { return registers_[static_cast<std::size_t>(r)]; };
  const auto known = [&](Register r) { return constant_[static_cast<std::size_t>(r)]; };
  if (op != Op::load && known(a) && known(b) && known(c)) {
    std::int64_t result = 0;
    if (compute(op, value(a), value(b), value(c), result)) return constant(result);
  }
  for (const Instruction& i : code_)
    if (i.op == op && i.a == a && i.b == b && i.c == c) return i.to;
  registers_.push_back(0);
  constant_.push_back(false);
  code_.push_back({op, a, b, c, static_cast<Register>(registers_.size() - 1)});
  return code_.back().to;
}

void IntegerProgram::finish(Register result, int row_slot) {
  result_ = result;
  std::vector<bool> varies(registers_.size());
  for (const Instruction& i : code_) {
    const auto reads = [&](Register r) { return varies[static_cast<std::size_t>(r)]; };
    varies[static_cast<std::size_t>(i.to)] =
        i.op == Op::load ? i.a == row_slot : reads(i.a) || reads(i.b) || reads(i.c);
  }
  const auto first = std::stable_partition(
      code_.begin(), code_.end(), [&](const Instruction& i) { return !varies[static_cast<std::size_t>(i.to)]; });
  row_begin_ = first - code_.begin();
}

bool IntegerProgram::run(std::size_t begin, std::size_t end, const std::int64_t* slots) {
  std::int64_t* const r = registers_.data();
  const Instruction* const stop = code_.data() + end;
  for (const Instruction* i = code_.data() + begin; i != stop; ++i) {
    if (i->op == Op::load)
      r[i->to] = slots[i->a];
    else if (!compute(i->op, r[i->a], r[i->b], r[i->c], r[i->to]))
      return false;
  }
  return true;
}

bool IntegerProgram::begin_row(const std::int64_t* slots) {
  return run(0, static_cast<std::size_t>(row_begin_), slots);
}

IntegerProgram::Truth IntegerProgram::test(const std::int64_t* slots) {
  if (!run(static_cast<std::size_t>(row_begin_), code_.size(), slots)) return Truth::unknown;
  return registers_[static_cast<std::size_t>(result_)] != 0 ? Truth::yes : Truth::no;
}

} // namespace warptune
