// The sum or product of an instruction, computed in f64 over mapped operands. Operands of 1 count
// the terms; magnitudes give the sum of magnitudes from which error bounds are derived. In the
// instruction's own type both could overflow. Tests: accumulation_facts_test.cc, bounds_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_WIDENED_FOLD_H_
#define ASSAY_EVALUATOR_FACTS_WIDENED_FOLD_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/facts.h"
#include "spec/analysis/reducer.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// Returns kAdd or kMultiply if the instruction folds floats or complex numbers by that operation,
// otherwise kOther.
analysis::ReducerKind FoldKind(const Instruction& instruction);
// Returns true if every operand of a fold is a term or a factor. It is false for the group sizes of
// a ragged dot and for scales.
bool FactorsAreOperands(const Instruction& instruction);

// Returns the instruction in a module of its own (IsolateInstruction), with every float and complex
// type replaced by `type` and its fold by `fold` (add or multiply). Contractions add products
// regardless of `fold`. `type` is f64, or f32 if that is wide enough.
std::unique_ptr<Module> WidenFold(const Instruction& instruction, Opcode fold,
                                  ElementType type = ElementType::kF64);

// Evaluates an instruction that adds, multiplies or transforms in f64 or c128, with each operand
// multiplied by 2^exponent. For the instructions of FindAccumulationFacts, and for folds that
// multiply (whose exponent is 0), that is the exact result, rounded once. Others round as written.
absl::StatusOr<Literal> EvaluateWidened(const Instruction& instruction,
                                        absl::Span<const Literal> operands, int exponent,
                                        const EvaluateModule& evaluate);

// Returns |real| + |imaginary| of a complex element, and the value of any other.
double MagnitudeOrValue(ElementType type, Element element);

// Maps an operand element, given its value (|real| + |imaginary| of a complex one). `init` is true
// for the start value of a fold.
using TermMap = std::function<double(double value, bool init)>;

// Maps every element to 1, and a start value of zero to 0, so that a sum counts terms.
inline double OneTerm(double value, bool init) { return init && value == 0 ? 0.0 : 1.0; }

// Returns the operands with both parts of complex numbers times 2^exponent, in c128.
std::vector<Literal> ScaleComplex(absl::Span<const Literal> operands, int exponent);

// Returns the operands for WidenFold's module. Indices, and the elements by which a
// select-and-scatter selects, are not mapped.
std::vector<Literal> WidenOperands(const Instruction& instruction,
                                   absl::Span<const Literal> operands, const TermMap& map);

// Returns the number of terms that each element of the result sums, for floats and complex numbers.
// A start value counts unless it is zero.
absl::StatusOr<std::vector<double>> CountTerms(const Instruction& instruction,
                                               absl::Span<const Literal> operands,
                                               const EvaluateModule& evaluate);

// Returns the fold of the mapped operands for each element of the result.
absl::StatusOr<std::vector<double>> FoldWidened(const Instruction& instruction,
                                                absl::Span<const Literal> operands, Opcode fold,
                                                const TermMap& map, const EvaluateModule& evaluate);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_FACTS_WIDENED_FOLD_H_
