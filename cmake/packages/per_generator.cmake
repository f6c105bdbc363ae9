# CPack reads this file for each generator. The three archives unpack into one folder, a .deb into /; the descriptions
# of the components have their own first lines.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  unset(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
endif()
