# One target per folder. Sources are listed by hand: a file that is not listed is not built (a lint test says so).

if(WARPTUNE_DIST)
  set(WT_SOURCE_DIR "")
else()
  set(WT_SOURCE_DIR ${PROJECT_SOURCE_DIR})
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/build_config.h.in
  ${PROJECT_BINARY_DIR}/generated/config/warptune/build_config.h @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/empty.cpp CONTENT "")

# Include roots of the whole project: "spec/spec.h" (src/), "search/strategy.h" (top), "warptune/build_config.h".
function(wt_common target)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/config)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:wt_options>)
  wt_unity(${target})
endfunction()

# wt_library(<name> SOURCES <file>... [DEPENDS <wt target>...] [THIRD_PARTY <target>...])
# DEPENDS: other folders (public). THIRD_PARTY: private to this folder's sources; every folder has fmt and tl::expected.
function(wt_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;THIRD_PARTY" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${PROJECT_BINARY_DIR}/generated/empty.cpp)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  wt_common(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} wt_fmt tl::expected PRIVATE ${ARG_THIRD_PARTY})
  wt_precompiled(${name} libraries)
endfunction()

# wt_program(<name> SOURCES <file>... [DEPENDS ...] [THIRD_PARTY ...]): an executable in <build>/bin.
function(wt_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;THIRD_PARTY" ${ARGN})
  if(NOT ARG_SOURCES)
    message(STATUS "${name}: no sources yet")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  wt_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${ARG_THIRD_PARTY} wt_fmt tl::expected)
  wt_precompiled(${name} programs)
endfunction()
