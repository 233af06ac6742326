# assay_embed(OUT source FUNCTION assay::conformance::CorpusFiles HEADER conformance/corpus/corpus.h FILES name=path ...)
# sets OUT to a source file that defines FUNCTION, which HEADER declares with a result such as absl::Span<const File>,
# where a File has a `name` and a `text`. Files of one name that follow one another are joined. The assembler reads
# the files when the source is compiled, so that the compiler never sees their text and a change of a file needs no
# new configuration. Test: spec/files/embedded_file_test.cc.
function(assay_embed)
  cmake_parse_arguments(ARG "" "OUT;FUNCTION;HEADER" "FILES" ${ARGN})
  set(names)
  set(texts)
  set(paths)
  set(last)
  foreach(file IN LISTS ARG_FILES)
    string(REGEX MATCH "^([^=]*)=(.*)$" _ ${file})
    set(name ${CMAKE_MATCH_1})
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_2 BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    if(NOT name STREQUAL last)
      string(APPEND names "      \"${name}\",\n")
      string(APPEND texts "1:\n.pushsection .rodata.assay_embedded_starts\n.quad 1b - assay_embedded_text\n.popsection\n")
      set(last ${name})
    endif()
    string(APPEND texts ".incbin \"${path}\"\n")
    list(APPEND paths ${path})
  endforeach()
  string(REGEX REPLACE ".*::" "" function ${ARG_FUNCTION})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
  configure_file(${assay_SOURCE_DIR}/cmake/embedded_files.cc.in ${source} @ONLY)
  # Link-time optimisation would take the symbols of assembler code for undefined ones.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${paths}" SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_OPTIONS -fno-lto)
  set(${ARG_OUT} ${source} PARENT_SCOPE)
endfunction()
