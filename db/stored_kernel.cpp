#include "db/stored_kernel.h"

#include "spec/source_hash.h"
#include "spec/spec_json.h"

#include <fmt/format.h>

namespace warptune {

Result<KernelSpec> spec_of(const KernelRecord& record) {
  const SourceFiles sources{record.files};
  if (find_source(sources, "spec.json") == nullptr)
    return fail(
        ErrorKind::database,
        fmt::format("the database's record of kernel {} has no spec.json; tune the kernel again from its folder",
                    record.name));
  auto spec = parse_spec(sources, fmt::format("spec.json of {} in the database", record.name));
  if (!spec) return fail(ErrorKind::database, spec.error().message); // stored text, not the caller's input
  if (source_hash(*spec, sources) != record.source_hash)
    return fail(ErrorKind::database,
                fmt::format("the stored kernel {} cannot be used: its files do not match its source hash {:.12}; the "
                            "database or pack was changed or damaged; restore a copy, or tune the kernel again",
                            record.name, record.source_hash));
  return spec;
}

} // namespace warptune
