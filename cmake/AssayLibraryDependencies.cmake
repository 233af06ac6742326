# What the libraries link, all of it from the system (Debian 12 packages, which tools/setup installs). The tree and the
# installed package include this; each defines assay_find(), which is find_package() to the one and find_dependency()
# to the other.
assay_find(Threads)
assay_find(absl)
assay_find(Protobuf)
assay_find(nlohmann_json 3)
assay_find(ZLIB)
assay_find(Boost 1.81 COMPONENTS context)
# Highway: the vector sort of the cpu backend.
assay_find(hwy)
# Debian 12's libzip-config.cmake fails unless the zip tools are installed too; the library is enough.
find_library(ASSAY_ZIP_LIBRARY zip)
find_path(ASSAY_ZIP_INCLUDE_DIR zip.h)
if(NOT TARGET libzip::zip AND ASSAY_ZIP_LIBRARY AND ASSAY_ZIP_INCLUDE_DIR)
  add_library(libzip::zip UNKNOWN IMPORTED)
  set_target_properties(libzip::zip PROPERTIES IMPORTED_LOCATION ${ASSAY_ZIP_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${ASSAY_ZIP_INCLUDE_DIR})
endif()
