// cholesky by cuSOLVER and triangular-solve by cuBLAS, a call for each matrix. The libraries'
// matrices are column-major: a row-major matrix is the transpose of what they read, so that its
// lower triangle is their upper one. Tests: libraries_test.cc.
#include <limits>

#include "backends/cuda/kernels/library_parameters.h"
#include "backends/cuda/kernels/lowering.h"
#include "backends/cuda/libraries/provider.h"
#include "spec/ir/attribute_values.h"

namespace assay::cuda::libraries {
namespace {

// Own kernels take a block for each matrix, which suits many small ones.
constexpr int64_t kMostMatrices = 64;

bool Takes(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kC64 ||
         type == ElementType::kC128;
}

class Factor : public LibraryCall {
 public:
  Factor(LibrariesPtr libraries, int type, int64_t bytes, int64_t n, int64_t batches, bool lower)
      : libraries_(std::move(libraries)),
        type_(type),
        bytes_(bytes),
        n_(n),
        batches_(batches),
        triangle_(lower ? kUpperTriangle : kLowerTriangle) {}

  // Arrays: the matrices, and a number for each that says whether it failed.
  absl::Status Enqueue(Device& device, absl::Span<std::byte* const> arrays) const override {
    absl::StatusOr<void*> handle = libraries_->Handle(Library::kCusolver, device);
    if (!handle.ok()) return handle.status();
    absl::StatusOr<Kept*> kept = kept_.Get(device, [&](Kept& made) {
      void* value = nullptr;
      absl::Status status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCusolver, device,
                                               cusolverDnCreateParams, &value);
      if (status.ok()) {
        made.parameters = Resource(device, value, libraries_->functions().cusolverDnDestroyParams);
      }
      return status;
    });
    if (!kept.ok()) return kept.status();
    void* const parameters = (*kept)->parameters.get();
    size_t device_bytes = 0, host_bytes = 0;
    absl::Status status = ASSAY_LIBRARY_CALL(
        *libraries_, Library::kCusolver, device, cusolverDnXpotrf_bufferSize, *handle, parameters,
        triangle_, n_, type_, arrays[0], n_, type_, &device_bytes, &host_bytes);
    if (!status.ok()) return status;
    absl::StatusOr<DeviceBuffer> workspace = device.Allocate(static_cast<int64_t>(device_bytes));
    if (!workspace.ok()) return workspace.status();
    // Graphs refer to it, too.
    std::vector<std::byte>& host = (*kept)->host_workspace;
    if (host.size() < host_bytes) host.resize(host_bytes);
    for (int64_t k = 0; k < batches_ && status.ok(); ++k) {
      absl::StatusOr<StreamHandle*> stream =
          device.StreamForLibrary(static_cast<int>(Library::kCusolver));
      if (!stream.ok()) return stream.status();
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCusolver, device, cusolverDnSetStream,
                                  *handle, *stream);
      if (!status.ok()) return status;
      status = ASSAY_LIBRARY_CALL(
          *libraries_, Library::kCusolver, device, cusolverDnXpotrf, *handle, parameters, triangle_,
          n_, type_, arrays[0] + k * n_ * n_ * bytes_, n_, type_, workspace->data(), device_bytes,
          host.data(), host_bytes, reinterpret_cast<int*>(arrays[1]) + k);
    }
    return status;
  }

 private:
  struct Kept {
    Resource parameters;
    std::vector<std::byte> host_workspace;  // of the calls on the device's stream
  };

  const LibrariesPtr libraries_;
  const int type_;
  const int64_t bytes_, n_, batches_;
  const int triangle_;
  mutable PerDevice<Kept> kept_;
};

struct SolveForm {
  int type;  // cudaDataType
  int side, triangle, transpose, diagonal;
  int64_t bytes, n, m, columns, batches;
};

class Solve : public LibraryCall {
 public:
  Solve(LibrariesPtr libraries, const SolveForm& form)
      : libraries_(std::move(libraries)), form_(form) {}

