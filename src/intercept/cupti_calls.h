// CUPTI as a table of functions that is loaded at run time. Without CUPTI, recording still starts, and the records say
// that CUPTI is missing.
#pragma once

#include <cupti.h>
#include <string>

namespace warptune::intercept {

#define WT_INTERCEPT_CUPTI_FUNCTIONS(X)                                                                                \
  X(cuptiGetVersion)                                                                                                   \
  X(cuptiGetResultString)                                                                                              \
  X(cuptiSubscribe)                                                                                                    \
  X(cuptiEnableCallback)                                                                                               \
  X(cuptiActivityEnable)                                                                                               \
  X(cuptiActivityRegisterCallbacks)                                                                                    \
  X(cuptiActivityGetNextRecord)                                                                                        \
  X(cuptiActivityGetNumDroppedRecords)                                                                                 \
  X(cuptiActivityFlushAll)

struct CuptiCalls {
#define X(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses): declares a member
  WT_INTERCEPT_CUPTI_FUNCTIONS(X)
#undef X
  std::string path;
  std::string text(CUptiResult status) const; // "CUPTI_ERROR_..."
};

// Returns the CUPTI that the process has loaded already, or else the first of `candidates` (paths, one per line) that
// opens and has all functions. If there is no such library, returns null, and `tried` says why.
const CuptiCalls* open_cupti(const std::string& candidates, std::string& tried);

} // namespace warptune::intercept
