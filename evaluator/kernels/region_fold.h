// A reducer that runs as written, element after element: accumulators = f(accumulators, elements).
// A kernel keeps one prepared and copies it for each run.
#ifndef ASSAY_EVALUATOR_KERNELS_REGION_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_REGION_FOLD_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/region/scalar_program.h"
#include "runtime/parallel.h"

namespace assay::evaluator::kernels {

// The element types that a reduction of one array or several folds.
struct FoldTypes {
  explicit FoldTypes(const Instruction& reduction) {
    const int64_t n = reduction.operand_count() / 2;
    for (int64_t k = 0; k < n; ++k) {
      elements.push_back(reduction.operand(k)->shape().element_type());
      inits.push_back(reduction.operand(n + k)->shape().element_type());
    }
  }
  // Folds one array, whose elements have the type of its init.
  bool single() const { return elements.size() == 1 && elements[0] == inits[0]; }

  absl::InlinedVector<ElementType, 4> elements, inits;
};

// Returns true if the parameters are accumulators, then elements, of these types.
inline bool HasReducerTypes(const Computation& computation,
                            absl::Span<const ElementType> accumulators,
                            absl::Span<const ElementType> elements) {
  const std::vector<Instruction*> parameters = computation.parameters();
  const size_t n = accumulators.size();
  if (parameters.size() != 2 * n) return false;
  for (size_t k = 0; k < n; ++k) {
    if (parameters[k]->shape().element_type() != accumulators[k] ||
        parameters[n + k]->shape().element_type() != elements[k]) {
      return false;
    }
  }
  return true;
}

// Elements in a block of a parallel loop (parallel.h) that runs a region `runs` times for each of
// `count`: all of them where the region calls out, which is for one thread.
inline int64_t GrainOf(const Region& region, int64_t runs, int64_t count) {
  if (region.program() == nullptr) return std::max<int64_t>(1, count);
  constexpr int64_t kStep = 8;  // nanoseconds
  return GrainFor(runs * (region.program()->step_count() + 2) * kStep);
}

class RegionFold {
 public:
  static absl::StatusOr<RegionFold> Prepare(const Computation& computation) {
    absl::StatusOr<Region> region = Region::Prepare(computation);
    if (!region.ok()) return region.status();
    return RegionFold(*std::move(region), computation.parameters().size());
  }

  const Region& region() const { return region_; }
  int64_t size() const { return static_cast<int64_t>(arguments_.size()) / 2; }
  Element& accumulator(int64_t k) { return arguments_[k]; }
  Element& element(int64_t k) { return arguments_[size() + k]; }
  absl::Status Step(EvaluationContext& context) {
    absl::Status status = region_.Run(arguments_, absl::MakeSpan(results_), context);
    std::copy(results_.begin(), results_.end(), arguments_.begin());
    return status;
  }

 private:
  RegionFold(Region region, size_t parameters)
      : region_(std::move(region)), arguments_(parameters), results_(parameters / 2) {}

  Region region_;
  absl::InlinedVector<Element, 8> arguments_;
  absl::InlinedVector<Element, 4> results_;
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_REGION_FOLD_H_
