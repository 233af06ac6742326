#include <algorithm>

#include "evaluator/evaluator.h"

namespace assay::evaluator {
namespace {

EvaluationContext Fresh(EvaluationContext context) {
  context.caller = nullptr;
  context.workers = nullptr;
  context.real_stats = {};
  return context;
}

}  // namespace

EvaluationContext::Loop::Loop(EvaluationContext& context)
    : context_(context),
      fresh_(Fresh(context)),
      reported_before_(context.undecided == nullptr ? 0 : context.undecided->size()) {}

EvaluationContext::Loop::~Loop() {
  if (context_.undecided == nullptr) return;
  std::sort(context_.undecided->begin() + static_cast<std::ptrdiff_t>(reported_before_),
            context_.undecided->end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
}

EvaluationContext::Loop::Thread::Thread(Loop& loop) : context(loop.fresh_), loop_(loop) {
  if (context.undecided != nullptr) context.undecided = &undecided_;
}

EvaluationContext::Loop::Thread::~Thread() {
  const std::lock_guard lock(loop_.mutex_);
  loop_.context_.real_stats.Merge(context.real_stats);
  if (context.undecided == nullptr) return;
  std::vector<UndecidedElement>& all = *loop_.context_.undecided;
  all.insert(all.end(), undecided_.begin(), undecided_.end());
}

}  // namespace assay::evaluator
