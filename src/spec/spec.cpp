#include "spec/spec.h"

#include "spec/size_list.h"

#include <algorithm>

namespace warptune {
namespace {

template <class Named> int find_in(const std::vector<Named>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& a) { return a.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

} // namespace

const ToleranceFormulas* ToleranceTable::find(DType t) const {
  const auto found = by_dtype.find(t);
  if (found != by_dtype.end()) return &found->second;
  return standard ? &*standard : nullptr;
}

int KernelSpec::find_argument(std::string_view argument) const { return find_in(arguments, argument); }
int KernelSpec::find_list(std::string_view list) const { return find_in(lists, list); }
int Implementation::find_argument(std::string_view argument) const { return find_in(arguments, argument); }

const OwnParam* Implementation::find_param(std::size_t index) const {
  const auto found =
      std::find_if(params.begin(), params.end(), [&](const OwnParam& own) { return own.index == index; });
  return found == params.end() ? nullptr : &*found;
}

int KernelSpec::list_of_dim(std::size_t dim) const {
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (dim >= lists[i].first && dim < lists[i].first + kListNumbers.size()) return static_cast<int>(i);
  return -1;
}

std::size_t KernelSpec::implementation_index(const Config& config) const {
  if (!has_choice() || config.empty()) return 0;
  const std::vector<std::int64_t>& ids = params.front().values;
  const auto found = std::find(ids.begin(), ids.end(), config.front());
  return found == ids.end() ? 0 : static_cast<std::size_t>(found - ids.begin());
}

const std::string& Param::meaning_in(const std::string& implementation) const {
  static const std::string none;
  if (own_meanings.empty()) return meaning;
  for (const auto& [owner, text] : own_meanings)
    if (owner == implementation) return text;
  return none;
}

std::string Param::text_of(std::int64_t value) const {
  const auto found = std::find(values.begin(), values.end(), value);
  if (labels.empty() || found == values.end()) return std::to_string(value);
  return labels[static_cast<std::size_t>(found - values.begin())];
}

} // namespace warptune
