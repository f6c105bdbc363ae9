#include "interchange/gzip.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <zlib.h>

namespace warptune {
namespace {

constexpr int kGzipWindow = 15 + 16; // zlib: the largest window, with gzip's header and checksum
constexpr std::size_t kChunk = std::size_t{1} << 18;

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
Error too_large(std::size_t limit) {
  return {ErrorKind::bad_input, fmt::format("it holds more than {} MiB of text, beyond what is read", limit >> 20)};
}

} // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<Inflated> gunzip(std::string_view bytes, std::size_t limit) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  if (!inflater.ready || bytes.size() > std::numeric_limits<uInt>::max())
    return fail(ErrorKind::bad_input, "its gzip data cannot be decompressed here");
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  Inflated out;
  for (;;) {
    const std::size_t had = out.text.size();
    if (had > limit) return tl::make_unexpected(too_large(limit));
    out.text.resize(had + kChunk);
    stream.next_out = reinterpret_cast<Bytef*>(out.text.data() + had);
    stream.avail_out = static_cast<uInt>(kChunk);
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.text.resize(had + kChunk - stream.avail_out);
    if (status == Z_STREAM_END) {
      if (out.text.size() > limit) return tl::make_unexpected(too_large(limit));
      if (stream.avail_in == 0) return out;
      if (inflateReset(&stream) != Z_OK) return fail(ErrorKind::internal, "its gzip data cannot be decompressed");
    } else if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      out.truncated = true;
      return out;
    } else if (status != Z_OK) {
      return fail(ErrorKind::bad_input,
                  fmt::format("its gzip data is damaged after {} bytes of text; copy it again", out.text.size()));
    }
  }
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
