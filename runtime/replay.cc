#include "runtime/replay.h"

#include <utility>

#include "runtime/float_environment.h"
#include "runtime/module_plan.h"
#include "runtime/value_memory.h"
#include "runtime/world.h"

namespace assay::runtime {
namespace {

int64_t LeafBytes(const Shape& shape) {
  int64_t bytes = 0;
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->is_array()) bytes += leaf->ByteSize().value_or(0);
  }
  return bytes;
}

// The bytes of the arguments and results of all devices.
int64_t BorderBytes(const Program& program) {
  int64_t bytes = LeafBytes(program.entry().root()->shape());
  for (const Instruction* parameter : program.entry().parameters()) {
    bytes += LeafBytes(parameter->shape());
  }
  return bytes * program.grid.count();
}

}  // namespace

int64_t SelectedBranch(ElementType type, Element selector, int64_t branches) {
  if (type == ElementType::kPred) return (selector.bits & 1) != 0 ? 0 : 1;
  const int64_t branch = DecodeSigned(type, selector.bits);
  // An index out of range selects the last branch (ops_control_and_collectives.md 2.4).
  return branch < 0 || branch >= branches ? branches - 1 : branch;
}

std::unique_ptr<Replayer> ReplayerOf(absl::Span<const Program> programs,
                                     const RunOptions& options) {
  if (programs.size() != 1 || !options.observers.empty()) return nullptr;
  const Program& program = programs[0];
  const ModulePlan& plan = *program.module;
  if (!plan.repeats() || &program.entry() != plan.module().entry()) return nullptr;
  // The host decides for all devices of a graph at once.
  if (plan.decides() && program.grid.count() != 1) return nullptr;
  const auto* const engine = dynamic_cast<const DeviceEngine*>(&plan.engine());
  return engine == nullptr ? nullptr : engine->NewReplayer(program.grid.count());
}

absl::Status Record(absl::Span<const Program> programs, const RunOptions& options,
                    Replayer& replayer) {
  RunOptions recorded = options;
  recorded.budget.steps = -1;  // replays charge what they do
  World world(programs, recorded, nullptr, &replayer);
  return world.Record(BorderBytes(programs[0]));
}

absl::StatusOr<std::vector<std::vector<Literal>>> ReplayRun(const Program& program,
                                                            const RunOptions& options,
                                                            Replayer& replayer, RunStats* stats) {
  FloatEnvironmentGuard guard;
  Budget budget(options.budget.steps, options.budget.seconds);
  MemoryAccount memory(options.budget.bytes);
  absl::Status status;
  if (options.host != nullptr) status = memory.ReserveHeld(options.host->held_bytes());
  if (status.ok()) status = memory.Reserve(replayer.peak_bytes());
  if (!status.ok()) return status;
  int64_t stored_bytes = 0;
  absl::StatusOr<std::vector<Literal>> results =
      replayer.Replay(program.arguments, program.entry().root()->shape(), budget, &stored_bytes);
  if (stats != nullptr) {
    stats->steps = budget.spent();
    stats->peak_bytes = memory.peak();
    stats->stored_bytes += stored_bytes;
    replayer.AddStats(*stats);
  }
  if (!results.ok()) return results.status();
  std::vector<std::vector<Literal>> by_program;
  by_program.push_back(*std::move(results));
  return by_program;
}

}  // namespace assay::runtime
