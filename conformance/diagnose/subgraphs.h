// Finds groups of instructions that an implementation may fuse. Each instruction may be right alone
// although the fusion is wrong. Tests: subgraphs_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_SUBGRAPHS_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_SUBGRAPHS_H_

#include <cstdint>
#include <vector>

#include "spec/ir/module.h"

namespace assay::conformance {

// The largest size of a group.
inline constexpr int64_t kMostMembers = 8;

struct Subgraph {
  std::vector<const Instruction*> members;  // in the order of their computation
  // members that instructions outside of the group use, or the root
  std::vector<const Instruction*> results;
};

// An edge is fusible if implementations may compute both ends in one pass. Elementwise operations
// and moves fuse with each other, and with a reduction, window, scatter, dot or convolution that
// produces or uses their elements. Tuples and dynamic sizes do not fuse.
//
// Returns groups of 2 to `most` (at most kMostMembers) instructions. A group is connected by
// fusible edges, has at most one reduction or contraction, and is convex: no path leaves it and
// returns. Every fusible edge that belongs to some such group is in a returned group. A group takes
// as many new edges as it can, so that there are few. The order is that of their first edges and is
// deterministic. Edges whose groups are not found within 10^8 steps are omitted.
std::vector<Subgraph> FindSubgraphs(const Computation& computation, int64_t most);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_SUBGRAPHS_H_
