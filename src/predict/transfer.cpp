#include "predict/transfer.h"

#include "core/text.h"
#include "core/units.h"
#include "predict/transfer_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace warptune {
namespace {

constexpr std::size_t kMaxLeftOut = 16;
constexpr std::size_t kMaxFits = 8; // kept per variant: about a megabyte
constexpr int kTextVersion = 3;     // also of the rule: the losses of another rule say nothing of this one

std::string percent(double loss) { return fmt::format("{:.{}f} %", 100 * loss, loss < 0.1 ? 1 : 0); }

// The loss of the highest ranked configuration that was measured on the left-out problem. `all`: the problem with all
// its times.
std::optional<double> loss_of(const TransferModel& model, const TransferModel::Fit& fit, std::size_t problem,
                              const TimingMatrix& all, std::size_t problem_in_all) {
  const auto best = best_us(all, problem_in_all);
  for (const auto& [config, log_loss] : model.rank(fit, model.matrix().problems[problem]))
    if (const double us = model.matrix().at(problem, config); is_time(us)) return us / *best - 1;
  return std::nullopt;
}

LossEstimate summary(std::vector<LossEstimate::LeftOut> left_out) {
  LossEstimate out;
  out.shapes = static_cast<int>(left_out.size());
  for (const auto& [dims, loss] : left_out) {
    out.mean += loss / static_cast<double>(left_out.size());
    out.worst = std::max(out.worst, loss);
  }
  out.left_out = std::move(left_out);
  return out;
}

LossEstimate leave_one_out(const TransferModel& model, const TimingMatrix& all) {
  std::vector<LossEstimate::LeftOut> left_out;
  const std::size_t problems = model.matrix().problems.size(), count = std::min(problems, kMaxLeftOut);
  if (problems < 2) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t p = i * problems / count; // evenly spaced over all problems
    const Problem& problem = model.matrix().problems[p];
    std::vector<std::size_t> others = model.near_problems(problem, p);
    const auto found = std::find(all.problems.begin(), all.problems.end(), problem);
    if (const auto loss = loss_of(model, model.fit(std::move(others)), p, all,
                                  static_cast<std::size_t>(found - all.problems.begin())))
      left_out.push_back({problem.dims, *loss});
  }
  return summary(std::move(left_out));
}

// The larger loss of each left-out problem. Problems without one in `with_shipped` are dropped: no shipped
// configuration was measured on them.
LossEstimate larger_losses(const LossEstimate& with_all, LossEstimate with_shipped) {
  for (LossEstimate::LeftOut& shape : with_shipped.left_out)
    for (const LossEstimate::LeftOut& same : with_all.left_out)
      if (same.dims == shape.dims) shape.loss = std::max(shape.loss, same.loss);
  return summary(std::move(with_shipped.left_out));
}

// Mean of the losses of the left-out problems, weighted by nearness.
std::optional<double> predicted_loss(const LossEstimate& estimate, const Problem& problem) {
  double weights = 0, sum = 0;
  for (const auto& [dims, loss] : estimate.left_out) {
    const double weight = 1 / (1 + shape_distance(dims, problem.dims));
    weights += weight;
    sum += weight * loss;
  }
  if (weights > 0) return sum / weights;
  return std::nullopt;
}

// How far a size is outside the sizes of the problems, in doublings. Problems with the shape `left_out` do not count.
double outside(const std::vector<Problem>& problems, std::size_t dim, std::int64_t size, const Shape& left_out) {
  std::optional<std::int64_t> least, largest;
  for (const Problem& problem : problems) {
    if (problem.dims == left_out) continue;
    least = std::min(least.value_or(problem.dims[dim]), problem.dims[dim]);
    largest = std::max(largest.value_or(problem.dims[dim]), problem.dims[dim]);
  }
  if (!least) return 0;
  return size < *least ? dim_distance(size, *least) : size > *largest ? dim_distance(size, *largest) : 0;
}

// A size that is at most this many doublings (1.25x) outside the tuned sizes is near enough for the estimate.
const double kNearEnough = std::log2(1.25);

