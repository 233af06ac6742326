// scan: c = inits; for t = 0..N-1 (reverse: N-1..0): (y, c) = f(X[..t..], c), Y[..t..] = y. Where
// a carry is a fold of one input (RecogniseScan) each prefix and the carry in the end are the exact
// result rounded once; all else runs as written. Source: ops_structural.md 6.1.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/fold.h"
#include "spec/analysis/scan_plan.h"

namespace assay::evaluator {
namespace {

class Scan : public Definition {
 public:
  Scan(const Instruction& scan, Region step)
      : scan_(scan),
        plan_(analysis::ScanPlan::Of(scan)),
        folds_(analysis::RecogniseScan(*scan.to_apply(), plan_.carries)),
        step_(std::move(step)),
        prefixes_(plan_.carries) {}

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext& context) override {
    const bool is_output = leaf < plan_.outputs;
    const int64_t carry = is_output ? folds_.outputs[leaf].carry : leaf - plan_.outputs;
    if (carry >= 0 && Rounds(carry)) {
      Dimensions lane(i.begin(), i.end());
      if (!is_output) return Folded(carry, lane, plan_.steps, operands, context);
      const int64_t t = i[plan_.dimension];
      const int64_t before = plan_.reverse ? plan_.steps - 1 - t : t;
      lane.erase(lane.begin() + plan_.dimension);
      const bool after = folds_.outputs[leaf].after;
      return Folded(carry, lane, before + (after ? 1 : 0), operands, context);
    }
    if (results_.empty()) {
      if (absl::Status status = RunAsWritten(operands, context); !status.ok()) return status;
    }
    return results_[leaf].Get(PositionOf(i, results_[leaf].shape().dimensions()));
  }

 private:
  bool Rounds(int64_t carry) const {
    return ExactFold::IsFor(folds_.carries[carry].reducer.kind,
                            OperandType(scan_, plan_.inputs + carry));
  }
  absl::Span<const int64_t> LaneSizes(int64_t k) const {
    return OperandShape(scan_, plan_.inputs + k).dimensions();
  }

  // Carry k at index `lane` after the first steps. The first prefix of a lane reads no steps beyond
  // it. Later ones take at least twice as many as are known, so that all prefixes of a lane
  // together cost a few times the longest.
  absl::StatusOr<Element> Folded(int64_t k, Index lane, int64_t steps, OperandElements& operands,
                                 EvaluationContext& context) {
    std::vector<Element>& known = prefixes_[k][PositionOf(lane, LaneSizes(k))];
    const auto count = static_cast<int64_t>(known.size());
    if (steps >= count) {
      const int64_t last = std::min(plan_.steps, std::max(steps, 4 * count));
      absl::StatusOr<std::vector<Element>> found =
          FindPrefixes(k, lane, count, last, operands, context);
      if (!found.ok()) return found.status();
      known.insert(known.end(), found->begin(), found->end());
    }
    return known[steps];
  }

  // The carry after `first` to `last` steps, each time rounded from the exact value.
  absl::StatusOr<std::vector<Element>> FindPrefixes(int64_t k, Index lane, int64_t first,
                                                    int64_t last, OperandElements& operands,
                                                    EvaluationContext& context) const {
    const analysis::ScanFolds::Carry& carry = folds_.carries[k];
    absl::StatusOr<Element> init = operands.At(plan_.inputs + k, lane);
    if (!init.ok()) return init.status();
    std::vector<Element> prefixes;
    if (first == 0) prefixes.push_back(*init);
    ExactFold fold(carry.reducer.kind, OperandType(scan_, plan_.inputs + k));
    fold.Add(*init);
    Dimensions at(lane.begin(), lane.end());
    at.insert(at.begin() + plan_.dimension, 0);
    for (int64_t n = 0; n < last; ++n) {
      if (absl::Status status = context.Charge(1); !status.ok()) return status;
      at[plan_.dimension] = plan_.Position(n);
      absl::StatusOr<Element> x = operands.At(carry.input, at);
      if (!x.ok()) return x.status();
      fold.Add(*x);
      if (n + 1 >= first) prefixes.push_back(fold.Result(context));
    }
    return prefixes;
  }

