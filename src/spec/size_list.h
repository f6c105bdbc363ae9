// A list of sizes, the value of a list dim (docs/spec.md, "Dims that are lists"): its text, its elements and the four
// numbers of it that formulas see. Generators are integer arithmetic: the same list on every machine.
#pragma once

#include "core/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

inline constexpr std::int64_t kMaxListCount = 65536;
inline constexpr std::int64_t kMaxListText = 4096;                 // elements that are written out one by one
inline constexpr std::int64_t kMaxListSum = std::int64_t{1} << 40; // so that no sum of elements overflows

struct ListNumbers {
  std::int64_t count = 0, sum = 0, max = 0, min = 0;
  bool operator==(const ListNumbers&) const = default;
  bool exist() const; // whether there is a list with these numbers
};
// What follows the list's name in the names of its numbers, in the order of ListNumbers.
inline constexpr std::array<const char*, 4> kListNumbers = {"_count", "_sum", "_max", "_min"};

struct SizeList {
  std::string text; // canonical: without blanks, numbers without signs and leading zeros
  std::vector<std::int64_t> elements;
  ListNumbers numbers() const;
};

// "[128,64,0]", "equal(COUNT,SIZE)", "uniform(COUNT,LOW,HIGH,SEED)", "zipf(COUNT,SUM,SEED[,EXPONENT])" or
// "spread(COUNT,SUM,MAX,MIN)". The error (bad_input) begins with what is wrong.
Result<SizeList> parse_size_list(std::string_view text);

// Of a list that is known by its numbers alone, which exist.
std::string spread_text(const ListNumbers& numbers);
std::string exact_text(const std::vector<std::int64_t>& elements);

// The numbers nearest to the given ones that exist and are no less than 0.
ListNumbers existing_numbers(ListNumbers numbers);

// The pieces of a shape between the commas that stand outside of brackets, without blanks around them.
std::vector<std::string_view> split_sizes(std::string_view text);

} // namespace warptune
