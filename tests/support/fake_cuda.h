// A stand-in for libcuda.so.1 (WARPTUNE_LIBCUDA) with one device and nothing behind it: contexts are made by naming
// them, launches are written down. What host code does around the driver is tested with it on any machine.
#pragma once

#include <cstdint>

namespace warptune::test {

struct FakeLaunch {
  int count;                    // of this thread so far
  unsigned grid, block, shared; // x of the last one
  const void* stream;
  const char* function;                               // its lowered name
  std::uint64_t args[16];                             // first 8 bytes of each argument, as many as fake_arg_count says
  std::uint64_t cleared, cleared_bytes;               // last address that was cleared
  unsigned cleared_with;                              // in each byte
  std::uint64_t copied_to, copied_from, copied_bytes; // by the last copy on the device
  int copied_after;                                   // so many launches of this thread
  unsigned words;                                     // that were set one by one: each doubles those before it
  std::uint64_t word_count;                           // of the last of these
};

} // namespace warptune::test

extern "C" {
void fake_set_context(void* context);                         // of this thread; null: none
void fake_renew_contexts();                                   // all were destroyed; new ones lie at the same addresses
void fake_set_arg_count(int count);                           // arguments of the next launches of this thread
void fake_fail_launches(int status);                          // of this thread, with this CUresult; 0: no longer
void fake_fail_loads(int status);                             // likewise the loading of programs
void fake_set_stream_context(void* stream, void* context);    // the stream that is of one context alone; null: none
warptune::test::FakeLaunch fake_launch();                     // of this thread
void fake_set_device_count(int count);                        // all of one name; one in the beginning
int fake_modules_loaded();                                    // of all threads
int fake_function_attribute(const char* function, int which); // as it was last set, by the function's lowered name
void fake_capture(void* stream);                              // the stream that is being captured; null: none
int fake_loads_that_break_captures(); // loads and allocations not made in the relaxed mode, of all threads
int fake_kept_buffers();              // allocated outside of any stream's order and not freed
void fake_fill_memory(int is_full);   // such allocations fail
}
