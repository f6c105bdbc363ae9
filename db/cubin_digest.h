// The digest that is stored with a cubin, over its bytes, key, architecture and names. Every reader of the row computes
// it again, so that a changed byte is found before a launch.
#pragma once

#include "db/records.h"

#include <string>
#include <string_view>

namespace warptune::db {

inline constexpr int kFirstSchemaWithDigests = 7; // rows of older schemas have no digest

std::string cubin_names(const CubinRecord& cubin); // the names as stored in the row: one per line
// Returns the same digest that schema/0007_cubin_digests.sql computes.
std::string cubin_digest(std::string_view hash, std::string_view arch, std::string_view names, std::string_view image);

} // namespace warptune::db
