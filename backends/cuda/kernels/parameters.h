// The parameters of kernels: plain structs that the host code fills in and the kernels read. The
// pointers are filled in before each launch. Included by kernels and by host code.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_PARAMETERS_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_PARAMETERS_H_

#include "backends/cuda/kernels/element_row.h"

namespace assay::cuda {

inline constexpr int kMostDimensions = 16;
inline constexpr int kMostArrays = 16;   // operands or results of one kernel
inline constexpr int kMostAxis = 8;      // dimensions that are walked as one
inline constexpr int kMostMembers = 64;  // of a group of devices
inline constexpr int kConstantBase =
    0x4000;  // from here on, registers are constants of the program

// A box of indices in row-major order.
struct Box {
  int32_t rank = 0;
  int64_t sizes[kMostDimensions] = {};
};
// Where index i stands: offset + sum of i[d] * strides[d], in elements.
struct Strides {
  int64_t offset = 0;
  int64_t strides[kMostDimensions] = {};
};

// A flat computation on scalars. Registers 0 to inputs - 1 are given; `code` holds the constants,
// the steps, the types of inputs and results, and the numbers of the registers of the results.
struct Program {
  const unsigned char* code = nullptr;
  int32_t constants = 0;  // how many
  int32_t steps = 0;
  int32_t inputs = 0;
  int32_t results = 0;
  int32_t registers = 0;
  // The register file: dynamic shared memory if null, else this many bytes a thread and register.
  unsigned char* registers_memory = nullptr;
};

struct ElementwiseParameter {
  Program program;
  int64_t count = 0;
  int32_t inputs = 0, outputs = 0;
  const void* in[kMostArrays] = {};
  ElementRow in_rows[kMostArrays];
  uint8_t in_scalar[kMostArrays] = {};   // one element for all
  uint8_t in_strided[kMostArrays] = {};  // read through strides[k]
  void* out[kMostArrays] = {};
  ElementRow out_rows[kMostArrays];
  Box box;
  Strides strides[3];
};

struct CopyParameter {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t count = 0;
  Box box;
  Strides from, to;
};
// out[b][j][i] = in[b][i][j].
struct TransposeParameter {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t batches = 1, rows = 1, columns = 1;
};
struct IotaParameter {
  void* out = nullptr;
  int64_t count = 0;
  int64_t inner = 1, size = 1;  // the index is count / inner % size
  ElementRow row;
};
// Reads a string of bits again as elements of another width.
struct RegroupParameter {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t from_count = 0, to_count = 0;
  int32_t from_bytes = 1, to_bytes = 1;  // in memory
  int32_t from_bits = 8, to_bits = 8;    // of the string
  uint64_t mask = ~0ull;                 // bits that an element of 64 bits or less keeps
  bool to_pred = false;
};
// A box at a place that scalars say: dynamic-slice and dynamic-update-slice.
struct DynamicCopyParameter {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t count = 0;
  Box box;
  Strides from, to;
  bool starts_in_source = true;
  int32_t bytes = 1;  // of an element
  int32_t indices = 0;
  const void* index[kMostDimensions] = {};
  ElementRow index_row;
  int64_t limits[kMostDimensions] = {};   // the largest start
  int64_t strides[kMostDimensions] = {};  // of the starts
};
struct GatherParameter {
  const void* in = nullptr;
  const void* indices = nullptr;
  void* out = nullptr;
  int64_t count = 0;
  Box box;                 // of the result
  Strides from, to_index;  // by the result's dimensions, in the operand and in the indices
  int32_t bytes = 1;       // of an element
  int32_t components = 0;
  int64_t component_stride = 1;
  ElementRow index_row;
  int64_t limits[kMostDimensions] = {};
  int64_t strides[kMostDimensions] = {};
};

// How a value is folded.
enum class FoldKind : uint8_t {
  kProgram,  // the region, step by step, in row-major order
  kWide,     // one operation in double or 64-bit integers, rounded at the end
};
struct Fold {
  FoldKind kind = FoldKind::kProgram;
  Op op = Op::kAdd;
  ElementRow row;  // of kWide
};

// reduce and reduce-window by a thread for each result. The program folds the arrays of kProgram.
struct FoldParameter {
  Program program;
  Fold folds[kMostArrays];
  int32_t arrays = 1;
  bool runs_program = false;
  const void* in[kMostArrays] = {};
  const void* init[kMostArrays] = {};
  void* out[kMostArrays] = {};
  ElementRow in_rows[kMostArrays];
  ElementRow init_rows[kMostArrays];
  ElementRow out_rows[kMostArrays];
  int64_t count = 0;  // of results
  Box results, window, base;
  int64_t base_strides[kMostDimensions] = {};
  int64_t stride[kMostDimensions] = {};
  int64_t low[kMostDimensions] = {};
  int64_t base_dilation[kMostDimensions] = {};
  int64_t window_dilation[kMostDimensions] = {};
};
inline constexpr int kColumnWarps = 16;  // of a block that folds 32 results
// reduce by a block for each result, or for 32 results side by side; kWide only.
struct TreeParameter {
  Fold fold;
  const void* in = nullptr;
  const void* init = nullptr;
  void* out = nullptr;
  ElementRow in_row, init_row, out_row;
  int64_t results = 0, terms = 0;
  Box kept, reduced;
  Strides kept_strides, reduced_strides;
};
struct SelectParameter {
  Program program;
  const void* in = nullptr;
  int64_t* chosen = nullptr;  // of each window the cell, -1: none
  ElementRow row;
  int64_t count = 0;
  Box source, window, base;
  int64_t base_strides[kMostDimensions] = {};
  int64_t stride[kMostDimensions] = {};
  int64_t low[kMostDimensions] = {};
};
struct ScatterChosenParameter {
  Program program;
  Fold fold;
  const int64_t* chosen = nullptr;
  const void* source = nullptr;
  const void* init = nullptr;
  void* out = nullptr;
  ElementRow row, source_row, init_row;
  int64_t count = 0;  // of cells
  Box source_box, window, base;
  int64_t stride[kMostDimensions] = {};
  int64_t low[kMostDimensions] = {};
};

struct ScanParameter {
  Program program;  // inputs, then carries
  int32_t inputs = 0, carries = 0, outputs = 0;
  int64_t lanes = 0, steps = 0;
  bool reverse = false;
  // Lane l and step t of an input or output stand at outer * steps * inner + t * inner + rest.
  // Scalars have one element for all lanes, at t. Without lanes there are scalars alone.
  int64_t inner = 1;
  const void* in[kMostArrays] = {};
  const void* init[kMostArrays] = {};
  void* out[kMostArrays] = {};   // the outputs
  void* last[kMostArrays] = {};  // the carries at the end
  ElementRow in_rows[kMostArrays], carry_rows[kMostArrays], out_rows[kMostArrays];
  uint8_t in_scalar[kMostArrays] = {}, carry_scalar[kMostArrays] = {}, out_scalar[kMostArrays] = {};
  Fold folds[kMostArrays];  // by carry; kProgram: as the program has it
  int32_t fold_input[kMostArrays] = {};
  int32_t output_carry[kMostArrays] = {};  // -1: of the program
  uint8_t output_after[kMostArrays] = {};
};

// Sorting: numbers of the elements of each line, merged by what `program` or `keys` say.
struct OrderParameter {
  Program program;
  const uint64_t* keys = nullptr;  // ascending if not null; else the program compares
  int32_t arrays = 0;
  const void* in[kMostArrays] = {};
  ElementRow rows[kMostArrays];
  const int64_t* from = nullptr;  // null: the identity, in front of the first pass
  int64_t* to = nullptr;
  int64_t lines = 0, length = 0;
  int64_t inner = 1;  // element j of a line stands at outer * length * inner + j * inner + rest
  int64_t run = 1;    // sorted so far; the distance of a pass
  bool mirror = false;
};
struct PermuteParameter {
  const void* in = nullptr;
  void* out = nullptr;
  const int64_t* order = nullptr;
  ElementRow row;
  int64_t lines = 0, length = 0, taken = 0;
  int64_t inner = 1;
  int32_t* indices = nullptr;  // of top-k
};
struct KeysParameter {
  const void* in = nullptr;
  uint64_t* keys = nullptr;
  ElementRow row;
  int64_t count = 0;
  bool descending = false;
};

struct ScatterTargetsParameter {
  const void* indices = nullptr;
  uint64_t* targets = nullptr;  // of each update the cell; ~0: none
  int64_t count = 0;
  Box updates;  // in the order of application
  Strides to_index, to_cell;
  int32_t components = 0;
  int64_t component_stride = 1;
  ElementRow index_row;
  int64_t limits[kMostDimensions] = {};
  int64_t strides[kMostDimensions] = {};
};
// The program folds the arrays of kProgram.
struct ScatterParameter {
  Program program;
  Fold folds[kMostArrays];
  bool runs_program = false;
  int32_t arrays = 1;
  const uint64_t* targets = nullptr;
  const int64_t* order = nullptr;
  int64_t count = 0;
  void* out[kMostArrays] = {};
  const void* updates[kMostArrays] = {};
  ElementRow rows[kMostArrays], update_rows[kMostArrays];
  Box box;            // of the updates, in the order of application
  Strides positions;  // in the updates
};

// A group of dimensions that is walked as one.
struct Axis {
  int32_t rank = 0;
  int64_t count = 1;
  int64_t sizes[kMostAxis] = {};
  int64_t left[kMostAxis] = {};   // strides in the left operand
  int64_t right[kMostAxis] = {};  // strides in the right operand
};
// The place of an element's scale: coordinate d of an axis stands in block coordinate / block.
struct ScaleAxis {
  int64_t left[kMostAxis] = {}, right[kMostAxis] = {};              // strides in the scales
  int64_t left_block[kMostAxis] = {}, right_block[kMostAxis] = {};  // 1 where there is no scale
};
struct DotParameter {
  const void* left = nullptr;
  const void* right = nullptr;
  void* out = nullptr;
  ElementRow left_row, right_row, out_row;
  Axis batch, rows, columns, terms;
  // ragged-dot: the range of the ragged dimension that belongs to each group, two numbers each
  // (RaggedRanges), by the index of the list of sizes and of the group.
  const int64_t* ranges = nullptr;
  int32_t ragged = 0;     // 0: plain; 1: rows, 2: terms, 3: batch
  int32_t ragged_at = 0;  // the dimension of that axis
  int64_t groups = 0;
  int64_t group_stride = 0;  // of rhs, where rows are ragged
  // The list of sizes: strides by the dimensions of batch, and of the ragged axis.
  int64_t list_batch[kMostAxis] = {};
  int64_t list_axis[kMostAxis] = {};
  // scaled-dot.
  const void* left_scale = nullptr;
  const void* right_scale = nullptr;
  ElementRow left_scale_row, right_scale_row;
  ScaleAxis scale_batch, scale_rows, scale_columns, scale_terms;
  int64_t count = 0;  // of results
};
struct RaggedRangesParameter {
  const void* sizes = nullptr;
  int64_t* ranges = nullptr;
  ElementRow row;
  int64_t lists = 1, groups = 0, extent = 0;
};
struct ConvolutionParameter {
  const void* in = nullptr;
  const void* kernel = nullptr;
  void* out = nullptr;
  ElementRow in_row, kernel_row, out_row;
  int64_t count = 0;
  int64_t batches = 0, features = 0;  // of the result
  int64_t group_features = 0;         // input features of a group
  int64_t features_per_group = 0;     // of the result
  int64_t batch_groups = 1, feature_groups = 1;
  int64_t in_batch = 0, in_feature = 0;  // strides
  int64_t kernel_in = 0, kernel_out = 0;
  int64_t out_batch = 0, out_feature = 0;
  Box outputs, window, base;
  int64_t in_strides[kMostDimensions] = {};
  int64_t kernel_strides[kMostDimensions] = {};
  int64_t out_strides[kMostDimensions] = {};
  int64_t stride[kMostDimensions] = {};
  int64_t low[kMostDimensions] = {};
  int64_t base_dilation[kMostDimensions] = {};
  int64_t window_dilation[kMostDimensions] = {};
  uint8_t reversed[kMostDimensions] = {};
};

struct FftTableParameter {
  double* table = nullptr;  // cos, sin of 2 pi k / n
  int64_t n = 1;
};
// Between elements and pairs of doubles, lines of `length` in memory and of `n` in work.
struct FftLoadParameter {
  const void* in = nullptr;
  double* work = nullptr;
  ElementRow row;
  int64_t lines = 0, length = 0, n = 0;
  bool hermitian = false;  // the rest of the line is that of a real one's transform
};
struct FftStoreParameter {
  const double* work = nullptr;
  void* out = nullptr;
  ElementRow row;
  int64_t lines = 0, length = 0, n = 0;
  double scale = 1;
};
// One pass of radix p over lines whose elements are `inner` apart.
struct FftPassParameter {
  const double* from = nullptr;
  double* to = nullptr;
  const double* table = nullptr;
  int64_t count = 0;  // of all elements
  int64_t n = 1, inner = 1;
  int64_t radix = 2, done = 1;  // the product of the radices before
  bool inverse = false;
};
struct FactorParameter {
  const void* in = nullptr;
  void* out = nullptr;
  double* work = nullptr;
  ElementRow row;
  int64_t batches = 0, n = 0;
  bool lower = true;
};
struct SolveParameter {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  double* work = nullptr;
  ElementRow row;
  int64_t batches = 0, n = 0, columns = 0;  // right-hand sides
  bool left = true, lower = true, unit = false, transpose = false, conjugate = false;
};
struct BatchNormParameter {
  const void* operand = nullptr;
  const void* scale = nullptr;
  const void* offset = nullptr;    // grad: none
  const void* mean = nullptr;      // inference and grad
  const void* variance = nullptr;  // inference and grad
  const void* gradient = nullptr;  // grad
  double* sums = nullptr;          // two of each feature: mean and variance, or P and Q
  void* out = nullptr;
  void* out_mean = nullptr;      // training; grad_scale
  void* out_variance = nullptr;  // training; grad_offset
  ElementRow row, scale_row, offset_row, mean_row, variance_row, gradient_row;
  ElementRow out_mean_row, out_variance_row;
  int64_t count = 0, features = 0, inner = 1, cells = 0;
  double epsilon = 0;
};

struct BitsParameter {
  const uint64_t* state = nullptr;
  uint64_t* new_state = nullptr;
  int32_t state_words = 0;
  void* out = nullptr;
  int64_t count = 0;
  ElementRow row;
  int64_t blocks = 0;
  bool three_fry = false;
  int64_t outer = 1, size = 1, inner = 1;  // three-fry: words come in pairs along `size`
};
struct DrawParameter {
  const uint64_t* seed = nullptr;  // two words
  const void* low = nullptr;       // or the mean
  const void* high = nullptr;      // or the deviation
  void* out = nullptr;
  ElementRow row;
  int64_t count = 0;
  bool normal = false;
};
// ragged-all-to-all: the rows that a member sends to another.
struct ExchangeRowsParameter {
  const void* in = nullptr;
  void* out = nullptr;
  const void* input_offsets = nullptr;
  const void* send_sizes = nullptr;
  const void* output_offsets = nullptr;
  const void* receive_sizes = nullptr;  // of the receiver
  ElementRow index_row;
  int64_t first = 0, receive_first = 0, updates = 0;  // of the lists
  int64_t row_bytes = 1, in_rows = 0, out_rows = 0;
};
struct HalvesParameter {
  const void* in = nullptr;    // 64-bit values, or the low halves
  const void* high = nullptr;  // the high halves
  void* out = nullptr;
  int64_t count = 0;
  bool high_half = false;
};
struct ThreefryParameter {
  const uint32_t* key[2] = {};
  const uint32_t* counter[2] = {};
  uint32_t* out[2] = {};
  int64_t count = 0;
};

// all-reduce: the elements of all members, folded in their order.
struct GroupFoldParameter {
  Program program;
  Fold fold;
  int32_t members = 0;
  const void* in[kMostMembers] = {};
  void* out = nullptr;
  ElementRow row;
  int64_t count = 0;
  Box box;
  Strides from;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_PARAMETERS_H_
