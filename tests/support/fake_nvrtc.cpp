// NVRTC with faults: passes all calls to the library that WT_REAL_NVRTC names. A program whose name expressions contain
// WT_NVRTC_VICTIM gets the fault in WT_NVRTC_FAULT: segv, abort, hang (ignores its cancellation) or memory.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <nvrtc.h>
#include <set>
#include <string_view>
#include <unistd.h>

namespace {

void* real(const char* name) {
  static void* const library = dlopen(std::getenv("WT_REAL_NVRTC"), RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, name);
}

std::mutex guard;
std::set<nvrtcProgram> victims;

void misbehave() {
  const char* text = std::getenv("WT_NVRTC_FAULT");
  const std::string_view fault = text == nullptr ? "" : text;
  if (fault == "segv") std::signal(SIGSEGV, SIG_DFL), std::raise(SIGSEGV);
  if (fault == "abort") std::fputs("Internal compiler error: register allocation failed\n", stderr), std::abort();
  if (fault == "memory") std::raise(SIGKILL);
  if (fault == "hang")
    while (true) ::pause();
}

} // namespace

#define WT_REAL(name) reinterpret_cast<decltype(&::name)>(real(#name))

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) { return WT_REAL(nvrtcVersion)(major, minor); }
const char* nvrtcGetErrorString(nvrtcResult result) { return WT_REAL(nvrtcGetErrorString)(result); }
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  return WT_REAL(nvrtcCreateProgram)(program, source, name, count, headers, names);
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  const std::lock_guard lock(guard);
  victims.erase(*program);
  return WT_REAL(nvrtcDestroyProgram)(program);
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  bool victim = false;
  {
    const std::lock_guard lock(guard);
    victim = victims.count(program) > 0;
  }
  if (victim) misbehave();
  return WT_REAL(nvrtcCompileProgram)(program, count, options);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  return WT_REAL(nvrtcGetProgramLogSize)(program, size);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) { return WT_REAL(nvrtcGetProgramLog)(program, log); }
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* name) {
  const char* victim = std::getenv("WT_NVRTC_VICTIM");
  const std::lock_guard lock(guard);
  if (victim != nullptr && std::strstr(name, victim) != nullptr) victims.insert(program);
  return WT_REAL(nvrtcAddNameExpression)(program, name);
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* name, const char** lowered) {
  return WT_REAL(nvrtcGetLoweredName)(program, name, lowered);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) { return WT_REAL(nvrtcGetCUBINSize)(program, size); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) { return WT_REAL(nvrtcGetCUBIN)(program, cubin); }
nvrtcResult nvrtcGetNumSupportedArchs(int* count) { return WT_REAL(nvrtcGetNumSupportedArchs)(count); }
nvrtcResult nvrtcGetSupportedArchs(int* archs) { return WT_REAL(nvrtcGetSupportedArchs)(archs); }
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* payload) {
  return WT_REAL(nvrtcSetFlowCallback)(program, callback, payload);
}
}
