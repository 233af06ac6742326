# Every dependency comes from the system (Debian 12 packages, tools/setup installs them).
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
# Debian 12's libzip-config.cmake fails unless the zip tools are installed too; the library is enough.
find_library(ASSAY_ZIP_LIBRARY zip REQUIRED)
find_path(ASSAY_ZIP_INCLUDE_DIR zip.h REQUIRED)
if(NOT TARGET libzip::zip)
  add_library(libzip::zip UNKNOWN IMPORTED)
  set_target_properties(libzip::zip PROPERTIES IMPORTED_LOCATION ${ASSAY_ZIP_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${ASSAY_ZIP_INCLUDE_DIR})
endif()
find_package(ZLIB REQUIRED)
find_package(Boost 1.81 REQUIRED)
# The vector functions of the C library (glibc 2.35 on x86-64), an accelerator of elementary
# functions that changes no result.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES mvec)
check_cxx_source_compiles("extern \"C\" void _ZGVdN4v_tanh(); extern \"C\" void _ZGVeN8vv_atan2();
  int main() { _ZGVdN4v_tanh(); _ZGVeN8vv_atan2(); }" ASSAY_VECTOR_FUNCTIONS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(ASSAY_BUILD_TOOLS)
  find_package(CLI11 REQUIRED)
endif()
if(ASSAY_BUILD_TESTS)
  find_package(GTest REQUIRED)
  # MPFR and MPC are test oracles; they have no CMake packages of their own.
  find_library(ASSAY_MPC_LIBRARY mpc REQUIRED)
  find_library(ASSAY_MPFR_LIBRARY mpfr REQUIRED)
  find_library(ASSAY_GMP_LIBRARY gmp REQUIRED)
endif()
if(ASSAY_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
  add_custom_target(bench COMMENT "Building the benchmarks")
endif()
