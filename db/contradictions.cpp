#include "db/contradictions.h"

#include <array>
#include <fmt/format.h>

namespace warptune::db {
namespace {

// kReasons[0] explains contradiction -1, kReasons[1] explains -2, and so on.
constexpr std::array<const char*, 4> kReasons = {
    "its session has no trial of this configuration", "the trial of this configuration was not correct",
    "the configuration belongs to another kernel", "its session has ended but is marked as running"};

// A result has an empty configuration if its session found no correct one; it contradicts nothing.
constexpr const char* kContradiction = R"(coalesce((
  SELECT CASE WHEN c.kernel <> k.name THEN -3 WHEN t.id IS NULL THEN -1 WHEN t.status <> 'ok' THEN -2
              WHEN y.state = 'running' AND y.ended_at <> '' THEN -4 END
  FROM sessions y JOIN kernels k ON k.id = y.kernel_id JOIN configs c ON c.id = {0}.config_id AND c.text <> ''
    LEFT JOIN trials t ON t.session_id = y.id AND t.config_id = c.id
  WHERE y.id = {0}.session_id), 0))";

} // namespace

std::string contradiction_of(const std::string& alias) { return fmt::format(kContradiction, alias); }

std::string why_contradicted(RowId number) {
  const auto index = static_cast<std::size_t>(-number - 1);
  return fmt::format("the database contradicts this result: {}", index < kReasons.size() ? kReasons[index] : "");
}

} // namespace warptune::db
