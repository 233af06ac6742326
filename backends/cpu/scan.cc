// scan: carries that are folds of one input by a known operation (analysis::RecogniseScan) run lane
// by lane or on blocks of lanes, with wide accumulators; all other carries and outputs run the step
// as written, on blocks of lanes where it is elementwise, else by the runtime.
// Source: reference ops_structural.md 6.1. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/lanes.h"
#include "backends/cpu/running_line.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/strided_copy.h"
#include "spec/analysis/scan_plan.h"

namespace assay::cpu {
namespace {

class ScanKernel : public Kernel {
 public:
  static KernelOr Create(const Instruction& scan) {
    auto kernel = std::make_unique<ScanKernel>(scan);
    for (int64_t c = 0; c < kernel->plan_.carries; ++c) {
      const analysis::Reducer& reducer = kernel->folds_.carries[c].reducer;
      kernel->carry_folds_.emplace_back();
      if (reducer.kind == analysis::ReducerKind::kOther) continue;
      const ElementType type = kernel->CarryShape(c).element_type();
      auto fold = Fold::OfReducer(reducer, type);
      if (!fold.ok()) return fold.status();
      kernel->carry_folds_.back() = *std::move(fold);
    }
    return kernel;
  }

  explicit ScanKernel(const Instruction& scan)
      : plan_(analysis::ScanPlan::Of(scan)),
        step_(*scan.to_apply()),
        folds_(analysis::RecogniseScan(step_, plan_.carries)),
        leaves_(Leaves(scan.shape())) {
    folds_.carries.resize(plan_.carries);
    folds_.outputs.resize(plan_.outputs);
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    for (int64_t c = 0; c < plan_.carries; ++c) {
      if (carry_folds_[c] == nullptr) continue;
      absl::Status status = FoldCarry(c, operands, results, context);
      if (!status.ok()) return status;
    }
    return folds_.all() ? absl::OkStatus() : RunWritten(operands, results, context);
  }

 private:
  const Shape& CarryShape(int64_t c) const { return *leaves_[plan_.outputs + c]; }
  // The outputs that are a carry before or after each step.
  std::vector<int64_t> OutputsOf(int64_t carry) const {
    std::vector<int64_t> outputs;
    for (int64_t y = 0; y < plan_.outputs; ++y) {
      if (folds_.outputs[y].carry == carry) outputs.push_back(y);
    }
    return outputs;
  }

  absl::Status FoldCarry(int64_t c, absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, Context& context) const {
    const ArrayRef& input = operands[folds_.carries[c].input];
    const Lanes lanes(*input.shape, plan_.dimension);
    const RunningFunction line =
        FindRunningFunction(folds_.carries[c].reducer.kind, CarryShape(c).element_type());
    const bool by_lane = line != nullptr && (lanes.inner < 16 || lanes.lines() < 64);
    const int64_t grain = by_lane ? runtime::GrainFor(2 * plan_.steps)
                                  : std::min(kBlockElements, runtime::GrainFor(plan_.steps) + 63);
    return runtime::ParallelFor(
        context, lanes.lines(), grain, [&](runtime::Blocks& blocks, Context& context) {
          while (blocks.Next()) {
            absl::Status status =
                by_lane ? FoldLanes(c, line, operands, results, lanes, blocks, context)
                        : FoldBlock(c, operands, results, lanes, blocks.first(), blocks.count(),
                                    context);
            if (!status.ok()) return status;
          }
          return absl::OkStatus();
        });
  }

  // Lane after lane, in one pass for each output.
  absl::Status FoldLanes(int64_t c, RunningFunction function, absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, const Lanes& lanes,
                         const runtime::Blocks& blocks, Context& context) const {
    std::vector<int64_t> outputs = OutputsOf(c);
    if (outputs.empty()) outputs.push_back(-1);
    for (int64_t lane = blocks.first(); lane < blocks.first() + blocks.count(); ++lane) {
      for (const int64_t y : outputs) {
        RunningLine line;
        line.in = operands[folds_.carries[c].input].data;
        line.out = y < 0 ? nullptr : results[y].data;
        line.init = operands[plan_.inputs + c].data + lane * lanes.bytes;
        line.carry = results[plan_.outputs + c].data + lane * lanes.bytes;
        line.steps = plan_.steps;
        line.first = plan_.steps == 0 ? 0 : lanes.At(lane, plan_.Position(0));
        line.stride = plan_.reverse ? -lanes.inner : lanes.inner;
        line.after = y >= 0 && folds_.outputs[y].after;
        absl::Status status = context.Charge(plan_.steps);
        if (!status.ok()) return status;
        function(line);
      }
    }
    return absl::OkStatus();
  }

