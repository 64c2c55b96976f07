# Precompiled headers (RESCHEDULER_PCH): the headers that most files include and that cost most to parse, once for all
# folders, and once more with the test libraries. Measured with -ftime-trace: of 8.3 s for placement/preemption.cc,
# headers took 5.3 s, 2.2 s of them core_pod.pb.h. The gcc preset does not use them.
#
# CMake's own target_precompile_headers uses absolute paths, so a second checkout could not share ccache's results. Here
# the path is relative to the build tree, and pch_sum.py makes the checksum of the content.
set(rescheduler_pch_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque> <functional> <limits> <map> <memory> <optional> <set> <span>
  <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
  <boost/json.hpp> <boost/unordered/unordered_flat_map.hpp> <fmt/format.h> <google/protobuf/message.h> <tl/expected.hpp>
  "kube/proto/apps.pb.h" "kube/proto/core.pb.h" "kube/proto/core_node.pb.h" "kube/proto/core_pod.pb.h" "kube/proto/policy.pb.h"
  "net/task.h" "base/error.h")
set(rescheduler_pch_test_headers <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)

# Targets that do not link src/net: net/task.h brings Asio's error categories into every file that includes it.
set(rescheduler_pch_never "^(rescheduler_base|base_test|rescheduler_planner|planner_.*|roadef.*|cli_view.*|test_main|skipping_program|fuzz_replay)$|_proto$")

# rescheduler_add_pch(name HEADER...): the target `name`, whose object file is the precompiled header.
function(rescheduler_add_pch name)
  list(TRANSFORM ARGN REPLACE "^([^<].*)$" "\"\\1\"")
  list(TRANSFORM ARGN PREPEND "#include ")
  list(JOIN ARGN "\n" lines)
  set(header ${PROJECT_BINARY_DIR}/generated/${name}.cc)  # a header by its content; CMake does not compile .h files
  file(CONFIGURE OUTPUT ${header} CONTENT "${lines}\n" @ONLY)
  add_library(${name}_object OBJECT ${header})
  # Made in each build tree, because it contains paths. It still goes through ccache, which makes paths on the command
  # line relative.
  list(TRANSFORM CMAKE_CXX_COMPILER_LAUNCHER REPLACE "^CCACHE_NOHASHDIR=1$" "CCACHE_NOHASHDIR=1;CCACHE_RECACHE=1"
    OUTPUT_VARIABLE launcher)
  set_target_properties(${name}_object PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  target_compile_options(${name}_object PRIVATE "SHELL:-Xclang -emit-pch" "SHELL:-x c++-header" -fpch-instantiate-templates
    $<$<CONFIG:Quick>:-fpch-codegen>)
  target_link_libraries(${name}_object PRIVATE rescheduler_options rescheduler_kube_proto Boost::json fmt::fmt tl::expected)
  set(pch ${PROJECT_BINARY_DIR}/generated/${name}.pch)  # ccache looks for a .sum only beside a file with this suffix
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_custom_command(OUTPUT ${pch}.sum
    COMMAND ${CMAKE_COMMAND} -E rm -f ${pch}
    COMMAND ${CMAKE_COMMAND} -E create_hardlink $<TARGET_OBJECTS:${name}_object> ${pch}
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/pch_sum.py ${pch}.sum ${header}
      ${CMAKE_CXX_COMPILER} -std=c++20 -I${PROJECT_SOURCE_DIR}/src -isystem ${PROJECT_BINARY_DIR}/generated
    DEPENDS $<TARGET_OBJECTS:${name}_object>
    COMMENT "summing up ${name}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${pch}.sum)

  # Code that pch_code.py compiles once, and no batch compiles again: 6 of 27 s of CPU for the largest batch.
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_QUICK}")
  get_directory_property(everywhere COMPILE_OPTIONS)  # sanitizers
  list(FILTER everywhere INCLUDE REGEX "^-(f|g)")
  list(APPEND flags ${everywhere})
  add_custom_command(OUTPUT ${pch}.o
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/pch_code.py ${pch}.o ${pch} ${pch}.sum
      ${CMAKE_CXX_COMPILER} -std=c++20 ${flags} -ffunction-sections -fdata-sections -Wno-unused-command-line-argument
    DEPENDS ${pch}.sum
    COMMENT "compiling what ${name} holds"
    VERBATIM)
  add_library(${name}_code STATIC ${pch}.o)
  set_target_properties(${name}_code PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name}_code INTERFACE rescheduler_kube_proto rescheduler_net Boost::json fmt::fmt)
  # Remove unused functions: some of them call functions that no library has.
  target_link_options(${name}_code INTERFACE -Wl,--gc-sections)
endfunction()

# Every target of a folder that compiles our code uses the precompiled headers.
function(rescheduler_precompile folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$" AND NOT target MATCHES "${rescheduler_pch_never}")
      set(pch rescheduler_pch)
      if(target MATCHES "_test$")
        set(pch rescheduler_test_pch)
      endif()
      target_compile_options(${target} PRIVATE "SHELL:-include-pch generated/${pch}.pch")
      add_dependencies(${target} ${pch})
      target_link_libraries(${target} PRIVATE $<$<CONFIG:Quick>:${pch}_code>)
    endif()
  endforeach()
  get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS inner)
    rescheduler_precompile(${child})
  endforeach()
endfunction()

function(rescheduler_precompile_all)
  rescheduler_precompile(${PROJECT_SOURCE_DIR})
  rescheduler_add_pch(rescheduler_pch ${rescheduler_pch_headers})
  if(BUILD_TESTING)
    rescheduler_add_pch(rescheduler_test_pch ${rescheduler_pch_headers} ${rescheduler_pch_test_headers})
    target_link_libraries(rescheduler_test_pch_object PRIVATE GTest::gmock rapidcheck)
    target_link_libraries(rescheduler_test_pch_code INTERFACE GTest::gmock rapidcheck)
  endif()
endfunction()

if(RESCHEDULER_PCH)
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL rescheduler_precompile_all)
endif()
