// Which instructions an implementation would compute together: asked of it alone, each may be right
// although their fusion is not. Tests: subgraphs_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_SUBGRAPHS_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_SUBGRAPHS_H_

#include <cstdint>
#include <vector>

#include "spec/ir/module.h"

namespace assay {

// Instructions of a group, at most.
inline constexpr int64_t kMostMembers = 8;

struct Subgraph {
  std::vector<const Instruction*> members;  // in the order of their computation
  std::vector<const Instruction*> results;  // members that are taken outside, or the root
};

// An edge is fusible where implementations compute both ends in one pass: elementwise operations
// and those that move elements join whatever gives or takes their elements, one another, and a
// reduction, window, scatter, dot or convolution in front or behind. Not tuples, nor dynamic sizes.
//
// Groups of 2 to `most` (at most kMostMembers) instructions: connected by fusible edges, with one
// reduction or contraction at most, and convex, which is to say that no path leaves a group and
// comes back. Every fusible edge that lies in any such group lies in one of these, and a group
// takes as many new edges as it can hold, so that there are few. In the order of their first edges;
// the same for the same computation. Edges whose groups cannot be told within 10^8 steps are left
// out.
std::vector<Subgraph> FindSubgraphs(const Computation& computation, int64_t most);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_SUBGRAPHS_H_
