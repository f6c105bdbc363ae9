#include "predict/plan_features.h"

#include "plan/occupancy.h"
#include "plan/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// In the order in which fill() writes the values.
constexpr const char* kFigureNames[] = {"block threads",
                                        "blocks",
                                        "block shared bytes",
                                        "cluster",
                                        "blocks of an SM",
                                        "occupancy",
                                        "waves",
                                        "empty tail",
                                        "launches",
                                        "workspace bytes",
                                        "bytes of a block",
                                        "bytes of a thread",
                                        "operations of a thread"};

// The product of one to three sizes; nullopt if one has no value or is below 1.
std::optional<double> product(const std::vector<Expr>& sizes, std::span<const std::int64_t> slots) {
  double all = 1;
  for (const Expr& size : sizes) {
    std::int64_t value = 0;
    if (!size.try_evaluate(slots, value) || value < 1) return std::nullopt;
    all *= static_cast<double>(value);
  }
  return all;
}

// nullopt if a formula has no value.
std::optional<double> buffer_bytes(const BufferArg& buffer, std::span<const std::int64_t> slots) {
  std::int64_t count = 0, dtype = 0;
  if (!buffer.count.try_evaluate(slots, count) || !buffer.dtype.try_evaluate(slots, dtype) || dtype < 0 ||
      dtype >= kDTypeCount)
    return std::nullopt;
  return static_cast<double>(count) * dtype_bytes(static_cast<DType>(dtype));
}

// The bytes of an argument that is a buffer of the caller; nullopt if it is anything else.
std::optional<double> callers_bytes(const Argument& argument, std::span<const std::int64_t> slots) {
  const auto* buffer = std::get_if<BufferArg>(&argument.value);
  if (buffer == nullptr || buffer->role == Role::workspace || argument.is_absent(slots)) return std::nullopt;
  return buffer_bytes(*buffer, slots).value_or(0);
}

// Keeps order and sign; 0 stays 0.
double log_count(double value) { return std::copysign(std::log2(1 + std::abs(value)), value); }

} // namespace

PlanFeatures::PlanFeatures(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device)
    : spec_(spec), limits_(device.limits), slots_(make_slots(spec, problem, device.limits)),
      names_(std::begin(kFigureNames), std::end(kFigureNames)) {
  // A derived name that several implementations share is one feature, which has no value for implementations without
  // the name.
  for (const Implementation& implementation : spec.implementations) {
    std::vector<DerivedFeature>& features = derived_.emplace_back();
    for (const Derived& derived : implementation.derived) {
      const std::vector<int>& used = derived.expr.slots();
      if (used.empty() || used.back() < spec.first_param_slot) continue;
      const auto known = std::find(names_.begin() + std::size(kFigureNames), names_.end(), derived.name);
      features.push_back({static_cast<std::size_t>(known - names_.begin()), &derived.expr});
      if (known == names_.end()) names_.push_back(derived.name);
    }
  }
  if (const auto cost = estimate_cost(spec, problem, device)) {
    bytes_ = cost->bytes_read + cost->bytes_written;
    for (const auto& [pipe, count] : cost->flops) flops_ += count;
  }
}

std::vector<std::int64_t> PlanFeatures::slots(const Config& config) const {
  std::vector<std::int64_t> slots = slots_;
  std::copy(config.begin(), config.end(), slots.begin() + spec_.first_param_slot);
  return slots;
}

std::optional<PlanFigures> PlanFeatures::figures(const Config& config) const {
  return evaluate(spec_.implementation(config), slots(config));
}

