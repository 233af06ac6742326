// Operations that only move elements. Broadcasts, transposes, slices, pads, concatenations,
// reversals and reshapes are views that are stored (runtime/view_copy.h); bitcasts read the string
// of bits that the elements form in memory again as elements of another type.
// Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/region.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/strided_copy.h"
#include "runtime/view_copy.h"
#include "spec/element/bitcast_width.h"
#include "spec/layout/tiles.h"

namespace assay::cpu {
namespace {

// Whether every string of bits of the type's width is an element.
bool TakesAllBits(ElementType type) { return BitcastWidth(type) == Info(type).bits; }

// The element of these bits: any but 0 is true, and 6-bit floats leave two bits out.
uint64_t FromBits(ElementType type, uint64_t bits) {
  if (IsPred(type)) return bits != 0 ? 1 : 0;
  return TakesAllBits(type) ? bits : bits & ((uint64_t{1} << Info(type).bits) - 1);
}

// Reads `n` elements of one type as one string of bits, the lowest first, and writes `m` elements
// of another; what lies beyond the string is zero. Complex elements are two numbers each.
void Regroup(ElementType from, const std::byte* in, int64_t n, ElementType to, std::byte* out,
             int64_t m) {
  if (IsComplex(from)) n *= 2, from = Info(from).component;
  if (IsComplex(to)) m *= 2, to = Info(to).component;
  const int from_bits = BitcastWidth(from), to_bits = BitcastWidth(to);
  if (from_bits == to_bits && n == m && (from == to || TakesAllBits(to))) {
    std::memcpy(out, in, n * StorageBytes(from));
    return;
  }
  const auto mask = (static_cast<unsigned __int128>(1) << to_bits) - 1;
  unsigned __int128 pool = 0;
  int held = 0;
  int64_t next = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (; held < to_bits; held += from_bits) {
      if (next == n) break;
      pool |= static_cast<unsigned __int128>(LoadElement(from, in, next++).bits) << held;
    }
    StoreElement(to, {FromBits(to, static_cast<uint64_t>(pool & mask))}, out, i);
    pool >>= ASSAY_DEFECT(16, to_bits, to_bits < 8 ? 0 : to_bits);
    held = std::max(0, held - to_bits);
  }
}

// A permutation of dimensions from the order of the layout to the logical order.
struct PhysicalOrder {
  explicit PhysicalOrder(const Shape& shape) {
    const Layout layout = shape.has_layout() ? *shape.layout() : Layout::Default(shape.rank());
    const Dimensions logical = RowMajorStrides(shape.dimensions());
    Dimensions sizes, strides;
    for (int64_t i = shape.rank() - 1; i >= 0; --i) {
      const int64_t d = layout.minor_to_major[i];
      sizes.push_back(shape.dimension(d));
      strides.push_back(logical[d]);
    }
    const Dimensions dense = RowMajorStrides(sizes);
    const int64_t bytes = StorageBytes(shape.element_type());
    in_order = ASSAY_DEFECT(17, strides == dense, true);
    to_memory = runtime::StridedCopy(bytes, sizes, strides, dense);
    from_memory = runtime::StridedCopy(bytes, sizes, dense, strides);
  }
  bool in_order;
  runtime::StridedCopy to_memory, from_memory;
};

class BitcastKernel : public Kernel {
 public:
  explicit BitcastKernel(const Instruction& cast)
      : from_(cast.operand(0)->shape().element_type()),
        to_(cast.shape().element_type()),
        n_(cast.operand(0)->shape().element_count()),
        m_(cast.shape().element_count()),
        source_(cast.operand(0)->shape()),
        target_(cast.shape()),
        moves_(cast.opcode() == Opcode::kBitcast && (!source_.in_order || !target_.in_order)) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    if (absl::Status status = context.Charge(std::max(n_, m_)); !status.ok()) return status;
    if (!moves_) {
      Regroup(from_, operands[0].data, n_, to_, results[0].data, m_);
      return absl::OkStatus();
    }
    const int64_t in_bytes = n_ * StorageBytes(from_), out_bytes = m_ * StorageBytes(to_);
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(in_bytes + out_bytes); !status.ok()) return status;
    std::vector<std::byte> in(in_bytes), out(out_bytes);
    source_.to_memory.Run(operands[0].data, in.data());
    Regroup(from_, in.data(), n_, to_, out.data(), m_);
    target_.from_memory.Run(out.data(), results[0].data);
    return absl::OkStatus();
  }

 private:
  const ElementType from_, to_;
  const int64_t n_, m_;
  const PhysicalOrder source_, target_;
  const bool moves_;
};

}  // namespace

KernelOr PrepareMove(const Instruction& move) {
  std::vector<View> operands;
  for (int64_t k = 0; k < move.operand_count(); ++k) {
    operands.push_back(View::Dense(move.operand(k)->shape().dimensions(), k));
  }
  const std::optional<View> view = ViewOf(move, operands);
  if (!view.has_value()) {
    return absl::UnimplementedError(absl::StrCat("the cpu backend has no ", move.Describe()));
  }
  return std::make_unique<runtime::ViewCopy>(*view, move.shape().element_type());
}

