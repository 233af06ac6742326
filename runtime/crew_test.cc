#include "runtime/crew.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>

#include "gtest/gtest.h"
#include "runtime/parallel.h"

namespace assay::runtime {
namespace {

// Runs work on `threads` threads until all of them have come.
std::set<std::thread::id> ThreadsOf(WorkerPool& pool) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int64_t> come{0};
  pool.Run(pool.threads() - 1, [&] {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++come;
    while (come.load() < pool.threads()) std::this_thread::yield();
  });
  return seen;
}

TEST(Crew, APoolUsesTheThreadsOfTheOneBeforeIt) {
  std::set<std::thread::id> first, second;
  {
    WorkerPool pool(3);
    first = ThreadsOf(pool);
  }
  {
    WorkerPool pool(3);
    second = ThreadsOf(pool);
  }
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(first, second);
}

TEST(Crew, PoolsAtOneTimeHaveThreadsOfTheirOwn) {
  WorkerPool one(3), other(3);
  const std::set<std::thread::id> first = ThreadsOf(one), second = ThreadsOf(other);
  int common = 0;
  for (const std::thread::id id : first) common += second.contains(id) ? 1 : 0;
  EXPECT_EQ(common, 1);  // this thread
}

TEST(Crew, AForkedProcessStartsItsOwn) {
  {
    WorkerPool pool(3);
    EXPECT_EQ(ThreadsOf(pool).size(), 3u);
  }
  const pid_t child = fork();
  if (child == 0) {
    WorkerPool pool(3);
    _exit(ThreadsOf(pool).size() == 3 ? 0 : 1);  // hangs if the threads of the parent are awaited
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace assay::runtime
