#include "report/bound.h"

#include "core/units.h"
#include "predict/roofline.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::report {
namespace {

constexpr double kMoreThanMust = 1.1; // counted bytes relative to the minimum
constexpr double kLowOccupancy = 0.25;
constexpr double kSchedulers = 4; // schedulers of a multiprocessor, since compute capability 7.0

// A roof that may limit the kernel.
struct Candidate {
  std::string limit, roof, unit; // roof: "at its mix of reads and writes"; may be empty
  double rate = 0, roof_rate = 0;
  bool counted = false; // the rate comes from counters
  bool mixed = false;   // counted, but partly also from the model
  bool beyond_dram() const { return limit == "DRAM" && share() > kBeyondRoof && (!counted || mixed); }
  double share() const { return rate / roof_rate; }
};

std::string percent(double share) {
  return share >= 0.995 || share < 0.005 ? fmt::format("{:.1f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

double must_move(const BoundFacts& f) { return f.cost ? f.cost->bytes_read + f.cost->bytes_written : 0; }

std::optional<double> dram_bytes(const BoundFacts& f) {
  if (!f.counters || !f.counters->dram_read_bytes || !f.counters->dram_written_bytes) return std::nullopt;
  return *f.counters->dram_read_bytes + *f.counters->dram_written_bytes;
}

void add(std::vector<Candidate>& all, Candidate c) {
  if (c.rate > 0 && c.roof_rate > 0) all.push_back(std::move(c));
}

std::vector<Candidate> candidates(const BoundFacts& f) {
  std::vector<Candidate> all;
  const double per_us_to_g = 1e-3 / f.time_us; // bytes per microseconds of the kernel -> 1e9 bytes per second
  const CostEstimate traffic = dram_traffic(f.cost, f.counters ? *f.counters : CounterFacts(), f.cold_l2);
  const bool counted = f.counters && (f.counters->dram_read_bytes || f.counters->dram_written_bytes);
  add(all,
      {"DRAM", "at its mix of reads and writes", "GB/s", (traffic.bytes_read + traffic.bytes_written) * per_us_to_g,
       dram_roof_gbs(traffic, f.roofs), counted, counted && !is_counted(traffic, *f.counters)});
  if (f.counters) {
    if (f.counters->l2_bytes)
      add(all, {"L2", "for reads", "GB/s", *f.counters->l2_bytes * per_us_to_g, f.roofs.l2_gbs, true});
    const double l1 = f.counters->l1_bytes.value_or(0) + f.counters->shared_bytes.value_or(0);
    add(all, {"L1/shared memory", "for reads", "GB/s", l1 * per_us_to_g, f.roofs.shared_gbs, true});
  }
  const bool model_flops = f.cost && !f.cost->flops.empty();
  const auto& flops = model_flops || !f.counters ? (f.cost ? f.cost->flops : traffic.flops) : f.counters->flops;
  for (const auto& [pipe, count] : flops)
    add(all, {pipe, "", "TFLOP/s", count * 1e-6 / f.time_us, pipe_roof_tflops(pipe, f.roofs), !model_flops});
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.share() > b.share(); });
  return all;
}

std::string rate(double value, const std::string& unit) { return fmt::format("{} {}", three_digits(value), unit); }

std::string which_roof(const Candidate& c, const Roofs& roofs) {
  return fmt::format("the {} roof{} ({})", roofs.measured ? "measured" : "theoretical",
                     c.roof.empty() ? "" : " " + c.roof, rate(c.roof_rate, c.unit));
}

// Remarks that follow any sentence.
std::string remarks(const BoundFacts& f) {
  std::string out;
  const auto moved = dram_bytes(f);
  if (moved && must_move(f) > 0 && f.cold_l2 && *moved > kMoreThanMust * must_move(f))
    out += fmt::format("; the kernel moves {:.1f}x the bytes that it must move", *moved / must_move(f));
  if (f.counters && f.counters->l2_hit_share) out += fmt::format("; L2 hit {}", percent(*f.counters->l2_hit_share));
  if (f.resources.spill_bytes > 0) out += fmt::format("; spills {} bytes per thread", f.resources.spill_bytes);
  return out;
}

std::string model_remark(const BoundFacts& f, const Candidate& c) {
  if (c.counted || c.limit != "DRAM") return {};
  return f.counters ? "; bytes from the model, because its DRAM traffic was not counted"
                    : "; bytes from the model, because nothing was counted";
}

std::string reached_sentence(const BoundFacts& f, const std::vector<Candidate>& all) {
  const Candidate& top = all.front();
  std::string out = fmt::format("{}-bound: {} of {}", top.limit, percent(top.share()), which_roof(top, f.roofs));
  if (all.size() > 1 && all[1].share() > top.share() - kCloseBehind && all[1].share() >= kReached)
    out += fmt::format(", {} close behind at {}", all[1].limit, percent(all[1].share()));
  return out + remarks(f) + model_remark(f, top) + ".";
}

std::string highest(const std::vector<Candidate>& all) {
  if (all.empty()) return "no roof is known";
  return fmt::format("the highest share of a roof is {} ({})", percent(all.front().share()), all.front().limit);
}

// The share of scheduler cycles that issue an instruction; 0: not known. It is not one of the candidates, because a
// kernel at the roof of a pipe has a high share, too.
double issue_share(const BoundFacts& f) {
  const double instructions = f.counters ? f.counters->instructions.value_or(0) : 0;
  return f.issue_roof > 0 ? instructions / f.time_us / f.issue_roof : 0;
}

// The fact that is needed to show that no roof is reached, but is not known; empty: all are known.
std::string missing(const BoundFacts& f) {
  const CostEstimate traffic = dram_traffic(f.cost, f.counters ? *f.counters : CounterFacts(), f.cold_l2);
  if (!(dram_roof_gbs({1, 1, {}}, f.roofs) > 0)) return "the DRAM roof of this device (`warptune roofs` measures it)";
  if (traffic.bytes_read + traffic.bytes_written <= 0) return "the bytes that the kernel moves";
  const bool counted = f.counters && !f.counters->flops.empty();
  if (!f.cost && !counted) return "the operations that the kernel does";
  for (const auto& [pipe, count] : f.cost ? f.cost->flops : f.counters->flops)
    if (count > 0 && !(pipe_roof_tflops(pipe, f.roofs) > 0))
      return fmt::format("the {} roof of this device (`warptune roofs` measures it)", pipe);
  return {};
}

// "long_scoreboard" -> "long scoreboard", as in the charts.
std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string latency_sentence(const BoundFacts& f, const std::vector<Candidate>& all) {
  std::string out = "Latency-bound: " + highest(all);
  const bool stalls = f.counters && !f.counters->stalls.empty();
  if (stalls)
    out += fmt::format("; warps wait most for {} ({} of their cycles)", in_words(f.counters->stalls.front().first),
                       percent(f.counters->stalls.front().second));
  const double active = f.counters ? f.counters->warps_active_share.value_or(0) : 0;
  if (active > 0 && active < kLowOccupancy)
    out += fmt::format("; only {} of the warps that a multiprocessor can hold were active", percent(active));
  else if (active <= 0 && f.resources.occupancy > 0 && f.resources.occupancy < kLowOccupancy)
    out += fmt::format("; only {} of the warps that a multiprocessor can hold are resident",
                       percent(f.resources.occupancy));
  if (!stalls && !f.counters && !f.is_profiled && f.resources.registers > 0) // a library's kernels are not profiled
    out += "; profile the kernel to see what warps wait for";
  return out + remarks(f) + ".";
}

// Counting ends with the kernel, while data that it wrote may still be in the L2. Counting fewer bytes than the kernel
// writes is therefore not an error.
std::string counted_text(double share_of_model) {
  constexpr double kFewer = 0.98;
  return fmt::format("{:.2f}x the minimum that it must move{}", share_of_model,
                     share_of_model < kFewer ? "; the rest was still in the L2 when counting ended" : "");
}

std::vector<Evidence> evidence_of(const BoundFacts& f, const std::vector<Candidate>& all) {
  std::vector<Evidence> out;
  for (const Candidate& c : all)
    out.push_back({c.limit, fmt::format("{} of {} ({}, {})", percent(c.share()), rate(c.roof_rate, c.unit),
                                        c.mixed     ? "counted; writes from the model"
                                        : c.counted ? "counted"
                                                    : "model",
                                        f.roofs.measured ? "measured roof" : "theoretical roof")});
  if (issue_share(f) > 0)
    out.push_back({"issue", fmt::format("{} of the scheduler cycles (counted)", percent(issue_share(f)))});
  if (const auto moved = dram_bytes(f); moved && must_move(f) > 0)
    out.push_back({"DRAM bytes counted", counted_text(*moved / must_move(f))});
  if (f.counters) {
    if (f.counters->l2_hit_share) out.push_back({"L2 hit", percent(*f.counters->l2_hit_share)});
    if (f.counters->warps_active_share) out.push_back({"warps active", percent(*f.counters->warps_active_share)});
    if (!f.counters->stalls.empty())
      out.push_back({"top stall", fmt::format("{}, {}", in_words(f.counters->stalls.front().first),
                                              percent(f.counters->stalls.front().second))});
  }
  if (f.resources.spill_bytes > 0)
    out.push_back({"spills", fmt::format("{} bytes per thread", f.resources.spill_bytes)});
  return out;
}

} // namespace

