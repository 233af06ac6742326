// while loops whose condition and body are elementwise on scalars and arrays of one size.
//
// Where the second tier has instructions for all of it (vector/native/), some elements at a time
// run the whole loop in registers, and the scalars with them: elements do not depend on each other,
// and the condition on scalars alone. Else the state of a loop on few elements stays in two sets of
// buffers, condition and body are block programs from one to the other, and an iteration is a list
// of calls at fixed addresses. Scalars are kept once for each element. Tests: kernels_test.cc.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/vector/block_program.h"
#include "backends/cpu/vector/native/loop_program.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

// Larger arrays cost more than the calls of their kernels.
constexpr int64_t kMostElements = 256;
// Whole vectors take less time than the elements left over.
constexpr int64_t kMultiple = 16;

class SmallLoop : public Kernel {
 public:
  SmallLoop(const Instruction& loop, int64_t elements, std::unique_ptr<BlockProgram> condition,
            std::unique_ptr<BlockProgram> body)
      : elements_(elements),
        padded_((std::min(elements, kMostElements) + kMultiple - 1) / kMultiple * kMultiple),
        condition_(std::move(condition)),
        body_(std::move(body)) {
    std::vector<int64_t> leaf_bytes;
    for (const Shape* leaf : Leaves(loop.shape())) {
      state_.push_back({StorageBytes(leaf->element_type()), leaf->is_scalar()});
      leaf_bytes.push_back(state_.back().bytes);
      buffer_bytes_ += Workspace::Rounded(padded_ * state_.back().bytes);
    }
    joined_ = JoinLoop(*condition_, *body_, leaf_bytes);
  }

  // Compiles the loop, if it can be. Returns true if it is compiled.
  bool Compile() const {
    std::call_once(once_, [this] {
      if (!joined_.has_value()) return;
      const LaneLoop& loop = joined_->loop;
      native_ = CompileLoop(loop, elements_ > VectorElements(loop.code) ? 2 : 1);
    });
    return native_ != nullptr;
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const bool at_once = elements_ > kMostElements || tier_ == Tier::kNative;
    if (at_once && Compile()) return RunCompiled(operands, results, context);
    // Compiling takes as long as some iterations.
    const int64_t most = joined_.has_value() ? kIterationsThatPay : INT64_MAX;
    bool ended = false;
    absl::Status status = RunBlocks(operands, results, most, context, &ended);
    if (!status.ok() || ended) return status;
    std::vector<ArrayRef> reached;
    for (const MutableArrayRef& result : results) reached.push_back({result.shape, result.data});
    if (Compile()) return RunCompiled(reached, results, context);
    return RunBlocks(reached, results, INT64_MAX, context, &ended);
  }

 private:
  static constexpr int64_t kIterationsThatPay = 200;
  // Calls of compiled code end after so many iterations, to look at the budget.
  static constexpr int64_t kIterationsOfCall = 1 << 12;
  static constexpr int64_t kMostOfCall = 32;  // elements

  struct Leaf {
    int64_t bytes;  // of an element
    bool is_scalar;
  };

