// The layout of a buffer's elements: rows, which may have gaps between them (docs/spec.md, "rows").
#pragma once

#include <cstdint>

namespace warptune {

// Of every `stride` elements, the first `length` are a row. The rest is a gap, which kernels must not write to. The gap
// after the last row may be missing.
struct BufferRows {
  std::int64_t length = 1, stride = 1;

  bool have_gaps() const { return stride > length; }
  // For a buffer of `count` elements: the number of gaps, and the number of elements that are in rows.
  std::int64_t gaps(std::int64_t count) const { return have_gaps() ? count / stride : 0; }
  std::int64_t elements(std::int64_t count) const { return count - gaps(count) * (stride - length); }
};

} // namespace warptune
