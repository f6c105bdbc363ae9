// IntegerProgram: a condition over 64-bit integers as a straight line of operations, for rules that are evaluated
// millions of times. A formula language produces it; SpaceBuilder runs it. The program evaluates both sides of every
// condition. After a fault (overflow, division by zero) the result is unknown, and the formula itself must be
// evaluated.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

class IntegerProgram {
 public:
  using Register = std::int32_t; // negative: cannot be expressed; operations on it give a negative register too
  enum class Op : std::uint8_t {
    load, // a: the slot
    add,
    sub,
    mul,
    div, // towards zero, as in C
    mod,
    floor_div, // as in Python
    floor_mod,
    ceil_div,
    min,
    max,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    both,   // b if a is not zero, else a
    either, // a if a is not zero, else b
    choose, // b if a is not zero, else c
  };

  Register constant(std::int64_t value);
  Register slot(int slot);
  const std::int64_t* find_constant(Register a) const;       // nullptr if `a` is not a constant
  Register apply(Op op, Register a, Register b, Register c); // folds constants and reuses equal operations
  Register apply(Op op, Register a, Register b) { return apply(op, a, b, b); }

  // The last step. `result` holds the value of the condition; `row_slot` is the slot that varies along a row.
  void finish(Register result, int row_slot);
  bool usable() const { return result_ >= 0; } // after finish
  // Returns the number of operations for each value of a row.
  std::int64_t operations() const { return static_cast<std::int64_t>(code_.size()) - row_begin_; }

  // Computes the operations that do not depend on the row's slot; false after a fault. Call it before `test`, which
  // handles one value of the row's slot.
  bool begin_row(const std::int64_t* slots);
  enum class Truth : std::uint8_t { no, yes, unknown };
  Truth test(const std::int64_t* slots);

 private:
  struct Instruction {
    Op op;
    Register a, b, c, to;
  };
  bool run(std::size_t begin, std::size_t end, const std::int64_t* slots);

  std::vector<Instruction> code_;
  std::vector<std::int64_t> registers_;
  std::vector<bool> constant_; // per register
  std::int64_t row_begin_ = 0; // the beginning of the code that depends on the row's slot
  Register result_ = -1;
};

} // namespace warptune
