// Loops on several threads: what is computed, counted and refused is what one thread would.
#include "runtime/parallel.h"

#include <cfenv>
#include <stdexcept>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/evaluator.h"
#include "gtest/gtest.h"

namespace assay::evaluator {
namespace {

constexpr int64_t kThreads[] = {1, 2, 3, 8};

// The calls of a body that notes what it sees, element by element.
absl::Status Count(EvaluationContext& context, int64_t grain, std::vector<int>& seen) {
  return runtime::ParallelFor(context, seen.size(), grain,
                              [&](runtime::Blocks& blocks, EvaluationContext& own) {
                                while (blocks.Next()) {
                                  EXPECT_EQ(blocks.first() % grain, 0);
                                  for (int64_t i = 0; i < blocks.count(); ++i)
                                    ++seen[blocks.first() + i];
                                  own.real_stats.decided[0] += blocks.count();
                                }
                                return absl::OkStatus();
                              });
}

TEST(Parallel, EveryElementOnce) {
  for (const int64_t threads : kThreads) {
    runtime::WorkerPool pool(threads);
    EvaluationContext context;
    context.workers = &pool;
    int64_t elements = 0;
    for (const int64_t count : {0, 1, 2, 7, 64, 1000}) {
      for (const int64_t grain : {1, 2, 3, 63, 64, 65, 5000}) {
        std::vector<int> seen(count);
        ASSERT_TRUE(Count(context, grain, seen).ok());
        EXPECT_EQ(seen, std::vector<int>(count, 1)) << threads << " " << grain;
        elements += count;
      }
    }
    EXPECT_EQ(context.real_stats.decided[0], elements);
    // The same blocks and threads as often as asked.
    std::vector<int> seen(100);
    for (int turn = 0; turn < 500; ++turn) ASSERT_TRUE(Count(context, 9, seen).ok());
    EXPECT_EQ(seen, std::vector<int>(100, 500));
  }
  EXPECT_GE(runtime::WorkerPool::DefaultThreads(), 1);
  EXPECT_LE(runtime::WorkerPool::DefaultThreads(), 16);
}

TEST(Parallel, TheFirstBlockThatFailsIsTheError) {
  for (const int64_t threads : kThreads) {
    runtime::WorkerPool pool(threads);
    EvaluationContext context;
    context.workers = &pool;
    for (int turn = 0; turn < 200; ++turn) {
      const absl::Status status =
          runtime::ParallelFor(context, 100, 1, [](runtime::Blocks& blocks, EvaluationContext&) {
            while (blocks.Next()) {
              if (blocks.first() % 20 != 13) continue;
              return absl::InternalError(absl::StrCat("block ", blocks.first()));
            }
            return absl::OkStatus();
          });
      ASSERT_EQ(status.message(), "block 13");
    }
  }
}

TEST(Parallel, WhatIsThrownArrives) {
  runtime::WorkerPool pool(3);
  EvaluationContext context;
  context.workers = &pool;
  const auto run = [&] {
    return runtime::ParallelFor(context, 100, 1, [](runtime::Blocks& blocks, EvaluationContext&) {
      while (blocks.Next()) {
        if (blocks.first() >= 50) throw std::runtime_error(absl::StrCat(blocks.first()));
      }
      return absl::OkStatus();
    });
  };
  for (int turn = 0; turn < 100; ++turn) {
    try {
      run().IgnoreError();
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      ASSERT_STREQ(error.what(), "50");
    }
  }
}

TEST(Parallel, LoopsInsideLoopsArePlain) {
  runtime::WorkerPool pool(4);
  EvaluationContext context;
  context.workers = &pool;
  std::vector<std::vector<int>> seen(50, std::vector<int>(30));
  ASSERT_TRUE(
      runtime::ParallelFor(context, 50, 1, [&](runtime::Blocks& blocks, EvaluationContext& own) {
        EXPECT_EQ(own.workers, nullptr);
        EXPECT_EQ(own.caller, nullptr);
        while (blocks.Next()) {
          absl::Status status = Count(own, 4, seen[blocks.first()]);
          if (!status.ok()) return status;
        }
        return absl::OkStatus();
      }).ok());
  EXPECT_EQ(seen, std::vector<std::vector<int>>(50, std::vector<int>(30, 1)));
}

TEST(Parallel, UndecidedElementsComeInOrder) {
  runtime::WorkerPool pool(3);
  EvaluationContext context;
  context.workers = &pool;
  std::vector<UndecidedElement> undecided;
  context.undecided = &undecided;
  ASSERT_TRUE(
      runtime::ParallelFor(context, 1000, 7, [](runtime::Blocks& blocks, EvaluationContext& own) {
        while (blocks.Next()) {
          for (int64_t i = 0; i < blocks.count(); ++i) {
            if ((blocks.first() + i) % 10 == 0) {
              own.undecided->push_back({blocks.first() + i, {}, {}});
            }
          }
        }
        return absl::OkStatus();
      }).ok());
  ASSERT_EQ(undecided.size(), 100u);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(undecided[i].position, 10 * i);
}

// Room for `rooms` threads.
class FewRooms : public runtime::ScratchAccount {
 public:
  explicit FewRooms(int64_t rooms) : rooms_(rooms) {}
  absl::Status Reserve(int64_t) override {
    if (rooms_.fetch_sub(1) > 0) return absl::OkStatus();
    ++rooms_;
    return absl::ResourceExhaustedError("no room");
  }
  void Release(int64_t) override { ++rooms_; }

