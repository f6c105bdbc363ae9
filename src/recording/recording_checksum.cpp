#include "recording/recording_checksum.h"

#include "core/sha256.h"

#include <string_view>

namespace warptune {
namespace {

constexpr std::string_view kBegin = ",\"sha256\":\"", kEnd = "\"}\n";
constexpr std::size_t kHexDigits = 64;

} // namespace

std::string with_checksum(const std::string& json) {
  const std::string_view open = std::string_view(json).substr(0, json.size() - 1);
  return std::string(open) + std::string(kBegin) + sha256_hex(json) + std::string(kEnd);
}

Checksum checksum_of(const std::string& text) {
  const std::size_t length = kBegin.size() + kHexDigits + kEnd.size();
  if (text.size() < length || !text.ends_with(kEnd)) return Checksum::none;
  const std::size_t at = text.size() - length;
  if (text.compare(at, kBegin.size(), kBegin) != 0) return Checksum::none;
  const bool holds = text.compare(at + kBegin.size(), kHexDigits, sha256_hex(text.substr(0, at) + "}")) == 0;
  return holds ? Checksum::holds : Checksum::wrong;
}

} // namespace warptune
