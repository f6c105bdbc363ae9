// Any text as a shape, a problem key, a flag setting and a configuration.
#include "core/text.h"
#include "space/space.h"
#include "spec/spec_json.h"
#include "support/spec_text.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace warptune;

namespace {

void check_message(const Error& error) {
  if (error.kind != ErrorKind::bad_input || error.message.empty()) std::abort();
  if (find_invalid_utf8(error.message) != std::string_view::npos) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KernelSpec spec = *parse_spec(warptune::testing::SpecText().text(), "spec.json");
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto shape = parse_shape(spec, text);
  if (!shape)
    check_message(shape.error());
  else if (!make_problem(spec, *shape, DType::bf16, {0, spec.flags[1].values[0]}))
    std::abort();
  const auto problem = parse_problem_key(spec, text);
  if (!problem)
    check_message(problem.error());
  else if (parse_problem_key(spec, problem_key(spec, *problem)).value() != *problem)
    std::abort();
  const auto set = make_problem(spec, "rows=1,cols=1", "", {text});
  if (!set) check_message(set.error());
  const auto dtype = make_problem(spec, "rows=1,cols=1", text, {});
  if (!dtype) check_message(dtype.error());
  const auto config = parse_config(spec, text);
  if (!config)
    check_message(config.error());
  else if (parse_config(spec, config_text(spec, *config)).value() != *config)
    std::abort();
  return 0;
}
