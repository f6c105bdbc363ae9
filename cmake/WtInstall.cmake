# cmake --install, whole or by component: runtime (the shared library), dev (headers, CMake package, pkg-config), tools (the
# command line with its data files, manual and completions). All files find each other by relative paths.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warptune)
set(data_dir ${CMAKE_INSTALL_DATADIR}/warptune)

install(TARGETS wt_runtime EXPORT warptuneTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(DIRECTORY src/runtime/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT warptuneTargets NAMESPACE warptune:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/warptuneConfig.cmake.in ${PROJECT_BINARY_DIR}/generated/warptuneConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
# While the major version is 0, a minor version may break compatibility.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/warptuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/warptuneConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/warptuneConfigVersion.cmake DESTINATION ${package_dir} COMPONENT dev)

file(RELATIVE_PATH WT_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
cmake_path(NORMAL_PATH WT_PC_PREFIX)
string(REGEX REPLACE "/$" "" WT_PC_PREFIX "${WT_PC_PREFIX}")
configure_file(cmake/warptune.pc.in ${PROJECT_BINARY_DIR}/generated/warptune.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/warptune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Data that the programs read from <exe>/../share/warptune.
foreach(folder IN ITEMS kernel_templates recordings examples)
  install(DIRECTORY ${folder} DESTINATION ${data_dir} COMPONENT tools PATTERN __pycache__ EXCLUDE)
endforeach()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warptune COMPONENT tools)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warptune COMPONENT tools)
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warptune/docs COMPONENT tools)

if(TARGET warptune)
  install(TARGETS warptune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(TARGETS wt_intercept LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warptune COMPONENT tools) # for `capture`
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools OPTIONAL)
  # Each shell's folder for completions of packages; Debian's shells search it below /usr/share.
  install(FILES cli/completions/warptune.bash RENAME warptune
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  install(FILES cli/completions/_warptune DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)
  install(FILES cli/completions/warptune.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()
