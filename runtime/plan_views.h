// Which data-movement instructions a plan stores nothing for: an instruction that every user can
// read through becomes a view of slots (spec/views), and its users' kernels read it block by block.
//
// Values do not depend on it. Memory: a view keeps its sources alive until its users have run, so
// that a view that is smaller than its sources waits for a user that comes soon only. Time: a view
// whose elements lie scattered is read through by one user, one with runs along its last dimension
// by any number; what is small is stored. Tests: views_test.cc.
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
  // `live` tells by index which instructions of the computation run.
  ViewChoice(const Computation& computation, const std::vector<bool>& live);

  // Whether data movement of this kind can be a view at all.
  static bool MayBeView(const Instruction& instruction);
  // Whether all users of an instruction whose value is `view` should read through it.
  // `source_bytes`: of all the slots that it reads.
  bool ShouldStayView(const Instruction& instruction, const View& view, int64_t source_bytes) const;
  // Whether operand k of `user` can be read through `view`.
  static bool CanReadThrough(const Instruction& user, int64_t k, const View& view);

 private:
  struct Use {
    const Instruction* user;
    int64_t operand;
  };
  const Computation& computation_;
  absl::flat_hash_map<const Instruction*, std::vector<Use>> uses_;  // of those that may be views
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PLAN_VIEWS_H_
