# Precompiled headers (RESCHEDULER_PCH): what most files include and what costs most to read, once for
# all folders, and once more with the test libraries. Measured with -ftime-trace: of 8.3 s for placement/preemption.cc, 5.3 were
# headers, 2.2 of them core_pod.pb.h. The gcc preset does without.
#
# Not CMake's own target_precompile_headers: it names them by absolute path, and a second checkout would share nothing of what
# ccache holds. Here the path is relative to the build tree, and pch_sum.py says what is in the file.
set(rescheduler_pch_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque> <functional> <limits> <map> <memory> <optional> <set> <span>
  <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
  <boost/json.hpp> <boost/unordered/unordered_flat_map.hpp> <fmt/format.h> <google/protobuf/message.h> <tl/expected.hpp>
  "kube/proto/apps.pb.h" "kube/proto/core.pb.h" "kube/proto/core_node.pb.h" "kube/proto/core_pod.pb.h" "kube/proto/policy.pb.h"
  "net/task.h" "base/error.h")
set(rescheduler_pch_test_headers <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)

# What does not link src/net: net/task.h brings Asio's error categories into every file that reads it.
set(rescheduler_pch_never "^(rescheduler_base|base_test|rescheduler_planner|planner_.*|roadef.*|cli_view.*|test_main|skipping_program|fuzz_replay)$|_proto$")

# rescheduler_add_pch(name HEADER...): the target `name`, whose object file is the precompiled header.
function(rescheduler_add_pch name)
  list(TRANSFORM ARGN REPLACE "^([^<].*)$" "\"\\1\"")
  list(TRANSFORM ARGN PREPEND "#include ")
  list(JOIN ARGN "\n" lines)
  set(header ${PROJECT_BINARY_DIR}/generated/${name}.cc)  # a header by its content; CMake compiles no .h
  file(CONFIGURE OUTPUT ${header} CONTENT "${lines}\n" @ONLY)
  add_library(${name}_object OBJECT ${header})
  # Made anew in each build tree, for it holds paths; through ccache all the same, which makes those on the command line relative.
  list(TRANSFORM CMAKE_CXX_COMPILER_LAUNCHER REPLACE "^CCACHE_NOHASHDIR=1$" "CCACHE_NOHASHDIR=1;CCACHE_RECACHE=1"
    OUTPUT_VARIABLE launcher)
  set_target_properties(${name}_object PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  target_compile_options(${name}_object PRIVATE "SHELL:-Xclang -emit-pch" "SHELL:-x c++-header" -fpch-instantiate-templates
    $<$<CONFIG:Quick>:-fpch-codegen>)
  target_link_libraries(${name}_object PRIVATE rescheduler_options rescheduler_kube_proto Boost::json fmt::fmt tl::expected)
  set(pch ${PROJECT_BINARY_DIR}/generated/${name}.pch)  # ccache asks for a .sum only beside a file that ends so
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

  # What is compiled once, in pch_code.py, and no more in every batch: of 27 s of CPU for the largest, 6.
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
  # What nobody calls leaves again: some of it calls what no library has.
  target_link_options(${name}_code INTERFACE -Wl,--gc-sections)
endfunction()

# Every target of a folder that compiles code of ours reads them.
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
