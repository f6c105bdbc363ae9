// Labels in formulas. A label is a number inside warptune alone, so a formula may compare it with a quoted label and
// must not hand it on. Also what a name that a formula may not use stands for.
#include "core/formula_tokens.h"
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>

namespace warptune {
namespace {

bool is_number(const std::string& label, std::int64_t value) { return label == std::to_string(value); }

} // namespace

// The labels of a param or of a flag whose values are texts, if `name` is one in this scope.
const std::vector<std::string>* SpecReader::labels_of(std::string_view name, const Scope& scope) const {
  if (!scope.contains(name)) return nullptr;
  for (const Flag& flag : spec_.flags)
    if (flag.name == name && !is_number(flag.labels.front(), flag.values.front())) return &flag.labels;
  for (const Param& param : spec_.params)
    if (param.name == name && !param.labels.empty()) return &param.labels;
  return nullptr;
}

// "SCHEDULE == 1" is never true.
void SpecReader::check_comparisons(const JsonCursor& c, const Scope& scope) {
  Lexeme last[3];
  std::size_t at = 0;
  do {
    std::rotate(last, last + 1, last + 3);
    last[2] = next_lexeme(c.text(), at, Numbers::real);
    const bool compares = last[1].text == "==" || last[1].text == "!=";
    const bool swapped = last[0].kind == Token::number && last[2].kind == Token::name;
    if (!compares || !(swapped || (last[0].kind == Token::name && last[2].kind == Token::number))) continue;
    const Lexeme& name = last[swapped ? 2 : 0];
    if (const std::vector<std::string>* labels = labels_of(name.text, scope))
      return c.error(quote(name.text) + " has labels and never equals " + std::string(last[swapped ? 0 : 2].text) +
                     "; compare it with one of them, such as \"" + std::string(name.text) + " == '" + labels->front() +
                     "'\"");
  } while (last[2].kind != Token::end);
}

// Of a macro or template argument.
void SpecReader::check_no_label(const JsonCursor& c) {
  if (!c.is(JsonValue::Kind::text)) return;
  const std::string_view name = trim(c.text());
  const std::vector<std::string>* labels = labels_of(name, scope());
  if (!labels) return;
  std::string what = quote(name) + " has labels, which are no numbers; write a formula such as \"" + std::string(name) +
                     " == '" + labels->front() + "'\"";
  const bool is_flag =
      std::any_of(spec_.flags.begin(), spec_.flags.end(), [&](const Flag& flag) { return flag.name == name; });
  if (is_flag)
    what += ", or for a macro {\"text\": {\"" + std::string(name) + "\": {\"" + labels->front() + "\": \"...\", ...}}}";
  c.error(what);
}

// Instead of `error`, where its unknown name is a param that the formula cannot see.
std::string SpecReader::hidden_param(const std::string& error, const std::string& formula) const {
  for (const Param& param : spec_.params)
    if (error.starts_with("unknown name " + quote(param.name)))
      return "unknown name " + quote(param.name) + " in " + quote(formula) + ": " +
             (current_ ? "it is a param of another implementation; use those of this one"
                       : "it is a param, and a formula of the operator may not depend on a param; use dims, flags and "
                         "dtypes only");
  return error;
}

} // namespace warptune
