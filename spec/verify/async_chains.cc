// Operations in two halves: what starts is done once.
//   async_c5 the operand of a done (update) is a start (or update) of its kind
//   async_c6 a start has one done
//   async_c7 and no other users
//   async_c8 (strict) a generic start is done
// A generic asynchronous value, and one of send or recv, may pass through tuples and loops; the
// others go straight from start to done.
// Source: reference ops_control_and_collectives.md 4, 8.1. Tests: verify_cases_test.cc.
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

// The start that a done belongs to, or the other way round; nothing for other operations.
std::optional<Opcode> StartOf(Opcode done) {
  switch (done) {
    case Opcode::kAllGatherDone:
      return Opcode::kAllGatherStart;
    case Opcode::kAllReduceDone:
      return Opcode::kAllReduceStart;
    case Opcode::kCollectivePermuteDone:
      return Opcode::kCollectivePermuteStart;
    case Opcode::kCopyDone:
      return Opcode::kCopyStart;
    case Opcode::kSendDone:
      return Opcode::kSend;
    case Opcode::kRecvDone:
      return Opcode::kRecv;
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return Opcode::kAsyncStart;
    default:
      return std::nullopt;
  }
}

bool IsGeneric(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

bool IsStart(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyStart:
    case Opcode::kSend:
    case Opcode::kRecv:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
      return true;
    default:
      return false;
  }
}

// May travel through tuples and loops on its way.
bool Travels(Opcode start) {
  return IsGeneric(start) || start == Opcode::kSend || start == Opcode::kRecv;
}

bool HandsOn(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kParameter:
      return true;
    default:
      return false;
  }
}

void CheckDone(const Instruction& done, Opcode start, Findings& findings) {
  const Opcode operand = done.operand(0)->opcode();
  if (operand == start || (IsGeneric(start) && operand == Opcode::kAsyncUpdate) ||
      (Travels(start) && HandsOn(operand))) {
    return;
  }
  findings.Add("async_c5", done, absl::StrCat("operand 0 must be ", Name(start)),
               std::string(Name(operand)));
}

struct Users {
  int64_t dones = 0;
  int64_t carriers = 0;
  const Instruction* other = nullptr;
};

// An ordering-only custom call does not count as a user.
void Count(const Instruction& user, int64_t operand, Users& users) {
  const std::optional<Opcode> start = StartOf(user.opcode());
  const Opcode started = user.operand(operand)->opcode();
  if (operand == 0 && start && (*start == started || (IsGeneric(*start) && IsGeneric(started)))) {
    ++users.dones;
  } else if (Travels(started) && HandsOn(user.opcode())) {
    ++users.carriers;
  } else if (user.opcode() != Opcode::kCustomCall) {
    users.other = &user;
  }
}

void CheckUsers(const Instruction& start, const Users& users, Findings& findings) {
  if (users.other != nullptr) {
    findings.Add("async_c7", start, "what is started may only be done",
                 absl::StrCat("a use in the ", users.other->info().name, " ", users.other->name()));
    return;
  }
  const bool travels = Travels(start.opcode());
  if (users.dones > 1 || (!travels && users.dones == 0)) {
    findings.Add("async_c6", start, "a start must have one done", absl::StrCat(users.dones));
  } else if (travels && users.dones + users.carriers == 0 && start.parent()->root() != &start) {
    findings.Add("async_c8", start, "what is started must be done", "no users");
  }
}

void CheckComputation(const Computation& computation, Findings& findings) {
  std::vector<int32_t> slot(computation.instruction_count(), -1);
  std::vector<const Instruction*> starts;
  for (const auto& instruction : computation.instructions()) {
    if (IsStart(instruction->opcode())) {
      slot[instruction->index()] = static_cast<int32_t>(starts.size());
      starts.push_back(instruction.get());
    }
    const std::optional<Opcode> start = StartOf(instruction->opcode());
    if (start && instruction->operand_count() > 0) CheckDone(*instruction, *start, findings);
  }
  if (starts.empty()) return;
  std::vector<Users> users(starts.size());
  for (const auto& instruction : computation.instructions()) {
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      const int32_t at = slot[instruction->operand(i)->index()];
      if (at >= 0) Count(*instruction, i, users[at]);
    }
  }
  for (size_t i = 0; i < starts.size(); ++i) CheckUsers(*starts[i], users[i], findings);
}

}  // namespace

void CheckAsyncChains(const Module& module, Findings& findings) {
  for (const auto& computation : module.computations()) CheckComputation(*computation, findings);
}

}  // namespace assay
