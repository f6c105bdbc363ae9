#include "core/text.h"
#include "plan/plan_values.h"

namespace warptune {

Result<BufferRows> plan_rows(const std::string& name, const BufferArg& arg, std::int64_t count,
                             const PlanValues& values) {
  if (!arg.rows) return BufferRows{};
  WT_TRY(const auto length, values.integer(arg.rows->length, "the length of the rows of '" + name + "'"));
  WT_TRY(const auto stride, values.integer(arg.rows->stride, "the stride of the rows of '" + name + "'"));
  if (length < 0 || stride < length)
    return values.refuse(ErrorKind::bad_input, "the rows of '" + name + "' are " + std::to_string(length) + " (" +
                                                   quote(arg.rows->length.text()) + ") elements long and " +
                                                   std::to_string(stride) + " (" + quote(arg.rows->stride.text()) +
                                                   ") apart; the stride must be at least the length");
  if (count == 0) return BufferRows{};
  const std::int64_t rest = stride == 0 ? -1 : count % stride;
  if (length == 0 || (rest != 0 && rest != length))
    return values.refuse(ErrorKind::bad_input,
                         "'" + name + "' has " + std::to_string(count) +
                             " elements, which is not a whole number of rows (length " + std::to_string(length) +
                             ", stride " + std::to_string(stride) +
                             "); set count to rows * stride, or to rows * stride minus the last gap");
  if (stride == length) return BufferRows{};
  return BufferRows{length, stride};
}

} // namespace warptune