CostEstimate dram_traffic(const std::optional<CostEstimate>& must, const CounterFacts& counted, bool cold_l2) {
  if (!counted.dram_read_bytes && !counted.dram_written_bytes) return must.value_or(CostEstimate());
  CostEstimate traffic;
  traffic.bytes_read = counted.dram_read_bytes.value_or(must ? must->bytes_read : 0);
  traffic.bytes_written = counted.dram_written_bytes.value_or(must ? must->bytes_written : 0);
  if (cold_l2 && must) traffic.bytes_written = std::max(traffic.bytes_written, must->bytes_written);
  return traffic;
}

bool is_counted(const CostEstimate& traffic, const CounterFacts& counted) {
  return counted.dram_read_bytes && traffic.bytes_written <= counted.dram_written_bytes.value_or(-1);
}

// predict/roofline.cpp has the formulas for the mix and the type. A roof is an amount of work divided by its minimum
// time.
double dram_roof_gbs(const CostEstimate& cost, const Roofs& roofs) {
  CostEstimate bytes;
  bytes.bytes_read = cost.bytes_read;
  bytes.bytes_written = cost.bytes_written;
  const double floor_us = roofline_point(bytes, roofs, 0).floor_us;
  return floor_us > 0 ? (bytes.bytes_read + bytes.bytes_written) / floor_us * 1e-3 : 0;
}

