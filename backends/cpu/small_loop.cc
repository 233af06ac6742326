// while loops whose condition and body are elementwise on scalars and arrays of one small size: the
// state stays in two sets of buffers, condition and body are block programs from one to the other,
// and an iteration is a list of calls at fixed addresses. Scalars are kept once for each element.
// Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/vector/block_program.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

// Larger arrays cost more than the calls of their kernels.
constexpr int64_t kMostElements = 256;
// Whole vectors take less time than the elements left over.
constexpr int64_t kMultiple = 8;

class SmallLoop : public Kernel {
 public:
  SmallLoop(const Instruction& loop, int64_t elements, std::unique_ptr<BlockProgram> condition,
            std::unique_ptr<BlockProgram> body)
      : elements_(elements),
        padded_((elements + kMultiple - 1) / kMultiple * kMultiple),
        condition_(std::move(condition)),
        body_(std::move(body)) {
    for (const Shape* leaf : Leaves(loop.shape())) {
      state_.push_back({StorageBytes(leaf->element_type()), leaf->is_scalar()});
      buffer_bytes_ += Workspace::Rounded(padded_ * state_.back().bytes);
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t bytes = 2 * buffer_bytes_ + Workspace::Rounded(padded_) +
                          Workspace::Rounded(condition_->scratch_bytes()) +
                          Workspace::Rounded(body_->scratch_bytes());
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(bytes); !status.ok()) return status;
    Workspace space(bytes);
    std::vector<std::byte*> state[2];
    std::vector<const std::byte*> inputs[2];
    for (int side = 0; side < 2; ++side) {
      for (const Leaf& leaf : state_) {
        state[side].push_back(space.Take(padded_ * leaf.bytes));
        inputs[side].push_back(state[side].back());
      }
    }
    std::byte* const goes_on = space.Take(padded_);
    std::byte* const condition_scratch = space.Take(condition_->scratch_bytes());
    std::byte* const body_scratch = space.Take(body_->scratch_bytes());
    for (size_t i = 0; i < state_.size(); ++i) Spread(state_[i], operands[i].data, state[0][i]);
    condition_->Start(inputs[0], padded_, condition_scratch);
    body_->Start(inputs[0], padded_, body_scratch);
    std::vector<BlockProgram::Call> conditions[2], bodies[2];
    for (int side = 0; side < 2; ++side) {
      conditions[side] = condition_->Calls(inputs[side], {&goes_on, 1}, padded_, condition_scratch);
      bodies[side] = body_->Calls(inputs[side], state[1 - side], padded_, body_scratch);
    }
    const auto steps = static_cast<int64_t>(conditions[0].size() + elements_ * bodies[0].size());
    runtime::Meter meter(context);
    int side = 0;
    while (true) {
      for (const BlockProgram::Call& call : conditions[side]) call();
      if ((goes_on[0] & std::byte{1}) == std::byte{0}) break;
      for (const BlockProgram::Call& call : bodies[side]) call();
      side = 1 - side;
      if (absl::Status status = meter.Add(steps + 1); !status.ok()) return status;
    }
    for (size_t i = 0; i < state_.size(); ++i) {
      const int64_t count = state_[i].is_scalar ? 1 : elements_;
      std::memcpy(results[i].data, state[side][i], count * state_[i].bytes);
    }
    return meter.Flush();
  }

 private:
  struct Leaf {
    int64_t bytes;  // of an element
    bool is_scalar;
  };

  // The elements, and the first one again behind them.
  void Spread(const Leaf& leaf, const std::byte* from, std::byte* to) const {
    const int64_t count = leaf.is_scalar ? 1 : elements_;
    FillCells(from, leaf.bytes, padded_, to);
    std::memcpy(to, from, count * leaf.bytes);
  }

  const int64_t elements_, padded_;
  const std::unique_ptr<BlockProgram> condition_, body_;
  std::vector<Leaf> state_;
  int64_t buffer_bytes_ = 0;
};

}  // namespace

KernelOr PrepareSmallLoop(const Instruction& loop) {
  Dimensions lanes;
  int64_t elements = 1;
  for (const Shape* leaf : Leaves(loop.shape())) {
    if (leaf->is_scalar()) continue;
    const absl::Span<const int64_t> sizes = leaf->dimensions();
    if (!lanes.empty() && absl::MakeConstSpan(lanes) != sizes) return nullptr;
    lanes.assign(sizes.begin(), sizes.end());
    elements = leaf->element_count();
  }
  if (elements == 0 || elements > kMostElements) return nullptr;
  auto condition = BlockProgram::Create(*loop.GetComputation(Attr::kCondition), lanes);
  if (!condition.ok()) return nullptr;
  auto body = BlockProgram::Create(*loop.GetComputation(Attr::kBody), lanes);
  if (!body.ok()) return nullptr;
  if (std::min((*condition)->block_elements(), (*body)->block_elements()) < 2 * kMostElements) {
    return nullptr;
  }
  return std::make_unique<SmallLoop>(loop, elements, *std::move(condition), *std::move(body));
}

}  // namespace assay::cpu
