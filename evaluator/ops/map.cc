// map: out[i] = f(x_0[i], ..., x_{N-1}[i]). Source: ops_structural.md 12.1.
#include <utility>
#include <vector>

#include "evaluator/ops/definition.h"
#include "evaluator/region/scalar_program.h"

namespace assay::evaluator {

DefinitionOr DefineMap(const Instruction& map) {
  absl::StatusOr<Region> region = Region::Prepare(*map.to_apply());
  if (!region.ok()) return region.status();
  return DefineElement([&map, f = *std::move(region)](
                           Index i, OperandElements& operands,
                           EvaluationContext& context) mutable -> absl::StatusOr<Element> {
    const std::vector<Instruction*> parameters = map.to_apply()->parameters();
    std::vector<Element> arguments;
    for (int64_t k = 0; k < map.operand_count(); ++k) {
      absl::StatusOr<Element> x =
          ElementAs(parameters[k]->shape().element_type(), map, k, i, operands);
      if (!x.ok()) return x;
      arguments.push_back(*x);
    }
    Element result;
    if (absl::Status status = f.Run(arguments, absl::MakeSpan(&result, 1), context); !status.ok()) {
      return status;
    }
    return result;
  });
}

}  // namespace assay::evaluator
