// An engine of three operations, add, multiply and compare on s32, and of the reductions that add
// and multiply: the least that the runtime asks of one who computes, and the proof that it needs no
// more. Used by engine_test.cc and conformance/runner/toy_backend_test.cc.
#ifndef ASSAY_RUNTIME_TESTING_TOY_ENGINE_H_
#define ASSAY_RUNTIME_TESTING_TOY_ENGINE_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/engine.h"
#include "spec/ir/attribute_values.h"

namespace assay::runtime {

// Elements of s32 as they are computed with: sums and products wrap.
inline uint32_t ToyElement(const ArrayRef& array, int64_t i) {
  uint32_t element;
  std::memcpy(&element, array.data + 4 * i, sizeof element);
  return element;
}

inline uint32_t ToyCombine(Opcode opcode, uint32_t x, uint32_t y) {
  return opcode == Opcode::kAdd ? x + y : x * y;
}

// add, multiply: element by element; over the members of a group, one after the other.
class ToyCombination : public Kernel {
 public:
  ToyCombination(Opcode opcode, int64_t count) : opcode_(opcode), count_(count) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    for (int64_t i = 0; i < count_; ++i) {
      uint32_t element = ToyElement(operands[0], i);
      for (const ArrayRef& other : operands.subspan(1)) {
        element = ToyCombine(opcode_, element, ToyElement(other, i));
      }
      std::memcpy(results[0].data + 4 * i, &element, sizeof element);
    }
    return context.Charge(count_);
  }
  int in_place_operand() const override { return 0; }

 private:
  Opcode opcode_;
  int64_t count_;
};

class ToyComparison : public Kernel {
 public:
  ToyComparison(ComparisonDirection direction, int64_t count)
      : direction_(direction), count_(count) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    for (int64_t i = 0; i < count_; ++i) {
      const auto x = static_cast<int32_t>(ToyElement(operands[0], i));
      const auto y = static_cast<int32_t>(ToyElement(operands[1], i));
      results[0].data[i] = std::byte{Holds(x, y)};
    }
    return context.Charge(count_);
  }

 private:
  bool Holds(int32_t x, int32_t y) const {
    switch (direction_) {
      case ComparisonDirection::kEq:
        return x == y;
      case ComparisonDirection::kNe:
        return x != y;
      case ComparisonDirection::kGe:
        return x >= y;
      case ComparisonDirection::kGt:
        return x > y;
      case ComparisonDirection::kLe:
        return x <= y;
      default:
        return x < y;
    }
  }
  ComparisonDirection direction_;
  int64_t count_;
};

class ToyState : public EngineState {
 public:
  Context& context() override { return context_; }

 private:
  Context context_;
};

class ToyEngine : public Engine {
 public:
  // UNIMPLEMENTED for what the engine does not compute.
  static absl::Status Supports(const Instruction& op) {
    const bool combines = op.opcode() == Opcode::kAdd || op.opcode() == Opcode::kMultiply;
    if ((combines || op.opcode() == Opcode::kCompare) &&
        op.operand(0)->shape().element_type() == ElementType::kS32) {
      return absl::OkStatus();
    }
    return absl::UnimplementedError(absl::StrCat("the toy engine has no ", op.Describe()));
  }

  bool AppliesRegion(const Computation& region) const override {
    return Reducer(region).has_value();
  }

  KernelOr Prepare(const Instruction& op) const override {
    if (absl::Status status = Supports(op); !status.ok()) return status;
    const int64_t count = op.shape().element_count();
    if (op.opcode() == Opcode::kCompare) {
      return std::make_unique<ToyComparison>(op.GetEnum<ComparisonDirection>(Attr::kDirection),
                                             count);
    }
    return std::make_unique<ToyCombination>(op.opcode(), count);
  }

  KernelOr PrepareCollective(const Instruction& collective, int64_t /*members*/,
                             int64_t /*position*/) const override {
    if (collective.opcode() == Opcode::kAllReduce && collective.shape().is_array() &&
        collective.shape().element_type() == ElementType::kS32) {
      if (const std::optional<Opcode> reducer = Reducer(*collective.to_apply())) {
        return std::make_unique<ToyCombination>(*reducer, collective.shape().element_count());
      }
    }
    return absl::UnimplementedError(absl::StrCat("the toy engine has no ", collective.Describe()));
  }

  EffectOr PrepareEffect(const Instruction& op) const override {
    return absl::UnimplementedError(absl::StrCat("the toy engine has no ", op.Describe()));
  }

  std::unique_ptr<EngineState> NewState(bool /*counted*/) const override {
    return std::make_unique<ToyState>();
  }

 private:
  // Of a region that adds or multiplies its two parameters.
  static std::optional<Opcode> Reducer(const Computation& region) {
    const Instruction& root = *region.root();
    const bool combines = root.opcode() == Opcode::kAdd || root.opcode() == Opcode::kMultiply;
    if (!combines || region.instruction_count() != 3 || root.operand(0) == root.operand(1)) {
      return std::nullopt;
    }
    return root.opcode();
  }
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_TESTING_TOY_ENGINE_H_
