// Helper threads, which outlive the pools that use them: starting a thread takes as long as a small
// run. Tests: parallel_test.cc of evaluator, crew_test.cc.
#ifndef ASSAY_RUNTIME_CREW_H_
#define ASSAY_RUNTIME_CREW_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace assay::runtime {

// Threads that have the floating-point state of golden code and run one piece of work at a time.
class Crew {
 public:
  Crew() = default;
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Returns an idle crew of this process, or one without threads.
  static std::unique_ptr<Crew> Take();
  // Keeps the crew for the next Take, or ends it if there are many. In a process that was forked
  // from this one, what was idle is not used any more: its threads do not exist there.
  static void Return(std::unique_ptr<Crew> crew);

  int64_t threads() const { return static_cast<int64_t>(threads_.size()); }
  // Calls work() on this thread and on up to `helpers` threads; returns when all calls have
  // returned. There are fewer if the system cannot create threads. `work` must not throw.
  void Run(int64_t helpers, absl::FunctionRef<void()> work);

 private:
  void Start(int64_t helpers);
  void Help();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wanted_, all_done_;
  // Guarded by mutex_.
  const absl::FunctionRef<void()>* work_ = nullptr;
  int64_t vacancies_ = 0;  // threads that may still join
  int64_t running_ = 0;    // threads that have joined
  bool stop_ = false;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_CREW_H_
