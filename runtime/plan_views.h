// Selects the data-movement instructions that a plan does not store. An instruction that every user
// can read through becomes a view of slots (spec/views), and its users' kernels read it block by
// block.
//
// Values do not depend on the choice; memory and time do. A view keeps its sources alive until its
// users have run, so a view that is smaller than its sources must have a user that follows soon. A
// view with scattered elements may have one user, a view with runs along its last dimension any
// number. Small values are stored. Tests: views_test.cc.
#ifndef ASSAY_RUNTIME_PLAN_VIEWS_H_
#define ASSAY_RUNTIME_PLAN_VIEWS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::runtime {

class ViewChoice {
 public:
  // `live` tells, by index, which instructions of the computation run.
  ViewChoice(const Computation& computation, const std::vector<bool>& live);

  // Returns true if this kind of data movement can be a view.
  static bool MayBeView(const Instruction& instruction);
  // Returns true if all users of an instruction with the value `view` should read through it.
  // `source_bytes` is the size of all slots that it reads.
  bool ShouldStayView(const Instruction& instruction, const View& view, int64_t source_bytes) const;
  // Returns true if operand k of `user` can be read through `view`.
  static bool CanReadThrough(const Instruction& user, int64_t k, const View& view);

 private:
  struct Use {
    const Instruction* user;
    int64_t operand;
  };
  const Computation& computation_;
  // the uses of instructions that may be views
  absl::flat_hash_map<const Instruction*, std::vector<Use>> uses_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PLAN_VIEWS_H_
