// Helpers for CUDA stream capture: they detect a capture in progress, and allow loading programs without invalidating
// it. Independent of kernels.
#pragma once

#include "gpu/driver.h"

namespace warptune {

// Whether a launch on the stream would not run now, because a capture would turn it into a graph node or make it fail.
inline bool is_capturing(const Driver& driver, CUstream stream) noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = driver.cuStreamIsCapturing(stream, &status);
  // CAPTURE_IMPLICIT: `stream` is the legacy stream while a blocking stream is being captured. CUDA refuses to use the
  // legacy stream until that capture ends.
  return asked == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
         (asked == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

// While this object exists, allocations and loads by this thread do not invalidate any capture, of any thread and in
// any mode (cuThreadExchangeStreamCaptureMode).
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver) noexcept : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); } // restores the previous mode
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace warptune
