// CUPTI and the driver as tables of functions that do nothing: calls are recorded, and each function can be made to
// fail. For tests of PC sampling and SASS metrics without a GPU.
#pragma once

#include "gpu/device_program.h"
#include "profiler/cupti_library.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warptune::test {

struct FakePc {
  std::uint64_t cubin = 0;
  const char* function = "";
  std::uint64_t offset = 0;
  std::vector<std::uint32_t> samples; // number of samples for each stall reason, by its index
};

struct FakeRecord {
  std::uint32_t cubin = 0;
  const char* function = "";
  std::uint32_t offset = 0;
  std::map<std::string, std::uint64_t> values; // value of each metric, by its name
};

// The state behind the functions of fake_driver and fake_cupti. Only one may exist at a time.
struct FakeGpu {
  std::vector<std::string> calls;           // "PCSamplingStart", "launch", "cuModuleUnload"
  std::map<std::string, CUptiResult> fails; // name as in `calls` -> status
  CUresult event_status = CUDA_SUCCESS;     // status that every event has
  bool is_supported = true;
  // PC sampling
  std::vector<std::string> reasons;
  std::vector<FakePc> pcs;
  std::size_t pcs_per_read = 100, pcs_read = 0;
  std::uint64_t cubin_checksum = 7;
  // SASS metrics
  std::vector<std::string> metrics; // metrics of the chip, numbered from 1
  std::vector<std::uint64_t> configured;
  std::vector<FakeRecord> records; // records that every launch produces while counting is on
  bool instances_of_all = true;    // whether the number of instances is the sum over all metrics or that of one metric
  std::size_t instances() const { return instances_of_all ? configured.size() : 1; }

  static FakeGpu*& current() {
    static FakeGpu* gpu = nullptr;
    return gpu;
  }
  FakeGpu() { current() = this; }
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;
  ~FakeGpu() { current() = nullptr; }

  CUptiResult call(const std::string& name) {
    calls.push_back(name);
    const auto failing = fails.find(name);
    return failing == fails.end() ? CUPTI_SUCCESS : failing->second;
  }
  bool called(const std::string& name) const { return std::find(calls.begin(), calls.end(), name) != calls.end(); }
  std::ptrdiff_t count(const std::string& name) const { return std::count(calls.begin(), calls.end(), name); }
};

inline Driver fake_driver() {
  Driver d;
  d.cuCtxGetCurrent = [](CUcontext* context) {
    *context = nullptr;
    return CUDA_SUCCESS;
  };
  d.cuCtxGetDevice = [](CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  d.cuGetErrorName = d.cuGetErrorString = [](CUresult, const char** text) {
    *text = "a CUDA error";
    return CUDA_SUCCESS;
  };
  d.cuEventCreate = [](CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(8);
    return CUDA_SUCCESS;
  };
  d.cuEventRecord = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  d.cuEventQuery = [](CUevent) { return FakeGpu::current()->event_status; };
  d.cuEventDestroy = [](CUevent) {
    FakeGpu::current()->call("cuEventDestroy");
    return CUDA_SUCCESS;
  };
  d.cuModuleLoadDataEx = [](CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
    *module = reinterpret_cast<CUmodule>(8);
    return CUDA_SUCCESS;
  };
  d.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char*) {
    *function = reinterpret_cast<CUfunction>(8);
    return CUDA_SUCCESS;
  };
  d.cuModuleUnload = [](CUmodule) {
    FakeGpu::current()->call("cuModuleUnload");
    return CUDA_SUCCESS;
  };
  d.cuMemAlloc = [](CUdeviceptr* memory, std::size_t) {
    *memory = 256;
    return CUDA_SUCCESS;
  };
  d.cuMemFree = [](CUdeviceptr) {
    FakeGpu::current()->call("cuMemFree");
    return CUDA_SUCCESS;
  };
  d.cuMemsetD8Async = [](CUdeviceptr, unsigned char, std::size_t, CUstream) { return CUDA_SUCCESS; };
  d.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  d.cuLaunchKernelEx = [](const CUlaunchConfig*, CUfunction, void**, void**) {
    FakeGpu::current()->call("flush");
    return CUDA_SUCCESS;
  };
  return d;
}

// The functions that both samplers and counters use.
inline CuptiLibrary fake_cupti() {
  CuptiLibrary c;
  c.version = "13.0";
  c.cuptiGetResultString = [](CUptiResult, const char** text) {
    *text = "a CUPTI error";
    return CUPTI_SUCCESS;
  };
  c.cuptiProfilerInitialize = [](auto*) { return FakeGpu::current()->call("ProfilerInitialize"); };
  c.cuptiProfilerDeviceSupported = [](auto* p) {
    p->isSupported = FakeGpu::current()->is_supported ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED
                                                      : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    p->architecture = p->isSupported;
    return CUPTI_SUCCESS;
  };
  c.cuptiGetCubinCrc = [](auto* p) {
    p->cubinCrc = FakeGpu::current()->cubin_checksum;
    return FakeGpu::current()->call("GetCubinCrc");
  };
  return c;
}

