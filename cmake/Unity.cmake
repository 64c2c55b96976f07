# Compiles the files of a target together, at most RESCHEDULER_UNITY at a time: most of a file's cost is its headers,
# and a batch parses them once. CMake's own unity build uses absolute paths, which ccache cannot share between two
# checkouts, and does not handle name clashes; unity_batches.py does.
#
# A file that must not share a batch says so where it is listed:
#   set_source_files_properties(boost_impl.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Lines "target;file;file..." for unity_batches.py: the files of a folder's targets that may be compiled together.
function(rescheduler_collect_sources folder spec_variable)
  set(spec "${${spec_variable}}")
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    set(batched "")
    if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$" AND sources)
      foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE file)
        cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${file}" generated)
        get_source_file_property(alone "${file}" DIRECTORY ${folder} SKIP_UNITY_BUILD_INCLUSION)
        if(file MATCHES "\\.cc$" AND NOT generated AND NOT alone)
          list(APPEND batched "${file}")
          list(REMOVE_ITEM sources "${source}")
        endif()
      endforeach()
    endif()
    list(LENGTH batched count)
    if(count GREATER 1)
      string(APPEND spec "${target};${batched}\n")
      set_target_properties(${target} PROPERTIES SOURCES "${sources}")
      # Relative: a failed check names its file, and an object from the compiler cache may come from another checkout.
      file(RELATIVE_PATH up ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
      target_compile_options(${target} PRIVATE -iquote ${up})
    endif()
  endforeach()
  get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS inner)
    rescheduler_collect_sources(${child} spec)
  endforeach()
  set(${spec_variable} "${spec}" PARENT_SCOPE)
endfunction()

function(rescheduler_unify)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(out ${PROJECT_BINARY_DIR}/unity)
  rescheduler_collect_sources(${PROJECT_SOURCE_DIR} spec)
  file(WRITE ${out}/targets.txt "${spec}")
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/unity_batches.py
      ${out}/targets.txt ${out} ${PROJECT_SOURCE_DIR} ${RESCHEDULER_UNITY}
    COMMAND_ERROR_IS_FATAL ANY)
  include(${out}/batches.cmake)
  string(REGEX MATCHALL "(^|\n)[^;\n]+" targets "${spec}")
  foreach(target IN LISTS targets)
    string(STRIP "${target}" target)
    set_property(TARGET ${target} APPEND PROPERTY SOURCES ${unity_${target}})
  endforeach()
endfunction()

if(RESCHEDULER_UNITY GREATER 1)
  # Deferred to the end: a subfolder may still add files to the library of its parent folder.
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL rescheduler_unify)
endif()
