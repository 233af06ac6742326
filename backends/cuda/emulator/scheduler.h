// Runs the threads of one block after the other as fibers, and implements barriers and warp
// operations. There is one scheduler per host thread. A new thread runs on the fiber of a finished
// one, so that kernels without barriers need one fiber and no switches. Tests: emulator_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_SCHEDULER_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_SCHEDULER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "backends/cuda/emulator/fiber.h"
#include "backends/cuda/emulator/launch.h"
#include "backends/cuda/emulator/shadow.h"
#include "backends/cuda/emulator/shared_memory.h"

namespace assay::cuda::emulator {

class Scheduler {
 public:
  // The state of a thread at a memory access, for the checker.
  struct Place {
    int64_t launch = 0;  // launches of the program are numbered from 1
    int64_t block = 0;
    int32_t thread = 0;        // in the block
    uint32_t block_epoch = 0;  // barriers that the block has passed
    uint32_t warp_epoch = 0;   // meetings of its warp that the thread has passed: its own time
  };

  static Scheduler& OfThisThread();

  absl::Status Run(const Entry& entry, const LaunchConfig& config, void** parameters,
                   const LaunchOptions& options);

  // Called by the thread that runs (calls.h).
  int PassBarrier(BarrierOp op, int predicate, Site site);
  uint64_t Exchange(WarpOp op, uint32_t mask, uint64_t value, int argument, int width, Site site);
  void* FindShared(const void* key, int64_t bytes, Site site);
  // The stack of the thread is never unwound, so both functions free their texts themselves.
  [[noreturn]] void Fail(std::string message, Site site);
  [[noreturn]] void FailAt(std::string message, std::string place);

  bool runs() const { return current_ >= 0; }
  Place place() const;
  // "block (1,0,0), thread (3,0,0)".
  std::string Describe(int64_t block, int32_t thread) const;
  const Entry& entry() const { return *entry_; }
  const SharedMemory& shared() const { return shared_; }
  bool IsOnStack(const void* address) const;
  bool IsParameter(const void* address) const;
  // For checked kernels: the shadow of shared memory, by offset from its base.
  Shadow* shared_shadow() { return shared_shadow_.get(); }
  // Returns true if warp synchronisation orders an access of a thread of the block, at a time of
  // that thread, before the current thread's next access.
  bool IsOrderedInWarp(int32_t thread, uint32_t time) const;
  // Counts an access of the current thread. Returns false if it has made too many since it last
  // waited.
  bool CountAccess() { return ++accesses_ <= options_.limits.thread_accesses; }
  // Returns what records the accesses of the launch, or null.
  AccessTrace* trace() const { return options_.trace; }
  std::vector<std::string> TakeBarrierSites();

 private:
  static constexpr int32_t kWarpSize = 32;

  enum class State : uint8_t { kNew, kReady, kRunning, kWaiting, kEnded };
  struct Thread {
    State state = State::kNew;
    bool in_barrier = false;  // of the two ways to wait
    Fiber* fiber = nullptr;
    uint64_t result = 0;  // of the meeting that it waits for
    uint32_t warp_epoch = 0;
    Site site;
  };
  // Lanes of one warp that wait for each other. A warp may have several such groups.
  struct Meeting {
    uint32_t mask = 0, arrived = 0;
    WarpOp op = WarpOp::kSync;
    int width = kWarpSize;
    std::array<uint64_t, kWarpSize> values;
    std::array<int, kWarpSize> arguments;
  };
  struct Warp {
    int32_t first = 0;   // thread
    uint32_t lanes = 0;  // that exist
    uint32_t ended = 0;
    int32_t runnable = 0;  // new or ready
    int32_t last = 0;      // lane that ran last
    std::vector<Meeting> meetings;
  };
  struct Random {
    uint64_t state = 0;
    uint64_t Next();
    int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  };

  static void RunFiber(Fiber& self, void* scheduler);
  void RunThreads(Fiber& self);
  void StartLaunch(const LaunchOptions& options);
  int64_t BlockAt(int64_t step) const;
  void RunBlock(int64_t block);
  void StartBlock(int64_t block);
  void FinishBlock();
  // Returns the next thread to run by the schedule, or -1 if none can run.
  int32_t Choose();
  int32_t ChooseInRounds();
  int32_t ChooseAhead();
  void Shuffle();
  void Enter(int32_t thread);
  void EndThread();
  void Wait(Site site, bool in_barrier);
  void Wake(int32_t thread, uint64_t result);
  bool IsOmitted(Site site) const;
  void Record(Site site);
  void Complete(Warp& warp, Meeting& meeting, Site site);
  uint64_t ResultOf(const Meeting& meeting, int lane, Site site);
  uint64_t ShuffleSource(const Meeting& meeting, int lane, Site site);
  void CheckExchange(const Warp& warp, WarpOp op, uint32_t mask, int lane, int width, Site site);
  void JoinTimes(const Warp& warp, uint32_t mask);
  Fiber* TakeFiber();  // null without memory
  Extent IndexOf(int32_t thread) const;
  std::string DescribeDeadlock() const;
  void SetError(std::string message);

  // Of the launch.
  const Entry* entry_ = nullptr;
  LaunchConfig config_;
  LaunchOptions options_;
  absl::string_view omitted_file_;
  int omitted_line_ = -1;
  void** parameters_ = nullptr;
  int32_t thread_count_ = 0;
  int64_t block_count_ = 0, block_first_ = 0, block_step_ = 1;
  int64_t launch_ = 0;
  Random random_;
  absl::Status status_;
  SharedMemory shared_;

  // Of the block.
  int64_t block_ = 0;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<int32_t> order_;  // threads, or warps by falling priority
  size_t cursor_ = 0;
  bool progress_ = false;  // in this round
  int32_t current_ = -1;
  int32_t next_ = -1;
  int32_t ended_ = 0;
  uint32_t block_epoch_ = 0;
  BarrierOp barrier_op_ = BarrierOp::kNone;
  Site barrier_site_;
  int32_t barrier_arrived_ = 0, barrier_true_ = 0;

  // For checked kernels, by thread: the time of each lane of its warp up to which that lane's
  // accesses are ordered before the thread's.
  std::vector<std::array<uint32_t, kWarpSize>> known_times_;
  std::unique_ptr<Shadow> shared_shadow_;
  int64_t shared_high_ = 0;  // bytes of the shadow that have been used
  int64_t accesses_ = 0;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::vector<Site> sites_;
};

// "file.cu:12" with the last component of the path.
std::string ToString(Site site);

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_SCHEDULER_H_
