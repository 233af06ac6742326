// Scatter windows that lie partly outside of the operand (decision W-10). Golden and XLA leave such
// a window out as a whole; the documents test every element of it by itself. Source: reference
// ops_structural.md 4.2 and 15, decision 10. Tests: scatter_windows_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_SCATTER_WINDOWS_H_
#define ASSAY_CONFORMANCE_JUDGE_SCATTER_WINDOWS_H_

#include <memory>
#include <optional>
#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// The same updates as a scatter of single elements, each with an index of its own: what golden
// makes of that is the reading by elements.
struct ScatterByElements {
  std::unique_ptr<Module> module;  // its root is the scatter, its operands are the parameters
  Literal indices;                 // [updates, rank], s64
  std::vector<int64_t> order;  // positions of the original updates, in the order of the new ones
  // The operands of the new scatter, given those of the original one.
  std::vector<Literal> Operands(absl::Span<const Literal> original) const;
};

// Whether some window lies partly outside, so that the readings differ.
bool HasPartialWindows(const Instruction& scatter, const Literal& indices);
// None where they do not.
std::optional<ScatterByElements> ReadByElements(const Instruction& scatter, const Literal& indices);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_SCATTER_WINDOWS_H_
