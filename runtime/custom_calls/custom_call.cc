#include "runtime/custom_calls/custom_call.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/custom_calls/host_engine.h"
#include "runtime/custom_calls/targets.h"
#include "runtime/module_form.h"
#include "runtime/value_memory.h"
#include "runtime/world.h"
#include "spec/analysis/effects.h"

namespace assay::runtime {
namespace {

const std::string& TargetOf(const Instruction& custom_call) {
  return custom_call.GetString(Attr::kCustomCallTarget);
}

class CustomCallEffect : public Effect {
 public:
  CustomCallEffect(const Instruction& call, const CustomCallHandler& handler, const Engine& engine)
      : call_(call), handler_(handler), engine_(engine) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context& context) const override {
    ValueMemory* const memory = process.world().ValuesOf(process);
    std::vector<Literal> values;
    for (const Instruction* operand : call_.operands()) {
      const int64_t leaves = operand->shape().leaf_count();
      values.push_back(Unflatten(operand->shape(), operands.first(leaves)));
      operands.remove_prefix(leaves);
    }
    absl::StatusOr<Literal> result =
        memory == nullptr ? Call(values, engine_, process, context, /*is_off_device=*/false)
                          : CallOffDevice(std::move(values), *memory, process, context);
    if (!result.ok()) return result.status();
    if (absl::Status status = CheckCustomCallValue(call_, *result); !status.ok()) return status;
    return std::make_shared<Present>(Flatten(*result));
  }

 private:
  absl::StatusOr<Literal> Call(absl::Span<const Literal> operands, const Engine& engine,
                               Process& process, Context& context, bool is_off_device) const {
    return handler_({call_, operands, process.id(), process.grid(),
                     process.world().options().random_seed, engine, context, &process,
                     is_off_device});
  }
  // Waits for the operands, so that the call takes its place in the order of the device's work.
  absl::StatusOr<Literal> CallOffDevice(std::vector<Literal> operands, ValueMemory& memory,
                                        Process& process, Context& context) const {
    absl::StatusOr<Literal> together = ToHost(Literal::Tuple(std::move(operands)));
    if (!together.ok()) return together;
    std::vector<Literal> values;
    for (int64_t i = 0; i < call_.operand_count(); ++i) values.push_back(together->element(i));
    const custom_calls::HostEngine engine(engine_, memory);
    return Call(values, engine, process, context, /*is_off_device=*/true);
  }

  const Instruction& call_;
  const CustomCallHandler& handler_;
  const Engine& engine_;
};

}  // namespace

absl::StatusOr<Literal> CustomCall::Zeros(const Shape& shape) const {
  if (owner == nullptr) return Literal::Create(shape);
  return is_off_device ? owner->world().ZeroHostArray(shape) : owner->ZeroArray(shape);
}

void CustomCallRegistry::Register(std::string target, CustomCallHandler handler,
                                  std::optional<Opcode> elementwise) {
  meanings_[std::move(target)] = {std::move(handler), elementwise};
}

const CustomCallRegistry::Meaning* CustomCallRegistry::MeaningOf(absl::string_view target) const {
  const auto found = meanings_.find(target);
  if (found != meanings_.end()) return &found->second;
  return base_ == nullptr ? nullptr : base_->MeaningOf(target);
}

const CustomCallHandler* CustomCallRegistry::Find(absl::string_view target) const {
  const Meaning* meaning = MeaningOf(target);
  return meaning == nullptr ? nullptr : &meaning->handler;
}

std::optional<Opcode> CustomCallRegistry::ElementwiseOp(absl::string_view target) const {
  const Meaning* meaning = MeaningOf(target);
  return meaning == nullptr ? std::nullopt : meaning->elementwise;
}

const CustomCallHandler* CustomCallMeanings::Find(const Instruction& custom_call) const {
  const std::string& target = TargetOf(custom_call);
  const CustomCallHandler* own = registered_ == nullptr ? nullptr : registered_->Find(target);
  return own == nullptr ? built_in_->Find(target) : own;
}

std::optional<Opcode> CustomCallMeanings::ElementwiseOp(const Instruction& custom_call) const {
  const std::string& target = TargetOf(custom_call);
  const bool own = registered_ != nullptr && registered_->Find(target) != nullptr;
  return (own ? registered_ : built_in_)->ElementwiseOp(target);
}

bool CustomCallMeanings::IsRaggedCall(const Instruction& instruction) const {
  return instruction.opcode() == Opcode::kCustomCall &&
         TargetOf(instruction) == "ragged_all_to_all" && Find(instruction) == nullptr;
}

absl::Status CustomCallMeanings::Check(const Instruction& custom_call) const {
  if (IsManualBorder(custom_call) || IsRaggedCall(custom_call) || Find(custom_call) != nullptr) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "custom call target \"", TargetOf(custom_call), "\" is not known: ", custom_call.Describe(),
      "; docs/custom_calls.md says how to give it a meaning"));
}

absl::Status CustomCallMeanings::CheckAll(const Computation& computation) const {
  std::vector<bool> is_used(computation.instruction_count());
  is_used[computation.root()->index()] = true;
  for (int64_t i = computation.instruction_count() - 1; i >= 0; --i) {  // users first
    const Instruction& instruction = *computation.instruction(i);
    const bool is_call = instruction.opcode() == Opcode::kCustomCall;
    // Called computations may have effects.
    const bool has_effect = is_call ? instruction.GetBool(Attr::kCustomCallHasSideEffect)
                                    : analysis::IsEffect(instruction.opcode()) ||
                                          !instruction.called_computations().empty();
    if (!is_used[i] && !has_effect) continue;
    for (const Instruction* operand : instruction.operands()) is_used[operand->index()] = true;
    if (!is_call) continue;
    if (absl::Status status = Check(instruction); !status.ok()) return status;
  }
  return absl::OkStatus();
}

EffectOr CustomCallMeanings::Prepare(const Instruction& custom_call, const Engine& engine) const {
  if (IsRaggedCall(custom_call)) return custom_calls::PrepareRaggedCall(custom_call, engine);
  if (absl::Status status = Check(custom_call); !status.ok()) return status;
  return std::make_unique<CustomCallEffect>(custom_call, *Find(custom_call), engine);
}

absl::Status CheckCustomCallValue(const Instruction& custom_call, const Literal& value) {
  if (Shape::Compatible(value.shape(), custom_call.shape())) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("custom call target \"", TargetOf(custom_call),
                                          "\" returned ", value.shape().ToString(), ", not ",
                                          custom_call.shape().ToString()));
}

}  // namespace assay::runtime
