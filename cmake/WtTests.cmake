# wt_test and wt_fuzzer, with which tests/CMakeLists.txt declares its programs.
include(GoogleTest)

# wt_time_limit(<out> <seconds>): the time limit of a test. With sanitizers, everything takes several times as long.
function(wt_time_limit out seconds)
  if(WARPTUNE_SANITIZE)
    math(EXPR seconds "${seconds} * 5")
  endif()
  set(${out} ${seconds} PARENT_SCOPE)
endfunction()

# Test files that make dist packs for a machine with a GPU.
add_custom_target(wt_gpu_tests)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tests/support/run_gpu_tests.sh
  ${PROJECT_SOURCE_DIR}/tests/support/run_suites.sh DESTINATION tests COMPONENT gpu_tests EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/data DESTINATION tests COMPONENT gpu_tests EXCLUDE_FROM_ALL)

# wt_test_files(<program> SOURCES <file>... [LIBS <target>...]): adds files to a program that wt_test made.
function(wt_test_files program)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  target_sources(${program} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARG_LIBS})
endfunction()

# wt_test(<name> LABEL <label> [SOURCES <file>...] [LIBS <target>...] [TIMEOUT <seconds>] [TOGETHER <suite>...])
# A GoogleTest program; each of its cases is a ctest case <name>/<Suite.Case> with the label. Each suite in TOGETHER is
# one ctest case <name>/<Suite>, because its cases share data that takes seconds to load.
function(wt_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LIBS;TOGETHER" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  wt_time_limit(limit ${ARG_TIMEOUT})
  math(EXPR suite_limit "4 * ${limit}")
  wt_time_limit(discovery_limit 60)
  add_executable(${name} ${ARG_SOURCES})
  wt_common(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gmock_main wt_fmt tl::expected)
  wt_precompiled(${name} tests)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests UNITY_BUILD_BATCH_SIZE 24)
  list(TRANSFORM ARG_TOGETHER APPEND ".*" OUTPUT_VARIABLE together)
  list(JOIN together ":" together)
  foreach(suite IN LISTS ARG_TOGETHER)
    add_test(NAME ${name}/${suite} COMMAND ${name} --gtest_filter=${suite}.* WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name}/${suite} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${suite_limit} COST 40
      FAIL_REGULAR_EXPRESSION "Running 0 tests" SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endforeach()
  gtest_discover_tests(${name}
    TEST_FILTER "*-${together}"
    TEST_PREFIX ${name}/
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT ${discovery_limit}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${limit} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  if(ARG_LABEL STREQUAL "gpu")
    install(TARGETS ${name} RUNTIME DESTINATION tests COMPONENT gpu_tests EXCLUDE_FROM_ALL)
    add_dependencies(wt_gpu_tests ${name})
  endif()
endfunction()

# wt_fuzzer(<name> SOURCES <file>... CORPUS <folder> [LIBS <target>...])
# SOURCES define LLVMFuzzerTestOneInput. With WARPTUNE_FUZZ the program fuzzes; otherwise, and always in ctest, it
# replays the files of its corpus.
function(wt_fuzzer name)
  cmake_parse_arguments(ARG "" "CORPUS" "SOURCES;LIBS" ${ARGN})
  if(WARPTUNE_FUZZ)
    set(driver "")
  else()
    set(driver ${PROJECT_SOURCE_DIR}/tests/support/fuzz_main.cpp)
  endif()
  add_executable(${name} ${ARG_SOURCES} ${driver})
  wt_common(${name})
  wt_precompiled(${name} tests)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} wt_fmt tl::expected
    $<$<BOOL:${WARPTUNE_FUZZ}>:-fsanitize=fuzzer>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  cmake_path(ABSOLUTE_PATH ARG_CORPUS BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE corpus)
  add_test(NAME fuzz/${name} COMMAND ${name} -runs=0 ${corpus})
  wt_time_limit(limit 120)
  set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()
