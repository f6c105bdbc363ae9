// Any bytes as spec.json; an accepted spec is used as far as possible without a device.
#include "core/text.h"
#include "plan/plan.h"
#include "space/space.h"
#include "spec/spec_json.h"
#include "support/request_of.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace warptune;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto spec = parse_spec(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz/spec.json");
  if (!spec) {
    if (spec.error().message.empty() || find_invalid_utf8(spec.error().message) != std::string_view::npos) std::abort();
    return 0;
  }
  double product = 1;
  for (const Param& param : spec->params) product *= static_cast<double>(param.values.size());
  if (product > 1e5) return 0; // usually built in milliseconds, but hostile ones may not be
  std::vector<std::int64_t> flags;
  for (const Flag& flag : spec->flags) flags.push_back(flag.values.front());
  const auto made = make_problem(*spec, smallest_shape(*spec), spec->dtypes.front(), flags);
  if (!made) std::abort();
  const Problem& problem = *made;
  const DeviceInfo device = h200_device();
  SourceFiles sources{{{spec->reference.source, ""}}};
  for (const Implementation& implementation : spec->implementations)
    sources.files.emplace_back(implementation.source, "");
  if (parse_problem_key(*spec, problem_key(*spec, problem)).value() != problem) std::abort();
  (void)estimate_cost(*spec, problem, device);
  (void)make_reference_plan(*spec, problem, device);
  const auto space = SearchSpace::build(*spec, problem, device);
  if (!space) return 0;
  for (const ConfigIndex index : {ConfigIndex{0}, space->size() / 2, space->size() - 1}) {
    const Config config = space->config(index);
    if (space->find(config) != index || check_config(*spec, problem, device, config)) std::abort();
    if (parse_config(*spec, config_text(*spec, config)).value() != config) std::abort();
    (void)test::request_of(*spec, sources, problem, config, device);
  }
  return 0;
}
