// `rows` of a buffer: rows with gaps between them.
#include "spec/spec_json_parts.h"

namespace warptune {

// Constants are checked here, formulas for each problem (plan/plan_rows.cpp).
void DescriptionReader::rows(const JsonCursor& c, Owner owner, BufferArg& buffer) {
  if (owner == Owner::reference || buffer.role == Role::workspace)
    return c.error("only buffers that a caller gives have rows with gaps; leave it out");
  if (buffer.fill.kind == Fill::Kind::list || buffer.fill.kind == Fill::Kind::offsets)
    return c.error("sizes of a list have no gaps; leave it out");
  c.only({"length", "stride"});
  const JsonCursor length_c = c.at("length"), stride_c = c.at("stride");
  RowsArg rows{formula(length_c), formula(stride_c)};
  if (c.failed()) return;
  without_params(length_c, rows.length, "a buffer that is not a workspace");
  without_params(stride_c, rows.stride, "a buffer that is not a workspace");
  if (rows.length.is_constant()) {
    const auto length = rows.length.evaluate({});
    if (length && *length < 1) length_c.error("a row has at least one element");
    const auto stride = rows.stride.is_constant() ? rows.stride.evaluate({}) : length;
    if (length && stride && *stride < *length)
      stride_c.error(
          "the stride must be at least the length: it is the distance from the beginning of a row to the next one");
  }
  buffer.rows = std::move(rows);
}

} // namespace warptune