  // Step after step, a block of lanes at a time.
  absl::Status FoldBlock(int64_t c, absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, const Lanes& lanes,
                         int64_t first, int64_t n, Context& context) const {
    const Fold& fold = *carry_folds_[c];
    const std::vector<int64_t> outputs = OutputsOf(c);
    Workspace space(4 * kBlockElements * kCellBytes + Workspace::Rounded(fold.scratch_bytes()));
    std::byte* acc = space.Take(kBlockElements * kCellBytes);
    std::byte* load = space.Take(kBlockElements * kCellBytes);
    std::byte* wide = space.Take(kBlockElements * kCellBytes);
    std::byte* narrow = space.Take(kBlockElements * kCellBytes);
    std::byte* scratch = space.Take(fold.scratch_bytes());
    const std::byte* inits = operands[plan_.inputs + c].data + first * lanes.bytes;
    std::memcpy(acc, fold.WidenInit(0, inits, n, wide), n * fold.acc_bytes(0));
    const std::byte* input = operands[folds_.carries[c].input].data;
    const auto write = [&](int64_t position, bool after) {
      for (const int64_t y : outputs) {
        if (folds_.outputs[y].after != after) continue;
        fold.Narrow(0, acc, n, narrow);
        lanes.Write(narrow, first, n, position, results[y].data);
      }
    };
    for (int64_t step = 0; step < plan_.steps; ++step) {
      const int64_t position = plan_.Position(step);
      write(position, false);
      lanes.Read(input, first, n, position, load);
      const std::byte* x = fold.Widen(0, load, n, wide);
      absl::Status status = context.Charge(n);
      if (status.ok()) {
        status = fold.Combine(absl::MakeConstSpan(&acc, 1), absl::MakeConstSpan(&x, 1), n, scratch,
                              context);
      }
      if (!status.ok()) return status;
      if (ASSAY_DEFECT(28, true, step > 0)) write(position, true);
    }
    fold.Narrow(0, acc, n, results[plan_.outputs + c].data + first * lanes.bytes);
    return absl::OkStatus();
  }

  // The step as written, by whoever runs computations; what is folded above is left alone.
  absl::Status RunWritten(absl::Span<const ArrayRef> operands,
                          absl::Span<const MutableArrayRef> results, Context& context) const;
  absl::Status RunCalls(absl::Span<const ArrayRef> operands,
                        absl::Span<const MutableArrayRef> results, Context& context) const;
  absl::Status RunProgram(const BlockProgram& program, absl::Span<const ArrayRef> operands,
                          absl::Span<const MutableArrayRef> results, Context& context) const;

