#include "runtime/channels.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/world.h"

namespace assay::runtime {

struct Channels::Message {
  const Instruction* send = nullptr;
  std::string sender;
  std::optional<Literal> value;
  bool has_receiver = false;  // a recv for it has begun
};

class Channels::Arrival : public Pending {
 public:
  Arrival(std::shared_ptr<Message> message, const Instruction& recv, std::string awaited)
      : message_(std::move(message)), recv_(recv), awaited_(std::move(awaited)) {}
  bool ready() const override { return message_->value.has_value(); }
  absl::StatusOr<std::vector<Literal>> Take() override {
    const Shape& wanted = recv_.shape().tuple_shape(0);
    if (!Shape::Compatible(wanted, message_->value->shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat(message_->send->name(), " of ", message_->sender, " sent ",
                       message_->value->shape().ToString(), ", but ", recv_.name(), " receives ",
                       wanted.ToString()));
    }
    return Flatten(*std::exchange(message_->value, std::nullopt));
  }
  std::string Awaited() const override { return awaited_; }

 private:
  std::shared_ptr<Message> message_;
  const Instruction& recv_;
  std::string awaited_;
};

class Channels::Delivery : public Pending {
 public:
  Delivery(std::shared_ptr<Message> message, std::string awaited)
      : message_(std::move(message)), awaited_(std::move(awaited)) {}
  bool ready() const override { return message_->has_receiver; }
  bool delays_start() const override { return true; }
  absl::StatusOr<std::vector<Literal>> Take() override { return std::vector<Literal>(); }
  std::string Awaited() const override { return awaited_; }

 private:
  std::shared_ptr<Message> message_;
  std::string awaited_;
};

namespace {

int64_t ChannelOf(const Instruction& transfer) {
  return transfer.FindInt(Attr::kChannelId).value_or(0);
}

}  // namespace

absl::Status Channels::Claim(std::optional<ProcessId>& end, const Instruction& transfer,
                             const Process& process) {
  if (!end.has_value()) end = process.id();
  if (*end == process.id()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "both ", process.world().Name(*end), " and ", process.world().Name(process.id()), " ",
      transfer.opcode() == Opcode::kSend ? "send" : "receive", " on channel ", ChannelOf(transfer),
      "; without _xla_send_recv_source_target_pairs a channel joins one device to another"));
}

absl::StatusOr<PendingPtr> Channels::Send(const Instruction& send, std::optional<int64_t> target,
                                          const Literal& value, const Process& process) {
  const int64_t channel = ChannelOf(send);
  Line line = {-1, channel, -1, -1};
  std::string awaited = absl::StrCat("no device has begun to receive on channel ", channel);
  if (target.has_value()) {
    line = {process.id().program, channel, process.number(), *target};
    ProcessId receiver = process.id();
    receiver.replica = process.grid().ReplicaOf(*target);
    receiver.partition = process.grid().PartitionOf(*target);
    awaited = absl::StrCat(process.world().Name(receiver), " has not begun to receive it");
  } else if (absl::Status status = Claim(ends_[channel].sender, send, process); !status.ok()) {
    return status;
  }
  std::shared_ptr<Message> message;
  if (auto& awaited = unsent_[line]; !awaited.empty()) {
    message = std::move(awaited.front());
    awaited.pop_front();
  } else {
    message = unreceived_[line].emplace_back(std::make_shared<Message>());
  }
  message->send = &send;
  message->sender = process.world().Name(process.id());
  message->value = value;
  return std::make_shared<Delivery>(std::move(message), std::move(awaited));
}

absl::StatusOr<PendingPtr> Channels::Receive(const Instruction& recv, std::optional<int64_t> source,
                                             const Process& process) {
  const int64_t channel = ChannelOf(recv);
  Line line = {-1, channel, -1, -1};
  std::string awaited = absl::StrCat("no device has sent on channel ", channel);
  if (source.has_value()) {
    line = {process.id().program, channel, *source, process.number()};
    ProcessId sender = process.id();
    sender.replica = process.grid().ReplicaOf(*source);
    sender.partition = process.grid().PartitionOf(*source);
    awaited = absl::StrCat(process.world().Name(sender), " has not sent it");
  } else if (absl::Status status = Claim(ends_[channel].receiver, recv, process); !status.ok()) {
    return status;
  }
  std::shared_ptr<Message> message;
  if (auto& sent = unreceived_[line]; !sent.empty()) {
    message = std::move(sent.front());
    sent.pop_front();
  } else {
    message = unsent_[line].emplace_back(std::make_shared<Message>());
  }
  message->has_receiver = true;
  return std::make_shared<Arrival>(std::move(message), recv, std::move(awaited));
}

absl::Status Channels::CheckEmpty() const {
  for (const auto& [line, messages] : unreceived_) {
    if (messages.empty()) continue;
    const Message& message = *messages.front();
    return absl::FailedPreconditionError(absl::StrCat(
        "what ", message.sender, " sent was never received: ", message.send->Describe()));
  }
  return absl::OkStatus();
}

}  // namespace assay::runtime
