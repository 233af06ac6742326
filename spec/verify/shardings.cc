// Shardings fit what they stand on (spec/sharding/sharding_checks.h), and each other:
//   sharding_c7 a loop, its parameters and the root of its body have one sharding, where they have
//       any; so have a conditional and the roots of its branches
// Source: reference ops_control_and_collectives.md 12. Tests: verify_cases_test.cc.
#include "absl/container/inlined_vector.h"
#include "spec/sharding/sharding_checks.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

const Sharding* ShardingOf(const Instruction& instruction) {
  if (!instruction.has_annotations() || !instruction.annotations().sharding) return nullptr;
  return &*instruction.annotations().sharding;
}

void Report(const Instruction& where, std::optional<ShardingProblem> problem, Findings& findings) {
  if (!problem) return;
  findings.Add(problem->clause, where, std::move(problem->expected), std::move(problem->found));
}

void CheckOne(const Instruction& instruction, const Sharding& sharding, int64_t partitions,
              Findings& findings) {
  const Shape& shape = instruction.shape();
  if (shape.is_token()) return;  // that of what an outfeed or send takes
  std::vector<LeafSharding> leaves;
  Report(instruction, ShardingsOfLeaves(sharding, shape, &leaves), findings);
  for (const LeafSharding& leaf : leaves) {
    Report(instruction, FindShardingProblem(leaf, partitions), findings);
  }
}

// Values that pass from one of these to another stay where they are.
using Places = absl::InlinedVector<const Instruction*, 4>;
Places PlacesOfOneValue(const Instruction& op) {
  Places places = {&op};
  const auto add_parameters = [&](const Computation* computation) {
    const std::vector<Instruction*> parameters = computation->parameters();
    places.insert(places.end(), parameters.begin(), parameters.end());
  };
  if (op.opcode() == Opcode::kWhile) {
    const Computation* body = op.GetComputation(Attr::kBody);
    const Computation* condition = op.GetComputation(Attr::kCondition);
    if (body == nullptr || condition == nullptr) return {};
    places.push_back(body->root());
    add_parameters(body);
    add_parameters(condition);
  } else if (op.opcode() == Opcode::kConditional) {
    for (const Computation* branch : op.called_computations()) places.push_back(branch->root());
  }
  return places;
}

void CheckTogether(const Instruction& op, Findings& findings) {
  const Instruction* first = nullptr;
  for (const Instruction* place : PlacesOfOneValue(op)) {
    if (place == nullptr || ShardingOf(*place) == nullptr) continue;
    if (first == nullptr) first = place;
    if (MayBeSameSharding(*ShardingOf(*first), *ShardingOf(*place))) continue;
    findings.Add("sharding_c7", op,
                 absl::StrCat("what passes through a ", op.info().name, " must have one sharding"),
                 absl::StrCat("another one on ", place->name(), " than on ", first->name()));
    return;
  }
}

}  // namespace

void CheckShardings(const Module& module, Findings& findings) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (const Sharding* sharding = ShardingOf(*instruction)) {
        CheckOne(*instruction, *sharding, module.num_partitions, findings);
      }
      const Opcode opcode = instruction->opcode();
      if (opcode == Opcode::kWhile || opcode == Opcode::kConditional) {
        CheckTogether(*instruction, findings);
      }
    }
  }
}

}  // namespace assay
