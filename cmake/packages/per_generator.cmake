# Read by CPack for each generator. The three archives unpack into one folder, a .deb into /; the components' descriptions
# have a first line of their own.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  unset(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
endif()
