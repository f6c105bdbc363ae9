// Compresses and decompresses texts with gzip, because recorded spaces are published in that form.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>

namespace warptune {

inline constexpr std::size_t kLargestText = std::size_t{512} << 20; // bytes; 30 times the largest known text

bool is_gzip(std::string_view bytes);

struct Inflated {
  std::string text;
  bool truncated = false; // whether the data is cut off; `text` is then the part before the cut
};
// `bytes`: one or more gzip members. Errors (bad_input): the data is damaged; the text is longer than `limit` bytes; or
// the text is longer than 16 MiB and more than 100 times as long as its compressed form. Refused input is not
// decompressed into memory. The caller puts the file's name before the error message.
Result<Inflated> gunzip(std::string_view bytes, std::size_t limit = kLargestText);

// Returns the same bytes as `gzip -9 -n`, without a name or time, so equal texts give equal bytes.
Result<std::string> gzip(std::string_view text);

} // namespace warptune
