// send and recv, infeed and outfeed as effects. Source: reference ops_control_and_collectives.md 8.
// Tests: transfers_test.cc.
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/effect.h"
#include "runtime/world.h"

namespace assay::runtime {
namespace {

// The key under which the host knows a transfer (8.2).
std::string HostKey(const Instruction& transfer) {
  const auto& attributes = transfer.annotations().frontend_attributes;
  for (const absl::string_view name :
       {"_xla_host_transfer_rendezvous", "_xla_host_transfer_handler_name"}) {
    const auto found = attributes.find(std::string(name));
    if (found != attributes.end()) return found->second;
  }
  return absl::StrCat(transfer.FindInt(Attr::kChannelId).value_or(0));
}

PendingPtr Done(std::vector<Literal> leaves = {}) {
  return std::make_shared<Present>(std::move(leaves));
}

absl::Status NoHost() { return absl::NotFoundError("the run has no host program to talk to"); }

// Several transfers of one send, one to each target.
class All : public Pending {
 public:
  explicit All(std::vector<PendingPtr> parts) : parts_(std::move(parts)) {}
  bool ready() const override { return Unready() == nullptr; }
  bool delays_start() const override { return true; }
  absl::StatusOr<std::vector<Literal>> Take() override { return std::vector<Literal>(); }
  std::string Awaited() const override {
    const Pending* part = Unready();
    return part == nullptr ? "" : part->Awaited();
  }

 private:
  const Pending* Unready() const {
    for (const PendingPtr& part : parts_) {
      if (!part->ready()) return part.get();
    }
    return nullptr;
  }
  std::vector<PendingPtr> parts_;
};

class SendEffect : public Effect {
 public:
  explicit SendEffect(const Instruction& send) : send_(send) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context&) const override {
    // Without the token.
    const Literal value = Unflatten(send_.operand(0)->shape(), operands.first(operands.size() - 1));
    if (send_.GetBool(Attr::kIsHostTransfer)) {
      Host* host = process.world().options().host;
      if (host == nullptr) return NoHost();
      const absl::StatusOr<Literal> on_host = ToHost(value);
      if (!on_host.ok()) return on_host.status();
      absl::Status status = host->Send(process.id(), HostKey(send_), *on_host);
      if (!status.ok()) return status;
      return Done();
    }
    absl::StatusOr<std::optional<std::vector<ProcessPair>>> pairs =
        TransferPairs(send_, process.grid());
    if (!pairs.ok()) return pairs.status();
    std::vector<std::optional<int64_t>> targets;
    if (!pairs->has_value()) targets.push_back(std::nullopt);
    if (pairs->has_value()) {
      for (const auto& [source, target] : **pairs) {
        if (source == process.number()) targets.push_back(target);
      }
    }
    std::vector<PendingPtr> sent;
    for (const std::optional<int64_t>& target : targets) {
      absl::StatusOr<PendingPtr> one =
          process.world().channels().Send(send_, target, value, process);
      if (!one.ok()) return one.status();
      sent.push_back(*std::move(one));
    }
    if (!process.world().options().sends_wait) return Done();
    return std::make_shared<All>(std::move(sent));
  }

 private:
  const Instruction& send_;
};

class RecvEffect : public Effect {
 public:
  explicit RecvEffect(const Instruction& recv) : recv_(recv) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> /*operands*/, CallPath /*path*/,
                                   Process& process, Context&) const override {
    const Shape& shape = recv_.shape().tuple_shape(0);
    if (recv_.GetBool(Attr::kIsHostTransfer)) {
      Host* host = process.world().options().host;
      if (host == nullptr) return NoHost();
      absl::StatusOr<Literal> value = host->Receive(process.id(), HostKey(recv_), shape);
      if (!value.ok()) return value.status();
      return Done(Flatten(*value));
    }
    absl::StatusOr<std::optional<std::vector<ProcessPair>>> pairs =
        TransferPairs(recv_, process.grid());
    if (!pairs.ok()) return pairs.status();
    Channels& channels = process.world().channels();
    if (!pairs->has_value()) return channels.Receive(recv_, std::nullopt, process);
    for (const auto& [source, target] : **pairs) {
      if (target == process.number()) return channels.Receive(recv_, source, process);
    }
    std::vector<Literal> zeros;  // nobody sends to this process
    for (const Shape* leaf : Leaves(shape)) {
      absl::StatusOr<Literal> zero = process.ZeroArray(*leaf);
      if (!zero.ok()) return zero.status();
      zeros.push_back(*std::move(zero));
    }
    return Done(std::move(zeros));
  }

 private:
  const Instruction& recv_;
};

// Items without arrays are not queued: an infeed of () takes nothing.
class InfeedEffect : public Effect {
 public:
  explicit InfeedEffect(const Instruction& infeed) : infeed_(infeed) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> /*operands*/, CallPath /*path*/,
                                   Process& process, Context&) const override {
    const Shape& shape = infeed_.shape().tuple_shape(0);
    std::vector<Literal> leaves;
    if (shape.leaf_count() > 0) {
      Host* host = process.world().options().host;
      if (host == nullptr) return NoHost();
      absl::StatusOr<Literal> value = host->Infeed(process.id(), shape);
      if (!value.ok()) return value.status();
      leaves = Flatten(*value);
    }
    leaves.push_back(Literal::Token());
    return Done(std::move(leaves));
  }

 private:
  const Instruction& infeed_;
};

class OutfeedEffect : public Effect {
 public:
  explicit OutfeedEffect(const Instruction& outfeed) : outfeed_(outfeed) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context&) const override {
    const Shape& shape = outfeed_.operand(0)->shape();
    if (shape.leaf_count() > 0) {
      Host* host = process.world().options().host;
      if (host == nullptr) return NoHost();
      const absl::StatusOr<Literal> value =
          ToHost(Unflatten(shape, operands.first(operands.size() - 1)));
      if (!value.ok()) return value.status();
      absl::Status status = host->Outfeed(process.id(), *value);
      if (!status.ok()) return status;
    }
    return Done({Literal::Token()});
  }

 private:
  const Instruction& outfeed_;
};

}  // namespace

EffectOr PrepareTransferEffect(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kSend:
      return std::make_unique<SendEffect>(instruction);
    case Opcode::kRecv:
      return std::make_unique<RecvEffect>(instruction);
    case Opcode::kInfeed:
      return std::make_unique<InfeedEffect>(instruction);
    default:
      return std::make_unique<OutfeedEffect>(instruction);
  }
}

}  // namespace assay::runtime
