// Kernels of the elementwise operations: loops over dense blocks (element_loops.h), block by block.
// Source: reference ops_elementwise_and_types.md. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

// Elements between two charges of the budget.
constexpr int64_t kBlock = 4096;

// The first operand that may lend its storage to the result: as many elements of the same size.
int LendingOperand(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const int64_t bytes = StorageBytes(shape.element_type());
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (StorageBytes(operand.element_type()) == bytes && Shape::SameDimensions(operand, shape)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

class ElementwiseKernel : public Kernel {
 public:
  explicit ElementwiseKernel(const Instruction& instruction)
      : count_(instruction.shape().element_count()),
        lending_operand_(LendingOperand(instruction)),
        result_bytes_(StorageBytes(instruction.shape().element_type())) {}

  int in_place_operand() const override { return lending_operand_; }

 protected:
  // Calls f(first element, number of elements) for each block.
  template <typename F>
  absl::Status ForEachBlock(EvaluationContext& context, F f) const {
    for (int64_t first = 0; first < count_; first += kBlock) {
      const int64_t n = std::min(kBlock, count_ - first);
      if (absl::Status status = context.Charge(n); !status.ok()) return status;
      f(first, n);
    }
    return absl::OkStatus();
  }

  int64_t count_;
  int lending_operand_;
  int64_t result_bytes_;
};

class UnaryKernel : public ElementwiseKernel {
 public:
  UnaryKernel(const Instruction& instruction, const ElementLoop& loop)
      : ElementwiseKernel(instruction),
        loop_(loop),
        bytes_(StorageBytes(loop.function.op.operand_type)) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    return ForEachBlock(context, [&](int64_t first, int64_t n) {
      loop_(operands[0].data + first * bytes_, results[0].data + first * result_bytes_, n, context);
    });
  }

 private:
  ElementLoop loop_;
  int64_t bytes_;
};

class BinaryKernel : public ElementwiseKernel {
 public:
  BinaryKernel(const Instruction& instruction, const ElementLoop& loop)
      : ElementwiseKernel(instruction),
        loop_(loop),
        bytes_(StorageBytes(instruction.operand(0)->shape().element_type())) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    return ForEachBlock(context, [&](int64_t first, int64_t n) {
      loop_(operands[0].data + first * bytes_, operands[1].data + first * bytes_,
            results[0].data + first * result_bytes_, n, context);
    });
  }

 private:
  ElementLoop loop_;
  int64_t bytes_;
};

// An operation on a type of at most 16 bits as a table of all results, made by the first run.
class TableKernel : public ElementwiseKernel {
 public:
  TableKernel(const Instruction& instruction, const ElementLoop& loop)
      : ElementwiseKernel(instruction),
        loop_(loop),
        bytes_(StorageBytes(loop.function.op.operand_type)) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    std::call_once(once_, [&] { MakeTable(context); });
    return ForEachBlock(context, [&](int64_t first, int64_t n) {
      const std::byte* x = operands[0].data + first * bytes_;
      std::byte* out = results[0].data + first * result_bytes_;
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
  SelectKernel(const Instruction& instruction, const ElementLoop& loop)
      : ElementwiseKernel(instruction),
        loop_(loop),
        scalar_(instruction.operand(0)->shape().rank() == 0 && instruction.shape().rank() != 0) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    const std::byte* pred = operands[0].data;
    if (scalar_) {
      const std::byte* chosen = operands[pred[0] != std::byte{0} ? 1 : 2].data;
      if (chosen != results[0].data && count_ > 0) {
        std::memcpy(results[0].data, chosen, count_ * result_bytes_);
      }
      return context.Charge(count_);
    }
    return ForEachBlock(context, [&](int64_t first, int64_t n) {
      const int64_t offset = first * result_bytes_;
      loop_.ternary(loop_.function, pred + first, operands[1].data + offset,
                    operands[2].data + offset, results[0].data + offset, n, context);
    });
  }

 private:
  ElementLoop loop_;
  bool scalar_;
};

// minimum(maximum(min, x), max); scalar bounds are spread over a block first.
class ClampKernel : public ElementwiseKernel {
 public:
  ClampKernel(const Instruction& instruction, const ElementLoop& maximum,
              const ElementLoop& minimum)
      : ElementwiseKernel(instruction), maximum_(maximum), minimum_(minimum) {
    const Shape& shape = instruction.shape();
    lending_operand_ = 1;
    for (int i = 0; i < 2; ++i) {
      scalar_[i] = instruction.operand(2 * i)->shape().rank() == 0 && shape.rank() != 0;
    }
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    alignas(16) std::byte bounds[2][kSpread * kLargestElement];
    alignas(16) std::byte raised[kSpread * kLargestElement];  // the upper bound may lie in `out`
    const std::byte* bound[2] = {operands[0].data, operands[2].data};
    for (int i = 0; i < 2; ++i) {
      if (scalar_[i]) Spread(bound[i], std::min(count_, kSpread), bounds[i]);
    }
    Meter meter(context);
    for (int64_t first = 0; first < count_; first += kSpread) {
      const int64_t n = std::min(kSpread, count_ - first);
      const int64_t offset = first * result_bytes_;
      std::byte* out = results[0].data + offset;
      const std::byte* low = scalar_[0] ? bounds[0] : bound[0] + offset;
      const std::byte* high = scalar_[1] ? bounds[1] : bound[1] + offset;
      maximum_(low, operands[1].data + offset, raised, n, context);
      minimum_(raised, high, out, n, context);
      if (absl::Status status = meter.Add(n); !status.ok()) return status;
    }
    return meter.Flush();
  }

 private:
  static constexpr int64_t kSpread = 256;
  static constexpr int64_t kLargestElement = 8;  // clamp is not defined for complex numbers

  void Spread(const std::byte* value, int64_t n, std::byte* out) const {
    for (int64_t i = 0; i < n; ++i) std::memcpy(out + i * result_bytes_, value, result_bytes_);
  }

  ElementLoop maximum_;
  ElementLoop minimum_;
  bool scalar_[2];
};

KernelOrNull PrepareClamp(const Instruction& instruction) {
  ScalarOp op = ScalarOpOf(instruction);
  op.opcode = Opcode::kMaximum;
  const std::optional<ElementLoop> maximum = FindElementLoop(op);
  op.opcode = Opcode::kMinimum;
  const std::optional<ElementLoop> minimum = FindElementLoop(op);
  if (!maximum.has_value() || !minimum.has_value()) return nullptr;
  return std::make_unique<ClampKernel>(instruction, *maximum, *minimum);
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

KernelOrNull PrepareElementwise(const Instruction& instruction) {
  if (!UniformOperands(instruction)) return nullptr;
  if (instruction.opcode() == Opcode::kClamp) return PrepareClamp(instruction);
  const std::optional<ElementLoop> loop = FindElementLoop(ScalarOpOf(instruction));
  if (!loop.has_value()) return nullptr;
  if (instruction.opcode() == Opcode::kSelect) {
    return std::make_unique<SelectKernel>(instruction, *loop);
  }
  if (loop->binary != nullptr) return std::make_unique<BinaryKernel>(instruction, *loop);
  if (TableKernel::Suits(instruction, *loop)) {
    return std::make_unique<TableKernel>(instruction, *loop);
  }
  return std::make_unique<UnaryKernel>(instruction, *loop);
}

}  // namespace assay::kernels
