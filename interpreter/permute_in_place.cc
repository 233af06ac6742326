// collective-permute of slices (in place). Its result is the process's own output, where the slices
// that others send it are put. Each process says where its own slices begin: the source those that
// it reads of its input, as dynamic-slice does, the target those that it writes to its output, as
// dynamic-update-slice. The k-th pair that names a process as source takes its k-th slice of every
// array, and the k-th that names it as target writes to its k-th.
// Source: reference ops_control_and_collectives.md 7.7, 16. Tests: world_test.cc.
#include <functional>
#include <map>
#include <utility>

#include "interpreter/effect.h"
#include "interpreter/world.h"
#include "spec/ops/permute_slices.h"

namespace assay {
namespace {

// One slice of one array: how it is read from the input, and written to the output.
struct Slice {
  std::vector<std::unique_ptr<Instruction>> instructions;  // of the kernels
  std::unique_ptr<Kernel> read, write;
  Shape shape;
  // The leaves of the operands that say where.
  int64_t first_read = 0, first_written = 0;
};

absl::StatusOr<std::unique_ptr<Kernel>> KernelOf(std::unique_ptr<Instruction> op,
                                                 const std::vector<Shape>& operands,
                                                 const PlanOptions& options, Slice& slice) {
  for (const Shape& shape : operands) {
    slice.instructions.push_back(std::make_unique<Instruction>(Opcode::kParameter, shape));
    op->AppendOperand(slice.instructions.back().get());
  }
  const Instruction& kept = *slice.instructions.emplace_back(std::move(op));
  return options.straight ? PrepareStraight(kept) : PrepareKernel(kept);
}

// What the transfers to one process bring, slice after slice, written when all are there.
class Arrivals : public Pending {
 public:
  struct Source {
    PendingPtr values;
    std::vector<Literal> taken;
    size_t next = 0;
  };
  using Finish = std::function<absl::StatusOr<std::vector<Literal>>(std::vector<Literal>)>;

  // `order` has a source for each transfer.
  Arrivals(std::map<int64_t, Source> sources, std::vector<int64_t> order, int64_t arrays,
           Finish finish)
      : sources_(std::move(sources)),
        order_(std::move(order)),
        arrays_(arrays),
        finish_(std::move(finish)) {}

  bool ready() const override { return Missing() == nullptr; }
  std::string Awaited() const override {
    const Source* missing = Missing();
    return missing == nullptr ? "" : missing->values->Awaited();
  }
  absl::StatusOr<std::vector<Literal>> Take() override {
    for (auto& entry : sources_) {
      absl::StatusOr<std::vector<Literal>> values = entry.second.values->Take();
      if (!values.ok()) return values;
      entry.second.taken = *std::move(values);
    }
    std::vector<Literal> slices;
    for (const int64_t number : order_) {
      Source& source = sources_.at(number);
      for (int64_t a = 0; a < arrays_; ++a) slices.push_back(source.taken[source.next++]);
    }
    return finish_(std::move(slices));
  }

 private:
  const Source* Missing() const {
    for (const auto& entry : sources_) {
      if (!entry.second.values->ready()) return &entry.second;
    }
    return nullptr;
  }

  std::map<int64_t, Source> sources_;
  std::vector<int64_t> order_;
  int64_t arrays_;
  Finish finish_;
};

class PermuteInPlace : public Effect {
 public:
  static EffectOr Prepare(const Instruction& permute, const PlanOptions& options) {
    auto effect = std::make_unique<PermuteInPlace>(permute);
    if (absl::Status status = effect->PrepareSlices(options); !status.ok()) return status;
    return effect;
  }
  explicit PermuteInPlace(const Instruction& permute)
      : permute_(permute),
        arrays_(permute.operand(0)->shape().leaf_count()),
        slices_per_array_(TransfersPerProcess(permute)) {}

  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                   Process& process, EvaluationContext& context) const override {
    const absl::StatusOr<std::vector<ProcessPair>> pairs = ProcessPairs(permute_, process.grid());
    if (!pairs.ok()) return pairs.status();
    Rendezvous& rendezvous = process.world().rendezvous();
    const int64_t self = process.number(), visit = rendezvous.Visit(permute_, path, process);
    std::map<int64_t, std::vector<Literal>> parcels;  // by target
    std::map<int64_t, Arrivals::Source> sources;
    std::vector<int64_t> order;
    int64_t sent = 0;
    for (const auto& [source, target] : *pairs) {
      if (source == self) {
        absl::Status status = Read(operands, sent++, process, context, &parcels[target]);
        if (!status.ok()) return status;
      }
      if (target == self) order.push_back(source);
    }
    for (auto& parcel : parcels) {
      rendezvous.Deliver(permute_, path, visit, self, parcel.first, process,
                         std::move(parcel.second));
    }
    for (const int64_t source : order) {
      Arrivals::Source& entry = sources[source];
      if (entry.values != nullptr) continue;
      entry.values = rendezvous.Collect(permute_, path, visit, source, self, process);
    }
    std::vector<Literal> kept(operands.begin(), operands.end());
    auto finish = [this, kept, &process, &context](std::vector<Literal> slices) {
      return Write(kept, slices, process, context);
    };
    return std::make_shared<Arrivals>(std::move(sources), std::move(order), arrays_, finish);
  }

