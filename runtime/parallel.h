// Loops over blocks of elements on several threads. What the blocks are does not depend on how many
// threads there are, each block is computed by one of them, and what they count is added up: no
// result, statistic or error of a kernel tells how many there were (the most scratch at a time
// does: every thread has its own). Tests: parallel_test.cc of evaluator,
// paths_test.cc of evaluator/kernels.
#ifndef ASSAY_RUNTIME_PARALLEL_H_
#define ASSAY_RUNTIME_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/context.h"

namespace assay::runtime {

// Threads that help the one that owns the pool. They start when they are first asked, hold the
// floating-point state of golden code, and end with the pool. One loop at a time.
class WorkerPool {
 public:
  // `threads` compute together, the owner's among them. Blocks are cut smaller where they have more
  // than `largest_block` elements, which changes no result either: tests cut small arrays.
  explicit WorkerPool(int64_t threads, int64_t largest_block = int64_t{1} << 62)
      : threads_(threads), largest_block_(largest_block) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  int64_t threads() const { return threads_; }
  int64_t largest_block() const { return largest_block_; }

  // Calls work() here and on up to `helpers` other threads, which come when they can; returns when
  // all calls have. Where the system refuses a thread, there are fewer. `work` does not throw.
  void Run(int64_t helpers, absl::FunctionRef<void()> work);

  // One for each processor that this process may use, 16 at most.
  static int64_t DefaultThreads();

 private:
  void Start(int64_t helpers);
  void Help();

  const int64_t threads_, largest_block_;
  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable wanted_, all_done_;
  // Guarded by mutex_.
  const absl::FunctionRef<void()>* work_ = nullptr;
  int64_t vacancies_ = 0;  // helpers that may still join
  int64_t running_ = 0;    // helpers that have
  bool stop_ = false;
};

// The blocks of a loop that one thread takes, one after the other and in rising order:
//   while (blocks.Next()) { ... [blocks.first(), blocks.first() + blocks.count()) ... }
//   for (int64_t i; blocks.NextElement(&i);) { ... }
class Blocks {
 public:
  // `next`: the next block that nobody has taken, where several take them.
  Blocks(int64_t count, int64_t grain, std::atomic<int64_t>* next = nullptr)
      : total_(count), grain_(grain), next_(next) {}
  bool Next() {
    number_ = next_ == nullptr ? number_ + 1 : next_->fetch_add(1, std::memory_order_relaxed);
    if (number_ > (total_ - 1) / grain_ || total_ == 0) return false;
    last_taken_ = number_;
    return true;
  }
  // Element by element: takes the next block where the last one is done.
  bool NextElement(int64_t* element) {
    if (element_ == end_) {
      if (!Next()) return false;
      element_ = first();
      end_ = element_ + count();
    }
    *element = element_++;
    return true;
  }
  int64_t first() const { return number_ * grain_; }
  int64_t count() const { return std::min(grain_, total_ - first()); }
  // The block taken last, or -1.
  int64_t last_taken() const { return last_taken_; }

 private:
  int64_t total_, grain_;
  std::atomic<int64_t>* next_;
  int64_t number_ = -1, last_taken_ = -1;
  int64_t element_ = 0, end_ = 0;  // of NextElement
};

namespace internal {
// Calls `body` on the pool's threads until the blocks are taken. Returns the error of the first
// block, by number, that has one.
absl::Status RunOnWorkers(WorkerPool& workers, int64_t count, int64_t grain,
                          absl::FunctionRef<absl::Status(Blocks& blocks)> body);
}  // namespace internal

// Runs `body(Blocks& blocks, ContextType& context)` on the blocks of `grain` elements (the last has
// what is left) that [0, count) falls into: on this thread alone where there is one block, else on
// as many as there are workers. A block should take some 50 microseconds or more. The body takes
// blocks until there are none left; what it needs for that it makes before the first. Its context
// is the one to use inside: on several threads it is a ContextType::Loop::Thread's, which has no
// workers, so that loops inside are plain ones, and no caller: what needs one must be one block.
// Returns the error of the first block, by number, that has one. A thread that fails before it has
// taken a block (no scratch is left for it) leaves the work to the others.
template <typename ContextType, typename Body>
absl::Status ParallelFor(ContextType& context, int64_t count, int64_t grain, Body&& body) {
  if (context.workers != nullptr) {
    grain = std::min(grain, context.workers->largest_block());
    if (count > grain) {
      typename ContextType::Loop loop(context);
      return internal::RunOnWorkers(*context.workers, count, grain, [&](Blocks& blocks) {
        typename ContextType::Loop::Thread thread(loop);
        return body(blocks, thread.context);
      });
    }
  }
  Blocks blocks(count, grain);
  return body(blocks, context);
}

// Elements in a block where `steps` operations are done for each, each of about a nanosecond.
inline int64_t GrainFor(int64_t steps) {
  constexpr int64_t kSteps = 1 << 16;
  return std::max<int64_t>(1, kSteps / std::max<int64_t>(1, steps));
}

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PARALLEL_H_
