// Labels in formulas. A label is a number only inside warptune, so a formula may compare it with a quoted label but
// must not pass it on. Also explains errors about names that a formula may not use.
#include "core/formula_tokens.h"
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>

namespace warptune {
namespace {

bool is_number(const std::string& label, std::int64_t value) { return label == std::to_string(value); }

bool is_one_of(const Lexeme& word, std::initializer_list<std::string_view> texts) {
  return word.kind != Token::string && std::find(texts.begin(), texts.end(), word.text) != texts.end();
}

bool compares(const Lexeme& word) { return is_one_of(word, {"==", "!="}); }
bool begins_operand(const Lexeme& word) {
  return word.kind == Token::end || is_one_of(word, {"(", ",", "?", ":", "&&", "||", "and", "or"});
}
bool ends_operand(const Lexeme& word) {
  return word.kind == Token::end || is_one_of(word, {")", ",", "?", ":", "&&", "||", "and", "or"});
}

// The words of a formula, with an end token before and after them.
std::vector<Lexeme> words_of(std::string_view formula) {
  std::vector<Lexeme> words(1);
  std::size_t at = 0;
  do words.push_back(next_lexeme(formula, at, Numbers::real));
  while (words.back().kind != Token::end);
  return words;
}

// Whether the word alone is one side of a comparison.
bool is_compared(const std::vector<Lexeme>& words, std::size_t word) {
  std::size_t before = word - 1, behind = word + 1;
  while (is_one_of(words[before], {"("}) && is_one_of(words[behind], {")"}) && words[before - 1].kind != Token::name)
    --before, ++behind;
  return (compares(words[behind]) && begins_operand(words[before])) ||
         (compares(words[before]) && ends_operand(words[behind]));
}

} // namespace

// The labels of a param or of a flag whose values are texts, if `name` is one in this scope.
const std::vector<std::string>* DescriptionReader::labels_of(std::string_view name, const Scope& scope) const {
  if (!scope.contains(name)) return nullptr;
  for (const Flag& flag : spec_.flags)
    if (flag.name == name && !is_number(flag.labels.front(), flag.values.front())) return &flag.labels;
  for (const Param& param : spec_.params)
    if (param.name == name && !param.labels.empty()) return &param.labels;
  return nullptr;
}

// Reports labels outside of comparisons. A label is a number that is never zero: "layout" as a condition would always
// hold.
void DescriptionReader::check_labels(const JsonCursor& c, const Scope& scope) {
  check_comparisons(c, scope);
  const std::vector<Lexeme> words = words_of(c.text());
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool is_text = words[i].kind == Token::string;
    const auto* labels = words[i].kind == Token::name ? labels_of(words[i].text, scope) : nullptr;
    if ((!is_text && !labels) || is_compared(words, i)) continue;
    if (is_text)
      return c.error("the string " + quote(words[i].text) +
                     " is not a value by itself; compare it with a flag or a param that has this value, with == or !=");
    return c.error(quote(words[i].text) + " has labels, not booleans or numbers; compare it with a label, such as \"" +
                   std::string(words[i].text) + " == '" + labels->front() + "'\"");
  }
}

// Reports comparisons such as "SCHEDULE == 1", which is never true.
void DescriptionReader::check_comparisons(const JsonCursor& c, const Scope& scope) {
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
                     "; compare it with a label, such as \"" + std::string(name.text) + " == '" + labels->front() +
                     "'\"");
  } while (last[2].kind != Token::end);
}

// Checks a macro or template argument.
void DescriptionReader::check_no_label(const JsonCursor& c) {
  if (!c.is(JsonValue::Kind::text)) return;
  const std::string_view name = trim(c.text());
  const std::vector<std::string>* labels = labels_of(name, scope());
  if (!labels) return;
  std::string what = quote(name) + " has labels, which are not numbers; write a formula such as \"" +
                     std::string(name) + " == '" + labels->front() + "'\"";
  const bool is_flag =
      std::any_of(spec_.flags.begin(), spec_.flags.end(), [&](const Flag& flag) { return flag.name == name; });
  if (is_flag) what += ", or {\"text\": {\"" + std::string(name) + "\": {\"" + labels->front() + "\": \"...\", ...}}}";
  c.error(what);
}

// Replaces `error` if its unknown name is a param that the formula cannot use.
std::string DescriptionReader::hidden_param(const std::string& error, const std::string& formula) const {
  for (const Param& param : spec_.params)
    if (error.starts_with("unknown name " + quote(param.name)))
      return "unknown name " + quote(param.name) + " in " + quote(formula) + ": " +
             (current_ ? "it is a param of another implementation; use the params of this implementation"
                       : "it is a param, and a formula of the operator may not depend on a param; use dims, flags and "
                         "dtypes only");
  return error;
}

} // namespace warptune
