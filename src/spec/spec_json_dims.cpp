// The dims of a spec: plain ones, ones of a fixed size, and lists of sizes; and the sizes of a suite's entry.
#include "core/text.h"
#include "spec/shape.h"
#include "spec/size_list.h"
#include "spec/spec_json_parts.h"

namespace warptune {

void DescriptionReader::dims(const JsonCursor& dims) {
  for (const auto& [name, c] : dims.members()) {
    if (format_ >= 2 && c.is(JsonValue::Kind::object) && c.find("list")) {
      list_dim(name, c);
      continue;
    }
    std::vector<std::string_view> keys = {"meaning", "min", "max"};
    if (format_ >= 2) keys.insert(keys.end(), {"value", "list", "default"});
    c.only(keys);
    claim(c, name, "a dim");
    Dim dim;
    dim.name = name;
    dim.meaning = optional_text(c, "meaning");
    limits(c, dim.min, dim.max);
    if (const auto value = format_ >= 2 ? c.find("value") : std::nullopt) fixed_size(c, *value, dim);
    if (const auto standard = format_ >= 2 ? c.find("default") : std::nullopt) {
      dim.standard = standard->integer();
      if (*dim.standard < dim.min || *dim.standard > dim.max)
        standard->expected("a size from " + std::to_string(dim.min) + " to " + std::to_string(dim.max));
      if (dim.is_fixed) standard->error("a fixed size needs no default; leave it out");
    }
    spec_.dims.push_back(std::move(dim));
  }
  if (spec_.dims.empty()) dims.error("no dims; a problem has at least one, such as \"n\": {\"meaning\": \"elements\"}");
  check_count(dims, spec_.dims.size());
}

void DescriptionReader::limits(const JsonCursor& c, std::int64_t& min, std::int64_t& max) {
  if (const auto given = c.find("min")) {
    min = given->integer();
    const std::int64_t least = format_ < 2 ? 1 : 0;
    if (min < least) given->expected("an integer of at least " + std::to_string(least));
  }
  if (const auto given = c.find("max")) {
    max = given->integer();
    if (max < min)
      given->error("max " + std::to_string(max) + " is below min " + std::to_string(min) + "; lower min, or raise max");
  }
}

void DescriptionReader::fixed_size(const JsonCursor& c, const JsonCursor& value, Dim& dim) {
  if (c.find("min") || c.find("max"))
    c.error("a dim with 'value' cannot have 'min' or 'max'; remove 'value', or remove 'min' and 'max'");
  dim.min = dim.max = value.integer();
  dim.is_fixed = true;
  if (dim.min < 0) value.expected("an integer of at least 0");
}

void DescriptionReader::list_dim(const std::string& name, const JsonCursor& c) {
  c.only({"list", "meaning", "min", "max", "max_count"});
  const JsonCursor is_list = c.at("list");
  if (!is_list.boolean()) is_list.error("'list' must be true; leave it out for a plain dim");
  claim(c, name, "a dim that is a list");
  ListDim list;
  list.name = name;
  list.meaning = optional_text(c, "meaning");
  list.first = spec_.dims.size();
  list.max = kMaxListSum;
  list.max_count = kMaxListCount;
  limits(c, list.min, list.max);
  if (list.max > kMaxListSum) c.at("max").expected("a size of at most " + std::to_string(kMaxListSum));
  if (const auto count = c.find("max_count")) {
    list.max_count = count->integer();
    if (list.max_count < 1 || list.max_count > kMaxListCount)
      count->expected("an integer from 1 to " + std::to_string(kMaxListCount));
  }
  if (c.failed()) return;
  const std::int64_t max_sum = list.max > kMaxListSum / list.max_count ? kMaxListSum : list.max * list.max_count;
  const std::int64_t limits[][2] = {
      {1, list.max_count}, {list.min, max_sum}, {list.min, list.max}, {list.min, list.max}};
  const char* const meanings[] = {": count", ": sum", ": largest", ": smallest"};
  for (std::size_t i = 0; i < kListNumbers.size(); ++i) {
    Dim dim;
    dim.name = name + kListNumbers[i];
    dim.meaning = (list.meaning.empty() ? name : list.meaning) + meanings[i];
    dim.min = limits[i][0];
    dim.max = limits[i][1];
    claim(c, dim.name, "a dim of the list '" + name + "'");
    spec_.dims.push_back(std::move(dim));
  }
  spec_.lists.push_back(std::move(list));
}

bool DescriptionReader::names_list(const JsonCursor& c, const std::string& formula) {
  for (const std::string& name : expression_names(formula)) {
    if (spec_.find_list(name) < 0) continue;
    c.error(quote(name) + " is a list and has no value in a formula; use " + name + "_count, " + name + "_sum, " +
            name + "_max or " + name + "_min");
    return true;
  }
  return false;
}

// Converts the list to the text of a shape, so that the same rules apply to both.
void DescriptionReader::entry_list(const JsonCursor& value, const ListDim& list, SuiteEntry& entry) {
  std::string text;
  if (value.is(JsonValue::Kind::list)) {
    for (const JsonCursor& item : value.items()) text += (text.empty() ? "" : ",") + std::to_string(item.integer());
    text = "[" + text + "]";
  } else if (value.is(JsonValue::Kind::text)) {
    text = value.text();
  } else {
    value.expected("a list of sizes, or a string such as \"zipf(64,4096,1)\"");
  }
  if (value.failed()) return;
  const auto parsed = parse_size_list(text);
  if (!parsed) return value.error(parsed.error().message);
  const auto checked = check_list(spec_, list, *parsed, "");
  if (!checked) return value.error(checked.error().message);
  put_numbers(entry.shape, list, parsed->numbers());
  entry.lists[static_cast<std::size_t>(spec_.find_list(list.name))] = parsed->text;
}

void DescriptionReader::entry_sizes(const JsonCursor& c, SuiteEntry& entry) {
  entry.shape.resize(spec_.dims.size());
  entry.lists.resize(spec_.lists.size());
  for (const ListDim& list : spec_.lists) entry_list(c.at(list.name), list, entry);
  for (std::size_t d = 0; d < spec_.dims.size() && !c.failed(); ++d) {
    const Dim& dim = spec_.dims[d];
    if (spec_.list_of_dim(d) >= 0) continue;
    entry.shape[d] = dim.standard.value_or(dim.min);
    if ((dim.is_fixed || dim.standard) && !c.find(dim.name)) continue;
    const JsonCursor value = c.at(dim.name);
    entry.shape[d] = value.integer();
    if (dim.is_fixed && entry.shape[d] != dim.min)
      value.error(quote(dim.name) + " is fixed to " + std::to_string(dim.min) + "; leave it out");
    if (entry.shape[d] < dim.min || entry.shape[d] > dim.max)
      value.expected("a size from " + std::to_string(dim.min) + " to " + std::to_string(dim.max));
  }
}

} // namespace warptune
