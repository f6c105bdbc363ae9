# For tests that build a project which asks for Release: the optimisation of the ci preset. Compiling is most of their time.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "")
