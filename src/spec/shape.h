// Reads and writes the sizes of a problem as text. In the text, a list dim is one entry. In a Shape it is four numbers
// (spec/size_list.h).
#pragma once

#include "core/result.h"
#include "spec/size_list.h"
#include "spec/spec.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct Sizes {
  Shape shape;
  std::vector<std::string> lists; // the canonical text of each of KernelSpec::lists
};

// Parses "rows=32768,cols=4096" or "rows=[3,5],n=64". The error names the dim that is missing, unknown (with the
// nearest name), repeated, not a number, or out of range. A dim with a fixed size or a default may be missing.
Result<Sizes> parse_sizes(const KernelSpec& spec, std::string_view text);
Result<Shape> parse_shape(const KernelSpec& spec, std::string_view text); // without the lists' texts

// The inverse of parse_sizes. Without `lists`, writes each list as spread(...) of its numbers.
std::string shape_text(const KernelSpec& spec, const Shape& shape, const std::vector<std::string>& lists = {});
std::string shape_form(const KernelSpec& spec); // the form of a shape, to show to the user: "rows=[N,...],n=N"

bool has_fixed_shape(const KernelSpec& spec); // whether every dim is fixed, so that a shape may be empty
// Returns the kernel's smallest shape, for callers that use only the dtype and the flags.
Shape smallest_shape(const KernelSpec& spec);

// The error messages of the next two functions begin with `where`.
Result<void> check_size(const Dim& dim, std::int64_t size, const std::string& where);
Result<void> check_list(const KernelSpec& spec, const ListDim& list, const SizeList& given, const std::string& where);
void put_numbers(Shape& shape, const ListDim& list, const ListNumbers& numbers);
// Checks each list's text against its numbers in `shape`, and makes the text canonical. If `lists` is empty,
// appends one text for each list: spread(...) of its numbers.
Result<void> settle_lists(const KernelSpec& spec, const Shape& shape, std::vector<std::string>& lists,
                          const std::string& where);
// Replaces the four numbers of each list dim by the nearest numbers that some list has. This is needed if the four
// numbers were drawn or reduced independently.
void make_lists_exist(const KernelSpec& spec, Shape& shape);

} // namespace warptune
