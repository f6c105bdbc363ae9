// IntegerProgram: a condition over 64-bit integers as a straight line of operations, for rules that are asked millions
// of times. Made by a language of formulas, run by SpaceBuilder. It evaluates both sides of everything, so where it
// meets a fault (overflow, division by zero) it does not know, and the language itself has to be asked.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

class IntegerProgram {
 public:
  using Register = std::int32_t; // negative: cannot be expressed; every operation passes that on
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
    both,   // b where a is not zero, else a
    either, // a where it is not zero, else b
    choose, // b where a is not zero, else c
  };

  Register constant(std::int64_t value);
  Register slot(int slot);
  const std::int64_t* find_constant(Register a) const;       // nullptr when it is none
  Register apply(Op op, Register a, Register b, Register c); // constants are folded, equal operations are one
  Register apply(Op op, Register a, Register b) { return apply(op, a, b, b); }

  // The last step: `result` is what the condition is about, and `row_slot` the slot that varies along a row.
  void finish(Register result, int row_slot);
  bool usable() const { return result_ >= 0; }                                                     // after finish
  std::int64_t operations() const { return static_cast<std::int64_t>(code_.size()) - row_begin_; } // per value of a row

  // Computes what is the same along a row; false after a fault. Then `test` for each value of the row's slot.
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
  std::int64_t row_begin_ = 0; // of the code that depends on the row's slot
  Register result_ = -1;
};

} // namespace warptune
