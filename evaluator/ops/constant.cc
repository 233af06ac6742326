// constant: the element of the literal. Source: ops_structural.md 2.
#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"

namespace assay::evaluator {
namespace {

class Constant : public Definition {
 public:
  explicit Constant(const Literal& literal) : leaves_(Flatten(literal)) {}
  absl::StatusOr<Element> At(int64_t leaf, Index index, OperandElements&,
                             EvaluationContext&) override {
    const Literal& literal = leaves_[leaf];
    return literal.Get(PositionOf(index, literal.shape().dimensions()));
  }

 private:
  std::vector<Literal> leaves_;
};

}  // namespace

DefinitionOr DefineConstant(const Instruction& constant) {
  if (constant.literal() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "constant: the elements were elided ({...}) and are not known: ", constant.Describe()));
  }
  return std::make_unique<Constant>(*constant.literal());
}

}  // namespace assay::evaluator
