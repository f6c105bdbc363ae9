# wt_embed(<target> <name> FILES <file>...)
#
# Puts text files (.cu, .sql, web assets) into <target> as bytes. The target, and those that link it, can then
#   #include "embedded/<name>.h"
#   warptune::embedded::<name>::files()          every file, in the order of FILES: {name, text}
#   warptune::embedded::<name>::find("x.cu")     std::optional<std::string_view>; the name is the file name without folders
# The assembler copies the bytes (.incbin), so the size of a file costs no compile time.
function(wt_embed target name)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(dir ${PROJECT_BINARY_DIR}/generated/${target})
  set(WT_EMBED_NAME ${name})
  set(WT_EMBED_ASM "")
  set(WT_EMBED_SYMBOLS "")
  set(WT_EMBED_ENTRIES "")
  set(paths "")
  set(index 0)
  foreach(file IN LISTS ARG_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(GET path FILENAME file_name)
    set(symbol wt_embedded_${name}_${index})
    string(APPEND WT_EMBED_ASM "WT_EMBED(\"${symbol}\", \"${path}\")\n")
    string(APPEND WT_EMBED_SYMBOLS "WT_EMBEDDED(${symbol})\n")
    string(APPEND WT_EMBED_ENTRIES "    entry(\"${file_name}\", ${symbol}, ${symbol}_end),\n")
    list(APPEND paths ${path})
    math(EXPR index "${index} + 1")
  endforeach()
  set(WT_EMBED_COUNT ${index})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.h.in ${dir}/embedded/${name}.h @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.cpp.in ${dir}/embedded/${name}.cpp @ONLY)
  set_source_files_properties(${dir}/embedded/${name}.cpp PROPERTIES OBJECT_DEPENDS "${paths}"
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${dir}/embedded/${name}.cpp)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${dir}>)
endfunction()
