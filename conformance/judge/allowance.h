// What a conforming implementation may return for one instruction on given operands, when the
// golden value is known: derived bounds and named freedoms, element by element. No tolerance is
// tuned here: budgets of elementary functions are the table of reference accuracy_requirements.md 3
// (level C, the relaxed one), sums are bounded by n u sum|terms|, everything else is exact.
// Tests: allowance_test.cc, bounds_test.cc, freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_
#define ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/judge/bounds.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// In the order from best to worst.
enum class Explanation {
  kEqual,     // the golden bits, or NaN for NaN
  kWithin,    // inside the bound of the operation
  kZeroSign,  // the other zero, where the operation leaves it open
  kFlushed,   // denormals taken for zero, on the way in or out
  kFreedom,   // another value that the reference admits at one of its decision points
  // Outside what accumulation in f32 admits, and so many terms that accumulation in the element
  // type, which is also admitted, bounds nothing; or so ill-conditioned that nothing is known.
  kNotJudgeable,
  kUnexplained
};
inline constexpr int kExplanations = 7;
absl::string_view ExplanationName(Explanation explanation);

// An element that nothing explains: in which array of the result, and where in its row-major order.
struct UnexplainedElement {
  int64_t leaf = 0, position = 0;
  std::string golden, actual;
};
inline constexpr int kShownUnexplained = 256;

struct Judgement {
  int64_t counts[kExplanations] = {};  // elements by explanation
  double largest_fraction = 0;         // of the bound that was used, over the elements inside it
  uint64_t largest_distance = 0;       // in ulp
  std::vector<UnexplainedElement> unexplained;  // the first kShownUnexplained
  std::string rule;                             // "n u sum|terms|", "7 ulp", "exact"; of all leaves
  Explanation worst = Explanation::kEqual;

  std::string FirstUnexplained() const;  // position, golden and actual value; empty if none
};

// Judges `actual` against `golden`, the exact value of `instruction` on `operands` rounded once.
absl::StatusOr<Judgement> JudgeInstruction(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& actual,
                                           const Evaluate& evaluate);

// The budget in ulp of an elementwise operation for a result of the type (level C); 0: the result
// must be the golden one. For complex types normwise. For types of 8 bits and fewer, which are
// computed in f16, the last rounding is in it: one step at most.
double UlpBudget(Opcode opcode, ElementType type);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_ALLOWANCE_H_
