#include "space/lint_problems.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace warptune {
namespace {

constexpr std::size_t kMaxFlagChoices = 256;
// Sizes for one dim while the others are from a suite or small: powers of two up to this, an odd size, and the limits
// of the dim. At the limits a formula may overflow, and a constraint that cannot be evaluated is not met: that is an
// effect.
constexpr int kMaxPower = 22;
constexpr std::int64_t kOdd = 1009, kSmall = 64;

std::vector<std::vector<std::int64_t>> flag_choices(const KernelSpec& spec) {
  std::vector<std::vector<std::int64_t>> choices = {{}};
  for (const Flag& flag : spec.flags) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::int64_t value : flag.values)
      for (const auto& choice : choices) {
        longer.push_back(choice);
        longer.back().push_back(value);
      }
    choices = std::move(longer);
    if (choices.size() <= kMaxFlagChoices) continue;
    const std::size_t step = choices.size() / kMaxFlagChoices + 1;
    for (std::size_t i = 0; i * step < choices.size(); ++i) choices[i] = choices[i * step];
    choices.resize((choices.size() + step - 1) / step);
  }
  return choices;
}

std::vector<Shape> lint_shapes(const KernelSpec& spec) {
  std::vector<Shape> shapes;
  for (const auto& [name, entries] : spec.suites)
    for (const SuiteEntry& entry : entries) shapes.push_back(entry.shape);
  const Shape base = shapes.empty() ? smallest_shape(spec) : shapes.front();
  Shape small = base;
  const auto put = [&](Shape& shape, std::size_t dim, std::int64_t size) {
    shape[dim] = std::clamp(size, spec.dims[dim].min, spec.dims[dim].max);
  };
  for (std::size_t d = 0; d < small.size(); ++d) put(small, d, kSmall);
  std::vector<std::int64_t> sizes = {0, kOdd};
  for (int power = kMaxPower; power > 0; --power) sizes.push_back(std::int64_t{1} << power);
  for (const std::int64_t size : sizes) {
    Shape all = base;
    for (std::size_t d = 0; d < all.size(); ++d) put(all, d, size);
    shapes.push_back(std::move(all));
    for (std::size_t d = 0; d < spec.dims.size(); ++d)
      for (const Shape& other : {base, small}) {
        shapes.push_back(other);
        put(shapes.back(), d, size);
      }
  }
  for (std::size_t d = 0; d < spec.dims.size(); ++d) {
    shapes.push_back(base);
    put(shapes.back(), d, spec.dims[d].max);
  }
  for (Shape& shape : shapes) make_lists_exist(spec, shape);
  return shapes;
}

// A step that visits all of `count` so that successive ones are far apart: near the golden section, and without a
// common divisor.
std::size_t far_step(std::size_t count) {
  std::size_t step = std::max<std::size_t>(1, count * 618 / 1000);
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

} // namespace

std::vector<Problem> lint_problems(const KernelSpec& spec, std::size_t most) {
  std::vector<Problem> problems;
  std::set<std::string> seen;
  const auto flags = flag_choices(spec);
  const auto shapes = lint_shapes(spec);
  const std::size_t kinds = flags.size() * spec.dtypes.size(), count = shapes.size() * kinds;
  const auto add = [&](std::size_t shape, std::size_t kind) {
    const auto problem =
        make_problem(spec, shapes[shape], spec.dtypes[kind % spec.dtypes.size()], flags[kind / spec.dtypes.size()]);
    if (problem && seen.insert(problem_key(spec, *problem)).second) problems.push_back(*problem);
  };
  const std::size_t step = far_step(count), kind_step = far_step(kinds);
  for (std::size_t i = 0, kind = 0; i < kinds && problems.size() < most / 2; ++i, kind = (kind + kind_step) % kinds)
    add(i % shapes.size(), kind);
  for (std::size_t i = 0, at = 0; i < count && problems.size() < most; ++i, at = (at + step) % count)
    add(at / kinds, at % kinds);
  return problems;
}

} // namespace warptune
