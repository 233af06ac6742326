// The checks of whole modules, one concept a file. Each is linear in what it looks at and adds a
// finding for everything that is wrong. Private to spec/verify. Tests: verify_cases_test.cc.
#ifndef ASSAY_SPEC_VERIFY_MODULE_CHECKS_H_
#define ASSAY_SPEC_VERIFY_MODULE_CHECKS_H_

#include "spec/verify/findings.h"

namespace assay {

// Operands, control predecessors, root, cycles. False when the graph is such that other checks
// could not rely on it (a null operand, an operand elsewhere).
bool CheckGraph(const Module& module, Findings& findings);
void CheckNames(const Module& module, Findings& findings);
// Numbers of parameters, the layout of the entry.
void CheckEntry(const Module& module, Findings& findings);
// Who calls whom, fused computations, execution threads.
void CheckCalls(const Module& module, Findings& findings);
void CheckAliases(const Module& module, Findings& findings);
void CheckSchedules(const Module& module, Findings& findings);
// Replica groups, source-target pairs, sizes that follow from them.
void CheckCollectives(const Module& module, Findings& findings);
void CheckChannels(const Module& module, Findings& findings);
// Starts, updates, dones.
void CheckAsyncChains(const Module& module, Findings& findings);
// The order of infeeds and outfeeds.
void CheckFeeds(const Module& module, Findings& findings);
// Classes of factors, algorithms.
void CheckProducts(const Module& module, Findings& findings);
void CheckShardings(const Module& module, Findings& findings);
// Who takes, returns and writes buffers.
void CheckBuffers(const Module& module, Findings& findings);
// What is said of where values come from.
void CheckOrigins(const Module& module, Findings& findings);

}  // namespace assay

#endif  // ASSAY_SPEC_VERIFY_MODULE_CHECKS_H_
