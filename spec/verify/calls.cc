// Who calls whom.
//   calls_c1 what is called belongs to the module
//   calls_c2 no computation calls itself, directly or through others
//   calls_c3 the entry is no fused computation
//   calls_c4 while, conditional and fusion run on the thread of what they call
//   calls_c5 (strict) what is applied per element neither communicates nor draws from a host
//   calls_c6 (strict) so does a call
//   fusion_c4 a fused computation has one caller, its fusion
//   fusion_c5 nothing uses a fused root
//   fusion_c6 what is fused, parameters too, has users or side effects
// Source: reference ops_control_and_collectives.md 1.4, 1.5, 2.6, 4.3. Tests:
// verify_cases_test.cc, verifier_test.cc.
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/analysis/call_order.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

// The instructions of these families call nothing.
bool Calls(const Instruction& instruction) {
  switch (instruction.info().family) {
    case Family::kElementwise:
    case Family::kMovement:
    case Family::kContraction:
    case Family::kLinearAlgebra:
    case Family::kRandom:
      return false;
    default:
      return true;
  }
}

using Callees = absl::flat_hash_map<const Computation*, std::vector<const Computation*>>;

// What each computation calls; a finding for each call of what the module does not have.
Callees FindCallees(const Module& module, Findings& findings) {
  Callees callees;
  for (const auto& computation : module.computations()) callees[computation.get()];
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!Calls(*instruction)) continue;
      for (const Computation* callee : instruction->called_computations()) {
        if (callees.contains(callee)) {
          callees[computation.get()].push_back(callee);
        } else if (callee != nullptr) {
          findings.Add("calls_c1", *instruction, "what is called must belong to the module",
                       callee->name());
        }
      }
    }
  }
  return callees;
}

// What waits for the other processes or the host.
bool Communicates(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kCustomCall:
      return false;
    default:
      return instruction.info().family == Family::kCollective ||
             instruction.info().family == Family::kHost;
  }
}

// Runs what it calls any number of times, in any order.
bool AppliesPerElement(const Instruction& instruction) {
  const Family family = instruction.info().family;
  return family == Family::kReduction || family == Family::kIndexing ||
         family == Family::kCollective;
}

// The clause by which a caller and what it calls have one thread; none for those that may differ.
absl::string_view ThreadClause(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return "calls_c4";
    case Opcode::kCall:
      return "calls_c6";
    default:
      return "";
  }
}

void CheckCycles(const Module& module, const analysis::CallOrder& order, Findings& findings) {
  if (order.circular.empty()) return;
  for (const auto& computation : module.computations()) {
    if (!order.circular.contains(computation.get())) continue;
    findings.Add("calls_c2", *computation, "no computation may call itself",
                 absl::StrCat(computation->name(), " on a cycle of calls, or above one"));
  }
}

void CheckThreads(const Module& module, Findings& findings) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const absl::string_view clause = ThreadClause(instruction->opcode());
      if (clause.empty()) continue;
      for (const Computation* callee : instruction->called_computations()) {
        if (callee == nullptr || callee->execution_thread() == computation->execution_thread()) {
          continue;
        }
        findings.Add(clause, *instruction,
                     absl::StrCat("what is called must run on the thread of its caller, '",
                                  computation->execution_thread(), "'"),
                     absl::StrCat(callee->name(), " on '", callee->execution_thread(), "'"));
      }
    }
  }
}

// Callees first, so that what a computation calls is known to communicate or not.
void CheckPurity(const analysis::CallOrder& order, Findings& findings) {
  absl::flat_hash_map<const Computation*, const Instruction*> speaker;
  for (const Computation* computation : order.callees_first) {
    if (order.circular.contains(computation)) continue;
    for (const auto& instruction : computation->instructions()) {
      if (Communicates(*instruction)) speaker.try_emplace(computation, instruction.get());
      if (!Calls(*instruction)) continue;
      for (const Computation* callee : instruction->called_computations()) {
        const auto found = speaker.find(callee);
        if (found == speaker.end()) continue;
        const Instruction* communicates = found->second;
        speaker.try_emplace(computation, communicates);
        if (!AppliesPerElement(*instruction)) continue;
        findings.Add("calls_c5", *instruction, "what is applied per element must not communicate",
                     communicates->name());
      }
    }
  }
}

// Of its own, whatever it calls.
bool HasSideEffect(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kReduceScatter:
      return instruction.FindInt(Attr::kChannelId).has_value() ||
             (instruction.info().FindAttribute(Attr::kConstrainLayout) != nullptr &&
              instruction.GetBool(Attr::kConstrainLayout));
    case Opcode::kRaggedAllToAll:
      return false;
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
      return true;
    case Opcode::kCustomCall:
      return instruction.GetBool(Attr::kCustomCallHasSideEffect);
    default:
      return Communicates(instruction);
  }
}

void CheckFusedBody(const Computation& body, Findings& findings) {
  std::vector<int32_t> users(body.instruction_count(), 0);
  for (const auto& instruction : body.instructions()) {
    for (const Instruction* operand : instruction->operands()) ++users[operand->index()];
  }
  const Instruction* root = body.root();
  if (users[root->index()] > 0) {
    findings.Add("fusion_c5", *root, "nothing may use the root of a fused computation",
                 absl::StrCat(users[root->index()], " users"));
  }
  for (const auto& instruction : body.instructions()) {
    if (instruction.get() == root || users[instruction->index()] > 0 ||
        HasSideEffect(*instruction)) {
      continue;
    }
    findings.Add("fusion_c6", *instruction, "an instruction in a fused computation must have users",
                 "none");
  }
}

void CheckFusions(const Module& module, Findings& findings) {
  absl::flat_hash_map<const Computation*, const Instruction*> fused;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kFusion) continue;
      const Computation* body = instruction->GetComputation(Attr::kCalls);
      if (body != nullptr) fused.try_emplace(body, instruction.get());
    }
  }
  if (fused.empty()) return;
  for (const auto& computation : module.computations()) {
    if (fused.contains(computation.get())) CheckFusedBody(*computation, findings);
    for (const auto& instruction : computation->instructions()) {
      if (!Calls(*instruction)) continue;
      for (const Computation* callee : instruction->called_computations()) {
        const auto owner = fused.find(callee);
        if (owner == fused.end() || owner->second == instruction.get()) continue;
        findings.Add("fusion_c4", *instruction,
                     absl::StrCat("a fused computation has one caller, the fusion ",
                                  owner->second->name(), " for ", callee->name()),
                     absl::StrCat("another, ", instruction->name()));
      }
    }
  }
  if (fused.contains(module.entry())) {
    findings.Add("calls_c3", *module.entry(), "the entry must not be a fused computation",
                 absl::StrCat("the fusion ", fused[module.entry()]->name()));
  }
}

}  // namespace

void CheckCalls(const Module& module, Findings& findings) {
  Callees callees = FindCallees(module, findings);
  std::vector<const Computation*> roots;
  for (const auto& computation : module.computations()) roots.push_back(computation.get());
  const analysis::CallOrder order = analysis::FindCallOrder(
      roots, [&](const Computation& caller) { return std::move(callees[&caller]); });
  CheckCycles(module, order, findings);
  CheckThreads(module, findings);
  CheckFusions(module, findings);
  if (findings.strict()) CheckPurity(order, findings);
}

}  // namespace assay
