// map: the region on blocks of elements. Source: reference ops_structural.md 12.1.
// Tests: kernels_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "runtime/parallel.h"

namespace assay::cpu {
namespace {

std::vector<ElementType> OperandTypes(const Instruction& map) {
  std::vector<ElementType> types;
  for (const Instruction* operand : map.operands())
    types.push_back(operand->shape().element_type());
  return types;
}

class MapKernel : public Kernel {
 public:
  explicit MapKernel(const Instruction& map)
      : region_(*map.to_apply(), OperandTypes(map)), count_(map.shape().element_count()) {
    for (const Instruction* operand : map.operands()) {
      bytes_.push_back(StorageBytes(operand->shape().element_type()));
    }
    result_bytes_ = StorageBytes(map.shape().element_type());
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t grain = region_.flat() ? runtime::GrainFor(2 * region_.cost()) : count_ + 1;
    return runtime::ParallelFor(
        context, count_, std::max(grain, kBlockElements),
        [&](runtime::Blocks& blocks, Context& context) {
          Workspace room(region_.scratch_bytes());
          std::vector<const std::byte*> inputs(operands.size());
          while (blocks.Next()) {
            const int64_t end = blocks.first() + blocks.count();
            for (int64_t first = blocks.first(); first < end; first += kBlockElements) {
              const int64_t n = std::min(kBlockElements, end - first);
              for (size_t k = 0; k < inputs.size(); ++k) {
                inputs[k] = operands[k].data + first * bytes_[k];
              }
              std::byte* out = results[0].data + first * result_bytes_;
              absl::Status status = context.Charge(n * region_.cost());
              if (status.ok()) {
                status = region_.Run(inputs, absl::MakeConstSpan(&out, 1), n, room.data(), context);
              }
              if (!status.ok()) return status;
            }
          }
          return absl::OkStatus();
        });
  }

 private:
  const Region region_;
  const int64_t count_;
  std::vector<int64_t> bytes_;
  int64_t result_bytes_;
};

}  // namespace

KernelOr PrepareMap(const Instruction& map) { return std::make_unique<MapKernel>(map); }

}  // namespace assay::cpu
