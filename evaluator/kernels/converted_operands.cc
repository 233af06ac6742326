// The factors are converted to the type of the result first, array by array, as product_sum.h says;
// the kernel of that type does the rest. Source: reference ops_structural.md 7.2.
#include "evaluator/kernels/converted_operands.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/scratch.h"
#include "spec/ops/dot.h"

namespace assay::evaluator::kernels {
namespace {

KernelOrNull PrepareContraction(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConvolution:
      return PrepareConvolution(instruction);
    case Opcode::kDot:
      return PrepareDot(instruction);
    case Opcode::kRaggedDot:
      return PrepareRaggedDot(instruction);
    default:
      return nullptr;
  }
}

class OnConverted : public Kernel {
 public:
  // Null where there is no kernel for factors of the result's type either.
  static KernelOrNull Prepare(const Instruction& contraction) {
    auto kernel = std::make_unique<OnConverted>();
    const ElementType type = contraction.shape().element_type();
    Instruction& converted = kernel->Keep(
        std::make_unique<Instruction>(contraction.opcode(), contraction.shared_shape()));
    for (const auto& [attr, value] : contraction.attributes().entries()) {
      converted.SetAttribute(attr, value);
    }
    for (size_t k = 0; k < static_cast<size_t>(contraction.operand_count()); ++k) {
      const Shape& given = contraction.operand(static_cast<int64_t>(k))->shape();
      const Shape shape = k < kernel->factors_.size() ? Shape(type, given.dimensions()) : given;
      converted.AppendOperand(
          &kernel->Keep(std::make_unique<Instruction>(Opcode::kParameter, shape)));
      if (k >= kernel->factors_.size()) continue;
      Instruction& convert = kernel->Keep(std::make_unique<Instruction>(Opcode::kConvert, shape));
      convert.AppendOperand(contraction.operand(static_cast<int64_t>(k)));
      absl::StatusOr<std::unique_ptr<Kernel>> loop = PrepareKernel(convert);
      if (!loop.ok()) return loop;
      kernel->factors_[k] = {shape, shape.element_count() * StorageBytes(type), *std::move(loop)};
    }
    KernelOrNull contract = PrepareContraction(converted);
    if (!contract.ok() || *contract == nullptr) return contract;
    kernel->contract_ = *std::move(contract);
    return kernel;
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    runtime::ScratchLease lease(context);
    std::array<std::unique_ptr<std::byte[]>, 2> storage;
    std::vector<ArrayRef> inputs(operands.begin(), operands.end());
    for (size_t k = 0; k < factors_.size(); ++k) {
      const Factor& factor = factors_[k];
      if (absl::Status counted = lease.Add(factor.bytes); !counted.ok()) return counted;
      storage[k].reset(new std::byte[factor.bytes]);
      const MutableArrayRef converted = {&factor.shape, storage[k].get()};
      absl::Status status = factor.convert->Run(operands.subspan(k, 1), {&converted, 1}, context);
      if (!status.ok()) return status;
      inputs[k] = {&factor.shape, storage[k].get()};
    }
    return contract_->Run(inputs, results, context);
  }

 private:
  struct Factor {
    Shape shape;
    int64_t bytes = 0;
    std::unique_ptr<Kernel> convert;
  };
  Instruction& Keep(std::unique_ptr<Instruction> instruction) {
    return *instructions_.emplace_back(std::move(instruction));
  }

  std::vector<std::unique_ptr<Instruction>> instructions_;  // of the kernels
  std::array<Factor, 2> factors_;
  std::unique_ptr<Kernel> contract_;
};

}  // namespace

KernelOrNull PrepareOnConverted(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kRaggedDot:
      break;
    default:
      return nullptr;
  }
  if (AreOfOneClass(instruction.operand(0)->shape().element_type(),
                    instruction.operand(1)->shape().element_type(),
                    instruction.shape().element_type())) {
    return nullptr;
  }
  return OnConverted::Prepare(instruction);
}

}  // namespace assay::evaluator::kernels
