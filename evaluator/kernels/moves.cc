// Kernels that move elements by a map known beforehand: a strided copy, or a few of them. Values
// are never looked at, so that NaN payloads and zeros survive. Source: reference ops_structural.md
// 3, 12.5. Tests: moving_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/kernels/copy_pieces.h"
#include "evaluator/kernels/kernel.h"
#include "runtime/parallel.h"
#include "runtime/strided_copy.h"
#include "spec/element/element.h"

namespace assay::evaluator {
namespace kernels {
namespace {

// One strided copy from operand 0, whose first element lies at an offset.
class ViewKernel : public Kernel {
 public:
  ViewKernel(runtime::StridedCopy copy, int64_t offset_bytes)
      : copy_(std::move(copy)), offset_bytes_(offset_bytes) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    return copy_.Run(operands[0].data + offset_bytes_, results[0].data, context);
  }

 private:
  runtime::StridedCopy copy_;
  int64_t offset_bytes_;
};

// The result reads the operand with these strides (in elements) from this offset, which without
// elements is none.
std::unique_ptr<Kernel> MakeView(const Instruction& instruction, const Dimensions& strides,
                                 int64_t offset) {
  const Shape& shape = instruction.shape();
  const int64_t bytes = StorageBytes(shape.element_type());
  return std::make_unique<ViewKernel>(
      runtime::StridedCopy(bytes, shape.dimensions(), strides, RowMajorStrides(shape.dimensions())),
      shape.element_count() == 0 ? 0 : offset * bytes);
}

// The bytes as they are.
class CopyKernel : public Kernel {
 public:
  CopyKernel(int64_t bytes, int64_t steps) : bytes_(bytes), steps_(steps) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (results[0].data == operands[0].data) return context.Charge(steps_);
    constexpr int64_t kShare = 1 << 19;
    absl::Status status =
        ParallelFor(context, bytes_, kShare, [&](Blocks& shares, EvaluationContext&) {
          while (shares.Next()) {
            std::memcpy(results[0].data + shares.first(), operands[0].data + shares.first(),
                        shares.count());
          }
          return absl::OkStatus();
        });
    return status.ok() ? context.Charge(steps_) : status;
  }
  int in_place_operand() const override { return 0; }

 private:
  int64_t bytes_;
  int64_t steps_;
};

std::unique_ptr<Kernel> MakeCopy(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const int64_t count = shape.element_count();
  return std::make_unique<CopyKernel>(count * StorageBytes(shape.element_type()), count);
}

class ConstantKernel : public Kernel {
 public:
  explicit ConstantKernel(const Literal& literal) : literal_(literal) {}
  absl::Status Run(absl::Span<const ArrayRef>, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (literal_.byte_size() > 0) {
      std::memcpy(results[0].data, literal_.data(), literal_.byte_size());
    }
    return context.Charge(literal_.element_count());
  }

 private:
  Literal literal_;  // shares the elements
};

// Fills the result with the padding value, then copies what is left of the operand.
class PadKernel : public Kernel {
 public:
  PadKernel(runtime::StridedCopy fill, runtime::StridedCopy copy, int64_t source_bytes,
            int64_t destination_bytes)
      : fill_(std::move(fill)),
        copy_(std::move(copy)),
        source_bytes_(source_bytes),
        destination_bytes_(destination_bytes) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (fill_.element_count() > copy_.element_count()) {
      absl::Status status = fill_.Run(operands[1].data, results[0].data, context);
      if (!status.ok()) return status;
    }
    return copy_.Run(operands[0].data + source_bytes_, results[0].data + destination_bytes_,
                     context);
  }

 private:
  runtime::StridedCopy fill_;
  runtime::StridedCopy copy_;
  int64_t source_bytes_;
  int64_t destination_bytes_;
};

