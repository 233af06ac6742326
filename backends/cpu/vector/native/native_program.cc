#include "backends/cpu/vector/native/native_program.h"

namespace assay::cpu {

NativeProgram::NativeProgram(std::vector<Run> runs, Tier tier)
    : runs_(std::move(runs)), threshold_(tier == Tier::kNative ? 0 : kWorkThatPays) {
  for (const Run& run : runs_) steps_ += run.end - run.first;
}

bool NativeProgram::Ready(int64_t elements) const {
  if (ready_.load(std::memory_order_acquire)) return true;
  const int64_t added = elements * steps_;
  if (work_.fetch_add(added, std::memory_order_relaxed) + added < threshold_) return false;
  std::call_once(once_, [this] {
    for (Run& run : runs_) run.compiled = CompileLine(run.code);
    ready_.store(true, std::memory_order_release);
  });
  return true;
}

}  // namespace assay::cpu
