// The arguments of a spec: buffers with their fills, scalars, tensor maps.
#include "core/cpp_types.h"
#include "core/real_range.h"
#include "core/text.h"
#include "spec/alignment.h"
#include "spec/size_list.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warptune {
namespace {

constexpr std::size_t kMaxArguments = 256;

std::vector<std::string> buffer_names(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments)
    if (std::holds_alternative<BufferArg>(argument.value)) names.push_back(argument.name);
  return names;
}

} // namespace

void DescriptionReader::arguments(const JsonCursor& root) {
  const JsonCursor c = root.at("arguments");
  spec_.arguments = argument_list(c, Owner::kernel);
  if (spec_.arguments.empty()) c.error("no arguments; a kernel needs at least one output buffer");
  check_tensor_map_buffers(c, spec_.arguments);
  const bool has_output = std::any_of(spec_.arguments.begin(), spec_.arguments.end(), [](const Argument& argument) {
    const auto* buffer = std::get_if<BufferArg>(&argument.value);
    return buffer && (buffer->role == Role::output || buffer->role == Role::inout);
  });
  if (!has_output)
    c.error(
        "no buffer has the role output or inout, so nothing could be verified; give one of these roles to a buffer");
}

// Arguments that an implementation adds: workspaces, tensor maps and scalars. All others belong to the operator.
void DescriptionReader::own_arguments(const ImplementationPart& part) {
  current_->arguments = spec_.arguments;
  if (part.is_inline) return;
  if (const auto align = part.cursor.find("align")) own_alignments(*align);
  const auto section = part.cursor.find("arguments");
  if (!section) return;
  for (Argument& argument : argument_list(*section, Owner::implementation))
    current_->arguments.push_back(std::move(argument));
  check_tensor_map_buffers(*section, current_->arguments);
}

// Alignments that an implementation requires of the operator's buffers, whose own entries cannot use its params.
void DescriptionReader::own_alignments(const JsonCursor& c) {
  for (const auto& [name, item] : c.members()) {
    const int index = spec_.find_argument(name);
    auto* buffer =
        index < 0 ? nullptr : std::get_if<BufferArg>(&current_->arguments[static_cast<std::size_t>(index)].value);
    if (buffer == nullptr || buffer->role == Role::workspace)
      return item.error(quote(name) + " is not a buffer that the caller passes" +
                        suggest_name(name, buffer_names(spec_.arguments)));
    alignment(item, *buffer);
  }
}

// A constant is checked here, a formula for each configuration.
void DescriptionReader::alignment(const JsonCursor& c, BufferArg& buffer) {
  buffer.align = formula(c);
  if (c.failed() || !buffer.align->is_constant()) return;
  if (const auto bytes = buffer_alignment(buffer, {}); !bytes) c.error(bytes.error().message);
}

