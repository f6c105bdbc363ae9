// sample_db FILE: a database with one result of the shipped softmax, for the programs of the outside project.
#include "db/writer.h"
#include "jit/template_store.h"
#include "spec/config.h"

#include <cstdio>
#include <stdexcept>

namespace {

template <class T> T must(warptune::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void write(const char* path) {
  using namespace warptune;
  const Kernel kernel = must(TemplateStore::standard().load("softmax"));
  const DeviceInfo device = h200_device();
  Writer writer = must(Writer::open(path));
  must(writer.put_device(device));
  must(writer.put_kernel({0, "softmax", kernel.source_hash, kernel.sources.files}));
  SessionIdentity identity;
  identity.kernel = "softmax";
  identity.source_hash = kernel.source_hash;
  identity.problem = problem_key(kernel.spec, must(make_problem(kernel.spec, "rows=32768,cols=4096", "bf16", {})));
  identity.device_backend = device.backend;
  identity.device_name = device.name;
  identity.arch = device.arch;
  BestRecord best;
  best.session = must(writer.begin_session(identity, 1, "sample"));
  best.config = config_text(kernel.spec, default_config(kernel.spec));
  best.median_us = 150;
  Trial trial;
  trial.status = TrialStatus::ok;
  trial.timing = Timing{};
  trial.timing->median_us = best.median_us;
  must(writer.record(best.session, best.config, trial));
  must(writer.put_best(best));
  must(writer.end_session(best.session, SessionState::finished));
}

} // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: sample_db FILE");
    write(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sample_db: %s\n", error.what());
    return 1;
  }
}
