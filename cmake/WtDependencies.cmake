# Third-party code: the system's package first, otherwise pinned sources. Everything is linked statically.
include(FetchContent)
set(FETCHCONTENT_QUIET ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# wt_dependency(<package> TARGET <imported target> GIT <repository> COMMIT <sha> [OPTIONS name=value...])
function(wt_dependency package)
  cmake_parse_arguments(ARG "" "TARGET;GIT;COMMIT" "OPTIONS" ${ARGN})
  find_package(${package} QUIET)
  if(TARGET ${ARG_TARGET})
    message(STATUS "${package}: of the system")
    return()
  endif()
  message(STATUS "${package}: fetching ${ARG_GIT} ${ARG_COMMIT}")
  foreach(option IN LISTS ARG_OPTIONS)
    string(REGEX MATCH "^([^=]+)=(.*)$" _ "${option}")
    set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" CACHE INTERNAL "")
  endforeach()
  FetchContent_Declare(${package} GIT_REPOSITORY ${ARG_GIT} GIT_TAG ${ARG_COMMIT} SYSTEM)
  FetchContent_MakeAvailable(${package})
endfunction()

wt_dependency(fmt TARGET fmt::fmt-header-only
  GIT https://github.com/fmtlib/fmt.git COMMIT 9.1.0)
wt_dependency(tl-expected TARGET tl::expected
  GIT https://github.com/TartanLlama/expected.git COMMIT v1.0.0
  OPTIONS EXPECTED_BUILD_TESTS=OFF EXPECTED_BUILD_PACKAGE=OFF)
wt_dependency(nlohmann_json TARGET nlohmann_json::nlohmann_json
  GIT https://github.com/nlohmann/json.git COMMIT v3.11.2
  OPTIONS JSON_BuildTests=OFF)
wt_dependency(CLI11 TARGET CLI11::CLI11
  GIT https://github.com/CLIUtils/CLI11.git COMMIT v2.1.2
  OPTIONS CLI11_BUILD_TESTS=OFF CLI11_BUILD_EXAMPLES=OFF)
if(WARPTUNE_BUILD_TESTS)
  wt_dependency(GTest TARGET GTest::gmock_main
    GIT https://github.com/google/googletest.git COMMIT release-1.12.1
    OPTIONS INSTALL_GTEST=OFF)
endif()

# SQLite: the static archives of the system (its shared library is never wanted), or SQLiteCpp with the SQLite it carries.
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
  FetchContent_Declare(SQLiteCpp GIT_REPOSITORY https://github.com/SRombauts/SQLiteCpp.git GIT_TAG 3.2.1 SYSTEM)
  FetchContent_MakeAvailable(SQLiteCpp)
  target_link_libraries(wt_sqlite INTERFACE SQLiteCpp)
endif()
target_link_libraries(wt_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

# CUDA: headers alone. libcuda, libnvrtc and libcupti are opened at run time, so nothing here may link them.
set(cuda_roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda)
set(cuda_suffixes include targets/x86_64-linux/include extras/CUPTI/include)
foreach(header IN ITEMS cuda nvrtc cupti)
  string(TOUPPER WARPTUNE_${header}_INCLUDE variable)
  find_path(${variable} ${header}.h HINTS ${cuda_roots} PATH_SUFFIXES ${cuda_suffixes})
  if(NOT ${variable})
    message(FATAL_ERROR "${header}.h not found: warptune compiles against the headers of the CUDA Toolkit (12.4 or newer; "
      "no GPU, driver or nvcc is needed). Install it from https://developer.nvidia.com/cuda-downloads, "
      "or name its folder with -DCUDAToolkit_ROOT=...")
  endif()
endforeach()
add_library(wt_cuda_headers INTERFACE)
target_include_directories(wt_cuda_headers SYSTEM INTERFACE
  ${WARPTUNE_CUDA_INCLUDE} ${WARPTUNE_NVRTC_INCLUDE} ${WARPTUNE_CUPTI_INCLUDE})
target_link_libraries(wt_cuda_headers INTERFACE ${CMAKE_DL_LIBS})
