#include "spec/shape.h"

#include "core/text.h"
#include "core/units.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warptune {
namespace {

// A dim as a shape names it: a plain one, or a list.
struct WrittenDim {
  std::string name;
  std::size_t first; // into KernelSpec::dims
  int list;          // -1: a plain dim
};

std::vector<WrittenDim> written_dims(const KernelSpec& spec) {
  std::vector<WrittenDim> written;
  for (std::size_t d = 0; d < spec.dims.size(); ++d) {
    const int list = spec.list_of_dim(d);
    if (list < 0)
      written.push_back({spec.dims[d].name, d, list});
    else if (spec.lists[static_cast<std::size_t>(list)].first == d)
      written.push_back({spec.lists[static_cast<std::size_t>(list)].name, d, list});
  }
  return written;
}

ListNumbers numbers_at(const Shape& shape, const ListDim& list) {
  return {shape[list.first], shape[list.first + 1], shape[list.first + 2], shape[list.first + 3]};
}

} // namespace

void put_numbers(Shape& shape, const ListDim& list, const ListNumbers& numbers) {
  const std::int64_t all[] = {numbers.count, numbers.sum, numbers.max, numbers.min};
  std::copy(std::begin(all), std::end(all), shape.begin() + static_cast<std::ptrdiff_t>(list.first));
}

Result<void> check_list(const KernelSpec& spec, const ListDim& list, const SizeList& given, const std::string& where) {
  const ListNumbers numbers = given.numbers();
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::bad_input, where + "'" + list.name + "': " + why);
  };
  if (numbers.count > list.max_count)
    return refuse(std::to_string(numbers.count) + " sizes, but " + spec.name + " takes at most " +
                  std::to_string(list.max_count));
  for (std::size_t i = 0; i < given.elements.size(); ++i)
    if (given.elements[i] < list.min || given.elements[i] > list.max)
      return refuse("the size at index " + std::to_string(i) + " is " + std::to_string(given.elements[i]) +
                    "; it must be from " + std::to_string(list.min) + " to " + std::to_string(list.max));
  return {};
}

Result<void> check_size(const Dim& dim, std::int64_t size, const std::string& where) {
  if (size >= dim.min && size <= dim.max) return {};
  if (dim.is_fixed)
    return fail(ErrorKind::bad_input, where + "'" + dim.name + "=" + std::to_string(size) + "', but " + dim.name +
                                          " is fixed to " + std::to_string(dim.min) + "; leave it out");
  const std::string what = size < 0         ? " is negative"
                           : size == 0      ? " is zero"
                           : size < dim.min ? " is too small"
                                            : " is too large";
  return fail(ErrorKind::bad_input, where + "'" + dim.name + "=" + std::to_string(size) + "'" + what +
                                        "; give a size from " + std::to_string(dim.min) + " to " +
                                        std::to_string(dim.max));
}

Result<void> settle_lists(const KernelSpec& spec, const Shape& shape, std::vector<std::string>& lists,
                          const std::string& where) {
  if (lists.empty()) {
    for (const ListDim& list : spec.lists) {
      const ListNumbers numbers = numbers_at(shape, list);
      if (!numbers.exist())
        return fail(ErrorKind::bad_input,
                    where + "the list '" + list.name + "' cannot exist: no numbers have " + list.name +
                        "_count=" + std::to_string(numbers.count) + ", _sum=" + std::to_string(numbers.sum) +
                        ", _max=" + std::to_string(numbers.max) + " and _min=" + std::to_string(numbers.min));
      lists.push_back(spread_text(numbers));
    }
    return {};
  }
  if (lists.size() != spec.lists.size())
    return fail(ErrorKind::bad_input, where + "got " + count_text(std::ssize(lists), "list") + ", but the kernel has " +
                                          std::to_string(spec.lists.size()));
  for (std::size_t i = 0; i < lists.size(); ++i) {
    WT_TRY(auto parsed, parse_size_list(lists[i]));
    WT_CHECK(check_list(spec, spec.lists[i], parsed, where));
    if (!(parsed.numbers() == numbers_at(shape, spec.lists[i])))
      return fail(ErrorKind::bad_input, where + "the list " + quote(lists[i]) + " does not match the dims " +
                                            spec.lists[i].name + "_count, _sum, _max and _min");
    lists[i] = std::move(parsed.text);
  }
  return {};
}

std::string shape_form(const KernelSpec& spec) {
  const auto form = [&](bool with_defaults) {
    std::string text;
    for (const WrittenDim& dim : written_dims(spec))
      if (const Dim& own = spec.dims[dim.first]; !own.is_fixed && (with_defaults || !own.standard))
        text += (text.empty() ? "" : ",") + dim.name + (dim.list < 0 ? "=N" : "=[N,...]");
    return text;
  };
  const std::string needed = form(false);
  return needed.empty() ? form(true) : needed;
}

bool has_fixed_shape(const KernelSpec& spec) {
  return std::all_of(spec.dims.begin(), spec.dims.end(), [](const Dim& dim) { return dim.is_fixed; });
}

Shape smallest_shape(const KernelSpec& spec) {
  Shape shape;
  for (const Dim& dim : spec.dims) shape.push_back(dim.min);
  return shape;
}

