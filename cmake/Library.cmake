# One folder of src/, one library, one namespace.
#
#   rescheduler_library(kube LAYER 2
#     SOURCES a.cc b.cc        compiled into rescheduler_kube
#     DEPS base net            folders below this one; naming one of the same or a higher layer stops the configure step
#     EXTERNAL Boost::json     libraries that users of this folder see too
#     PRIVATE_EXTERNAL yaml-cpp  libraries only its .cc files see
#     PCH <vector> ...         headers worth precompiling for this folder
#     TESTS a_test.cc          become kube_test; unit tests need no network beyond loopback
#     TEST_EXTERNAL rapidcheck)
#
# The DEPS lists of all folders are the layer diagram; tools/lint/layer_lint.py holds the #include lines to them.
function(rescheduler_library name)
  cmake_parse_arguments(arg "" "LAYER"
    "SOURCES;DEPS;EXTERNAL;PRIVATE_EXTERNAL;PCH;TESTS;TEST_EXTERNAL" ${ARGN})
  if(NOT DEFINED arg_LAYER OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "rescheduler_library(${name}): LAYER is required and these words are not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(dep IN LISTS arg_DEPS)
    if(NOT TARGET rescheduler_${dep})
      message(FATAL_ERROR "rescheduler_library(${name}): there is no folder '${dep}' below it")
    endif()
    get_target_property(dep_layer rescheduler_${dep} RESCHEDULER_LAYER)
    if(NOT dep_layer LESS arg_LAYER)
      message(FATAL_ERROR "src/${name} (layer ${arg_LAYER}) must not depend on src/${dep} (layer ${dep_layer}): "
        "nothing points upward")
    endif()
  endforeach()

  list(TRANSFORM arg_DEPS PREPEND rescheduler_ OUTPUT_VARIABLE deps)
  add_library(rescheduler_${name} STATIC ${arg_SOURCES})
  set_target_properties(rescheduler_${name} PROPERTIES RESCHEDULER_LAYER ${arg_LAYER})
  target_link_libraries(rescheduler_${name}
    PUBLIC rescheduler_options ${deps} ${arg_EXTERNAL} PRIVATE ${arg_PRIVATE_EXTERNAL})
  if(arg_PCH)
    target_precompile_headers(rescheduler_${name} PRIVATE ${arg_PCH})
  endif()

  if(BUILD_TESTING AND arg_TESTS)
    rescheduler_test(${name}_test LABEL unit SOURCES ${arg_TESTS}
      LINK rescheduler_${name} ${arg_PRIVATE_EXTERNAL} ${arg_TEST_EXTERNAL})
  endif()
endfunction()

# A GoogleTest program whose cases ctest knows by name.
#   rescheduler_test(kube_test LABEL unit SOURCES a_test.cc LINK rescheduler_kube [TIMEOUT seconds] [SERIAL]
#                   [FIXTURE name])
function(rescheduler_test name)
  cmake_parse_arguments(arg "SERIAL" "LABEL;TIMEOUT;FIXTURE" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(properties LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_FIXTURE)
    list(APPEND properties FIXTURES_REQUIRED ${arg_FIXTURE})
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gmock_main)
  # From the root of the tree, where the default of RESCHEDULER_DATA (../shared/data) leads somewhere.
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES ${properties})
endfunction()

# A program of tests that run on the embedded cluster and on the real one alike (tests/support/cluster.h).
function(rescheduler_cluster_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE test_cluster ${arg_LINK} GTest::gmock_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_real TEST_FILTER "Real/*"
    PROPERTIES LABELS real TIMEOUT ${arg_TIMEOUT} FIXTURES_REQUIRED rig)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_embedded TEST_FILTER "-Real/*"
    PROPERTIES LABELS embedded TIMEOUT ${arg_TIMEOUT})
endfunction()
