// A stand-in for libcuda.so.1 (WARPTUNE_LIBCUDA) with one device that does nothing: any pointer may be a context, and
// launches are recorded. It tests the host code around the driver on any machine.
#pragma once

#include <cstdint>

namespace warptune::test {

struct FakeLaunch {
  int count;                    // launches of this thread so far
  unsigned grid, block, shared; // x components of the last launch
  const void* stream;
  const char* function; // lowered name of the last launch's kernel
  // First 8 bytes of each argument; fake_set_arg_count sets their number.
  std::uint64_t args[16];
  std::uint64_t cleared, cleared_bytes;               // the last address that was cleared
  unsigned cleared_with;                              // the value of each byte
  std::uint64_t copied_to, copied_from, copied_bytes; // addresses and size of the last copy on the device
  int copied_after;                                   // number of launches of this thread before that copy
  unsigned words;                                     // words of all fills as binary digits, the last fill lowest
  std::uint64_t word_count;                           // number of words of the last fill
};

} // namespace warptune::test

extern "C" {
void fake_set_context(void* context); // sets the context of this thread; null: none
void fake_renew_contexts();           // as if all contexts were destroyed, and new ones had the same addresses
void fake_set_arg_count(int count);   // arguments of the next launches of this thread
// Makes launches of this thread return this CUresult; 0: they succeed again.
void fake_fail_launches(int status);
void fake_fail_loads(int status);                             // makes loads of modules return this CUresult
void fake_set_stream_context(void* stream, void* context);    // a stream that belongs to one context only; null: none
warptune::test::FakeLaunch fake_launch();                     // data of this thread's launches
void fake_set_device_count(int count);                        // all devices have the same name; initially there is one
int fake_modules_loaded();                                    // number of modules that all threads loaded
int fake_function_attribute(const char* function, int which); // the last value set, by the function's lowered name
void fake_capture(void* stream);                              // the stream that is being captured; null: none
int fake_loads_that_break_captures(); // loads and allocations outside the relaxed mode, of all threads
int fake_kept_buffers();              // number of buffers that were allocated outside any stream's order and not freed
void fake_fill_memory(int is_full);   // if true, such allocations fail
}
