#include "evaluator/kernels/split_fold.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "spec/analysis/reducer.h"

namespace assay::evaluator::kernels {
namespace {

// Returns true if the result depends on the order in which it would be rounded.
bool Rounds(analysis::ReducerKind kind, ElementType type) {
  return (kind == analysis::ReducerKind::kAdd || kind == analysis::ReducerKind::kMultiply) &&
         (IsFloat(type) || IsComplex(type));
}

Instruction* AddParameter(int64_t number, const Shape& shape, Computation* computation) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_parameter_number(static_cast<int32_t>(number));
  return computation->Add(std::move(parameter));
}

// The fold of one array by a reducer, as the root of a module.
std::unique_ptr<Module> ModuleOf(const Instruction& fold, int64_t leaf, const Shape& scalar,
                                 analysis::ReducerKind kind, absl::Span<const int64_t> operands) {
  auto module = std::make_unique<Module>("part");
  auto reducer = std::make_unique<Computation>("reducer");
  auto combine = std::make_unique<Instruction>(*analysis::OperationOf(kind), scalar);
  for (int64_t k = 0; k < 2; ++k) combine->AppendOperand(AddParameter(k, scalar, reducer.get()));
  reducer->set_root(reducer->Add(std::move(combine)));
  Computation* region = module->Add(std::move(reducer));
  auto entry = std::make_unique<Computation>("entry");
  auto part = std::make_unique<Instruction>(fold.opcode(), fold.shape().tuple_shape(leaf));
  for (const auto& [attribute, value] : fold.attributes().entries()) {
    part->SetAttribute(attribute, value);
  }
  part->SetAttribute(Attr::kToApply, region);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& shape = fold.operand(operands[i])->shape();
    part->AppendOperand(AddParameter(static_cast<int64_t>(i), shape, entry.get()));
  }
  part->set_position(fold.position());
  entry->set_root(entry->Add(std::move(part)));
  module->set_entry(module->Add(std::move(entry)));
  module->UniquifyNames();
  return module;
}

class SplitFold : public Kernel {
 public:
  struct Part {
    int64_t leaf;
    std::unique_ptr<Module> module;            // what the kernel refers to
    absl::InlinedVector<int64_t, 3> operands;  // empty: all
    std::unique_ptr<Kernel> kernel;
  };

  // `whole` is null where the parts are all results.
  SplitFold(std::unique_ptr<Kernel> whole, std::vector<Part> parts)
      : whole_(std::move(whole)), parts_(std::move(parts)) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (whole_ != nullptr) {
      if (absl::Status status = whole_->Run(operands, results, context); !status.ok()) {
        return status;
      }
    }
    for (const Part& part : parts_) {
      absl::InlinedVector<ArrayRef, 3> own;
      for (const int64_t k : part.operands) own.push_back(operands[k]);
      const size_t noted = context.undecided == nullptr ? 0 : context.undecided->size();
      absl::Status status = part.kernel->Run(part.operands.empty() ? operands : own,
                                             results.subspan(part.leaf, 1), context);
      if (!status.ok()) return status;
      if (context.undecided == nullptr) continue;
      for (size_t i = noted; i < context.undecided->size(); ++i) {
        (*context.undecided)[i].leaf = part.leaf;
      }
    }
    return absl::OkStatus();
  }

  // The part that runs as written would overwrite what the first part reads.
  int in_place_operand() const override {
    return whole_ == nullptr && parts_[0].leaf == 0 ? parts_[0].kernel->in_place_operand() : -1;
  }

 private:
  std::unique_ptr<Kernel> whole_;
  std::vector<Part> parts_;
};

}  // namespace

KernelOrNull PrepareSplitFold(const Instruction& fold, PartOperands operands, PreparePart prepare,
                              absl::FunctionRef<KernelOrNull()> prepare_whole) {
  if (!fold.shape().is_tuple()) return nullptr;
  const auto n = static_cast<int64_t>(fold.shape().tuple_shapes().size());
  if (n < 2) return nullptr;
  const std::vector<analysis::Reducer> reducers = analysis::RecogniseParts(*fold.to_apply());
  if (static_cast<int64_t>(reducers.size()) != n) return nullptr;
  const std::vector<Instruction*> parameters = fold.to_apply()->parameters();
  const auto rounds = [&](int64_t k) {
    return Rounds(reducers[k].kind, parameters[k]->shape().element_type());
  };
  bool all = true, any = false;
  for (int64_t k = 0; k < n; ++k) {
    all = all && reducers[k].kind != analysis::ReducerKind::kOther;
    any = any || rounds(k);
  }
  if (!all && !any) return nullptr;
  std::vector<SplitFold::Part> parts;
  for (int64_t k = 0; k < n; ++k) {
    if (!all && !rounds(k)) continue;
    SplitFold::Part part;
    part.leaf = k;
    if (fold.opcode() == Opcode::kScatter) {
      part.operands = {k, n, n + 1 + k};
    } else {
      part.operands = {k, n + k};
    }
    part.module = ModuleOf(fold, k, parameters[k]->shape(), reducers[k].kind, part.operands);
    KernelOrNull kernel = prepare(*part.module->entry()->root(), part.operands);
    if (!kernel.ok() || *kernel == nullptr) return kernel;
    part.kernel = *std::move(kernel);
    if (operands == PartOperands::kAll) part.operands.clear();
    parts.push_back(std::move(part));
  }
  std::unique_ptr<Kernel> whole;
  if (!all) {
    KernelOrNull prepared = prepare_whole();
    if (!prepared.ok() || *prepared == nullptr) return prepared;
    whole = *std::move(prepared);
  }
  return std::make_unique<SplitFold>(std::move(whole), std::move(parts));
}

}  // namespace assay::evaluator::kernels
