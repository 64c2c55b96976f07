# Precompiled headers for builds of everything (RESCHEDULER_PCH): what most files include and what costs most to read, once for
# all folders, and once more with the test libraries. `-ftime-trace` of October's tree: of 8.3 s for placement/preemption.cc, 5.3
# were headers, 2.2 of them core_pod.pb.h. The dev and gcc presets do without, so that a missing #include is found.
set(rescheduler_pch_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <deque> <functional> <limits> <map> <memory> <optional> <set> <span>
  <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
  <boost/json.hpp> <boost/unordered/unordered_flat_map.hpp> <fmt/format.h> <google/protobuf/message.h> <tl/expected.hpp>
  "kube/proto/apps.pb.h" "kube/proto/core.pb.h" "kube/proto/core_node.pb.h" "kube/proto/core_pod.pb.h" "kube/proto/policy.pb.h"
  "net/task.h" "base/error.h")
set(rescheduler_pch_test_headers <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)

function(rescheduler_add_pch name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.h CONTENT "${ARGN}" @ONLY)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.cc CONTENT "" @ONLY)
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/generated/${name}.cc)
  target_link_libraries(${name} PRIVATE rescheduler_kube Boost::json)
  target_precompile_headers(${name} PRIVATE <${name}.h>)
endfunction()

function(rescheduler_include_lines variable)
  list(TRANSFORM ARGN REPLACE "^([^<].*)$" "\"\\1\"")
  list(TRANSFORM ARGN PREPEND "#include ")
  list(JOIN ARGN "\n" lines)
  set(${variable} "${lines}\n" PARENT_SCOPE)
endfunction()

# Every target of a folder that compiles code of ours reads them.
function(rescheduler_precompile folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$" AND NOT target MATCHES "_proto$|_pch$")
      set(pch rescheduler_pch)
      if(target MATCHES "_test$")
        set(pch rescheduler_test_pch)
      endif()
      target_precompile_headers(${target} REUSE_FROM ${pch})
    endif()
  endforeach()
  get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS inner)
    rescheduler_precompile(${child})
  endforeach()
endfunction()

function(rescheduler_precompile_all)
  rescheduler_include_lines(lines ${rescheduler_pch_headers})
  rescheduler_add_pch(rescheduler_pch "${lines}")
  if(BUILD_TESTING)
    rescheduler_include_lines(test_lines ${rescheduler_pch_test_headers})
    rescheduler_add_pch(rescheduler_test_pch "${lines}${test_lines}")
    target_link_libraries(rescheduler_test_pch PRIVATE GTest::gmock rapidcheck)
  endif()
  rescheduler_precompile(${PROJECT_SOURCE_DIR})
endfunction()

if(RESCHEDULER_PCH)
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL rescheduler_precompile_all)
endif()
