#include "runtime/rendezvous.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/dynamic.h"
#include "runtime/effect.h"
#include "runtime/world.h"
#include "spec/analysis/collectives.h"
#include "spec/analysis/effects.h"

namespace assay::runtime {

// Those who came to one place to do one thing together.
struct Rendezvous::Meeting {
  const Instruction* collective = nullptr;  // of who came first
  std::vector<int64_t> members;
  std::vector<std::vector<Literal>> brought;  // by position
  std::vector<bool> is_here;
  int64_t missing = 0;
  absl::Span<const BorderSum> sums;
  std::vector<std::vector<Literal>> results;  // by position, once nobody is missing
};

namespace {

// A process of the same program.
ProcessId Fellow(const Process& process, int64_t number) {
  ProcessId id = process.id();
  id.replica = process.grid().ReplicaOf(number);
  id.partition = process.grid().PartitionOf(number);
  return id;
}

// What a broadcast gives: the values of one member for each operand.
absl::StatusOr<std::vector<Literal>> Broadcast(const Instruction& collective,
                                               absl::Span<const std::vector<Literal>> brought) {
  const bool chosen = collective.GetBool(Attr::kHasDynamicRoot);
  if (!chosen) return brought[0];
  const absl::StatusOr<Literal> chosen_roots = ToHost(brought[0].back());
  if (!chosen_roots.ok()) return chosen_roots.status();
  const Literal& roots = *chosen_roots;
  if (!IsInteger(roots.element_type())) {
    return absl::InvalidArgumentError(
        absl::StrCat("roots must be integers, found ", roots.shape().ToString()));
  }
  std::vector<Literal> values;
  for (const std::vector<Literal>& others : brought) {
    const absl::StatusOr<Literal> others_roots = ToHost(others.back());
    if (!others_roots.ok()) return others_roots.status();
    if (Literal::BitEqual(*others_roots, roots)) continue;
    return absl::InvalidArgumentError("the members of a group disagree about the roots");
  }
  for (size_t k = 0; k + 1 < brought[0].size(); ++k) {
    const int64_t root = DecodeSigned(roots.element_type(), roots.Get(k).bits);
    if (root < 0 || root >= static_cast<int64_t>(brought.size())) {
      return absl::OutOfRangeError(absl::StrCat("root ", root, " of operand ", k,
                                                " is outside of a group of ", brought.size(),
                                                " devices"));
    }
    values.push_back(brought[root][k]);
  }
  return values;
}

// Of dynamic dimensions all members have the same sizes.
absl::Status CheckSizes(absl::Span<const int64_t> members,
                        absl::Span<const std::vector<Literal>> brought, const Process& process) {
  for (size_t m = 1; m < brought.size(); ++m) {
    for (size_t k = 0; k < brought[m].size(); ++k) {
      const Dimensions first = brought[0][k].current_sizes(), sizes = brought[m][k].current_sizes();
      if (sizes == first) continue;
      const auto has = [&](size_t member, const Dimensions& its) {
        return absl::StrCat(process.world().Name(Fellow(process, members[member])), " has ",
                            Shape(brought[member][k].element_type(), its).ToString());
      };
      return absl::OutOfRangeError(absl::StrCat("the members of a group disagree in the sizes of ",
                                                "operand ", k, ": ", has(0, first), ", ",
                                                has(m, sizes)));
    }
  }
  return absl::OkStatus();
}

// The result of a collective on operands of certain sizes.
Shape ResultOn(const Instruction& collective, absl::Span<const Literal> operands, int64_t members,
               bool is_tuple) {
  std::vector<Shape> results;
  for (const Literal& operand : operands) {
    Dimensions sizes = operand.current_sizes();
    if (collective.opcode() == Opcode::kAllGather) {
      sizes[collective.GetInt(Attr::kDimension)] *= members;
    } else if (collective.opcode() == Opcode::kReduceScatter) {
      sizes[collective.GetInt(Attr::kDimension)] /= members;
    }
    results.emplace_back(operand.element_type(), sizes);
  }
  if (collective.opcode() == Opcode::kRaggedAllToAll) return results[1];
  return is_tuple ? Shape::Tuple(std::move(results)) : results[0];
}

absl::StatusOr<std::vector<Literal>> ResultsOf(const Kernel& kernel,
                                               absl::Span<const ArrayRef> operands,
                                               absl::Span<const Shape* const> leaves,
                                               const Process& process, Context& context) {
  std::vector<Literal> values;
  for (const Shape* leaf : leaves) {
    absl::StatusOr<Literal> value = process.NewArray(*leaf);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  std::vector<MutableArrayRef> results;
  for (Literal& value : values) results.push_back({&value.shape(), value.mutable_data()});
  absl::Status status = kernel.Execute(operands, results, context);
  if (!status.ok()) return status;
  return values;
}

Opcode WithoutStart(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGatherStart:
      return Opcode::kAllGather;
    case Opcode::kAllReduceStart:
      return Opcode::kAllReduce;
    default:
      return opcode;
  }
}

}  // namespace

class Rendezvous::Seat : public Pending {
 public:
  Seat(std::shared_ptr<Meeting> meeting, int64_t position, const Process& process)
      : meeting_(std::move(meeting)), position_(position), process_(process) {}
  bool ready() const override { return meeting_->missing == 0; }
  absl::StatusOr<std::vector<Literal>> Take() override {
    return std::move(meeting_->results[position_]);
  }
  std::string Awaited() const override {
    std::vector<std::string> missing, finished;
    for (size_t i = 0; i < meeting_->members.size(); ++i) {
      if (meeting_->is_here[i]) continue;
      const ProcessId id = Fellow(process_, meeting_->members[i]);
      (process_.world().IsFinished(id) ? finished : missing).push_back(process_.world().Name(id));
    }
    std::string text;
    const auto list = [&](const std::vector<std::string>& names, absl::string_view what) {
      constexpr size_t kShown = 4;
      if (names.empty()) return;
      absl::StrAppend(&text, text.empty() ? "" : "; ");
      for (size_t i = 0; i < std::min(kShown, names.size()); ++i) {
        absl::StrAppend(&text, i == 0 ? "" : ", ", names[i]);
      }
      if (names.size() > kShown) absl::StrAppend(&text, " and ", names.size() - kShown, " more");
      absl::StrAppend(&text, what);
    };
    list(missing, missing.size() == 1 ? " has not come" : " have not come");
    list(finished, finished.size() == 1 ? " has finished without it" : " have finished without it");
    return text;
  }

