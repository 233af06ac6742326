// What custom calls mean. Targets are registered as functions of literals. The well-known ones
// (docs/custom_calls.md; reference ops_control_and_collectives.md 11.2, 11.3) are shared by all
// engines, which compute what a call asks for with kernels of their own; users register more.
// Tests: backends/factory/custom_call_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_CUSTOM_CALL_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_CUSTOM_CALL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "runtime/process.h"
#include "spec/ir/module.h"

namespace assay::runtime {

// One call of a target.
struct CustomCall {
  // A zero-filled array on the host that counts against the run's budget of bytes.
  absl::StatusOr<Literal> Zeros(const Shape& shape) const;

  const Instruction& instruction;  // its attributes, called computations and shapes
  absl::Span<const Literal> operands;
  ProcessId process;
  ProcessGrid grid;
  uint64_t random_seed = 0;
  const Engine& engine;            // prepares kernels for operations that the call stands for
  Context& context;                // of a state of the engine; the caller for called computations
  const Process* owner = nullptr;  // who pays for arrays; null: nobody
  // True if the values of the run are in another memory. Operands are copies on the host then, and
  // so is what the call gives.
  bool is_off_device = false;
};

// The value of the call, of the instruction's shape.
using CustomCallHandler = std::function<absl::StatusOr<Literal>(const CustomCall&)>;

class CustomCallRegistry {
 public:
  CustomCallRegistry() = default;
  // Has the targets of `base`, which must outlive it, but for those that are registered here.
  explicit CustomCallRegistry(const CustomCallRegistry* base) : base_(base) {}

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

// The meanings that an engine knows: those that users have registered come first.
class CustomCallMeanings {
 public:
  // `registered` may be null. Both must outlive this object and the effects that it prepares.
  CustomCallMeanings(const CustomCallRegistry* registered, const CustomCallRegistry* built_in)
      : registered_(registered), built_in_(built_in) {}

  const CustomCallHandler* Find(const Instruction& custom_call) const;
  std::optional<Opcode> ElementwiseOp(const Instruction& custom_call) const;
  // Returns true for the collective ragged-all-to-all, unless its target has been registered.
  bool IsRaggedCall(const Instruction& instruction) const;

  // Returns OK if the target has a meaning, otherwise UNIMPLEMENTED with its name.
  absl::Status Check(const Instruction& custom_call) const;
  // Checks the calls in a computation that are run: those without side effect whose value nobody
  // uses are not.
  absl::Status CheckAll(const Computation& computation) const;
  // Prepares a call, which is no border of a manual region. The engine must outlive the result.
  EffectOr Prepare(const Instruction& custom_call, const Engine& engine) const;

 private:
  const CustomCallRegistry* registered_;
  const CustomCallRegistry* built_in_;
};

// INTERNAL where a handler has given a value of another shape than the call's.
absl::Status CheckCustomCallValue(const Instruction& custom_call, const Literal& value);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_CUSTOM_CALL_H_
