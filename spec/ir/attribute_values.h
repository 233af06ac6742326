// The values that attributes of instructions take, beyond plain numbers, lists and strings.
// Enumerators carry the numbers of XLA's protos. Source: reference hlo_text_format.md 7 and
// hlo_wire_format.txt.
#ifndef ASSAY_SPEC_IR_ATTRIBUTE_VALUES_H_
#define ASSAY_SPEC_IR_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/ir/shape.h"

namespace assay {

struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t window_dilation = 1;  // rhs_dilate
  int64_t base_dilation = 1;    // lhs_dilate
  bool reversal = false;        // rhs_reversal
  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;
};
struct Window {
  std::vector<WindowDimension> dimensions;
  friend bool operator==(const Window&, const Window&) = default;
};

struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  friend bool operator==(const PaddingDimension&, const PaddingDimension&) = default;
};
struct PaddingConfig {
  std::vector<PaddingDimension> dimensions;
  friend bool operator==(const PaddingConfig&, const PaddingConfig&) = default;
};

struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};
using Slices = std::vector<SliceRange>;

// dim_labels. Dimensions without a role ('?') are those that no field names; *_rank says how many
// dimensions each operand has.
struct ConvolutionDimensions {
  int64_t input_batch = 0;
  int64_t input_feature = 0;
  std::vector<int64_t> input_spatial;
  int64_t kernel_input_feature = 0;
  int64_t kernel_output_feature = 0;
  std::vector<int64_t> kernel_spatial;
  int64_t output_batch = 0;
  int64_t output_feature = 0;
  std::vector<int64_t> output_spatial;
  int64_t input_rank = 0;
  int64_t kernel_rank = 0;
  int64_t output_rank = 0;
  friend bool operator==(const ConvolutionDimensions&, const ConvolutionDimensions&) = default;
};

struct ResultAccuracy {
  enum class Mode { kDefault = 0, kHighest = 1, kTolerance = 2 };
  Mode mode = Mode::kDefault;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  friend bool operator==(const ResultAccuracy&, const ResultAccuracy&) = default;
};

struct TensorSparsity {
  int64_t non_zeros = 0;
  int64_t block_size = 0;
  int64_t dimension = 0;
  int64_t stride = 0;
  std::optional<int64_t> index;
  friend bool operator==(const TensorSparsity&, const TensorSparsity&) = default;
};
struct SparsityConfig {
  std::optional<TensorSparsity> lhs;
  std::optional<TensorSparsity> rhs;
  friend bool operator==(const SparsityConfig&, const SparsityConfig&) = default;
};

struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;
  friend bool operator==(const OutputOperandAlias&, const OutputOperandAlias&) = default;
};
using OutputOperandAliases = std::vector<OutputOperandAlias>;

// Named device axes, major to minor.
struct Mesh {
  struct Axis {
    std::string name;
    int64_t size = 0;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  std::vector<Axis> axes;
  // Devices over the axes: neither set = 0, 1, 2, ...
  std::vector<int64_t> device_ids;
  std::vector<int64_t> iota_reshape_dims;
  std::vector<int64_t> iota_transpose_perm;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};
// An axis of a mesh by position, or the part of `sub_size` that follows `sub_pre_size`.
struct AxisRef {
  int64_t axis = 0;
  bool has_sub_axis = false;
  int64_t sub_pre_size = 0;
  int64_t sub_size = 0;
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};

// The one way to write an iota over devices, 0..n-1 shaped by `reshape_dims` and transposed by
// `transpose_perm`: no sizes of 1, no dimensions that stay neighbours in order; {1}, {0} for one
// device. The lists must be of equal length and the second a permutation, else nothing happens.
void CanonicalizeIota(std::vector<int64_t>* reshape_dims, std::vector<int64_t>* transpose_perm);

// The three written forms of replica groups; they are kept as written.
struct ReplicaGroups {
  enum class Form { kList, kIota, kMesh };
  Form form = Form::kList;
  std::vector<std::vector<int64_t>> groups;  // kList; {} = one group of all, {{}} = one empty group
  int64_t group_count = 0;                   // kIota
  int64_t group_size = 0;
  std::vector<int64_t> iota_reshape_dims;
  std::vector<int64_t> iota_transpose_perm;
  Mesh mesh;  // kMesh
  std::vector<AxisRef> axes;
  friend bool operator==(const ReplicaGroups&, const ReplicaGroups&) = default;
};

enum class ComparisonDirection : int64_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : int64_t { kFloat, kTotalOrder, kSigned, kUnsigned };
enum class FusionKind : int64_t { kLoop, kInput, kOutput, kCustom };
enum class FftType : int64_t { kFft, kIfft, kRfft, kIrfft };
enum class TransposeA : int64_t { kInvalid, kNoTranspose, kTranspose, kAdjoint };
enum class PaddingType : int64_t { kInvalid, kValid, kSame };
enum class ConvolutionKind : int64_t { kUnset, kFprop, kDgrad, kWgrad };
enum class RandomDistribution : int64_t { kInvalid, kUniform, kNormal };
enum class RandomAlgorithm : int64_t { kDefault, kThreeFry, kPhilox };
enum class CustomCallSchedule : int64_t { kNone, kLatest, kEarliest };
enum class CustomCallApi : int64_t {
  kUnspecified,
  kOriginal,
  kStatusReturning,
  kStatusReturningUnified,
  kTypedFfi
};
enum class Precision : int64_t { kDefault, kHigh, kHighest };

}  // namespace assay

#endif  // ASSAY_SPEC_IR_ATTRIBUTE_VALUES_H_
