#include "evaluator/facts/scan_sums.h"

#include <algorithm>
#include <cmath>

#include "evaluator/real/running_sum.h"
#include "runtime/float_environment.h"
#include "spec/analysis/scan_plan.h"
#include "spec/element/element.h"
#include "spec/ir/row_major.h"

namespace assay::evaluator {
namespace {

// Runs a sum over each lane: `Running` has Add(double), and put(at, running) takes what it is at an
// element of the leaf.
template <typename Running, typename Put>
void RunLanes(const Instruction& scan, const ScanFold& fold, absl::Span<const Literal> operands,
              const TermMap& map, Put put) {
  const runtime::FloatEnvironmentGuard guard;
  const analysis::ScanPlan plan = analysis::ScanPlan::Of(scan);
  const Literal& x = operands[fold.input];
  const Literal& init = operands[fold.init];
  const ElementType type = init.element_type();
  const AlongDimension along(x.shape().dimensions(), plan.dimension);
  for (int64_t lane = 0; lane < init.element_count(); ++lane) {
    Running running;
    running.Add(map(MagnitudeOrValue(type, init.Get(lane)), /*init=*/true));
    for (int64_t n = 0; n < plan.steps; ++n) {
      const int64_t at = along.At(lane, plan.Position(n));
      if (fold.place == ScanFold::Place::kBeforeStep) put(at, running);
      running.Add(map(MagnitudeOrValue(type, x.Get(at)), /*init=*/false));
      if (fold.place == ScanFold::Place::kAfterStep) put(at, running);
    }
    if (fold.place == ScanFold::Place::kInTheEnd) put(lane, running);
  }
}

int64_t CountOf(const ScanFold& fold, absl::Span<const Literal> operands) {
  const bool in_the_end = fold.place == ScanFold::Place::kInTheEnd;
  return operands[in_the_end ? fold.init : fold.input].element_count();
}

class RunningExtremes {
 public:
  void Add(double value) {
    sum_ += value;
    if (std::isinf(sum_) && sum_ < 0) return;
    greatest_ = std::max(greatest_, sum_);
    least_ = std::min(least_, sum_);
  }
  double greatest() const { return greatest_; }
  double least() const { return least_; }

 private:
  double sum_ = 0, greatest_ = 0, least_ = 0;
};

}  // namespace

std::optional<ScanFold> FindScanFold(const Instruction& instruction, int64_t leaf,
                                     analysis::ReducerKind kind) {
  if (instruction.opcode() != Opcode::kScan) return std::nullopt;
  const analysis::ScanPlan plan = analysis::ScanPlan::Of(instruction);
  const analysis::ScanFolds folds = analysis::RecogniseScan(*instruction.to_apply(), plan.carries);
  ScanFold fold;
  int64_t carry = leaf - plan.outputs;
  fold.place = ScanFold::Place::kInTheEnd;
  if (carry < 0) {
    carry = folds.outputs[leaf].carry;
    if (carry < 0) return std::nullopt;
    const bool after = folds.outputs[leaf].after;
    fold.place = after ? ScanFold::Place::kAfterStep : ScanFold::Place::kBeforeStep;
  }
  fold.input = folds.carries[carry].input;
  fold.init = plan.inputs + carry;
  const ElementType type = instruction.operand(fold.init)->shape().element_type();
  const bool same = folds.carries[carry].reducer.kind == kind;
  if (!same || !(IsFloat(type) || IsComplex(type))) return std::nullopt;
  return fold;
}

std::vector<double> AddScanned(const Instruction& scan, const ScanFold& fold,
                               absl::Span<const Literal> operands, const TermMap& map) {
  std::vector<double> sums(CountOf(fold, operands));
  RunLanes<RunningSum>(scan, fold, operands, map, [&](int64_t at, const RunningSum& running) {
    sums[at] = DecodeFloat(ElementType::kF64, running.Round(ElementType::kF64));
  });
  return sums;
}

ScanExtremes FindScanExtremes(const Instruction& scan, const ScanFold& fold,
                              absl::Span<const Literal> operands, const TermMap& map) {
  const int64_t count = CountOf(fold, operands);
  ScanExtremes extremes{std::vector<double>(count), std::vector<double>(count)};
  RunLanes<RunningExtremes>(scan, fold, operands, map,
                            [&](int64_t at, const RunningExtremes& running) {
                              extremes.greatest[at] = running.greatest();
                              extremes.least[at] = running.least();
                            });
  return extremes;
}

}  // namespace assay::evaluator
