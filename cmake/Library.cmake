# One folder of src/, one library, one namespace.
#
#   rescheduler_library(kube LAYER 2
#     SOURCES a.cc b.cc        compiled into rescheduler_kube
#     DEPS base net            folders of lower layers; one of the same or a higher layer stops the configure step
#     EXTERNAL Boost::json     libraries that users of this folder see too
#     PRIVATE_EXTERNAL yaml-cpp  libraries that only its .cc files see
#     TESTS a_test.cc          become kube_test; unit tests need no network beyond loopback
#     TEST_EXTERNAL rapidcheck)
#
# The DEPS lists of all folders are the layer diagram; tools/lint/layer_lint.py checks the #include lines against them.
function(rescheduler_library name)
  cmake_parse_arguments(arg "" "LAYER"
    "SOURCES;DEPS;EXTERNAL;PRIVATE_EXTERNAL;TESTS;TEST_EXTERNAL" ${ARGN})
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

  if(BUILD_TESTING AND arg_TESTS)
    rescheduler_test(${name}_test LABEL unit SOURCES ${arg_TESTS}
      LINK rescheduler_${name} ${arg_PRIVATE_EXTERNAL} ${arg_TEST_EXTERNAL})
  endif()
endfunction()

# The timeout of a test in seconds: the value in `variable`, or else the default; several times as long under a
# sanitizer. A timeout that a test names is its COST too: long tests start first, and tests that mostly wait run beside
# others.
function(rescheduler_timeout variable default)
  set(seconds ${${variable}})
  set(cost ${seconds})
  if(NOT seconds)
    set(seconds ${default})
    set(cost 10)
  endif()
  set(cost ${cost} PARENT_SCOPE)
  if(RESCHEDULER_SANITIZE)
    math(EXPR seconds "${seconds} * 5")
  endif()
  set(${variable} ${seconds} PARENT_SCOPE)
endfunction()

# A GoogleTest program: one ctest entry, or n entries with SHARDS n, each with a part of the cases. The output names the
# failed cases.
#   rescheduler_test(kube_test LABEL unit SOURCES a_test.cc LINK rescheduler_kube [TIMEOUT seconds] [SHARDS n])
function(rescheduler_test name)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT;SHARDS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} test_main)
  rescheduler_program_tests(${name} "${arg_LABEL}" "${arg_TIMEOUT}" "${arg_SHARDS}")
endfunction()

# A program of tests that run on the embedded cluster and on the real one (tests/support/cluster.h). They wait in real
# time. Each case is a ctest entry and a process of its own, because it starts and stops whole programs.
function(rescheduler_cluster_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  rescheduler_timeout(arg_TIMEOUT 120)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE test_cluster ${arg_LINK} test_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_embedded TEST_FILTER "-Real/*"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES LABELS embedded TIMEOUT ${arg_TIMEOUT} COST 20 SKIP_RETURN_CODE 77)
  rescheduler_real_cases(${name} "${arg_TIMEOUT}" "Real/*")
endfunction()

# Programs that run only in the real tier.
#   rescheduler_real_test(real_test SOURCES calls_test.cc LINK test_cluster [TIMEOUT seconds] [SERIAL] [NO_RIG])
function(rescheduler_real_test name)
  cmake_parse_arguments(arg "SERIAL;NO_RIG" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} test_main)
  rescheduler_real_cases(${name} "${arg_TIMEOUT}" "*" ${arg_SERIAL} ${arg_NO_RIG})
endfunction()

function(rescheduler_real_cases name timeout filter)
  if(NOT timeout)
    set(timeout 120)
  endif()
  set(properties LABELS real TIMEOUT ${timeout} COST ${timeout} SKIP_RETURN_CODE 77)
  if("${ARGV3}")
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(NOT "${ARGV4}")
    list(APPEND properties FIXTURES_REQUIRED rig)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_real TEST_FILTER "${filter}"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES ${properties})
endfunction()

# Runs in the root of the tree, where the default of RESCHEDULER_DATA (../shared/data) is valid.
function(rescheduler_program_tests name labels timeout shards)
  rescheduler_timeout(timeout 240)
  if(NOT shards)
    set(shards 1)
  endif()
  foreach(shard RANGE 1 ${shards})
    set(test ${name})
    if(shards GREATER 1)
      set(test ${name}.${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${test} COMMAND ${name} --gtest_brief=1 ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} COST ${cost} SKIP_RETURN_CODE 77
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# A test that is a script. NEEDS names what the script needs. Without it the script skips itself (exit 77). The skip is
# a failure if the environment variable REQUIRE contains the same name.
#   rescheduler_script_test(web.pages LABELS web NEEDS web [TIMEOUT seconds] [FOLDER where it runs] COMMAND words...)
function(rescheduler_script_test name)
  cmake_parse_arguments(arg "" "NEEDS;TIMEOUT;FOLDER" "LABELS;COMMAND" ${ARGN})
  rescheduler_timeout(arg_TIMEOUT 120)
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${PROJECT_SOURCE_DIR})
  endif()
  if(NOT arg_NEEDS)
    set(arg_NEEDS nothing)
  endif()
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/support/need ${arg_NEEDS} ${arg_COMMAND}
    WORKING_DIRECTORY ${arg_FOLDER})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} COST ${cost} SKIP_RETURN_CODE 77
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()
