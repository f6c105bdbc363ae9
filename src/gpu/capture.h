// Helpers for stream captures: detect a capture in progress, and load programs without breaking it. Does not depend on
// kernels.
#pragma once

#include "gpu/driver.h"

namespace warptune {

// Whether a launch on the stream would become a node of a graph, or would fail because of a capture.
inline bool is_capturing(const Driver& driver, CUstream stream) noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = driver.cuStreamIsCapturing(stream, &status);
  // This is the legacy stream while a blocking stream is being captured; CUDA refuses to use it until the capture ends.
  return asked == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
         (asked == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

// During this object's lifetime, this thread's allocations and loads do not invalidate captures of any thread or mode
// (cuThreadExchangeStreamCaptureMode).
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
