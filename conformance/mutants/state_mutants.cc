// Defects that one execution of a compiled module does not show: something of it is kept for the
// next, or its arguments are changed. The executable is golden's; what goes in and comes out is
// not.
#include "conformance/mutants/state_mutants.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/host_buffer.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

Element Sum(ElementType type, Element a, Element b) {
  const ElementType part = Info(type).component;
  const auto sum = [part](uint64_t x, uint64_t y) {
    return IsFloat(part) ? EncodeFloat(part, DecodeFloat(part, x) + DecodeFloat(part, y)) : x + y;
  };
  return {sum(a.bits, b.bits), IsComplex(type) ? sum(a.imag, b.imag) : 0};
}

// A leaf of a result as if its buffer had not been cleared.
Literal Accumulated(const Literal& leaf, const Literal& before) {
  if (!leaf.is_array() || leaf.element_type() == ElementType::kPred) return leaf;
  Literal sums = leaf;
  for (int64_t i = 0; i < leaf.element_count(); ++i) {
    sums.Set(i, Sum(leaf.element_type(), leaf.Get(i), before.Get(i)));
  }
  return sums;
}

// The first argument that is an array by itself and of this shape; null: there is none.
const Buffer* FindArgument(const Module& module, const ExecuteInputs& inputs, const Shape& shape) {
  size_t leaf = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter->shape().is_array()) {
      const Buffer* buffer = inputs.arguments[leaf].buffer();
      if (buffer->shape() == shape) return buffer;
    }
    leaf += Leaves(parameter->shape()).size();
  }
  return nullptr;
}

class StatefulExecutable : public SynchronousExecutable {
 public:
  StatefulExecutable(StateDefect defect, std::unique_ptr<Executable> golden)
      : SynchronousExecutable(golden->module()), defect_(defect), golden_(std::move(golden)) {}

  int64_t device_count() const override { return golden_->device_count(); }

 protected:
  absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> inputs) override {
    std::vector<ExecuteInputs> taken(inputs.begin(), inputs.end());
    for (ExecuteInputs& device : taken) {
      for (Argument& argument : device.arguments) {
        const auto found = overwritten_.find(argument.buffer());
        if (found != overwritten_.end()) argument = Argument(found->second.get());
      }
    }
    absl::StatusOr<ExecuteResults> results = golden_->Execute(taken);
    if (!results.ok()) return results;
    if (defect_ == StateDefect::kArgumentOverwritten) {
      Overwrite(inputs, results->devices);
      return results;
    }
    for (size_t d = 0; d < results->devices.size(); ++d) Keep(d, &results->devices[d].results);
    return results;
  }

 private:
  // What this execution gives on a device is left for the next one, which shows it.
  void Keep(size_t device, std::vector<BufferHandle>* leaves) {
    const bool is_first = device >= kept_.size();
    if (is_first) kept_.emplace_back();
    std::vector<Literal>& kept = kept_[device];
    for (size_t leaf = 0; leaf < leaves->size(); ++leaf) {
      Literal value = HostBuffer::ValueOf(*(*leaves)[leaf]);
      if (!is_first && defect_ == StateDefect::kFirstResultKept) value = kept[leaf];
      if (!is_first && defect_ == StateDefect::kAccumulatorKept) {
        value = Accumulated(value, kept[leaf]);
      }
      (*leaves)[leaf] = std::make_unique<HostBuffer>(value, static_cast<int64_t>(device));
      if (is_first) kept.emplace_back();
      kept[leaf] = std::move(value);
    }
  }

  // The first argument of the shape of the result gets its value.
  void Overwrite(absl::Span<const ExecuteInputs> inputs,
                 const std::vector<ExecuteOutputs>& outputs) {
    const Shape& result = module().entry()->root()->shape();
    if (!result.is_array()) return;
    for (size_t d = 0; d < inputs.size() && d < outputs.size(); ++d) {
      const Literal& value = HostBuffer::ValueOf(*outputs[d].results.front());
      const Buffer* argument = FindArgument(module(), inputs[d], value.shape());
      if (argument == nullptr) continue;
      overwritten_[argument] = std::make_unique<HostBuffer>(value, static_cast<int64_t>(d));
    }
  }

  const StateDefect defect_;
  const std::unique_ptr<Executable> golden_;
  std::vector<std::vector<Literal>> kept_;                        // by device and leaf
  std::map<const Buffer*, std::unique_ptr<Buffer>> overwritten_;  // by the buffer of the caller
};

}  // namespace

std::unique_ptr<Executable> MakeStateful(StateDefect defect, std::unique_ptr<Executable> golden) {
  return std::make_unique<StatefulExecutable>(defect, std::move(golden));
}

std::vector<Mutant> StateMutants() {
  using enum StateDefect;
  return {
      {"add/first_result_kept",
       {kAdd},
       "the compiled module answers every execution with the result of the first",
       {},
       {},
       kFirstResultKept},
      {"sort/first_result_kept",
       {kSort},
       "the compiled module answers every execution with the result of the first",
       {},
       {},
       kFirstResultKept},
      {"dot/accumulator_kept",
       {kDot},
       "the accumulator still holds the sums of the execution before",
       {},
       {},
       kAccumulatorKept},
      {"reduce/accumulator_kept",
       {kReduce},
       "the accumulator still holds the sums of the execution before",
       {},
       {},
       kAccumulatorKept},
      {"scatter/argument_overwritten",
       {kScatter},
       "updates are combined in the buffer of the argument, which the caller still owns",
       {},
       {},
       kArgumentOverwritten},
      {"negate/argument_overwritten",
       {kNegate},
       "the result is written into the buffer of the argument, which the caller still owns",
       {},
       {},
       kArgumentOverwritten},
  };
}

}  // namespace assay::conformance
