// The sizes of a problem: what a shape's text says, and the text of sizes. Dims that are lists are named as a whole
// here and stand as four numbers each in a Shape.
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

// "rows=32768,cols=4096", "rows=[3,5],n=64" -> what it says. Says which dim is missing, unknown (nearest name),
// repeated, not a number, out of range. Dims of a fixed size, and those with a default, may be left out.
Result<Sizes> parse_sizes(const KernelSpec& spec, std::string_view text);
Result<Shape> parse_shape(const KernelSpec& spec, std::string_view text); // its numbers alone

// What parse_sizes reads. Without `lists` each is spread(...) of its numbers.
std::string shape_text(const KernelSpec& spec, const Shape& shape, const std::vector<std::string>& lists = {});
std::string shape_form(const KernelSpec& spec); // "rows=[N,...],n=N": what the user is shown to type

bool has_fixed_shape(const KernelSpec& spec); // every dim is fixed, so that a shape may be empty
Shape smallest_shape(const KernelSpec& spec); // that the kernel takes, where only dtype and flags matter

// Errors begin with `where`.
Result<void> check_size(const Dim& dim, std::int64_t size, const std::string& where);
Result<void> check_list(const KernelSpec& spec, const ListDim& list, const SizeList& given, const std::string& where);
void put_numbers(Shape& shape, const ListDim& list, const ListNumbers& numbers);
// Whether the numbers of the lists are those of the texts, which become canonical; without texts, spread(...) of the
// numbers.
Result<void> settle_lists(const KernelSpec& spec, const Shape& shape, std::vector<std::string>& lists,
                          const std::string& where);
// Numbers that were drawn or shortened one by one -> the nearest that a list has.
void make_lists_exist(const KernelSpec& spec, Shape& shape);

} // namespace warptune
