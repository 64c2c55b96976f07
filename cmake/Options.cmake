# How every target is compiled: one interface target carries language level, warnings and sanitizers.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # CCACHE_BASEDIR lets two checkouts share results; precompiled headers need CCACHE_SLOPPINESS.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${CCACHE_PROGRAM})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Dev: fast to compile, still debuggable. -g1 keeps line numbers in backtraces and links quickly.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
set(CMAKE_EXE_LINKER_FLAGS_DEV "")
# Quick: for full builds from scratch, which compile longer than the result ever runs. Of a batch of 16 files, parsing
# took 8 s, optimising 18 s and line numbers 6 s. Only the other build types check fmt's format strings at compile time.
set(CMAKE_CXX_FLAGS_QUICK "-O0 -g0 -D_GLIBCXX_ASSERTIONS -DFMT_CONSTEVAL=")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

add_library(rescheduler_options INTERFACE)
target_include_directories(rescheduler_options INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_compile_options(rescheduler_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor
  # Not in batches: there a local name may shadow a constant of another file. The dev preset compiles each file alone.
  $<$<EQUAL:${RESCHEDULER_UNITY},1>:-Wshadow>
  $<$<BOOL:${RESCHEDULER_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 reports mismatched-new-delete for every coroutine frame, and the other two inside libstdc++ itself.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete -Wno-restrict -Wno-maybe-uninitialized>
  # In a batch, g++ takes each file for a header, in which the type of a member must not be private to the file.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<EQUAL:${RESCHEDULER_UNITY},1>>>:-Wno-subobject-linkage>)
target_compile_definitions(rescheduler_options INTERFACE
  # Asio's and Beast's algorithms are compiled once, in src/net/boost_impl.cc.
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED
  SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # so that ccache can reuse precompiled headers
endif()
if(RESCHEDULER_SANITIZE)
  add_compile_options(-fsanitize=${RESCHEDULER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -g1)  # for line numbers in the reports
  add_link_options(-fsanitize=${RESCHEDULER_SANITIZE})
endif()
if(RESCHEDULER_FUZZ)
  # Coverage counters in every library, so that the fuzzer sees which inputs reach new code; main() is ours.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
if(RESCHEDULER_LTO)
  add_compile_options(-flto=thin)
  add_link_options(-flto=thin -Wl,--thinlto-cache-dir=${PROJECT_BINARY_DIR}/lto-cache)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(OpenSSL 3 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
# Only the core of prometheus-cpp: the package's CMake files would also pull in its web server and curl.
find_library(PROMETHEUS_CORE prometheus-cpp-core REQUIRED)
add_library(prometheus_core INTERFACE)
target_link_libraries(prometheus_core INTERFACE ${PROMETHEUS_CORE})
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
