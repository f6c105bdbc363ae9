// The digest that a row stores with a cubin: over its bytes, its key, its architecture and its names. Each reader of a
// row computes it again, so a changed byte is noticed before a launch.
#pragma once

#include "db/records.h"

#include <string>
#include <string_view>

namespace warptune::db {

inline constexpr int kFirstSchemaWithDigests = 7; // the digest; older rows have none

std::string cubin_names(const CubinRecord& cubin); // the names as stored in the row: one per line
// The same digest as schema/0007_cubin_digests.sql computes.
std::string cubin_digest(std::string_view hash, std::string_view arch, std::string_view names, std::string_view image);

} // namespace warptune::db
