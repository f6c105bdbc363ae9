// Any text as a formula: it is parsed or refused with a message, and then evaluates or fails, without a crash.
#include "core/expr.h"
#include "core/real_expr.h"
#include "core/text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace warptune;

namespace {

bool is_sentence(const Error& error) {
  return !error.message.empty() && find_invalid_utf8(error.message) == std::string_view::npos;
}

void check_real(std::string_view text, const Scope& scope) {
  const auto expr = RealExpr::parse(text, scope);
  if (!expr && !is_sentence(expr.error())) std::abort();
  for (const std::int64_t a : {std::int64_t{0}, std::int64_t{1}, INT64_MIN}) {
    if (!expr) return;
    const std::vector<std::int64_t> slots = {a, 7, 4096, ~a};
    const auto value = expr->evaluate(slots);
    if (value ? !std::isfinite(*value) : !is_sentence(value.error())) std::abort();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scope scope;
  for (const char* name : {"a", "b", "rows", "WARPS"}) scope.add_slot(name);
  scope.add_constant("bf16", 4);
  scope.add_string("nt", 1000);
  scope.add_derived("d", std::make_shared<const Expr>(*Expr::parse("rows / a", scope)));
  expression_names(text);
  check_real(text, scope);
  const auto expr = Expr::parse(text, scope);
  if (!expr) {
    if (!is_sentence(expr.error())) std::abort();
    return 0;
  }
  for (const std::int64_t a : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const std::vector<std::int64_t> slots = {a, 7, 4096, ~a};
    const auto value = expr->evaluate(slots);
    std::int64_t again = 0;
    if (expr->try_evaluate(slots, again) != value.has_value() || (value && *value != again)) std::abort();
  }
  return 0;
}
