// What a stored image was when it was stored: the digest that its row holds beside it, over the image, its key, its
// architecture and its names. Each reader of a row computes it again, so a changed byte is noticed before it is
// launched.
#pragma once

#include "db/records.h"

#include <string>
#include <string_view>

namespace warptune::db {

inline constexpr int kFirstSchemaWithDigests = 7; // before it nothing says what an image was

std::string cubin_names(const CubinRecord& cubin); // as the row has them: one a line
// As schema/0007_cubin_digests.sql computes it.
std::string cubin_digest(std::string_view hash, std::string_view arch, std::string_view names, std::string_view image);

} // namespace warptune::db
