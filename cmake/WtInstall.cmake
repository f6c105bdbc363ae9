# cmake --install: bin/, lib/, include/, share/warptune/ and the package for find_package(warptune).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warptune)

if(TARGET warptune)
  install(TARGETS warptune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS wt_runtime EXPORT warptuneTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/runtime/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT warptuneTargets NAMESPACE warptune:: DESTINATION ${package_dir})

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/warptuneConfig.cmake @ONLY
  CONTENT "include(\"\${CMAKE_CURRENT_LIST_DIR}/warptuneTargets.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/warptuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/warptuneConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/warptuneConfigVersion.cmake DESTINATION ${package_dir})

# What the programs look for at <exe>/../share/warptune.
foreach(folder IN ITEMS kernel_templates recordings examples)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/warptune)
  endif()
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/warptune)
