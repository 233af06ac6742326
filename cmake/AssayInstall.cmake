# What `cmake --install` installs, in two components: `command` is the assay command with all that it, its pages
# and the conformance tests of other projects need; `libraries` is the libraries with their public headers.
# `cmake --install BUILD --component command` wants no more than the target `assay_command` built, as tools/demo leaves it.
# Test: tools/checks/install_test.sh.

# Public are the headers of these folders and files, by their path in the tree, and what they include.
set(ASSAY_PUBLIC_HEADERS
    "^spec/" "^runtime/" "^backends/[a-z_]+\\.h$" "^backends/factory/" "^backends/golden/"
    "^interpreter/(interpreter|session|explain|custom_call)\\.h$" "^conformance/profiles/profile\\.h$"
    "^conformance/judge/(verdict|array_judge)\\.h$")
# Nobody links these but the programs of the tree.
set(ASSAY_PRIVATE_LIBRARIES "^assay_(fuzz|tools|python)")

# Sets OUT to those of HEADERS that are public.
function(_assay_public_headers out headers)
  set(pending)
  foreach(pattern IN LISTS ASSAY_PUBLIC_HEADERS)
    set(matching ${headers})
    list(FILTER matching INCLUDE REGEX ${pattern})
    list(APPEND pending ${matching})
  endforeach()
  set(public)
  while(pending)
    list(POP_FRONT pending header)
    if(header IN_LIST public)
      continue()
    endif()
    list(APPEND public ${header})
    file(STRINGS ${assay_SOURCE_DIR}/${header} includes REGEX "^#include \"")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${include}")
      if(EXISTS ${assay_SOURCE_DIR}/${included})
        list(APPEND pending ${included})
      endif()
    endforeach()
  endwhile()
  set(${out} ${public} PARENT_SCOPE)
endfunction()

function(_assay_install_libraries)
  get_property(libraries GLOBAL PROPERTY ASSAY_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX ${ASSAY_PRIVATE_LIBRARIES})
  install(TARGETS ${libraries} EXPORT assayTargets ARCHIVE DESTINATION lib COMPONENT libraries)
  get_property(headers GLOBAL PROPERTY ASSAY_HEADERS)
  _assay_public_headers(public "${headers}")
  foreach(header IN LISTS public)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${assay_SOURCE_DIR}/${header} DESTINATION include/assay/${folder} COMPONENT libraries)
  endforeach()
  get_property(generated GLOBAL PROPERTY ASSAY_GENERATED_HEADERS)
  foreach(header IN LISTS generated)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${assay_BINARY_DIR}/${header} DESTINATION include/assay/${folder} COMPONENT libraries)
  endforeach()
  install(EXPORT assayTargets NAMESPACE assay:: DESTINATION lib/cmake/assay COMPONENT libraries)
  install(FILES ${assay_SOURCE_DIR}/cmake/AssayLibraryDependencies.cmake DESTINATION lib/cmake/assay
          COMPONENT libraries)
endfunction()

function(_assay_install_command)
  # XLA's CPU backend as a target, and what it imports.
  foreach(file assay_process xla_cpu children manual_sharding stored_answers xla_verifier)
    install(FILES ${assay_SOURCE_DIR}/tools/peers/${file}.py DESTINATION ${ASSAY_PYTHON_DIR} COMPONENT command)
  endforeach()
  install(FILES ${assay_SOURCE_DIR}/tools/peers/assay_target.h DESTINATION ${ASSAY_INCLUDE_DIR} COMPONENT command)
  # The pages that help texts cite, with their examples, and the profiles.
  install(FILES ${assay_SOURCE_DIR}/README.md ${assay_SOURCE_DIR}/LICENSE DESTINATION share/assay COMPONENT command)
  install(DIRECTORY ${assay_SOURCE_DIR}/docs DESTINATION share/assay COMPONENT command)
  install(DIRECTORY ${assay_SOURCE_DIR}/conformance/profiles DESTINATION share/assay COMPONENT command
          FILES_MATCHING PATTERN "*.textproto")
  install(FILES ${assay_SOURCE_DIR}/cmake/AssayConformance.cmake DESTINATION lib/cmake/assay COMPONENT command)
endfunction()

function(assay_install)
  include(CMakePackageConfigHelpers)
  set(ASSAY_BIN_DIR bin)
  set(ASSAY_PYTHON_DIR share/assay/python)
  set(ASSAY_INCLUDE_DIR include/assay)
  _assay_install_libraries()
  _assay_install_command()
  configure_package_config_file(${assay_SOURCE_DIR}/cmake/assayConfig.cmake.in
                                ${assay_BINARY_DIR}/assayConfig.cmake
                                INSTALL_DESTINATION lib/cmake/assay
                                PATH_VARS ASSAY_BIN_DIR ASSAY_PYTHON_DIR ASSAY_INCLUDE_DIR)
  write_basic_package_version_file(${assay_BINARY_DIR}/assayConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  foreach(component command libraries)
    install(FILES ${assay_BINARY_DIR}/assayConfig.cmake ${assay_BINARY_DIR}/assayConfigVersion.cmake
            DESTINATION lib/cmake/assay COMPONENT ${component})
  endforeach()
endfunction()
