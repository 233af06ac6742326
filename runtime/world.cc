#include "runtime/world.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/float_environment.h"

namespace assay::runtime {
struct World::Runner {
  Process process;
  Machine machine;
  Runner(const Program& program, const ProcessId& id, World& world, RandomState& random)
      : process(id, program.grid, program.module->engine(), world, world.memory_, random),
        machine(*program.module, world.options_, process, world.budget_, world.memory_,
                world.stats_) {}
};

World::World(absl::Span<const Program> programs, const RunOptions& options, RunStats* stats,
             Replayer* replayer)
    : programs_(programs),
      options_(options),
      stats_(stats),
      replayer_(replayer),
      budget_(options.budget.steps, options.budget.seconds),
      workers_(options.budget.threads < 0
                   ? WorkerPool::DefaultThreads()
                   : std::clamp<int64_t>(options.budget.threads, 1, RunBudget::kMostThreads)),
      memory_(std::make_shared<MemoryAccount>(options.budget.bytes)) {
  RandomStates& random = options.random == nullptr ? own_random_ : *options.random;
  for (size_t p = 0; p < programs.size(); ++p) {
    for (int64_t number = 0; number < programs[p].grid.count(); ++number) {
      const ProcessId id = {static_cast<int64_t>(p), programs[p].grid.ReplicaOf(number),
                            programs[p].grid.PartitionOf(number)};
      runners_.push_back(
          std::make_unique<Runner>(programs[p], id, *this, random[{id.program, number}]));
    }
  }
}

World::~World() = default;

absl::StatusOr<std::vector<std::vector<Literal>>> World::Run() {
  FloatEnvironmentGuard guard;
  absl::Status status = RunAll();
  std::vector<std::vector<Literal>> results(programs_.size());
  for (const auto& runner : runners_) {
    if (!status.ok()) break;
    absl::StatusOr<Literal> result = runner->machine.TakeResult();
    status = result.status();
    if (status.ok()) results[runner->process.id().program].push_back(*std::move(result));
  }
  if (stats_ != nullptr) WriteStats();
  if (!status.ok()) return status;
  return results;
}

absl::Status World::Record(int64_t staged_bytes) {
  FloatEnvironmentGuard guard;
  for (const auto& runner : runners_) {
    if (absl::Status status = runner->machine.PlaceConstants(); !status.ok()) return status;
  }
  const auto totals = [this] {
    RunTotals totals = {budget_.spent(), 0};
    for (const auto& runner : runners_) totals.stored_bytes += runner->machine.stored_bytes();
    return totals;
  };
  absl::StatusOr<Recorder*> recorder = replayer_->StartRecording(totals, staged_bytes);
  if (!recorder.ok()) return recorder.status();
  recorder_ = *recorder;
  if (absl::Status status = RunAll(); !status.ok()) return status;
  std::vector<RecordedPlaces> places;
  for (const auto& runner : runners_) places.push_back(runner->machine.Places());
  const int64_t held = options_.host == nullptr ? 0 : options_.host->held_bytes();
  return replayer_->EndRecording(std::move(places), memory_->peak() - held);
}

absl::Status World::RunAll() {
  if (options_.host != nullptr) {
    absl::Status status = memory_->ReserveHeld(options_.host->held_bytes());
    if (!status.ok()) return status;
  }
  for (const auto& runner : runners_) {
    const ProcessId& id = runner->process.id();
    const Program& program = programs_[id.program];
    absl::Status status =
        runner->machine.Start(program.entry(), program.arguments[runner->process.number()]);
    if (!status.ok()) return InProcess(status, *runner);
  }
  for (size_t unfinished = runners_.size(); unfinished > 0;) {
    bool moved = false;
    for (const auto& runner : runners_) {
      Machine& machine = runner->machine;
      if (machine.finished()) continue;
      if (machine.waits_for() != nullptr && !machine.waits_for()->ready()) continue;
      moved = true;
      if (runners_.size() > 1) {
        for (Observer* observer : options_.observers) observer->Enter(runner->process.id());
      }
      absl::Status status = machine.Advance();
      if (!status.ok()) return InProcess(status, *runner);
      if (machine.finished()) --unfinished;
    }
    if (!moved) return Deadlock();
  }
  return CheckEnd();
}

absl::Status World::CheckEnd() const {
  for (const auto& runner : runners_) {
    if (runner->process.departures().empty()) continue;
    return InProcess(absl::FailedPreconditionError("what was started was never done"), *runner);
  }
  return channels_.CheckEmpty();
}

absl::Status World::Deadlock() const {
  constexpr size_t kShown = 16;
  std::string text = "deadlock: no device can go on";
  size_t waiting = 0;
  for (const auto& runner : runners_) {
    const Machine& machine = runner->machine;
    if (machine.finished() || ++waiting > kShown) continue;
    const std::vector<const Instruction*> path = machine.Path();
    absl::StrAppend(&text, "; ", Name(runner->process.id()), " waits in ", path.back()->Describe());
    for (size_t i = path.size() - 1; i-- > 0;) {
      absl::StrAppend(&text, " called by ", path[i]->name());
    }
    absl::StrAppend(&text, ": ", machine.waits_for()->Awaited());
  }
  if (waiting > kShown) absl::StrAppend(&text, "; and ", waiting - kShown, " more");
  return absl::FailedPreconditionError(text);
}

absl::StatusOr<Literal> World::ZeroHostArray(const Shape& shape) const {
  if (!shape.is_array()) return Literal::Token();
  if (absl::Status status = CheckElements(options_.budget, shape); !status.ok()) return status;
  absl::StatusOr<BufferPtr> buffer = MemoryAccount::Allocate(memory_, shape);
  if (!buffer.ok()) return buffer.status();
  Literal array = Literal::FromBuffer(shape, *std::move(buffer));
  if (array.byte_size() > 0) std::memset(array.mutable_data(), 0, array.byte_size());
  return array;
}

absl::StatusOr<Literal> World::OwnedBy(const Process& process, const Literal& array) const {
  ValueMemory* const values = ValuesOf(process);
  if (values == nullptr || !array.is_array()) return array;
  absl::StatusOr<BufferPtr> buffer = Bring(array, *values, memory_);
  if (!buffer.ok()) return buffer.status();
  Literal owned = Literal::FromBuffer(array.shape(), *std::move(buffer));
  for (int64_t d = 0; d < array.shape().rank(); ++d) {
    owned.set_dynamic_size(d, array.dynamic_size(d));
  }
  return owned;
}

bool World::IsFinished(const ProcessId& id) const {
  for (const auto& runner : runners_) {
    if (runner->process.id() == id) return runner->machine.finished();
  }
  return false;
}

std::string World::Name(const ProcessId& id) const {
  const Program& program = programs_[id.program];
  std::vector<std::string> parts;
  if (program.grid.replicas > 1) parts.push_back(absl::StrCat("replica ", id.replica));
  if (program.grid.partitions > 1) parts.push_back(absl::StrCat("partition ", id.partition));
  if (parts.empty() && programs_.size() == 1) return "the only device";
  const std::string place = absl::StrJoin(parts, ", ");
  if (programs_.size() == 1) return place;
  const std::string name =
      absl::StrCat("program ", id.program, " (", program.module->module().name(), ")");
  return place.empty() ? name : absl::StrCat(place, " of ", name);
}

absl::Status World::InProcess(const absl::Status& status, const Runner& runner) const {
  if (runners_.size() == 1) return status;
  return absl::Status(status.code(),
                      absl::StrCat(status.message(), ", in ", Name(runner.process.id())));
}

void World::WriteStats() {
  for (const auto& runner : runners_) runner->machine.AddStats();
  if (replayer_ != nullptr) replayer_->AddStats(*stats_);
  stats_->steps = budget_.spent();
  stats_->peak_bytes = memory_->peak();
}

}  // namespace assay::runtime
