// The fields of session, result and check rows, listed once; the code that reads and writes these rows loops over the
// lists. A column with a prefix ("k.name") is in a table that the query joins. A column without a prefix is in the
// record's own row. An empty name means that another table stores the field, or that it has no column of its own.
#pragma once

#include "core/members.h"
#include "db/records.h"

namespace warptune {

template <>
inline constexpr auto kMembers<SessionIdentity> = std::tuple{
    member("kernel", &SessionIdentity::kernel, {.column = "k.name"}),
    member("source_hash", &SessionIdentity::source_hash, {.column = "k.source_hash"}),
    member("problem", &SessionIdentity::problem, {.column = "p.key"}),
    member("device_backend", &SessionIdentity::device_backend, {.column = "d.backend"}),
    member("device_name", &SessionIdentity::device_name, {.column = "d.name"}),
    member("device_uuid", &SessionIdentity::device_uuid, {.column = "d.uuid"}),
    member("arch", &SessionIdentity::arch, {.column = "s.arch"}),
    member("driver", &SessionIdentity::driver, {.column = "t.driver"}),
    member("compiler", &SessionIdentity::compiler, {.column = "t.compiler"}),
    member("strategy", &SessionIdentity::strategy, {.column = "s.strategy"}),
    member("budget", &SessionIdentity::budget, {.column = "s.budget"}),
    member("seed", &SessionIdentity::seed, {.column = "s.seed"}),
    member("cold_l2", &SessionIdentity::cold_l2, {.column = "s.cold_l2"}),
    member("objective", &SessionIdentity::objective),
};
static_assert(lists_every_field<SessionIdentity>());

template <>
inline constexpr auto kMembers<CheckRecord> = std::tuple{
    member("id", &CheckRecord::id, {.column = ""}),
    member("best", &CheckRecord::best, {.column = ""}),
    member("status", &CheckRecord::status),
    member("driver", &CheckRecord::driver, {.column = ""}),
    member("compiler", &CheckRecord::compiler, {.column = ""}),
    member("version", &CheckRecord::version),
    member("rounds", &CheckRecord::rounds),
    member("median_us", &CheckRecord::median_us, {.unknown_at_0 = true}),
    member("ci_low_us", &CheckRecord::ci_low_us, {.unknown_at_0 = true}),
    member("ci_high_us", &CheckRecord::ci_high_us, {.unknown_at_0 = true}),
    member("default_us", &CheckRecord::default_us, {.unknown_at_0 = true}),
    member("evidence", &CheckRecord::evidence),
    member("stale", &CheckRecord::stale),
    member("checked_at", &CheckRecord::checked_at),
};
static_assert(lists_every_field<CheckRecord>());

// The row of a result itself; kernel, problem, device and toolchain are those of its session.
template <>
inline constexpr auto kMembers<BestRecord> = std::tuple{
    member("bound", &BestRecord::bound),
    member("outcome", &BestRecord::outcome),
    member("checks", &BestRecord::checks),
    member("cubin_hash", &BestRecord::cubin_hash),
    member("created_at", &BestRecord::created_at),
    member("median_us", &BestRecord::median_us),
    member("ci_low_us", &BestRecord::ci_low_us),
    member("ci_high_us", &BestRecord::ci_high_us),
    member("default_us", &BestRecord::default_us),
    member("roofline_share", &BestRecord::roofline_share),
    member("p_value", &BestRecord::p_value),
    member("certified", &BestRecord::certified),
    member("energy_mj", &BestRecord::energy_mj, {.unknown_at_0 = true, .since = 4}),
    member("baseline", &BestRecord::baseline, {.since = 6}),
    member("baseline_us", &BestRecord::baseline_us, {.unknown_at_0 = true, .since = 6}),
    member("without_calls", &BestRecord::without_calls, {.since = 8}),
    member("without_calls_us", &BestRecord::without_calls_us, {.unknown_at_0 = true, .since = 8}),
};

} // namespace warptune
