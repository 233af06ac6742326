// The rendezvous of a program's devices: collectives of groups, and deliveries from one device to
// another. A meeting is identified by its place (the channel, or the instruction with the calls
// that led to it), its members, and how often each has been there. Source: reference
// ops_control_and_collectives.md 6, 7. Tests: runtime/process_groups_test.cc,
// collective_forms_test.cc.
#ifndef ASSAY_RUNTIME_RENDEZVOUS_H_
#define ASSAY_RUNTIME_RENDEZVOUS_H_

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/border_sums.h"
#include "runtime/engine.h"
#include "runtime/pending.h"
#include "runtime/process.h"
#include "spec/ir/module.h"

namespace assay::runtime {

class Rendezvous {
 public:
  // Adds the device with its operands to a meeting of `members` (flattened ids of its program,
  // including itself). The last member computes the results of all. At the end of a manual region,
  // each member gets the operands of all, member after member; `sums`, which must outlive the
  // meeting, says which of them are added before. Returns INVALID_ARGUMENT if others came to the
  // same place with another operation.
  absl::StatusOr<PendingPtr> Meet(const Instruction& collective, CallPath path,
                                  const std::vector<int64_t>& members,
                                  absl::Span<const Literal> brought, Process& process,
                                  Context& context, absl::Span<const BorderSum> sums = {});

  // Returns how often the device has been at this place before, and counts the visit.
  int64_t Visit(const Instruction& instruction, CallPath path, const Process& process);

  // Delivers values from the device `source` to the device `target` (flattened ids).
  void Deliver(const Instruction& instruction, CallPath path, int64_t visit, int64_t source,
               int64_t target, const Process& process, std::vector<Literal> values);
  PendingPtr Collect(const Instruction& instruction, CallPath path, int64_t visit, int64_t source,
                     int64_t target, const Process& process);

 private:
  // Program, channel (-1 if there is none) and, without a channel, the path.
  using Place = std::tuple<int64_t, int64_t, std::vector<const Instruction*>>;
  struct Meeting;
  class Seat;
  struct Parcel;
  class Delivery;

  static Place PlaceOf(const Instruction& instruction, CallPath path, int64_t program);
  std::shared_ptr<Parcel> ParcelAt(const Instruction& instruction, CallPath path, int64_t visit,
                                   int64_t source, int64_t target, const Process& process);
  absl::Status Conclude(Meeting& meeting, Process& process, Context& context);
  // Computes the collective where the members' values lie, if the engine does so. Returns false
  // otherwise.
  absl::StatusOr<bool> ConcludeTogether(Meeting& meeting, const Process& process, Context& context);
  absl::Status AddSummands(const BorderSum& sum, Meeting& meeting, Process& process,
                           Context& context);
  absl::Status ConcludeOnSizes(Meeting& meeting, Process& process, Context& context);
  absl::StatusOr<const Kernel*> KernelFor(const Instruction& collective, int64_t members,
                                          int64_t position, const Engine& engine);

  // The key is place, members and visit.
  absl::flat_hash_map<std::tuple<Place, std::vector<int64_t>, int64_t>, std::shared_ptr<Meeting>>
      meetings_;
  absl::flat_hash_map<std::tuple<Place, int64_t>, int64_t> visits_;  // by place and device
  // The key is place, visit, source and target.
  absl::flat_hash_map<std::tuple<Place, int64_t, int64_t, int64_t>, std::shared_ptr<Parcel>>
      parcels_;
  absl::flat_hash_map<std::tuple<const Instruction*, int64_t, int64_t>, std::unique_ptr<Kernel>>
      kernels_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_RENDEZVOUS_H_