 private:
  const Slice& slice(int64_t array, int64_t k) const {
    return slices_[array * slices_per_array_ + k];
  }

  absl::Status PrepareSlices(const PlanOptions& options) {
    const auto& sizes =
        *permute_.attributes().Get<std::vector<std::vector<int64_t>>>(Attr::kSliceSizesList);
    const std::vector<const Shape*> inputs = Leaves(permute_.operand(0)->shape());
    const std::vector<const Shape*> outputs = Leaves(permute_.operand(1)->shape());
    int64_t first_read = 2 * arrays_;
    int64_t first_written = first_read + permute_.operand(2)->shape().leaf_count();
    for (int64_t a = 0; a < arrays_; ++a) {
      const auto reads = SliceStarts(permute_, PermuteSide::kRead, a);
      const auto writes = SliceStarts(permute_, PermuteSide::kWritten, a);
      for (int64_t k = 0; k < slices_per_array_; ++k) {
        Slice& slice = slices_.emplace_back();
        const Shape shape(inputs[a]->element_type(), sizes[a * slices_per_array_ + k]);
        slice.shape = shape;
        auto read = std::make_unique<Instruction>(Opcode::kDynamicSlice, shape);
        read->SetAttribute(Attr::kDynamicSliceSizes, sizes[a * slices_per_array_ + k]);
        std::vector<Shape> operands = {*inputs[a]};
        for (const Shape& index : reads[k]->tuple_shapes()) operands.push_back(index);
        auto kernel = KernelOf(std::move(read), operands, options, slice);
        if (!kernel.ok()) return kernel.status();
        slice.read = *std::move(kernel);
        auto write = std::make_unique<Instruction>(Opcode::kDynamicUpdateSlice, *outputs[a]);
        operands = {*outputs[a], shape};
        for (const Shape& index : writes[k]->tuple_shapes()) operands.push_back(index);
        kernel = KernelOf(std::move(write), operands, options, slice);
        if (!kernel.ok()) return kernel.status();
        slice.write = *std::move(kernel);
        slice.first_read = first_read;
        slice.first_written = first_written;
        first_read += shape.rank();
        first_written += shape.rank();
      }
    }
    return absl::OkStatus();
  }

  static ArrayRef Ref(const Literal& literal) { return {&literal.shape(), literal.data()}; }

  // Slice k of every array of the input.
  absl::Status Read(absl::Span<const Literal> operands, int64_t k, const Process& process,
                    EvaluationContext& context, std::vector<Literal>* slices) const {
    for (int64_t a = 0; a < arrays_; ++a) {
      const Slice& own = slice(a, k);
      std::vector<ArrayRef> inputs = {Ref(operands[a])};
      for (int64_t d = 0; d < own.shape.rank(); ++d)
        inputs.push_back(Ref(operands[own.first_read + d]));
      absl::Status status =
          Run(*own.read, inputs, own.shape, process, context, &slices->emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The output with the slices of all transfers, array after array of each.
  absl::StatusOr<std::vector<Literal>> Write(absl::Span<const Literal> operands,
                                             absl::Span<const Literal> slices,
                                             const Process& process,
                                             EvaluationContext& context) const {
    std::vector<Literal> outputs(operands.begin() + arrays_, operands.begin() + 2 * arrays_);
    for (size_t i = 0; i < slices.size(); ++i) {
      const int64_t a = static_cast<int64_t>(i) % arrays_, k = static_cast<int64_t>(i) / arrays_;
      const Slice& own = slice(a, k);
      std::vector<ArrayRef> inputs = {Ref(outputs[a]), Ref(slices[i])};
      for (int64_t d = 0; d < own.shape.rank(); ++d)
        inputs.push_back(Ref(operands[own.first_written + d]));
      if (k > 0 && own.write->in_place_operand() == 0) {  // the first has made it our own
        const MutableArrayRef result = {&outputs[a].shape(), outputs[a].mutable_data()};
        absl::Status status = own.write->Run(inputs, {result}, context);
        if (!status.ok()) return status;
        continue;
      }
      Literal written;
      absl::Status status = Run(*own.write, inputs, outputs[a].shape(), process, context, &written);
      if (!status.ok()) return status;
      outputs[a] = std::move(written);
    }
    return outputs;
  }

  static absl::Status Run(const Kernel& kernel, absl::Span<const ArrayRef> inputs,
                          const Shape& shape, const Process& process, EvaluationContext& context,
                          Literal* result) {
    absl::StatusOr<Literal> value = process.NewArray(shape);
    if (!value.ok()) return value.status();
    *result = *std::move(value);
    const MutableArrayRef out = {&result->shape(), result->mutable_data()};
    return kernel.Run(inputs, {out}, context);
  }

  const Instruction& permute_;
  const int64_t arrays_;
  const int64_t slices_per_array_;
  std::vector<Slice> slices_;  // array after array
};

}  // namespace

EffectOr PreparePermuteInPlace(const Instruction& permute, const PlanOptions& options) {
  return PermuteInPlace::Prepare(permute, options);
}

}  // namespace assay
