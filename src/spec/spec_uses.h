// SpecUses: the set of slots (dims, flags, params) that parts of a spec read, directly or through derived names. Lints
// use it to decide whether a name has an effect.
#pragma once

#include "spec/spec.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {

class SpecUses {
 public:
  // Adds everything that affects an implementation's cubin or launches: its arguments, launches, library calls,
  // symbols, build command and macros. Only macros in `read` are added; if `read` is nullptr, all are.
  void add_effects(const Implementation& implementation, const std::set<std::string, std::less<>>* read);
  // Adds the launches and own arguments of the reference or of `prepare`.
  void add(const OwnLaunches& own);
  void add(const std::vector<Argument>& arguments);
  void add(const Cost& cost);
  void add(const Expr& expr) { slots_.insert(expr.slots().begin(), expr.slots().end()); }
  bool has(int slot) const { return slots_.count(slot) != 0; }

 private:
  void add(const RealExpr& expr) { slots_.insert(expr.slots().begin(), expr.slots().end()); }
  template <class T> void add(const std::optional<T>& expr) {
    if (expr) add(*expr);
  }
  void add(const std::vector<Expr>& all) {
    for (const Expr& expr : all) add(expr);
  }
  void add(const BufferArg& buffer);
  void add(const ScalarArg& scalar) { add(scalar.value), add(scalar.formula); }
  void add(const TensorMapArg& map);
  void add(const std::vector<Launch>& launches);

  std::set<int> slots_;
};

} // namespace warptune
