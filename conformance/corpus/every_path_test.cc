// Cases of the corpus by every way to compute them: definitions give the values that are written,
// and kernels the same bits as definitions, on arrays that are cut into blocks for several threads
// and in every tier of the functions too. Runs under the thread sanitizer.
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/corpus/tiers.h"
#include "evaluator/ops/testing.h"
#include "evaluator/real/forced_tier.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "runtime/parallel.h"
#include "spec/testing/schedule.h"

namespace assay::conformance {
namespace {

// A case of one process whose computations are straight lines of operations that have definitions.
struct StraightCase {
  CorpusCase corpus_case;
  ReadyCase ready;
  std::vector<Literal> results;  // the leaves, by definitions
};

bool IsStraightLine(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Opcode op = instruction->opcode();
      const bool runs = op == Opcode::kParameter || op == Opcode::kTuple ||
                        op == Opcode::kGetTupleElement || evaluator::HasDefinition(op);
      if (!runs || instruction->shape().is_dynamic()) return false;
    }
  }
  return true;
}

absl::StatusOr<std::vector<Literal>> RunCase(const ReadyCase& ready,
                                             const evaluator::PrepareFunction& prepare,
                                             runtime::WorkerPool* pool = nullptr) {
  evaluator::EvaluationContext context;
  context.workers = pool;
  return evaluator::RunStraightLine(*ready.module, ready.inputs[0].arguments, prepare, context);
}

// One of so many cases of each operation runs, beginning with its first. Under the thread
// sanitizer, which is about the kernels' threads, definitions are not optimised and take their
// time.
#if defined(ABSL_HAVE_THREAD_SANITIZER)
constexpr int64_t kStride = 8 * kScheduleStride;
#else
constexpr int64_t kStride = kScheduleStride;
#endif

// The cases whose values are written, and of the others the quick tier.
std::vector<StraightCase> MakeStraightCases() {
  std::vector<StraightCase> straight;
  absl::StatusOr<std::vector<CorpusCase>> cases = CorpusCases();
  EXPECT_TRUE(cases.ok()) << cases.status();
  if (!cases.ok()) return straight;
  const std::vector<Tier> tiers = TiersOf(*cases);
  std::map<std::pair<std::string, bool>, int64_t> met;  // by operation and kind of expectation
  for (size_t i = 0; i < cases->size(); ++i) {
    CorpusCase& each = (*cases)[i];
    const bool golden = each.expect == CorpusCase::Expect::kGolden;
    if (each.expect == CorpusCase::Expect::kRefused || each.replicas * each.partitions != 1 ||
        (golden && tiers[i] != Tier::kQuick)) {
      continue;
    }
    const std::string operation = each.id.substr(0, each.id.find('/'));
    if (met[{operation, golden}]++ % kStride != 0) continue;
    absl::StatusOr<ReadyCase> ready = MakeReady(each);
    EXPECT_TRUE(ready.ok()) << ready.status();
    if (!ready.ok() || !IsStraightLine(*ready->module)) continue;
    absl::StatusOr<std::vector<Literal>> results = RunCase(*ready, evaluator::PrepareStraight);
    EXPECT_TRUE(results.ok()) << each.id << ": " << results.status();
    if (!results.ok()) continue;
    straight.push_back({std::move(each), *std::move(ready), *std::move(results)});
  }
  return straight;
}

class EveryPath : public testing::Test {
 protected:
  static const std::vector<StraightCase>& Cases() {
    static const auto* const cases = new std::vector<StraightCase>(MakeStraightCases());
    return *cases;
  }

  static bool IsWritten(const StraightCase& each) {
    return each.corpus_case.expect == CorpusCase::Expect::kValues;
  }

  static void ExpectSameBits(const std::string& path, runtime::WorkerPool* pool, bool all = true) {
    for (const StraightCase& each : Cases()) {
      if (!all && !IsWritten(each)) continue;
      const absl::StatusOr<std::vector<Literal>> results =
          RunCase(each.ready, evaluator::PrepareKernel, pool);
      ASSERT_TRUE(results.ok()) << each.corpus_case.id << ": " << path << ": " << results.status();
      ASSERT_EQ(results->size(), each.results.size());
      for (size_t leaf = 0; leaf < results->size(); ++leaf) {
        EXPECT_TRUE(Literal::BitEqual((*results)[leaf], each.results[leaf]))
            << each.corpus_case.id << ": " << path << ": leaf " << leaf << "\n"
            << each.corpus_case.module;
      }
    }
  }

 private:
  const runtime::FloatEnvironmentGuard guard_;
};

TEST_F(EveryPath, DefinitionsGiveWhatIsWritten) {
  int64_t written = 0;
  for (const StraightCase& each : Cases()) {
    const Shape& shape = each.ready.module->entry()->root()->shape();
    const Literal result = shape.is_tuple() ? Unflatten(shape, each.results) : each.results[0];
    EXPECT_EQ(CheckExpected(each.corpus_case, {DeviceOutputs{result}}), absl::OkStatus());
    written += IsWritten(each);
  }
  EXPECT_GT(written, 1300 / kStride);
  EXPECT_GT(static_cast<int64_t>(Cases().size()), 4000 / kStride);
}

// Elementwise operations have one definition for all, and scalar tests of their own.
TEST_F(EveryPath, WrittenValuesReachEveryDefinition) {
  std::set<Opcode> reached;
  for (const StraightCase& each : Cases()) {
    if (!IsWritten(each)) continue;
    for (const auto& computation : each.ready.module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        reached.insert(instruction->opcode());
      }
    }
  }
  for (const OpInfo& op : Catalogue()) {
    if (op.elementwise() || !evaluator::HasDefinition(op.opcode)) continue;
    EXPECT_TRUE(reached.count(op.opcode)) << op.name;
  }
}

TEST_F(EveryPath, KernelsAgree) { ExpectSameBits("kernels", nullptr); }

TEST_F(EveryPath, KernelsAgreeInBlocks) {
  const struct {
    int64_t threads, largest_block;
  } kCuts[] = {{1, 1}, {2, 1}, {3, 2}, {8, 1}, {2, 5}};
  for (const auto& cut : kCuts) {
    runtime::WorkerPool pool(cut.threads, cut.largest_block);
    ExpectSameBits(absl::StrCat(cut.threads, " threads, blocks of ", cut.largest_block), &pool);
  }
}

// On written values alone: the last tiers take their time.
TEST_F(EveryPath, EveryTierAgrees) {
  runtime::WorkerPool pool(2, 5);
  for (int tier = 1; tier < evaluator::kRealTierCount - 1; ++tier) {
    evaluator::ForceTier(static_cast<evaluator::RealTier>(tier));
    ExpectSameBits(absl::StrCat("tier ", tier), &pool, /*all=*/false);
  }
  evaluator::ForceTier(evaluator::RealTier::kExact);
}

}  // namespace
}  // namespace assay::conformance
