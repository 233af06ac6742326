// A called computation on scalars as one flat program: a list of steps on numbered registers,
// compiled once, run per element without allocation or look-ups. Reducers, comparators, map
// bodies and scalar loops use it. Tests: scalar_program_test.cc.
#ifndef ASSAY_EVALUATOR_REGION_SCALAR_PROGRAM_H_
#define ASSAY_EVALUATOR_REGION_SCALAR_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

class ScalarProgram {
 public:
  // UNIMPLEMENTED when the computation (calls included) does anything but scalar work: an array, a
  // loop, an operation without scalar definition. Parameters and results may be tuples of scalars;
  // they are numbered by leaves in pre-order. With `lanes`, arrays of these dimensions are taken
  // for scalars too: the program then computes one element of each, from the elements at the same
  // index and the scalars (UNIMPLEMENTED when the computation moves elements).
  static absl::StatusOr<std::unique_ptr<const ScalarProgram>> Compile(
      const Computation& computation, absl::Span<const int64_t> lanes = {});
  virtual ~ScalarProgram() = default;

  virtual int64_t parameter_count() const = 0;  // leaves
  virtual int64_t result_count() const = 0;
  virtual ElementType parameter_type(int64_t i) const = 0;
  virtual ElementType result_type(int64_t i) const = 0;

  // One evaluation. `registers` is scratch of register_count() elements that the caller keeps.
  virtual int64_t register_count() const = 0;
  virtual void Run(absl::Span<const Element> arguments, absl::Span<Element> results,
                   absl::Span<Element> registers, EvaluationContext& context) const = 0;
  // Operations in one evaluation.
  virtual int64_t step_count() const = 0;
};

// The programs of a module's computations, each compiled once and shared by all that prepare it.
// What prepares regions finds the cache of the innermost Scope of its thread; outside of any scope
// nothing is shared. Thread-safe.
class ProgramCache {
 public:
  using Program = std::shared_ptr<const ScalarProgram>;
  // As ScalarProgram::Compile; UNIMPLEMENTED also when the programs of the module grow too large.
  absl::StatusOr<Program> Get(const Computation& computation, absl::Span<const int64_t> lanes);
  // From the scope's cache, or compiled anew.
  static absl::StatusOr<Program> Find(const Computation& computation,
                                      absl::Span<const int64_t> lanes = {});
  // The innermost scope's; null outside of any.
  static std::shared_ptr<ProgramCache> Current();

  class Scope {
   public:
    explicit Scope(std::shared_ptr<ProgramCache> cache);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::shared_ptr<ProgramCache> outer_;
  };

 private:
  std::mutex mutex_;
  using Key = std::pair<const Computation*, Dimensions>;
  absl::flat_hash_map<Key, std::unique_ptr<const absl::StatusOr<Program>>> programs_;
  int64_t size_ = 0;  // registers of all programs
};

// A region whatever it does: a scalar program where it is one, else calls through
// EvaluationContext::caller. Not thread-safe (it keeps scratch). Callers charge one step for each
// run, the region charges what its program has beyond one, in portions, and looks at the clock.
class Region {
 public:
  // `lanes` as in ScalarProgram::Compile; without program such a region cannot run.
  static absl::StatusOr<Region> Prepare(const Computation& computation,
                                        absl::Span<const int64_t> lanes = {});
  absl::Status Run(absl::Span<const Element> arguments, absl::Span<Element> results,
                   EvaluationContext& context);
  const ScalarProgram* program() const { return program_.get(); }
  const Computation& computation() const { return *computation_; }

 private:
  const Computation* computation_ = nullptr;
  std::shared_ptr<const ScalarProgram> program_;
  std::vector<Element> registers_;  // made by the first run
  int64_t pending_steps_ = 0;
  int64_t runs_ = 0;  // since the last charge
};

// Calls a computation through EvaluationContext::caller, one literal for each parameter, and
// returns the leaves of its result.
absl::StatusOr<std::vector<Literal>> CallOut(const Computation& computation,
                                             absl::Span<const Literal> arguments,
                                             EvaluationContext& context);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REGION_SCALAR_PROGRAM_H_
