#include "runtime/kernel.h"

#include <utility>

namespace warptune {

Signature signature_of(const KernelSpec& spec) {
  Signature signature;
  for (const Dim& dim : spec.dims) signature.dims.push_back(dim.name);
  for (const Argument& argument : spec.arguments) {
    if (const auto* buffer = std::get_if<BufferArg>(&argument.value)) {
      if (buffer->role != Role::workspace)
        signature.args.push_back({argument.name, WT_ARG_BUFFER, argument.when.has_value()});
    } else if (const auto* scalar = std::get_if<ScalarArg>(&argument.value); scalar && scalar->is_parameter) {
      signature.args.push_back({argument.name, scalar_kind(scalar->dtype), argument.when.has_value()});
    }
  }
  return signature;
}

void KernelHandle::follow(std::shared_ptr<const Catalog> content) {
  const std::lock_guard lock(cold.mutex);
  cold.tables.push_back(std::make_unique<Table>());
  cold.content = std::move(content);
  table.store(cold.tables.back().get(), std::memory_order_release);
}

} // namespace warptune
