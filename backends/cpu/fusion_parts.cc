// Fusions of two parts, each with a kernel of its own: a dot or convolution and the elementwise
// operations after it (kOutput), or elementwise operations and the reduce that takes their result
// (kInput). What is handed over is in scratch memory, which is warm from one run to the next.
// Tests: conformance/passes/passes_test.cc.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/contract/contract.h"
#include "backends/cpu/fusion/fusion.h"
#include "backends/cpu/kernels.h"
#include "backends/passes/fused_product.h"
#include "runtime/kept_bytes.h"
#include "runtime/scratch.h"
#include "spec/builder/copy_module.h"

namespace assay::cpu {
namespace {

bool TakesParametersOnly(const Instruction& x) {
  for (const Instruction* operand : x.operands()) {
    if (operand->opcode() != Opcode::kParameter) return false;
  }
  return true;
}

// The fused computation without one instruction. If that is the root, its first operand is the
// root; else what it computes is one parameter more. Null where there is no kernel for the rest.
runtime::KernelOr PrepareWithout(const Instruction& fusion, const Instruction& left_out) {
  const Computation& body = *left_out.parent();
  const bool is_root = body.root() == &left_out;
  Module module("parts");
  auto rest = EmptyCopy(body);
  auto entry = std::make_unique<Computation>("entry");
  std::vector<Instruction*> operands;
  const auto parameter = [](const Shape& shape, int64_t number) {
    auto made = std::make_unique<Instruction>(Opcode::kParameter, shape);
    made->set_name(absl::StrCat("p", number));
    made->set_parameter_number(static_cast<int32_t>(number));
    return made;
  };
  for (const Instruction* operand : fusion.operands()) {
    const auto number = static_cast<int64_t>(operands.size());
    operands.push_back(entry->Add(parameter(operand->shape(), number)));
  }
  InstructionMap copies;
  for (const auto& x : body.instructions()) {
    if (x.get() != &left_out) {
      copies[x.get()] = rest->Add(CopyInstruction(*x, copies, {}));
    } else if (!is_root) {
      const auto number = static_cast<int64_t>(operands.size());
      copies[x.get()] = rest->Add(parameter(x->shape(), number));
      operands.push_back(entry->Add(parameter(x->shape(), number)));
    }
  }
  rest->set_root(copies.at(is_root ? left_out.operand(0) : body.root()));
  auto made = std::make_unique<Instruction>(Opcode::kFusion, rest->root()->shape());
  made->set_name("rest");
  made->set_operands(operands);
  made->SetAttribute(Attr::kKind, static_cast<int64_t>(FusionKind::kLoop));
  made->SetAttribute(Attr::kCalls, module.Add(std::move(rest)));
  const Instruction* root = entry->Add(std::move(made));
  module.Add(std::move(entry));
  return PrepareFusion(*root);
}

// Memory for what one part hands to the other.
class HandedOver {
 public:
  HandedOver(const Shape& shape, runtime::Context& context) : shape_(shape), lease_(context) {}
  absl::Status Allocate() {
    const int64_t bytes = shape_.ByteSize().value();
    if (absl::Status status = lease_.Add(bytes); !status.ok()) return status;
    memory_ = runtime::KeptBytes(bytes);
    return absl::OkStatus();
  }
  runtime::MutableArrayRef to() { return {&shape_, memory_.data()}; }
  runtime::ArrayRef from() const { return {&shape_, memory_.data()}; }

 private:
  const Shape& shape_;
  runtime::ScratchLease lease_;
  runtime::KeptBytes memory_;
};

class ProductThenRest : public runtime::Kernel {
 public:
  ProductThenRest(const Instruction& product, std::unique_ptr<runtime::Kernel> kernel,
                  std::unique_ptr<runtime::Kernel> rest)
      : product_(product), kernel_(std::move(kernel)), rest_(std::move(rest)) {}

  absl::Status Execute(absl::Span<const runtime::ArrayRef> operands,
                       absl::Span<const runtime::MutableArrayRef> results,
                       runtime::Context& context) const override {
    std::vector<runtime::ArrayRef> factors, all(operands.begin(), operands.end());
    for (const Instruction* operand : product_.operands()) {
      factors.push_back(operands[operand->parameter_number()]);
    }
    HandedOver product(product_.shape(), context);
    if (absl::Status status = product.Allocate(); !status.ok()) return status;
    const runtime::MutableArrayRef to = product.to();
    absl::Status status = kernel_->Execute(factors, absl::MakeConstSpan(&to, 1), context);
    if (!status.ok()) return status;
    all.push_back(product.from());
    return rest_->Execute(all, results, context);
  }

 private:
  const Instruction& product_;
  const std::unique_ptr<runtime::Kernel> kernel_, rest_;
};

class RestThenReduce : public runtime::Kernel {
 public:
  RestThenReduce(const Instruction& reduce, std::unique_ptr<runtime::Kernel> kernel,
                 std::unique_ptr<runtime::Kernel> rest)
      : reduce_(reduce), kernel_(std::move(kernel)), rest_(std::move(rest)) {}

  absl::Status Execute(absl::Span<const runtime::ArrayRef> operands,
                       absl::Span<const runtime::MutableArrayRef> results,
                       runtime::Context& context) const override {
    HandedOver values(reduce_.operand(0)->shape(), context);
    if (absl::Status status = values.Allocate(); !status.ok()) return status;
    const runtime::MutableArrayRef to = values.to();
    absl::Status status = rest_->Execute(operands, absl::MakeConstSpan(&to, 1), context);
    if (!status.ok()) return status;
    const runtime::ArrayRef reduced[] = {values.from(),
                                         operands[reduce_.operand(1)->parameter_number()]};
    return kernel_->Execute(reduced, results, context);
  }

 private:
  const Instruction& reduce_;
  const std::unique_ptr<runtime::Kernel> kernel_, rest_;
};

}  // namespace

runtime::KernelOr PrepareFusionOfParts(const Instruction& fusion) {
  const Computation& body = *fusion.GetComputation(Attr::kCalls);
  const Instruction& root = *body.root();
  const Instruction* part = nullptr;
  for (const auto& x : body.instructions()) {
    if (!x->shape().is_array() || x->shape().is_dynamic()) return nullptr;
    if (!passes::IsFusedProduct(*x)) continue;
    if (part != nullptr || !TakesParametersOnly(*x)) return nullptr;
    part = x.get();
  }
  const bool reduces = root.opcode() == Opcode::kReduce;
  if (reduces && (part != nullptr || root.operand_count() != 2 ||
                  root.operand(0)->opcode() == Opcode::kParameter ||
                  root.operand(1)->opcode() != Opcode::kParameter)) {
    return nullptr;
  }
  if (reduces) part = &root;
  if (part == nullptr || (part == &root && !reduces)) return nullptr;
  for (const auto& x : body.instructions()) {
    if (x.get() != part && !x->called_computations().empty()) return nullptr;
  }
  runtime::KernelOr rest = PrepareWithout(fusion, *part);
  if (!rest.ok() || *rest == nullptr) return nullptr;
  runtime::KernelOr kernel = reduces                          ? PrepareReduce(*part, {})
                             : part->opcode() == Opcode::kDot ? PrepareDot(*part)
                                                              : PrepareConvolution(*part);
  if (!kernel.ok()) return nullptr;
  if (reduces) return std::make_unique<RestThenReduce>(*part, *std::move(kernel), *std::move(rest));
  return std::make_unique<ProductThenRest>(*part, *std::move(kernel), *std::move(rest));
}

}  // namespace assay::cpu
