// Where the elements of a buffer lie: in rows, which may have gaps between them (docs/spec.md, "rows").
#pragma once

#include <cstdint>

namespace warptune {

// Of every `stride` elements the first `length` are the row, the others a gap that belongs to nobody. Behind the last
// row there may be none.
struct BufferRows {
  std::int64_t length = 1, stride = 1;

  bool have_gaps() const { return stride > length; }
  // Of a buffer of `count` elements.
  std::int64_t gaps(std::int64_t count) const { return have_gaps() ? count / stride : 0; }
  std::int64_t elements(std::int64_t count) const { return count - gaps(count) * (stride - length); }
};

} // namespace warptune
