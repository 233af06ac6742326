// Loops over blocks of elements on several threads. The blocks do not depend on the number of
// threads, one thread computes each block, and counts are added. So results, statistics and errors
// of a kernel do not depend on the number of threads; only the peak of scratch memory does, because
// every thread has its own. Tests: parallel_test.cc of evaluator, paths_test.cc of
// evaluator/kernels.
#ifndef ASSAY_RUNTIME_PARALLEL_H_
#define ASSAY_RUNTIME_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/crew.h"
#include "runtime/processor.h"

namespace assay::runtime {

// Worker threads for the thread that owns the pool. They are there from the first loop on, have the
// floating-point state of golden code, and serve another pool afterwards. The pool runs one loop at
// a time.
class WorkerPool {
 public:
  // `threads` includes the owner's thread. Blocks have at most `largest_block` elements, so that
  // tests can split small arrays; results do not depend on it.
  explicit WorkerPool(int64_t threads, int64_t largest_block = int64_t{1} << 62)
      : threads_(threads), largest_block_(largest_block) {}
  ~WorkerPool() { Crew::Return(std::move(crew_)); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  int64_t threads() const { return threads_; }
  int64_t largest_block() const { return largest_block_; }

  // Calls work() on this thread and on up to `helpers` available workers; returns when all calls
  // have returned. There are fewer workers if the system cannot create threads. `work` must not
  // throw.
  void Run(int64_t helpers, absl::FunctionRef<void()> work) {
    if (crew_ == nullptr) crew_ = Crew::Take();
    crew_->Run(std::min(helpers, threads_ - 1), work);
  }

  // Returns the number of processors that this process may use, at most 16.
  static int64_t DefaultThreads() { return std::min<int64_t>(UsableProcessors(), 16); }

 private:
  const int64_t threads_, largest_block_;
  std::unique_ptr<Crew> crew_;
};

// The blocks that one thread takes of a loop, in rising order: while (blocks.Next()) { ...
// [blocks.first(), blocks.first() + blocks.count()) ... } for (int64_t i; blocks.NextElement(&i);)
// { ... }
class Blocks {
 public:
  // `next` is the number of the next free block, shared by the threads; null for one thread.
  Blocks(int64_t count, int64_t grain, std::atomic<int64_t>* next = nullptr)
      : total_(count), grain_(grain), next_(next) {}
  bool Next() {
    number_ = next_ == nullptr ? number_ + 1 : next_->fetch_add(1, std::memory_order_relaxed);
    if (number_ > (total_ - 1) / grain_ || total_ == 0) return false;
    last_taken_ = number_;
    return true;
  }
  // Moves to the next element, and takes another block at the end of one.
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
  // Returns the number of the last block taken, or -1.
  int64_t last_taken() const { return last_taken_; }

 private:
  int64_t total_, grain_;
  std::atomic<int64_t>* next_;
  int64_t number_ = -1, last_taken_ = -1;
  int64_t element_ = 0, end_ = 0;  // of NextElement
};

namespace internal {
// Calls `body` on the pool's threads until all blocks are taken. Returns the error of the failing
// block with the lowest number.
absl::Status RunOnWorkers(WorkerPool& workers, int64_t count, int64_t grain,
                          absl::FunctionRef<absl::Status(Blocks& blocks)> body);
}  // namespace internal

// Splits [0, count) into blocks of `grain` elements (the last may be smaller) and runs
// `body(Blocks& blocks, ContextType& context)` on all threads of the pool, or on this thread if
// there is one block. A block should take at least 50 microseconds. The body allocates what it
// needs and then takes blocks until none is left. It must use the context that it is given. With
// several threads that is the context of a ContextType::Loop::Thread, which has no workers, so that
// inner loops are sequential, and no caller, so that work that needs one must be a single block.
// Returns the error of the failing block with the lowest number. A thread that fails before it has
// taken a block (for lack of scratch memory) leaves the work to the others.
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

// Returns the block size for `steps` operations of about a nanosecond per element.
inline int64_t GrainFor(int64_t steps) {
  constexpr int64_t kSteps = 1 << 16;
  return std::max<int64_t>(1, kSteps / std::max<int64_t>(1, steps));
}

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PARALLEL_H_
