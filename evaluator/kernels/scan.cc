// Kernels of scan: folds of a recognised reducer element by element or row by row; a step that is
// elementwise as a scalar program for each lane; any other step through the caller.
// Source: reference ops_structural.md 6.1. Tests: folding_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/lane_fold.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/region/scalar_program.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "spec/analysis/reducer.h"
#include "spec/analysis/scan_plan.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// An array [outer, inner] of a step, stacked as [outer, steps, inner].
struct Stacking {
  int64_t outer = 1, inner = 1, steps = 0;

  static Stacking Of(const Shape& slice, const analysis::ScanPlan& plan) {
    Stacking stacking;
    stacking.steps = plan.steps;
    if (slice.element_count() == 0) {
      stacking.inner = 0;
      return stacking;
    }
    for (int64_t d = 0; d < slice.rank(); ++d) {
      (d < plan.dimension ? stacking.outer : stacking.inner) *= slice.dimension(d);
    }
    return stacking;
  }
  int64_t count() const { return outer * inner; }
  // Returns the start of the elements [o, ...] of step t.
  int64_t Row(int64_t o, int64_t t) const { return (o * steps + t) * inner; }

  void Take(const std::byte* stacked, int64_t t, int64_t bytes, std::byte* slice) const {
    for (int64_t o = 0; o < outer && inner > 0; ++o) {
      std::memcpy(slice + o * inner * bytes, stacked + Row(o, t) * bytes, inner * bytes);
    }
  }
  void Put(const std::byte* slice, int64_t t, int64_t bytes, std::byte* stacked) const {
    for (int64_t o = 0; o < outer && inner > 0; ++o) {
      std::memcpy(stacked + Row(o, t) * bytes, slice + o * inner * bytes, inner * bytes);
    }
  }
};

