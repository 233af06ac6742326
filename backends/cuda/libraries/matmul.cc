// dot by cublasLtMatmul. The library's matrices are column-major, so that the row-major result
// [rows, columns] is its matrix [columns, rows]: the library multiplies the right operand by the
// left one. Tests: libraries_test.cc.
#include <algorithm>
#include <limits>

#include "absl/strings/string_view.h"
#include "backends/cuda/kernels/lowering.h"
#include "backends/cuda/libraries/provider.h"
#include "spec/ir/attribute_values.h"
#include "spec/ops/dimension_numbers.h"
#include "spec/ops/dot_algorithms.h"

namespace assay::cuda::libraries {
namespace {

constexpr uint64_t kMostWorkspace = 32 << 20;

struct MatmulTypes {
  int left, right, result;
  int compute, scale;
};

// The compute type by the algorithm, or by the precision of an f32 dot without one.
std::optional<int> ComputeOf(const Instruction& dot, ElementType operand) {
  const absl::string_view algorithm = DotAlgorithmOf(dot.GetInt(Attr::kAlgorithm)).word;
  const bool f32 = operand == ElementType::kF32 || operand == ElementType::kC64;
  if (operand == ElementType::kF64 || operand == ElementType::kC128) {
    if (algorithm == "unset" || algorithm == "dot_f64_f64_f64") return kComputeF64;
    return std::nullopt;
  }
  if (algorithm == "unset") {
    bool highest = f32;
    for (const int64_t precision : dot.GetInts(Attr::kOperandPrecision)) {
      highest = highest && static_cast<Precision>(precision) == Precision::kHighest;
    }
    return highest && !dot.GetInts(Attr::kOperandPrecision).empty() ? kComputeF32Pedantic
                                                                    : kComputeF32;
  }
  if (algorithm == "dot_f32_f32_f32") return kComputeF32Pedantic;
  if (operand == ElementType::kF32 && algorithm == "dot_tf32_tf32_f32") return kComputeTf32;
  if (operand == ElementType::kF32 && algorithm == "dot_bf16_bf16_f32_x9") return kComputeBf16x9;
  if (operand == ElementType::kF16 && algorithm == "dot_f16_f16_f32") return kComputeF32;
  if (operand == ElementType::kBF16 && algorithm == "dot_bf16_bf16_f32") return kComputeF32;
  return std::nullopt;
}

std::optional<MatmulTypes> TypesOf(const Instruction& dot) {
  const ElementType operand = dot.operand(0)->shape().element_type();
  const ElementType result = dot.shape().element_type();
  if (dot.operand(1)->shape().element_type() != operand) return std::nullopt;
  const bool narrow = operand == ElementType::kF16 || operand == ElementType::kBF16;
  if (result != operand && !(narrow && result == ElementType::kF32)) return std::nullopt;
  const std::optional<int> type = DataTypeOf(operand);
  const std::optional<int> compute = ComputeOf(dot, operand);
  if (!type.has_value() || !compute.has_value()) return std::nullopt;
  return MatmulTypes{*type, *type, *DataTypeOf(result), *compute,
                     narrow ? kRealF32 : *DataTypeOf(operand)};
}

// Dimensions that are walked together: how many elements, and how far apart. Of one element, any
// distance will do.
struct Run {
  int64_t count = 1, stride = 0;
};
std::optional<Run> RunOf(const Dimensions& list, const Shape& shape) {
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  Run run;
  for (auto d = list.rbegin(); d != list.rend(); ++d) {
    const int64_t size = shape.dimension(*d);
    if (size == 1) continue;
    if (run.count == 1) {
      run = {size, strides[*d]};
    } else if (strides[*d] == run.stride * run.count) {
      run.count *= size;
    } else {
      return std::nullopt;
    }
  }
  return run;
}

int64_t CountOf(const Dimensions& list, const Shape& shape) {
  int64_t count = 1;
  for (const int64_t d : list) count *= shape.dimension(d);
  return count;
}

// An operand as matrices of `outer` lines of `terms` elements.
struct Matrices {
  BufferUse array;
  int64_t outer = 1, terms = 1;
  bool terms_inner = true;  // the terms of a line lie side by side, otherwise the lines do
  int64_t ld = 1;           // between neighbours of the other dimension
  int64_t batch_stride = 0;
};

// The operand as it lies, or a copy whose dimensions are batch, outer, terms.
std::optional<Matrices> MatricesOf(const Instruction& dot, int64_t k, const Dimensions& batch,
                                   const Dimensions& outer, const Dimensions& terms,
                                   KernelPlan& plan) {
  const Shape& shape = dot.operand(k)->shape();
  Matrices made;
  made.array = Operand(k);
  made.outer = CountOf(outer, shape);
  made.terms = CountOf(terms, shape);
  const std::optional<Run> batches = RunOf(batch, shape);
  const std::optional<Run> lines = RunOf(outer, shape);
  const std::optional<Run> sum = RunOf(terms, shape);
  if (batches.has_value() && lines.has_value() && sum.has_value()) {
    made.batch_stride = batches->count == 1 ? 0 : batches->stride;
    const bool one_line = lines->count == 1, one_term = sum->count == 1;
    if (sum->stride == 1 || one_term) {
      made.ld = one_line ? made.terms : lines->stride;
      return made;
    }
    if (lines->stride == 1 || one_line) {
      made.terms_inner = false;
      made.ld = sum->stride;
      return made;
    }
  }
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  std::vector<CopyLoop> loops;
  int64_t to = 1;
  for (const Dimensions* list : {&terms, &outer, &batch}) {
    for (auto d = list->rbegin(); d != list->rend(); ++d) {
      loops.insert(loops.begin(), {shape.dimension(*d), strides[*d], to});
      to *= shape.dimension(*d);
    }
  }
  made.array = AddScratch(plan, to * BytesOf(shape));
  absl::Status status =
      AddCopy(plan, dot, BytesOf(shape), Operand(k), 0, made.array, 0, std::move(loops));
  if (!status.ok()) return std::nullopt;
  made.ld = made.terms;
  made.batch_stride = CountOf(batch, shape) == 1 ? 0 : made.outer * made.terms;
  return made;
}

class Matmul : public LibraryCall {
 public:
  Matmul(LibrariesPtr libraries, const MatmulTypes& types, const Matrices& left,
         const Matrices& right, int64_t batches, bool bias)
      : libraries_(std::move(libraries)),
        types_(types),
        left_(left),
        right_(right),
        batches_(batches),
        bias_(bias) {}

