// Declarations of NVIDIA's libraries, which are loaded while the program runs (libraries.h):
// pointers to their functions (functions.def), and the numbers of their enumerations that the
// backend uses. Tests: library_headers.cc compares all of it with the libraries' headers.
#ifndef ASSAY_BACKENDS_CUDA_LIBRARIES_LIBRARY_FUNCTIONS_H_
#define ASSAY_BACKENDS_CUDA_LIBRARIES_LIBRARY_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>

namespace assay::cuda {

struct StreamHandle;

namespace libraries {

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct MatmulAlgorithm {
  uint64_t data[8];
};
struct MatmulChoice {
  MatmulAlgorithm algorithm;
  size_t workspace_bytes;
  int status;
  float waves;
  int reserved[4];
};

struct LibraryFunctions {
#define LIBRARY(name, file)
#define LIBRARY_FUNCTION(library, function, parameters) int(*function) parameters = nullptr;
#include "backends/cuda/libraries/functions.def"
};

// Rows of enumerations: CONSTANT(our name, value, the header's name).
#define ASSAY_LIBRARY_CONSTANTS(CONSTANT)                                              \
  CONSTANT(kRealF16, 2, CUDA_R_16F)                                                    \
  CONSTANT(kRealBf16, 14, CUDA_R_16BF)                                                 \
  CONSTANT(kRealF32, 0, CUDA_R_32F)                                                    \
  CONSTANT(kRealF64, 1, CUDA_R_64F)                                                    \
  CONSTANT(kComplexC64, 4, CUDA_C_32F)                                                 \
  CONSTANT(kComplexC128, 5, CUDA_C_64F)                                                \
  CONSTANT(kComputeF32, 68, CUBLAS_COMPUTE_32F)                                        \
  CONSTANT(kComputeF32Pedantic, 69, CUBLAS_COMPUTE_32F_PEDANTIC)                       \
  CONSTANT(kComputeF64, 70, CUBLAS_COMPUTE_64F)                                        \
  CONSTANT(kComputeTf32, 77, CUBLAS_COMPUTE_32F_FAST_TF32)                             \
  CONSTANT(kComputeBf16x9, 78, CUBLAS_COMPUTE_32F_EMULATED_16BFX9)                     \
  CONSTANT(kNotTransposed, 0, CUBLAS_OP_N)                                             \
  CONSTANT(kTransposed, 1, CUBLAS_OP_T)                                                \
  CONSTANT(kConjugated, 2, CUBLAS_OP_C)                                                \
  CONSTANT(kLowerTriangle, 0, CUBLAS_FILL_MODE_LOWER)                                  \
  CONSTANT(kUpperTriangle, 1, CUBLAS_FILL_MODE_UPPER)                                  \
  CONSTANT(kLeftSide, 0, CUBLAS_SIDE_LEFT)                                             \
  CONSTANT(kRightSide, 1, CUBLAS_SIDE_RIGHT)                                           \
  CONSTANT(kNonUnitDiagonal, 0, CUBLAS_DIAG_NON_UNIT)                                  \
  CONSTANT(kUnitDiagonal, 1, CUBLAS_DIAG_UNIT)                                         \
  CONSTANT(kDefaultMath, 0, CUBLAS_DEFAULT_MATH)                                       \
  CONSTANT(kMatmulTransposeA, 3, CUBLASLT_MATMUL_DESC_TRANSA)                          \
  CONSTANT(kMatmulTransposeB, 4, CUBLASLT_MATMUL_DESC_TRANSB)                          \
  CONSTANT(kMatmulEpilogue, 7, CUBLASLT_MATMUL_DESC_EPILOGUE)                          \
  CONSTANT(kMatmulBias, 8, CUBLASLT_MATMUL_DESC_BIAS_POINTER)                          \
  CONSTANT(kEpilogueBias, 4, CUBLASLT_EPILOGUE_BIAS)                                   \
  CONSTANT(kLayoutBatches, 5, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)                      \
  CONSTANT(kLayoutBatchStride, 6, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)         \
  CONSTANT(kPreferenceWorkspace, 1, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)          \
  CONSTANT(kPreferenceReduction, 3, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)        \
  CONSTANT(kPreferenceAlignmentA, 5, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)       \
  CONSTANT(kPreferenceAlignmentB, 6, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES)       \
  CONSTANT(kPreferenceAlignmentC, 7, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES)       \
  CONSTANT(kPreferenceAlignmentD, 8, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)       \
  CONSTANT(kReduceInComputeType, 2, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)            \
  CONSTANT(kCudnnF32, 0, CUDNN_DATA_FLOAT)                                             \
  CONSTANT(kCudnnF64, 1, CUDNN_DATA_DOUBLE)                                            \
  CONSTANT(kCudnnF16, 2, CUDNN_DATA_HALF)                                              \
  CONSTANT(kCudnnBf16, 9, CUDNN_DATA_BFLOAT16)                                         \
  CONSTANT(kCudnnNchw, 0, CUDNN_TENSOR_NCHW)                                           \
  CONSTANT(kCudnnConvolution, 0, CUDNN_CONVOLUTION)                                    \
  CONSTANT(kCudnnCrossCorrelation, 1, CUDNN_CROSS_CORRELATION)                         \
  CONSTANT(kCudnnDefaultMath, 0, CUDNN_DEFAULT_MATH)                                   \
  CONSTANT(kCudnnFmaMath, 3, CUDNN_FMA_MATH)                                           \
  CONSTANT(kCudnnImplicitGemm, 0, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM)            \
  CONSTANT(kCudnnPrecomputedGemm, 1, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM) \
  CONSTANT(kCufftC2C, 0x29, CUFFT_C2C)                                                 \
  CONSTANT(kCufftR2C, 0x2a, CUFFT_R2C)                                                 \
  CONSTANT(kCufftC2R, 0x2c, CUFFT_C2R)                                                 \
  CONSTANT(kCufftZ2Z, 0x69, CUFFT_Z2Z)                                                 \
  CONSTANT(kCufftD2Z, 0x6a, CUFFT_D2Z)                                                 \
  CONSTANT(kCufftZ2D, 0x6c, CUFFT_Z2D)                                                 \
  CONSTANT(kCufftForward, -1, CUFFT_FORWARD)                                           \
  CONSTANT(kCufftInverse, 1, CUFFT_INVERSE)                                            \
  CONSTANT(kNcclSum, 0, ncclSum)                                                       \
  CONSTANT(kNcclProduct, 1, ncclProd)                                                  \
  CONSTANT(kNcclMaximum, 2, ncclMax)                                                   \
  CONSTANT(kNcclMinimum, 3, ncclMin)                                                   \
  CONSTANT(kNcclS8, 0, ncclInt8)                                                       \
  CONSTANT(kNcclU8, 1, ncclUint8)                                                      \
  CONSTANT(kNcclS32, 2, ncclInt32)                                                     \
  CONSTANT(kNcclU32, 3, ncclUint32)                                                    \
  CONSTANT(kNcclS64, 4, ncclInt64)                                                     \
  CONSTANT(kNcclU64, 5, ncclUint64)                                                    \
  CONSTANT(kNcclF16, 6, ncclFloat16)                                                   \
  CONSTANT(kNcclF32, 7, ncclFloat32)                                                   \
  CONSTANT(kNcclF64, 8, ncclFloat64)                                                   \
  CONSTANT(kNcclBf16, 9, ncclBfloat16)

#define ASSAY_LIBRARY_CONSTANT(name, value, header) inline constexpr int name = value;
ASSAY_LIBRARY_CONSTANTS(ASSAY_LIBRARY_CONSTANT)
#undef ASSAY_LIBRARY_CONSTANT

}  // namespace libraries
}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_LIBRARIES_LIBRARY_FUNCTIONS_H_
