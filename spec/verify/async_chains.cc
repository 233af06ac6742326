// Operations in two halves: what starts is done once.
//   async_c5 the operand of a done (update) is a start (or update) of its kind
//   async_c6 a start has one done
//   async_c7 and no other users
//   async_c8 (strict) what travels is done, too
//   async_c12 a done has all operands bound, and returns what the computation does
//   async_c13 what is wrapped on the main thread is one instruction on parameters, a group of
//       transfers, or marked as a group
// A generic asynchronous value may travel through tuples and loops, one of send or recv through a
// tuple; the others go straight from start to done.
// Source: reference ops_control_and_collectives.md 4, 8.1. Tests: verify_cases_test.cc.
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/ir/async_threads.h"
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

bool IsTransfer(Opcode start) { return start == Opcode::kSend || start == Opcode::kRecv; }

// May travel through tuples on its way.
bool Travels(Opcode start) { return IsAsync(start) || IsTransfer(start); }

// Instructions that hand on what is started; `opcode` may stand between.
bool HandsOn(Opcode start, Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
      return Travels(start);
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kParameter:
      return IsAsync(start);
    default:
      return false;
  }
}

void CheckDone(const Instruction& done, Opcode start, Findings& findings) {
  const Opcode operand = done.operand(0)->opcode();
  if (operand == start || (IsAsync(start) && operand == Opcode::kAsyncUpdate) ||
      (HandsOn(start, operand) && (IsAsync(start) || operand != Opcode::kTuple))) {
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
  if (operand == 0 && start && (*start == started || (IsAsync(*start) && IsAsync(started)))) {
    ++users.dones;
  } else if (HandsOn(started, user.opcode()) &&
             (IsAsync(started) || user.opcode() == Opcode::kTuple)) {
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
  const bool twice =
      users.dones > 1 || (IsTransfer(start.opcode()) && users.dones + users.carriers > 1);
  if (twice || (!travels && users.dones == 0)) {
    findings.Add("async_c6", start, "a start must have one done", absl::StrCat(users.dones));
  } else if (travels && users.dones + users.carriers == 0 && start.parent()->root() != &start) {
    findings.Add("async_c8", start, "what is started must be done", "no users");
  }
}

// The generic starts of updates and dones, found once for each.
class Starts {
 public:
  explicit Starts(const Computation& computation) : start_(computation.instruction_count()) {}
  // Null where the value has travelled. Asked in the order of the computation.
  const Instruction* Of(const Instruction& op) {
    const Instruction& operand = *op.operand(0);
    const Instruction* start = operand.opcode() == Opcode::kAsyncStart    ? &operand
                               : operand.opcode() == Opcode::kAsyncUpdate ? start_[operand.index()]
                                                                          : nullptr;
    start_[op.index()] = start;
    return start;
  }

 private:
  std::vector<const Instruction*> start_;
};

void CheckGenericDone(const Instruction& done, const Instruction& start, Findings& findings) {
  const Computation* callee = start.GetComputation(Attr::kCalls);
  const Shape& before = done.operand(0)->shape();
  if (callee == nullptr || !before.is_tuple() || before.tuple_shapes().empty()) return;
  const size_t bound = before.tuple_shape(0).tuple_shapes().size();
  const size_t needed = callee->parameters().size();
  if (bound < needed) {
    findings.Add("async_c12", done, absl::StrCat("all ", needed, " operands must be bound"),
                 absl::StrCat(bound));
  } else if (!Shape::Compatible(done.shape(), callee->root()->shape())) {
    findings.Add("async_c12", done,
                 absl::StrCat("the computation returns ", callee->root()->shape().ToString()),
                 done.shape().ToString());
  }
}

// One instruction, transfers only, or nothing but parts of parameters before the root.
void CheckWrapped(const Instruction& start, Findings& findings) {
  const Computation* wrapped = start.GetComputation(Attr::kCalls);
  if (wrapped == nullptr || wrapped->execution_thread() != "main" ||
      start.annotations().frontend_attributes.contains("_collectives_group")) {
    return;
  }
  bool transfers = true, parts = true;
  for (const auto& instruction : wrapped->instructions()) {
    const Opcode opcode = instruction->opcode();
    const bool is_part = opcode == Opcode::kParameter || opcode == Opcode::kGetTupleElement;
    transfers &= is_part || IsTransfer(opcode) || opcode == Opcode::kSendDone ||
                 opcode == Opcode::kRecvDone || opcode == Opcode::kTuple ||
                 opcode == Opcode::kBitcast || opcode == Opcode::kAfterAll;
    parts &= is_part || instruction.get() == wrapped->root();
  }
  if (transfers || parts) return;
  findings.Add("async_c13", start, "what is wrapped must be one instruction on parameters",
               absl::StrCat(wrapped->instruction_count(), " instructions in ", wrapped->name()));
}

void CheckComputation(const Computation& computation, Findings& findings) {
  Starts generic(computation);
  std::vector<int32_t> slot(computation.instruction_count(), -1);
  std::vector<const Instruction*> starts;
  for (const auto& instruction : computation.instructions()) {
    if (IsStart(instruction->opcode())) {
      slot[instruction->index()] = static_cast<int32_t>(starts.size());
      starts.push_back(instruction.get());
    }
    if (instruction->opcode() == Opcode::kAsyncStart) CheckWrapped(*instruction, findings);
    const std::optional<Opcode> start = StartOf(instruction->opcode());
    if (!start || instruction->operand_count() == 0) continue;
    CheckDone(*instruction, *start, findings);
    if (!IsAsync(*start)) continue;
    const Instruction* generic_start = generic.Of(*instruction);
    if (generic_start != nullptr && instruction->opcode() == Opcode::kAsyncDone) {
      CheckGenericDone(*instruction, *generic_start, findings);
    }
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