  const analysis::ScanPlan plan_;
  const Computation& step_;
  analysis::ScanFolds folds_;
  const std::vector<const Shape*> leaves_;
  std::vector<std::shared_ptr<const Fold>> carry_folds_;  // by carry; null: as written
};

absl::Status ScanKernel::RunWritten(absl::Span<const ArrayRef> operands,
                                    absl::Span<const MutableArrayRef> results,
                                    Context& context) const {
  auto program = BlockProgram::Create(step_);
  return program.ok() ? RunProgram(**program, operands, results, context)
                      : RunCalls(operands, results, context);
}

// A step on scalars: one lane, one element after the other.
absl::Status ScanKernel::RunProgram(const BlockProgram& program,
                                    absl::Span<const ArrayRef> operands,
                                    absl::Span<const MutableArrayRef> results,
                                    Context& context) const {
  const int64_t outputs = plan_.outputs, carries = plan_.carries;
  const Region region(step_);
  Workspace space(program.scratch_bytes());
  // Carries as they are and as the step makes them, 16 bytes each.
  std::vector<Element> state(carries), next(carries), made(outputs);
  std::vector<const std::byte*> inputs(operands.size());
  std::vector<std::byte*> values;
  for (int64_t c = 0; c < carries; ++c) {
    std::memcpy(&state[c], operands[plan_.inputs + c].data,
                StorageBytes(CarryShape(c).element_type()));
    inputs[plan_.inputs + c] = reinterpret_cast<const std::byte*>(&state[c]);
  }
  for (Element& value : made) values.push_back(reinterpret_cast<std::byte*>(&value));
  for (Element& value : next) values.push_back(reinterpret_cast<std::byte*>(&value));
  for (int64_t step = 0; step < plan_.steps; ++step) {
    const int64_t position = plan_.Position(step);
    for (int64_t x = 0; x < plan_.inputs; ++x) {
      inputs[x] = operands[x].data + position * StorageBytes(operands[x].shape->element_type());
    }
    if (absl::Status status = context.Charge(region.cost()); !status.ok()) return status;
    program.Run(inputs, values, 1, space.data());
    for (int64_t y = 0; y < outputs; ++y) {
      if (folds_.outputs[y].carry >= 0) continue;
      const int64_t bytes = StorageBytes(leaves_[y]->element_type());
      std::memcpy(results[y].data + position * bytes, values[y], bytes);
    }
    std::copy(next.begin(), next.end(), state.begin());
  }
  for (int64_t c = 0; c < carries; ++c) {
    if (carry_folds_[c] != nullptr) continue;
    std::memcpy(results[outputs + c].data, &state[c], StorageBytes(CarryShape(c).element_type()));
  }
  return absl::OkStatus();
}

absl::Status ScanKernel::RunCalls(absl::Span<const ArrayRef> operands,
                                  absl::Span<const MutableArrayRef> results,
                                  Context& context) const {
  if (context.caller == nullptr) {
    return absl::InternalError("a region that is not flat has no caller that runs it");
  }
  runtime::ScratchLease lease(context);
  std::vector<Literal> carries;
  const auto literal_of = [&](const Shape& shape) -> absl::StatusOr<Literal> {
    const absl::StatusOr<int64_t> bytes = shape.ByteSize();
    if (!bytes.ok()) return bytes.status();
    if (absl::Status status = lease.Add(*bytes); !status.ok()) return status;
    return Literal::Create(shape);
  };
  for (int64_t c = 0; c < plan_.carries; ++c) {
    absl::StatusOr<Literal> carry = literal_of(CarryShape(c));
    if (!carry.ok()) return carry.status();
    std::memcpy(carry->mutable_data(), operands[plan_.inputs + c].data, carry->byte_size());
    carries.push_back(*std::move(carry));
  }
  const std::vector<Instruction*> parameters = step_.parameters();
  for (int64_t step = 0; step < plan_.steps; ++step) {
    const int64_t position = plan_.Position(step);
    runtime::ScratchLease inputs_lease(context);
    std::vector<Literal> arguments;
    for (int64_t x = 0; x < plan_.inputs; ++x) {
      const Lanes lanes(*operands[x].shape, plan_.dimension);
      if (absl::Status status = inputs_lease.Add(lanes.lines() * lanes.bytes); !status.ok()) {
        return status;
      }
      absl::StatusOr<Literal> slice = Literal::Create(parameters[x]->shape());
      if (!slice.ok()) return slice.status();
      if (lanes.lines() > 0) {
        lanes.Read(operands[x].data, 0, lanes.lines(), position, slice->mutable_data());
      }
      arguments.push_back(*std::move(slice));
    }
    arguments.insert(arguments.end(), carries.begin(), carries.end());
    absl::StatusOr<Literal> value = context.caller->Call(step_, arguments);
    if (!value.ok()) return value.status();
    const std::vector<Literal> made = Flatten(*value);
    for (int64_t y = 0; y < plan_.outputs; ++y) {
      const Lanes lanes(*leaves_[y], plan_.dimension);
      if (folds_.outputs[y].carry >= 0 || lanes.lines() == 0) continue;
      lanes.Write(made[y].data(), 0, lanes.lines(), position, results[y].data);
    }
    carries.assign(made.begin() + plan_.outputs, made.end());
  }
  for (int64_t c = 0; c < plan_.carries; ++c) {
    if (carry_folds_[c] != nullptr || carries[c].byte_size() == 0) continue;
    std::memcpy(results[plan_.outputs + c].data, carries[c].data(), carries[c].byte_size());
  }
  return absl::OkStatus();
}

}  // namespace

KernelOr PrepareScan(const Instruction& scan) { return ScanKernel::Create(scan); }

}  // namespace assay::cpu
