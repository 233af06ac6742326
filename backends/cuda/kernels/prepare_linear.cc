// Launches of fft, cholesky, triangular-solve and batch normalisation. Tests: cuda_kernels_test.cc.
#include <algorithm>
#include <utility>

#include "backends/cuda/kernels/lowering.h"
#include "spec/ir/attribute_values.h"

namespace assay::cuda {
namespace {

constexpr int64_t kLargestRadix = int64_t{1} << 15;

// Eights and fours first, which take fewer passes than twos; then the odd prime factors.
std::vector<int64_t> RadicesOf(int64_t n) {
  std::vector<int64_t> radices;
  for (const int64_t radix : {8, 4, 2}) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  for (int64_t prime = 3; n > 1; prime += 2) {
    if (prime * prime > n) prime = n;
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  }
  return radices;
}

// The work array of a transform and a second one, between which passes alternate.
struct FftWork {
  BufferUse now, other;
};

// Transforms lines of n elements that are `inner` apart, among `count` elements.
absl::Status AddTransform(KernelPlan& plan, const Instruction& fft, int64_t count, int64_t n,
                          int64_t inner, bool inverse, FftWork& work) {
  if (n <= 1) return absl::OkStatus();
  const std::vector<int64_t> radices = RadicesOf(n);
  if (*std::max_element(radices.begin(), radices.end()) > kLargestRadix) {
    return Unsupported(fft, "a length with so large a prime factor");
  }
  FftTableParameter table;
  table.n = n;
  const BufferUse factors = AddScratch(plan, n * 16);
  const int64_t threads = ThreadsFor(n);
  plan.launches.push_back(MakeLaunch("FftTable", BlocksFor(n, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, table,
                                     {{&table.table, factors}}));
  FftPassParameter p;
  p.count = count;
  p.n = n;
  p.inner = inner;
  p.inverse = inverse;
  for (const int64_t radix : radices) {
    p.radix = radix;
    const int64_t block = ThreadsFor(count);
    plan.launches.push_back(
        MakeLaunch("FftPass", BlocksFor(count, block), {static_cast<uint32_t>(block), 1, 1}, 0, p,
                   {{&p.from, work.now}, {&p.to, work.other}, {&p.table, factors}}));
    std::swap(work.now, work.other);
    p.done *= radix;
  }
  return absl::OkStatus();
}

void AddFftLoad(KernelPlan& plan, const ElementRow& row, int64_t lines, int64_t length, int64_t n,
                bool hermitian, BufferUse from, BufferUse to) {
  FftLoadParameter p;
  p.row = row;
  p.lines = lines;
  p.length = length;
  p.n = n;
  p.hermitian = hermitian;
  const int64_t threads = ThreadsFor(lines * n);
  plan.launches.push_back(MakeLaunch("FftLoad", BlocksFor(lines * n, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.in, from}, {&p.work, to}}));
}
void AddFftStore(KernelPlan& plan, const ElementRow& row, int64_t lines, int64_t length, int64_t n,
                 double scale, BufferUse from) {
  FftStoreParameter p;
  p.row = row;
  p.lines = lines;
  p.length = length;
  p.n = n;
  p.scale = scale;
  const int64_t threads = ThreadsFor(lines * length);
  plan.launches.push_back(MakeLaunch("FftStore", BlocksFor(lines * length, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.work, from}, {&p.out, Result(0)}}));
}

}  // namespace

KernelPlanOr PrepareFft(const Instruction& fft, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& from = fft.operand(0)->shape();
  const Shape& to = fft.shape();
  if (to.element_count() == 0) return plan;
  const auto type = fft.GetEnum<FftType>(Attr::kFftType);
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  const int64_t rank = to.rank(), axes = static_cast<int64_t>(lengths.size());
  const int64_t n = lengths.back(), length = from.dimension(rank - 1);
  const int64_t lines = from.element_count() / std::max<int64_t>(1, length);
  // Elements of a line in work while the other axes are transformed.
  const int64_t in_work = type == FftType::kIrfft ? length : n;
  const int64_t largest = lines * std::max(n, in_work);
  FftWork work = {AddScratch(plan, largest * 16), AddScratch(plan, largest * 16)};
  absl::Status status;
  double scale = 1;
  for (const int64_t one : lengths) scale *= inverse ? static_cast<double>(one) : 1;
  AddFftLoad(plan, RowOf(from), lines, length, in_work, false, Operand(0), work.now);
  if (type != FftType::kIrfft) {
    status = AddTransform(plan, fft, lines * n, n, 1, inverse, work);
  }
  int64_t inner = in_work;
  for (int64_t axis = axes - 2; axis >= 0 && status.ok(); --axis) {
    status = AddTransform(plan, fft, lines * in_work, lengths[axis], inner, inverse, work);
    inner *= lengths[axis];
  }
  if (status.ok() && type == FftType::kIrfft) {
    // Work is an array of c128.
    AddFftLoad(plan, RowOf(ElementType::kC128), lines, length, n, true, work.now, work.other);
    std::swap(work.now, work.other);
    status = AddTransform(plan, fft, lines * n, n, 1, inverse, work);
  }
  if (!status.ok()) return status;
  AddFftStore(plan, RowOf(to), lines, to.dimension(rank - 1), n, scale, work.now);
  return plan;
}

