// Kernels of the elementwise operations: loops over dense blocks (element_loops.h), block by block.
// Operands that are views are read block by block too.
// Source: reference ops_elementwise_and_types.md. Tests: elementwise_kernels_test.cc.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/scalar/scalar_ops.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/view_reader.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// Elements between two charges of the budget; fewer where blocks of views are copied, so that the
// copies stay in the first cache.
constexpr int64_t kElementwiseBlock = 4096;
constexpr int64_t kViewBlock = 1024;

// Runs a loop on one block, and finds the elements that stayed undecided by asking for each of them
// alone, which is rare. Where the result lies in an operand a copy keeps what they were asked of.
template <typename... Blocks>
void RunNoting(const ElementLoop& loop, int64_t first, int64_t n, EvaluationContext& context,
               std::byte* out, std::array<int64_t, sizeof...(Blocks)> bytes, Blocks... blocks) {
  const bool notes = context.undecided != nullptr && loop.most_at_once < ElementLoop::kAnyNumber;
  if (!notes) return loop(blocks..., out, n, context);
  constexpr size_t kOperands = sizeof...(Blocks);
  std::array<const std::byte*, kOperands> operands = {blocks...};
  std::vector<std::byte> copy;  // of the operand that lent its storage, which all alike may be
  for (size_t k = 0; k < kOperands; ++k) {
    if (operands[k] != out) continue;
    if (copy.empty()) copy.assign(out, out + n * bytes[k]);
    operands[k] = copy.data();
  }
  const int64_t before = context.real_stats.undecided();
  loop(blocks..., out, n, context);
  if (context.real_stats.undecided() == before) return;
  const ScalarFunction& function = loop.function;
  const ElementType type = function.op.operand_type;
  for (int64_t i = 0; i < n; ++i) {
    RealEnclosure enclosure;
    const RealContext real{.enclosure = &enclosure};
    if constexpr (kOperands == 1) {
      function(LoadElement(type, operands[0], i), real);
    } else {
      function(LoadElement(type, operands[0], i), LoadElement(type, operands[1], i), real);
    }
    if (!enclosure.undecided) continue;
    context.undecided->push_back({first + i, enclosure.low, enclosure.high});
  }
}

// The first operand that may lend its storage to the result: as many elements of the same size, as
// they lie. The number of the array among those of a run, or -1.
int LendingOperand(const Instruction& instruction, absl::Span<const View> views) {
  const Shape& shape = instruction.shape();
  const int64_t bytes = StorageBytes(shape.element_type());
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (StorageBytes(operand.element_type()) != bytes || !Shape::SameDimensions(operand, shape)) {
      continue;
    }
    if (views.empty()) return static_cast<int>(i);
    if (views[i].is_dense()) return static_cast<int>(views[i].affine()->source);
  }
  return -1;
}

// One operand during a run.
class OperandBlocks {
 public:
  OperandBlocks(const runtime::ViewReader& reader, runtime::Sources sources, int64_t element_bytes)
      : reader_(reader),
        sources_(sources),
        element_bytes_(element_bytes),
        room_(reader.direct() ? 0 : kViewBlock * element_bytes) {}
  // Any n up to kViewBlock.
  const std::byte* At(int64_t first, int64_t n) {
    if (reader_.uniform() && n <= filled_) return room_.data();
    filled_ = n;
    return reader_.Block(sources_, first, n, element_bytes_, room_.data());
  }

 private:
  const runtime::ViewReader& reader_;
  runtime::Sources sources_;
  int64_t element_bytes_;
  runtime::Scratch<std::byte, 16> room_;
  int64_t filled_ = 0;  // elements in the room
};

class ElementwiseKernel : public Kernel {
 public:
  ElementwiseKernel(const Instruction& instruction, absl::Span<const View> views)
      : count_(instruction.shape().element_count()),
        lending_operand_(LendingOperand(instruction, views)),
        result_bytes_(StorageBytes(instruction.shape().element_type())),
        readers_(instruction, views),
        is_stored_(views.empty()),
        block_(readers_.all_direct() ? kElementwiseBlock : kViewBlock) {}

