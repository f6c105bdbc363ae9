# Precompiled headers: most of a file's compile time is for parsing the standard library, fmt, JSON and GoogleTest
# again. A source must still include every header that it needs, because the presets without WARPTUNE_PCH (dev, asan,
# dist) compile it without them.
option(WARPTUNE_PCH "Precompile what third parties wrote; only for a quicker build" OFF)
if(NOT WARPTUNE_PCH)
  function(wt_precompiled)
  endfunction()
  return()
endif()

# Headers that nearly every file includes, directly or through core, spec and space.
set(WT_PCH_COMMON <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <functional> <map> <memory> <numeric> <optional>
  <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
  <tl/expected.hpp>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(wt_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>) # ccache needs it
endif()

# wt_precompiled(<target> libraries|programs|tests): compiles <target> with the headers of that kind. Each kind has one
# precompiled file for all its targets, made by a separate target with the same options: libraries are compiled with
# -fPIC, programs with -fPIE, and the waiting folders (WtUnity.cmake) with -Og; g++ mixes none of these.
function(wt_precompiled target kind)
  set(owner wt_precompiled_${kind})
  if(WARPTUNE_UNITY AND target IN_LIST WT_WAITING)
    string(APPEND owner _waiting)
  endif()
  if(NOT TARGET ${owner})
    set(headers ${WT_PCH_COMMON})
    set(source ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    if(kind STREQUAL "libraries")
      add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/generated/empty.cpp)
    else()
      add_executable(${owner} ${source})
      set_target_properties(${owner} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
    endif()
    if(kind STREQUAL "programs")
      list(APPEND headers <nlohmann/json.hpp>)
      target_link_libraries(${owner} PRIVATE nlohmann_json::nlohmann_json)
    elseif(kind STREQUAL "tests")
      list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
    endif()
    if(owner MATCHES _waiting)
      target_compile_options(${owner} PRIVATE ${WT_WAITING_OPTION})
    endif()
    target_link_libraries(${owner} PRIVATE wt_options wt_fmt tl::expected)
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(kind STREQUAL "tests")
    target_link_libraries(${target} PRIVATE GTest::gmock) # for its definitions, which g++ compares
  endif()
endfunction()
