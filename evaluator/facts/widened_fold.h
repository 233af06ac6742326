// The sum or product that an instruction forms, formed in f64 from something else than its
// operands: ones count the terms, magnitudes give the sum of magnitudes that bounds of sums are
// made of. In the instruction's own type both could overflow. Tests: accumulation_facts_test.cc,
// bounds_test.cc.
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

namespace assay {

// kAdd or kMultiply where the instruction folds floats or complex numbers that way, else kOther.
analysis::ReducerKind FoldKind(const Instruction& instruction);
// Whether every operand of a fold is added up or multiplied as it is: not the group sizes of a
// ragged dot, nor scales.
bool FactorsAreOperands(const Instruction& instruction);

// The instruction alone in a module, as IsolateInstruction makes it, with every float and complex
// type f64 and its fold replaced by `fold` (add or multiply). Contractions add products whatever
// `fold` says. In f32, where that is said, if it is wide enough.
std::unique_ptr<Module> WidenFold(const Instruction& instruction, Opcode fold,
                                  ElementType type = ElementType::kF64);

// What an instruction that adds, multiplies or transforms gives where nothing overflows or is
// rounded on the way: every float type is f64 and every complex one c128, each operand is taken
// times 2^exponent. Of those of FindAccumulationFacts and of folds that multiply (whose exponent is
// 0) that is the exact result, rounded once; others run as written.
absl::StatusOr<Literal> EvaluateWidened(const Instruction& instruction,
                                        absl::Span<const Literal> operands, int exponent,
                                        const EvaluateModule& evaluate);

// Of a complex element |real| + |imaginary|, of any other its value.
double MagnitudeOrValue(ElementType type, Element element);

// What each operand element becomes, from its value (for a complex one |real| + |imaginary|).
// `init` is true for the start value of a fold.
using TermMap = std::function<double(double value, bool init)>;

// What counts terms: 1, and 0 for a start value that is zero.
inline double OneTerm(double value, bool init) { return init && value == 0 ? 0.0 : 1.0; }

// Operands for that module. Indices stay, and so do the elements that a select-and-scatter selects
// by.
std::vector<Literal> WidenOperands(const Instruction& instruction,
                                   absl::Span<const Literal> operands, const TermMap& map);

// How many terms each element of the result adds up; a start value counts unless it is zero. Of
// floats and complex numbers, by FoldKind.
absl::StatusOr<std::vector<double>> CountTerms(const Instruction& instruction,
                                               absl::Span<const Literal> operands,
                                               const EvaluateModule& evaluate);

// The fold of mapped operands, by element of the result.
absl::StatusOr<std::vector<double>> FoldWidened(const Instruction& instruction,
                                                absl::Span<const Literal> operands, Opcode fold,
                                                const TermMap& map, const EvaluateModule& evaluate);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_FACTS_WIDENED_FOLD_H_
