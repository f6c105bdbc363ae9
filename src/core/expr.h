// The integer expression language of spec.json (docs/spec.md, "Expressions"). Formulas are parsed once and evaluated
// without allocation. A variable is a numbered slot of a Scope; the caller decides what each slot means.
#pragma once

#include "core/integer_program.h"
#include "core/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

class Expr;

// The names that an expression may use. A slot is an index into the span given to Expr::evaluate. Constants (dtypes,
// quoted strings) become numbers when the formula is parsed. A derived name stands for an expression, which is
// evaluated wherever the name is used.
class Scope {
 public:
  int add_slot(std::string name); // returns the new slot; the name must be new
  void add_hidden_slot();         // adds a slot that no formula of this scope can read
  void add_constant(std::string name, std::int64_t value);
  void add_string(std::string text, std::int64_t value); // the literal 'text'
  void add_derived(std::string name, std::shared_ptr<const Expr> expr);
  int find_slot(std::string_view name) const; // -1 if unknown
  bool contains(std::string_view name) const;
  int slot_count() const;

  struct Name {
    enum class Kind { slot, constant, derived } kind;
    std::string name;
    std::int64_t value; // slot or constant
    std::shared_ptr<const Expr> expr;
  };
  const Name* find(std::string_view name) const;
  const std::int64_t* find_string(std::string_view text) const;
  std::string nearest(std::string_view name) const; // the most similar known name, or empty

  std::vector<std::string> names() const; // all names, in the order in which they were added
  std::vector<std::string> strings() const;

 private:
  void add(Name name);
  std::vector<Name> names_;
  std::map<std::string, std::size_t, std::less<>> index_; // name -> index into names_
  std::vector<std::pair<std::string, std::int64_t>> strings_;
  int slots_ = 0;
};

// Whether `word` is reserved: and, or, not, or the name of a function. A reserved word cannot be used as a name.
bool is_expression_keyword(std::string_view word);

// Returns the identifiers that `text` uses as names, each once and sorted. Keywords and functions are left out.
std::vector<std::string> expression_names(std::string_view text);

class Expr {
 public:
  Expr() : Expr(0) {}
  static Expr constant(std::int64_t value);

  // The error says what is wrong and at which column of `text`, and suggests the nearest known name. A division by a
  // constant zero and an overflow between constants are already errors here, except in an operand of `?:`, `&&` or `||`
  // that may be skipped.
  static Result<Expr> parse(std::string_view text, const Scope& scope);

  // Overflow, division by zero and invalid arguments (log2(0), bytes(99)) are errors of kind bad_input that quote the
  // formula and the column. Does not allocate on success. Precondition: `slots` has a value for every index in slots().
  Result<std::int64_t> evaluate(std::span<const std::int64_t> slots) const;

  // Like evaluate, but without a message: returns false on an error. Same precondition.
  bool try_evaluate(std::span<const std::int64_t> slots, std::int64_t& value) const;

  // Splits this expression, with derived names expanded, at its outermost `&&`s. The expression is true exactly when
  // all returned parts are true. A part that cannot be evaluated counts as not true. Every part keeps the text of the
  // whole expression.
  std::vector<Expr> conjuncts() const;

  // Returns an expression that equals this one if `slot` holds `value`, and is true otherwise. The returned expression
  // keeps this expression's text.
  Expr only_where(int slot, std::int64_t value) const;

  // Translates this expression into an IntegerProgram. Slots with values in `fixed` become constants. Returns a
  // negative register if an IntegerProgram cannot represent this expression.
  IntegerProgram::Register compile(IntegerProgram& out, std::span<const std::int64_t> fixed) const;

  const std::string& text() const { return text_; }
  const std::vector<int>& slots() const {
    return slots_;
  } // all slots it may read, including those of derived names; sorted
  bool is_constant() const { return slots_.empty(); }
  std::int64_t operations() const { return weight_; } // maximum number of operations, with derived names expanded

 private:
  enum class Code : std::uint8_t {
    constant,
    slot,
    derived, // the operations `constant`, `slot` and `derived` push a value
    jump,
    jump_if_zero,
    and_jump,
    or_jump, // the operations `jump` to `or_jump` have their target in `value`
    negate,
    logical_not,
    boolean,
    is_pow2,
    log2,
    abs,
    bytes, // the operations from `negate` to `bytes` have one operand
    add,
    sub,
    mul,
    div,
    mod,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    min,
    max,
    ceil_div,
    round_up, // the operations from `add` to `round_up` have two operands
  };
  struct Op {
    Code code;
    std::int32_t column;
    std::int64_t value;
  }; // in postfix order; `value`: a constant, slot, derived name or jump target
  static constexpr std::size_t kMaxStack = 256;
  struct Fault {
    const char* what = nullptr;
    std::int32_t column = 0;
    const Expr* where = nullptr;
  };

  explicit Expr(std::int64_t value);
  static const char* apply(Code code, std::int64_t a, std::int64_t b,
                           std::int64_t& result); // nullptr, or the error
  bool run(const std::int64_t* slots, std::int64_t& result, Fault& fault) const;
  Expr part(std::size_t begin, std::size_t end) const; // returns operations [begin, end) as a separate expression

  std::string text_;
  std::vector<Op> ops_;
  std::vector<std::shared_ptr<const Expr>> derived_;
  std::vector<int> slots_;
  std::int64_t weight_ = 1; // number of operations, with derived names expanded
  int height_ = 1;          // nesting depth of derived names
  friend class ExprParser;
  friend class ExprCompiler;
};

} // namespace warptune
