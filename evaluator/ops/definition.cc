// The table of definitions, and the kernel that asks a definition for one element after the other.
// Tests: definitions_test.cc.
#include "evaluator/ops/definition.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "evaluator/region/scalar_program.h"
#include "evaluator/scalar/scalar_ops.h"
#include "runtime/float_environment.h"
#include "spec/element/element_array.h"
#include "spec/ir/row_major.h"

namespace assay::evaluator {
namespace {

using DefineInstruction = DefinitionOr (*)(const Instruction&);

constexpr std::array<DefineInstruction, kOpcodeCount> kDefinitions = [] {
  std::array<DefineInstruction, kOpcodeCount> table{};
#define DEFINITION(opcode, name) table[static_cast<int>(Opcode::opcode)] = Define##name;
#include "evaluator/ops/definitions.def"
#undef DEFINITION
  return table;
}();

DefineInstruction FindDefinition(Opcode opcode) {
  return Info(opcode).elementwise() ? DefineElementwise : kDefinitions[static_cast<int>(opcode)];
}

class StoredElements : public OperandElements {
 public:
  explicit StoredElements(absl::Span<const ArrayRef> operands) {
    for (const ArrayRef& array : operands) {
      operands_.push_back({{array.shape->element_type(), array.data}, array.shape->dimensions()});
    }
  }
  absl::StatusOr<Element> At(int64_t operand, Index index) override {
    const Operand& array = operands_[operand];
    return array.elements.Load(RowMajorPosition(index, array.sizes));
  }

 private:
  struct Operand {
    ElementArray<const std::byte> elements;
    absl::Span<const int64_t> sizes;
  };
  absl::InlinedVector<Operand, 4> operands_;
};

class StraightKernel : public Kernel {
 public:
  explicit StraightKernel(Define define)
      : define_(std::move(define)), programs_(ProgramCache::Current()) {
    if (programs_ == nullptr) programs_ = std::make_shared<ProgramCache>();
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    const runtime::FloatEnvironmentGuard guard;
    const ProgramCache::Scope scope(programs_);
    DefinitionOr definition = define_();
    if (!definition.ok()) return definition.status();
    StoredElements elements(operands);
    for (size_t leaf = 0; leaf < results.size(); ++leaf) {
      if (absl::Status status = Fill(**definition, leaf, elements, results[leaf], context);
          !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kPortion = 64;  // elements that are charged together

  static absl::Status Fill(Definition& definition, int64_t leaf, OperandElements& operands,
                           const MutableArrayRef& result, EvaluationContext& context) {
    if (!result.shape->is_array()) return absl::OkStatus();
    const ElementArray<std::byte> elements(result.shape->element_type(), result.data);
    const int64_t count = CountOf(result.shape->dimensions());
    int64_t position = 0;
    return ForEachIndex(result.shape->dimensions(), [&](Index index) -> absl::Status {
      // Elements may take milliseconds each, or less than a look at the clock.
      if (position % kPortion == 0) {
        absl::Status status = context.ChargeCostly(std::min(kPortion, count - position));
        if (!status.ok()) return status;
      }
      absl::StatusOr<Element> element = definition.At(leaf, index, operands, context);
      if (!element.ok()) return element.status();
      elements.Store(*element, position++);
      return absl::OkStatus();
    });
  }

  Define define_;
  std::shared_ptr<ProgramCache> programs_;  // so that runs compile nothing twice
};

absl::Status Unimplemented(const Instruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(
      absl::StrCat(Name(instruction.opcode()), ": ", why, ": ", instruction.Describe()));
}

}  // namespace

DefinitionOr PrepareDefinition(const Instruction& instruction) {
  const DefineInstruction define = FindDefinition(instruction.opcode());
  if (define == nullptr) return Unimplemented(instruction, "no definition");
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().is_dynamic()) return Unimplemented(instruction, "dynamic dimensions");
    if (!operand->shape().is_array())
      return Unimplemented(instruction, "an operand is not an array");
  }
  if (instruction.shape().is_dynamic()) return Unimplemented(instruction, "dynamic dimensions");
  return define(instruction);
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeStraightKernel(Define define) {
  if (DefinitionOr definition = define(); !definition.ok()) return definition.status();
  return std::make_unique<StraightKernel>(std::move(define));
}

absl::StatusOr<std::unique_ptr<Kernel>> PrepareStraight(const Instruction& instruction) {
  return MakeStraightKernel([&instruction] { return PrepareDefinition(instruction); });
}

bool HasDefinition(Opcode opcode) { return FindDefinition(opcode) != nullptr; }

ElementType ResultType(const Instruction& instruction, int64_t leaf) {
  const Shape& shape = instruction.shape();
  return shape.is_tuple() ? Leaves(shape)[leaf]->element_type() : shape.element_type();
}

Element As(ElementType to, ElementType from, Element element) {
  return from == to ? element : Convert(from, element, to);
}

absl::StatusOr<Element> ElementAs(ElementType to, const Instruction& instruction, int64_t k,
                                  Index index, OperandElements& operands) {
  absl::StatusOr<Element> element = operands.At(k, index);
  if (!element.ok()) return element;
  return As(to, OperandType(instruction, k), *element);
}

int64_t PositionOf(Index index, absl::Span<const int64_t> sizes) {
  return RowMajorPosition(index, sizes);
}

Dimensions IndexAt(int64_t position, absl::Span<const int64_t> sizes) {
  return RowMajorIndex(position, sizes);
}

int64_t CountOf(absl::Span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

Dimensions SizesOf(absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions) {
  Dimensions result;
  for (int64_t d : dimensions) result.push_back(sizes[d]);
  return result;
}

}  // namespace assay::evaluator
