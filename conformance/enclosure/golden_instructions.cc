#include "conformance/enclosure/golden_instructions.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

// Returns true if the instruction needs only its kernel: it has array operands and one array result
// of static sizes, and no called computation that is not a scalar program.
bool IsKernelAlone(const Instruction& instruction) {
  const auto plain = [](const Shape& shape) { return shape.is_array() && !shape.is_dynamic(); };
  if (!plain(instruction.shape())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!plain(operand->shape())) return false;
  }
  return instruction.info().elementwise() || instruction.info().family == Family::kMovement ||
         (evaluator::FoldKind(instruction) != analysis::ReducerKind::kOther &&
          evaluator::FactorsAreOperands(instruction));
}

// Returns the same numbers in a wider type.
Literal InType(const Literal& literal, ElementType type) {
  if (literal.element_type() == type) return literal;
  Shape shape = literal.shape();
  shape.set_element_type(type);
  shape.ClearLayouts();
  Literal wide = Literal::Zeros(shape);
  const int64_t count = literal.element_count();
  std::vector<double> values(count);
  if (IsFloat(literal.element_type())) {
    DecodeFloats(literal.element_type(), literal.data(), count, values.data());
  } else {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = evaluator::MagnitudeOrValue(literal.element_type(), literal.Get(i));
    }
  }
  EncodeFloats(type, values.data(), count, wide.mutable_data());
  return wide;
}

}  // namespace

GoldenInstructions::GoldenInstructions(const RunBudget& budget)
    : budget_(-1, budget.seconds),
      workers_(budget.threads < 0
                   ? runtime::WorkerPool::DefaultThreads()
                   : std::clamp<int64_t>(budget.threads, 1, RunBudget::kMostThreads)) {
  options_.budget = budget;
  evaluate_module_ = [this](const Module& module, absl::Span<const Literal> arguments) {
    return Interpret(module, arguments, options_);
  };
}

absl::Status GoldenInstructions::Prepare(GoldenInstruction* golden) const {
  const Instruction& instruction = *golden->instruction;
  if (IsKernelAlone(instruction)) {
    const int64_t most_bytes = options_.budget.bytes < 0 ? INT64_MAX : options_.budget.bytes;
    const absl::StatusOr<Literal> fits = Literal::Create(instruction.shape(), most_bytes);
    if (!fits.ok()) return fits.status();
    absl::StatusOr<std::unique_ptr<evaluator::Kernel>> kernel =
        evaluator::PrepareKernel(instruction);
    if (!kernel.ok()) return kernel.status();
    golden->kernel = *std::move(kernel);
    return absl::OkStatus();
  }
  if (golden->module == nullptr) golden->module = analysis::IsolateInstruction(instruction);
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(*golden->module);
  if (!planned.ok()) return planned.status();
  golden->planned = *std::move(planned);
  return absl::OkStatus();
}

absl::Status GoldenInstructions::RunKernel(const GoldenInstruction& golden,
                                           absl::Span<const Literal* const> operands,
                                           Literal* value) {
  absl::InlinedVector<runtime::ArrayRef, 3> arrays;
  for (const Literal* operand : operands) arrays.push_back({&operand->shape(), operand->data()});
  *value = Literal::Zeros(golden.instruction->shape());
  const runtime::MutableArrayRef out{&value->shape(), value->mutable_data()};
  evaluator::EvaluationContext context;
  context.budget = &budget_;
  context.workers = &workers_;
  return golden.kernel->Run(arrays, absl::MakeConstSpan(&out, 1), context);
}

GoldenInstruction& GoldenInstructions::Of(const Instruction& instruction) {
  GoldenInstruction& golden = alone_[&instruction];
  golden.instruction = &instruction;
  return golden;
}

absl::Status GoldenInstructions::EvaluateAt(GoldenInstruction* golden,
                                            absl::Span<const Literal* const> operands,
                                            Literal* value) {
  if (golden->kernel == nullptr && golden->planned == nullptr) {
    absl::Status status = Prepare(golden);
    if (!status.ok()) return status;
  }
  if (golden->kernel != nullptr) return RunKernel(*golden, operands, value);
  std::vector<Literal> values;
  for (const Literal* operand : operands) values.push_back(*operand);
  absl::StatusOr<Literal> result = golden->planned->Run(values, options_);
  if (result.ok()) *value = *std::move(result);
  return result.status();
}

absl::StatusOr<Literal> GoldenInstructions::Run(GoldenInstruction* golden,
                                                absl::Span<const Literal> operands) {
  absl::InlinedVector<const Literal*, 3> pointers;
  for (const Literal& operand : operands) pointers.push_back(&operand);
  Literal value;
  absl::Status status = EvaluateAt(golden, pointers, &value);
  if (!status.ok()) return status;
  return value;
}

absl::StatusOr<Literal> GoldenInstructions::Evaluate(const Instruction& instruction,
                                                     absl::Span<const Literal> operands) {
  return Run(&Of(instruction), operands);
}

absl::StatusOr<Literal> GoldenInstructions::EvaluateSums(const Instruction& instruction,
                                                         ElementType type,
                                                         absl::Span<const Literal> operands) {
  // Integers are factors as well, but for group sizes.
  const bool contraction = instruction.info().family == Family::kContraction &&
                           evaluator::FactorsAreOperands(instruction);
  bool own = type == instruction.shape().element_type(), given = true;
  for (size_t k = 0; k < operands.size(); ++k) {
    const ElementType of = operands[k].element_type();
    // Indices stay.
    if (!contraction && !IsFloat(of)) continue;
    own = own && of == instruction.operand(k)->shape().element_type();
    given = given && of == type;
  }
  // Golden's own sum of the original operands.
  if (own) return Evaluate(instruction, operands);
  GoldenInstruction& wide = widened_[std::make_pair(&instruction, type)];
  if (wide.module == nullptr) {
    wide.module = evaluator::WidenFold(instruction, Opcode::kAdd, type);
    wide.instruction = wide.module->entry()->root();
  }
  if (given) return Run(&wide, operands);
  std::vector<Literal> brought;
  for (const Literal& operand : operands) {
    const bool stays = !contraction && !IsFloat(operand.element_type());
    brought.push_back(stays ? operand : InType(operand, type));
  }
  return Run(&wide, brought);
}

absl::StatusOr<absl::Span<const double>> GoldenInstructions::CountTerms(
    const Instruction& instruction, absl::Span<const Literal> operands) {
  GoldenInstruction& alone = Of(instruction);
  // For a ragged dot the group sizes decide.
  const bool same = instruction.info().family == Family::kContraction &&
                    evaluator::FactorsAreOperands(instruction);
  if (same && !alone.counts.empty()) return alone.counts;
  absl::StatusOr<std::vector<double>> counts =
      assay::evaluator::CountTerms(instruction, operands, evaluate_module_);
  if (!counts.ok()) return counts.status();
  alone.counts = *std::move(counts);
  return alone.counts;
}

}  // namespace assay::conformance
