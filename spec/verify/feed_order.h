// Whether the infeeds of a module, or its outfeeds, are in a total order.
// Tests: spec/verify/testdata/module.cases (feed_c1), conformance/seeds/semantics_2017_test.cc.
#ifndef ASSAY_SPEC_VERIFY_FEED_ORDER_H_
#define ASSAY_SPEC_VERIFY_FEED_ORDER_H_

#include <vector>

#include "spec/ir/module.h"

namespace assay {

// Two instructions of one computation that no path of operands and control edges joins. Each is a
// feed, or calls a computation with a feed.
struct UnorderedFeeds {
  const Instruction* first;
  const Instruction* second;
};

// Pairs that break the total order of the feeds with this opcode, kInfeed or kOutfeed: not all of
// them, but none just where the order is total. It is total across computations if it is total
// within each, where a loop, a call or a branch that contains a feed counts as one. The graph must
// be sound.
std::vector<UnorderedFeeds> FindUnorderedFeeds(const Module& module, Opcode feed);

}  // namespace assay

#endif  // ASSAY_SPEC_VERIFY_FEED_ORDER_H_