  // Iterations by the kernels, at most `most`; the state goes to `results`, which may be the
  // operands.
  absl::Status RunBlocks(absl::Span<const ArrayRef> operands,
                         absl::Span<const MutableArrayRef> results, int64_t most, Context& context,
                         bool* ended) const {
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
    for (size_t i = 0; i < state_.size(); ++i) {
      Spread(state_[i], operands[i].data, elements_, padded_, state[0][i]);
    }
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
    for (int64_t i = 0;; ++i) {
      for (const BlockProgram::Call& call : conditions[side]) call();
      *ended = (goes_on[0] & std::byte{1}) == std::byte{0};
      if (*ended || i >= most) break;
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

  // The loop by compiled code, in the arrays of the results.
  absl::Status RunCompiled(absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results, Context& context) const {
    const int64_t bytes = Workspace::Rounded(condition_->scratch_bytes()) +
                          Workspace::Rounded(body_->scratch_bytes());
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(bytes); !status.ok()) return status;
    Workspace space(bytes);
    std::byte* const condition_scratch = space.Take(condition_->scratch_bytes());
    std::byte* const body_scratch = space.Take(body_->scratch_bytes());
    condition_->Start({}, kMostOfCall, condition_scratch);
    body_->Start({}, kMostOfCall, body_scratch);
    std::vector<const std::byte*> uniforms;
    for (const LoopProgram::Uniform& uniform : joined_->uniforms) {
      uniforms.push_back(uniform.of_body
                             ? body_->ScratchAddress(uniform.place, body_scratch)
                             : condition_->ScratchAddress(uniform.place, condition_scratch));
    }
    std::vector<std::array<std::byte, 16>> scalars(state_.size());
    for (size_t i = 0; i < state_.size(); ++i) {
      if (state_[i].is_scalar) {
        std::memcpy(scalars[i].data(), operands[i].data, state_[i].bytes);
      } else if (results[i].data != operands[i].data) {
        std::memcpy(results[i].data, operands[i].data, elements_ * state_[i].bytes);
      }
    }
    const int64_t width = native_->elements();
    const int64_t chunks = (elements_ + width - 1) / width;
    auto run = [&](runtime::Blocks& blocks, Context& own) {
      runtime::Meter meter(own);
      while (blocks.Next()) {
        for (int64_t chunk = blocks.first(); chunk < blocks.first() + blocks.count(); ++chunk) {
          absl::Status status = RunChunk(scalars, uniforms, chunk * width, results, meter);
          if (!status.ok()) return status;
        }
      }
      return meter.Flush();
    };
    return runtime::ParallelFor(context, chunks, kChunksOfBlock, run);
  }

  // Elements [first, first + width), or as many as there are.
  absl::Status RunChunk(const std::vector<std::array<std::byte, 16>>& scalars,
                        const std::vector<const std::byte*>& uniforms, int64_t first,
                        absl::Span<const MutableArrayRef> results, runtime::Meter& meter) const {
    const int64_t width = native_->elements();
    const int64_t count = std::min(width, elements_ - first);
    // Of scalars, and of arrays whose last elements are no whole vectors.
    struct alignas(64) Room {
      std::byte bytes[kMostOfCall * 8];
    };
    absl::InlinedVector<Room, 8> rooms(state_.size());
    absl::InlinedVector<const std::byte*, 16> arrays;
    for (size_t i = 0; i < state_.size(); ++i) {
      const Leaf& leaf = state_[i];
      std::byte* const array = results[i].data + first * leaf.bytes;
      if (!leaf.is_scalar && count == width) {
        arrays.push_back(array);
        continue;
      }
      Spread(leaf, leaf.is_scalar ? scalars[i].data() : array, count, width, rooms[i].bytes);
      arrays.push_back(rooms[i].bytes);
    }
    arrays.insert(arrays.end(), uniforms.begin(), uniforms.end());
    for (int64_t done = kIterationsOfCall; done == kIterationsOfCall;) {
      done = native_->Call(arrays.data(), kIterationsOfCall);
      absl::Status status = meter.Add(done * (joined_->steps * count + 1));
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < state_.size(); ++i) {
      const Leaf& leaf = state_[i];
      if (leaf.is_scalar) {
        // The same from every part; one writes it.
        if (first == 0) std::memcpy(results[i].data, rooms[i].bytes, leaf.bytes);
      } else if (count < width) {
        std::memcpy(results[i].data + first * leaf.bytes, rooms[i].bytes, count * leaf.bytes);
      }
    }
    return absl::OkStatus();
  }

  static constexpr int64_t kChunksOfBlock = 64;

  // The elements, and the first one again behind them.
  static void Spread(const Leaf& leaf, const std::byte* from, int64_t elements, int64_t padded,
                     std::byte* to) {
    const int64_t count = leaf.is_scalar ? 1 : elements;
    FillCells(from, leaf.bytes, padded, to);
    std::memcpy(to, from, count * leaf.bytes);
  }

  const int64_t elements_, padded_;
  const Tier tier_ = ChosenTier();
  const std::unique_ptr<BlockProgram> condition_, body_;
  std::vector<Leaf> state_;
  int64_t buffer_bytes_ = 0;
  std::optional<LoopProgram> joined_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const NativeCode> native_;
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
  if (elements == 0) return nullptr;
  auto condition = BlockProgram::Create(*loop.GetComputation(Attr::kCondition), lanes);
  if (!condition.ok()) return nullptr;
  auto body = BlockProgram::Create(*loop.GetComputation(Attr::kBody), lanes);
  if (!body.ok()) return nullptr;
  if (std::min((*condition)->block_elements(), (*body)->block_elements()) < 2 * kMostElements) {
    return nullptr;
  }
  auto kernel =
      std::make_unique<SmallLoop>(loop, elements, *std::move(condition), *std::move(body));
  // The kernels would go through memory for every operation of an iteration.
  if (elements > kMostElements && !kernel->Compile()) return nullptr;
  return kernel;
}

}  // namespace assay::cpu
