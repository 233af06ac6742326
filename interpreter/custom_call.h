// What custom calls mean: a registry of targets. The well-known ones (reference
// ops_control_and_collectives.md 11.2, 11.3) are built in; programs add their own as functions.
// Tests: custom_call_test.cc.
#ifndef ASSAY_INTERPRETER_CUSTOM_CALL_H_
#define ASSAY_INTERPRETER_CUSTOM_CALL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "interpreter/interpreter.h"
#include "runtime/process.h"
#include "spec/ir/module.h"

namespace assay {

// One call of a target.
struct CustomCall {
  // A zero-filled array that counts against the run's budget of bytes.
  absl::StatusOr<Literal> Zeros(const Shape& shape) const;

  const Instruction& instruction;  // its attributes, called computations and shapes
  absl::Span<const Literal> operands;
  ProcessId process;
  ProcessGrid grid;
  uint64_t random_seed = 0;
  evaluator::EvaluationContext& context;    // budget, and the caller for called computations
  const runtime::Process* owner = nullptr;  // who pays for arrays; null: nobody
};

// The value of the call, of the instruction's shape.
using CustomCallHandler = std::function<absl::StatusOr<Literal>(const CustomCall&)>;

class CustomCallRegistry {
 public:
  CustomCallRegistry() = default;
  // Has the targets of `base`, which must outlive it, but for those that are registered here.
  explicit CustomCallRegistry(const CustomCallRegistry* base) : base_(base) {}

  // The well-known targets.
  static const CustomCallRegistry& BuiltIn();

  // Replaces what the target meant before. `elementwise`: its value is that operation of its one
  // operand (kCopy: its operands as they are), which gives single elements without a call.
  void Register(std::string target, CustomCallHandler handler,
                std::optional<Opcode> elementwise = std::nullopt);
  // Null when nobody has registered the target.
  const CustomCallHandler* Find(absl::string_view target) const;
  std::optional<Opcode> ElementwiseOp(absl::string_view target) const;

 private:
  struct Meaning {
    CustomCallHandler handler;
    std::optional<Opcode> elementwise;
  };
  const Meaning* MeaningOf(absl::string_view target) const;

  const CustomCallRegistry* base_ = nullptr;
  std::map<std::string, Meaning, std::less<>> meanings_;
};

// Those of the options, or the well-known ones.
const CustomCallRegistry& RegistryOf(const PlanOptions& options);

// Whether the target is registered; UNIMPLEMENTED names it.
absl::Status CheckCustomCall(const Instruction& custom_call, const PlanOptions& options);
// INTERNAL where a handler has given a value of another shape than the call's.
absl::Status CheckCustomCallValue(const Instruction& custom_call, const Literal& value);
// CheckCustomCall of the calls in a computation that are run: those without side effect whose value
// nobody uses are not.
absl::Status CheckCustomCalls(const Computation& computation, const PlanOptions& options);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_CUSTOM_CALL_H_
