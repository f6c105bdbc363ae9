// SHA-256 (FIPS 180-4): content addresses of sources, compile requests and cubins. Not for secrets.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

std::string sha256_hex(std::string_view bytes); // 64 hex digits, lower case

} // namespace warptune