// The cross-validation says nothing about a shape with a size that is further outside the tuned sizes than that of any
// left-out shape. Names the first such dim.
std::optional<std::string> too_far(const KernelSpec& spec, const std::vector<Problem>& tuned,
                                   const LossEstimate& estimate, const Problem& problem) {
  for (std::size_t d = 0; d < problem.dims.size(); ++d) {
    const double asked = outside(tuned, d, problem.dims[d], {});
    double checked = kNearEnough;
    for (const auto& [dims, loss] : estimate.left_out)
      if (dims.size() == problem.dims.size()) checked = std::max(checked, outside(tuned, d, dims[d], dims));
    if (asked <= checked) continue;
    const auto less = [&](const Problem& a, const Problem& b) { return a.dims[d] < b.dims[d]; };
    const auto [least, largest] = std::minmax_element(tuned.begin(), tuned.end(), less);
    const std::string low = std::to_string(least->dims[d]), high = std::to_string(largest->dims[d]);
    return spec.dims[d].name + "=" + std::to_string(problem.dims[d]) + " is too far from the tuned shapes (" +
           (low == high ? "all have " + low : low + " to " + high) + ")";
  }
  return std::nullopt;
}

std::string why_text(const LossEstimate& estimate, const std::optional<double>& predicted,
                     const std::optional<std::string>& far) {
  if (far) return "the slowdown cannot be predicted, because " + *far;
  if (!predicted) return "the rule was learned from too few shapes to predict the slowdown";
  return "expected " + percent(*predicted) + " slower than a configuration tuned for this shape; at worst " +
         percent(estimate.worst) + " slower in a cross-validation over " + count_text(estimate.shapes, "shape");
}

std::optional<Transfer> choose(const KernelSpec& spec, const TransferModel& model, const TransferModel::Fit& fit,
                               const TransferRule& rule, const Problem& problem,
                               const std::function<bool(const Config&)>& allowed) {
  std::optional<Transfer> out;
  const LossEstimate& estimate = rule.leave_one_out;
  const auto far = estimate.shapes == 0 ? std::nullopt : too_far(spec, model.matrix().problems, estimate, problem);
  int passed_over = 0;
  const auto ranked = model.rank(fit, problem);
  for (const auto& [config, log_loss] : ranked) {
    const Config& values = model.matrix().configs[config];
    if (!allowed(values)) {
      passed_over += out ? 0 : 1;
      continue;
    }
    if (out) {
      out->runner_up = values;
      break;
    }
    out = Transfer{values, far ? std::nullopt : predicted_loss(estimate, problem), {}, passed_over, {}};
    // The estimate is for the best configuration; add the model's predicted loss of the one that replaces it.
    if (out->predicted_loss) *out->predicted_loss += std::expm1(std::max(0.0, log_loss - ranked.front().log_loss));
    out->why = why_text(estimate, out->predicted_loss, far);
  }
  return out;
}

bool parse_loss(std::string_view text, double& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value); // ignores the locale, unlike strtod
  return error == std::errc() && stop == end && std::isfinite(value) && value >= 0;
}

std::optional<LossEstimate::LeftOut> parse_left_out(std::string_view text) {
  LossEstimate::LeftOut out;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !parse_loss(text.substr(colon + 1), out.loss)) return std::nullopt;
  for (const std::string_view dim : split(text.substr(0, colon), 'x')) {
    std::int64_t value = 0;
    if (parse_integer(dim, value) != IntegerError::none || value < 0) return std::nullopt;
    out.dims.push_back(value);
  }
  return out;
}

} // namespace

std::string transfer_text(const TransferRule& rule) {
  std::string out = std::to_string(kTextVersion) + ";";
  for (std::size_t i = 0; i < rule.leave_one_out.left_out.size(); ++i) {
    const auto& [dims, loss] = rule.leave_one_out.left_out[i];
    out += i > 0 ? "," : "";
    for (std::size_t d = 0; d < dims.size(); ++d) out += (d > 0 ? "x" : "") + std::to_string(dims[d]);
    out += fmt::format(":{:.17g}", loss);
  }
  return out;
}

Result<TransferRule> parse_transfer(std::string_view text) {
  const auto bad = [&](std::string_view part) {
    return fail(ErrorKind::bad_input, "not a valid transfer rule: " + quote(part) + " in " + quote(text));
  };
  const auto parts = split(text, ';');
  if (parts.size() != 2 || parts[0] != std::to_string(kTextVersion)) return bad(parts.front());
  TransferRule rule;
  std::vector<LossEstimate::LeftOut> left_out;
  if (!parts[1].empty())
    for (const std::string_view piece : split(parts[1], ',')) {
      auto parsed = parse_left_out(piece);
      if (!parsed) return bad(piece);
      left_out.push_back(std::move(*parsed));
    }
  rule.leave_one_out = summary(std::move(left_out));
  return rule;
}

