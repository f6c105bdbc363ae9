// IntegerProgram: a condition over 64-bit integers, compiled to a sequence of operations without branches. Rules that
// are evaluated millions of times use it. The parser of a formula language makes the program, and SpaceBuilder runs it.
// Because both sides of a conditional are always evaluated, an unused side may fail (overflow, division by zero). The
// result is then `unknown`, and the caller must evaluate the formula itself.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

class IntegerProgram {
 public:
  using Register = std::int32_t; // negative: not expressible; an operation on it also gives a negative register
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
    both,   // a && b: b if a is not zero, else a
    either, // a || b: a if a is not zero, else b
    choose, // a ? b : c
  };

  Register constant(std::int64_t value);
  Register slot(int slot);
  const std::int64_t* find_constant(Register a) const;       // nullptr if `a` is not a constant
  Register apply(Op op, Register a, Register b, Register c); // folds constants, and reuses an equal earlier operation
  Register apply(Op op, Register a, Register b) { return apply(op, a, b, b); }

  // Ends the program. `result` holds the condition's value. A row is a series of slot values that differ only in
  // `row_slot`.
  void finish(Register result, int row_slot);
  bool usable() const { return result_ >= 0; } // after finish
  // Returns how many operations `test` runs for each value of a row.
  std::int64_t operations() const { return static_cast<std::int64_t>(code_.size()) - row_begin_; }

  // Call once per row, before `test`: computes the operations that do not depend on `row_slot`. Returns false after an
  // overflow or a division by zero. `test` then evaluates the condition for one value of `row_slot`.
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
