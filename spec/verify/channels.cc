// Channels tie instructions together. Collectives of different opcodes may share a channel: JAX
// gives channel 1 to all of a program. Devices that meet there with different opcodes are refused
// when they run (runtime/rendezvous.h).
//   channel_c2 (strict) a channel of send or recv has no other kind of instruction
//   channel_c3 (strict) a channel to the host has one send or recv, and its done
//   channel_c4 send-done and recv-done have channel and host flag of their start
//   channel_c5 what sends or receives over a channel to the host is alike: opcode, shape, frontend
//       attributes
// Source: reference ops_control_and_collectives.md 5.2, 8.1. Tests: verify_cases_test.cc.
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

bool IsTransferPart(Opcode opcode) {
  return opcode == Opcode::kSend || opcode == Opcode::kSendDone || opcode == Opcode::kRecv ||
         opcode == Opcode::kRecvDone;
}

bool IsDone(Opcode opcode) { return opcode == Opcode::kSendDone || opcode == Opcode::kRecvDone; }

struct Channel {
  const Instruction* first = nullptr;
  const Instruction* host_transfer = nullptr;  // the first send or recv with the host
};

// A send or recv on a channel to the host.
void CheckHostTransfer(const Instruction& op, int64_t id, Channel& channel, Findings& findings) {
  if (channel.host_transfer == nullptr) {
    channel.host_transfer = &op;
    return;
  }
  const Instruction& other = *channel.host_transfer;
  const std::string found =
      absl::StrCat(op.info().name, " of ", op.shape().ToString(), " beside the ", other.info().name,
                   " ", other.name(), " of ", other.shape().ToString());
  const bool alike =
      op.opcode() == other.opcode() && Shape::Compatible(op.shape(), other.shape()) &&
      op.annotations().frontend_attributes == other.annotations().frontend_attributes;
  findings.Add(alike ? "channel_c3" : "channel_c5", op,
               absl::StrCat("channel ", id, " must have one ",
                            alike ? "transfer with the host" : "kind of transfer with the host"),
               found);
}

void CheckSharing(const Instruction& op, Channel& channel, Findings& findings) {
  if (channel.first == nullptr) channel.first = &op;
  const Instruction& first = *channel.first;
  const int64_t id = *op.FindInt(Attr::kChannelId);
  const std::string other =
      absl::StrCat(op.info().name, " beside the ", first.info().name, " ", first.name());
  if (IsTransferPart(op.opcode()) != IsTransferPart(first.opcode())) {
    findings.Add("channel_c2", op,
                 absl::StrCat("channel ", id, " must not mix transfers with collectives"), other);
  }
  if (IsTransferPart(op.opcode()) && !IsDone(op.opcode()) && op.GetBool(Attr::kIsHostTransfer)) {
    CheckHostTransfer(op, id, channel, findings);
  }
}

void CheckDone(const Instruction& done, Findings& findings) {
  const Instruction& start = *done.operand(0);
  if (start.opcode() != Opcode::kSend && start.opcode() != Opcode::kRecv) return;
  auto text = [](const Instruction& op) {
    const std::optional<int64_t> id = op.FindInt(Attr::kChannelId);
    return absl::StrCat(id ? absl::StrCat("channel ", *id) : std::string("no channel"),
                        op.GetBool(Attr::kIsHostTransfer) ? ", host" : "");
  };
  if (text(done) == text(start)) return;
  findings.Add(
      "channel_c4", done,
      absl::StrCat("channel and host flag must be those of ", start.name(), ", ", text(start)),
      text(done));
}

}  // namespace

void CheckChannels(const Module& module, Findings& findings) {
  absl::flat_hash_map<int64_t, Channel> channels;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Family family = instruction->info().family;
      if (family != Family::kCollective && family != Family::kHost) continue;
      if (IsDone(instruction->opcode()) && instruction->operand_count() == 1) {
        CheckDone(*instruction, findings);
      }
      if (instruction->info().FindAttribute(Attr::kChannelId) == nullptr) continue;
      const std::optional<int64_t> id = instruction->FindInt(Attr::kChannelId);
      if (id && *id > 0) CheckSharing(*instruction, channels[*id], findings);
    }
  }
}

}  // namespace assay
