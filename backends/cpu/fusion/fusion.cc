#include "backends/cpu/fusion/fusion.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "backends/cpu/fusion/fused_program.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/view_reader.h"

namespace assay::cpu {
namespace {

using runtime::ArrayRef;
using runtime::Context;
using runtime::MutableArrayRef;

class FusionKernel : public runtime::Kernel {
 public:
  explicit FusionKernel(FusedProgram fused) : fused_(std::move(fused)) {
    for (const FusedProgram::Input& input : fused_.inputs) {
      readers_.emplace_back(input.view, input.element_bytes);
      direct_ = direct_ && (input.uniform || readers_.back().direct());
      room_bytes_ += RoomBytes(input);
    }
    room_bytes_ += fused_.program->scratch_bytes() + kAlignment;
    FindInPlaceOperand();
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    std::vector<ArrayRef> sources(operands.begin(), operands.end());
    for (const Literal& literal : fused_.literals) {
      sources.push_back({&literal.shape(), literal.data()});
    }
    return runtime::ParallelFor(context, fused_.count, runtime::GrainFor(fused_.cost),
                                [&](runtime::Blocks& blocks, Context& context) {
                                  return RunBlocks(sources, results, blocks, context);
                                });
  }

  int in_place_operand() const override { return in_place_; }

 private:
  static constexpr int64_t kAlignment = 64;

  int64_t Rounded(int64_t bytes) const {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  int64_t RoomBytes(const FusedProgram::Input& input) const {
    return Rounded(input.uniform ? 16 : input.element_bytes * fused_.program->block_elements());
  }

  // A dense operand that nothing else reads, if the only output has elements of its size.
  void FindInPlaceOperand() {
    if (fused_.output_bytes.size() != 1) return;
    for (const FusedProgram::Input& input : fused_.inputs) {
      if (input.uniform || !input.view.is_dense() ||
          input.element_bytes != fused_.output_bytes[0]) {
        continue;
      }
      const int64_t source = input.view.pieces()[0].source;
      int64_t readers = 0;
      for (const FusedProgram::Input& other : fused_.inputs) {
        for (const ViewPiece& piece : other.view.pieces()) readers += piece.source == source;
      }
      if (readers != 1) continue;
      in_place_ = static_cast<int>(source);
      return;
    }
  }

  absl::Status RunBlocks(absl::Span<const ArrayRef> sources,
                         absl::Span<const MutableArrayRef> results, runtime::Blocks& blocks,
                         Context& context) const {
    const BlockProgram& program = *fused_.program;
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(room_bytes_);
    if (!status.ok()) return status;
    runtime::Scratch<std::byte, 1> storage(room_bytes_);
    std::byte* room = storage.data();
    room += (kAlignment - reinterpret_cast<uintptr_t>(room) % kAlignment) % kAlignment;
    std::byte* scratch = room;
    room += Rounded(program.scratch_bytes());
    std::vector<std::byte*> rooms;
    std::vector<const std::byte*> inputs(readers_.size());
    for (size_t k = 0; k < readers_.size(); ++k) {
      rooms.push_back(room);
      room += RoomBytes(fused_.inputs[k]);
      if (!fused_.inputs[k].uniform) continue;
      inputs[k] = readers_[k].Block(sources, 0, 1, fused_.inputs[k].element_bytes, rooms[k]);
    }
    std::vector<std::byte*> outputs(results.size());
    program.Start(inputs, fused_.count, scratch);
    // Arrays that lie as they are read go through the program by themselves.
    const int64_t step = direct_ ? INT64_MAX : program.block_elements();
    while (blocks.Next()) {
      status = context.Charge(blocks.count() * std::max<int64_t>(1, fused_.cost));
      if (!status.ok()) return status;
      const int64_t end = blocks.first() + blocks.count();
      for (int64_t first = blocks.first(), n = 0; first < end; first += n) {
        n = std::min(step, end - first);
        for (size_t k = 0; k < readers_.size(); ++k) {
          if (fused_.inputs[k].uniform) continue;
          inputs[k] =
              readers_[k].Block(sources, first, n, fused_.inputs[k].element_bytes, rooms[k]);
        }
        for (size_t j = 0; j < results.size(); ++j) {
          outputs[j] = results[j].data + first * fused_.output_bytes[j];
        }
        program.Continue(inputs, absl::MakeSpan(outputs), n, scratch);
      }
    }
    return absl::OkStatus();
  }

  const FusedProgram fused_;
  std::vector<runtime::ViewReader> readers_;
  bool direct_ = true;
  int64_t room_bytes_ = 0;
  int in_place_ = -1;
};

}  // namespace

runtime::KernelOr PrepareFusion(const Instruction& fusion) {
  const Computation* computation = fusion.GetComputation(Attr::kCalls);
  // Operands beyond the parameters would number the sources otherwise.
  if (static_cast<int64_t>(computation->parameters().size()) != fusion.operand_count()) {
    return nullptr;
  }
  absl::StatusOr<FusedProgram> fused = FuseComputation(*computation);
  if (absl::IsUnimplemented(fused.status())) return nullptr;
  if (!fused.ok()) return fused.status();
  return std::make_unique<FusionKernel>(*std::move(fused));
}

}  // namespace assay::cpu