// Counts along one dimension: the first block is written element by element, the others copy it.
class IotaKernel : public Kernel {
 public:
  explicit IotaKernel(const Instruction& instruction)
      : type_(instruction.shape().element_type()), bytes_(StorageBytes(type_)) {
    const Shape& shape = instruction.shape();
    empty_ = shape.element_count() == 0;
    const int64_t dimension = instruction.GetInt(Attr::kIotaDimension);
    for (int64_t d = 0; d < shape.rank() && !empty_; ++d) {
      (d < dimension ? outer_ : d == dimension ? size_ : inner_) *= shape.dimension(d);
    }
  }
  absl::Status Run(absl::Span<const ArrayRef>, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (empty_) return absl::OkStatus();
    Meter meter(context);
    const bool in_blocks = inner_ == 1 && (IsInteger(type_) || IsFloat(type_)) && size_ < kExact;
    absl::Status status =
        in_blocks ? FillLine(results[0].data, meter) : FillRows(results[0].data, meter);
    if (!status.ok()) return status;
    const int64_t block = size_ * inner_ * bytes_;
    for (int64_t o = 1; o < outer_; ++o) {
      std::memcpy(results[0].data + o * block, results[0].data, block);
      if (status = meter.Add(size_ * inner_); !status.ok()) return status;
    }
    return meter.Flush();
  }

 private:
  static constexpr int64_t kExact = int64_t{1} << 53;  // as doubles