inline CuptiLibrary fake_sampling() {
  CuptiLibrary c = fake_cupti();
  c.cuptiPCSamplingEnable = [](auto*) { return FakeGpu::current()->call("PCSamplingEnable"); };
  c.cuptiPCSamplingDisable = [](auto*) { return FakeGpu::current()->call("PCSamplingDisable"); };
  c.cuptiPCSamplingStart = [](auto*) { return FakeGpu::current()->call("PCSamplingStart"); };
  c.cuptiPCSamplingStop = [](auto*) { return FakeGpu::current()->call("PCSamplingStop"); };
  c.cuptiPCSamplingSetConfigurationAttribute = [](auto*) { return FakeGpu::current()->call("PCSamplingConfigure"); };
  c.cuptiPCSamplingGetNumStallReasons = [](auto* p) {
    *p->numStallReasons = FakeGpu::current()->reasons.size();
    return FakeGpu::current()->call("PCSamplingGetNumStallReasons");
  };
  c.cuptiPCSamplingGetStallReasons = [](auto* p) {
    for (std::size_t i = 0; i < p->numStallReasons; ++i) {
      p->stallReasonIndex[i] = static_cast<std::uint32_t>(i);
      std::strcpy(p->stallReasons[i], FakeGpu::current()->reasons[i].c_str());
    }
    return CUPTI_SUCCESS;
  };
  c.cuptiPCSamplingGetData = [](auto* p) {
    FakeGpu& gpu = *FakeGpu::current();
    auto& data = *static_cast<CUpti_PCSamplingData*>(p->pcSamplingData);
    data.totalNumPcs = std::min({gpu.pcs_per_read, gpu.pcs.size() - gpu.pcs_read, data.collectNumPcs});
    for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
      const FakePc& from = gpu.pcs[gpu.pcs_read++];
      CUpti_PCSamplingPCData& to = data.pPcData[i];
      to.cubinCrc = from.cubin;
      to.functionName = const_cast<char*>(from.function);
      to.pcOffset = from.offset;
      to.stallReasonCount = from.samples.size();
      for (std::size_t n = 0; n < from.samples.size(); ++n)
        to.stallReason[n] = {static_cast<std::uint32_t>(n), from.samples[n]};
    }
    data.remainingNumPcs = gpu.pcs.size() - gpu.pcs_read;
    return gpu.call("PCSamplingGetData");
  };
  return c;
}

inline CuptiLibrary fake_sass_metrics() {
  CuptiLibrary c = fake_cupti();
  c.cuptiDeviceGetChipName = [](auto* p) {
    p->pChipName = "GH100";
    return FakeGpu::current()->call("GetChipName");
  };
  c.cuptiSassMetricsGetProperties = [](auto* p) {
    const auto& known = FakeGpu::current()->metrics;
    const auto found = std::find(known.begin(), known.end(), p->pMetricName);
    if (found == known.end()) return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->metric.metricId = static_cast<std::uint64_t>(found - known.begin()) + 1;
    return FakeGpu::current()->call("SassGetProperties");
  };
  c.cuptiSassMetricsSetConfig = [](auto* p) {
    auto& configured = FakeGpu::current()->configured;
    configured.clear();
    for (std::size_t i = 0; i < p->numOfMetricConfig; ++i) configured.push_back(p->pConfigs[i].metricId);
    return FakeGpu::current()->call("SassSetConfig");
  };
  c.cuptiSassMetricsUnsetConfig = [](auto*) { return FakeGpu::current()->call("SassUnsetConfig"); };
  c.cuptiSassMetricsEnable = [](auto*) { return FakeGpu::current()->call("SassEnable"); };
  c.cuptiSassMetricsDisable = [](auto*) { return FakeGpu::current()->call("SassDisable"); };
  c.cuptiSassMetricsGetDataProperties = [](auto* p) {
    p->numOfPatchedInstructionRecords = FakeGpu::current()->records.size();
    p->numOfInstances = FakeGpu::current()->instances();
    return FakeGpu::current()->call("SassGetDataProperties");
  };
  c.cuptiSassMetricsFlushData = [](auto* p) {
    FakeGpu& gpu = *FakeGpu::current();
    for (std::size_t i = 0; i < p->numOfPatchedInstructionRecords; ++i) {
      const FakeRecord& from = gpu.records[i];
      CUpti_SassMetrics_Data& to = p->pMetricsData[i];
      to.cubinCrc = from.cubin;
      to.functionName = from.function;
      to.pcOffset = from.offset;
      for (std::size_t n = 0; n < gpu.configured.size(); ++n) {
        const auto value = from.values.find(gpu.metrics[gpu.configured[n] - 1]);
        to.pInstanceValues[n] = {gpu.configured[n], value == from.values.end() ? 0 : value->second};
      }
    }
    return gpu.call("SassFlushData");
  };
  return c;
}

} // namespace warptune::test
