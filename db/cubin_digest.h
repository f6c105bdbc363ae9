// The digest stored with a cubin: over its bytes, key, architecture and names. Every reader of the row recomputes it,
// so that a changed byte is detected before a launch.
#pragma once

#include "db/records.h"

#include <string>
#include <string_view>

namespace warptune::db {

inline constexpr int kFirstSchemaWithDigests = 7; // the digest; older rows have none

std::string cubin_names(const CubinRecord& cubin); // the names as stored in the row: one per line
// Equals the digest that schema/0007_cubin_digests.sql computes.
std::string cubin_digest(std::string_view hash, std::string_view arch, std::string_view names, std::string_view image);

} // namespace warptune::db
