#include "conformance/enclosure/golden_instructions.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "evaluator/facts/isolate.h"
#include "evaluator/facts/widened_fold.h"

namespace assay {
namespace {

// Whether nothing but its kernel is wanted of the interpreter: one array of static sizes out of
// such arrays, no computation that a scalar program cannot stand for.
bool IsKernelAlone(const Instruction& instruction) {
  const auto plain = [](const Shape& shape) { return shape.is_array() && !shape.is_dynamic(); };
  if (!plain(instruction.shape())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!plain(operand->shape())) return false;
  }
  return instruction.info().elementwise() || instruction.info().family == Family::kMovement ||
         FoldKind(instruction) != ReducerKind::kOther;
}

absl::InlinedVector<const Literal*, 3> PointersTo(absl::Span<const Literal> literals) {
  absl::InlinedVector<const Literal*, 3> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

}  // namespace

GoldenInstructions::GoldenInstructions(const RunBudget& budget)
    : budget_(-1, budget.seconds),
      workers_(budget.threads < 0
                   ? WorkerPool::DefaultThreads()
                   : std::clamp<int64_t>(budget.threads, 1, RunBudget::kMostThreads)) {
  options_.budget = budget;
  evaluate_module_ = [this](const Module& module, absl::Span<const Literal> arguments) {
    return Interpret(module, arguments, options_);
  };
}

absl::Status GoldenInstructions::Prepare(Alone* alone) const {
  const Instruction& root = *alone->module->entry()->root();
  if (IsKernelAlone(root)) {
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
    if (!kernel.ok()) return kernel.status();
    alone->kernel = *std::move(kernel);
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(*alone->module);
  if (!planned.ok()) return planned.status();
  alone->planned = *std::move(planned);
  return absl::OkStatus();
}

absl::StatusOr<Literal> GoldenInstructions::RunKernel(const Alone& alone,
                                                      absl::Span<const Literal* const> operands) {
  absl::InlinedVector<ArrayRef, 3> arrays;
  for (const Literal* operand : operands) arrays.push_back({&operand->shape(), operand->data()});
  const int64_t most_bytes = options_.budget.bytes < 0 ? INT64_MAX : options_.budget.bytes;
  absl::StatusOr<Literal> result =
      Literal::Create(alone.module->entry()->root()->shape(), most_bytes);
  if (!result.ok()) return result;
  const MutableArrayRef out{&result->shape(), result->mutable_data()};
  EvaluationContext context;
  context.budget = &budget_;
  context.workers = &workers_;
  absl::Status status = alone.kernel->Run(arrays, absl::MakeConstSpan(&out, 1), context);
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<Literal> GoldenInstructions::Run(Alone* alone,
                                                absl::Span<const Literal* const> operands) {
  if (alone->kernel == nullptr && alone->planned == nullptr) {
    absl::Status status = Prepare(alone);
    if (!status.ok()) return status;
  }
  if (alone->kernel != nullptr) return RunKernel(*alone, operands);
  std::vector<Literal> values;
  for (const Literal* operand : operands) values.push_back(*operand);
  return alone->planned->Run(values, options_);
}

absl::StatusOr<Literal> GoldenInstructions::EvaluateAt(const Instruction& instruction,
                                                       absl::Span<const Literal* const> operands) {
  Alone& alone = alone_[&instruction];
  if (alone.module == nullptr) alone.module = IsolateInstruction(instruction);
  return Run(&alone, operands);
}

absl::StatusOr<Literal> GoldenInstructions::Evaluate(const Instruction& instruction,
                                                     absl::Span<const Literal> operands) {
  return EvaluateAt(instruction, PointersTo(operands));
}

absl::StatusOr<Literal> GoldenInstructions::EvaluateProducts(const Instruction& instruction,
                                                             ElementType type,
                                                             absl::Span<const Literal> operands) {
  if (type == instruction.shape().element_type()) {
    const auto of_type = [type](const Instruction* operand) {
      return operand->shape().element_type() == type;
    };
    if (std::all_of(instruction.operands().begin(), instruction.operands().end(), of_type)) {
      return Evaluate(instruction, operands);
    }
  }
  Alone& wide = widened_[&instruction];
  if (wide.module == nullptr) wide.module = WidenFold(instruction, Opcode::kAdd, type);
  return Run(&wide, PointersTo(operands));
}

absl::StatusOr<absl::Span<const double>> GoldenInstructions::CountTerms(
    const Instruction& instruction, absl::Span<const Literal> operands) {
  Alone& alone = alone_[&instruction];
  const bool same = instruction.info().family == Family::kContraction;
  if (same && !alone.counts.empty()) return alone.counts;
  absl::StatusOr<std::vector<double>> counts =
      assay::CountTerms(instruction, operands, evaluate_module_);
  if (!counts.ok()) return counts.status();
  alone.counts = *std::move(counts);
  return alone.counts;
}

}  // namespace assay
