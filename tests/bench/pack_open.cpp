// Measures the cost of opening a pack of many kernels: pack_open [KERNELS] [ROUNDS]. Makes a synthetic pack with ten
// tuned shapes and a cubin of 40 KiB for each kernel, and times opening it, a kernel's first use and reading its cubin.
// Needs no GPU.
#include "db/pack_writer.h"
#include "db/reader.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace warptune;

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

constexpr int kShapes = 10, kConfigs = 4;

PackContent synthetic(int kernels) {
  const Kernel softmax = must(TemplateStore::standard().load("softmax"));
  const std::string config = config_text(softmax.spec, default_config(softmax.spec));
  PackContent content;
  content.values = {{"format", "1"}};
  content.devices = {h200_device()};
  for (int k = 0; k < kernels; ++k) {
    const std::string name = "kernel" + std::to_string(k);
    std::string image(40 << 10, '\0');
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<char>(i * 31 + static_cast<std::size_t>(k));
    content.cubins.push_back({"cubin" + std::to_string(k), "sm_90a", std::move(image), {"kernel"}});
    content.kernels.push_back({0, name, "source" + std::to_string(k), softmax.sources.files});
    for (int s = 0; s < kShapes; ++s) {
      PackedShape shape;
      shape.session.kernel = name;
      shape.session.source_hash = content.kernels.back().source_hash;
      shape.session.problem = "rows=" + std::to_string(1024 << s) + ",cols=4096;bf16;log=0";
      shape.session.device_backend = "cuda";
      shape.session.device_name = content.devices[0].name;
      shape.session.arch = content.devices[0].arch;
      shape.best.config = shape.best.default_config = config;
      shape.best.median_us = shape.best.ci_low_us = shape.best.ci_high_us = shape.best.default_us = 10 + s;
      shape.best.cubin_hash = content.cubins.back().hash;
      for (int c = 0; c < kConfigs; ++c) {
        TrialRow row{0, {}, c == 0 ? config : config + std::to_string(c)};
        row.trial.config = default_config(softmax.spec);
        row.trial.status = TrialStatus::ok;
        row.trial.timing = Timing{10.0 + c, 9, 11, 9, 0.01, {}, true, true, 1980, 40, 300};
        shape.trials.push_back(std::move(row));
      }
      content.shapes.push_back(std::move(shape));
    }
  }
  return content;
}

// In milliseconds: the median and the minimum.
void report(const char* what, int rounds, const std::function<void()>& work) {
  std::vector<double> ms;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%-40s median %8.3f ms   least %8.3f ms\n", what, ms[ms.size() / 2], ms.front());
}

void run(int kernels, int rounds) {
  const test::TempDir dir;
  const std::filesystem::path file = dir / "many.wtpack";
  must(write_pack(file, synthetic(kernels)));
  std::printf("%d kernels, %d shapes of each, %.1f MB\n", kernels, kShapes,
              static_cast<double>(std::filesystem::file_size(file)) / 1e6);
  const auto open = [&] {
    Reader reader = must(Reader::open(file));
    must(reader.kernel_names());
    must(reader.devices());
    return reader;
  };
  report("open, names and devices", rounds, open);
  const std::string name = "kernel" + std::to_string(kernels / 2);
  report("... and one kernel with its results", rounds, [&] {
    const Reader reader = open();
    const auto record = must(reader.kernel(name));
    must(reader.best(name));
  });
  report("... and a cubin", rounds, [&] {
    const Reader reader = open();
    must(reader.cubin("cubin" + std::to_string(kernels / 2)));
  });
  report("every byte checked", std::min(rounds, 5), [&] { must(open().check_bytes()); });
}

} // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000, argc > 2 ? std::max(1, std::atoi(argv[2])) : 50);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pack_open: %s\n", error.what());
    return 1;
  }
}
