// Trial: all data of one evaluated configuration. A configuration that fails is also a Trial: `status` is the kind of
// failure and `evidence` holds its diagnostic.
#pragma once

#include "core/config.h"
#include "core/members.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

enum class TrialStatus { ok, invalid, compile_failed, launch_failed, timed_out, crashed, wrong_result, unstable };
std::string_view status_name(TrialStatus s);
std::optional<TrialStatus> parse_status(std::string_view name);

struct KernelResources {
  int registers = 0, spill_bytes = 0, static_shared_bytes = 0;
  double occupancy = 0;
}; // resources of the largest launch

template <>
inline constexpr auto kMembers<KernelResources> = std::tuple{
    member("registers", &KernelResources::registers, {.steps = 1, .most = INT32_MAX}),
    member("spill_bytes", &KernelResources::spill_bytes, {.steps = 1, .most = INT32_MAX}),
    member("static_shared_bytes", &KernelResources::static_shared_bytes, {.steps = 1, .most = INT32_MAX}),
    member("occupancy", &KernelResources::occupancy, {.unknown_at_0 = true, .steps = 1e3, .most = 1000}),
};
static_assert(lists_every_field<KernelResources>());

struct Timing {
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // 95 % confidence interval of the median (order statistics)
  double min_us = 0, rel_iqr = 0;
  std::vector<float> samples_us;
  bool cold_l2 = true;
  bool complete = true;                                    // false: early stopping of slow candidates ended the timing
  double sm_clock_mhz = 0, temperature_c = 0, power_w = 0; // 0: not known
  double sm_clock_min_mhz = 0;                             // the lowest clock read during the timing; 0: not known
};

template <>
inline constexpr auto kMembers<Timing> = std::tuple{
    member("median_us", &Timing::median_us),
    member("ci_low_us", &Timing::ci_low_us),
    member("ci_high_us", &Timing::ci_high_us),
    member("min_us", &Timing::min_us),
    member("rel_iqr", &Timing::rel_iqr, {.steps = 1e5}),
    member("samples_us", &Timing::samples_us),
    member("cold_l2", &Timing::cold_l2),
    member("complete", &Timing::complete),
    member("sm_clock_mhz", &Timing::sm_clock_mhz, {.unknown_at_0 = true, .recorded = "clock_mhz", .steps = 1}),
    member("temperature_c", &Timing::temperature_c, {.unknown_at_0 = true, .steps = 1, .least = -kMaxSteps}),
    member("power_w", &Timing::power_w, {.unknown_at_0 = true, .steps = 1}),
    member("sm_clock_min_mhz", &Timing::sm_clock_min_mhz,
           {.unknown_at_0 = true, .since = 5, .recorded = "clock_min_mhz", .steps = 1}),
};
static_assert(lists_every_field<Timing>());

struct Verdict {
  bool correct = false;
  double max_abs_error = 0, max_rel_error = 0, worst_ratio = 0; // worst_ratio: error / tolerance; wrong if above 1
  std::int64_t mismatches = 0, worst_index = -1;
  std::string worst_buffer, detail; // detail: one sentence for a wrong result
};

template <>
inline constexpr auto kMembers<Verdict> = std::tuple{
    member("correct", &Verdict::correct, {.column = "verdict_correct"}),
    member("max_abs_error", &Verdict::max_abs_error),
    member("max_rel_error", &Verdict::max_rel_error),
    member("worst_ratio", &Verdict::worst_ratio),
    member("mismatches", &Verdict::mismatches),
    member("worst_index", &Verdict::worst_index, {.least = -kMaxSteps}),
    member("worst_buffer", &Verdict::worst_buffer),
    member("detail", &Verdict::detail, {.column = "verdict_detail"}),
};
static_assert(lists_every_field<Verdict>());

// Hardware counters, read in separate runs and never in a timed run.
struct Profile {
  std::map<std::string, double> counters; // metric ("dram__bytes_read.sum") -> value over the whole launch sequence
  std::string source;                     // "CUPTI 13.0"
  int passes = 0;                         // runs needed for counting
  bool cold_l2 = true;
};

template <>
inline constexpr auto kMembers<Profile> = std::tuple{
    member("counters", &Profile::counters),
    member("source", &Profile::source),
    member("passes", &Profile::passes),
    member("cold_l2", &Profile::cold_l2),
};
static_assert(lists_every_field<Profile>());

// The device's power during many launch sequences, one right after another. The run is long enough for the energy
// counter (docs/energy.md). Each sequence begins with the L2 contents that the previous sequence left.
struct PowerReading {
  double energy_mj = 0;                                      // energy of one launch sequence in millijoules
  double average_w = 0, sm_clock_mhz = 0, temperature_c = 0; // of the device; clock and temperature: 0 if not known
  std::uint64_t throttle_reasons = 0; // NVML's bits; a bit is set if its reason applied at any time during the run
  std::int64_t launches = 0;
  double window_ms = 0;
};

// A recording stores a reading as a list of numbers in this order, so add new rows only at the end.
template <>
inline constexpr auto kMembers<PowerReading> = std::tuple{
    member("energy_mj", &PowerReading::energy_mj),
    member("average_w", &PowerReading::average_w),
    member("sm_clock_mhz", &PowerReading::sm_clock_mhz, {.unknown_at_0 = true}),
    member("temperature_c", &PowerReading::temperature_c, {.unknown_at_0 = true}),
    member("throttle_reasons", &PowerReading::throttle_reasons),
    member("launches", &PowerReading::launches),
    member("window_ms", &PowerReading::window_ms),
};
static_assert(lists_every_field<PowerReading>());

struct Trial {
  Config config;
  ConfigIndex index = -1;
  TrialStatus status = TrialStatus::invalid;
  std::string evidence;   // error text, compiler log, worst index; empty if `status` is ok
  std::string cubin_hash; // key of the cubin in the cubin cache; empty if there is no cubin
  KernelResources resources;
  double compile_ms = 0, verify_ms = 0, measure_ms = 0;
  std::optional<Verdict> verdict;
  std::optional<Timing> timing;
  std::optional<Profile> profile;
  std::optional<PowerReading> power;
};

template <>
inline constexpr auto kMembers<Trial> = std::tuple{
    member("config", &Trial::config),
    member("index", &Trial::index, {.column = "config_index"}),
    member("status", &Trial::status),
    member("evidence", &Trial::evidence, {.column = ""}), // long texts are stored once and shared
    member("cubin_hash", &Trial::cubin_hash),
    member("resources", &Trial::resources),
    member("compile_ms", &Trial::compile_ms, {.steps = 1}),
    member("verify_ms", &Trial::verify_ms, {.steps = 1}),
    member("measure_ms", &Trial::measure_ms, {.steps = 1}),
    member("verdict", &Trial::verdict),
    member("timing", &Trial::timing),
    member("profile", &Trial::profile),
    member("power", &Trial::power),
};
static_assert(lists_every_field<Trial>());

} // namespace warptune
