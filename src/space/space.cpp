#include "space/space.h"

#include "core/text.h"
#include "space/space_builder.h"

#include <set>

namespace warptune {
namespace {

std::string reason_of(const SearchSpace::Rejection& r) {
  return quote(r.expr) + (r.where.empty() ? "" : ", " + r.where) + (r.why.empty() ? "" : " (" + r.why + ")");
}

// `rejections`: most first. With several implementations, each one has its own reason. Counts are meaningless if a
// constraint that reads no param removes a whole implementation.
std::string why_empty(const std::vector<SearchSpace::Rejection>& rejections) {
  constexpr std::size_t kNamed = 3, kNamedImplementations = 8;
  std::vector<std::string> reasons;
  std::set<std::string> seen;
  for (const SearchSpace::Rejection& r : rejections)
    if (!r.implementation.empty() && seen.insert(r.implementation).second && reasons.size() < kNamedImplementations)
      reasons.push_back(r.implementation + " needs " + reason_of(r));
  const char* begin = reasons.size() > 1 ? " No implementation fits: " : " Rejected combinations of values: ";
  if (reasons.size() < 2) {
    reasons.clear();
    for (std::size_t i = 0; i < rejections.size() && i < kNamed; ++i)
      reasons.push_back(reason_of(rejections[i]) + ": " + std::to_string(rejections[i].count));
  }
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? begin : "; ") + reason;
  return text;
}

} // namespace

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
                                          "; list fewer values, or move the params that constraints use to the front");
  SearchSpace space = builder.finish();
  if (space.size_ > 0) return space;
  const std::string message =
      model.what + " is empty: its constraints reject all configurations." + why_empty(space.rejections_);
  return fail(ErrorKind::no_candidate,
              message +
                  ". Choose another shape, dtype or flags; in a kernel of your own, relax a constraint or add values.");
}

} // namespace warptune
