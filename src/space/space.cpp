#include "space/space.h"

#include "core/text.h"
#include "space/space_builder.h"

namespace warptune {

Result<SearchSpace> SearchSpace::build(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                       bool with_built) {
  return build(make_space_model(spec, problem, device, with_built));
}

Result<SearchSpace> SearchSpace::build(const SpaceModel& model) {
  SpaceBuilder builder(model);
  const Result<bool> fixed = builder.check_fixed();
  if (!fixed)
    return fail(ErrorKind::bad_input, model.what + ": a constraint cannot be evaluated: " + fixed.error().message);
  if (*fixed) builder.run();
  if (!builder.refusal().empty())
    return fail(ErrorKind::bad_input, model.what + " is too large: " + builder.refusal() +
                                          "; list fewer values, or order the params so that constraints decide early");
  SearchSpace space = builder.finish();
  if (space.size_ > 0) return space;
  std::string message = model.what + " is empty: its constraints leave none of the configurations.";
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < space.rejections_.size() && i < kNamed; ++i) {
    const Rejection& r = space.rejections_[i];
    message += (i ? "; " : " Removed most: ") + quote(r.expr) +
               (r.implementation.empty() ? "" : " of " + r.implementation) + (r.why.empty() ? "" : " (" + r.why + ")") +
               ": " + std::to_string(r.count);
  }
  return fail(ErrorKind::no_candidate, message + ". Relax a constraint, add values, or choose another shape.");
}

} // namespace warptune
