# assay_cuda_kernels(NAME cuda_kernels SRCS a.cu b.cc): the sources as C++ over the emulated runtime.
# Floating-point code is compiled so that the emulator predicts the bits of a GPU: nothing is
# contracted, nothing is reassociated. NAME_checked is the build for the checker, where no sanitizer
# needs the same calls of the compiler.
set(ASSAY_CUDA_CHECKER ON)
if(CMAKE_CXX_FLAGS MATCHES "fsanitize")
  set(ASSAY_CUDA_CHECKER OFF)
endif()

function(assay_cuda_kernels)
  cmake_parse_arguments(ARG "" "NAME" "SRCS" ${ARGN})
  _assay_cuda_build(assay_${ARG_NAME} emulated ${ARG_SRCS})
  target_compile_options(assay_${ARG_NAME} PRIVATE $<$<CONFIG:Release>:-O2>)
  add_library(assay::${ARG_NAME} ALIAS assay_${ARG_NAME})
  if(ASSAY_CUDA_CHECKER)
    _assay_cuda_build(assay_${ARG_NAME}_checked checked ${ARG_SRCS})
    target_compile_options(assay_${ARG_NAME}_checked PRIVATE -O1 -g1 -fsanitize=thread)
    target_link_libraries(assay_${ARG_NAME}_checked PUBLIC assay_cuda_checker)
    add_library(assay::${ARG_NAME}_checked ALIAS assay_${ARG_NAME}_checked)
  endif()
endfunction()

function(_assay_cuda_build target build)
  add_library(${target} STATIC ${ARGN})
  _assay_configure(${target})
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_compile_options(${target} PRIVATE -xc++)
  target_compile_definitions(${target} PRIVATE ASSAY_CUDA_BUILD=${build})
  target_include_directories(${target} PRIVATE ${assay_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC assay_cuda_emulator)
  set_property(GLOBAL APPEND PROPERTY ASSAY_LIBRARIES ${target})
endfunction()

# assay_cuda_mutants(NAME ... SRCS ...): the kernels in a build of their own that holds their mutants
# (kernels/device.h), for tests.
function(assay_cuda_mutants)
  cmake_parse_arguments(ARG "" "NAME" "SRCS" ${ARGN})
  _assay_cuda_build(assay_${ARG_NAME} mutated ${ARG_SRCS})
  target_compile_definitions(assay_${ARG_NAME} PRIVATE ASSAY_CUDA_MUTANTS)
  target_compile_options(assay_${ARG_NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_library(assay::${ARG_NAME} ALIAS assay_${ARG_NAME})
endfunction()
