// The name of an operator, its dtypes and flags, and the rules for names and values.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace warptune {
namespace {

constexpr std::int64_t kFirstStringId = std::int64_t{1} << 32; // unlike usual sizes and integer flags

} // namespace

void DescriptionReader::header(const JsonCursor& root) {
  const auto given = root.is(JsonValue::Kind::object) ? root.find("format") : std::nullopt;
  format_ = given && given->is(JsonValue::Kind::integer) ? given->integer() : 1;
  std::vector<std::string_view> keys = {"format",    "name",    "summary",     "source",  "problem",   "types",
                                        "params",    "derived", "constraints", "compile", "arguments", "launches",
                                        "reference", "cost",    "tolerance",   "suites"};
  if (format_ >= 2)
    keys.insert(keys.end(), {"implementation", "default_implementation", "formerly", "prepare", "symbols", "include",
                             "build", "expected_us"});
  if (format_ < 2) report_format_2(root);
  root.only(keys);
  if (given && given->integer() != 1 && given->integer() != 2)
    given->error("this program reads the formats 1 and 2; write 2, or use a newer warptune");
  root.needs({"format", "name", "summary", "problem", "arguments", "reference", "cost", "tolerance"});
  const JsonCursor name = root.at("name");
  spec_.name = name.text();
  const bool lower = std::none_of(spec_.name.begin(), spec_.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_identifier(spec_.name) || spec_.name[0] == '_' || !lower)
    name.expected("a name of small letters, digits and '_' that begins with a letter");
  spec_.summary = root.at("summary").text();
  if (spec_.summary.find('\n') != std::string::npos) root.at("summary").expected("one line");
}

void DescriptionReader::claim(const JsonCursor& where, const std::string& name, const std::string& kind) {
  if (!is_identifier(name))
    return where.error(quote(name) + " is not a valid name; use letters, digits and '_', a letter first");
  if (is_expression_keyword(name)) return where.error(quote(name) + " is a word of the expression language; rename it");
  if (claimed_.empty()) {
    for (const DeviceLimitName& limit : device_limit_names()) claimed_[limit.name] = "a device limit";
    for (int i = 0; i < kDTypeCount; ++i) claimed_[std::string(dtype_name(static_cast<DType>(i)))] = "a dtype";
    claimed_["dtype"] = "the dtype of the problem";
    claimed_["dtype_bytes"] = "the size of the dtype";
    claimed_["i"] = "the element index of fill formulas";
    if (format_ >= 2) claimed_[kImplementation] = "the choice among implementations";
  }
  auto& names = current_ && own_names_ ? *own_names_ : claimed_;
  const auto taken = claimed_.find(name);
  if (taken != claimed_.end())
    return where.error(quote(name) + " is already the name of " + taken->second + "; choose another name");
  const auto [it, fresh] = names.emplace(name, kind);
  if (!fresh) where.error(quote(name) + " is already the name of " + it->second + "; choose another name");
}

void DescriptionReader::problem(const JsonCursor& root) {
  const JsonCursor problem = root.at("problem");
  problem.only({"dims", "dtypes", "flags"});
  dims(problem.at("dims"));

  const JsonCursor dtypes = problem.at("dtypes");
  for (const JsonCursor& c : dtypes.items()) {
    const auto dtype = parse_dtype(c.text());
    if (!dtype)
      c.error("unknown dtype " + quote(c.text()) + suggest_dtype(c.text(), all_dtype_names()));
    else if (std::count(spec_.dtypes.begin(), spec_.dtypes.end(), *dtype))
      c.error(quote(c.text()) + " is listed twice; list it once");
    else
      spec_.dtypes.push_back(*dtype);
  }
  if (spec_.dtypes.empty()) dtypes.error("no dtypes; list at least one, the default first");

  if (const auto flags = problem.find("flags")) {
    for (const auto& [name, c] : flags->members()) {
      claim(c, name, "a flag");
      spec_.flags.push_back(flag(name, c));
    }
    check_count(*flags, spec_.flags.size());
  }

  // Claimed here, because params may not have these names. Their formulas are read with the scope.
  if (const auto types = root.find("types"))
    for (const auto& [name, c] : types->members()) claim(c, name, "a type");
}

Flag DescriptionReader::flag(const std::string& name, const JsonCursor& c) {
  if (format_ == 1)
    c.only({"values", "meaning"});
  else
    c.only({"values", "default", "meaning"});
  Flag flag;
  flag.name = name;
  flag.meaning = optional_text(c, "meaning");
  const JsonCursor list = c.at("values");
  std::tie(flag.values, flag.labels) = values(list);
  if (flag.values.empty()) list.error("no values; list at least one, the default first");
  const bool has_numbers = flag.labels.empty();
  if (has_numbers)
    for (const std::int64_t value : flag.values) flag.labels.push_back(std::to_string(value));
  if (const auto standard = c.find("default")) {
    const std::string label = has_numbers ? std::to_string(standard->integer()) : standard->text();
    if (label != flag.labels.front())
      standard->error("the default of a flag must be its first value, " + quote(flag.labels.front()));
    flag.is_optional = true;
  }
  return flag;
}

// Integers, or texts as labels, each with an id.
std::pair<std::vector<std::int64_t>, std::vector<std::string>> DescriptionReader::values(const JsonCursor& list) {
  std::vector<std::int64_t> values;
  std::vector<std::string> labels;
  std::set<std::int64_t> seen;
  const std::vector<JsonCursor> items = list.items();
  for (const JsonCursor& item : items) {
    const bool is_text = items.front().is(JsonValue::Kind::text);
    if (is_text && !item.is(JsonValue::Kind::text)) {
      item.expected("a string, like the first value");
    } else if (is_text) {
      labels.push_back(item.text());
      values.push_back(label_id(item, item.text()));
    } else {
      values.push_back(item.integer());
    }
    if (item.failed()) break;
    if (!seen.insert(values.back()).second)
      item.error("the value " + (is_text ? quote(labels.back()) : std::to_string(values.back())) +
                 " appears twice; keep one");
  }
  return {std::move(values), std::move(labels)};
}

std::int64_t DescriptionReader::label_id(const JsonCursor& c, const std::string& label) {
  if (!is_label(label)) c.error(quote(label) + " has characters that are not letters, digits or _.+-; remove them");
  const auto id = kFirstStringId + static_cast<std::int64_t>(strings_.size());
  return strings_.emplace(label, id).first->second;
}

} // namespace warptune
