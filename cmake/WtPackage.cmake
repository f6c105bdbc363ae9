# CPack: the components of WtInstall.cmake as .deb (libwarptune0, libwarptune-dev, warptune) and .tar.gz; `make packages`.
# A build's CMAKE_INSTALL_LIBDIR is the folder of libraries: scripts/packages.sh uses Debian's for .deb.
set(soversion ${PROJECT_VERSION_MAJOR})
set(CPACK_PACKAGE_NAME warptune)
set(CPACK_PACKAGE_VENDOR "warptune")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GPU kernel autotuner")
set(CPACK_PACKAGE_FILE_NAME warptune-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/packages/per_generator.cmake)
set(CPACK_GENERATOR TGZ)
# Packages must not depend on the builder's umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_ARCHIVE_${upper}_FILE_NAME ${CPACK_PACKAGE_FILE_NAME}-${component})
endforeach()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1) # older than what a distribution calls -1
# Distributors set their own name; .invalid is never a valid address (RFC 2606).
set(WARPTUNE_MAINTAINER "warptune developers <warptune@packages.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${WARPTUNE_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libwarptune${soversion})
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libwarptune-dev)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME warptune)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/packages/triggers)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libwarptune${soversion} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libcuda1")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "warptune")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "libwarptune-dev, libcuda1")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "GPU kernel autotuner: runtime library\n\
Opens a pack of tuned CUDA kernels, picks the fastest configuration known for\n\
a shape and a GPU, and launches it on the caller's stream.\n\
The CUDA driver is looked for when it is first needed.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "GPU kernel autotuner: headers for C and C++\n\
Headers, CMake package and pkg-config file of the runtime library, which opens\n\
a pack of tuned CUDA kernels and launches the fastest for a shape and a GPU.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
  "GPU kernel autotuner: command line\n\
Compiles, checks and times the configurations of a CUDA kernel, keeps the\n\
results in one database, reports on them and packs them for applications.\n\
Comes with kernel templates, recordings from real GPUs and examples.")

# Documents at share/doc/<package>.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packages/debian_papers.cmake)
set(CPACK_WARPTUNE_CHANGELOG ${PROJECT_BINARY_DIR}/generated/changelog.Debian.gz)
find_program(WARPTUNE_GZIP gzip REQUIRED)
string(TIMESTAMP WT_CHANGELOG_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if set
configure_file(cmake/packages/changelog.in ${PROJECT_BINARY_DIR}/generated/changelog.Debian @ONLY)
execute_process(COMMAND ${WARPTUNE_GZIP} -9nfk ${PROJECT_BINARY_DIR}/generated/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES LICENSE cmake/packages/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()

include(CPack)
