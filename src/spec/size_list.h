// A list of sizes: the value of a list dim (docs/spec.md, "Dims that are lists"). A list has a text, elements, and the
// four numbers that formulas see. Generators use integer arithmetic, so a list is the same on every machine.
#pragma once

#include "core/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

inline constexpr std::int64_t kMaxListCount = 65536;
inline constexpr std::int64_t kMaxListText = 4096; // maximum number of elements in a text that lists them
inline constexpr std::int64_t kMaxListSum = std::int64_t{1} << 40; // maximum sum, so that no sum overflows

struct ListNumbers {
  std::int64_t count = 0, sum = 0, max = 0, min = 0;
  bool operator==(const ListNumbers&) const = default;
  bool exist() const; // whether any list has these numbers
};
// The endings of the names of a list's numbers (NAME_count and so on), in the order of ListNumbers.
inline constexpr std::array<const char*, 4> kListNumbers = {"_count", "_sum", "_max", "_min"};

struct SizeList {
  std::string text; // canonical: no blanks, no signs, no leading zeros
  std::vector<std::int64_t> elements;
  ListNumbers numbers() const;
};

// Reads "[128,64,0]", "equal(COUNT,SIZE)", "uniform(COUNT,LOW,HIGH,SEED)", "zipf(COUNT,SUM,SEED[,EXPONENT])" or
// "spread(COUNT,SUM,MAX,MIN)". Errors are of kind bad_input and begin with the cause.
Result<SizeList> parse_size_list(std::string_view text);

// Returns the spread(...) text for a list of which only the four numbers are known. Precondition: numbers.exist().
std::string spread_text(const ListNumbers& numbers);
// Returns the text that lists all elements: "[128,64,0]".
std::string exact_text(const std::vector<std::int64_t>& elements);

// Returns the numbers nearest to `numbers` that a list can have; none is negative.
ListNumbers existing_numbers(ListNumbers numbers);

// Splits a shape at the commas outside brackets, and trims blanks from the parts.
std::vector<std::string_view> split_sizes(std::string_view text);

} // namespace warptune
