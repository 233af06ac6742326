#include "runtime/run.h"

#include "absl/strings/str_cat.h"
#include "runtime/replay.h"
#include "runtime/world.h"
#include "spec/ir/entry.h"

namespace assay::runtime {

absl::Status CheckArguments(const Computation& entry, absl::Span<const Literal> arguments) {
  if (absl::Status status = CheckParameters(entry); !status.ok()) return status;
  const std::vector<Instruction*> parameters = entry.parameters();
  if (parameters.size() != arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat("computation ", entry.name(), " takes ",
                                                   parameters.size(), " arguments, ",
                                                   arguments.size(), " were given"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (Shape::Compatible(parameters[i]->shape(), arguments[i].shape())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("argument ", i, " has shape ", arguments[i].shape().ToString(), ", but ",
                     parameters[i]->Describe(), " wants ", parameters[i]->shape().ToString()));
  }
  return absl::OkStatus();
}

absl::Status CheckGrid(const ProcessGrid& grid) {
  if (grid.replicas < 1 || grid.partitions < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a run needs at least one replica and one partition, found ", grid.replicas,
                     " replicas and ", grid.partitions, " partitions"));
  }
  if (grid.count() <= kMostProcesses) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(grid.replicas, " replicas of ", grid.partitions,
                                                   " partitions are more than ", kMostProcesses,
                                                   " devices"));
}

namespace {

// Returns true if a record has failed for the budget, for want of memory or for an interrupt, all
// of which may be otherwise in another run.
bool MayBeRecordedLater(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsCancelled(status);
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Literal>>> RunPrograms(absl::Span<const Program> programs,
                                                              const RunOptions& options,
                                                              RunStats* stats) {
  for (const Program& program : programs) {
    if (absl::Status status = CheckGrid(program.grid); !status.ok()) return status;
    const auto processes = static_cast<int64_t>(program.arguments.size());
    if (processes != program.grid.count()) {
      return absl::InvalidArgumentError(
          absl::StrCat("module ", program.module->module().name(), " runs on ",
                       program.grid.count(), " devices, but there are arguments for ", processes));
    }
    for (const std::vector<Literal>& arguments : program.arguments) {
      absl::Status status = CheckArguments(program.entry(), arguments);
      if (!status.ok()) return status;
    }
  }
  const std::unique_ptr<Replayer> replayer = ReplayerOf(programs, options);
  Replayer::Mode mode = replayer == nullptr ? Replayer::Mode::kRun : replayer->Begin();
  if (mode == Replayer::Mode::kRecord) {
    const absl::Status recorded = Record(programs, options, *replayer);
    mode = recorded.ok() ? Replayer::Mode::kReplay : Replayer::Mode::kRun;
    if (MayBeRecordedLater(recorded)) {
      replayer->DropRecord();
    } else if (!recorded.ok()) {
      replayer->RefuseRecord();
    }
  }
  if (mode == Replayer::Mode::kReplay) return ReplayRun(programs[0], options, *replayer, stats);
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      World(programs, options, stats, replayer.get()).Run();
  if (results.ok() && replayer != nullptr) replayer->AfterRun();
  return results;
}

}  // namespace assay::runtime