class FoldScan : public Kernel {
 public:
  FoldScan(const Instruction& scan, const analysis::ScanFolds& folds)
      : plan_(analysis::ScanPlan::Of(scan)) {
    for (int64_t k = 0; k < plan_.carries; ++k) {
      const Shape& shape = scan.operand(plan_.inputs + k)->shape();
      const analysis::ReducerKind kind = folds.carries[k].reducer.kind;
      if (kind == analysis::ReducerKind::kOther) continue;
      Carry carry = {plan_.inputs + k,
                     folds.carries[k].input,
                     kind,
                     shape.element_type(),
                     PairwiseLoop(kind, shape.element_type()),
                     Stacking::Of(shape, plan_),
                     {},
                     {},
                     plan_.outputs + k};
      for (int64_t i = 0; i < plan_.outputs; ++i) {
        if (folds.outputs[i].carry != k) continue;
        (folds.outputs[i].after ? carry.after : carry.before).push_back(i);
      }
      carries_.push_back(std::move(carry));
    }
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    for (const Carry& carry : carries_) {
      if (carry.stacking.count() == 0) continue;
      const std::byte* x = operands[carry.input].data;
      const std::byte* init = operands[carry.init].data;
      absl::Status status = carry.loop && carry.stacking.inner >= kRow
                                ? FoldRows(carry, x, init, results, context)
                                : FoldLanes(carry, x, init, results, context);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  struct Carry {
    int64_t init, input;  // operands
    analysis::ReducerKind kind;
    ElementType type;
    std::optional<ElementLoop> loop;
    Stacking stacking;
    std::vector<int64_t> before, after;  // outputs that are the carry as it was, as it is
    int64_t last;                        // the result that is the carry in the end
  };
  static constexpr int64_t kRow = 8;  // shorter rows are not worth a loop

  // Whole rows at once, in the place of the carry that is returned.
  absl::Status FoldRows(const Carry& carry, const std::byte* x, const std::byte* init,
                        absl::Span<const MutableArrayRef> results,
                        EvaluationContext& context) const {
    std::byte* last = results[carry.last].data;
    Meter meter(context);
    const Stacking& stacking = carry.stacking;
    const int64_t bytes = StorageBytes(carry.type);
    const int64_t row_bytes = stacking.inner * bytes;
    for (int64_t o = 0; o < stacking.outer; ++o) {
      std::byte* row = last + o * row_bytes;
      std::memcpy(row, init + o * row_bytes, row_bytes);
      for (int64_t n = 0; n < plan_.steps; ++n) {
        const int64_t at = stacking.Row(o, plan_.Position(n)) * bytes;
        for (const int64_t i : carry.before) std::memcpy(results[i].data + at, row, row_bytes);
        (*carry.loop)(row, x + at, row, stacking.inner, context);
        for (const int64_t i : carry.after) std::memcpy(results[i].data + at, row, row_bytes);
        if (absl::Status status = meter.Add(stacking.inner); !status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  absl::Status FoldLanes(const Carry& carry, const std::byte* x, const std::byte* init,
                         absl::Span<const MutableArrayRef> results,
                         EvaluationContext& context) const {
    constexpr int64_t kStep = 8;  // nanoseconds
    const auto body = [&](Blocks& lanes, EvaluationContext& own) {
      Meter meter(own);
      for (int64_t lane; lanes.NextElement(&lane);) {
        absl::Status status = FoldLane(carry, lane, x, init, results, meter, own);
        if (!status.ok()) return status;
      }
      return meter.Flush();
    };
    return ParallelFor(context, carry.stacking.count(), GrainFor(kStep * plan_.steps), body);
  }

  absl::Status FoldLane(const Carry& carry, int64_t lane, const std::byte* x, const std::byte* init,
                        absl::Span<const MutableArrayRef> results, Meter& meter,
                        EvaluationContext& context) const {
    const Stacking& stacking = carry.stacking;
    const int64_t bytes = StorageBytes(carry.type);
    const int64_t o = lane / stacking.inner, inner = lane % stacking.inner;
    const auto position = [&](int64_t n) { return stacking.Row(o, plan_.Position(n)) + inner; };
    const auto element_at = [&](int64_t n) { return x + position(n) * bytes; };
    LaneFold fold(carry.kind, carry.type, carry.loop, init + lane * bytes);
    const auto store = [&](int64_t i, int64_t at) {
      meter.set_result(results[i], i);
      return fold.Store(results[i].data, at, element_at, meter);
    };
    for (int64_t n = 0; n < plan_.steps; ++n) {
      const int64_t at = position(n);
      for (const int64_t i : carry.before) {
        if (absl::Status status = store(i, at); !status.ok()) return status;
      }
      fold.Add(x + at * bytes, context);
      for (const int64_t i : carry.after) {
        if (absl::Status status = store(i, at); !status.ok()) return status;
      }
      if (absl::Status status = meter.Add(2); !status.ok()) return status;
    }
    absl::Status status = store(carry.last, lane);
    return status.ok() ? meter.Add(1) : status;
  }

  const analysis::ScanPlan plan_;
  std::vector<Carry> carries_;
};

// The types and positions of the elements that a step takes and gives.
struct Part {
  ElementType type;
  bool is_scalar;
  Stacking stacking;
};

std::vector<Part> PartsOf(const Instruction& scan, const analysis::ScanPlan& plan) {
  std::vector<Part> parts;
  auto add = [&](const Shape& shape) {
    parts.push_back({shape.element_type(), shape.is_scalar(), Stacking::Of(shape, plan)});
  };
  for (const Instruction* parameter : scan.to_apply()->parameters()) add(parameter->shape());
  for (const Shape* result : Leaves(scan.to_apply()->root()->shape())) add(*result);
  return parts;
}

// Lanes one after the other, each over all steps. Scalars are the same in every lane.
class LaneScan : public Kernel {
 public:
  LaneScan(const Instruction& scan, Region step, const Stacking& lanes)
      : plan_(analysis::ScanPlan::Of(scan)),
        step_(std::move(step)),
        lanes_(lanes),
        parts_(PartsOf(scan, plan_)) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    // One thread writes the parts that are the same in every lane.
    bool apart = true;
    for (size_t k = plan_.inputs; k < parts_.size(); ++k) apart = apart && !parts_[k].is_scalar;
    const int64_t grain =
        apart ? GrainOf(step_, plan_.steps, lanes_.count()) : std::max<int64_t>(1, lanes_.count());
    return ParallelFor(context, lanes_.count(), grain, [&](Blocks& lanes, EvaluationContext& own) {
      Region step = step_;
      Meter meter(own);
      std::vector<Element> arguments(operands.size()), values(results.size());
      for (int64_t lane; lanes.NextElement(&lane);) {
        absl::Status status = RunLane(lane, operands, results, step, arguments, values, meter, own);
        if (!status.ok()) return status;
      }
      return meter.Flush();
    });
  }

 private:
  // `arguments` and `values` are room for those of a step.
  absl::Status RunLane(int64_t lane, absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Region& step,
                       std::vector<Element>& arguments, std::vector<Element>& values, Meter& meter,
                       EvaluationContext& context) const {
    const absl::Span<const Part> given(parts_.data() + operands.size(), results.size());
    const int64_t o = lane / lanes_.inner, inner = lane % lanes_.inner;
    for (size_t k = plan_.inputs; k < operands.size(); ++k) {
      arguments[k] = LoadElement(parts_[k].type, operands[k].data, parts_[k].is_scalar ? 0 : lane);
    }
    for (int64_t n = 0; n < plan_.steps; ++n) {
      const int64_t t = plan_.Position(n), at = lanes_.Row(o, t) + inner;
      for (int64_t k = 0; k < plan_.inputs; ++k) {
        arguments[k] = LoadElement(parts_[k].type, operands[k].data, parts_[k].is_scalar ? t : at);
      }
      absl::Status status = step.Run(arguments, absl::MakeSpan(values), context);
      if (status.ok()) status = meter.Add(1);
      if (!status.ok()) return status;
      for (int64_t k = 0; k < plan_.outputs; ++k) {
        StoreElement(given[k].type, values[k], results[k].data, given[k].is_scalar ? t : at);
      }
      std::copy(values.begin() + plan_.outputs, values.end(), arguments.begin() + plan_.inputs);
    }
    for (int64_t k = 0; k < plan_.carries; ++k) {
      const Part& part = parts_[plan_.inputs + k];
      StoreElement(part.type, arguments[plan_.inputs + k], results[plan_.outputs + k].data,
                   part.is_scalar ? 0 : lane);
    }
    return absl::OkStatus();
  }

  const analysis::ScanPlan plan_;
  const Region step_;
  const Stacking lanes_;
  const std::vector<Part> parts_;
};

class CalledScan : public Kernel {
 public:
  explicit CalledScan(const Instruction& scan)
      : scan_(scan), plan_(analysis::ScanPlan::Of(scan)), parts_(PartsOf(scan, plan_)) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (plan_.steps == 0) {  // what a step takes need not fit then
      for (int64_t k = 0; k < plan_.carries; ++k) {
        Copy(k, operands[plan_.inputs + k].data, results[plan_.outputs + k].data);
      }
      return absl::OkStatus();
    }
    int64_t bytes = 0;  // of what a step takes and gives
    for (const Part& part : parts_) bytes += part.stacking.count() * StorageBytes(part.type);
    runtime::ScratchLease lease(context);
    if (absl::Status counted = lease.Add(bytes); !counted.ok()) return counted;
    std::vector<Literal> arguments;
    for (const Instruction* parameter : scan_.to_apply()->parameters()) {
      arguments.push_back(Literal::Zeros(parameter->shape()));
    }
    for (int64_t k = 0; k < plan_.carries; ++k) {
      Copy(k, operands[plan_.inputs + k].data, arguments[plan_.inputs + k].mutable_data());
    }
    for (int64_t n = 0; n < plan_.steps; ++n) {
      const int64_t t = plan_.Position(n);
      for (int64_t k = 0; k < plan_.inputs; ++k) {
        parts_[k].stacking.Take(operands[k].data, t, StorageBytes(parts_[k].type),
                                arguments[k].mutable_data());
      }
      // A step may take long.
      if (absl::Status status = context.ChargeCostly(1); !status.ok()) return status;
      absl::StatusOr<std::vector<Literal>> values = CallOut(*scan_.to_apply(), arguments, context);
      if (!values.ok()) return values.status();
      for (int64_t k = 0; k < plan_.outputs; ++k) {
        const Part& part = parts_[arguments.size() + k];
        part.stacking.Put((*values)[k].data(), t, StorageBytes(part.type), results[k].data);
      }
      std::move(values->begin() + plan_.outputs, values->end(), arguments.begin() + plan_.inputs);
    }
    for (int64_t k = 0; k < plan_.carries; ++k) {
      Copy(k, arguments[plan_.inputs + k].data(), results[plan_.outputs + k].data);
    }
    return absl::OkStatus();
  }

 private:
  // The whole of carry k.
  void Copy(int64_t k, const std::byte* from, std::byte* to) const {
    const Part& part = parts_[plan_.inputs + k];
    const int64_t size = part.stacking.count() * StorageBytes(part.type);
    if (size > 0) std::memcpy(to, from, size);
  }

  const Instruction& scan_;
  const analysis::ScanPlan plan_;
  const std::vector<Part> parts_;
};

// A step some of whose carries are folds: all of it as written, then the folds in their places.
class MixedScan : public Kernel {
 public:
  MixedScan(std::unique_ptr<Kernel> as_written, const Instruction& scan,
            const analysis::ScanFolds& folds)
      : as_written_(std::move(as_written)), folds_(scan, folds) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    absl::Status status = as_written_->Run(operands, results, context);
    return status.ok() ? folds_.Run(operands, results, context) : status;
  }

 private:
  std::unique_ptr<Kernel> as_written_;
  FoldScan folds_;
};

KernelOrNull PrepareAsWritten(const Instruction& instruction, const analysis::ScanPlan& plan) {
  const Computation& step = *instruction.to_apply();
  Shape lane(ElementType::kPred, {});
  for (const Instruction* parameter : step.parameters()) {
    if (!parameter->shape().is_scalar()) lane = parameter->shape();
  }
  const Stacking lanes = Stacking::Of(lane, plan);
  absl::StatusOr<Region> region = Region::Prepare(step, lane.dimensions());
  if (!region.ok()) return region.status();
  if (region->program() == nullptr || lanes.count() == 0) {
    return std::make_unique<CalledScan>(instruction);
  }
  return std::make_unique<LaneScan>(instruction, *std::move(region), lanes);
}

}  // namespace

KernelOrNull PrepareScan(const Instruction& instruction) {
  const analysis::ScanPlan plan = analysis::ScanPlan::Of(instruction);
  const analysis::ScanFolds folds = analysis::RecogniseScan(*instruction.to_apply(), plan.carries);
  if (folds.all()) return std::make_unique<FoldScan>(instruction, folds);
  KernelOrNull as_written = PrepareAsWritten(instruction, plan);
  if (!as_written.ok() || *as_written == nullptr || !folds.any()) return as_written;
  return std::make_unique<MixedScan>(*std::move(as_written), instruction, folds);
}

}  // namespace assay::evaluator::kernels
