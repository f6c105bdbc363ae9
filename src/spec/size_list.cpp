#include "spec/size_list.h"

#include "core/text.h"
#include "spec/size_generators.h"

#include <algorithm>
#include <optional>

namespace warptune {
namespace {

constexpr const char* kForms = "write [128,64,0], equal(COUNT,SIZE), uniform(COUNT,LOW,HIGH,SEED), "
                               "zipf(COUNT,SUM,SEED[,EXPONENT]) or spread(COUNT,SUM,MAX,MIN)";

tl::unexpected<Error> refuse(const std::string& why) { return fail(ErrorKind::bad_input, why); }

Result<std::int64_t> read_number(std::string_view piece, const std::string& what, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  if (trim(piece).empty()) return refuse(what + " is missing; give a whole number, or remove the comma");
  if (parse_integer(piece, value) != IntegerError::none || value < low || value > high)
    return refuse(what + " is " + quote(piece) + "; it must be a whole number from " + std::to_string(low) + " to " +
                  std::to_string(high));
  return value;
}

// "1.25" -> 125. At most two digits after the point, so that each exponent has one text.
std::optional<std::int64_t> read_hundredths(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest = point < text.size() ? text.substr(point + 1) : std::string_view("0");
  const auto digits = [](std::string_view t, std::size_t most) {
    return !t.empty() && t.size() <= most &&
           std::all_of(t.begin(), t.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(whole, 1) || !digits(rest, 2)) return std::nullopt;
  const std::int64_t tenths = rest[0] - '0', ones = rest.size() > 1 ? rest[1] - '0' : 0;
  return (whole[0] - '0') * std::int64_t{100} + tenths * 10 + ones;
}

std::string hundredths_text(std::int64_t value) {
  std::string text = std::to_string(value / 100);
  if (value % 100 == 0) return text;
  text += "." + std::to_string(value % 100 / 10);
  return value % 10 == 0 ? text : text + std::to_string(value % 10);
}

std::string call_text(std::string_view name, const std::vector<std::int64_t>& numbers) {
  std::string text(name);
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "(" : ",") + std::to_string(numbers[i]);
  return text + ")";
}

Result<SizeList> parse_exact(std::string_view inside) {
  SizeList list;
  if (trim(inside).empty()) return refuse("an empty list; give at least one size");
  const std::vector<std::string_view> pieces = split(inside, ',');
  if (pieces.size() > static_cast<std::size_t>(kMaxListText))
    return refuse(std::to_string(pieces.size()) + " sizes are written out, but at most " +
                  std::to_string(kMaxListText) + " are allowed; use a generator such as zipf(COUNT,SUM,SEED)");
  std::int64_t sum = 0;
  for (const std::string_view piece : pieces) {
    if (trim(piece).empty()) return refuse("a size is missing in the list; give it, or remove the comma");
    WT_TRY(const auto size, read_number(piece, "the size", 0, kMaxListSum));
    list.elements.push_back(size);
    sum += size;
  }
  if (sum > kMaxListSum) return refuse("the sum of the sizes is above " + std::to_string(kMaxListSum));
  list.text = exact_text(list.elements);
  return list;
}

Result<SizeList> parse_generator(std::string_view name, std::string_view inside) {
  const std::vector<std::string_view> pieces = split(inside, ',');
  const auto takes = [&](std::size_t least, std::size_t most) -> Result<void> {
    if (pieces.size() >= least && pieces.size() <= most) return {};
    return refuse(quote(name) + " was given " + std::to_string(pieces.size()) + " numbers; " + kForms);
  };
  constexpr std::int64_t kMaxSeed = std::int64_t{1} << 62;
  std::vector<std::int64_t> n;
  const auto number = [&](const char* what, std::int64_t low, std::int64_t high) -> Result<void> {
    WT_TRY(const auto value, read_number(pieces[n.size()], std::string(name) + ": " + what, low, high));
    n.push_back(value);
    return {};
  };
  SizeList list;
  if (name == "equal") {
    WT_CHECK(takes(2, 2));
    WT_CHECK(number("the count", 1, kMaxListCount));
    WT_CHECK(number("the size", 0, kMaxListSum / n[0]));
    list.elements.assign(static_cast<std::size_t>(n[0]), n[1]);
  } else if (name == "uniform") {
    WT_CHECK(takes(4, 4));
    WT_CHECK(number("the count", 1, kMaxListCount));
    WT_CHECK(number("the lowest size", 0, kMaxListSum / n[0]));
    WT_CHECK(number("the highest size", n[1], kMaxListSum / n[0]));
    WT_CHECK(number("the seed", 0, kMaxSeed));
    list.elements = uniform_sizes(n[0], n[1], n[2], static_cast<std::uint64_t>(n[3]));
  } else if (name == "zipf") {
    WT_CHECK(takes(3, 4));
    WT_CHECK(number("the count", 1, kMaxListCount));
    WT_CHECK(number("the sum", 0, kMaxListSum));
    WT_CHECK(number("the seed", 0, kMaxSeed));
    constexpr std::int64_t kOne = 100, kMaxExponent = 400;
    const auto exponent = pieces.size() < 4 ? kOne : read_hundredths(pieces[3]);
    if (!exponent || *exponent > kMaxExponent)
      return refuse("zipf: the exponent is " + quote(pieces[3]) +
                    "; it must be a number from 0 to 4 with at most two digits after the point, such as 1.25");
    list.elements = zipf_sizes(n[0], n[1], static_cast<std::uint64_t>(n[2]), *exponent);
    list.text = call_text(name, n);
    if (*exponent != kOne) list.text.replace(list.text.size() - 1, 1, "," + hundredths_text(*exponent) + ")");
    return list;
  } else if (name == "spread") {
    WT_CHECK(takes(4, 4));
    WT_CHECK(number("the count", 1, kMaxListCount));
    WT_CHECK(number("the sum", 0, kMaxListSum));
    WT_CHECK(number("the largest size", 0, kMaxListSum));
    WT_CHECK(number("the smallest size", 0, n[2]));
    if (!ListNumbers{n[0], n[1], n[2], n[3]}.exist())
      return refuse("no list can have the count " + std::to_string(n[0]) + ", the sum " + std::to_string(n[1]) +
                    ", the largest size " + std::to_string(n[2]) + " and the smallest size " + std::to_string(n[3]));
    list.elements = spread_sizes(n[0], n[1], n[2], n[3]);
  } else {
    return refuse("unknown generator " + quote(name) + suggest_name(name, {"equal", "uniform", "zipf", "spread"}));
  }
  list.text = call_text(name, n);
  return list;
}

} // namespace

bool ListNumbers::exist() const {
  if (count < 1 || count > kMaxListCount || min < 0 || min > max || max > kMaxListSum || sum > kMaxListSum)
    return false;
  if (count == 1) return min == max && sum == max;
  return sum - max >= (count - 1) * min && sum - min <= (count - 1) * max; // no overflow: 2^16 times 2^40
}

ListNumbers SizeList::numbers() const {
  ListNumbers numbers;
  if (elements.empty()) return numbers;
  numbers.count = static_cast<std::int64_t>(elements.size());
  for (const std::int64_t size : elements) numbers.sum += size;
  numbers.max = *std::max_element(elements.begin(), elements.end());
  numbers.min = *std::min_element(elements.begin(), elements.end());
  return numbers;
}

Result<SizeList> parse_size_list(std::string_view text) {
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']')) return parse_exact(text.substr(1, text.size() - 2));
  const std::size_t open = text.find('(');
  if (open != std::string_view::npos && text.ends_with(')'))
    return parse_generator(trim(text.substr(0, open)), text.substr(open + 1, text.size() - open - 2));
  return refuse(quote(text) + " is not a list; " + kForms);
}

std::string spread_text(const ListNumbers& numbers) {
  return call_text("spread", {numbers.count, numbers.sum, numbers.max, numbers.min});
}

std::string exact_text(const std::vector<std::int64_t>& elements) {
  std::string text;
  for (const std::int64_t size : elements) text += (text.empty() ? "[" : ",") + std::to_string(size);
  return text + "]";
}

ListNumbers existing_numbers(ListNumbers numbers) {
  numbers.count = std::clamp<std::int64_t>(numbers.count, 1, kMaxListCount);
  numbers.min = std::clamp<std::int64_t>(numbers.min, 0, kMaxListSum / numbers.count);
  numbers.max = std::clamp<std::int64_t>(numbers.max, numbers.min, kMaxListSum / numbers.count);
  if (numbers.count == 1) return {1, numbers.max, numbers.max, numbers.max};
  const std::int64_t others = numbers.count - 1;
  numbers.sum = std::clamp(numbers.sum, numbers.max + others * numbers.min, numbers.min + others * numbers.max);
  return numbers;
}

std::vector<std::string_view> split_sizes(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    pieces.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return pieces;
}

} // namespace warptune