  // Arrays: left, right, result and, where there is one, the bias.
  absl::Status Enqueue(Device& device, absl::Span<std::byte* const> arrays) const override {
    absl::StatusOr<void*> handle = libraries_->Handle(Library::kCublasLt, device);
    if (!handle.ok()) return handle.status();
    absl::StatusOr<Descriptors*> made =
        descriptors_.Get(device, [&](Descriptors& state) { return Describe(device, state); });
    if (!made.ok()) return made.status();
    const Descriptors& d = **made;
    const LibraryFunctions& f = libraries_->functions();
    absl::Status status;
    if (bias_) {
      const void* const bias = arrays[3];
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                                  cublasLtMatmulDescSetAttribute, d.matmul.get(), kMatmulBias,
                                  &bias, sizeof bias);
      if (!status.ok()) return status;
    }
    MatmulChoice choice = {};
    if (status = Choose(device, *handle, d, arrays, &choice); !status.ok()) return status;
    absl::StatusOr<DeviceBuffer> workspace =
        device.Allocate(static_cast<int64_t>(choice.workspace_bytes));
    if (!workspace.ok()) return workspace.status();
    absl::StatusOr<StreamHandle*> stream =
        device.StreamForLibrary(static_cast<int>(Library::kCublasLt));
    if (!stream.ok()) return stream.status();
    const double one64[] = {1, 0}, zero64[] = {0, 0};
    const float one32[] = {1, 0}, zero32[] = {0, 0};
    const bool wide = types_.scale == kRealF64 || types_.scale == kComplexC128;
    const void* const alpha = wide ? static_cast<const void*>(one64) : one32;
    const void* const beta = wide ? static_cast<const void*>(zero64) : zero32;
    return CheckCall(
        Library::kCublasLt, "cublasLtMatmul",
        f.cublasLtMatmul(*handle, d.matmul.get(), alpha, arrays[1], d.right.get(), arrays[0],
                         d.left.get(), beta, arrays[2], d.result.get(), arrays[2], d.result.get(),
                         &choice.algorithm, workspace->data(), choice.workspace_bytes, *stream),
        device.ordinal());
  }

 private:
  struct Descriptors {
    Resource matmul, left, right, result;
  };

