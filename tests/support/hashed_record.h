// A kernel as a database stores it: its files under their hash.
#pragma once

#include "db/records.h"
#include "spec/source_hash.h"
#include "spec/spec_json.h"

#include <stdexcept>
#include <utility>

namespace warptune::test {

inline KernelRecord with_own_hash(KernelRecord record) {
  const SourceFiles sources{record.files};
  const auto spec = parse_spec(sources, "spec.json");
  if (!spec) throw std::runtime_error(spec.error().message);
  record.source_hash = source_hash(*spec, sources);
  return record;
}

} // namespace warptune::test