  // Arrays: the triangular matrices, and the right-hand sides that become the solutions.
  absl::Status Enqueue(Device& device, absl::Span<std::byte* const> arrays) const override {
    absl::StatusOr<void*> handle = libraries_->Handle(Library::kCublas, device);
    if (!handle.ok()) return handle.status();
    absl::Status status;
    for (int64_t k = 0; k < form_.batches && status.ok(); ++k) {
      absl::StatusOr<StreamHandle*> stream =
          device.StreamForLibrary(static_cast<int>(Library::kCublas));
      if (!stream.ok()) return stream.status();
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublas, device, cublasSetStream_v2,
                                  *handle, *stream);
      if (!status.ok()) return status;
      status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCublas, device, cublasSetMathMode, *handle,
                                  kDefaultMath);
      if (!status.ok()) return status;
      status = CheckCall(Library::kCublas, "cublasXtrsm_v2_64",
                         One(*handle, arrays[0] + k * form_.n * form_.n * form_.bytes,
                             arrays[1] + k * form_.m * form_.columns * form_.bytes),
                         device.ordinal());
    }
    return status;
  }

 private:
  int One(void* handle, const std::byte* a, std::byte* b) const {
    const LibraryFunctions& f = libraries_->functions();
    const double one64[] = {1, 0};
    const float one32[] = {1, 0};
    const auto call = [&](auto function, const void* one) {
      return function(handle, form_.side, form_.triangle, form_.transpose, form_.diagonal, form_.m,
                      form_.columns, one, a, form_.n, b, form_.m);
    };
    switch (form_.type) {
      case kRealF32:
        return call(f.cublasStrsm_v2_64, one32);
      case kRealF64:
        return call(f.cublasDtrsm_v2_64, one64);
      case kComplexC64:
        return call(f.cublasCtrsm_v2_64, one32);
      default:
        return call(f.cublasZtrsm_v2_64, one64);
    }
  }

  const LibrariesPtr libraries_;
  const SolveForm form_;
};

}  // namespace

std::optional<KernelPlan> PrepareFactor(const LibrariesPtr& libraries,
                                        const Instruction& cholesky) {
  const Shape& shape = cholesky.shape();
  if (!Takes(shape.element_type())) return std::nullopt;
  FinishFactorParameter p;
  p.n = shape.dimension(shape.rank() - 1);
  p.batches = shape.element_count() / (p.n * p.n);
  if (p.batches > kMostMatrices) return std::nullopt;
  p.row = RowOf(shape);
  p.lower = cholesky.GetBool(Attr::kLower);
  KernelPlan plan;
  const BufferUse failed = AddScratch(plan, p.batches * static_cast<int64_t>(sizeof(int32_t)));
  absl::Status status =
      AddDenseCopy(plan, cholesky, BytesOf(shape), shape.element_count(), Operand(0), Result(0));
  if (!status.ok() || !libraries->Load(Library::kCusolver).ok()) return std::nullopt;
  AddCall(plan,
          std::make_shared<Factor>(libraries, *DataTypeOf(shape.element_type()), BytesOf(shape),
                                   p.n, p.batches, p.lower),
          {Result(0), failed});
  const int64_t threads = ThreadsFor(shape.element_count());
  plan.launches.push_back(MakeLaunch("FinishFactor", BlocksFor(shape.element_count(), threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.data, Result(0)}, {&p.failed, failed}}));
  return plan;
}

// op(A) X = B, read by columns, is X^T op(A)^T = B^T: the other side, and the transpose of what is
// read already.
std::optional<KernelPlan> PrepareSolve(const LibrariesPtr& libraries, const Instruction& solve) {
  const Shape& a = solve.operand(0)->shape();
  const Shape& b = solve.shape();
  if (!Takes(b.element_type()) || a.element_type() != b.element_type()) return std::nullopt;
  SolveForm form;
  form.type = *DataTypeOf(b.element_type());
  form.bytes = BytesOf(b);
  form.n = a.dimension(a.rank() - 1);
  form.m = b.dimension(b.rank() - 1);
  form.columns = b.dimension(b.rank() - 2);
  form.batches = b.element_count() / (form.m * form.columns);
  if (form.batches > kMostMatrices) return std::nullopt;
  form.side = solve.GetBool(Attr::kLeftSide) ? kRightSide : kLeftSide;
  form.triangle = solve.GetBool(Attr::kLower) ? kUpperTriangle : kLowerTriangle;
  form.diagonal = solve.GetBool(Attr::kUnitDiagonal) ? kUnitDiagonal : kNonUnitDiagonal;
  switch (solve.GetEnum<TransposeA>(Attr::kTransposeA)) {
    case TransposeA::kTranspose:
      form.transpose = kTransposed;
      break;
    case TransposeA::kAdjoint:
      form.transpose = kConjugated;
      break;
    default:
      form.transpose = kNotTransposed;
  }
  KernelPlan plan;
  absl::Status status =
      AddDenseCopy(plan, solve, form.bytes, b.element_count(), Operand(1), Result(0));
  if (!status.ok() || !libraries->Load(Library::kCublas).ok()) return std::nullopt;
  AddCall(plan, std::make_shared<Solve>(libraries, form), {Operand(0), Result(0)});
  return plan;
}

}  // namespace assay::cuda::libraries