std::string shape_text(const KernelSpec& spec, const Shape& shape, const std::vector<std::string>& lists) {
  std::string text;
  for (const WrittenDim& dim : written_dims(spec)) {
    // The first dim is always written, so that the text is not empty.
    if (dim.list < 0 && !text.empty() && spec.dims[dim.first].standard == shape[dim.first]) continue;
    const auto list = static_cast<std::size_t>(dim.list);
    text += (text.empty() ? "" : ",") + dim.name + "=";
    text += dim.list < 0          ? std::to_string(shape[dim.first])
            : list < lists.size() ? lists[list]
                                  : spread_text(numbers_at(shape, spec.lists[list]));
  }
  return text;
}

void make_lists_exist(const KernelSpec& spec, Shape& shape) {
  for (const ListDim& list : spec.lists) {
    ListNumbers numbers = numbers_at(shape, list);
    if (numbers.min > numbers.max) std::swap(numbers.min, numbers.max);
    put_numbers(shape, list, existing_numbers(numbers));
  }
}

namespace {

// Reads the pieces of one text; errors name it.
class SizesReader {
 public:
  SizesReader(const KernelSpec& spec, std::string_view text)
      : spec_(spec), text_(text), where_("shape " + quote(text) + " of " + spec.name + ": "),
        written_(written_dims(spec)), is_given_(written_.size()), sizes_{Shape(spec.dims.size()), {}} {
    sizes_.lists.resize(spec.lists.size());
  }

  Result<Sizes> read() {
    const bool is_empty = trim(text_).empty();
    if (is_empty && !has_fixed_shape(spec_)) return refuse("it is empty; write " + shape_form(spec_));
    if (!is_empty)
      for (const std::string_view piece : split_sizes(text_)) WT_CHECK(read_piece(piece));
    for (std::size_t i = 0; i < written_.size(); ++i) {
      const WrittenDim& dim = written_[i];
      if (is_given_[i]) continue;
      const Dim& own = spec_.dims[dim.first];
      if (!own.is_fixed && !own.standard)
        return refuse("the dim '" + dim.name + "' is missing; add " + dim.name + (dim.list < 0 ? "=N" : "=[N,...]"));
      sizes_.shape[dim.first] = own.standard.value_or(own.min);
    }
    return std::move(sizes_);
  }

 private:
  tl::unexpected<Error> refuse(const std::string& why) const { return fail(ErrorKind::bad_input, where_ + why); }

  Result<void> read_piece(std::string_view piece) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) return refuse(quote(piece) + " is not NAME=SIZE; write " + shape_form(spec_));
    const std::string_view name = trim(piece.substr(0, equals));
    const std::string_view value = trim(piece.substr(equals + 1));
    const std::vector<std::string> names = names_of(written_);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return unknown(name, names);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (is_given_[index]) return refuse("the dim '" + *found + "' is given twice; give it once");
    is_given_[index] = true;
    return written_[index].list < 0 ? read_size(spec_.dims[written_[index].first], written_[index].first, value)
                                    : read_list(static_cast<std::size_t>(written_[index].list), value);
  }

  Result<void> unknown(std::string_view name, const std::vector<std::string>& names) const {
    for (std::size_t d = 0; d < spec_.dims.size(); ++d) {
      const int list = spec_.list_of_dim(d);
      if (list < 0 || spec_.dims[d].name != name) continue;
      const std::string& whole = spec_.lists[static_cast<std::size_t>(list)].name;
      return refuse(quote(name) + " is computed from the list '" + whole + "'; write " + whole +
                    "=[N,...], or spread(COUNT,SUM,MAX,MIN) for a list with these numbers");
    }
    return refuse("unknown dim " + quote(name) + suggest_name(name, names));
  }

  Result<void> read_size(const Dim& dim, std::size_t index, std::string_view number) {
    std::int64_t size = 0;
    switch (parse_integer(number, size)) {
    case IntegerError::not_a_number:
      if (number.find(' ') != std::string_view::npos && number.find('=') != std::string_view::npos)
        return refuse("dims are separated by commas, not by spaces; write " + shape_form(spec_));
      return refuse("the size " + quote(number) + " of '" + dim.name +
                    "' is not a whole number; write digits such as " + dim.name + "=1024");
    case IntegerError::overflow:
      return refuse("the size " + quote(number) + " of '" + dim.name + "' does not fit 64 bits; give a size from " +
                    std::to_string(dim.min) + " to " + std::to_string(dim.max));
    case IntegerError::none:
      break;
    }
    WT_CHECK(check_size(dim, size, where_));
    sizes_.shape[index] = size;
    return {};
  }

  Result<void> read_list(std::size_t index, std::string_view value) {
    const ListDim& list = spec_.lists[index];
    auto parsed = parse_size_list(value);
    if (!parsed) return refuse("'" + list.name + "': " + parsed.error().message);
    WT_CHECK(check_list(spec_, list, *parsed, where_));
    put_numbers(sizes_.shape, list, parsed->numbers());
    sizes_.lists[index] = std::move(parsed->text);
    return {};
  }

  const KernelSpec& spec_;
  std::string_view text_;
  std::string where_;
  std::vector<WrittenDim> written_;
  std::vector<bool> is_given_;
  Sizes sizes_;
};

} // namespace

Result<Sizes> parse_sizes(const KernelSpec& spec, std::string_view text) { return SizesReader(spec, text).read(); }

Result<Shape> parse_shape(const KernelSpec& spec, std::string_view text) {
  WT_TRY(auto sizes, parse_sizes(spec, text));
  return std::move(sizes.shape);
}

} // namespace warptune
