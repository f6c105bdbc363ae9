// Hand-written results of shipped kernels for the present device, with their cubins if requested, for tests and
// benchmarks of the runtime on a real GPU.
#pragma once

#include "db/writer.h"
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "support/request_of.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace warptune::test {

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// The default configuration with the changed params in `changes`, such as "UNROLL=4,BLOCK=512".
inline Config changed_config(const KernelSpec& spec, const std::string& changes) {
  Config config = default_config(spec);
  for (std::size_t i = 0; i < config.size(); ++i)
    if (const std::size_t at = changes.find(spec.params[i].name + "="); at != std::string::npos)
      config[i] = std::stoll(changes.substr(changes.find('=', at) + 1));
  return config;
}

// Adds a best row for each shape, all with one configuration. `store`: whether to store each result's cubin too.
inline void add_real_rows(const std::filesystem::path& path, const DeviceInfo& device, const std::string& kernel_name,
                          const std::vector<std::string>& shapes, const std::string& changes, bool store) {
  const Kernel kernel = must(TemplateStore::standard().load(kernel_name));
  const Config config = changed_config(kernel.spec, changes);
  Writer writer = must(Writer::open(path));
  must(writer.put_device(device));
  must(writer.put_kernel({0, kernel_name, kernel.source_hash, kernel.sources.files}));
  for (const std::string& shape : shapes) {
    const Problem problem = must(make_problem(kernel.spec, shape, "", {}));
    SessionIdentity identity;
    identity.kernel = kernel_name;
    identity.source_hash = kernel.source_hash;
    identity.problem = problem_key(kernel.spec, problem);
    identity.device_backend = device.backend;
    identity.device_name = device.name;
    identity.device_uuid = device.uuid;
    identity.arch = device.arch;
    BestRecord best;
    best.session = must(writer.begin_session(identity, 1, "test"));
    best.config = config_text(kernel.spec, config);
    best.median_us = 1;
    if (store) {
      const CompileResult compiled =
          must(compile(must(request_of(kernel.spec, kernel.sources, problem, config, device)), 0));
      if (!compiled) throw std::runtime_error(compiled.error().log);
      best.cubin_hash = compiled->hash;
      must(writer.put_cubin({best.cubin_hash, device.arch, compiled->image, compiled->lowered_names}));
    }
    Trial trial;
    trial.status = TrialStatus::ok;
    trial.timing = Timing{};
    trial.timing->median_us = best.median_us;
    must(writer.record(best.session, best.config, trial));
    must(writer.put_best(best));
  }
}

} // namespace warptune::test
