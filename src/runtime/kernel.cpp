#include "runtime/kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace warptune {
namespace {

// Returns nullopt if the size cannot be evaluated.
std::optional<std::int64_t> bytes_of(const BufferArg& buffer, std::span<const std::int64_t> slots) {
  std::int64_t dtype = 0, count = 0, bytes = 0;
  if (!buffer.dtype.try_evaluate(slots, dtype) || dtype < 0 || dtype >= kDTypeCount) return std::nullopt;
  if (!buffer.count.try_evaluate(slots, count)) return std::nullopt;
  if (__builtin_mul_overflow(count, dtype_bytes(static_cast<DType>(dtype)), &bytes)) return std::nullopt;
  return bytes;
}

} // namespace

Signature signature_of(const KernelSpec& spec) {
  Signature signature;
  for (std::size_t d = 0; d < spec.dims.size(); ++d) {
    if (spec.dims[d].is_fixed) continue;
    const int list = spec.list_of_dim(d);
    signature.dims.push_back(spec.dims[d].name);
    signature.defaults.push_back(spec.dims[d].standard.value_or(-1));
    signature.lists.push_back(list < 0 ? std::string() : spec.lists[static_cast<std::size_t>(list)].name);
  }
  for (const Argument& argument : spec.arguments) {
    if (const auto* buffer = std::get_if<BufferArg>(&argument.value)) {
      if (buffer->role != Role::workspace)
        signature.args.push_back({argument.name, WT_ARG_BUFFER, argument.when.has_value()});
    } else if (const auto* scalar = std::get_if<ScalarArg>(&argument.value); scalar && scalar->is_parameter) {
      signature.args.push_back({argument.name, scalar_kind(scalar->dtype), argument.when.has_value(), scalar->dtype});
    }
  }
  return signature;
}

Result<Shape> shape_of_call(const KernelSpec& spec, std::span<const std::int64_t> dims) {
  Shape shape;
  std::size_t next = 0;
  for (const Dim& dim : spec.dims)
    if (dim.is_fixed || next < dims.size()) shape.push_back(dim.is_fixed ? dim.min : dims[next++]);
  if (next < dims.size() || shape.size() < spec.dims.size()) {
    const std::vector<std::string> names = signature_of(spec).dims;
    return fail(ErrorKind::bad_input,
                fmt::format("{}, but {} has {}: {}", given_text(static_cast<std::int64_t>(dims.size()), "dim"),
                            spec.name, names.size(), fmt::join(names, ", ")));
  }
  return shape;
}

std::vector<std::int64_t> dims_of_call(const KernelSpec& spec, const Shape& shape) {
  std::vector<std::int64_t> dims;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!spec.dims[d].is_fixed) dims.push_back(shape[d]);
  return dims;
}

PresentBuffers present_buffers(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits) {
  const std::vector<std::int64_t> slots = make_slots(spec, problem, limits);
  PresentBuffers present;
  std::size_t position = 0;
  std::int64_t most = -1;
  for (const Argument& argument : spec.arguments) {
    const auto* buffer = std::get_if<BufferArg>(&argument.value);
    const auto* scalar = std::get_if<ScalarArg>(&argument.value);
    if (!(buffer && buffer->role != Role::workspace) && !(scalar && scalar->is_parameter)) continue;
    std::int64_t exists = 1;
    if (argument.when && !argument.when->try_evaluate(slots, exists)) exists = 0;
    if (buffer && exists != 0) {
      present.all.push_back(position);
      const std::int64_t bytes = bytes_of(*buffer, slots).value_or(-1);
      if (bytes > most) present.largest.clear();
      most = std::max(most, bytes);
      if (bytes == most) present.largest.push_back(position);
    }
    ++position;
  }
  return present;
}

KernelHandle::Tables KernelHandle::make_tables() {
  const std::lock_guard lock(cold.mutex);
  cold.tables.reserve(cold.tables.size() + 1);
  cold.presence_tables.reserve(cold.presence_tables.size() + 1);
  return {std::make_unique<Table>(), std::make_unique<PresenceTable>()};
}

void KernelHandle::follow(std::shared_ptr<const Catalog> content, Tables made) {
  const std::lock_guard lock(cold.mutex);
  cold.tables.push_back(std::move(made.table));
  cold.presence_tables.push_back(std::move(made.presence));
  cold.content = std::move(content);
  presence.store(cold.presence_tables.back().get(), std::memory_order_release);
  table.store(cold.tables.back().get(), std::memory_order_release);
}

} // namespace warptune