  // An operand, or the part of it at position t of the dimension.
  absl::StatusOr<Literal> Read(int64_t k, std::optional<int64_t> t, OperandElements& operands) {
    Dimensions at(OperandShape(scan_, k).rank());
    Literal part = Literal::Zeros(scan_.to_apply()->parameters()[k]->shape());
    int64_t position = 0;
    absl::Status status = ForEachIndex(part.shape().dimensions(), [&](Index i) -> absl::Status {
      for (size_t d = 0, from = 0; d < at.size(); ++d) {
        at[d] = t && static_cast<int64_t>(d) == plan_.dimension ? *t : i[from++];
      }
      absl::StatusOr<Element> x = operands.At(k, at);
      if (x.ok()) part.Set(position++, *x);
      return x.status();
    });
    if (!status.ok()) return status;
    return part;
  }

  absl::Status RunAsWritten(OperandElements& operands, EvaluationContext& context) {
    std::vector<Literal> results, arguments(scan_.operand_count());
    for (const Shape* leaf : Leaves(scan_.shape())) results.push_back(Literal::Zeros(*leaf));
    for (int64_t k = plan_.inputs; k < scan_.operand_count(); ++k) {
      absl::StatusOr<Literal> init = Read(k, std::nullopt, operands);
      if (!init.ok()) return init.status();
      arguments[k] = *std::move(init);
    }
    for (int64_t n = 0; n < plan_.steps; ++n) {
      const int64_t t = plan_.Position(n);
      for (int64_t k = 0; k < plan_.inputs; ++k) {
        absl::StatusOr<Literal> x = Read(k, t, operands);
        if (!x.ok()) return x.status();
        arguments[k] = *std::move(x);
      }
      absl::StatusOr<std::vector<Literal>> values = RunStep(arguments, context);
      if (!values.ok()) return values.status();
      for (int64_t k = 0; k < plan_.outputs; ++k) Stack((*values)[k], t, results[k]);
      std::move(values->begin() + plan_.outputs, values->end(), arguments.begin() + plan_.inputs);
    }
    std::copy(arguments.begin() + plan_.inputs, arguments.end(), results.begin() + plan_.outputs);
    results_ = std::move(results);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Literal>> RunStep(const std::vector<Literal>& arguments,
                                               EvaluationContext& context) {
    if (absl::Status status = context.ChargeCostly(1); !status.ok()) return status;
    if (step_.program() == nullptr) return CallOut(*scan_.to_apply(), arguments, context);
    std::vector<Element> scalars;
    for (const Literal& argument : arguments) scalars.push_back(argument.Get(0));
    std::vector<Element> values(plan_.outputs + plan_.carries);
    if (absl::Status status = step_.Run(scalars, absl::MakeSpan(values), context); !status.ok()) {
      return status;
    }
    std::vector<Literal> results;
    for (const Element& value : values) {
      results.push_back(Literal::Scalar(step_.program()->result_type(results.size()), value));
    }
    return results;
  }

  // Puts an output of the step at position t where it belongs.
  void Stack(const Literal& value, int64_t t, Literal& result) const {
    int64_t position = 0;
    ForEachIndex(value.shape().dimensions(), [&](Index i) {
      Dimensions at(i.begin(), i.end());
      at.insert(at.begin() + plan_.dimension, t);
      result.Set(PositionOf(at, result.shape().dimensions()), value.Get(position++));
      return absl::OkStatus();
    }).IgnoreError();
  }

  const Instruction& scan_;
  const analysis::ScanPlan plan_;
  const analysis::ScanFolds folds_;
  Region step_;
  // By carry and lane: the values after 0, 1, 2 ... steps, as far as they are known.
  std::vector<absl::flat_hash_map<int64_t, std::vector<Element>>> prefixes_;
  std::vector<Literal> results_;  // of a run as written; empty: none yet
};

}  // namespace

DefinitionOr DefineScan(const Instruction& scan) {
  absl::StatusOr<Region> step = Region::Prepare(*scan.to_apply());
  if (!step.ok()) return step.status();
  return std::make_unique<Scan>(scan, *std::move(step));
}

}  // namespace assay::evaluator
