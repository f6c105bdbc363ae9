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

// The same spec with lists instead of plain dims.
KernelSpec lists_spec() {
  warptune::testing::SpecText text;
  text.set("format", "2").set("suites", "{}").drop("types").drop("compile").drop("constraints");
  text.set("problem",
           R"({"dims": {"rows": {"list": true, "min": 0, "max": 4096}, "cols": {"list": true}, "taps": {"value": 5}},
                          "dtypes": ["bf16", "fp32"]})");
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows_sum", "role": "input"},
                            "y": {"buffer": "dtype", "count": "cols_count", "role": "output"}})");
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": ["threads"], "args": ["x", "y"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": ["x", "y"]}]})");
  text.set("cost", R"({"bytes_read": 1, "bytes_written": 1})").set("tolerance", R"({"default": {"rtol": 1e-5}})");
  return *parse_spec(text.text(), "spec.json");
}

void read_lists(std::string_view text) {
  static const KernelSpec spec = lists_spec();
  const auto sizes = parse_sizes(spec, text);
  if (!sizes)
    check_message(sizes.error());
  else if (!make_problem(spec, sizes->shape, DType::bf16, {}, sizes->lists) ||
           !make_problem(spec, sizes->shape, DType::bf16, {}))
    std::abort();
  const auto problem = parse_problem_key(spec, text);
  if (!problem)
    check_message(problem.error());
  else if (parse_problem_key(spec, problem_key(spec, *problem)).value() != *problem)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KernelSpec spec = *parse_spec(warptune::testing::SpecText().text(), "spec.json");
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_lists(text);
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
