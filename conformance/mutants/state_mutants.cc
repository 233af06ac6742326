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

namespace assay {
namespace {

using enum Opcode;

const Literal& ValueOf(const Buffer& buffer) {
  return static_cast<const HostBuffer&>(buffer).literal();
}

Element Sum(ElementType type, Element a, Element b) {
  const ElementType part = Info(type).component;
  const auto sum = [part](uint64_t x, uint64_t y) {
    return IsFloat(part) ? EncodeFloat(part, DecodeFloat(part, x) + DecodeFloat(part, y)) : x + y;
  };
  return {sum(a.bits, b.bits), IsComplex(type) ? sum(a.imag, b.imag) : 0};
}

// The result as if the buffer had not been cleared.
Literal Accumulated(const Literal& value, const Literal& before) {
  std::vector<Literal> leaves = Flatten(value);
  const std::vector<Literal> kept = Flatten(before);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (!leaves[leaf].is_array() || leaves[leaf].element_type() == ElementType::kPred) continue;
    const ElementType type = leaves[leaf].element_type();
    for (int64_t i = 0; i < leaves[leaf].element_count(); ++i) {
      leaves[leaf].Set(i, Sum(type, leaves[leaf].Get(i), kept[leaf].Get(i)));
    }
  }
  return value.is_tuple() ? Unflatten(value.shape(), leaves) : leaves.front();
}

class StatefulExecutable : public Executable {
 public:
  StatefulExecutable(StateDefect defect, std::unique_ptr<Executable> golden)
      : defect_(defect), golden_(std::move(golden)) {}

  int64_t device_count() const override { return golden_->device_count(); }
  double last_seconds() const override { return golden_->last_seconds(); }

  absl::StatusOr<std::vector<ExecuteOutputs>> Execute(
      absl::Span<const ExecuteInputs> inputs) override {
    std::vector<ExecuteInputs> taken(inputs.begin(), inputs.end());
    for (ExecuteInputs& device : taken) {
      for (const Buffer*& buffer : device.arguments) {
        const auto found = overwritten_.find(buffer);
        if (found != overwritten_.end()) buffer = found->second.get();
      }
    }
    absl::StatusOr<std::vector<ExecuteOutputs>> outputs = golden_->Execute(taken);
    if (!outputs.ok()) return outputs;
    if (defect_ == StateDefect::kArgumentOverwritten) {
      Overwrite(inputs, *outputs);
      return outputs;
    }
    const bool is_first = kept_.empty();
    for (size_t d = 0; d < outputs->size(); ++d) {
      Literal value = ValueOf(*(*outputs)[d].result);
      if (!is_first && defect_ == StateDefect::kFirstResultKept) value = kept_[d];
      if (!is_first && defect_ == StateDefect::kAccumulatorKept) {
        value = Accumulated(value, kept_[d]);
      }
      (*outputs)[d].result = std::make_unique<HostBuffer>(value);
      if (is_first) {
        kept_.push_back(std::move(value));
      } else {
        kept_[d] = std::move(value);
      }
    }
    return outputs;
  }

 private:
  // The first argument of the shape of the result gets its value.
  void Overwrite(absl::Span<const ExecuteInputs> inputs,
                 const std::vector<ExecuteOutputs>& outputs) {
    for (size_t d = 0; d < inputs.size() && d < outputs.size(); ++d) {
      const Literal& value = ValueOf(*outputs[d].result);
      for (const Buffer* buffer : inputs[d].arguments) {
        if (!value.is_array() || !(buffer->shape() == value.shape())) continue;
        overwritten_[buffer] = std::make_unique<HostBuffer>(value);
        break;
      }
    }
  }

  const StateDefect defect_;
  const std::unique_ptr<Executable> golden_;
  std::vector<Literal> kept_;                                     // by device
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

}  // namespace assay
