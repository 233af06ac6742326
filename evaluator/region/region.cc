// A region as a scalar program, or through the caller where it is none.
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/region/scalar_program.h"

namespace assay {
namespace {

absl::Status CallOut(const Computation& computation, absl::Span<const Element> arguments,
                     absl::Span<Element> results, EvaluationContext& context) {
  if (context.caller == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("region ", computation.name(), " is no scalar program and nobody runs calls"));
  }
  std::vector<Literal> literals;
  size_t next = 0;
  for (const Instruction* parameter : computation.parameters()) {
    std::vector<Literal> leaves;
    for (const Shape* leaf : Leaves(parameter->shape())) {
      if (!leaf->is_scalar() || next == arguments.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("region ", computation.name(), ": parameters are not the scalars given"));
      }
      leaves.push_back(Literal::Scalar(leaf->element_type(), arguments[next++]));
    }
    literals.push_back(Unflatten(parameter->shape(), leaves));
  }
  absl::StatusOr<Literal> result = context.caller->Call(computation, literals);
  if (!result.ok()) return result.status();
  std::vector<Literal> leaves = Flatten(*result);
  if (leaves.size() != results.size()) {
    return absl::InvalidArgumentError(absl::StrCat("region ", computation.name(), " returned ",
                                                   leaves.size(), " values, not ", results.size()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].shape().is_scalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("region ", computation.name(), " returned an array"));
    }
    results[i] = leaves[i].Get(0);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Region> Region::Prepare(const Computation& computation) {
  Region region;
  region.computation_ = &computation;
  absl::StatusOr<std::unique_ptr<const ScalarProgram>> program =
      ScalarProgram::Compile(computation);
  if (program.ok()) {
    region.registers_.resize((*program)->register_count());
    region.program_ = *std::move(program);
  } else if (!absl::IsUnimplemented(program.status())) {
    return program.status();
  }
  return region;
}

absl::Status Region::Run(absl::Span<const Element> arguments, absl::Span<Element> results,
                         EvaluationContext& context) {
  if (program_ == nullptr) return CallOut(*computation_, arguments, results, context);
  program_->Run(arguments, results, absl::MakeSpan(registers_), context);
  return absl::OkStatus();
}

}  // namespace assay
