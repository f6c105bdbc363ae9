// Compressed texts: recorded spaces are published with gzip. Does not depend on files or formats.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>

namespace warptune {

inline constexpr std::size_t kLargestText = std::size_t{512} << 20; // in bytes: 30 times the largest known text

bool is_gzip(std::string_view bytes);

struct Inflated {
  std::string text;
  bool truncated = false; // whether the data is truncated; `text` is then the part before the end
};
// `bytes`: one or more gzip members. The caller puts the file's name before the error message. Errors (bad_input):
// damaged; more than `limit` bytes of text; more than 16 MiB of text, compressed to less than a hundredth. Refused
// input takes no memory.
Result<Inflated> gunzip(std::string_view bytes, std::size_t limit = kLargestText);

// Returns the same bytes as `gzip -9 -n`, so equal texts give equal bytes.
Result<std::string> gzip(std::string_view text);

} // namespace warptune
