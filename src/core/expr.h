// The expression language of spec.json (docs/spec.md, "Expressions"): parsed once, evaluated without allocation.
// Knows names only as slots of a Scope; what a slot means is its caller's business.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

class Expr;

// The names an expression may use. Slots are indices into the span given to Expr::evaluate. Constants (dtypes, quoted
// strings) are folded at parse time. Derived names hold an expression that is evaluated where it is used.
class Scope {
public:
  int add_slot(std::string name);                       // returns the new slot; the name must be new
  void add_constant(std::string name, std::int64_t value);
  void add_string(std::string text, std::int64_t value); // the literal 'text'
  void add_derived(std::string name, std::shared_ptr<const Expr> expr);
  int find_slot(std::string_view name) const;           // -1 when unknown
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
  std::string nearest(std::string_view name) const; // the known name most alike, or empty

private:
  std::vector<Name> names_;
  std::vector<std::pair<std::string, std::int64_t>> strings_;
  int slots_ = 0;
};

class Expr {
public:
  Expr() = default; // the constant 0
  static Expr constant(std::int64_t value);

  // The error says what is wrong and at which column of `text`, and suggests the nearest known name.
  static Result<Expr> parse(std::string_view text, const Scope& scope);

  // Overflow, division by zero and a negative shift of meaning are errors that quote text(). No allocation on success.
  Result<std::int64_t> evaluate(std::span<const std::int64_t> slots) const;

  const std::string& text() const { return text_; }
  const std::vector<int>& slots() const { return slots_; } // all slots it may read, sorted, derived names followed
  bool is_constant() const { return slots_.empty(); }

private:
  struct Op { std::uint8_t code; std::uint8_t arity; std::int32_t target; std::int64_t value; };
  std::string text_ = "0";
  std::vector<Op> ops_;
  std::vector<std::shared_ptr<const Expr>> derived_;
  std::vector<int> slots_;
  friend class ExprParser;
};

} // namespace warptune
