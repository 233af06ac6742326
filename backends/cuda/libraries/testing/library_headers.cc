// Compares library_functions.h with the headers of NVIDIA's libraries: every function has the
// parameters of its header, by size and class, and every constant its value. It is compiled where
// the headers are, and never run.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <nccl.h>

#include <type_traits>

#include "backends/cuda/libraries/library_functions.h"

namespace assay::cuda::libraries {
namespace {

template <typename Ours, typename Theirs>
constexpr bool PassesAlike() {
  if (std::is_pointer_v<Ours> != std::is_pointer_v<Theirs>) return false;
  return std::is_pointer_v<Ours> ||
         (sizeof(Ours) == sizeof(Theirs) &&
          (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>)&&std::is_integral_v<Ours>);
}

template <typename Ours, typename Theirs>
struct Alike : std::false_type {};
template <typename... Ours, typename Result, typename... Theirs>
requires(sizeof...(Ours) == sizeof...(Theirs)) struct Alike<int (*)(Ours...), Result(Theirs...)>
    : std::bool_constant<PassesAlike<int, Result>() && (PassesAlike<Ours, Theirs>() && ...)> {
};

#define LIBRARY(name, file)
#define LIBRARY_FUNCTION(library, function, parameters)                                   \
  static_assert(Alike<decltype(LibraryFunctions::function), decltype(::function)>::value, \
                #function " has other parameters than its header says");
#include "backends/cuda/libraries/functions.def"

#define ASSAY_LIBRARY_CONSTANT(name, value, header) \
  static_assert(name == static_cast<int>(header), #header " has another value");
ASSAY_LIBRARY_CONSTANTS(ASSAY_LIBRARY_CONSTANT)

static_assert(sizeof(MatmulAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(MatmulChoice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(MatmulChoice, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(MatmulChoice, status) == offsetof(cublasLtMatmulHeuristicResult_t, state));

}  // namespace
}  // namespace assay::cuda::libraries
