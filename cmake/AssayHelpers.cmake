# One helper for each kind of target. Names are given without prefix: spec_ir becomes the
# target assay_spec_ir with the alias assay::spec_ir.

set(ASSAY_COMPILE_FEATURES cxx_std_20)
# Golden code never contracts a*b+c, and nothing here relaxes IEEE arithmetic.
set(ASSAY_COMPILE_OPTIONS -Wall -Wextra -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12's warnings about the flow of bytes are wrong about inlined std::string (its bug 105329),
  # absl::InlinedVector and Boost.Multiprecision; the sanitizers look for what they are meant for.
  list(APPEND ASSAY_COMPILE_OPTIONS -Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict
       -Wno-stringop-overflow -Wno-stringop-overread)
  # GCC searches for garbage whenever its heap has grown by some tens of megabytes, which takes a tenth of
  # the compile time here. Up to this many kilobytes it need not; a compilation takes a tenth more memory.
  list(APPEND ASSAY_COMPILE_OPTIONS --param=ggc-min-heapsize=524288)
else()
  # A loop that Clang does not vectorise is slower, not wrong.
  list(APPEND ASSAY_COMPILE_OPTIONS -Wno-pass-failed)
endif()
if(ASSAY_WERROR)
  list(APPEND ASSAY_COMPILE_OPTIONS -Werror)
endif()

# Tests themselves are not optimised: that would take a third of their compile time (two thirds under
# the sanitizers) and speed up nothing but those that compute what they expect (OPTIMIZED).
set(ASSAY_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
# The undefined-behaviour sanitizer takes a fifth of the compile time of a test. It is for what tests call,
# which is in the libraries; the assay command and the fuzz targets run all of that, inline functions too.
if(CMAKE_CXX_FLAGS MATCHES "fsanitize=[a-z,]*undefined")
  list(APPEND ASSAY_TEST_OPTIONS -fno-sanitize=undefined)
endif()
# The address sanitizer's preset optimises the libraries in which its tests spend their time, and no
# others: Clang takes two to three times as long over a file with -O1 as without. Parsers are among them,
# since recursion as deep as they allow overflows the stack of code that is not optimised. Under the
# thread sanitizer, whose tests are few and short, nothing is optimised.
set(ASSAY_BUSY_FOLDERS conformance/corpus evaluator/ops evaluator/real evaluator/scalar spec/element spec/ir spec/text spec/stablehlo)
set(ASSAY_SANITIZED FALSE)
if(CMAKE_CXX_FLAGS MATCHES "fsanitize")
  set(ASSAY_SANITIZED TRUE)
endif()
if(CMAKE_CXX_FLAGS MATCHES "fsanitize=thread")
  set(ASSAY_BUSY_FOLDERS)
endif()
set(ASSAY_BUSY_OPTIONS $<$<CONFIG:Sanitize>:-O1>)
# Where no program spends its time: GCC takes a quarter less over these folders with -O1 than with -O3.
set(ASSAY_CALM_FOLDERS backends/pjrt backends/process conformance/diagnose conformance/mutants conformance/offline
    conformance/pairs conformance/profiles conformance/report conformance/runner fuzz spec/arrays spec/builder spec/ops spec/proto
    spec/semantics spec/sharding spec/stablehlo spec/verify tools)
set(ASSAY_CALM_OPTIONS $<$<CONFIG:Release>:-O1>)

# Sets OUT to whether this folder, or one above it, is among FOLDERS.
function(_assay_folder_is_among out folders)
  file(RELATIVE_PATH folder ${assay_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(${out} FALSE PARENT_SCOPE)
  foreach(one IN LISTS folders)
    if(folder MATCHES "^${one}(/|$)")
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Sets OUT to the target that precompiles the headers of this folder's libraries.
function(_assay_library_headers out)
  _assay_folder_is_among(busy "${ASSAY_BUSY_FOLDERS}")
  set(${out} assay_library_headers PARENT_SCOPE)
  if(busy)
    set(${out} assay_busy_library_headers PARENT_SCOPE)
  endif()
endfunction()

function(_assay_configure target)
  target_compile_features(${target} PUBLIC ${ASSAY_COMPILE_FEATURES})
  target_compile_options(${target} PRIVATE ${ASSAY_COMPILE_OPTIONS})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()

function(_assay_qualify out)
  set(result)
  foreach(dep IN LISTS ARGN)
    if(dep MATCHES "^:")
      string(SUBSTRING ${dep} 1 -1 name)
      list(APPEND result assay_${name})
    else()
      list(APPEND result ${dep})
    endif()
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

# What most files include, our modules among it, parsed once for each set of options (two of libraries,
# one of tests) instead of once for each file, which takes a third off a build.
set(ASSAY_COMMON_HEADERS
    <algorithm> <cstdint> <cstring> <functional> <map> <memory> <optional> <string> <utility> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
    <absl/container/inlined_vector.h> <absl/status/status.h> <absl/status/statusor.h>
    <absl/strings/str_cat.h> <absl/strings/str_join.h> <absl/types/span.h>
    ${assay_SOURCE_DIR}/spec/ir/module.h)
if(ASSAY_PRECOMPILE_HEADERS)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers.cc CONTENT "int main() { return 0; }")
  foreach(owner IN ITEMS assay_library_headers assay_busy_library_headers)
    add_library(${owner} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cc)
    _assay_configure(${owner})
    target_include_directories(${owner} PRIVATE ${assay_SOURCE_DIR})
    target_precompile_headers(${owner} PRIVATE ${ASSAY_COMMON_HEADERS})
  endforeach()
  target_compile_options(assay_busy_library_headers PRIVATE ${ASSAY_BUSY_OPTIONS})
  if(ASSAY_BUILD_TESTS)
    add_executable(assay_test_headers ${CMAKE_CURRENT_BINARY_DIR}/headers.cc)
    _assay_configure(assay_test_headers)
    target_include_directories(assay_test_headers PRIVATE ${assay_SOURCE_DIR})
    target_compile_options(assay_test_headers PRIVATE ${ASSAY_TEST_OPTIONS})
    target_link_libraries(assay_test_headers PRIVATE GTest::gmock GTest::gtest_main)
    target_precompile_headers(assay_test_headers PRIVATE ${ASSAY_COMMON_HEADERS}
                              <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()
function(_assay_precompile target owner)
  if(ASSAY_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# No public header includes these, so that users of a library link them and see nothing else of them. A library whose
# own files include one names it among its DEPS, even where another dependency does.
set(ASSAY_PRIVATE_DEPENDENCIES "^(Boost|hwy|libzip|ZLIB)::")

# assay_library(NAME spec_ir SRCS a.cc HDRS a.h DEPS :spec_element absl::status)
# A dependency that starts with a colon is one of ours. PRECOMPILE names further headers, for what
# few libraries include and is slow to parse; such a library is not optimised beyond -O1. Presets
# compile several files of a target at once; SEPARATE is for those whose private names meet, TUNED for those
# that are tuned file by file, which only a build without sanitizers compiles one by one.
function(assay_library)
  cmake_parse_arguments(ARG "SEPARATE;TUNED" "NAME" "SRCS;HDRS;DEPS;PRECOMPILE" ${ARGN})
  set(target assay_${ARG_NAME})
  _assay_qualify(deps ${ARG_DEPS})
  if(ARG_SRCS)
    add_library(${target} STATIC ${ARG_SRCS} ${ARG_HDRS})
    _assay_configure(${target})
    if(ARG_SEPARATE OR (ARG_TUNED AND NOT ASSAY_SANITIZED))
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
    if(ARG_PRECOMPILE)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
      if(ASSAY_PRECOMPILE_HEADERS)
        target_precompile_headers(${target} PRIVATE ${ASSAY_COMMON_HEADERS} ${ARG_PRECOMPILE})
      endif()
    else()
      _assay_library_headers(owner)
      if(owner STREQUAL assay_busy_library_headers)
        target_compile_options(${target} PRIVATE ${ASSAY_BUSY_OPTIONS})
      endif()
      _assay_folder_is_among(calm "${ASSAY_CALM_FOLDERS}")
      if(calm)
        target_compile_options(${target} PRIVATE ${ASSAY_CALM_OPTIONS})
      endif()
      _assay_precompile(${target} ${owner})
    endif()
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${assay_SOURCE_DIR}> $<BUILD_INTERFACE:${assay_BINARY_DIR}>
      $<INSTALL_INTERFACE:include/assay>)
    set(private ${deps})
    list(FILTER private INCLUDE REGEX ${ASSAY_PRIVATE_DEPENDENCIES})
    list(FILTER deps EXCLUDE REGEX ${ASSAY_PRIVATE_DEPENDENCIES})
    target_link_libraries(${target} PUBLIC ${deps} PRIVATE ${private})
  else()
    add_library(${target} INTERFACE)
    target_compile_features(${target} INTERFACE ${ASSAY_COMPILE_FEATURES})
    target_include_directories(${target} INTERFACE
      $<BUILD_INTERFACE:${assay_SOURCE_DIR}> $<INSTALL_INTERFACE:include/assay>)
    target_link_libraries(${target} INTERFACE ${deps})
  endif()
  add_library(assay::${ARG_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${ARG_NAME})
  set_property(GLOBAL APPEND PROPERTY ASSAY_LIBRARIES ${target})
  foreach(header IN LISTS ARG_HDRS)
    file(RELATIVE_PATH relative ${assay_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    set_property(GLOBAL APPEND PROPERTY ASSAY_HEADERS ${relative})
  endforeach()
endfunction()

function(_assay_test_program target optimized)
  _assay_configure(${target})
  target_include_directories(${target} PRIVATE ${assay_SOURCE_DIR} ${assay_BINARY_DIR})
  target_compile_options(${target} PRIVATE ${ASSAY_TEST_OPTIONS})
  if(optimized AND NOT ASSAY_SANITIZED)
    target_compile_options(${target} PRIVATE ${ASSAY_CALM_OPTIONS} ${CMAKE_CXX_COMPILE_OPTIONS_PIC})
    _assay_precompile(${target} assay_library_headers)
  else()
    _assay_precompile(${target} assay_test_headers)
  endif()
  target_compile_definitions(${target} PRIVATE ASSAY_SOURCE_DIR="${assay_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE GTest::gmock)
endfunction()

# assay_joined_tests(spec_text_tests): the later tests of this folder are compiled together and linked
# into one program, because instantiating the templates of GoogleTest anew in each program takes half
# of a test's compile time. Each of them remains a test of CTest and a target by its own name. Names
# in anonymous namespaces must differ between their files.
function(assay_joined_tests name)
  if(NOT ASSAY_BUILD_TESTS)
    return()
  endif()
  set(target assay_${name})
  add_executable(${target} ${assay_SOURCE_DIR}/spec/testing/joined_main.cc)
  _assay_test_program(${target} FALSE)
  target_link_libraries(${target} PRIVATE absl::strings)
  set(ASSAY_JOINED_TESTS ${target} PARENT_SCOPE)
endfunction()

# assay_test(NAME shape_test SRCS shape_test.cc DEPS :spec_ir [SEPARATE] [LABELS peer] [TIMEOUT 120] [COST 40])
# COST is the seconds that a long test takes in the release build: CTest starts the longest first,
# so that none runs alone at the end.
# UNSANITIZED is for a test that enumerates values over code that other tests run under the sanitizers.
# OPTIMIZED is for a test that itself takes the time, since it enumerates and computes what it expects.
# After assay_joined_tests() tests share one program, but for those that are ALONE, SEPARATE or OPTIMIZED.
function(assay_test)
  if(NOT ASSAY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "ALONE;OPTIMIZED;SEPARATE;UNSANITIZED" "NAME;TIMEOUT;COST" "SRCS;DEPS;LABELS;ARGS;ENVIRONMENT" ${ARGN})
  if(ARG_UNSANITIZED AND CMAKE_CXX_FLAGS MATCHES "fsanitize")
    return()
  endif()
  set(target assay_${ARG_NAME})
  _assay_qualify(deps ${ARG_DEPS})
  if(ASSAY_JOINED_TESTS AND NOT ARG_ALONE AND NOT ARG_OPTIMIZED AND NOT ARG_SEPARATE)
    set(program ${ASSAY_JOINED_TESTS})
    target_sources(${program} PRIVATE ${ARG_SRCS})
    target_link_libraries(${program} PRIVATE ${deps})
    add_custom_target(${target} DEPENDS ${program})
    set(files ${ARG_SRCS})
    list(FILTER files INCLUDE REGEX "_test\\.cc$")
    list(TRANSFORM files REPLACE "^.*/" "")
    list(APPEND ARG_ARGS ${files})
  else()
    set(program ${target})
    add_executable(${target} ${ARG_SRCS})
    if(ARG_SEPARATE)
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
    _assay_test_program(${target} ${ARG_OPTIMIZED})
    target_link_libraries(${target} PRIVATE ${deps} GTest::gtest_main)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${program} ${ARG_ARGS})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
                       ENVIRONMENT "${ARG_ENVIRONMENT}")
  if(ARG_COST)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${ARG_COST})
  endif()
  # All that the thread sanitizer is for, as one target.
  if("threads" IN_LIST ARG_LABELS)
    if(NOT TARGET threads_tests)
      add_custom_target(threads_tests)
    endif()
    add_dependencies(threads_tests ${target})
  endif()
endfunction()

# The file of a main function, which is not optimised beyond -O1. It is compiled as libraries are, so that
# it can share their precompiled headers.
function(_assay_main_program target owner)
  _assay_configure(${target})
  target_compile_options(${target} PRIVATE ${ASSAY_CALM_OPTIONS} ${CMAKE_CXX_COMPILE_OPTIONS_PIC})
  _assay_precompile(${target} ${owner})
endfunction()

# assay_binary(NAME assay SRCS main.cc DEPS ... [PRECOMPILED tools_cli]): an executable without prefix in its file name.
# PRECOMPILED is the library with PRECOMPILE whose headers it shares.
function(assay_binary)
  cmake_parse_arguments(ARG "INSTALL" "NAME;PRECOMPILED" "SRCS;DEPS" ${ARGN})
  set(target assay_bin_${ARG_NAME})
  _assay_qualify(deps ${ARG_DEPS})
  add_executable(${target} ${ARG_SRCS})
  set(owner assay_library_headers)
  if(ARG_PRECOMPILED)
    set(owner assay_${ARG_PRECOMPILED})
  endif()
  _assay_main_program(${target} ${owner})
  target_include_directories(${target} PRIVATE ${assay_SOURCE_DIR} ${assay_BINARY_DIR})
  target_link_libraries(${target} PRIVATE ${deps})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${ARG_NAME}
                        RUNTIME_OUTPUT_DIRECTORY ${assay_BINARY_DIR}/bin)
  if(ARG_INSTALL AND ASSAY_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION bin COMPONENT command)
    # All that `cmake --install BUILD --component command` wants to find built.
    if(NOT TARGET assay_command)
      add_custom_target(assay_command)
    endif()
    add_dependencies(assay_command ${target})
  endif()
endfunction()

# assay_benchmark(NAME text_bench SRCS text_bench.cc DEPS :spec_text): built by the target bench.
function(assay_benchmark)
  if(NOT ASSAY_BUILD_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  set(target assay_${ARG_NAME})
  _assay_qualify(deps ${ARG_DEPS})
  add_executable(${target} EXCLUDE_FROM_ALL ${ARG_SRCS})
  _assay_configure(${target})
  target_include_directories(${target} PRIVATE ${assay_SOURCE_DIR} ${assay_BINARY_DIR})
  target_compile_definitions(${target} PRIVATE ASSAY_SOURCE_DIR="${assay_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE ${deps} benchmark::benchmark_main)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${ARG_NAME}
                        RUNTIME_OUTPUT_DIRECTORY ${assay_BINARY_DIR}/bench)
  add_dependencies(bench ${target})
endfunction()

# assay_fuzzer(NAME fuzz_text SRCS text_target.cc DEPS :spec_text SEEDS text RUNS 1000)
# A fuzz target and its short run in CTest: the seeds of that name in the build's fuzz/corpus, what
# was found before in fuzz/found/<seeds>, and RUNS mutations. Without libFuzzer (which wants Clang
# and -fsanitize=fuzzer-no-link, as the preset `fuzz` has it) replay_main.cc runs it.
function(assay_fuzzer)
  cmake_parse_arguments(ARG "" "NAME;SEEDS;RUNS" "SRCS;DEPS" ${ARGN})
  set(target assay_${ARG_NAME})
  _assay_qualify(deps ${ARG_DEPS})
  set(corpus ${assay_BINARY_DIR}/fuzz/corpus)
  # libFuzzer adds what it finds to its first folder.
  set(arguments ${assay_BINARY_DIR}/fuzz/new/${ARG_SEEDS} ${corpus}/${ARG_SEEDS}
      ${assay_SOURCE_DIR}/fuzz/found/${ARG_SEEDS})
  file(MAKE_DIRECTORY ${assay_BINARY_DIR}/fuzz/new/${ARG_SEEDS})
  if(ASSAY_FUZZING_ENGINE OR CMAKE_CXX_FLAGS MATCHES "fsanitize=fuzzer")
    add_executable(${target} ${ARG_SRCS})
    # That of fuzz/oss_fuzz/build.sh; -fsanitize=fuzzer is AFL++'s spelling of its driver, too.
    if(ASSAY_FUZZING_ENGINE)
      target_link_libraries(${target} PRIVATE ${ASSAY_FUZZING_ENGINE})
    else()
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    endif()
  else()
    add_executable(${target} ${ARG_SRCS} ${assay_SOURCE_DIR}/fuzz/replay_main.cc)
  endif()
  _assay_main_program(${target} assay_library_headers)
  target_include_directories(${target} PRIVATE ${assay_SOURCE_DIR} ${assay_BINARY_DIR})
  target_link_libraries(${target} PRIVATE ${deps} absl::strings)
  add_dependencies(${target} assay_fuzz_seeds)
  add_test(NAME ${ARG_NAME}
           COMMAND ${target} -runs=${ARG_RUNS} -seed=1 -max_len=4096 -dict=${corpus}/words.dict
                   ${arguments})
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT 300 LABELS fuzz)
endfunction()

# assay_generate_protos(SOURCES a.proto b.proto)
# Generates the messages of this folder into the build tree, beside where their source would be
# included from; SOURCES is set to the files. Messages may import those of the same call.
function(assay_generate_protos sources)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${assay_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(generated)
  foreach(proto IN LISTS ARGN)
    cmake_path(GET proto STEM name)
    set(outputs ${CMAKE_CURRENT_BINARY_DIR}/${name}.pb.cc ${CMAKE_CURRENT_BINARY_DIR}/${name}.pb.h)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND protobuf::protoc --proto_path=${assay_SOURCE_DIR} --cpp_out=${assay_BINARY_DIR} ${folder}/${proto}
      DEPENDS ${ARGN}
      COMMENT "Generating ${name}.pb.{h,cc}"
      VERBATIM)
    list(APPEND generated ${outputs})
  endforeach()
  # Warnings in generated code are not ours to mend.
  set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -w SKIP_PRECOMPILE_HEADERS ON)
  set(${sources} ${generated} PARENT_SCOPE)
endfunction()

# assay_check(NAME format COMMAND ...): a test of the tree itself, labelled `tree`.
function(assay_check)
  if(NOT ASSAY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT;COST" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_COMMAND})
  if(ARG_COST)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${ARG_COST})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "tree;${ARG_LABELS}"
                       SKIP_RETURN_CODE 77)
endfunction()
