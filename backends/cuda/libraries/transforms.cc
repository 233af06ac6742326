// fft by cuFFT. A plan is made at the first use on a device and kept. cuFFT may overwrite what a
// transform to real numbers reads, which is a copy therefore, and does not scale inverse
// transforms. Tests: libraries_test.cc.
#include <limits>

#include "backends/cuda/kernels/library_parameters.h"
#include "backends/cuda/kernels/lowering.h"
#include "backends/cuda/libraries/provider.h"
#include "spec/ir/attribute_values.h"

namespace assay::cuda::libraries {
namespace {

// A plan of cuFFT, which is a number.
struct Plan {
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    if (device != nullptr && device->epoch() == epoch) destroy(number);
  }
  std::shared_ptr<Device> device;
  int64_t epoch = 0;
  int number = 0;
  int (*destroy)(int) = nullptr;
  size_t workspace_bytes = 0;
};

class Transform : public LibraryCall {
 public:
  Transform(LibrariesPtr libraries, int type, std::vector<long long> lengths, int64_t batches,
            int direction)
      : libraries_(std::move(libraries)),
        type_(type),
        lengths_(std::move(lengths)),
        batches_(batches),
        direction_(direction) {}

  // Arrays: operand, result.
  absl::Status Enqueue(Device& device, absl::Span<std::byte* const> arrays) const override {
    absl::StatusOr<Plan*> plan =
        plans_.Get(device, [&](Plan& state) { return Make(device, state); });
    if (!plan.ok()) return plan.status();
    absl::StatusOr<DeviceBuffer> workspace =
        device.Allocate(static_cast<int64_t>((*plan)->workspace_bytes));
    if (!workspace.ok()) return workspace.status();
    absl::StatusOr<StreamHandle*> stream =
        device.StreamForLibrary(static_cast<int>(Library::kCufft));
    if (!stream.ok()) return stream.status();
    const int number = (*plan)->number;
    absl::Status status =
        ASSAY_LIBRARY_CALL(*libraries_, Library::kCufft, device, cufftSetStream, number, *stream);
    if (!status.ok()) return status;
    status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCufft, device, cufftSetWorkArea, number,
                                workspace->data());
    if (!status.ok()) return status;
    return CheckCall(Library::kCufft, "cufftExec", Execute(number, arrays[0], arrays[1]),
                     device.ordinal());
  }

 private:
  absl::Status Make(Device& device, Plan& plan) const {
    const LibraryFunctions& f = libraries_->functions();
    absl::Status status =
        ASSAY_LIBRARY_CALL(*libraries_, Library::kCufft, device, cufftCreate, &plan.number);
    if (!status.ok()) return status;
    plan.device = device.shared_from_this();
    plan.epoch = device.epoch();
    plan.destroy = f.cufftDestroy;
    status = ASSAY_LIBRARY_CALL(*libraries_, Library::kCufft, device, cufftSetAutoAllocation,
                                plan.number, 0);
    if (!status.ok()) return status;
    std::vector<long long> lengths = lengths_;
    return ASSAY_LIBRARY_CALL(*libraries_, Library::kCufft, device, cufftMakePlanMany64,
                              plan.number, static_cast<int>(lengths.size()), lengths.data(),
                              nullptr, 1, 0, nullptr, 1, 0, type_, batches_, &plan.workspace_bytes);
  }

  int Execute(int plan, std::byte* in, std::byte* out) const {
    const LibraryFunctions& f = libraries_->functions();
    switch (type_) {
      case kCufftC2C:
        return f.cufftExecC2C(plan, in, out, direction_);
      case kCufftR2C:
        return f.cufftExecR2C(plan, in, out);
      case kCufftC2R:
        return f.cufftExecC2R(plan, in, out);
      case kCufftZ2Z:
        return f.cufftExecZ2Z(plan, in, out, direction_);
      case kCufftD2Z:
        return f.cufftExecD2Z(plan, in, out);
      default:
        return f.cufftExecZ2D(plan, in, out);
    }
  }

  const LibrariesPtr libraries_;
  const int type_;
  const std::vector<long long> lengths_;
  const int64_t batches_;
  const int direction_;
  mutable PerDevice<Plan> plans_;
};

int TypeOf(FftType kind, bool wide) {
  switch (kind) {
    case FftType::kRfft:
      return wide ? kCufftD2Z : kCufftR2C;
    case FftType::kIrfft:
      return wide ? kCufftZ2D : kCufftC2R;
    default:
      return wide ? kCufftZ2Z : kCufftC2C;
  }
}

}  // namespace

std::optional<KernelPlan> PrepareTransform(const LibrariesPtr& libraries, const Instruction& fft) {
  const Shape& from = fft.operand(0)->shape();
  const Shape& to = fft.shape();
  const auto kind = fft.GetEnum<FftType>(Attr::kFftType);
  const bool inverse = kind == FftType::kIfft || kind == FftType::kIrfft;
  const bool wide =
      to.element_type() == ElementType::kF64 || to.element_type() == ElementType::kC128;
  std::vector<long long> lengths;
  double elements = 1;
  for (const int64_t length : fft.GetInts(Attr::kFftLength)) {
    lengths.push_back(length);
    elements *= static_cast<double>(length);
  }
  if (lengths.empty() || from.element_count() > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  const int64_t axes = static_cast<int64_t>(lengths.size());
  int64_t batches = 1;
  for (int64_t d = 0; d < to.rank() - axes; ++d) batches *= to.dimension(d);
  KernelPlan plan;
  BufferUse in = Operand(0);
  if (kind == FftType::kIrfft) {
    in = AddScratch(plan, from.element_count() * BytesOf(from));
    absl::Status status =
        AddDenseCopy(plan, fft, BytesOf(from), from.element_count(), Operand(0), in);
    if (!status.ok()) return std::nullopt;
  }
  if (!libraries->Load(Library::kCufft).ok()) return std::nullopt;
  AddCall(plan,
          std::make_shared<Transform>(libraries, TypeOf(kind, wide), std::move(lengths), batches,
                                      inverse ? kCufftInverse : kCufftForward),
          {in, Result(0)});
  if (inverse) {
    DivideInPlaceParameter p;
    p.row = RowOf(wide ? ElementType::kF64 : ElementType::kF32);
    p.count = to.element_count() * (kind == FftType::kIrfft ? 1 : 2);
    p.divisor = elements;
    const int64_t threads = ThreadsFor(p.count);
    plan.launches.push_back(MakeLaunch("DivideInPlace", BlocksFor(p.count, threads),
                                       {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                       {{&p.data, Result(0)}}));
  }
  return plan;
}

}  // namespace assay::cuda::libraries