  absl::Status FillLine(std::byte* out, Meter& meter) const {
    constexpr int64_t kBlock = 512;
    uint64_t integers[kBlock];
    double floats[kBlock];
    for (int64_t first = 0; first < size_; first += kBlock, out += kBlock * bytes_) {
      const int64_t n = std::min(kBlock, size_ - first);
      if (IsFloat(type_)) {
        for (int64_t i = 0; i < n; ++i) floats[i] = static_cast<double>(first + i);
        EncodeFloats(type_, floats, n, out, NanSign::kPositive);
      } else {
        for (int64_t i = 0; i < n; ++i) integers[i] = static_cast<uint64_t>(first + i);
        EncodeIntegers(type_, integers, n, out);
      }
      if (absl::Status status = meter.Add(n); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status FillRows(std::byte* out, Meter& meter) const {
    for (int64_t i = 0; i < size_; ++i) {
      Store(i, out);
      for (int64_t j = 1; j < inner_; ++j) std::memcpy(out + j * bytes_, out, bytes_);
      out += inner_ * bytes_;
      if (absl::Status status = meter.Add(inner_); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  void Store(int64_t i, std::byte* out) const {
    Element element;
    if (IsComplex(type_)) {
      const ElementType part = Info(type_).component;
      element.bits = EncodeFloatFromSigned(part, i);
    } else {
      element.bits = IsFloat(type_) ? EncodeFloatFromSigned(type_, i)
                                    : EncodeInteger(type_, static_cast<uint64_t>(i));
    }
    StoreElement(type_, element, out, 0);
  }

  ElementType type_;
  int64_t bytes_;
  bool empty_;
  int64_t outer_ = 1;
  int64_t size_ = 1;
  int64_t inner_ = 1;
};

// First operand index, step between the indices and number of indices that interior padding and
// edges leave inside [0, size).
struct PadRange {
  int64_t first = 0;
  int64_t count = 0;
};
PadRange RangeInside(int64_t operand_size, int64_t low, int64_t step, int64_t size) {
  PadRange range;
  range.first = low >= 0 ? 0 : (-low + step - 1) / step;
  if (size - 1 - low < 0) return range;
  const int64_t last = std::min(operand_size - 1, (size - 1 - low) / step);
  range.count = std::max<int64_t>(0, last - range.first + 1);
  return range;
}

bool WholeBytes(ElementType type) { return Info(type).bits == 8 * Info(type).storage_bytes; }

// Returns true if the bytes stay in place when an array of one type is read as another one.
bool SameBytes(ElementType from, ElementType to) {
  if (from == to) return true;
  if (IsPred(to)) return false;
  const bool from_whole = WholeBytes(from) || IsPred(from);
  return from_whole && WholeBytes(to);
}

bool RowMajor(const Shape& shape) {
  if (shape.rank() == 0) return !shape.has_layout() || shape.layout()->is_plain();
  return shape.has_layout() && *shape.layout() == Layout::Default(shape.rank());
}

}  // namespace

KernelOrNull PrepareCopy(const Instruction& instruction) {
  if (instruction.operand(0)->shape().element_type() != instruction.shape().element_type()) {
    return nullptr;
  }
  return MakeCopy(instruction);
}

KernelOrNull PrepareConstant(const Instruction& instruction) {
  if (instruction.literal() == nullptr || !instruction.shape().is_array()) return nullptr;
  return std::make_unique<ConstantKernel>(*instruction.literal());
}

KernelOrNull PrepareBroadcast(const Instruction& instruction) {
  const Shape& operand = instruction.operand(0)->shape();
  const Dimensions operand_strides = RowMajorStrides(operand.dimensions());
  Dimensions strides(instruction.shape().rank(), 0);
  absl::Span<const int64_t> map = instruction.GetInts(Attr::kDimensions);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.dimension(d) != 1) strides[map[d]] = operand_strides[d];
  }
  return MakeView(instruction, strides, 0);
}

KernelOrNull PrepareTranspose(const Instruction& instruction) {
  const Dimensions operand_strides = RowMajorStrides(instruction.operand(0)->shape().dimensions());
  Dimensions strides;
  for (const int64_t d : instruction.GetInts(Attr::kDimensions)) {
    strides.push_back(operand_strides[d]);
  }
  return MakeView(instruction, strides, 0);
}

KernelOrNull PrepareSlice(const Instruction& instruction) {
  Dimensions strides = RowMajorStrides(instruction.operand(0)->shape().dimensions());
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    offset += instruction.slices()[d].start * strides[d];
    if (instruction.shape().dimension(d) > 1) strides[d] *= instruction.slices()[d].stride;
  }
  return MakeView(instruction, strides, offset);
}

KernelOrNull PrepareReverse(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  Dimensions strides = RowMajorStrides(shape.dimensions());
  int64_t offset = 0;
  for (const int64_t d : instruction.GetInts(Attr::kDimensions)) {
    offset += (shape.dimension(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return MakeView(instruction, strides, offset);
}

KernelOrNull PrepareConcatenate(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const int64_t bytes = StorageBytes(shape.element_type());
  const int64_t dimension = instruction.GetInt(Attr::kDimension);
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  std::vector<CopyPieces::Piece> pieces;
  int64_t position = 0;
  for (const Instruction* operand : instruction.operands()) {
    const Shape& piece = operand->shape();
    if (piece.element_type() != shape.element_type()) return nullptr;
    CopyPieces::Piece& copy = pieces.emplace_back();
    copy.copy = runtime::StridedCopy(bytes, piece.dimensions(), RowMajorStrides(piece.dimensions()),
                                     strides);
    copy.operand = static_cast<int64_t>(pieces.size()) - 1;
    copy.to_bytes = position * strides[dimension] * bytes;
    position += piece.dimension(dimension);
  }
  return std::make_unique<CopyPieces>(std::move(pieces));
}

KernelOrNull PreparePad(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const Shape& operand = instruction.operand(0)->shape();
  if (operand.element_type() != shape.element_type() ||
      instruction.operand(1)->shape().element_type() != shape.element_type()) {
    return nullptr;
  }
  const int64_t bytes = StorageBytes(shape.element_type());
  const Dimensions source_strides = RowMajorStrides(operand.dimensions());
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  Dimensions sizes, steps;
  int64_t source = 0, destination = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const PaddingDimension& padding = instruction.padding().dimensions[d];
    // Between no two elements there is nothing, however much it would be.
    const int64_t step = operand.dimension(d) > 1 ? padding.interior + 1 : 1;
    const PadRange range = RangeInside(operand.dimension(d), padding.low, step, shape.dimension(d));
    sizes.push_back(range.count);
    steps.push_back(step * strides[d]);
    source += range.first * source_strides[d];
    destination += (padding.low + range.first * step) * strides[d];
  }
  const Dimensions zero_strides(shape.rank(), 0);
  runtime::StridedCopy fill(bytes, shape.dimensions(), zero_strides, strides);
  runtime::StridedCopy copy(bytes, sizes, source_strides, steps);
  if (copy.element_count() == 0) source = destination = 0;
  return std::make_unique<PadKernel>(std::move(fill), std::move(copy), source * bytes,
                                     destination * bytes);
}

KernelOrNull PrepareIota(const Instruction& instruction) {
  return std::make_unique<IotaKernel>(instruction);
}

KernelOrNull PrepareBitcast(const Instruction& instruction) {
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& shape = instruction.shape();
  if (!SameBytes(operand.element_type(), shape.element_type())) return nullptr;
  if (instruction.opcode() == Opcode::kBitcast && !(RowMajor(operand) && RowMajor(shape))) {
    return nullptr;
  }
  return MakeCopy(instruction);
}

}  // namespace kernels
}  // namespace assay::evaluator
