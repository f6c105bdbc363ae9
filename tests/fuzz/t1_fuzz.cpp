// Any bytes as a T1 file, and as one formula: accepted or refused with a message. An accepted space is built and
// walked.
#include "core/text.h"
#include "interchange/t1.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace warptune;

namespace {

void check_message(const std::string& message) {
  if (message.empty() || find_invalid_utf8(message) != std::string_view::npos) std::abort();
}

void try_formula(std::string_view text) {
  auto names = std::make_shared<PyNames>();
  names->params.push_back({"a", {PyValue::of(std::int64_t{0})}, false});
  names->params.push_back({"x", {PyValue::of(0.5), PyValue::of(&*names->texts.insert("fast").first)}, true});
  const auto expr = PythonExpr::parse(text, names);
  if (!expr) return check_message(expr.error().message);
  if (expr->is_list()) {
    if (!expr->params().empty()) return;
    if (const auto list = expr->list(); !list) check_message(list.error().message);
    return;
  }
  IntegerProgram program;
  program.finish(expr->compile(program, 0), 0);
  for (const std::int64_t a : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    for (const std::int64_t x : {0, 1}) {
      const std::int64_t slots[] = {a, x};
      PyValue value;
      const bool known = expr->evaluate(slots, value) == nullptr;
      if (known != expr->explain(slots).empty()) std::abort();
      if (!program.usable() || !program.begin_row(slots)) continue;
      const auto truth = program.test(slots);
      if (truth == IntegerProgram::Truth::unknown) continue;
      if (!known || value.truthy() != (truth == IntegerProgram::Truth::yes)) std::abort();
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_formula(text);
  const auto t1 = parse_t1(text, "fuzz.json");
  if (!t1) {
    check_message(t1.error().message);
    return 0;
  }
  double product = 1;
  for (const T1Param& param : t1->params) product *= static_cast<double>(param.labels.size());
  if (product > 1e5) return 0; // usually built in milliseconds, but hostile ones may not be
  const auto space = SearchSpace::build(make_space_model(*t1));
  if (!space) {
    check_message(space.error().message);
    return 0;
  }
  for (const ConfigIndex index : {ConfigIndex{0}, space->size() / 2, space->size() - 1}) {
    const SpaceCursor at(*space, index);
    if (space->find(at.config()) != index || config_text(*t1, at.positions()).empty()) std::abort();
  }
  return 0;
}
