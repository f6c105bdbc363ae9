// The sizes of a problem: reads and writes their text. The text names a list dim once, as a whole; a Shape holds four
// numbers for it.
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
  std::vector<std::string> lists; // the canonical string of each of KernelSpec::lists
};

// Parses "rows=32768,cols=4096", "rows=[3,5],n=64". The error names the dim that is missing, unknown (with the nearest
// name), repeated, not a number, or out of range. Dims with a fixed size or a default may be left out.
Result<Sizes> parse_sizes(const KernelSpec& spec, std::string_view text);
Result<Shape> parse_shape(const KernelSpec& spec, std::string_view text); // only the numbers

// Returns a text that parse_sizes reads. Without `lists`, each list is written as spread(...) of its numbers.
std::string shape_text(const KernelSpec& spec, const Shape& shape, const std::vector<std::string>& lists = {});
std::string shape_form(const KernelSpec& spec); // "rows=[N,...],n=N": the form of a shape, to show to the user

bool has_fixed_shape(const KernelSpec& spec); // whether every dim is fixed, so that a shape may be empty
// Returns the smallest shape of the kernel, for use when only dtype and flags matter.
Shape smallest_shape(const KernelSpec& spec);

// Errors of both functions begin with `where`.
Result<void> check_size(const Dim& dim, std::int64_t size, const std::string& where);
Result<void> check_list(const KernelSpec& spec, const ListDim& list, const SizeList& given, const std::string& where);
void put_numbers(Shape& shape, const ListDim& list, const ListNumbers& numbers);
// Checks that the lists' texts match the numbers in `shape`, and makes the texts canonical. Without texts, sets them to
// spread(...) of the numbers.
Result<void> settle_lists(const KernelSpec& spec, const Shape& shape, std::vector<std::string>& lists,
                          const std::string& where);
// Replaces each list's four numbers by the nearest ones that some list has. Needed after numbers were drawn or reduced
// independently.
void make_lists_exist(const KernelSpec& spec, Shape& shape);

} // namespace warptune