 private:
  std::shared_ptr<Meeting> meeting_;
  int64_t position_;
  const Process& process_;
};

struct Rendezvous::Parcel {
  bool is_there = false;
  std::vector<Literal> values;
};

class Rendezvous::Delivery : public Pending {
 public:
  Delivery(std::shared_ptr<Parcel> parcel, int64_t source, const Process& process)
      : parcel_(std::move(parcel)), source_(source), process_(process) {}
  bool ready() const override { return parcel_->is_there; }
  absl::StatusOr<std::vector<Literal>> Take() override { return std::move(parcel_->values); }
  std::string Awaited() const override {
    const ProcessId id = Fellow(process_, source_);
    return absl::StrCat(process_.world().Name(id), process_.world().IsFinished(id)
                                                       ? " has finished without sending it"
                                                       : " has not sent it");
  }

 private:
  std::shared_ptr<Parcel> parcel_;
  int64_t source_;
  const Process& process_;
};

Rendezvous::Place Rendezvous::PlaceOf(const Instruction& instruction, CallPath path,
                                      int64_t program) {
  const int64_t channel = instruction.FindInt(Attr::kChannelId).value_or(0);
  if (channel > 0) return {program, channel, {}};
  return {program, -1, {path.begin(), path.end()}};
}

int64_t Rendezvous::Visit(const Instruction& instruction, CallPath path, const Process& process) {
  return visits_[{PlaceOf(instruction, path, process.id().program), process.number()}]++;
}

absl::StatusOr<PendingPtr> Rendezvous::Meet(const Instruction& collective, CallPath path,
                                            const std::vector<int64_t>& members,
                                            absl::Span<const Literal> brought, Process& process,
                                            Context& context, absl::Span<const BorderSum> sums) {
  const int64_t visit = Visit(collective, path, process);
  const auto key = std::make_tuple(PlaceOf(collective, path, process.id().program), members, visit);
  std::shared_ptr<Meeting>& meeting = meetings_[key];
  const auto count = static_cast<int64_t>(members.size());
  if (meeting == nullptr) {
    meeting = std::make_shared<Meeting>();
    meeting->collective = &collective;
    meeting->members = members;
    meeting->brought.resize(count);
    meeting->is_here.resize(count);
    meeting->missing = count;
    meeting->sums = sums;
  } else if (meeting->collective != &collective &&
             (meeting->collective->opcode() != collective.opcode() ||
              !Shape::Compatible(meeting->collective->shape(), collective.shape()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "devices meet on channel ", std::get<1>(std::get<0>(key)), " in different operations: ",
        collective.Describe(), " and ", meeting->collective->Describe()));
  }
  const int64_t position =
      std::find(members.begin(), members.end(), process.number()) - members.begin();
  meeting->brought[position].assign(brought.begin(), brought.end());
  meeting->is_here[position] = true;
  PendingPtr seat = std::make_shared<Seat>(meeting, position, process);
  if (--meeting->missing > 0) return seat;
  const std::shared_ptr<Meeting> concluded = std::move(meeting);
  meetings_.erase(key);
  if (absl::Status status = Conclude(*concluded, process, context); !status.ok()) return status;
  return seat;
}

absl::Status Rendezvous::Conclude(Meeting& meeting, Process& process, Context& context) {
  const Instruction& collective = *meeting.collective;
  const auto count = static_cast<int64_t>(meeting.members.size());
  meeting.results.resize(count);
  if (collective.opcode() == Opcode::kCollectiveBroadcast) {
    absl::StatusOr<std::vector<Literal>> values = Broadcast(collective, meeting.brought);
    if (!values.ok()) return values.status();
    std::fill(meeting.results.begin(), meeting.results.end(), *values);
    meeting.brought.clear();
    return absl::OkStatus();
  }
  if (collective.opcode() == Opcode::kCustomCall) {
    for (const BorderSum& sum : meeting.sums) {
      if (absl::Status status = AddSummands(sum, meeting, process, context); !status.ok()) {
        return status;
      }
    }
    std::vector<Literal> all;
    for (const std::vector<Literal>& values : meeting.brought) {
      all.insert(all.end(), values.begin(), values.end());
    }
    std::fill(meeting.results.begin(), meeting.results.end(), all);
    meeting.brought.clear();
    return absl::OkStatus();
  }
  absl::StatusOr<bool> together = ConcludeTogether(meeting, process, context);
  if (!together.ok()) return together.status();
  if (*together) return absl::OkStatus();
  // The last to come computes for all, where its own values lie.
  for (std::vector<Literal>& values : meeting.brought) {
    for (Literal& value : values) {
      absl::StatusOr<Literal> own = process.world().OwnedBy(process, value);
      if (!own.ok()) return own.status();
      value = *std::move(own);
    }
  }
  if (analysis::HasDynamicSizes(collective)) return ConcludeOnSizes(meeting, process, context);
  std::vector<ArrayRef> operands;
  for (const std::vector<Literal>& values : meeting.brought) {
    for (const Literal& value : values) operands.push_back({&value.shape(), value.data()});
  }
  const std::vector<const Shape*> leaves = Leaves(analysis::CollectiveResult(collective));
  const bool shared = analysis::SameForAllMembers(collective.opcode());
  for (int64_t position = 0; position < (shared ? 1 : count); ++position) {
    absl::StatusOr<const Kernel*> kernel = KernelFor(collective, count, position, process.engine());
    if (!kernel.ok()) return kernel.status();
    absl::StatusOr<std::vector<Literal>> results =
        ResultsOf(**kernel, operands, leaves, process, context);
    if (!results.ok()) return results.status();
    meeting.results[position] = *std::move(results);
  }
  for (int64_t position = 1; shared && position < count; ++position) {
    meeting.results[position] = meeting.results[0];
  }
  meeting.brought.clear();
  return absl::OkStatus();
}

absl::StatusOr<bool> Rendezvous::ConcludeTogether(Meeting& meeting, const Process& process,
                                                  Context& context) {
  const Instruction& collective = *meeting.collective;
  const auto* const engine = dynamic_cast<const DeviceEngine*>(&process.engine());
  if (engine == nullptr || analysis::HasDynamicSizes(collective)) return false;
  std::vector<ValueMemory*> memories;
  std::vector<std::shared_ptr<MemoryAccount>> accounts;
  for (const std::vector<Literal>& values : meeting.brought) {
    for (const Literal& value : values) {
      const ValueStorage* const storage = value.is_array() ? StorageOf(value.buffer()) : nullptr;
      if (storage == nullptr || storage->account == nullptr) return false;
      if (&value != &values.front() && storage->memory != memories.back()) return false;
      if (&value != &values.front()) continue;
      memories.push_back(storage->memory);
      accounts.push_back(storage->account);
    }
  }
  if (memories.size() != meeting.brought.size()) return false;
  if (!engine->RunsTogether(collective, memories)) return false;
  const std::vector<const Shape*> leaves = Leaves(analysis::CollectiveResult(collective));
  std::vector<MemberValues> members(memories.size());
  for (size_t m = 0; m < members.size(); ++m) {
    members[m].memory = memories[m];
    for (const Literal& value : meeting.brought[m]) members[m].operands.push_back(value.data());
    for (const Shape* leaf : leaves) {
      absl::StatusOr<BufferPtr> buffer = AllocateValue(*memories[m], accounts[m], *leaf);
      if (!buffer.ok()) return buffer.status();
      members[m].results.push_back(buffer->get());
      meeting.results[m].push_back(Literal::FromBuffer(*leaf, *std::move(buffer)));
    }
  }
  if (absl::Status status = engine->RunTogether(collective, members, context); !status.ok()) {
    return status;
  }
  meeting.brought.clear();
  return true;
}

// Gives every member of a group the sum of what the members have brought.
absl::Status Rendezvous::AddSummands(const BorderSum& sum, Meeting& meeting, Process& process,
                                     Context& context) {
  for (const std::vector<int64_t>& group : sum.groups) {
    std::vector<Literal> summands;
    for (const int64_t partition : group) {
      if (partition >= static_cast<int64_t>(meeting.brought.size())) {
        return absl::InvalidArgumentError(absl::StrCat("the mesh of a sharding has partition ",
                                                       partition, " of ", meeting.brought.size(),
                                                       ": ", meeting.collective->Describe()));
      }
      absl::StatusOr<Literal> own =
          process.world().OwnedBy(process, meeting.brought[partition][sum.leaf]);
      if (!own.ok()) return own.status();
      summands.push_back(*std::move(own));
    }
    std::vector<ArrayRef> operands;
    for (const Literal& summand : summands) operands.push_back({&summand.shape(), summand.data()});
    const absl::StatusOr<const Kernel*> kernel =
        KernelFor(*sum.all_reduce, static_cast<int64_t>(group.size()), 0, process.engine());
    if (!kernel.ok()) return kernel.status();
    absl::StatusOr<std::vector<Literal>> added =
        ResultsOf(**kernel, operands, Leaves(sum.all_reduce->shape()), process, context);
    if (!added.ok()) return added.status();
    for (const int64_t partition : group) meeting.brought[partition][sum.leaf] = (*added)[0];
  }
  return absl::OkStatus();
}

// The same on the valid boxes of the operands. Kernels are for these sizes alone.
absl::Status Rendezvous::ConcludeOnSizes(Meeting& meeting, Process& process, Context& context) {
  const Instruction& collective = *meeting.collective;
  const auto count = static_cast<int64_t>(meeting.members.size());
  absl::Status status = CheckSizes(meeting.members, meeting.brought, process);
  if (!status.ok()) return status;
  std::vector<Literal> boxes;
  for (const std::vector<Literal>& values : meeting.brought) {
    for (const Literal& value : values) {
      absl::StatusOr<Literal> box = CutToSizes(value, process);
      if (!box.ok()) return box.status();
      boxes.push_back(*std::move(box));
    }
  }
  std::vector<ArrayRef> operands;
  for (const Literal& box : boxes) operands.push_back({&box.shape(), box.data()});
  const auto of_one = absl::MakeConstSpan(boxes).first(meeting.brought[0].size());
  const ResizedInstruction sized =
      OnOperands(collective, WithoutStart(collective.opcode()), of_one);
  const Shape& result = analysis::CollectiveResult(collective);
  const std::vector<const Shape*> leaves = Leaves(result);
  sized.op->set_shape(ResultOn(*sized.op, of_one, count, result.is_tuple()));
  for (int64_t position = 0; position < count; ++position) {
    KernelOr kernel = process.engine().PrepareCollective(*sized.op, count, position);
    if (!kernel.ok()) return kernel.status();
    absl::StatusOr<std::vector<Literal>> results =
        ResultsOf(**kernel, operands, Leaves(sized.op->shape()), process, context);
    if (!results.ok()) return results.status();
    for (size_t k = 0; k < results->size(); ++k) {
      absl::StatusOr<Literal> value = EmbedBox((*results)[k], *leaves[k], process);
      if (!value.ok()) return value.status();
      meeting.results[position].push_back(*std::move(value));
    }
  }
  meeting.brought.clear();
  return absl::OkStatus();
}

absl::StatusOr<const Kernel*> Rendezvous::KernelFor(const Instruction& collective, int64_t members,
                                                    int64_t position, const Engine& engine) {
  std::unique_ptr<Kernel>& kernel = kernels_[{&collective, members, position}];
  if (kernel == nullptr) {
    KernelOr prepared = engine.PrepareCollective(collective, members, position);
    if (!prepared.ok()) return prepared.status();
    kernel = *std::move(prepared);
  }
  return kernel.get();
}

// The half that comes second takes the parcel off the table.
std::shared_ptr<Rendezvous::Parcel> Rendezvous::ParcelAt(const Instruction& instruction,
                                                         CallPath path, int64_t visit,
                                                         int64_t source, int64_t target,
                                                         const Process& process) {
  const auto key =
      std::make_tuple(PlaceOf(instruction, path, process.id().program), visit, source, target);
  const auto found = parcels_.find(key);
  if (found == parcels_.end()) return parcels_[key] = std::make_shared<Parcel>();
  std::shared_ptr<Parcel> parcel = std::move(found->second);
  parcels_.erase(found);
  return parcel;
}

void Rendezvous::Deliver(const Instruction& instruction, CallPath path, int64_t visit,
                         int64_t source, int64_t target, const Process& process,
                         std::vector<Literal> values) {
  const std::shared_ptr<Parcel> parcel =
      ParcelAt(instruction, path, visit, source, target, process);
  parcel->values = std::move(values);
  parcel->is_there = true;
}

PendingPtr Rendezvous::Collect(const Instruction& instruction, CallPath path, int64_t visit,
                               int64_t source, int64_t target, const Process& process) {
  return std::make_shared<Delivery>(ParcelAt(instruction, path, visit, source, target, process),
                                    source, process);
}

}  // namespace assay::runtime