TimingMatrix without_library_calls(const KernelSpec& spec, TimingMatrix matrix) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < matrix.configs.size(); ++c)
    if (!spec.calls_libraries(matrix.configs[c])) kept.push_back(c);
  if (kept.size() == matrix.configs.size()) return matrix;
  const TimingMatrix own = with_configs(matrix, kept);
  std::vector<std::size_t> compared;
  for (std::size_t p = 0; p < own.problems.size(); ++p) {
    std::size_t times = 0;
    for (std::size_t c = 0; c < own.configs.size(); ++c) times += is_time(own.at(p, c)) ? 1 : 0;
    if (times > 1) compared.push_back(p);
  }
  return canonical(with_problems(own, compared));
}

TransferRule learn_transfer(const KernelSpec& spec, const TimingMatrix& matrix, const DeviceInfo& device,
                            const std::vector<Config>& shipped) {
  const TimingMatrix all = canonical(matrix);
  TransferRule rule;
  rule.leave_one_out = leave_one_out(TransferModel(spec, all, device), all);
  if (shipped.empty()) return rule;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < all.configs.size(); ++c)
    if (std::find(shipped.begin(), shipped.end(), all.configs[c]) != shipped.end()) kept.push_back(c);
  const TransferModel restricted(spec, canonical(with_configs(all, kept)), device);
  rule.leave_one_out = larger_losses(rule.leave_one_out, leave_one_out(restricted, all));
  return rule;
}

std::optional<Transfer> transfer(const KernelSpec& spec, const TimingMatrix& matrix, const TransferRule& rule,
                                 const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed) {
  const TransferModel model(spec, canonical(matrix), device);
  return choose(spec, model, model.fit(model.near_problems(problem)), rule, problem, allowed);
}

struct LearnedTransfers::Impl {
  struct Variant {
    TimingMatrix matrix;
    std::optional<TransferRule> rule;
    std::unique_ptr<TransferModel> model;
    std::map<std::vector<std::size_t>, TransferModel::Fit> fits; // keyed by problems
  };
  const KernelSpec& spec;
  std::mutex mutex; // protects the rule, model and fits of variants
  std::vector<Variant> variants;
};

LearnedTransfers::LearnedTransfers(const KernelSpec& spec, std::vector<TimingMatrix> matrices,
                                   std::vector<std::optional<TransferRule>> rules)
    : impl_(new Impl{spec, {}, {}}) {
  for (std::size_t i = 0; i < matrices.size(); ++i)
    impl_->variants.push_back(
        {std::move(matrices[i]), i < rules.size() ? std::move(rules[i]) : std::nullopt, nullptr, {}});
}
LearnedTransfers::~LearnedTransfers() = default;
LearnedTransfers::LearnedTransfers(LearnedTransfers&&) noexcept = default;
LearnedTransfers& LearnedTransfers::operator=(LearnedTransfers&&) noexcept = default;

std::optional<Transfer> LearnedTransfers::choose(const Problem& problem, const DeviceInfo& device,
                                                 const std::function<bool(const Config&)>& allowed,
                                                 std::size_t least_problems) const {
  for (Impl::Variant& variant : impl_->variants) {
    const std::vector<Problem>& tuned = variant.matrix.problems;
    if (tuned.size() < least_problems || variant.matrix.device_name != device.name ||
        variant.matrix.arch != device.arch || tuned.front().dtype != problem.dtype ||
        tuned.front().flags != problem.flags)
      continue;
    const std::lock_guard lock(impl_->mutex);
    if (!variant.rule) variant.rule = learn_transfer(impl_->spec, variant.matrix, device);
    if (!variant.model) variant.model = std::make_unique<TransferModel>(impl_->spec, canonical(variant.matrix), device);
    std::vector<std::size_t> near = variant.model->near_problems(problem);
    auto fit = variant.fits.find(near);
    if (fit == variant.fits.end()) {
      TransferModel::Fit made = variant.model->fit(near);
      if (variant.fits.size() >= kMaxFits) variant.fits.clear();
      fit = variant.fits.emplace(std::move(near), std::move(made)).first;
    }
    return warptune::choose(impl_->spec, *variant.model, fit->second, *variant.rule, problem, allowed);
  }
  return std::nullopt;
}

} // namespace warptune
