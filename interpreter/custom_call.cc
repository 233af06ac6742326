#include "interpreter/custom_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "interpreter/custom_calls/targets.h"
#include "interpreter/golden_effects.h"
#include "runtime/module_form.h"
#include "runtime/world.h"
#include "spec/analysis/effects.h"

namespace assay {
namespace {

class CustomCallEffect : public runtime::Effect {
 public:
  CustomCallEffect(const Instruction& call, const CustomCallHandler& handler)
      : call_(call), handler_(handler) {}
  absl::StatusOr<runtime::PendingPtr> Start(absl::Span<const Literal> operands,
                                            runtime::CallPath /*path*/, runtime::Process& process,
                                            runtime::Context& context) const override {
    std::vector<Literal> values;
    for (const Instruction* operand : call_.operands()) {
      const int64_t leaves = operand->shape().leaf_count();
      values.push_back(Unflatten(operand->shape(), operands.first(leaves)));
      operands.remove_prefix(leaves);
    }
    const CustomCall call = {call_,
                             values,
                             process.id(),
                             process.grid(),
                             process.world().options().random_seed,
                             static_cast<evaluator::EvaluationContext&>(context),
                             &process};
    absl::StatusOr<Literal> result = handler_(call);
    if (!result.ok()) return result.status();
    if (absl::Status status = CheckCustomCallValue(call_, *result); !status.ok()) return status;
    return std::make_shared<runtime::Present>(Flatten(*result));
  }

 private:
  const Instruction& call_;
  const CustomCallHandler& handler_;
};

}  // namespace

const CustomCallRegistry& CustomCallRegistry::BuiltIn() {
  static const CustomCallRegistry* const registry = [] {
    auto* built_in = new CustomCallRegistry;
    for (auto& family : {custom_calls::MarkerTargets(), custom_calls::BitTargets(),
                         custom_calls::TopKTargets(), custom_calls::DynamicSizeTargets(),
                         custom_calls::DynamicOperationTargets(), custom_calls::UnaryTargets(),
                         custom_calls::AssertionTargets(), custom_calls::LinearAlgebraTargets()}) {
      for (const custom_calls::Target& target : family) {
        built_in->Register(target.name, target.handler, target.elementwise);
      }
    }
    return built_in;
  }();
  return *registry;
}

absl::StatusOr<Literal> CustomCall::Zeros(const Shape& shape) const {
  return owner == nullptr ? Literal::Create(shape) : owner->ZeroArray(shape);
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

const CustomCallRegistry& RegistryOf(const PlanOptions& options) {
  return options.custom_calls == nullptr ? CustomCallRegistry::BuiltIn() : *options.custom_calls;
}

absl::Status CheckCustomCall(const Instruction& custom_call, const PlanOptions& options) {
  const std::string& target = custom_call.GetString(Attr::kCustomCallTarget);
  if (runtime::IsManualBorder(custom_call) || IsRaggedCall(custom_call, options) ||
      RegistryOf(options).Find(target) != nullptr) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("custom call target \"", target, "\" is not known: ", custom_call.Describe(),
                   "; docs/custom_calls.md says how to give it a meaning"));
}

absl::Status CheckCustomCallValue(const Instruction& custom_call, const Literal& value) {
  if (Shape::Compatible(value.shape(), custom_call.shape())) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "custom call target \"", custom_call.GetString(Attr::kCustomCallTarget), "\" returned ",
      value.shape().ToString(), ", not ", custom_call.shape().ToString()));
}

absl::Status CheckCustomCalls(const Computation& computation, const PlanOptions& options) {
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
    if (absl::Status status = CheckCustomCall(instruction, options); !status.ok()) return status;
  }
  return absl::OkStatus();
}

runtime::EffectOr PrepareCustomCallEffect(const Instruction& instruction,
                                          const PlanOptions& options) {
  absl::Status status = CheckCustomCall(instruction, options);
  if (!status.ok()) return status;
  return std::make_unique<CustomCallEffect>(
      instruction, *RegistryOf(options).Find(instruction.GetString(Attr::kCustomCallTarget)));
}

}  // namespace assay
