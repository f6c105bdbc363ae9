// CUPTI as a table of functions, loaded at run time: nothing links to it, so every program starts without it. Only this
// header includes CUPTI's headers; files that use CUPTI call it through this table.
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

// Optional functions: if CUPTI lacks one of them, all of them are null, and the library is used without them.
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
  std::string path;              // path of the mapped library file
  std::string version;           // version of its toolkit: "13.0"
  bool has_sass_metrics() const; // WT_CUPTI_SASS_FUNCTIONS
};

// Loaded once per process and never unloaded. libcupti loads libnvperf_host from its own folder.
// WARPTUNE_LIBCUPTI names another library or folder.
Result<const CuptiLibrary*> load_cupti();

std::string cupti_error_text(const CuptiLibrary& cupti, CUptiResult status); // "CUPTI_ERROR_HARDWARE_BUSY"

// CUPTI's parameter blocks carry their own size.
#define WT_CUPTI_PARAMS(type, name)                                                                                    \
  type##_Params name{}; /* NOLINT(bugprone-macro-parentheses) */                                                       \
  (name).structSize = type##_Params_STRUCT_SIZE
// The parameter blocks of PC sampling do too, but under different names.
#define WT_CUPTI_SAMPLING_PARAMS(type, name)                                                                           \
  type##Params name{}; /* NOLINT(bugprone-macro-parentheses) */                                                        \
  (name).size = type##ParamsSize

} // namespace warptune
