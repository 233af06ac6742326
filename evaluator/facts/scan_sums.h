// The running sums of a scan whose step adds or multiplies, formed in f64 from something else than
// its operands: what widened_fold.h is for operations with one sum for each element. Those of
// logarithms are products. Tests: accumulation_facts_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_SCAN_SUMS_H_
#define ASSAY_EVALUATOR_FACTS_SCAN_SUMS_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/analysis/reducer.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// A leaf of the result of a scan that is a sum or a product of floats or complex numbers.
struct ScanFold {
  enum class Place { kBeforeStep, kAfterStep, kInTheEnd };
  int64_t input = 0;  // operand that is added up
  int64_t init = 0;   // operand that it is added to
  Place place = Place::kAfterStep;
};

// Nullopt where the instruction is no scan or the leaf no fold of that kind, kAdd or kMultiply.
std::optional<ScanFold> FindScanFold(const Instruction& instruction, int64_t leaf,
                                     analysis::ReducerKind kind);

// The sums of mapped operands, by element of that leaf, each the exact one rounded once.
std::vector<double> AddScanned(const Instruction& scan, const ScanFold& fold,
                               absl::Span<const Literal> operands, const TermMap& map);

// The greatest and the least of the sums up to each of these, in f64. Nothing comes after
// -infinity.
struct ScanExtremes {
  std::vector<double> greatest, least;
};
ScanExtremes FindScanExtremes(const Instruction& scan, const ScanFold& fold,
                              absl::Span<const Literal> operands, const TermMap& map);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_FACTS_SCAN_SUMS_H_