  int in_place_operand() const override { return lending_operand_; }

 protected:
  // The array in shares, each on one thread: body(share, context), which goes through the share by
  // ForEachBlock.
  absl::Status ForEachShare(EvaluationContext& context, ParallelBody body) const {
    return ParallelFor(context, count_, grain_, body);
  }
  // Calls f(first element, number of elements) for each block of the shares.
  template <typename F>
  absl::Status ForEachBlock(Blocks& shares, EvaluationContext& context, F f) const {
    while (shares.Next()) {
      const int64_t end = shares.first() + shares.count();
      for (int64_t first = shares.first(); first < end; first += block_) {
        const int64_t n = std::min(block_, end - first);
        absl::Status status = costly_ ? context.ChargeCostly(n) : context.Charge(n);
        if (!status.ok()) return status;
        f(first, n);
      }
    }
    return absl::OkStatus();
  }
  // Returns true if the array is small enough to be computed without blocks. Its operands are not
  // views.
  bool IsSmall(const EvaluationContext& context) const {
    return is_small_ && (context.workers == nullptr || count_ <= context.workers->largest_block());
  }
  // Limits the length of blocks for loops that may take long for an element.
  void LimitBlocks(const ElementLoop& loop) {
    costly_ = loop.most_at_once < ElementLoop::kAnyNumber;
    is_small_ = !costly_ && is_stored_ && count_ > 0 && count_ <= kFew;
    if (!costly_) return;
    block_ = std::min(block_, loop.most_at_once);
    grain_ = kCostlyShare * loop.most_at_once;
  }

  int64_t count_;
  int lending_operand_;
  int64_t result_bytes_;
  runtime::OperandReaders readers_;
  bool is_stored_;  // all operands lie as they are read
  int64_t block_;
  bool costly_ = false;
  bool is_small_ = false;
  int64_t grain_ = kShare;

 private:
  // Elements of a share; of costly ones the number of their blocks.
  static constexpr int64_t kShare = 1 << 16, kCostlyShare = 16, kFew = 64;
};

class UnaryKernel : public ElementwiseKernel {
 public:
  UnaryKernel(const Instruction& instruction, absl::Span<const View> views, const ElementLoop& loop)
      : ElementwiseKernel(instruction, views),
        loop_(loop),
        bytes_(StorageBytes(loop.function.op.operand_type)) {
    LimitBlocks(loop);
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (IsSmall(context)) {
      loop_(operands[0].data, results[0].data, count_, context);
      return context.Charge(count_);
    }
    return ForEachShare(context, [&](Blocks& shares, EvaluationContext& context) {
      OperandBlocks x(readers_[0], operands, bytes_);
      return ForEachBlock(shares, context, [&](int64_t first, int64_t n) {
        RunNoting(loop_, first, n, context, results[0].data + first * result_bytes_, {bytes_},
                  x.At(first, n));
      });
    });
  }

 private:
  ElementLoop loop_;
  int64_t bytes_;
};

class BinaryKernel : public ElementwiseKernel {
 public:
  BinaryKernel(const Instruction& instruction, absl::Span<const View> views,
               const ElementLoop& loop)
      : ElementwiseKernel(instruction, views),
        loop_(loop),
        bytes_(StorageBytes(instruction.operand(0)->shape().element_type())),
        right_bytes_(StorageBytes(instruction.operand(1)->shape().element_type())) {
    LimitBlocks(loop);
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (IsSmall(context)) {
      loop_(operands[0].data, operands[1].data, results[0].data, count_, context);
      return context.Charge(count_);
    }
    return ForEachShare(context, [&](Blocks& shares, EvaluationContext& context) {
      OperandBlocks a(readers_[0], operands, bytes_);
      OperandBlocks b(readers_[1], operands, right_bytes_);
      return ForEachBlock(shares, context, [&](int64_t first, int64_t n) {
        RunNoting(loop_, first, n, context, results[0].data + first * result_bytes_,
                  {bytes_, right_bytes_}, a.At(first, n), b.At(first, n));
      });
    });
  }

