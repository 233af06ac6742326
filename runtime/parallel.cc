#include "runtime/parallel.h"

#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace assay::runtime {

namespace internal {
namespace {

// What the threads of one loop share.
class SharedLoop {
 public:
  SharedLoop(int64_t count, int64_t grain, absl::FunctionRef<absl::Status(Blocks&)> body)
      : count_(count), grain_(grain), body_(body) {}

  // On each thread.
  void Work() {
    Blocks blocks(count_, grain_, &next_);
    Failure failure;
    try {
      failure.status = body_(blocks);
    } catch (...) {
      failure.thrown = std::current_exception();
    }
    if (failure.status.ok() && failure.thrown == nullptr) return;
    const std::lock_guard lock(mutex_);
    if (blocks.last_taken() >= 0) {
      failure.block = blocks.last_taken();
      next_.store(End());  // the blocks before it have been taken, those behind it do not matter
    }
    if (!failure_.has_value() || failure.block < failure_->block) failure_ = std::move(failure);
  }

  // When all have returned.
  absl::Status Finish() {
    if (!failure_.has_value()) return absl::OkStatus();
    if (failure_->block == kNoBlock && next_.load() >= End()) return absl::OkStatus();
    if (failure_->thrown != nullptr) std::rethrow_exception(failure_->thrown);
    return failure_->status;
  }

 private:
  static constexpr int64_t kNoBlock = std::numeric_limits<int64_t>::max();
  struct Failure {
    int64_t block = kNoBlock;  // the last that the thread took
    absl::Status status;
    std::exception_ptr thrown;
  };
  int64_t End() const { return (count_ - 1) / grain_ + 1; }

  const int64_t count_, grain_;
  const absl::FunctionRef<absl::Status(Blocks&)> body_;
  std::atomic<int64_t> next_{0};
  std::mutex mutex_;
  std::optional<Failure> failure_;
};

}  // namespace

absl::Status RunOnWorkers(WorkerPool& workers, int64_t count, int64_t grain,
                          absl::FunctionRef<absl::Status(Blocks& blocks)> body) {
  SharedLoop loop(count, grain, body);
  const int64_t blocks = (count - 1) / grain + 1;
  workers.Run(blocks - 1, [&] { loop.Work(); });
  return loop.Finish();
}

}  // namespace internal
}  // namespace assay::runtime
