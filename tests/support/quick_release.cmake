# For tests that build a project which asks for Release: little optimisation, and all files at once. Compiling the same
# headers is most of their time.
set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG" CACHE STRING "")
set(CMAKE_UNITY_BUILD ON CACHE BOOL "")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0 CACHE STRING "")
