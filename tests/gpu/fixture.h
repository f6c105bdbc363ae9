// Shared by the GPU tests: one opened device per process, a cubin cache in its own folder, and backends over test
// kernels.
#pragma once

#include "cuda/cuda_backend.h"
#include "cuda/cuda_device.h"
#include "spec/config.h"
#include "support/paths.h"
#include "support/require_gpu.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace warptune::test {

inline const CubinCache& gpu_test_cache() {
  static const TempDir folder;
  static const CubinCache cache(folder.path());
  return cache;
}

inline CudaDevice& gpu_device() {
  static const Result<std::unique_ptr<CudaDevice>> device = CudaDevice::open(0, gpu_test_cache());
  if (!device) throw std::runtime_error(device.error().message);
  return **device;
}

inline Kernel load_test_kernel(const std::string& name) {
  const TemplateStore store({share_dir() / "kernel_templates"});
  auto kernel = store.load((data_dir() / "kernels" / name).string());
  if (!kernel) throw std::runtime_error(kernel.error().message);
  return std::move(*kernel);
}

// A backend with one problem of one kernel opened.
struct OpenedKernel {
  ProblemSetup setup;
  std::unique_ptr<Backend> backend;
  DeviceInfo info;

  Evaluation evaluate(const std::string& config_text, const MeasureOptions& options = quick()) {
    const Config config = parse_config(setup.kernel.spec, config_text).value();
    return backend->evaluate(config, backend->compile(config, info, 60), options);
  }
  static MeasureOptions quick() {
    MeasureOptions options;
    options.min_samples = 3;
    options.max_samples = 9;
    options.max_ms = 20;
    return options;
  }
};

inline OpenedKernel open_kernel(Kernel kernel, const std::string& shape, const std::string& dtype = "",
                                std::uint64_t seed = 1) {
  OpenedKernel opened;
  auto problem = make_problem(kernel.spec, shape, dtype, {});
  if (!problem) throw std::runtime_error(problem.error().message);
  opened.setup = {std::move(kernel), std::move(*problem), seed};
  opened.backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  auto info = opened.backend->device();
  if (!info) throw std::runtime_error(info.error().message);
  opened.info = *info;
  if (auto ok = opened.backend->open(opened.setup); !ok) throw std::runtime_error(ok.error().message);
  return opened;
}

} // namespace warptune::test
