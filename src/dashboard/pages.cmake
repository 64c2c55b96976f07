# The pages of web/, built by npm and embedded in a source file. Without Node, or with -DRESCHEDULER_PAGES=OFF, the
# binary has one page that explains how to build them. All other functions are the same.
option(RESCHEDULER_PAGES "build the pages of the dashboard (needs Node.js and npm)" ON)

set(web ${PROJECT_SOURCE_DIR}/web)
set(pages ${CMAKE_CURRENT_SOURCE_DIR}/placeholder)
set(pages_built ${pages}/index.html)
find_program(NPM_PROGRAM npm)
if(RESCHEDULER_PAGES AND NPM_PROGRAM AND EXISTS ${web}/package.json)
  set(pages ${PROJECT_BINARY_DIR}/generated/pages)  # not build/web: CMake keeps the tests of web/ there
  set(pages_built ${PROJECT_BINARY_DIR}/generated/pages.stamp)
  set(modules ${PROJECT_BINARY_DIR}/generated/pages_modules.stamp)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/* ${web}/scripts/*)
  # The tests of the pages need more packages than the pages.
  set(purpose build)
  if(BUILD_TESTING)
    set(purpose test)
  endif()
  add_custom_command(OUTPUT ${modules}
    COMMAND ${web}/scripts/modules ${purpose}
    COMMAND ${CMAKE_COMMAND} -E touch ${modules}
    DEPENDS ${web}/package.json ${web}/package-lock.json
    COMMENT "fetching what the pages are made with (npm ci)"
    VERBATIM)
  add_custom_command(OUTPUT ${pages_built}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${NPM_PROGRAM} run --silent build -- --outdir=${pages}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages_built}
    DEPENDS ${modules} ${web_sources} ${web}/tsconfig.json
    WORKING_DIRECTORY ${web}
    COMMENT "building the pages"
    VERBATIM)
elseif(RESCHEDULER_PAGES)
  message(STATUS "the dashboard has no pages: npm, or web/package.json, is missing (scripts/install-deps)")
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(PAGES_SOURCE ${PROJECT_BINARY_DIR}/generated/dashboard/assets_content.cc)
add_custom_command(OUTPUT ${PAGES_SOURCE}
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/embed_assets.py ${pages} ${PAGES_SOURCE}
  COMMAND ${CMAKE_COMMAND} -E touch ${PAGES_SOURCE}
  DEPENDS ${pages_built} ${CMAKE_CURRENT_SOURCE_DIR}/embed_assets.py
  COMMENT "embedding the pages"
  VERBATIM)

set(OPENAPI_SOURCE ${PROJECT_BINARY_DIR}/generated/dashboard/openapi_content.cc)
add_custom_command(OUTPUT ${OPENAPI_SOURCE}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${OPENAPI_SOURCE} -D FILE=${CMAKE_CURRENT_SOURCE_DIR}/openapi.json
    -P ${CMAKE_CURRENT_SOURCE_DIR}/embed_text.cmake
  DEPENDS openapi.json embed_text.cmake
  COMMENT "embedding the description of the API"
  VERBATIM)
