# Compile options of every warptune target: the interface target `wt_options`, which wt_common links.
add_library(wt_options INTERFACE)

target_compile_options(wt_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
# Each function is in its own section, so the linker drops unused ones from the runtime library and the programs.
target_compile_options(wt_options INTERFACE -ffunction-sections -fdata-sections)
target_link_options(wt_options INTERFACE -Wl,--gc-sections)
if(WARPTUNE_WERROR)
  target_compile_options(wt_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside libstdc++ and fmt when it inlines; clang and the sanitizers find such errors instead.
  target_compile_options(wt_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-dangling-pointer
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  # g++ collects garbage later: this saves an eighth of its time, and its memory grows from 0.8 to 1.1 GB.
  target_compile_options(wt_options INTERFACE --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
endif()

if(WARPTUNE_SANITIZE)
  target_compile_options(wt_options INTERFACE -fsanitize=${WARPTUNE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(wt_options INTERFACE -fsanitize=${WARPTUNE_SANITIZE})
endif()
if(WARPTUNE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "WARPTUNE_FUZZ needs clang: libFuzzer is a part of it. Configure with --preset fuzz.")
  endif()
  target_compile_options(wt_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(WARPTUNE_STATIC_STDLIB)
  # Only programs: a library uses the C++ run time of its process, and so does a program that links the library.
  set(is_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  set(links_runtime $<IN_LIST:wt_runtime,$<TARGET_PROPERTY:LINK_LIBRARIES>>)
  target_link_options(wt_options INTERFACE
    "$<$<AND:${is_program},$<NOT:${links_runtime}>>:-static-libstdc++;-static-libgcc>")
endif()
if(WARPTUNE_DIST)
  target_compile_options(wt_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -ffile-prefix-map=${PROJECT_BINARY_DIR}/=)
endif()

# wt_fast(<source>...): sources with a loop that takes most of a command's time; the quick build of the tests also
# optimises them.
function(wt_fast)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>"
    SKIP_PRECOMPILE_HEADERS ON)
endfunction()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/with_ccache.sh)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/with_ccache.sh)
endif()