double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs) {
  constexpr double kWork = 1e12;
  const double floor_us = roofline_point({0, 0, {{pipe, kWork}}}, roofs, 0).floor_us;
  return floor_us > 0 ? kWork * 1e-6 / floor_us : 0;
}

double issue_roof(const DeviceInfo& device, double sm_clock_mhz) {
  if (device.limits.compute_capability < 70) return 0;
  const double clock = sm_clock_mhz > 0 ? sm_clock_mhz : device.max_sm_clock_mhz;
  return kSchedulers * static_cast<double>(device.limits.sm_count) * clock;
}

Bound judge_bound(const BoundFacts& f) {
  Bound bound;
  bound.source = f.counters ? "measured" : "model";
  if (!(f.time_us > 0)) {
    bound.sentence = "The limit is not known, because the kernel was not timed.";
    return bound;
  }
  const std::vector<Candidate> all = candidates(f);
  bound.evidence = evidence_of(f, all);
  if (!all.empty()) bound.share = all.front().share();
  if (!all.empty() && all.front().beyond_dram()) {
    bound.limit = "cache";
    bound.sentence = fmt::format("Faster than DRAM: if all bytes came from DRAM, the kernel would reach {} of {}, so "
                                 "some bytes must come from the {} L2 cache; the number of {} comes from the model.",
                                 percent(bound.share), which_roof(all.front(), f.roofs),
                                 f.cold_l2 ? "write-back" : "warm", all.front().mixed ? "written bytes" : "bytes");
  } else if (!all.empty() && all.front().share() >= kReached) {
    bound.limit = all.front().limit;
    bound.sentence = reached_sentence(f, all);
  } else if (f.time_us < kLaunchBoundUs) {
    bound.limit = "launch";
    bound.sentence = fmt::format("Launch-bound: {} is little more than the time to start and end an empty grid; {}{}.",
                                 time_text(f.time_us), highest(all), remarks(f));
  } else if (issue_share(f) >= kReached) {
    bound.limit = "issue";
    bound.share = issue_share(f);
    bound.sentence = fmt::format("Issue-bound: the schedulers issue an instruction in {} of their cycles; {}{}.",
                                 percent(bound.share), highest(all), remarks(f));
  } else if (const std::string unknown = missing(f); !unknown.empty()) {
    bound.sentence = fmt::format("The limit is not known without {}{}{}.", unknown,
                                 all.empty() ? "" : "; " + highest(all), remarks(f));
  } else {
    bound.limit = "latency";
    bound.sentence = latency_sentence(f, all);
  }
  return bound;
}

} // namespace warptune::report
