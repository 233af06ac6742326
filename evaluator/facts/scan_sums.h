// The cumulative sums of a scan whose step adds or multiplies, computed in f64 over mapped
// operands. This is the counterpart of widened_fold.h for scans. A cumulative sum of logarithms
// represents a cumulative product. Tests: accumulation_facts_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_SCAN_SUMS_H_
#define ASSAY_EVALUATOR_FACTS_SCAN_SUMS_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/analysis/reducer.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// A leaf of the result of a scan that is a sum or a product of floats or complex numbers.
struct ScanFold {
  enum class Place { kBeforeStep, kAfterStep, kInTheEnd };
  int64_t input = 0;  // the operand whose elements are added
  int64_t init = 0;   // the operand with the start value
  Place place = Place::kAfterStep;
};

// Returns nullopt if the instruction is not a scan or the leaf is not a kAdd or kMultiply fold.
std::optional<ScanFold> FindScanFold(const Instruction& instruction, int64_t leaf,
                                     analysis::ReducerKind kind);

// Returns the sums of the mapped operands for each element of the leaf. Each is exact, rounded
// once.
std::vector<double> AddScanned(const Instruction& scan, const ScanFold& fold,
                               absl::Span<const Literal> operands, const TermMap& map);

// The largest and the smallest cumulative sum up to each element, in f64. A cumulative sum stops at
// -infinity.
struct ScanExtremes {
  std::vector<double> greatest, least;
};
ScanExtremes FindScanExtremes(const Instruction& scan, const ScanFold& fold,
                              absl::Span<const Literal> operands, const TermMap& map);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_FACTS_SCAN_SUMS_H_
