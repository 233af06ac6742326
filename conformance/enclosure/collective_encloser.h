// Encloses the results of a collective on all participating devices. A collective that moves
// elements moves both ends of their intervals. A reduction is enclosed as a reduce over the
// operands of a group's members, with all deviations that the profile permits for a reduce. Tests:
// conformance/diagnose/several_processes_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_COLLECTIVE_ENCLOSER_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_COLLECTIVE_ENCLOSER_H_

#include <functional>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

class CollectiveEncloser {
 public:
  // Encloses a computation without collectives on one device.
  using EncloseAlone =
      std::function<absl::StatusOr<BoxTree>(const Computation&, std::vector<BoxTree> arguments)>;

  // The profile must outlive the object.
  CollectiveEncloser(const ProcessGrid& grid, const TargetProfile& profile, const RunBudget& budget,
                     EncloseAlone enclose_alone);

  // Encloses the collective on the devices of `team` (flattened ids, in rising order), each with
  // its operands. Returns the result of each device; an async start also returns the operands that
  // it passes on. The result of a device is unconstrained if members of its group are not in the
  // team. Returns UNIMPLEMENTED for dynamic sizes that are not points and INVALID_ARGUMENT for
  // groups that do not fit the grid.
  absl::StatusOr<std::vector<BoxTree>> Meet(const Instruction& collective,
                                            absl::Span<const int64_t> team,
                                            const std::vector<std::vector<BoxTree>>& operands);

 private:
  // The collective in a module of its own, with its async done if it has one.
  struct Golden {
    std::unique_ptr<Module> module;  // null if the async done is missing
    std::unique_ptr<PlannedModule> planned;
    std::vector<int64_t> operand_of_parameter;
  };
  struct Meeting;

  absl::StatusOr<std::vector<BoxTree>> Move(const Meeting& meeting);
  absl::StatusOr<std::vector<BoxTree>> Reduce(const Meeting& meeting);
  absl::StatusOr<BoxTree> ReduceGroup(const Meeting& meeting, const std::vector<size_t>& members,
                                      size_t position);
  absl::StatusOr<std::vector<std::vector<Literal>>> RunGolden(
      const Meeting& meeting, const std::function<Literal(const Box&)>& part);
  absl::StatusOr<const Golden*> GoldenOf(const Instruction& collective);
  const Computation& ReduceOf(const Instruction& collective, size_t operand, size_t members,
                              size_t position);

  const ProcessGrid grid_;
  const TargetProfile& profile_;
  RunOptions options_;
  const EncloseAlone enclose_alone_;
  absl::flat_hash_map<const Instruction*, Golden> goldens_;
  // The key is the collective, operand, number of members and, for a reduce-scatter, the position
  // in the group.
  absl::flat_hash_map<std::tuple<const Instruction*, size_t, size_t, size_t>,
                      std::unique_ptr<Module>>
      reduces_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_COLLECTIVE_ENCLOSER_H_
