// SHA-256 (FIPS 180-4), for content addresses of sources, compile requests and cubins; not used for secrets.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace warptune {

using Sha256 = std::array<unsigned char, 32>;

Sha256 sha256(std::string_view bytes);
std::string hex_text(const Sha256& digest);     // 64 hex digits, lower case
std::string sha256_hex(std::string_view bytes); // 64 hex digits, lower case

} // namespace warptune
