# Unity builds: the files of a target in batches. Most of what a file costs are the same templates and inline members of
# the same headers; a batch pays for them once. Good for a build from nothing; after an edit, a batch is compiled instead
# of a file, so those who edit keep it off (dev, or -DWARPTUNE_UNITY=OFF).
option(WARPTUNE_UNITY "Compile several files at a time; only for a quicker build from nothing" OFF)

if(WARPTUNE_UNITY)
  # A name of one file may hide a name of its neighbour, which is no defect; builds without batches warn of the rest.
  target_compile_options(wt_options INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# Folders that wait for files, processes and GPUs. A build in batches compiles them with -Og: 40 % less work, and the
# program is as fast. Searching, reading databases and dispatching, which compute, are compiled with the flags of the build.
set(WT_WAITING wt_capture wt_cli wt_cluster wt_db wt_gpu wt_interchange wt_jit wt_profiler wt_report wt_starter wt_worker warptune)

function(wt_unity target)
  if(WARPTUNE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    if(target IN_LIST WT_WAITING)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
    endif()
  endif()
endfunction()

# wt_alone(<source>...): of the directory's sources, those with names in their unnamed namespace that a neighbour has too
# ("redefinition of ..."). They are compiled by themselves.
function(wt_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
