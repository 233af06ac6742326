// A region as a scalar program, or through the caller where it is none; the cache of programs.
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/region/scalar_program.h"

namespace assay::evaluator {
namespace {

thread_local std::shared_ptr<ProgramCache> innermost;

absl::Status CallOnScalars(const Computation& computation, absl::Span<const Element> arguments,
                           absl::Span<Element> results, EvaluationContext& context) {
  std::vector<Literal> literals;
  size_t next = 0;
  for (const Instruction* parameter : computation.parameters()) {
    std::vector<Literal> leaves;
    for (const Shape* leaf : Leaves(parameter->shape())) {
      if (!leaf->is_scalar() || next == arguments.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("region ", computation.name(), ": parameters are not the scalars given"));
      }
      leaves.push_back(Literal::Scalar(leaf->element_type(), arguments[next++]));
    }
    literals.push_back(Unflatten(parameter->shape(), leaves));
  }
  absl::StatusOr<std::vector<Literal>> leaves = CallOut(computation, literals, context);
  if (!leaves.ok()) return leaves.status();
  if (leaves->size() != results.size()) {
    return absl::InvalidArgumentError(absl::StrCat("region ", computation.name(), " returned ",
                                                   leaves->size(), " values, not ",
                                                   results.size()));
  }
  for (size_t i = 0; i < leaves->size(); ++i) {
    if (!(*leaves)[i].shape().is_scalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("region ", computation.name(), " returned an array"));
    }
    results[i] = (*leaves)[i].Get(0);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProgramCache::Program> ProgramCache::Get(const Computation& computation,
                                                        absl::Span<const int64_t> lanes) {
  // All programs together: a step takes some hundred bytes.
  constexpr int64_t kMaxSize = int64_t{1} << 21;
  const std::lock_guard lock(mutex_);
  Key key(&computation, Dimensions(lanes.begin(), lanes.end()));
  auto known = programs_.find(key);
  if (known != programs_.end()) return *known->second;
  absl::StatusOr<Program> program = ScalarProgram::Compile(computation, lanes);
  if (program.ok() && (*program)->register_count() > kMaxSize - size_) {
    program = absl::UnimplementedError(
        absl::StrCat("the scalar programs of the module grow too large at ", computation.name()));
  }
  if (program.ok()) size_ += (*program)->register_count();
  programs_.emplace(std::move(key), std::make_unique<const absl::StatusOr<Program>>(program));
  return program;
}

absl::StatusOr<ProgramCache::Program> ProgramCache::Find(const Computation& computation,
                                                         absl::Span<const int64_t> lanes) {
  if (innermost != nullptr) return innermost->Get(computation, lanes);
  return ScalarProgram::Compile(computation, lanes);
}

std::shared_ptr<ProgramCache> ProgramCache::Current() { return innermost; }

ProgramCache::Scope::Scope(std::shared_ptr<ProgramCache> cache)
    : outer_(std::exchange(innermost, std::move(cache))) {}
ProgramCache::Scope::~Scope() { innermost = std::move(outer_); }

absl::StatusOr<Region> Region::Prepare(const Computation& computation,
                                       absl::Span<const int64_t> lanes) {
  Region region;
  region.computation_ = &computation;
  absl::StatusOr<ProgramCache::Program> program = ProgramCache::Find(computation, lanes);
  if (program.ok()) {
    region.program_ = *std::move(program);
  } else if (!absl::IsUnimplemented(program.status())) {
    return program.status();
  }
  return region;
}

absl::Status Region::Run(absl::Span<const Element> arguments, absl::Span<Element> results,
                         EvaluationContext& context) {
  if (program_ == nullptr) return CallOnScalars(*computation_, arguments, results, context);
  if (registers_.empty()) registers_.resize(program_->register_count());
  program_->Run(arguments, results, absl::MakeSpan(registers_), context);
  // A step may take milliseconds, and reading the clock 25 ns.
  constexpr int64_t kPortion = 1024, kMostRuns = 64;
  pending_steps_ += std::max<int64_t>(0, program_->step_count() - 1);
  if (++runs_ < kMostRuns && pending_steps_ < kPortion) return absl::OkStatus();
  runs_ = 0;
  return context.ChargeCostly(std::exchange(pending_steps_, 0));
}

absl::StatusOr<std::vector<Literal>> CallOut(const Computation& computation,
                                             absl::Span<const Literal> arguments,
                                             EvaluationContext& context) {
  if (context.caller == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("region ", computation.name(),
                     " is not a scalar program, and this evaluation has no caller that runs it"));
  }
  absl::StatusOr<Literal> result = context.caller->Call(computation, arguments);
  if (!result.ok()) return result.status();
  return Flatten(*result);
}

}  // namespace assay::evaluator
