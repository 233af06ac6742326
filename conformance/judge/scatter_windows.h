// Scatter windows that lie partly outside of the operand (decision W-10). The reference interpreter
// and XLA drop such a window as a whole; the documents test each of its elements separately.
// Source: reference ops_structural.md 4.2 and 15, decision 10. Tests: scatter_windows_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_SCATTER_WINDOWS_H_
#define ASSAY_CONFORMANCE_JUDGE_SCATTER_WINDOWS_H_

#include <memory>
#include <optional>
#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The same updates as a scatter of single elements, each with its own index. The golden value of
// this scatter is the reading by elements.
struct ScatterByElements {
  std::unique_ptr<Module> module;  // its root is the scatter, its operands are the parameters
  Literal indices;                 // [updates, rank], s64
  std::vector<int64_t> order;  // positions of the original updates, in the order of the new ones
  // Returns the operands of the new scatter for those of the original one.
  std::vector<Literal> Operands(absl::Span<const Literal> original) const;
};

// Returns true if a window lies partly outside, so that the two readings differ.
bool HasPartialWindows(const Instruction& scatter, const Literal& indices);
// Returns nothing if the two readings agree.
std::optional<ScatterByElements> ReadByElements(const Instruction& scatter, const Literal& indices);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_SCATTER_WINDOWS_H_
