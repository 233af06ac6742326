// while loops on arrays of very few elements, which may differ in their sizes and whose elements
// may move, and loops that scan larger arrays, a slice of few elements an iteration.
//
// Every element of the state is an array of equal lanes, condition and body are block programs from
// one set of arrays to another (element_region.h). The second tier compiles these programs when
// they have run often. Slices of the larger arrays are read before the body and written after it,
// in the arrays of the results. Tests: element_loop_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/element_region.h"
#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/vector/block_program.h"
#include "backends/defect.h"
#include "runtime/indices.h"
#include "runtime/scratch.h"
#include "spec/analysis/trip_count.h"

namespace assay::cpu {
namespace {

// The number of equal lanes of a value: whole vectors of compiled code.
constexpr int64_t kCopies = 32;
// What a step of an element costs less than an instruction that the runtime starts.
constexpr int64_t kStepsOfInstruction = 4;
constexpr size_t kMostSteps = 1024, kMostState = 128;
// Larger arrays of the state are copied once a run, which must pay.
constexpr int64_t kElementsThatAreCopied = 1 << 14, kElementsOfSlice = 16;

// The lanes of values, by number.
using Buffers = std::vector<std::byte*>;
using Inputs = std::vector<const std::byte*>;

// A slice of a larger array.
struct Access {
  // An index that only the run knows: of the state, or an output of a program.
  struct Start {
    bool is_state = false;
    int32_t number = 0;
    ElementType type = ElementType::kInvalid;
    int64_t most = 0, stride = 0;  // in bytes
  };
  int64_t leaf = 0, bytes = 0;  // of an element
  int64_t base = 0;             // in bytes, by the indices that are constant
  std::vector<Start> starts;
  std::vector<int64_t> positions;  // of the elements behind the first one, in bytes
  int32_t first = 0;               // the input or output of the first element

  int64_t Offset(const Inputs& state, const Buffers& outputs) const {
    int64_t offset = base;
    for (const Start& start : starts) {
      const std::byte* from = start.is_state ? state[start.number] : outputs[start.number];
      const int64_t index = runtime::LoadIndex(start.type, from, 0);
      offset += std::clamp<int64_t>(index, 0, ASSAY_DEFECT(97, start.most, start.most / 2)) *
                start.stride;
    }
    return offset;
  }
};

// The programs of a loop with the numbers of their values.
struct ElementPrograms {
  std::unique_ptr<BlockProgram> condition, body;
  std::unique_ptr<BlockProgram> addresses;  // the starts of reads; null if the state has them
  std::vector<Access> reads, writes;
  std::vector<int64_t> state_bytes, read_bytes, output_bytes, address_bytes;  // of each value
  int64_t steps = 0;
};

class ElementPlanner {
 public:
  explicit ElementPlanner(const Instruction& loop) : loop_(loop), leaves_(Leaves(loop.shape())) {}

  // Returns false if the loop is left to the runtime.
  bool Run() {
    auto condition = FlattenElements(*loop_.GetComputation(Attr::kCondition));
    if (!condition.ok() || !condition->reads.empty() || condition->flat.results.size() != 1) {
      return false;
    }
    auto body = FlattenElements(*loop_.GetComputation(Attr::kBody));
    if (!body.ok()) return false;
    region_ = *std::move(body);
    if (!Pays(condition->instructions + region_.instructions, condition->flat.steps.size())) {
      return false;
    }
    FindReads();
    for (const ElementType type : region_.flat.result_types) {
      programs_.state_bytes.push_back(StorageBytes(type));
    }
    analysis::FlatRegion addresses = region_.flat;
    addresses.results.clear();
    addresses.result_types.clear();
    for (const ElementRegion::Slice& read : region_.reads) {
      programs_.reads.push_back(AccessOf(read, programs_.address_bytes, addresses));
      programs_.reads.back().first = static_cast<int32_t>(programs_.read_bytes.size());
      programs_.read_bytes.insert(programs_.read_bytes.end(), read.elements.size(),
                                  programs_.reads.back().bytes);
    }
    for (const int32_t number : addresses.results) {
      if (depends_[number]) return false;
    }
    for (const ElementRegion::Slice& write : region_.writes) AddWrite(write);
    return Build(condition->flat, addresses);
  }
  ElementPrograms& programs() { return programs_; }

 private:
  bool Pays(int64_t instructions, size_t condition_steps) const {
    const size_t steps = region_.flat.steps.size() + condition_steps;
    if (steps > kMostSteps || region_.flat.results.size() > kMostState) return false;
    if (static_cast<int64_t>(steps) > kStepsOfInstruction * instructions) return false;
    int64_t copied = 0, used = 0;
    for (const Shape* leaf : leaves_) {
      if (!IsInRegisters(*leaf)) copied += leaf->element_count();
    }
    for (const auto* slices : {&region_.reads, &region_.writes}) {
      for (const ElementRegion::Slice& slice : *slices) used += slice.elements.size();
    }
    if (copied <= kElementsThatAreCopied) return true;
    return copied / kElementsOfSlice <= analysis::TripCount(loop_).value_or(0) * used;
  }

