#include "interpreter/custom_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "interpreter/effect.h"
#include "interpreter/module_form.h"
#include "interpreter/world.h"

namespace assay {
namespace {

absl::StatusOr<Literal> Same(const CustomCall& call) { return call.operands[0]; }

const CustomCallRegistry& RegistryOf(const PlanOptions& options) {
  return options.custom_calls == nullptr ? CustomCallRegistry::BuiltIn() : *options.custom_calls;
}

class CustomCallEffect : public Effect {
 public:
  CustomCallEffect(const Instruction& call, const CustomCallHandler& handler)
      : call_(call), handler_(handler) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, EvaluationContext& context) const override {
    std::vector<Literal> values;
    for (const Instruction* operand : call_.operands()) {
      const int64_t leaves = operand->shape().leaf_count();
      values.push_back(Unflatten(operand->shape(), operands.first(leaves)));
      operands.remove_prefix(leaves);
    }
    const CustomCall call = {
        call_,  values, process.id(), process.grid(), process.world().options().random_seed,
        context};
    absl::StatusOr<Literal> result = handler_(call);
    if (!result.ok()) return result.status();
    if (!Shape::Compatible(result->shape(), call_.shape())) {
      return absl::InternalError(absl::StrCat(
          "custom call target \"", call_.GetString(Attr::kCustomCallTarget), "\" returned ",
          result->shape().ToString(), ", not ", call_.shape().ToString()));
    }
    return std::make_shared<Present>(Flatten(*result));
  }

 private:
  const Instruction& call_;
  const CustomCallHandler& handler_;
};

}  // namespace

const CustomCallRegistry& CustomCallRegistry::BuiltIn() {
  static const CustomCallRegistry* const registry = [] {
    auto* built_in = new CustomCallRegistry;
    for (const char* target : {"Sharding", "MoveToHost", "MoveToDevice"}) {
      built_in->Register(target, Same);
    }
    return built_in;
  }();
  return *registry;
}

void CustomCallRegistry::Register(std::string target, CustomCallHandler handler) {
  handlers_[std::move(target)] = std::move(handler);
}

const CustomCallHandler* CustomCallRegistry::Find(absl::string_view target) const {
  const auto found = handlers_.find(target);
  return found == handlers_.end() ? nullptr : &found->second;
}

std::vector<std::string> CustomCallRegistry::targets() const {
  std::vector<std::string> names;
  for (const auto& [name, handler] : handlers_) names.push_back(name);
  return names;
}

absl::Status CheckCustomCall(const Instruction& custom_call, const PlanOptions& options) {
  const std::string& target = custom_call.GetString(Attr::kCustomCallTarget);
  if (IsManualBorder(custom_call) || RegistryOf(options).Find(target) != nullptr) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("custom call target \"", target, "\" is not known: ", custom_call.Describe()));
}

EffectOr PrepareCustomCallEffect(const Instruction& instruction, const PlanOptions& options) {
  absl::Status status = CheckCustomCall(instruction, options);
  if (!status.ok()) return status;
  return std::make_unique<CustomCallEffect>(
      instruction, *RegistryOf(options).Find(instruction.GetString(Attr::kCustomCallTarget)));
}

}  // namespace assay