std::optional<PlanFigures> PlanFeatures::evaluate(const Implementation& implementation,
                                                  std::span<const std::int64_t> slots) const {
  const std::vector<Argument>& arguments = implementation.arguments;
  PlanFigures out;
  std::set<std::size_t> workspaces;
  std::vector<bool> received(arguments.size()); // buffers of the caller, by an earlier launch
  const auto add_workspace = [&](int arg) {
    const auto index = static_cast<std::size_t>(arg);
    if (const auto* buffer = std::get_if<BufferArg>(&arguments[index].value))
      if (buffer->role == Role::workspace && !arguments[index].is_absent(slots)) workspaces.insert(index);
  };
  std::pair<double, double> most{-1, -1};
  for (const Launch& launch : implementation.launches) {
    std::int64_t value = 1;
    if (launch.when && !launch.when->try_evaluate(slots, value)) return std::nullopt;
    if (value == 0) continue;
    const auto blocks = product(launch.grid, slots), threads = product(launch.block, slots),
               cluster = product(launch.cluster, slots);
    if (!blocks || !threads || !cluster || !launch.shared.try_evaluate(slots, value) || value < 0) return std::nullopt;
    ++out.launches;
    for (const int arg : launch.args) add_workspace(arg);
    double bytes = 0;
    for (const int arg : launch.args) {
      const auto index = static_cast<std::size_t>(arg);
      const auto own = callers_bytes(arguments[index], slots);
      if (!own) continue;
      bytes += *own;
      if (received[index]) out.repeated_bytes += *own;
      received[index] = true;
    }
    const std::pair here{bytes, *blocks * *threads};
    if (here <= most) continue;
    most = here;
    out.blocks = *blocks;
    out.threads = *threads;
    out.cluster = *cluster;
    out.shared_bytes = static_cast<double>(value);
  }
  if (out.launches == 0) return std::nullopt; // library calls only: their kernels are unknown
  for (const LibraryCall& call : implementation.library_calls) {
    std::int64_t when = 1;
    if (call.when && !call.when->try_evaluate(slots, when)) return std::nullopt;
    if (when == 0) continue;
    ++out.launches;
    for (const auto& [name, arg] : call.args) add_workspace(arg);
  }
  for (const std::size_t index : workspaces) {
    const auto bytes = buffer_bytes(std::get<BufferArg>(arguments[index].value), slots);
    if (!bytes) return std::nullopt;
    out.workspace_bytes += *bytes;
  }
  if (out.threads > static_cast<double>(limits_.max_threads_per_block)) return out; // cannot run: no waves
  const OccupancyEstimate fits = estimate_occupancy(
      {static_cast<std::int64_t>(out.threads), 0, 0, static_cast<std::int64_t>(out.shared_bytes)}, limits_);
  out.blocks_per_sm = static_cast<double>(fits.blocks_per_sm);
  out.occupancy = fits.share;
  const double places = out.blocks_per_sm * static_cast<double>(limits_.sm_count);
  if (places > 0) {
    out.waves = out.blocks / places;
    out.tail = 1 - out.waves / std::ceil(out.waves);
  }
  return out;
}

void PlanFeatures::fill(const Config& config, std::span<double> out) const {
  const std::vector<std::int64_t> all = slots(config);
  std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
  if (const auto f = evaluate(spec_.implementation(config), all)) {
    const double threads = f->blocks * f->threads;
    const double values[std::size(kFigureNames)] = {std::log2(f->threads),
                                                    std::log2(f->blocks),
                                                    log_count(f->shared_bytes),
                                                    std::log2(f->cluster),
                                                    f->blocks_per_sm,
                                                    f->occupancy,
                                                    log_count(f->waves),
                                                    f->tail,
                                                    f->launches,
                                                    log_count(f->workspace_bytes),
                                                    log_count(bytes_ / f->blocks),
                                                    log_count(bytes_ / threads),
                                                    log_count(flops_ / threads)};
    std::copy(std::begin(values), std::end(values), out.begin());
  }
  for (const DerivedFeature& feature : derived_[spec_.implementation_index(config)]) {
    std::int64_t value = 0;
    if (feature.expr->try_evaluate(all, value)) out[feature.at] = log_count(static_cast<double>(value));
  }
}

} // namespace warptune
