#include "backends/cpu/fusion/fusion.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "backends/cpu/fusion/fused_program.h"
#include "backends/cpu/fusion/fused_reader.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

using runtime::ArrayRef;
using runtime::Context;
using runtime::MutableArrayRef;

class FusionKernel : public runtime::Kernel {
 public:
  explicit FusionKernel(FusedProgram fused) : reader_(std::move(fused)) { FindInPlaceOperand(); }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const FusedReader::SourceList sources = reader_.Sources(operands);
    return runtime::ParallelFor(context, reader_.fused().count,
                                runtime::GrainFor(reader_.fused().cost),
                                [&](runtime::Blocks& blocks, Context& context) {
                                  return RunBlocks(sources, results, blocks, context);
                                });
  }

  int in_place_operand() const override { return in_place_; }

 private:
  static constexpr int64_t kAlignment = 64;

  // A dense operand that nothing else reads, if the only output has elements of its size. Sources
  // from literal_source on are constants and iotas of the program, which no step owns.
  void FindInPlaceOperand() {
    const FusedProgram& fused = reader_.fused();
    if (fused.output_bytes.size() != 1) return;
    for (const FusedProgram::Input& input : fused.inputs) {
      if (input.uniform || !input.view.is_dense() || input.element_bytes != fused.output_bytes[0]) {
        continue;
      }
      const int64_t source = input.view.pieces()[0].source;
      if (source >= fused.literal_source) continue;
      int64_t readers = 0;
      for (const FusedProgram::Input& other : fused.inputs) {
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
    const FusedProgram& fused = reader_.fused();
    // Arrays that lie as they are read go through the program by themselves.
    const int64_t step = reader_.direct() ? INT64_MAX : fused.program->block_elements();
    const int64_t most = reader_.direct() ? 0 : step;
    const int64_t bytes = reader_.RoomBytes(most) + kAlignment;
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(bytes);
    if (!status.ok()) return status;
    runtime::Scratch<std::byte, 1> storage(bytes);
    std::byte* aligned = storage.data();
    aligned += (kAlignment - reinterpret_cast<uintptr_t>(aligned) % kAlignment) % kAlignment;
    FusedReader::Room room = reader_.Start(sources, most, aligned);
    absl::InlinedVector<std::byte*, FusedReader::kFew> outputs(results.size());
    while (blocks.Next()) {
      status = context.Charge(blocks.count() * fused.cost);
      if (!status.ok()) return status;
      const int64_t end = blocks.first() + blocks.count();
      for (int64_t first = blocks.first(), n = 0; first < end; first += n) {
        n = reader_.BlockFrom(first, std::min(step, end - first));
        for (size_t j = 0; j < results.size(); ++j) {
          outputs[j] = results[j].data + first * fused.output_bytes[j];
        }
        reader_.Read(sources, first, n, outputs, room);
      }
    }
    return absl::OkStatus();
  }

  const FusedReader reader_;
  int in_place_ = -1;
};

}  // namespace

runtime::KernelOr PrepareFusion(const Instruction& fusion) {
  const Computation* computation = fusion.GetComputation(Attr::kCalls);
  // Operands beyond the parameters would number the sources otherwise.
  if (static_cast<int64_t>(computation->parameters().size()) != fusion.operand_count()) {
    return nullptr;
  }
  if (computation->root()->opcode() == Opcode::kReduce) return nullptr;
  absl::StatusOr<FusedProgram> fused = FuseComputation(*computation);
  if (absl::IsUnimplemented(fused.status())) return nullptr;
  if (!fused.ok()) return fused.status();
  return std::make_unique<FusionKernel>(*std::move(fused));
}

}  // namespace assay::cpu
