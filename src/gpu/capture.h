// Being a good neighbour of stream captures: asking whether one is going on, and loading programs without breaking one.
// Knows no kernels.
#pragma once

#include "gpu/driver.h"

namespace warptune {

// Whether a launch on the stream would become a node of a graph, or an error because it cannot.
inline bool is_capturing(const Driver& driver, CUstream stream) noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = driver.cuStreamIsCapturing(stream, &status);
  // The legacy stream beside the capture of a blocking one: CUDA refuses to use it until that has ended.
  return asked == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
         (asked == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

// While it lives, what this thread allocates and loads invalidates no capture, whichever thread captures in whatever
// mode (cuThreadExchangeStreamCaptureMode).
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver) noexcept : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); } // gives back what it was
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace warptune