 private:
  ElementLoop loop_;
  int64_t bytes_;
  int64_t right_bytes_;
};

// An operation on a type of at most 16 bits as a table of all results, made by the first run.
class TableKernel : public ElementwiseKernel {
 public:
  TableKernel(const Instruction& instruction, absl::Span<const View> views, const ElementLoop& loop)
      : ElementwiseKernel(instruction, views),
        loop_(loop),
        bytes_(StorageBytes(loop.function.op.operand_type)) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    std::call_once(once_, [&] { MakeTable(context); });
    return ForEachShare(context, [&](Blocks& shares, EvaluationContext& context) {
      OperandBlocks x(readers_[0], operands, bytes_);
      return ForEachBlock(shares, context, [&](int64_t first, int64_t n) {
        LookUpBlock(x.At(first, n), results[0].data + first * result_bytes_, n);
      });
    });
  }

  // Worth it where the table is no larger than the array.
  static bool Suits(const Instruction& instruction, const ElementLoop& loop) {
    const int64_t bytes = StorageBytes(loop.function.op.operand_type);
    return loop.one_by_one && bytes <= 2 && StorageBytes(instruction.shape().element_type()) <= 8 &&
           instruction.shape().element_count() >= int64_t{1} << (8 * bytes);
  }

 private:
  void MakeTable(EvaluationContext& context) const {
    const int64_t size = int64_t{1} << (8 * bytes_);
    std::vector<std::byte> patterns(size * bytes_);
    for (int64_t i = 0; i < size; ++i) std::memcpy(&patterns[i * bytes_], &i, bytes_);
    table_.resize(size * result_bytes_);
    loop_(patterns.data(), table_.data(), size, context);
  }
  void LookUpBlock(const std::byte* x, std::byte* out, int64_t n) const {
    switch (result_bytes_) {
      case 1:
        return LookUp<uint8_t>(x, out, n);
      case 2:
        return LookUp<uint16_t>(x, out, n);
      case 4:
        return LookUp<uint32_t>(x, out, n);
      default:
        return LookUp<uint64_t>(x, out, n);
    }
  }
  template <typename T>
  void LookUp(const std::byte* x, std::byte* out, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t pattern = bytes_ == 1 ? LoadAt<uint8_t>(x, i) : LoadAt<uint16_t>(x, i);
      StoreAt(out, i, LoadAt<T>(table_.data(), pattern));
    }
  }

  ElementLoop loop_;
  int64_t bytes_;
  mutable std::once_flag once_;
  mutable std::vector<std::byte> table_;
};

class SelectKernel : public ElementwiseKernel {
 public:
  SelectKernel(const Instruction& instruction, absl::Span<const View> views,
               const ElementLoop& loop)
      : ElementwiseKernel(instruction, views),
        loop_(loop),
        scalar_(instruction.operand(0)->shape().rank() == 0 && instruction.shape().rank() != 0) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (scalar_) {
      const bool pred = *readers_[0].data(operands) != std::byte{0};
      const runtime::ViewReader& chosen = readers_[pred ? 1 : 2];
      if (!chosen.direct() || chosen.data(operands) != results[0].data) {
        chosen.Copy(operands, 0, count_, result_bytes_, results[0].data);
      }
      return context.Charge(count_);
    }
    return ForEachShare(context, [&](Blocks& shares, EvaluationContext& context) {
      OperandBlocks pred(readers_[0], operands, 1);
      OperandBlocks on_true(readers_[1], operands, result_bytes_);
      OperandBlocks on_false(readers_[2], operands, result_bytes_);
      return ForEachBlock(shares, context, [&](int64_t first, int64_t n) {
        loop_.ternary(loop_.function, pred.At(first, n), on_true.At(first, n),
                      on_false.At(first, n), results[0].data + first * result_bytes_, n, context);
      });
    });
  }

 private:
  ElementLoop loop_;
  bool scalar_;
};

