#include "fuzz/differential/joined_programs.h"

#include <utility>

#include "spec/analysis/effects.h"
#include "spec/builder/copy_module.h"

namespace assay::fuzz {
namespace {

// Copies the computations that an entry calls, callees first.
void CopyCallees(const Module& from, Module* to, CalleeMap* callees) {
  for (const auto& computation : from.computations()) {
    if (computation.get() == from.entry()) continue;
    std::unique_ptr<Computation> own = EmptyCopy(*computation);
    InstructionMap instructions;
    for (const auto& each : computation->instructions()) {
      instructions[each.get()] = own->Add(CopyInstruction(*each, instructions, *callees));
    }
    own->set_root(instructions.at(computation->root()));
    (*callees)[computation.get()] = to->Add(std::move(own));
  }
}

}  // namespace

bool MayBeJoined(const ProgramToJoin& program) {
  const Module& module = *program.module;
  if (program.inputs.size() != 1 || !program.inputs[0].infeed.empty()) return false;
  if (module.replica_count != 1 || module.num_partitions != 1 ||
      analysis::UsesRandomState(module)) {
    return false;
  }
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      switch (each->opcode()) {
        case Opcode::kInfeed:
        case Opcode::kOutfeed:
        case Opcode::kRecv:
        case Opcode::kSend:
          return false;
        default:
          // Ids of channels would meet.
          if (each->info().family == Family::kCollective) return false;
      }
    }
  }
  return true;
}

JoinedPrograms JoinPrograms(absl::Span<const ProgramToJoin> programs) {
  JoinedPrograms joined;
  joined.module = std::make_unique<Module>("joined");
  joined.inputs.resize(1);
  auto entry = std::make_unique<Computation>("main");
  std::vector<Instruction*> roots;
  std::vector<Shape> shapes;
  int64_t parameters = 0;
  for (const ProgramToJoin& program : programs) {
    const Computation& own = *program.module->entry();
    CalleeMap callees;
    CopyCallees(*program.module, joined.module.get(), &callees);
    InstructionMap instructions;
    for (const auto& each : own.instructions()) {
      std::unique_ptr<Instruction> copy = CopyInstruction(*each, instructions, callees);
      if (each->opcode() == Opcode::kParameter) {
        copy->set_parameter_number(parameters + each->parameter_number());
      }
      instructions[each.get()] = entry->Add(std::move(copy));
    }
    parameters += static_cast<int64_t>(own.parameters().size());
    roots.push_back(instructions.at(own.root()));
    shapes.push_back(roots.back()->shape());
    for (const Literal& argument : program.inputs[0].arguments) {
      joined.inputs[0].arguments.push_back(argument);
    }
  }
  auto root = std::make_unique<Instruction>(Opcode::kTuple, Shape::Tuple(std::move(shapes)));
  root->set_operands(roots);
  root->set_name("all");
  entry->set_root(entry->Add(std::move(root)));
  joined.module->set_entry(joined.module->Add(std::move(entry)));
  joined.module->UniquifyNames();
  return joined;
}

}  // namespace assay::fuzz
