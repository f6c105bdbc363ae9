# CPack runs this file before it packs. Debian already has the Apache License, and requires a changelog beside the
# licences.
if(CPACK_GENERATOR STREQUAL DEB)
  file(GLOB_RECURSE licences ${CPACK_TEMPORARY_DIRECTORY}/LICENSE)
  foreach(licence IN LISTS licences)
    cmake_path(GET licence PARENT_PATH folder)
    file(COPY ${CPACK_WARPTUNE_CHANGELOG} DESTINATION ${folder})
    file(REMOVE ${licence})
    if(folder MATCHES "(.*)/doc/warptune$")
      file(MAKE_DIRECTORY ${CMAKE_MATCH_1}/lintian/overrides)
      file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${CMAKE_MATCH_1}/lintian/overrides/warptune)
    endif()
  endforeach()
endif()
