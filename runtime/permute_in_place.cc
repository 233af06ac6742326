// collective-permute of slices (in place). Its result is the process's own output, where the slices
// that others send it are put. Each process says where its own slices begin: the source those that
// it reads of its input, as dynamic-slice does, the target those that it writes to its output, as
// dynamic-update-slice. The k-th pair that names a process as source takes its k-th slice of every
// array, and the k-th that names it as target writes to its k-th. Arrays of dynamic size count as
// far as their current sizes go, which no slice exceeds. Source: reference
// ops_control_and_collectives.md 7.7, 16. Tests: world_test.cc.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/dynamic.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "runtime/world.h"
#include "spec/ops/permute_slices.h"

namespace assay::runtime {
namespace {

// A dynamic-slice or dynamic-update-slice.
struct Move {
  std::vector<std::unique_ptr<Instruction>> instructions;  // of the kernel
  std::unique_ptr<Kernel> kernel;
  Shape shape;  // of the result
};

// One slice of one array: how it is read from the input, and written to the output.
struct Slice {
  Move read, write;  // none where sizes are dynamic
  std::vector<int64_t> sizes;
  // The indices that say where: their shapes, and their leaves of the operands.
  std::vector<Shape> read_indices, written_indices;
  int64_t first_read = 0, first_written = 0;
};

absl::StatusOr<Move> MoveOf(std::unique_ptr<Instruction> op, std::vector<Shape> operands,
                            const std::vector<Shape>& indices, const Engine& engine) {
  Move move;
  move.shape = op->shape();
  operands.insert(operands.end(), indices.begin(), indices.end());
  for (const Shape& shape : operands) {
    move.instructions.push_back(std::make_unique<Instruction>(Opcode::kParameter, shape));
    op->AppendOperand(move.instructions.back().get());
  }
  const Instruction& kept = *move.instructions.emplace_back(std::move(op));
  KernelOr kernel = engine.Prepare(kept);
  if (!kernel.ok()) return kernel.status();
  move.kernel = *std::move(kernel);
  return move;
}

// The slice of an array of these sizes.
absl::StatusOr<Move> ReadOf(const Slice& slice, const Shape& array, const Engine& engine) {
  std::vector<int64_t> sizes = slice.sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    sizes[d] = std::min(sizes[d], array.dimension(static_cast<int64_t>(d)));
  }
  auto read =
      std::make_unique<Instruction>(Opcode::kDynamicSlice, Shape(array.element_type(), sizes));
  read->SetAttribute(Attr::kDynamicSliceSizes, sizes);
  return MoveOf(std::move(read), {array}, slice.read_indices, engine);
}

absl::StatusOr<Move> WriteOf(const Slice& slice, const Shape& array, const Shape& update,
                             const Engine& engine) {
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (update.dimension(d) <= array.dimension(d)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("collective-permute: a slice ", update.ToString(),
                     " does not fit into the current sizes of the output, ", array.ToString()));
  }
  return MoveOf(std::make_unique<Instruction>(Opcode::kDynamicUpdateSlice, array), {array, update},
                slice.written_indices, engine);
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
  static EffectOr Prepare(const Instruction& permute, const Engine& engine) {
    auto effect = std::make_unique<PermuteInPlace>(permute, engine);
    if (absl::Status status = effect->PrepareSlices(); !status.ok()) return status;
    return effect;
  }
  PermuteInPlace(const Instruction& permute, const Engine& engine)
      : permute_(permute),
        engine_(engine),
        arrays_(permute.operand(0)->shape().leaf_count()),
        slices_per_array_(TransfersPerProcess(permute)) {}

  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                   Process& process, Context& context) const override {
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

  absl::Status PrepareSlices() {
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
        slice.sizes = sizes[a * slices_per_array_ + k];
        const auto read_at = reads[k]->tuple_shapes(), written_at = writes[k]->tuple_shapes();
        slice.read_indices.assign(read_at.begin(), read_at.end());
        slice.written_indices.assign(written_at.begin(), written_at.end());
        slice.first_read = first_read;
        slice.first_written = first_written;
        first_read += inputs[a]->rank();
        first_written += inputs[a]->rank();
        if (inputs[a]->is_dynamic() || outputs[a]->is_dynamic()) continue;
        absl::StatusOr<Move> read = ReadOf(slice, *inputs[a], engine_);
        if (!read.ok()) return read.status();
        absl::StatusOr<Move> write = WriteOf(slice, *outputs[a], read->shape, engine_);
        if (!write.ok()) return write.status();
        slice.read = *std::move(read);
        slice.write = *std::move(write);
      }
    }
    return absl::OkStatus();
  }

  static ArrayRef Ref(const Literal& literal) { return {&literal.shape(), literal.data()}; }

  // Slice k of every array of the input.
  absl::Status Read(absl::Span<const Literal> operands, int64_t k, const Process& process,
                    Context& context, std::vector<Literal>* slices) const {
    for (int64_t a = 0; a < arrays_; ++a) {
      const Slice& own = slice(a, k);
      absl::StatusOr<Literal> box = CutToSizes(operands[a], process);
      if (!box.ok()) return box.status();
      absl::StatusOr<Move> sized = Move();
      if (own.read.kernel == nullptr) sized = ReadOf(own, box->shape(), engine_);
      if (!sized.ok()) return sized.status();
      const std::vector<ArrayRef> inputs =
          Inputs({Ref(*box)}, operands.subspan(own.first_read, own.read_indices.size()));
      absl::Status status = Run(own.read.kernel == nullptr ? *sized : own.read, inputs, process,
                                context, &slices->emplace_back());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The output with the slices of all transfers, array after array of each.
  absl::StatusOr<std::vector<Literal>> Write(absl::Span<const Literal> operands,
                                             absl::Span<const Literal> slices,
                                             const Process& process, Context& context) const {
    std::vector<Literal> outputs(operands.begin() + arrays_, operands.begin() + 2 * arrays_);
    for (size_t i = 0; i < slices.size(); ++i) {
      const int64_t a = static_cast<int64_t>(i) % arrays_, k = static_cast<int64_t>(i) / arrays_;
      const Slice& own = slice(a, k);
      const absl::Span<const Literal> at =
          operands.subspan(own.first_written, own.written_indices.size());
      const absl::StatusOr<Literal> update = process.world().OwnedBy(process, slices[i]);
      if (!update.ok()) return update.status();
      absl::Status status =
          own.write.kernel == nullptr
              ? WriteDynamic(own, *update, at, process, context, &outputs[a])
              : WriteStatic(own, *update, at, k > 0, process, context, &outputs[a]);
      if (!status.ok()) return status;
    }
    return outputs;
  }

  // `is_own`: an earlier slice has made the output our own.
  static absl::Status WriteStatic(const Slice& own, const Literal& update,
                                  absl::Span<const Literal> at, bool is_own, const Process& process,
                                  Context& context, Literal* output) {
    const std::vector<ArrayRef> inputs = Inputs({Ref(*output), Ref(update)}, at);
    if (is_own && own.write.kernel->in_place_operand() == 0) {
      const MutableArrayRef result = {&output->shape(), output->mutable_data()};
      return own.write.kernel->Execute(inputs, {result}, context);
    }
    Literal written;
    absl::Status status = Run(own.write, inputs, process, context, &written);
    if (status.ok()) *output = std::move(written);
    return status;
  }

  absl::Status WriteDynamic(const Slice& own, const Literal& update, absl::Span<const Literal> at,
                            const Process& process, Context& context, Literal* output) const {
    absl::StatusOr<Literal> box = CutToSizes(*output, process);
    if (!box.ok()) return box.status();
    absl::StatusOr<Move> write = WriteOf(own, box->shape(), update.shape(), engine_);
    if (!write.ok()) return write.status();
    Literal written;
    absl::Status status =
        Run(*write, Inputs({Ref(*box), Ref(update)}, at), process, context, &written);
    if (!status.ok()) return status;
    absl::StatusOr<Literal> value = EmbedBox(written, output->shape(), process);
    if (value.ok()) *output = *std::move(value);
    return value.status();
  }

  static std::vector<ArrayRef> Inputs(std::vector<ArrayRef> arrays, absl::Span<const Literal> at) {
    for (const Literal& index : at) arrays.push_back(Ref(index));
    return arrays;
  }

  static absl::Status Run(const Move& move, absl::Span<const ArrayRef> inputs,
                          const Process& process, Context& context, Literal* result) {
    absl::StatusOr<Literal> value = process.NewArray(move.shape);
    if (!value.ok()) return value.status();
    *result = *std::move(value);
    const MutableArrayRef out = {&result->shape(), result->mutable_data()};
    return move.kernel->Execute(inputs, {out}, context);
  }

  const Instruction& permute_;
  const Engine& engine_;
  const int64_t arrays_;
  const int64_t slices_per_array_;
  std::vector<Slice> slices_;  // array after array
};

}  // namespace

EffectOr PreparePermuteInPlace(const Instruction& permute, const Engine& engine) {
  return PermuteInPlace::Prepare(permute, engine);
}

}  // namespace assay::runtime