  absl::Status Describe(Device& device, Descriptors& made) const {
    const LibraryFunctions& f = libraries_->functions();
    void* matmul = nullptr;
    absl::Status status =
        ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device, cublasLtMatmulDescCreate,
                           &matmul, types_.compute, types_.scale);
    if (!status.ok()) return status;
    made.matmul = Resource(device, matmul, f.cublasLtMatmulDescDestroy);
    const auto set = [&](int attribute, int value) {
      if (!status.ok()) return;
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                                  cublasLtMatmulDescSetAttribute, matmul, attribute, &value,
                                  sizeof value);
    };
    // op(A) is [columns, terms], op(B) is [terms, rows].
    set(kMatmulTransposeA, right_.terms_inner ? kTransposed : kNotTransposed);
    set(kMatmulTransposeB, left_.terms_inner ? kNotTransposed : kTransposed);
    if (bias_) set(kMatmulEpilogue, kEpilogueBias);
    if (status.ok()) status = Layout(device, types_.left, left_, made.left);
    if (status.ok()) status = Layout(device, types_.right, right_, made.right);
    Matrices result;  // lines of columns
    result.outer = left_.outer;
    result.terms = result.ld = right_.outer;
    result.batch_stride = left_.outer * right_.outer;
    if (status.ok()) status = Layout(device, types_.result, result, made.result);
    return status;
  }

  absl::Status Layout(Device& device, int type, const Matrices& matrices, Resource& made) const {
    const int64_t inner = matrices.terms_inner ? matrices.terms : matrices.outer;
    const int64_t other = matrices.terms_inner ? matrices.outer : matrices.terms;
    void* layout = nullptr;
    absl::Status status =
        ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device, cublasLtMatrixLayoutCreate,
                           &layout, type, inner, other, matrices.ld);
    if (!status.ok()) return status;
    made = Resource(device, layout, libraries_->functions().cublasLtMatrixLayoutDestroy);
    if (batches_ == 1) return status;
    const auto batches = static_cast<int32_t>(batches_);
    status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                                cublasLtMatrixLayoutSetAttribute, layout, kLayoutBatches, &batches,
                                sizeof batches);
    if (!status.ok()) return status;
    return ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                              cublasLtMatrixLayoutSetAttribute, layout, kLayoutBatchStride,
                              &matrices.batch_stride, sizeof matrices.batch_stride);
  }

  // Asks for the algorithm that the library prefers for arrays with these alignments. Partial sums
  // are kept in the compute type.
  absl::Status Choose(Device& device, void* handle, const Descriptors& d,
                      absl::Span<std::byte* const> arrays, MatmulChoice* choice) const {
    const LibraryFunctions& f = libraries_->functions();
    void* preference = nullptr;
    absl::Status status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                                             cublasLtMatmulPreferenceCreate, &preference);
    if (!status.ok()) return status;
    const auto set = [&](int attribute, const auto& value) {
      if (!status.ok()) return;
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                                  cublasLtMatmulPreferenceSetAttribute, preference, attribute,
                                  &value, sizeof value);
    };
    const auto alignment = [](const std::byte* array) {
      const auto address = reinterpret_cast<uintptr_t>(array);
      return static_cast<uint32_t>(std::min<uintptr_t>(address & -address, 256));
    };
    set(kPreferenceWorkspace, kMostWorkspace);
    set(kPreferenceReduction, static_cast<uint32_t>(kReduceInComputeType));
    set(kPreferenceAlignmentA, alignment(arrays[1]));
    set(kPreferenceAlignmentB, alignment(arrays[0]));
    set(kPreferenceAlignmentC, alignment(arrays[2]));
    set(kPreferenceAlignmentD, alignment(arrays[2]));
    int count = 0;
    if (status.ok()) {
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublasLt, device,
                                  cublasLtMatmulAlgoGetHeuristic, handle, d.matmul.get(),
                                  d.right.get(), d.left.get(), d.result.get(), d.result.get(),
                                  preference, 1, choice, &count);
    }
    f.cublasLtMatmulPreferenceDestroy(preference);
    if (!status.ok()) return status;
    constexpr int kNotSupported = 15;
    return CheckCall(Library::kCublasLt, "cublasLtMatmulAlgoGetHeuristic",
                     count == 0 ? kNotSupported : choice->status, device.ordinal());
  }

  const LibrariesPtr libraries_;
  const MatmulTypes types_;
  const Matrices left_, right_;
  const int64_t batches_;
  const bool bias_;
  mutable PerDevice<Descriptors> descriptors_;
};

}  // namespace

std::optional<KernelPlan> PrepareMatmul(const LibrariesPtr& libraries, const Instruction& dot,
                                        bool bias) {
  const std::optional<MatmulTypes> types = TypesOf(dot);
  const DotDimensions dims = DotDimensionsOf(dot);
  const Shape& lhs = dot.operand(0)->shape();
  const int64_t batches = CountOf(dims.lhs_batch, lhs);
  if (!types.has_value()) return std::nullopt;
  // A bias goes along all columns.
  if (bias && dims.rhs_free.size() != 1) return std::nullopt;
  KernelPlan plan;
  const std::optional<Matrices> left =
      MatricesOf(dot, 0, dims.lhs_batch, dims.lhs_free, dims.lhs_contracting, plan);
  const std::optional<Matrices> right =
      MatricesOf(dot, 1, dims.rhs_batch, dims.rhs_free, dims.rhs_contracting, plan);
  if (!left.has_value() || !right.has_value()) return std::nullopt;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (const int64_t size :
       {left->outer, right->outer, left->terms, batches, left->ld, right->ld}) {
    if (size > kMost) return std::nullopt;
  }
  if (!libraries->Load(Library::kCublasLt).ok()) return std::nullopt;
  auto call = std::make_shared<Matmul>(libraries, *types, *left, *right, batches, bias);
  if (bias) {
    AddCall(plan, std::move(call), {left->array, right->array, Result(0), Operand(2)});
  } else {
    AddCall(plan, std::move(call), {left->array, right->array, Result(0)});
  }
  return plan;
}

}  // namespace assay::cuda::libraries
