#include "db/cubin_digest.h"

#include "db/digest.h"

#include <fmt/format.h>

namespace warptune::db {

std::string cubin_names(const CubinRecord& cubin) {
  std::string names;
  for (const std::string& name : cubin.lowered_names) names += name + '\n';
  return names;
}

std::string cubin_digest(std::string_view hash, std::string_view arch, std::string_view names, std::string_view image) {
  return digest(fmt::format("{}\n{}\n{}{}", hash, arch, names, digest(image)));
}

} // namespace warptune::db
