// "formerly": how an operator reads configurations of its former kernels.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>

namespace warptune {
namespace {

using Former = std::vector<std::pair<std::string, std::string>>;

// The rule, without the params that may have any value.
Former rule_of(const Implementation& implementation) {
  Former rule = implementation.formerly;
  std::erase_if(rule, [](const auto& pair) { return pair.second.empty(); });
  return rule;
}

bool includes(const Former& all, const Former& part) { // both are sorted
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

// Whether no text can match both, because they differ in a param.
bool exclude_one_another(const Former& a, const Former& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& pair) {
    return std::any_of(b.begin(), b.end(),
                       [&](const auto& other) { return other.first == pair.first && other.second != pair.second; });
  });
}

// Whether a configuration of `implementation` can match the rule.
bool can_have(const KernelSpec& spec, const Implementation& implementation, const Former& rule) {
  return std::all_of(rule.begin(), rule.end(), [&](const auto& pair) {
    return std::any_of(implementation.params.begin(), implementation.params.end(), [&](const OwnParam& own) {
      const Param& param = spec.params[own.index];
      const auto is_meant = [&](std::int64_t value) { return param.text_of(value) == pair.second; };
      return param.name == pair.first && std::any_of(param.values.begin(), param.values.end(), is_meant);
    });
  });
}

} // namespace

void DescriptionReader::former(const JsonCursor& c) {
  for (const auto& [name, value] : c.members()) {
    const auto taken = claimed_.find(name);
    if (!is_identifier(name) || is_expression_keyword(name))
      value.error(quote(name) + " is not a valid name of a former param");
    else if (name == kImplementation)
      value.error("former configurations have no 'implementation'; name params that the implementation no longer has");
    else if (taken != claimed_.end())
      value.error(quote(name) + " is the name of " + taken->second + ", so it cannot be the name of a former param");
    std::string text;
    if (value.is(JsonValue::Kind::text))
      text = value.text();
    else if (!value.is(JsonValue::Kind::null))
      text = std::to_string(value.integer());
    if (value.is(JsonValue::Kind::text) && !is_label(text))
      value.error(quote(text) + " is not a valid value of a former param; labels are letters, digits and _.+-");
    current_->formerly.emplace_back(name, text);
  }
  std::sort(current_->formerly.begin(), current_->formerly.end());
  check_former_rules(c);
}

// A rule may extend another one, and then it is tried first. Otherwise a text must match one implementation only.
void DescriptionReader::check_former_rules(const JsonCursor& c) {
  const Former rule = rule_of(*current_);
  if (rule.empty() && !current_->formerly.empty())
    c.error("'formerly' names no value of a param, so every former configuration would belong to this implementation; "
            "name at least one value");
  for (const Implementation& other : spec_.implementations) {
    const Former others = rule_of(other);
    if (&other == current_ || others.empty() || rule.empty()) continue;
    if (others == rule)
      c.error("the implementation " + quote(other.name) +
              " has the same values; a former configuration must belong to only one implementation");
    else if (!exclude_one_another(rule, others) && !includes(rule, others) && !includes(others, rule))
      c.error("a former configuration could match this implementation and " + quote(other.name) +
              "; name one param in 'formerly' of both implementations, with different values");
  }
}

// The implementation in spec.json had no former name and has no rule: texts that fit its params are its own.
void DescriptionReader::check_former_beside(const JsonCursor& c) {
  const auto formerly = c.find("formerly");
  if (!formerly || !beside_spec_) return;
  const Implementation& beside = spec_.implementations[*beside_spec_];
  const Former rule = rule_of(*current_);
  if (&beside != current_ && !rule.empty() && can_have(spec_, beside, rule))
    formerly->error("a former configuration could match this implementation and " + quote(beside.name) +
                    ", which has these params and values today");
}

// A text with such a name would be ambiguous.
void DescriptionReader::check_former(const JsonCursor& c) {
  const auto formerly = c.find("formerly");
  if (!formerly) return;
  for (const auto& [name, value] : formerly->members())
    for (const OwnParam& own : current_->params)
      if (spec_.params[own.index].name == name)
        value.error(
            quote(name) +
            " is a param of this implementation; 'formerly' lists only params that the implementation no longer has");
}

} // namespace warptune
