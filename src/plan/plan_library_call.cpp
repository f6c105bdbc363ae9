#include "plan/plan_values.h"
#include "spec/library_table.h"

#include <algorithm>

namespace warptune {
namespace {

template <class T> const T* find_given(const std::vector<std::pair<std::string, T>>& given, std::string_view name) {
  const auto found = std::find_if(given.begin(), given.end(), [&](const auto& item) { return item.first == name; });
  return found == given.end() ? nullptr : &found->second;
}

} // namespace

Result<LibraryCallPlan> plan_library_call(const LibraryCall& call, const std::vector<ArgRef>& args,
                                          const PlanValues& values) {
  LibraryCallPlan plan;
  plan.library = call.library;
  plan.call = call.call;
  const LibraryFunction* function = find_library_function(call.library, call.call);
  if (function == nullptr)
    return values.refuse(ErrorKind::bad_input,
                         "this version of warptune does not support the library call '" + plan.name() + "'");
  for (const LibraryValue& value : function->values) {
    std::int64_t number = value.standard;
    if (const Expr* given = find_given(call.values, value.name)) {
      WT_TRY(number, values.in_range(*given, value.min, value.max,
                                     "the value '" + std::string(value.name) + "' of '" + plan.name() + "'"));
    }
    plan.values.emplace_back(value.name, number);
  }
  for (const LibraryArg& arg : function->args) {
    const int* given = find_given(call.args, arg.name);
    plan.args.emplace_back(arg.name, given == nullptr ? ArgRef{ArgRef::Kind::absent, -1}
                                                      : args[static_cast<std::size_t>(*given)]);
  }
  return plan;
}

} // namespace warptune