  // The registers that depend on slices that are read.
  void FindReads() {
    depends_.assign(region_.flat.register_count, false);
    for (const ElementRegion::Slice& read : region_.reads) {
      for (const int32_t element : read.elements) depends_[element] = true;
    }
    for (const analysis::FlatRegion::Step& step : region_.flat.steps) {
      for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
        if (depends_[step.operands[k]]) depends_[step.result] = true;
      }
    }
  }

  // Starts that neither are constants nor belong to the state become results of `program`, whose
  // values take `program_bytes`.
  Access AccessOf(const ElementRegion::Slice& slice, std::vector<int64_t>& program_bytes,
                  analysis::FlatRegion& program) const {
    Access access;
    access.leaf = slice.leaf;
    access.bytes = StorageBytes(leaves_[slice.leaf]->element_type());
    const Dimensions strides = RowMajorStrides(slice.limits);
    access.positions = {0};
    for (size_t d = 0; d < slice.sizes.size(); ++d) {
      const int64_t stride = strides[d] * access.bytes;
      std::vector<int64_t> positions;
      for (const int64_t position : access.positions) {
        for (int64_t i = 0; i < slice.sizes[d]; ++i) positions.push_back(position + i * stride);
      }
      access.positions = std::move(positions);
      const int64_t most = slice.limits[d] - slice.sizes[d];
      const int32_t number = slice.starts[d];
      if (const Element* constant = ConstantAt(number); constant != nullptr) {
        const int64_t index = IndexValue(slice.start_type, *constant);
        access.base += std::clamp<int64_t>(index, 0, most) * stride;
      } else if (number < static_cast<int64_t>(programs_.state_bytes.size())) {
        access.starts.push_back({true, number, slice.start_type, most, stride});
      } else {
        access.starts.push_back(
            {false, static_cast<int32_t>(program_bytes.size()), slice.start_type, most, stride});
        program.results.push_back(number);
        program.result_types.push_back(slice.start_type);
        program_bytes.push_back(StorageBytes(slice.start_type));
      }
    }
    return access;
  }

  const Element* ConstantAt(int32_t number) const {
    for (const auto& [constant, element] : region_.flat.constants) {
      if (constant == number) return &element;
    }
    return nullptr;
  }

  // The outputs of the body behind the state: the elements of a slice and its starts.
  void AddWrite(const ElementRegion::Slice& write) {
    const auto first = static_cast<int32_t>(programs_.output_bytes.size());
    const ElementType type = leaves_[write.leaf]->element_type();
    for (const int32_t element : write.elements) {
      region_.flat.results.push_back(element);
      region_.flat.result_types.push_back(type);
      programs_.output_bytes.push_back(StorageBytes(type));
    }
    programs_.writes.push_back(AccessOf(write, programs_.output_bytes, region_.flat));
    programs_.writes.back().first = first;
  }

  bool Build(const analysis::FlatRegion& condition, const analysis::FlatRegion& addresses) {
    auto make = [this](const analysis::FlatRegion& region, std::unique_ptr<BlockProgram>* made) {
      auto program = BlockProgram::Create(region);
      if (!program.ok() || (*program)->block_elements() < kCopies) return false;
      *made = *std::move(program);
      programs_.steps += (*made)->step_count();
      return true;
    };
    return make(condition, &programs_.condition) && make(region_.flat, &programs_.body) &&
           (addresses.results.empty() || make(addresses, &programs_.addresses));
  }