namespace {

// The operands of other types are converted, and then moved.
class MixedMoveKernel : public Kernel {
 public:
  MixedMoveKernel(std::unique_ptr<analysis::MixedMove> split,
                  std::vector<std::unique_ptr<Kernel>> converts, std::unique_ptr<Kernel> move)
      : split_(std::move(split)), converts_(std::move(converts)), move_(std::move(move)) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    runtime::ScratchLease lease(context);
    std::vector<ArrayRef> moved(operands.begin(), operands.end());
    std::vector<std::vector<std::byte>> converted(operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      if (converts_[k] == nullptr) continue;
      const Shape& shape = split_->converts[k]->shape();
      const int64_t bytes = shape.element_count() * StorageBytes(shape.element_type());
      if (absl::Status status = lease.Add(bytes); !status.ok()) return status;
      converted[k].resize(bytes);
      const MutableArrayRef result = {&shape, converted[k].data()};
      absl::Status status = converts_[k]->Execute({operands[k]}, {result}, context);
      if (!status.ok()) return status;
      moved[k] = {&shape, converted[k].data()};
    }
    return move_->Execute(moved, results, context);
  }

  int in_place_operand() const override {
    const int operand = move_->in_place_operand();
    return operand >= 0 && converts_[operand] != nullptr ? -1 : operand;
  }

 private:
  const std::unique_ptr<analysis::MixedMove> split_;  // of which the kernels are
  const std::vector<std::unique_ptr<Kernel>> converts_;
  const std::unique_ptr<Kernel> move_;
};

KernelOr PrepareOneType(const Instruction& operation) {
  switch (operation.opcode()) {
    case Opcode::kDynamicUpdateSlice:
      return PrepareDynamicUpdateSlice(operation);
    case Opcode::kReduce:
      return PrepareReduce(operation, {});
    case Opcode::kReduceWindow:
      return PrepareReduceWindow(operation);
    case Opcode::kScatter:
      return PrepareScatter(operation);
    case Opcode::kSelectAndScatter:
      return PrepareSelectAndScatter(operation);
    default:
      return PrepareMove(operation);
  }
}

}  // namespace

KernelOr PrepareMixedMove(std::unique_ptr<analysis::MixedMove> split) {
  std::vector<std::unique_ptr<Kernel>> converts;
  for (const auto& convert : split->converts) {
    converts.push_back(nullptr);
    if (convert == nullptr) continue;
    KernelOr kernel = PrepareElementwise(*convert, {});
    if (!kernel.ok()) return kernel.status();
    converts.back() = *std::move(kernel);
  }
  KernelOr move = PrepareOneType(*split->move);
  if (!move.ok()) return move.status();
  return std::make_unique<MixedMoveKernel>(std::move(split), std::move(converts), *std::move(move));
}

KernelOr PrepareBitcast(const Instruction& cast) {
  if (cast.opcode() == Opcode::kBitcast &&
      (HasTiles(cast.shape()) || HasTiles(cast.operand(0)->shape()))) {
    return absl::UnimplementedError(absl::StrCat("bitcast: tiled layouts: ", cast.Describe()));
  }
  return std::make_unique<BitcastKernel>(cast);
}

namespace {

// iota: one line along the dimension is computed, and a view of it is stored.
class IotaKernel : public Kernel {
 public:
  IotaKernel(const Instruction& iota, BlockFunction convert, std::unique_ptr<Kernel> spread)
      : type_(iota.shape().element_type()),
        size_(iota.shape().dimension(iota.GetInt(Attr::kIotaDimension))),
        line_shape_(type_, {size_}),
        convert_(std::move(convert)),
        spread_(std::move(spread)) {}

  absl::Status Execute(absl::Span<const ArrayRef> /*operands*/,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t bytes = StorageBytes(type_);
    const int64_t elements = results[0].shape->element_count();
    if (elements == 0) return absl::OkStatus();
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(size_ * bytes); !status.ok()) return status;
    std::vector<std::byte> line(size_ * bytes);
    std::vector<int64_t> positions(std::min(size_, kBlockElements));
    for (int64_t first = 0; first < size_; first += kBlockElements) {
      const int64_t n = std::min(kBlockElements, size_ - first);
      if (absl::Status status = context.Charge(n); !status.ok()) return status;
      for (int64_t i = 0; i < n; ++i) positions[i] = first + ASSAY_DEFECT(18, i, i % 4);
      const std::byte* in = reinterpret_cast<const std::byte*>(positions.data());
      convert_(absl::MakeConstSpan(&in, 1), line.data() + first * bytes, n);
    }
    const ArrayRef source = {&line_shape_, line.data()};
    return spread_->Execute(absl::MakeConstSpan(&source, 1), results, context);
  }

 private:
  const ElementType type_;
  const int64_t size_;
  const Shape line_shape_;
  const BlockFunction convert_;
  const std::unique_ptr<Kernel> spread_;
};

}  // namespace

KernelOr PrepareIota(const Instruction& iota) {
  const Shape& shape = iota.shape();
  const int64_t d = iota.GetInt(Attr::kIotaDimension);
  absl::StatusOr<BlockFunction> convert = ConvertFunction(ElementType::kS64, shape.element_type());
  if (!convert.ok()) return convert.status();
  const int64_t size = shape.dimension(d);
  const View view = View::Dense({size}, 0).Broadcast(shape.dimensions(), {d});
  return std::make_unique<IotaKernel>(
      iota, *std::move(convert), std::make_unique<runtime::ViewCopy>(view, shape.element_type()));
}

}  // namespace assay::cpu
