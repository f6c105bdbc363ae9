// Compressed texts: recorded spaces are published with gzip. Knows no file and no format.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>

namespace warptune {

inline constexpr std::size_t kLargestText = std::size_t{512} << 20; // bytes, decompressed; 30 times the largest in use

bool is_gzip(std::string_view bytes);

struct Inflated {
  std::string text;
  bool truncated = false; // the bytes end too early; `text` is the part before that
};
// `bytes`: one or more gzip members. Errors (bad_input), the ends of a sentence that begins with the file's name:
// damaged; more than `limit` bytes of text; more than 16 MiB of text, compressed to less than a hundredth. Refused
// input takes no memory.
Result<Inflated> gunzip(std::string_view bytes, std::size_t limit = kLargestText);

// The same bytes as `gzip -9 -n`: equal texts give equal bytes.
Result<std::string> gzip(std::string_view text);

} // namespace warptune
