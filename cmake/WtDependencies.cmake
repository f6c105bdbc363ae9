# Third-party code: the system's package first, otherwise pinned sources. Everything is linked statically.
include(FetchContent)
set(FETCHCONTENT_QUIET ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# wt_dependency(<package> TARGET <target> GIT <repository> COMMIT <sha> [HEADERS <folder>] [OPTIONS name=value...])
# HEADERS: a header-only package, of which only this folder is used; the others are built by their own CMakeLists.
function(wt_dependency package)
  cmake_parse_arguments(ARG "" "TARGET;GIT;COMMIT;HEADERS" "OPTIONS" ${ARGN})
  find_package(${package} QUIET)
  if(TARGET ${ARG_TARGET})
    message(STATUS "${package}: of the system")
    set(${package}_VERSION ${${package}_VERSION} PARENT_SCOPE)
    return()
  endif()
  message(STATUS "${package}: fetching ${ARG_GIT} ${ARG_COMMIT}")
  foreach(option IN LISTS ARG_OPTIONS)
    string(REGEX MATCH "^([^=]+)=(.*)$" _ "${option}")
    set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" CACHE INTERNAL "")
  endforeach()
  set(subdir "")
  if(ARG_HEADERS)
    set(subdir SOURCE_SUBDIR no-cmake)
  endif()
  # SYSTEM first: CMake 3.25 takes a trailing one for the name of the git remote.
  FetchContent_Declare(${package} SYSTEM GIT_REPOSITORY ${ARG_GIT} GIT_TAG ${ARG_COMMIT} GIT_SUBMODULES "" ${subdir})
  FetchContent_MakeAvailable(${package})
  if(ARG_HEADERS)
    FetchContent_GetProperties(${package} SOURCE_DIR source)
    add_library(${ARG_TARGET} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${ARG_TARGET} INTERFACE ${source}/${ARG_HEADERS})
  endif()
endfunction()

wt_dependency(fmt TARGET fmt::fmt-header-only
  GIT https://github.com/fmtlib/fmt.git
  COMMIT a33701196adfad74917046096bf5a2aa0ab0bb50) # 9.1.0
wt_dependency(tl-expected TARGET tl::expected HEADERS include
  GIT https://github.com/TartanLlama/expected.git
  COMMIT 3d741708b967b83ca1e2888239196c4a67f9f9b0) # v1.0.0
wt_dependency(nlohmann_json TARGET nlohmann_json::nlohmann_json HEADERS single_include
  GIT https://github.com/nlohmann/json.git
  COMMIT bc889afb4c5bf1c0d8ee29ef35eaaf4c8bef8a5d) # v3.11.2
wt_dependency(CLI11 TARGET CLI11::CLI11 HEADERS include
  GIT https://github.com/CLIUtils/CLI11.git
  COMMIT 70f8072f9dd2292fd0b9f9e5f58e279f60483ed3) # v2.1.2
wt_dependency(Eigen3 TARGET Eigen3::Eigen HEADERS .
  GIT https://gitlab.com/libeigen/eigen.git
  COMMIT 3147391d946bb4b6c68edd901f2add6ac1f31f8c) # 3.4.0
if(WARPTUNE_BUILD_TESTS)
  wt_dependency(GTest TARGET GTest::gmock_main OPTIONS INSTALL_GTEST=OFF
    GIT https://github.com/google/googletest.git
    COMMIT 58d77fa8070e8cec2dc1ed015d66b454c8d78850) # release-1.12.1
endif()

# wt_fmt is fmt as a static archive, or header-only if there is none.
get_target_property(fmt_imported fmt::fmt IMPORTED)
get_target_property(fmt_type fmt::fmt TYPE)
if(fmt_imported AND NOT fmt_type STREQUAL "STATIC_LIBRARY" AND fmt_VERSION VERSION_GREATER_EQUAL 9
    AND fmt_VERSION VERSION_LESS 10)
  get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  add_library(wt_fmt STATIC cmake/fmt_static.cpp)
  target_include_directories(wt_fmt SYSTEM PUBLIC ${fmt_include})
  if(WARPTUNE_SANITIZE)
    target_compile_options(wt_fmt PRIVATE -fsanitize=${WARPTUNE_SANITIZE})
  endif()
else()
  add_library(wt_fmt INTERFACE)
  if(fmt_type STREQUAL "STATIC_LIBRARY")
    target_link_libraries(wt_fmt INTERFACE fmt::fmt)
  else()
    target_link_libraries(wt_fmt INTERFACE fmt::fmt-header-only)
  endif()
endif()

# SQLite: the system's static archives (never its shared library), or SQLiteCpp with its bundled SQLite.
add_library(wt_sqlite INTERFACE)
find_library(WARPTUNE_SQLITECPP_A libSQLiteCpp.a)
find_library(WARPTUNE_SQLITE3_A libsqlite3.a)
find_path(WARPTUNE_SQLITECPP_INCLUDE SQLiteCpp/SQLiteCpp.h)
if(WARPTUNE_SQLITECPP_A AND WARPTUNE_SQLITE3_A AND WARPTUNE_SQLITECPP_INCLUDE)
  message(STATUS "SQLiteCpp: of the system")
  target_link_libraries(wt_sqlite INTERFACE ${WARPTUNE_SQLITECPP_A} ${WARPTUNE_SQLITE3_A} m)
else()
  set(SQLITECPP_INTERNAL_SQLITE ON CACHE INTERNAL "")
  set(SQLITECPP_RUN_CPPLINT OFF CACHE INTERNAL "")
  set(SQLITECPP_RUN_CPPCHECK OFF CACHE INTERNAL "")
  message(STATUS "SQLiteCpp: fetching pinned sources")
  FetchContent_Declare(SQLiteCpp SYSTEM GIT_REPOSITORY https://github.com/SRombauts/SQLiteCpp.git
    GIT_TAG bd5bf7996adaafad736ec5b4a185e9822edbe95c) # 3.2.1
  FetchContent_MakeAvailable(SQLiteCpp)
  target_link_libraries(wt_sqlite INTERFACE SQLiteCpp)
endif()
target_link_libraries(wt_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

# zlib: the static archive of the system, or built from its sources.
add_library(wt_zlib INTERFACE)
find_library(WARPTUNE_ZLIB_A libz.a)
find_path(WARPTUNE_ZLIB_INCLUDE zlib.h)
if(WARPTUNE_ZLIB_A AND WARPTUNE_ZLIB_INCLUDE)
  message(STATUS "zlib: of the system")
  target_link_libraries(wt_zlib INTERFACE ${WARPTUNE_ZLIB_A})
  target_include_directories(wt_zlib SYSTEM INTERFACE ${WARPTUNE_ZLIB_INCLUDE})
else()
  message(STATUS "zlib: fetching pinned sources")
  FetchContent_Declare(zlib SYSTEM GIT_REPOSITORY https://github.com/madler/zlib.git
    GIT_TAG 04f42ceca40f73e2978b50e93806c2a18c1281fc) # 1.2.13
  FetchContent_MakeAvailable(zlib)
  target_link_libraries(wt_zlib INTERFACE zlibstatic)
  target_include_directories(wt_zlib SYSTEM INTERFACE ${zlib_SOURCE_DIR} ${zlib_BINARY_DIR})
endif()

# CUDA: only headers. libcuda, libnvrtc and libcupti are opened at run time, so nothing here may link them.
set(cuda_roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda)
set(cuda_suffixes include targets/x86_64-linux/include extras/CUPTI/include)
foreach(header IN ITEMS cuda nvrtc cupti_range_profiler)
  string(TOUPPER WARPTUNE_${header}_INCLUDE variable)
  find_path(${variable} ${header}.h HINTS ${cuda_roots} PATH_SUFFIXES ${cuda_suffixes})
  if(NOT ${variable})
    message(FATAL_ERROR "${header}.h not found: warptune compiles against the headers of the CUDA Toolkit with CUPTI (12.6 or newer; "
      "no GPU, driver or nvcc is needed). Install it from https://developer.nvidia.com/cuda-downloads, "
      "or name its folder with -DCUDAToolkit_ROOT=...")
  endif()
endforeach()
add_library(wt_cuda_headers INTERFACE)
target_include_directories(wt_cuda_headers SYSTEM INTERFACE
  ${WARPTUNE_CUDA_INCLUDE} ${WARPTUNE_NVRTC_INCLUDE} ${WARPTUNE_CUPTI_RANGE_PROFILER_INCLUDE})
target_link_libraries(wt_cuda_headers INTERFACE ${CMAKE_DL_LIBS})
