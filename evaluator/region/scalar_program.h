// A called computation on scalars as one flat program: a list of steps on numbered registers,
// compiled once, run per element without allocation or look-ups. Reducers, comparators, map
// bodies and scalar loops use it. Tests: scalar_program_test.cc.
#ifndef ASSAY_EVALUATOR_REGION_SCALAR_PROGRAM_H_
#define ASSAY_EVALUATOR_REGION_SCALAR_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/module.h"

namespace assay {

class ScalarProgram {
 public:
  // UNIMPLEMENTED when the computation (calls included) does anything but scalar work: an array, a
  // loop, an operation without scalar definition. Parameters and results may be tuples of scalars;
  // they are numbered by leaves in pre-order.
  static absl::StatusOr<std::unique_ptr<const ScalarProgram>> Compile(const Computation&);
  virtual ~ScalarProgram() = default;

  virtual int64_t parameter_count() const = 0;  // leaves
  virtual int64_t result_count() const = 0;
  virtual ElementType parameter_type(int64_t i) const = 0;
  virtual ElementType result_type(int64_t i) const = 0;

  // One evaluation. `registers` is scratch of register_count() elements that the caller keeps.
  virtual int64_t register_count() const = 0;
  virtual void Run(absl::Span<const Element> arguments, absl::Span<Element> results,
                   absl::Span<Element> registers, EvaluationContext& context) const = 0;
};

// A region whatever it does: a scalar program where it is one, else calls through
// EvaluationContext::caller. Not thread-safe (it keeps scratch).
class Region {
 public:
  static absl::StatusOr<Region> Prepare(const Computation& computation);
  absl::Status Run(absl::Span<const Element> arguments, absl::Span<Element> results,
                   EvaluationContext& context);
  const ScalarProgram* program() const { return program_.get(); }
  const Computation& computation() const { return *computation_; }

 private:
  const Computation* computation_ = nullptr;
  std::shared_ptr<const ScalarProgram> program_;
  std::vector<Element> registers_;
};

}  // namespace assay

#endif  // ASSAY_EVALUATOR_REGION_SCALAR_PROGRAM_H_
