#include "evaluator/facts/scan_sums.h"

#include "evaluator/ops/scan_plan.h"
#include "evaluator/real/float_environment.h"
#include "evaluator/real/running_sum.h"
#include "evaluator/region/reducer.h"
#include "spec/element/element.h"

namespace assay {

std::optional<ScanSum> FindScanSum(const Instruction& instruction, int64_t leaf) {
  if (instruction.opcode() != Opcode::kScan) return std::nullopt;
  const ScanPlan plan = ScanPlan::Of(instruction);
  const std::optional<ScanFolds> folds = RecogniseScan(*instruction.to_apply(), plan.carries);
  if (!folds.has_value()) return std::nullopt;
  ScanSum sum;
  int64_t carry = leaf - plan.outputs;
  sum.place = ScanSum::Place::kInTheEnd;
  if (carry < 0) {
    carry = folds->outputs[leaf].carry;
    const bool after = folds->outputs[leaf].after;
    sum.place = after ? ScanSum::Place::kAfterStep : ScanSum::Place::kBeforeStep;
  }
  sum.input = folds->carries[carry].input;
  sum.init = plan.inputs + carry;
  const ElementType type = instruction.operand(sum.init)->shape().element_type();
  const bool adds = folds->carries[carry].reducer.kind == ReducerKind::kAdd;
  if (!adds || !(IsFloat(type) || IsComplex(type))) return std::nullopt;
  return sum;
}

std::vector<double> AddScanned(const Instruction& scan, const ScanSum& sum,
                               absl::Span<const Literal> operands, const TermMap& map) {
  const FloatEnvironmentGuard guard;
  const ScanPlan plan = ScanPlan::Of(scan);
  const Literal& x = operands[sum.input];
  const Literal& init = operands[sum.init];
  const ElementType type = init.element_type();
  int64_t inner = 1;
  for (int64_t d = plan.dimension + 1; d < x.shape().rank(); ++d) inner *= x.shape().dimension(d);
  const bool in_the_end = sum.place == ScanSum::Place::kInTheEnd;
  std::vector<double> sums(in_the_end ? init.element_count() : x.element_count());
  for (int64_t lane = 0; lane < init.element_count(); ++lane) {
    RunningSum running;
    const auto value = [&] {
      return DecodeFloat(ElementType::kF64, running.Round(ElementType::kF64));
    };
    running.Add(map(MagnitudeOrValue(type, init.Get(lane)), /*init=*/true));
    for (int64_t n = 0; n < plan.steps; ++n) {
      const int64_t at = (lane / inner * plan.steps + plan.Position(n)) * inner + lane % inner;
      if (sum.place == ScanSum::Place::kBeforeStep) sums[at] = value();
      running.Add(map(MagnitudeOrValue(type, x.Get(at)), /*init=*/false));
      if (sum.place == ScanSum::Place::kAfterStep) sums[at] = value();
    }
    if (in_the_end) sums[lane] = value();
  }
  return sums;
}

}  // namespace assay
