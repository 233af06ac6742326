#include "runtime/custom_calls/host_engine.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace assay::runtime::custom_calls {
namespace {

class HostKernel : public Kernel {
 public:
  HostKernel(std::unique_ptr<Kernel> kernel, ValueMemory& memory)
      : kernel_(std::move(kernel)), memory_(memory) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    std::vector<BufferPtr> blocks;
    std::vector<ValueMemory::HostCopy> copies;
    absl::Status status = Run(operands, results, context, blocks, copies);
    if (!status.ok()) copies.clear();
    // Also after an error: what was enqueued reads arrays of the caller.
    absl::Status waited = memory_.CopyOut(copies);
    return status.ok() ? waited : status;
  }

 private:
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   Context& context, std::vector<BufferPtr>& blocks,
                   std::vector<ValueMemory::HostCopy>& copies) const {
    std::vector<ArrayRef> inputs(operands.begin(), operands.end());
    std::vector<MutableArrayRef> outputs(results.begin(), results.end());
    for (ArrayRef& input : inputs) {
      const int64_t bytes = input.shape->ByteSize().value_or(0);
      absl::StatusOr<BufferPtr> block = memory_.Allocate(bytes);
      if (!block.ok()) return block.status();
      blocks.push_back(*std::move(block));
      // The caller keeps its array until this kernel has waited.
      const BufferPtr from(const_cast<std::byte*>(input.data), [](std::byte*) {});
      absl::Status status;
      if (bytes > 0) status = memory_.CopyIn(blocks.back().get(), from, bytes);
      if (!status.ok()) return status;
      input.data = blocks.back().get();
    }
    for (MutableArrayRef& output : outputs) {
      const int64_t bytes = output.shape->ByteSize().value_or(0);
      absl::StatusOr<BufferPtr> block = memory_.Allocate(bytes);
      if (!block.ok()) return block.status();
      blocks.push_back(*std::move(block));
      if (bytes > 0) copies.push_back({blocks.back().get(), output.data, bytes});
      output.data = blocks.back().get();
    }
    return kernel_->Execute(inputs, outputs, context);
  }

  const std::unique_ptr<Kernel> kernel_;
  ValueMemory& memory_;
};

KernelOr OnHost(KernelOr kernel, ValueMemory& memory) {
  if (!kernel.ok()) return kernel;
  return std::make_unique<HostKernel>(*std::move(kernel), memory);
}

}  // namespace

KernelOr HostEngine::Prepare(const Instruction& instruction) const {
  return OnHost(engine_.Prepare(instruction), memory_);
}

KernelOr HostEngine::PrepareCollective(const Instruction& collective, int64_t members,
                                       int64_t position) const {
  return OnHost(engine_.PrepareCollective(collective, members, position), memory_);
}

EffectOr HostEngine::PrepareEffect(const Instruction& instruction) const {
  return absl::UnimplementedError(
      absl::StrCat("a custom call cannot start ", instruction.Describe()));
}

}  // namespace assay::runtime::custom_calls
