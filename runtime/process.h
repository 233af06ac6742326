// One process of a run: who it is, and what it owns besides the values of its instructions. The
// processes of a program are replicas times partitions; programs that talk over channels run
// together. Source: reference ops_control_and_collectives.md 5. Tests: world_test.cc.
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

// An instruction with the calls that led to it, outermost first: where an effect takes place.
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
  // Flattened id among the processes of its program.
  int64_t number() const { return grid_.Flatten(id_.replica, id_.partition); }
  // Who computes for it.
  const Engine& engine() const { return engine_; }
  World& world() const { return world_; }
  RandomState& random() { return random_; }

  // Arrays and tuples counted against the budget of bytes. Elements of NewArray are undefined.
  absl::StatusOr<Literal> NewArray(const Shape& shape) const;
  absl::StatusOr<Literal> ZeroArray(const Shape& shape) const;

  // Values on their way, by the storage that stands for them until they have come.
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
