// A device of a run (a place in the grid of replicas and partitions, called a process in the code):
// its identity, and its state apart from the values of its instructions. Programs that communicate
// over channels run together. Source: reference ops_control_and_collectives.md 5. Tests:
// world_test.cc.
#ifndef ASSAY_RUNTIME_PROCESS_H_
#define ASSAY_RUNTIME_PROCESS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/host.h"
#include "runtime/memory.h"
#include "runtime/pending.h"
#include "runtime/process_groups.h"
#include "runtime/random_state.h"

namespace assay::runtime {

class Engine;
class World;

// An instruction with the calls that led to it, outermost first. It identifies the place of an
// effect.
using CallPath = absl::Span<const Instruction* const>;

class Process {
 public:
  Process(const ProcessId& id, const ProcessGrid& grid, const Engine& engine, World& world,
          std::shared_ptr<MemoryAccount> memory, RandomState& random)
      : id_(id),
        grid_(grid),
        engine_(engine),
        world_(world),
        memory_(std::move(memory)),
        random_(random) {}

  const ProcessId& id() const { return id_; }
  const ProcessGrid& grid() const { return grid_; }
  // Returns the flattened id in the grid of its program.
  int64_t number() const { return grid_.Flatten(id_.replica, id_.partition); }
  // Returns the engine that computes for this device.
  const Engine& engine() const { return engine_; }
  World& world() const { return world_; }
  RandomState& random() { return random_; }

  // Return arrays that are counted against the budget of bytes. NewArray does not initialise
  // elements.
  absl::StatusOr<Literal> NewArray(const Shape& shape) const;
  absl::StatusOr<Literal> ZeroArray(const Shape& shape) const;

  // Results of async starts, by the storage that represents them until they are ready.
  struct Departure {
    BufferPtr storage;
    PendingPtr pending;
  };
  absl::flat_hash_map<const std::byte*, Departure>& departures() { return departures_; }

 private:
  ProcessId id_;
  ProcessGrid grid_;
  const Engine& engine_;
  World& world_;
  std::shared_ptr<MemoryAccount> memory_;
  RandomState& random_;
  absl::flat_hash_map<const std::byte*, Departure> departures_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PROCESS_H_
