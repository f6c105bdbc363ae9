#include "spec/spec_uses.h"

namespace warptune {

void SpecUses::add(const BufferArg& buffer) {
  add(buffer.dtype), add(buffer.count), add(buffer.align);
  if (buffer.rows) add(buffer.rows->length), add(buffer.rows->stride);
  if (buffer.fill.kind == Fill::Kind::formula) add(buffer.fill.formula);
}

void SpecUses::add(const TensorMapArg& map) {
  add(map.dtype), add(map.swizzle), add(map.channels_per_pixel), add(map.pixels_per_column);
  for (const auto* all : {&map.dims, &map.strides, &map.box, &map.element_strides, &map.lower, &map.upper}) add(*all);
}

void SpecUses::add(const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    add(argument.when);
    std::visit([&](const auto& value) { add(value); }, argument.value);
  }
}

void SpecUses::add(const std::vector<Launch>& launches) {
  for (const Launch& launch : launches) {
    add(launch.when), add(launch.grid), add(launch.block), add(launch.cluster), add(launch.shared);
    for (const SourceValue& value : launch.template_args) add(value.expr);
  }
}

void SpecUses::add(const OwnLaunches& own) {
  add(own.arguments);
  add(own.launches);
}

void SpecUses::add(const Cost& cost) {
  add(cost.bytes_read), add(cost.bytes_written);
  for (const auto& [pipe, count] : cost.flops) add(count);
}

void SpecUses::add_effects(const Implementation& implementation, const std::set<std::string, std::less<>>* read) {
  for (const Define& define : implementation.defines)
    if (read == nullptr || read->count(define.name) != 0) add(define.value.expr);
  add(implementation.arguments);
  add(implementation.launches);
  for (const LibraryCall& call : implementation.library_calls) {
    add(call.when);
    for (const auto& [name, value] : call.values) add(value);
  }
  for (const Symbol& symbol : implementation.symbols) add(symbol.scalar);
  if (!implementation.build) return;
  for (const BuildWord& word : implementation.build->command)
    for (const BuildPiece& piece : word) add(piece.expr);
}

} // namespace warptune
