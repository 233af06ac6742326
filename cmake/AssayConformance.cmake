# The conformance suite as tests of CTest; part of the installed package (docs/conformance.md).
#
# assay_add_conformance_test(NAME mine TARGET "process:$<TARGET_FILE:my_target>"
#   [PROFILE xla-cpu] [TIER quick] [FILTER "dot/*" ...] [SHARDS 4 | BY_OPERATION]
#   [WAIVERS file] [JOBS 2] [CASE_SECONDS 60] [TIMEOUT 1500] [LABELS gpu ...])
#
# TARGET is that of `assay test`; it is started in the build folder. TIER is quick unless given, also
# where a part of it is chosen. Without SHARDS it is one test,
# `mine`. With SHARDS they are `mine.shard-0`, `mine.shard-1`, ..., which may run at once, and
# `mine.report`, which joins their reports and fails where the whole run does. With BY_OPERATION
# they are `mine.abs`, `mine.add`, ..., one for each first word of the ids, which is its label; one of
# whose cases the target supports none is skipped.
# JOBS are cases at once in one test (1), CASE_SECONDS what the target may take for a case, TIMEOUT
# what CTest grants one test. All have the label `conformance`. Each writes conformance/mine/*.json,
# .xml (JUnit) and .html in the build folder.

function(assay_add_conformance_test)
  cmake_parse_arguments(ARG "BY_OPERATION"
    "NAME;TARGET;PROFILE;TIER;SHARDS;WAIVERS;JOBS;CASE_SECONDS;TIMEOUT" "FILTER;LABELS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_add_conformance_test: unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_NAME OR NOT ARG_TARGET)
    message(FATAL_ERROR "assay_add_conformance_test wants NAME and TARGET")
  endif()
  if(ARG_BY_OPERATION AND (ARG_SHARDS OR ARG_FILTER))
    message(FATAL_ERROR "assay_add_conformance_test: BY_OPERATION goes with no SHARDS and no FILTER")
  endif()
  if(NOT ARG_TIER)
    set(ARG_TIER quick)
  endif()
  if(NOT ARG_JOBS)
    set(ARG_JOBS 1)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/conformance/${ARG_NAME})
  file(MAKE_DIRECTORY ${folder})
  set(command assay::command test --target "${ARG_TARGET}" --jobs ${ARG_JOBS})
  foreach(option profile tier waivers)
    string(TOUPPER ${option} upper)
    if(ARG_${upper})
      if(option STREQUAL "waivers")
        cmake_path(ABSOLUTE_PATH ARG_WAIVERS BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      endif()
      list(APPEND command --${option} "${ARG_${upper}}")
    endif()
  endforeach()
  if(ARG_CASE_SECONDS)
    list(APPEND command --timeout ${ARG_CASE_SECONDS})
  endif()
  foreach(glob IN LISTS ARG_FILTER)
    list(APPEND command --filter "${glob}")
  endforeach()

  if(ARG_BY_OPERATION)
    execute_process(COMMAND ${ASSAY_COMMAND} corpus list --tier ${ARG_TIER} OUTPUT_VARIABLE ids
                    COMMAND_ERROR_IS_FATAL ANY)
    # The first word of an id is the operation, or the family of an illegal module.
    string(REGEX REPLACE "/[^\n]*\n" ";" operations "${ids}")
    list(REMOVE_DUPLICATES operations)
    list(REMOVE_ITEM operations "")
    foreach(operation IN LISTS operations)
      _assay_conformance_test(${ARG_NAME}.${operation} ${folder}/${operation}
                              "${ARG_LABELS};${operation}" --filter "${operation}/*")
      # An operation that the target does not support is shown as skipped, not as passed.
      set_tests_properties(${ARG_NAME}.${operation} PROPERTIES
                           SKIP_REGULAR_EXPRESSION "no result was judged")
    endforeach()
  elseif(ARG_SHARDS)
    math(EXPR last "${ARG_SHARDS} - 1")
    set(shards)
    set(reports)
    foreach(i RANGE ${last})
      _assay_conformance_test(${ARG_NAME}.shard-${i} ${folder}/shard-${i} "${ARG_LABELS}"
                              --shard ${i}/${ARG_SHARDS})
      list(APPEND shards ${ARG_NAME}.shard-${i})
      list(APPEND reports ${folder}/shard-${i}.json)
    endforeach()
    add_test(NAME ${ARG_NAME}.report
      COMMAND assay::command report merge ${reports} -o ${folder}/run.json
              --html ${folder}/run.html --junit ${folder}/run.xml)
    # Not a fixture: what failed is in the report, which is made all the same.
    set_tests_properties(${ARG_NAME}.report PROPERTIES
      DEPENDS "${shards}" LABELS "conformance;${ARG_LABELS}")
  else()
    _assay_conformance_test(${ARG_NAME} ${folder}/run "${ARG_LABELS}")
  endif()
endfunction()

# One test over the caller's `command`: its reports are ${stem}.json, .xml, .html.
function(_assay_conformance_test name stem labels)
  add_test(NAME ${name}
    COMMAND ${command} ${ARGN} --report "json=${stem}.json,junit=${stem}.xml,html=${stem}.html"
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES PROCESSORS ${ARG_JOBS} LABELS "conformance;${labels}"
                       ATTACHED_FILES_ON_FAIL ${stem}.xml)
  if(ARG_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