std::vector<Argument> DescriptionReader::argument_list(const JsonCursor& c, Owner owner) {
  const bool of_reference = owner == Owner::reference;
  std::vector<Argument> arguments;
  const auto members = c.members();
  if (members.size() > kMaxArguments)
    c.error(std::to_string(members.size()) + " arguments, more than the " + std::to_string(kMaxArguments) +
            " allowed; use fewer");
  for (const auto& [name, item] : members) {
    if (!is_identifier(name))
      item.error(quote(name) + " is not a valid name; use letters, digits and '_', a letter first");
    if (owner != Owner::kernel && spec_.find_argument(name) >= 0)
      item.error(quote(name) + (of_reference ? " is already one of the arguments above; choose another name"
                                             : " is already an argument of the operator; choose another name"));
    Argument argument;
    argument.name = name;
    if (item.find("buffer"))
      argument.value = buffer(item, owner);
    else if (item.find("scalar"))
      argument.value = scalar(item, owner);
    else if (item.find("tensor_map") && !of_reference)
      argument.value = tensor_map(item);
    else if (of_reference)
      item.expected("an object with the key 'buffer' or 'scalar'");
    else
      item.expected("an object with the key 'buffer', 'scalar' or 'tensor_map'");
    if (of_reference)
      if (const auto* s = std::get_if<ScalarArg>(&argument.value)) without_params(item, s->value, own_title_);
    presence(item, owner, argument);
    if (item.failed()) break;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void DescriptionReader::argument_keys(const JsonCursor& c, std::vector<std::string_view> keys) {
  if (format_ >= 2) keys.push_back("when");
  c.only(keys);
}

// The caller passes the same arguments for all configurations, so their conditions may not depend on params.
void DescriptionReader::presence(const JsonCursor& c, Owner owner, Argument& argument) {
  const auto when = format_ >= 2 ? c.find("when") : std::nullopt;
  if (!when) return;
  argument.when = formula(*when);
  const auto* buffer = std::get_if<BufferArg>(&argument.value);
  const auto* scalar = std::get_if<ScalarArg>(&argument.value);
  if (owner == Owner::reference)
    without_params(*when, *argument.when, own_title_);
  else if ((buffer && buffer->role != Role::workspace) || (scalar && scalar->is_parameter)) {
    without_params(*when, *argument.when, "an argument that the caller passes");
    without_device(*when, *argument.when, "an argument that the caller passes");
  }
}

BufferArg DescriptionReader::buffer(const JsonCursor& c, Owner owner) {
  const bool of_reference = owner == Owner::reference;
  std::vector<std::string_view> keys = {"buffer", "count", "role", "fill", "zero", "align"};
  if (format_ >= 2) keys.push_back("rows");
  argument_keys(c, std::move(keys));
  BufferArg buffer;
  buffer.dtype = dtype_formula(c.at("buffer"));
  buffer.count = formula(c.at("count"));
  const JsonCursor role = c.at("role");
  buffer.role = static_cast<Role>(role.choice({"input", "output", "inout", "workspace"}));
  if (of_reference && (buffer.role == Role::output || buffer.role == Role::inout))
    role.error("an additional buffer of " + own_title_ +
               " must be a workspace or an input; declare outputs in the kernel's arguments");
  if (owner == Owner::implementation && buffer.role != Role::workspace)
    role.error("an implementation may only add workspaces; declare buffers of the caller in spec.json, for all "
               "implementations");
  if (buffer.role != Role::workspace || of_reference) {
    const std::string what = of_reference ? own_title_ : "a buffer that is not a workspace";
    without_params(c.at("buffer"), buffer.dtype, what);
    without_params(c.at("count"), buffer.count, what);
  }
  const bool filled = buffer.role == Role::input || buffer.role == Role::inout;
  if (const auto fill_c = c.find("fill")) {
    if (!filled) fill_c->error("only buffers with the role input or inout have a fill; remove this one");
    buffer.fill = fill(*fill_c);
    check_list_fill(*fill_c, buffer);
    if (buffer.fill.kind == Fill::Kind::prepared && (buffer.role != Role::input || owner != Owner::kernel))
      fill_c->error("only a buffer of spec.json with the role input can have the fill \"prepared\"; give this buffer "
                    "another fill");
  }
  if (const auto zero = c.find("zero")) {
    buffer.zero = zero->boolean();
    if (buffer.zero && buffer.role != Role::workspace)
      zero->error("only a workspace can be cleared; leave this out, or set the role to workspace");
  }
  if (const auto align = c.find("align")) {
    if (of_reference || buffer.role == Role::workspace)
      align->error("only buffers that the caller passes have an alignment; leave it out");
    alignment(*align, buffer);
  }
  if (const auto gaps = format_ >= 2 ? c.find("rows") : std::nullopt) rows(*gaps, owner, buffer);
  return buffer;
}

Fill DescriptionReader::fill(const JsonCursor& c) {
  Fill fill;
  if (format_ >= 2 && c.is(JsonValue::Kind::text)) {
    fill.kind = Fill::Kind::prepared;
    (void)c.choice({"prepared"});
    return fill;
  }
  std::vector<std::string_view> kinds = {"uniform", "normal", "integers", "constant", "formula"};
  if (format_ >= 2 && !spec_.lists.empty()) kinds.insert(kinds.end(), {"list", "offsets"});
  c.only(kinds);
  const auto members = c.members();
  if (members.size() != 1) {
    c.expected("an object with exactly one of " + join_choices({kinds.begin(), kinds.end()}));
    return fill;
  }
  const auto& [kind, value] = members.front();
  if (kind == "constant") {
    fill.kind = Fill::Kind::constant;
    fill.a = value.number();
    return fill;
  }
  if (kind == "formula") {
    fill.kind = Fill::Kind::formula;
    Scope with_index = scope();
    with_index.add_slot("i");
    fill.formula = formula(value, with_index);
    without_params(value, fill.formula, "a fill");
    return fill;
  }
  if (kind == "list" || kind == "offsets") {
    fill.kind = kind == "list" ? Fill::Kind::list : Fill::Kind::offsets;
    if (const int list = spec_.find_list(value.text()); list >= 0)
      fill.list = static_cast<std::size_t>(list);
    else
      value.error(quote(value.text()) + " is not a dim that is a list" +
                  suggest_name(value.text(), names_of(spec_.lists)));
    return fill;
  }
  const std::vector<JsonCursor> pair = value.items();
  if (pair.size() != 2) {
    value.expected(kind == "normal" ? "[mean, stddev]" : "[low, high]");
    return fill;
  }
  fill.kind = kind == "uniform" ? Fill::Kind::uniform : kind == "normal" ? Fill::Kind::normal : Fill::Kind::integers;
  const bool integers = fill.kind == Fill::Kind::integers;
  fill.a = integers ? static_cast<double>(pair[0].integer()) : pair[0].number();
  fill.b = integers ? static_cast<double>(pair[1].integer()) : pair[1].number();
  if (!std::isfinite(fill.a) || !std::isfinite(fill.b)) value.expected("finite numbers");
  if (fill.kind == Fill::Kind::normal && fill.b < 0) pair[1].expected("a standard deviation of at least 0");
  if (fill.kind != Fill::Kind::normal && fill.a > fill.b) value.error("low is above high; swap them");
  return fill;
}

// A dtype that is a formula is checked for each problem (plan/list_fill.h), and so is a count that depends on other
// names.
void DescriptionReader::check_list_fill(const JsonCursor& c, const BufferArg& buffer) {
  const bool is_list = buffer.fill.kind == Fill::Kind::list || buffer.fill.kind == Fill::Kind::offsets;
  if (!is_list || c.failed()) return;
  const auto dtype = buffer.dtype.is_constant() ? buffer.dtype.evaluate({}) : Result<std::int64_t>(-1);
  if (dtype && *dtype >= 0 && dtype_is_floating(static_cast<DType>(*dtype)))
    c.error("list sizes are whole numbers; give the buffer an integer dtype such as int32");
  check_list_count(c, buffer);
}

// If the number of elements of the buffer depends only on the numbers of the list, it is checked with a few lists.
void DescriptionReader::check_list_count(const JsonCursor& c, const BufferArg& buffer) {
  const ListDim& list = spec_.lists[buffer.fill.list];
  const std::size_t first = device_limit_names().size() + list.first, end = first + kListNumbers.size();
  const std::vector<int>& used = buffer.count.slots();
  if (!used.empty() && (static_cast<std::size_t>(used.front()) < first || static_cast<std::size_t>(used.back()) >= end))
    return;
  const bool is_offsets = buffer.fill.kind == Fill::Kind::offsets;
  std::vector<std::int64_t> slots(end);
  for (const std::int64_t count : {1, 2, 7}) {
    // `count` sizes, of which the largest is 5 and the others 3.
    const std::int64_t numbers[] = {count, 3 * count + 2, 5, count == 1 ? 5 : 3};
    std::copy(std::begin(numbers), std::end(numbers), slots.begin() + static_cast<std::ptrdiff_t>(first));
    const Result<std::int64_t> elements = buffer.count.evaluate(slots);
    if (elements && *elements == count + (is_offsets ? 1 : 0)) continue;
    return c.error("the buffer does not have as many elements as the " +
                   std::string(is_offsets ? "offsets of " : "list ") + quote(list.name) + "; write \"count\": \"" +
                   list.name + "_count" + (is_offsets ? " + 1" : "") + "\"");
  }
}

ScalarArg DescriptionReader::scalar(const JsonCursor& c, Owner owner) {
  argument_keys(c, {"scalar", "value", "role"});
  ScalarArg scalar;
  const JsonCursor type = c.at("scalar");
  const auto dtype = parse_dtype(type.text());
  if (!dtype && dtype_of_cpp(type.text()))
    type.error("unknown dtype " + quote(type.text()) + suggest_dtype(type.text(), {}));
  else if (!dtype)
    type.expected("the name of a dtype, such as \"int32\"");
  scalar.dtype = dtype.value_or(DType::int32);
  const JsonCursor value = c.at("value");
  if (!dtype_is_floating(scalar.dtype))
    scalar.value = formula(value);
  else if (format_ < 2 || value.is_number()) {
    scalar.number = value.number();
    if (!value.failed() && !dtype_holds_real(scalar.dtype, scalar.number))
      value.error("the number is too large for " + std::string(dtype_name(scalar.dtype)));
  } else
    scalar.formula = real_formula(value);
  if (const auto role = c.find("role")) {
    role->choice({"parameter"});
    scalar.is_parameter = true;
  }
  if (scalar.formula && owner == Owner::reference) without_params(value, scalar.formula->slots(), "the reference");
  if (scalar.formula && owner == Owner::kernel && (scalar.is_parameter || spec_.has_choice()))
    without_params(value, scalar.formula->slots(), "a scalar that all implementations share");
  return scalar;
}

// One of the four values or, in format 2, a formula of bytes: the swizzle of a box whose width is a param depends on
// that param.
Expr DescriptionReader::swizzle_bytes(const JsonCursor& c) {
  const bool is_formula = !c.is(JsonValue::Kind::text) || (c.text() != "none" && !c.text().ends_with('B'));
  if (format_ >= 2 && is_formula) return formula(c);
  return Expr::constant(std::array{0, 32, 64, 128}[c.choice({"none", "32B", "64B", "128B"})]);
}

TensorMapArg DescriptionReader::tensor_map(const JsonCursor& c) {
  argument_keys(c, {"tensor_map", "dims", "strides", "box", "element_strides", "swizzle", "interleave", "l2_promotion",
                    "fill", "dtype", "mode", "lower", "upper", "channels_per_pixel", "pixels_per_column"});
  TensorMapArg map;
  map.buffer = c.at("tensor_map").text();
  if (const auto mode = c.find("mode")) map.im2col = mode->choice({"tiled", "im2col"}) == 1;
  map.dims = formulas(c.at("dims"), map.im2col ? 3 : 1, 5);
  if (c.failed()) return map;
  const std::size_t rank = map.dims.size();
  if (rank > 1 || c.find("strides")) map.strides = formulas(c.at("strides"), rank - 1, rank - 1);
  if (const auto strides = c.find("element_strides")) map.element_strides = formulas(*strides, rank, rank);
  if (map.im2col) {
    if (const auto box = c.find("box"))
      box->error(
          "an im2col map has lower, upper, channels_per_pixel and pixels_per_column instead of a box; leave it out");
    map.lower = formulas(c.at("lower"), rank - 2, rank - 2);
    map.upper = formulas(c.at("upper"), rank - 2, rank - 2);
    map.channels_per_pixel = formula(c.at("channels_per_pixel"));
    map.pixels_per_column = formula(c.at("pixels_per_column"));
  } else {
    map.box = formulas(c.at("box"), rank, rank);
    for (const std::string_view key : {"lower", "upper", "channels_per_pixel", "pixels_per_column"})
      if (const auto extra = c.find(key)) extra->error("only a map of mode im2col has this key; leave it out");
  }
  const auto bytes = [&](std::string_view key, std::initializer_list<std::string_view> choices,
                         std::initializer_list<int> values) {
    const auto found = c.find(key);
    return found ? values.begin()[found->choice(choices)] : 0;
  };
  if (const auto swizzle = c.find("swizzle")) map.swizzle = swizzle_bytes(*swizzle);
  map.interleave_bytes = bytes("interleave", {"none", "16B", "32B"}, {0, 16, 32});
  map.l2_promotion_bytes = bytes("l2_promotion", {"none", "64B", "128B", "256B"}, {0, 64, 128, 256});
  if (const auto filled = c.find("fill")) map.fill_nan = filled->choice({"zero", "nan"}) == 1;
  if (const auto dtype = c.find("dtype")) map.dtype = dtype_formula(*dtype);
  return map;
}

// Called after all arguments are read, because a map may come before its buffer.
void DescriptionReader::check_tensor_map_buffers(const JsonCursor& c, const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    const auto* map = std::get_if<TensorMapArg>(&argument.value);
    if (!map) continue;
    const bool is_buffer = std::any_of(arguments.begin(), arguments.end(), [&](const Argument& other) {
      return other.name == map->buffer && std::holds_alternative<BufferArg>(other.value);
    });
    if (is_buffer || !c.find(argument.name)) continue;
    c.at(argument.name)
        .at("tensor_map")
        .error(quote(map->buffer) + " is not a buffer among the arguments" +
               suggest_name(map->buffer, buffer_names(arguments)));
  }
}

} // namespace warptune
