# wt_web(<target> <name>)
#
# Bundles the front end of the report (src/report/web) and embeds shell.html, report.css and report.js into <target>:
#   #include "embedded/<name>.h"
# npm installs the packages of package-lock.json into the build folder once, so later builds need no network and the
# source tree does not change. The browser tests use playwright-core from there, too.
function(wt_web target name)
  find_program(WARPTUNE_NODE NAMES node nodejs)
  find_program(WARPTUNE_NPM npm)
  if(NOT WARPTUNE_NODE OR NOT WARPTUNE_NPM)
    message(FATAL_ERROR "The report is bundled with Node.js 18 or newer and npm, which are missing here. "
      "Debian and Ubuntu: apt-get install --no-install-recommends nodejs npm (scripts/setup.sh does it)")
  endif()
  set(sources ${PROJECT_SOURCE_DIR}/src/report/web)
  set(work ${PROJECT_BINARY_DIR}/web)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${sources}/*.js ${sources}/*.css)
  set(packages package.json package-lock.json)
  list(TRANSFORM packages PREPEND ${sources}/)
  add_custom_command(OUTPUT ${work}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}
    COMMAND ${CMAKE_COMMAND} -E copy ${packages} ${work}
    COMMAND ${CMAKE_COMMAND} -E chdir ${work}
      ${WARPTUNE_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${work}/packages.stamp
    DEPENDS ${packages}
    COMMENT "Packages of the report's front end"
    VERBATIM)
  set(assets ${work}/out/shell.html ${work}/out/report.css ${work}/out/report.js)
  # Copied, because a script looks for its packages from its own folder.
  add_custom_command(OUTPUT ${assets}
    COMMAND ${CMAKE_COMMAND} -E copy ${sources}/build.mjs ${work}
    COMMAND ${WARPTUNE_NODE} ${work}/build.mjs ${sources} ${work}/node_modules ${work}/out
    DEPENDS ${work}/packages.stamp ${sources}/build.mjs ${sources}/shell.html ${files}
    COMMENT "Front end of the report"
    VERBATIM)
  add_custom_target(wt_web_assets DEPENDS ${assets})
  wt_embed(${target} ${name} FILES ${assets})
endfunction()
