# Unity builds compile the files of a target in batches. Most of a file's compile time is for templates and inline
# members of common headers, which a batch compiles once. This helps builds from scratch; after an edit, a whole batch
# is compiled instead of a file, so keep it off while editing (preset dev, or -DWARPTUNE_UNITY=OFF).
option(WARPTUNE_UNITY "Compile several files at a time; only for a quicker build from nothing" OFF)

# In a batch, a name of one file may hide a name of another, which is not a defect; other builds warn of real cases.
set(WT_BATCH_WARNINGS)
if(WARPTUNE_UNITY)
  set(WT_BATCH_WARNINGS -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  target_compile_options(wt_options INTERFACE ${WT_BATCH_WARNINGS})
endif()

# Folders that wait for files, processes and GPUs. A build in batches compiles them with -Og, which takes 40 % less time.
# Reports and replayed sweeps then take a fifth longer (0.35 and 0.04 s, measured before wt_cuda, wt_db_reader, wt_pack,
# wt_recording, wt_runtime, wt_spec and wt_tuner were added). The other folders, which compute, keep the flags of the
# build, and so does everything that is shipped.
set(WT_WAITING_OPTION $<$<CONFIG:Release>:-Og>)
set(WT_WAITING)
if(NOT WARPTUNE_DIST)
  set(WT_WAITING wt_capture wt_cli wt_cluster wt_cuda wt_db wt_db_reader wt_gpu wt_interchange wt_jit wt_pack wt_profiler
    wt_recording wt_report wt_runtime wt_spec wt_starter wt_system wt_tuner wt_worker warptune)
endif()

function(wt_unity target)
  if(WARPTUNE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    if(target IN_LIST WT_WAITING)
      target_compile_options(${target} PRIVATE ${WT_WAITING_OPTION})
    endif()
  endif()
endfunction()

# wt_alone(<source>...): sources of the directory that are compiled outside batches, because another source has the same
# names in its unnamed namespace ("redefinition of ...").
function(wt_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
