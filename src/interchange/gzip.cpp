#include "interchange/gzip.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <zlib.h>

namespace warptune {
namespace {

constexpr int kGzipWindow = 15 + 16; // zlib: the largest window, with gzip's header and checksum
constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kSmallText = std::size_t{16} << 20; // bytes; read whatever the compression ratio
constexpr std::size_t kLargestRatio = 100;                // five times the ratio of recorded spaces

struct Inflater {
  z_stream stream{};
  bool ready = inflateInit2(&stream, kGzipWindow) == Z_OK;
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
};

Bytef* bytes_of(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

// Passes the text on in pieces, until `take` returns false. Returns whether the bytes end too early.
Result<bool> inflate_all(std::string_view bytes, const std::function<bool(std::string_view)>& take) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  if (!inflater.ready || bytes.size() > std::numeric_limits<uInt>::max())
    return fail(ErrorKind::bad_input, "its gzip data cannot be decompressed");
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string piece(kChunk, '\0');
  for (std::size_t before = 0;;) {
    stream.next_out = bytes_of(piece);
    stream.avail_out = static_cast<uInt>(kChunk);
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t size = kChunk - stream.avail_out;
    before += size;
    if (size > 0 && !take(std::string_view(piece).substr(0, size))) return false;
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) return false;
      if (inflateReset(&stream) != Z_OK) return fail(ErrorKind::internal, "its gzip data cannot be decompressed");
    } else if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      return true;
    } else if (status != Z_OK) {
      return fail(ErrorKind::bad_input,
                  fmt::format("its gzip data is damaged after {} bytes of decompressed text; copy it again", before));
    }
  }
}

} // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<Inflated> gunzip(std::string_view bytes, std::size_t limit) {
  const std::size_t most = std::min(limit, std::max(kSmallText, bytes.size() * kLargestRatio));
  // Decompress twice: text that is refused is never stored, and the buffer gets the exact size.
  std::size_t size = 0;
  WT_TRY(auto measured, inflate_all(bytes, [&](std::string_view piece) { return (size += piece.size()) <= most; }));
  if (size > most)
    return fail(ErrorKind::bad_input,
                most < limit ? fmt::format("it contains more than {} MiB of text in {} bytes; warptune refuses such a "
                                           "high compression ratio; decompress the file, and check the text",
                                           most >> 20, bytes.size())
                             : fmt::format("it contains more than {} MiB of text, the largest size that warptune reads",
                                           most >> 20));
  Inflated out;
  out.truncated = measured;
  out.text.reserve(size);
  WT_CHECK(inflate_all(bytes, [&](std::string_view piece) { return out.text.append(piece), true; }));
  return out;
}

Result<std::string> gzip(std::string_view text) {
  z_stream stream{};
  if (text.size() > kLargestText ||
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    return fail(ErrorKind::internal, "the text cannot be compressed");
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = bytes_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes_of(out);
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return fail(ErrorKind::internal, "the text cannot be compressed");
  return out;
}

} // namespace warptune