  const Instruction& loop_;
  const std::vector<const Shape*> leaves_;
  ElementRegion region_;
  ElementPrograms programs_;
  std::vector<bool> depends_;
};

class ElementLoop : public Kernel {
 public:
  ElementLoop(const Instruction& loop, ElementPrograms programs) : programs_(std::move(programs)) {
    for (const Shape* leaf : Leaves(loop.shape())) {
      leaves_.push_back(
          {StorageBytes(leaf->element_type()), leaf->element_count(), !IsInRegisters(*leaf)});
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t bytes = RunState::Bytes(programs_);
    runtime::ScratchLease lease(context);
    if (absl::Status status = lease.Add(bytes); !status.ok()) return status;
    RunState run(programs_, bytes);
    runtime::Meter meter(context);
    int64_t next = 0;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      if (leaf.is_large) {
        if (results[i].data == operands[i].data) continue;
        std::memcpy(results[i].data, operands[i].data, leaf.elements * leaf.bytes);
        if (absl::Status status = meter.Add(leaf.elements); !status.ok()) return status;
        continue;
      }
      for (int64_t k = 0; k < leaf.elements; ++k) {
        FillCells(operands[i].data + k * leaf.bytes, leaf.bytes, kCopies, run.state[0][next++]);
      }
    }
    run.Start();
    int side = 0;
    while (run.GoesOn(side)) {
      run.Iterate(side, results);
      side = 1 - side;
      if (absl::Status status = meter.Add(programs_.steps + 1); !status.ok()) return status;
    }
    next = 0;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].is_large) continue;
      for (int64_t k = 0; k < leaves_[i].elements; ++k) {
        std::memcpy(results[i].data + k * leaves_[i].bytes, run.state[side][next++],
                    leaves_[i].bytes);
      }
    }
    return meter.Flush();
  }

 private:
  struct Leaf {
    int64_t bytes, elements;
    bool is_large;
  };

  // The buffers of a run. Iterations alternate between two sides.
  struct RunState {
    static int64_t Bytes(const ElementPrograms& programs) {
      int64_t bytes = Workspace::Rounded(kCopies);
      for (const int64_t value : programs.state_bytes)
        bytes += 2 * Workspace::Rounded(kCopies * value);
      for (const auto* values :
           {&programs.read_bytes, &programs.output_bytes, &programs.address_bytes}) {
        for (const int64_t value : *values) bytes += Workspace::Rounded(kCopies * value);
      }
      for (const auto* program : {&programs.condition, &programs.body, &programs.addresses}) {
        if (*program != nullptr) bytes += Workspace::Rounded((*program)->scratch_bytes());
      }
      return bytes;
    }

    RunState(const ElementPrograms& of, int64_t bytes) : programs(of), space(bytes) {
      for (int side = 0; side < 2; ++side) state[side] = Take(of.state_bytes);
      const Buffers reads = Take(of.read_bytes), written = Take(of.output_bytes);
      starts = Take(of.address_bytes);
      goes_on = space.Take(kCopies);
      for (int side = 0; side < 2; ++side) {
        inputs[side].assign(state[side].begin(), state[side].end());
        inputs[side].insert(inputs[side].end(), reads.begin(), reads.end());
        outputs[side] = state[1 - side];
        outputs[side].insert(outputs[side].end(), written.begin(), written.end());
      }
      slices = reads;
      writes = written;
      condition_scratch = space.Take(of.condition->scratch_bytes());
      body_scratch = space.Take(of.body->scratch_bytes());
      if (of.addresses != nullptr) address_scratch = space.Take(of.addresses->scratch_bytes());
    }
    Buffers Take(const std::vector<int64_t>& values) {
      Buffers buffers;
      for (const int64_t bytes : values) buffers.push_back(space.Take(kCopies * bytes));
      return buffers;
    }

    void Start() {
      programs.condition->Start(inputs[0], kCopies, condition_scratch);
      programs.body->Start(inputs[0], kCopies, body_scratch);
      if (programs.addresses != nullptr)
        programs.addresses->Start(inputs[0], kCopies, address_scratch);
    }
    bool GoesOn(int side) {
      programs.condition->Continue(inputs[side], {&goes_on, 1}, kCopies, condition_scratch);
      return (goes_on[0] & std::byte{1}) != std::byte{0};
    }
    void Iterate(int side, absl::Span<const MutableArrayRef> results) {
      if (programs.addresses != nullptr) {
        programs.addresses->Continue(inputs[side], absl::MakeConstSpan(starts), kCopies,
                                     address_scratch);
      }
      for (const Access& read : programs.reads) {
        const std::byte* from = results[read.leaf].data + read.Offset(inputs[side], starts);
        for (size_t k = 0; k < read.positions.size(); ++k) {
          FillCells(from + read.positions[ASSAY_DEFECT(99, k, 0)], read.bytes, kCopies,
                    slices[read.first + k]);
        }
      }
      programs.body->Continue(inputs[side], outputs[side], kCopies, body_scratch);
      for (const Access& write : programs.writes) {
        std::byte* to = results[write.leaf].data +
                        write.Offset(inputs[ASSAY_DEFECT(98, side, 1 - side)], writes);
        const size_t written =
            ASSAY_DEFECT(100, write.positions.size(), std::min<size_t>(write.positions.size(), 8));
        for (size_t k = 0; k < written; ++k) {
          std::memcpy(to + write.positions[k], writes[write.first + k], write.bytes);
        }
      }
    }

    const ElementPrograms& programs;
    Workspace space;
    Buffers state[2], outputs[2];
    Inputs inputs[2];
    Buffers slices, writes, starts;
    std::byte *goes_on = nullptr, *condition_scratch = nullptr, *body_scratch = nullptr,
              *address_scratch = nullptr;
  };

  const ElementPrograms programs_;
  std::vector<Leaf> leaves_;
};

}  // namespace

KernelOr PrepareElementLoop(const Instruction& loop) {
  ElementPlanner planner(loop);
  if (!planner.Run()) return nullptr;
  return std::make_unique<ElementLoop>(loop, std::move(planner.programs()));
}

}  // namespace assay::cpu