 private:
  std::atomic<int64_t> rooms_;
};

TEST(Parallel, WhoFindsNoScratchLeavesTheWorkToTheOthers) {
  for (const int64_t rooms : {0, 1, 2}) {
    runtime::WorkerPool pool(4);
    FewRooms account(rooms);
    EvaluationContext context;
    context.workers = &pool;
    context.scratch = &account;
    for (int turn = 0; turn < 200; ++turn) {
      std::vector<int> seen(40);
      const absl::Status status = runtime::ParallelFor(
          context, 40, 1, [&](runtime::Blocks& blocks, EvaluationContext& own) {
            absl::Status reserved = own.scratch->Reserve(1);
            if (!reserved.ok()) return reserved;
            while (blocks.Next()) ++seen[blocks.first()];
            own.scratch->Release(1);
            return absl::OkStatus();
          });
      ASSERT_EQ(status.ok(), rooms > 0) << status;
      ASSERT_EQ(seen, std::vector<int>(40, rooms > 0));
    }
  }
}

TEST(Parallel, TheBudgetHolds) {
  for (const int64_t threads : kThreads) {
    runtime::WorkerPool pool(threads);
    runtime::Budget budget(/*steps=*/1000, /*seconds=*/-1);
    EvaluationContext context;
    context.workers = &pool;
    context.budget = &budget;
    const absl::Status status = runtime::ParallelFor(
        context, 1000000, 1, [](runtime::Blocks& blocks, EvaluationContext& own) {
          while (blocks.Next()) {
            if (absl::Status charged = own.Charge(1); !charged.ok()) return charged;
          }
          return absl::OkStatus();
        });
    EXPECT_EQ(status.message(), "the budget of 1000 element steps is spent");
    EXPECT_LE(budget.spent(), 1000 + threads);
  }
}

// Whatever state the thread is in that makes the pool's threads start.
TEST(Parallel, HelpersHoldTheFloatEnvironment) {
  std::fesetround(FE_UPWARD);
  {
    runtime::WorkerPool pool(4);
    EvaluationContext context;
    context.workers = &pool;
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<int> wrong{0}, helped{0};
    constexpr int kMostTurns = 100000;  // a busy machine may be slow to start a thread
    for (int turn = 0; turn < kMostTurns && helped < 100; ++turn) {
      EXPECT_TRUE(
          runtime::ParallelFor(context, 64, 1, [&](runtime::Blocks& blocks, EvaluationContext&) {
            while (blocks.Next()) {
              if (std::this_thread::get_id() == here) {
                std::this_thread::yield();
                continue;
              }
              ++helped;
              if (std::fegetround() != FE_TONEAREST) ++wrong;
            }
            return absl::OkStatus();
          }).ok());
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(helped, 0);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

// Each its own pool.
TEST(Parallel, SeveralOwners) {
  std::vector<std::thread> owners;
  std::atomic<int> wrong{0};
  for (int owner = 0; owner < 3; ++owner) {
    owners.emplace_back([&] {
      runtime::WorkerPool pool(3);
      EvaluationContext context;
      context.workers = &pool;
      std::vector<int> seen(100);
      for (int turn = 0; turn < 100; ++turn) wrong += !Count(context, 9, seen).ok();
      wrong += seen != std::vector<int>(100, 100);
    });
  }
  for (std::thread& owner : owners) owner.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace assay::evaluator