// minimum(maximum(min, x), max); a scalar bound is a view of the size of the result.
class ClampKernel : public ElementwiseKernel {
 public:
  ClampKernel(const Instruction& instruction, absl::Span<const View> views,
              const ElementLoop& maximum, const ElementLoop& minimum)
      : ElementwiseKernel(instruction, views),
        maximum_(maximum),
        minimum_(minimum),
        both_(FindNativeClampLoop(maximum.function.op.operand_type)) {
    block_ = kViewBlock;
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    return ForEachShare(context, [&](Blocks& shares, EvaluationContext& context) {
      alignas(16) std::byte raised[kViewBlock * kLargestElement];
      OperandBlocks low(readers_[0], operands, result_bytes_);
      OperandBlocks x(readers_[1], operands, result_bytes_);
      OperandBlocks high(readers_[2], operands, result_bytes_);
      return ForEachBlock(shares, context, [&](int64_t first, int64_t n) {
        std::byte* out = results[0].data + first * result_bytes_;
        if (both_ != nullptr) {
          return both_(maximum_.function, low.At(first, n), x.At(first, n), high.At(first, n), out,
                       n, context);
        }
        maximum_(low.At(first, n), x.At(first, n), raised, n, context);
        minimum_(raised, high.At(first, n), out, n, context);
      });
    });
  }

 private:
  static constexpr int64_t kLargestElement = 8;  // clamp is not defined for complex numbers

  ElementLoop maximum_;
  ElementLoop minimum_;
  TernaryLoop both_;  // null where the machine lacks the type
};

// The operands' views, where there are none yet as they lie, scalar bounds spread over the result.
std::vector<View> ClampViews(const Instruction& clamp, absl::Span<const View> views) {
  std::vector<View> spread;
  for (int64_t k = 0; k < 3; ++k) {
    const Shape& operand = clamp.operand(k)->shape();
    View view = views.empty() ? View::Dense(operand.dimensions(), k) : views[k];
    const bool scalar = operand.rank() == 0 && clamp.shape().rank() != 0;
    spread.push_back(scalar ? view.Broadcast(clamp.shape().dimensions(), {}) : std::move(view));
  }
  return spread;
}

KernelOrNull PrepareClamp(const Instruction& instruction, absl::Span<const View> views) {
  ScalarOp op = ScalarOpOf(instruction);
  op.opcode = Opcode::kMaximum;
  const std::optional<ElementLoop> maximum = FindElementLoop(op);
  op.opcode = Opcode::kMinimum;
  const std::optional<ElementLoop> minimum = FindElementLoop(op);
  if (!maximum.has_value() || !minimum.has_value()) return nullptr;
  return std::make_unique<ClampKernel>(instruction, ClampViews(instruction, views), *maximum,
                                       *minimum);
}

// Operands of one binary operation have one type, except the random bits of stochastic-convert.
bool UniformOperands(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kStochasticConvert) return true;
  const int64_t first = instruction.opcode() == Opcode::kSelect ? 1 : 0;
  const ElementType type = instruction.operand(first)->shape().element_type();
  for (int64_t i = first; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i)->shape().element_type() != type) return false;
  }
  return true;
}

}  // namespace

KernelOrNull PrepareElementwise(const Instruction& instruction, absl::Span<const View> views) {
  if (!UniformOperands(instruction)) return nullptr;
  if (instruction.opcode() == Opcode::kClamp) return PrepareClamp(instruction, views);
  const std::optional<ElementLoop> loop = FindElementLoop(ScalarOpOf(instruction));
  if (!loop.has_value()) return nullptr;
  if (instruction.opcode() == Opcode::kSelect) {
    return std::make_unique<SelectKernel>(instruction, views, *loop);
  }
  if (loop->binary != nullptr) return std::make_unique<BinaryKernel>(instruction, views, *loop);
  if (TableKernel::Suits(instruction, *loop)) {
    return std::make_unique<TableKernel>(instruction, views, *loop);
  }
  return std::make_unique<UnaryKernel>(instruction, views, *loop);
}

}  // namespace assay::evaluator::kernels
