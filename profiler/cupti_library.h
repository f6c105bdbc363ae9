// CUPTI as a table of functions that is loaded at run time. Nothing links to it, so every program starts without it.
// Only this header includes CUPTI's headers, and all code calls CUPTI through this table.
#pragma once

#include "core/result.h"

#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <string>

namespace warptune {

#define WT_CUPTI_FUNCTIONS(X)                                                                                          \
  X(cuptiGetVersion)                                                                                                   \
  X(cuptiGetResultString)                                                                                              \
  X(cuptiDeviceGetChipName)                                                                                            \
  X(cuptiProfilerInitialize)                                                                                           \
  X(cuptiProfilerDeviceSupported)                                                                                      \
  X(cuptiProfilerGetCounterAvailability)                                                                               \
  X(cuptiProfilerHostInitialize)                                                                                       \
  X(cuptiProfilerHostDeinitialize)                                                                                     \
  X(cuptiProfilerHostGetSupportedChips)                                                                                \
  X(cuptiProfilerHostGetBaseMetrics)                                                                                   \
  X(cuptiProfilerHostGetSubMetrics)                                                                                    \
  X(cuptiProfilerHostGetMetricProperties)                                                                              \
  X(cuptiProfilerHostConfigAddMetrics)                                                                                 \
  X(cuptiProfilerHostGetConfigImageSize)                                                                               \
  X(cuptiProfilerHostGetConfigImage)                                                                                   \
  X(cuptiProfilerHostGetNumOfPasses)                                                                                   \
  X(cuptiProfilerHostEvaluateToGpuValues)                                                                              \
  X(cuptiRangeProfilerEnable)                                                                                          \
  X(cuptiRangeProfilerDisable)                                                                                         \
  X(cuptiRangeProfilerSetConfig)                                                                                       \
  X(cuptiRangeProfilerStart)                                                                                           \
  X(cuptiRangeProfilerStop)                                                                                            \
  X(cuptiRangeProfilerPushRange)                                                                                       \
  X(cuptiRangeProfilerPopRange)                                                                                        \
  X(cuptiRangeProfilerDecodeData)                                                                                      \
  X(cuptiRangeProfilerGetCounterDataSize)                                                                              \
  X(cuptiRangeProfilerCounterDataImageInitialize)                                                                      \
  X(cuptiRangeProfilerGetCounterDataInfo)                                                                              \
  X(cuptiPCSamplingEnable)                                                                                             \
  X(cuptiPCSamplingDisable)                                                                                            \
  X(cuptiPCSamplingGetNumStallReasons)                                                                                 \
  X(cuptiPCSamplingGetStallReasons)                                                                                    \
  X(cuptiPCSamplingSetConfigurationAttribute)                                                                          \
  X(cuptiPCSamplingStart)                                                                                              \
  X(cuptiPCSamplingStop)                                                                                               \
  X(cuptiPCSamplingGetData)                                                                                            \
  X(cuptiGetCubinCrc)                                                                                                  \
  X(cuptiGetSassToSourceCorrelation)

// These functions are optional as a group: if CUPTI lacks one, all of them are null.
#define WT_CUPTI_SASS_FUNCTIONS(X)                                                                                     \
  X(cuptiSassMetricsGetProperties)                                                                                     \
  X(cuptiSassMetricsSetConfig)                                                                                         \
  X(cuptiSassMetricsUnsetConfig)                                                                                       \
  X(cuptiSassMetricsEnable)                                                                                            \
  X(cuptiSassMetricsDisable)                                                                                           \
  X(cuptiSassMetricsGetDataProperties)                                                                                 \
  X(cuptiSassMetricsFlushData)

struct CuptiLibrary {
#define X(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses): declares a member
  WT_CUPTI_FUNCTIONS(X)
  WT_CUPTI_SASS_FUNCTIONS(X)
#undef X
  std::string path;              // the library file that was mapped
  std::string version;           // version of the library's CUDA Toolkit: "13.0"
  bool has_sass_metrics() const; // whether it has WT_CUPTI_SASS_FUNCTIONS
};

// Loads CUPTI once per process and never unloads it. libcupti itself loads libnvperf_host from its folder.
// WARPTUNE_LIBCUPTI names another library or folder.
Result<const CuptiLibrary*> load_cupti();

std::string cupti_error_text(const CuptiLibrary& cupti, CUptiResult status); // such as "CUPTI_ERROR_HARDWARE_BUSY"

// Declares one of CUPTI's parameter blocks, which carry their own size.
#define WT_CUPTI_PARAMS(type, name)                                                                                    \
  type##_Params name{}; /* NOLINT(bugprone-macro-parentheses) */                                                       \
  (name).structSize = type##_Params_STRUCT_SIZE
// Declares a parameter block of PC sampling, whose size has other names.
#define WT_CUPTI_SAMPLING_PARAMS(type, name)                                                                           \
  type##Params name{}; /* NOLINT(bugprone-macro-parentheses) */                                                        \
  (name).size = type##ParamsSize

} // namespace warptune
