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
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

// Numbers of computations by address, and who is called by how many call sites.
class CallGraph {
 public:
  explicit CallGraph(const Module& module) : module_(module) {
    for (const auto& computation : module.computations()) {
      number_[computation.get()] = static_cast<int64_t>(number_.size());
    }
    callees_.resize(number_.size());
  }
  // Reads every call; adds what is called but not there.
  void Build(Findings& findings) {
    for (const auto& computation : module_.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (!Calls(*instruction)) continue;
        for (const Computation* callee : instruction->called_computations()) {
          const auto known = number_.find(callee);
          if (known != number_.end()) {
            callees_[number_[computation.get()]].push_back(known->second);
          } else if (callee != nullptr) {
            findings.Add("calls_c1", *instruction, "what is called must belong to the module",
                         callee->name());
          }
        }
      }
    }
  }
  // Callees before callers, without those on or above a cycle.
  std::vector<const Computation*> CalleesFirst() const {
    const int64_t count = static_cast<int64_t>(callees_.size());
    std::vector<int64_t> unmet(count), ready;
    std::vector<std::vector<int64_t>> callers(count);
    for (int64_t i = 0; i < count; ++i) {
      unmet[i] = static_cast<int64_t>(callees_[i].size());
      for (int64_t callee : callees_[i]) callers[callee].push_back(i);
      if (unmet[i] == 0) ready.push_back(i);
    }
    std::vector<const Computation*> order;
    while (!ready.empty()) {
      const int64_t i = ready.back();
      ready.pop_back();
      order.push_back(module_.computations()[i].get());
      for (int64_t caller : callers[i]) {
        if (--unmet[caller] == 0) ready.push_back(caller);
      }
    }
    return order;
  }
  static bool Calls(const Instruction& instruction) {
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

 private:
  const Module& module_;
  absl::flat_hash_map<const Computation*, int64_t> number_;
  std::vector<std::vector<int64_t>> callees_;
};

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

void CheckCycles(const Module& module, const std::vector<const Computation*>& order,
                 Findings& findings) {
  if (order.size() == module.computations().size()) return;
  absl::flat_hash_map<const Computation*, bool> sound;
  for (const Computation* computation : order) sound[computation] = true;
  for (const auto& computation : module.computations()) {
    if (sound.contains(computation.get())) continue;
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
void CheckPurity(const std::vector<const Computation*>& order, Findings& findings) {
  absl::flat_hash_map<const Computation*, const Instruction*> speaker;
  for (const Computation* computation : order) {
    for (const auto& instruction : computation->instructions()) {
      if (Communicates(*instruction)) speaker.try_emplace(computation, instruction.get());
      if (!CallGraph::Calls(*instruction)) continue;
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
      if (!CallGraph::Calls(*instruction)) continue;
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
  CallGraph graph(module);
  graph.Build(findings);
  const std::vector<const Computation*> order = graph.CalleesFirst();
  CheckCycles(module, order, findings);
  CheckThreads(module, findings);
  CheckFusions(module, findings);
  if (findings.strict()) CheckPurity(order, findings);
}

}  // namespace assay
