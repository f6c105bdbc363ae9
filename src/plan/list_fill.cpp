#include "plan/list_fill.h"

#include "core/text.h"
#include "spec/short_problem.h"
#include "spec/size_list.h"

#include <algorithm>
#include <utility>

namespace warptune {

Result<std::vector<std::int64_t>> list_fill_values(const KernelSpec& spec, const Problem& problem,
                                                   const BufferPlan& buffer) {
  const bool is_offsets = buffer.fill.kind == Fill::Kind::offsets;
  const ListDim& list = spec.lists.at(buffer.fill.list);
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::bad_input, spec.name + " " + quote(short_problem(problem_key(spec, problem))) +
                                          ": the fill of '" + buffer.name + "' gives the " +
                                          (is_offsets ? "offsets of " : "list ") + "'" + list.name + "', but " + why);
  };
  WT_TRY(auto parsed, parse_size_list(problem.lists.at(buffer.fill.list)));
  std::vector<std::int64_t> values = std::move(parsed.elements);
  if (is_offsets) {
    values.push_back(0);
    std::int64_t sum = 0;
    for (std::int64_t& value : values) sum += std::exchange(value, sum);
  }
  if (static_cast<std::int64_t>(values.size()) != buffer.count)
    return refuse("the buffer has " + std::to_string(buffer.count) + " elements; write \"count\": \"" + list.name +
                  "_count" + (is_offsets ? " + 1" : "") + "\"");
  const std::int64_t largest = *std::max_element(values.begin(), values.end());
  if (dtype_is_floating(buffer.dtype) || !dtype_holds(buffer.dtype, largest))
    return refuse("its dtype " + std::string(dtype_name(buffer.dtype)) + " cannot represent " +
                  std::to_string(largest) + "; use a wider integer dtype such as int64");
  return values;
}

} // namespace warptune