KernelPlanOr PrepareCholesky(const Instruction& cholesky, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& shape = cholesky.shape();
  if (shape.element_count() == 0) return plan;
  FactorParameter p;
  p.n = shape.dimension(shape.rank() - 1);
  p.batches = shape.element_count() / (p.n * p.n);
  p.row = RowOf(shape);
  p.lower = cholesky.GetBool(Attr::kLower);
  const BufferUse work = AddScratch(plan, shape.element_count() * 16);
  plan.launches.push_back(MakeLaunch("Cholesky", BlocksFor(p.batches, 1, 1),
                                     {static_cast<uint32_t>(ThreadsFor(p.n)), 1, 1}, 0, p,
                                     {{&p.in, Operand(0)}, {&p.out, Result(0)}, {&p.work, work}}));
  return plan;
}

KernelPlanOr PrepareTriangularSolve(const Instruction& solve, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& a = solve.operand(0)->shape();
  const Shape& b = solve.shape();
  if (b.element_count() == 0) return plan;
  SolveParameter p;
  p.n = a.dimension(a.rank() - 1);
  p.left = solve.GetBool(Attr::kLeftSide);
  p.columns = b.dimension(b.rank() - (p.left ? 1 : 2));
  p.batches = b.element_count() / (p.n * p.columns);
  p.row = RowOf(b);
  p.lower = solve.GetBool(Attr::kLower);
  p.unit = solve.GetBool(Attr::kUnitDiagonal);
  const auto transpose = solve.GetEnum<TransposeA>(Attr::kTransposeA);
  p.transpose = transpose == TransposeA::kTranspose || transpose == TransposeA::kAdjoint;
  p.conjugate = transpose == TransposeA::kAdjoint && p.row.kind == kKindComplex;
  const BufferUse work = AddScratch(plan, b.element_count() * 16);
  const int64_t lines = p.batches * p.columns, threads = ThreadsFor(lines);
  plan.launches.push_back(MakeLaunch(
      "TriangularSolve", BlocksFor(lines, threads, 1), {static_cast<uint32_t>(threads), 1, 1}, 0, p,
      {{&p.a, Operand(0)}, {&p.b, Operand(1)}, {&p.out, Result(0)}, {&p.work, work}}));
  return plan;
}

KernelPlanOr PrepareBatchNorm(const Instruction& batch_norm, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& operand = batch_norm.operand(0)->shape();
  const int64_t feature = batch_norm.GetInt(Attr::kFeatureIndex);
  BatchNormParameter p;
  p.row = RowOf(operand);
  p.count = operand.element_count();
  p.features = operand.dimension(feature);
  p.cells = 1;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (d != feature) p.cells *= operand.dimension(d);
    if (d > feature) p.inner *= operand.dimension(d);
  }
  p.inner = std::max<int64_t>(1, p.inner);
  p.epsilon = batch_norm.GetFloat(Attr::kEpsilon);
  if (p.features == 0) return plan;
  std::vector<MemberPointer> pointers = {{&p.operand, Operand(0)}, {&p.scale, Operand(1)}};
  const bool is_grad = batch_norm.opcode() == Opcode::kBatchNormGrad;
  const auto row_of = [&](int64_t k) {
    return k < batch_norm.operand_count() ? RowOf(batch_norm.operand(k)->shape()) : p.row;
  };
  p.scale_row = row_of(1);
  p.offset_row = row_of(2);
  p.mean_row = row_of(is_grad ? 2 : 3);
  p.variance_row = row_of(is_grad ? 3 : 4);
  p.gradient_row = row_of(4);
  if (batch_norm.shape().is_tuple()) {
    p.out_mean_row = RowOf(batch_norm.shape().tuple_shape(1));
    p.out_variance_row = RowOf(batch_norm.shape().tuple_shape(2));
  }
  const char* sums = nullptr;
  const char* apply = "BatchNormApply";
  switch (batch_norm.opcode()) {
    case Opcode::kBatchNormTraining:
      sums = "BatchNormStatistics";
      pointers.push_back({&p.offset, Operand(2)});
      break;
    case Opcode::kBatchNormInference:
      pointers.push_back({&p.offset, Operand(2)});
      pointers.push_back({&p.mean, Operand(3)});
      pointers.push_back({&p.variance, Operand(4)});
      break;
    default:
      sums = "BatchNormGradSums";
      apply = "BatchNormGrad";
      pointers.push_back({&p.mean, Operand(2)});
      pointers.push_back({&p.variance, Operand(3)});
      pointers.push_back({&p.gradient, Operand(4)});
  }
  pointers.push_back({&p.out, Result(0)});
  if (sums != nullptr) {
    pointers.push_back({&p.sums, AddScratch(plan, p.features * 16)});
    pointers.push_back({&p.out_mean, Result(1)});
    pointers.push_back({&p.out_variance, Result(2)});
    plan.launches.push_back(MakeLaunch(sums, BlocksFor(p.features, 1, 1),
                                       {static_cast<uint32_t>(ThreadsFor(p.cells, 256)), 1, 1}, 0,
                                       p, absl::MakeConstSpan(pointers)));
  }
  if (p.count > 0) {
    const int64_t threads = ThreadsFor(p.count);
    plan.launches.push_back(MakeLaunch(apply, BlocksFor(p.count, threads),
                                       {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                       absl::MakeConstSpan(pointers)));
  }
  return plan;
}

}  // namespace assay::cuda
