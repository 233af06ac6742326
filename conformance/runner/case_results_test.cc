// Packed results are equal to the results that were packed. Sorting, changing and appending work as
// for unpacked results.
#include "conformance/runner/case_results.h"

#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/runner/full_result.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

CaseResult Named(const std::string& id) {
  CaseResult result;
  result.id = id;
  return result;
}

std::vector<std::string> Ids(const CaseResults& results) {
  std::vector<std::string> ids;
  for (const CaseResult& each : results) ids.push_back(each.id);
  return ids;
}

// All that has no place in the JSON of a result must be kept as well: numbers of any size, seconds
// to the last bit, bytes that are not text.
TEST(CaseResultsTest, KeepsEverything) {
  CaseResult result = FullCase();
  result.target_seconds = 1.0 / 3;
  result.golden_seconds = 2.0 / 3;
  result.judge_seconds = 1e-9;
  Judgement& judgement = result.probes[0].judgement;
  judgement.counts = {1, 1 << 20, 3, 4, 5, 6};
  judgement.evidence.emplace_back();
  Evidence& evidence = judgement.evidence[0];
  evidence.leaf = 300;
  evidence.position = std::numeric_limits<int64_t>::max();
  evidence.index = {0, 127, 128, -1};
  evidence.golden = std::string("\0\xff", 2);
  evidence.actual = std::string(1000, 'x');
  evidence.operands = {"", "1"};
  evidence.distance.reset();

  const CaseResult kept = CaseResults({result})[0];
  EXPECT_EQ(FormatLine(kept), FormatLine(result));
  EXPECT_EQ(kept.target_seconds, result.target_seconds);
  EXPECT_EQ(kept.golden_seconds, result.golden_seconds);
  EXPECT_EQ(kept.judge_seconds, result.judge_seconds);
  ASSERT_EQ(kept.probes.size(), 2);
  const Judgement& own = kept.probes[0].judgement;
  EXPECT_EQ(own.histogram, judgement.histogram);
  EXPECT_EQ(own.counts, judgement.counts);
  ASSERT_EQ(own.evidence.size(), 2);
  EXPECT_EQ(own.evidence[0].index, evidence.index);
  EXPECT_EQ(own.evidence[0].golden, evidence.golden);
  EXPECT_EQ(own.evidence[0].bound, evidence.bound);
  EXPECT_FALSE(own.evidence[0].distance.has_value());
  EXPECT_EQ(own.evidence[0].position, evidence.position);
}

TEST(CaseResultsTest, IsASequence) {
  CaseResults results;
  EXPECT_TRUE(results.empty());
  for (const char* id : {"c", "a", "ab"}) results.push_back(Named(id));
  CaseResults other = {Named("aa"), Named("b")};
  results.Append(std::move(other));
  EXPECT_EQ(results.size(), 5);
  EXPECT_EQ(Ids(results), (std::vector<std::string>{"c", "a", "ab", "aa", "b"}));
  results.SortById();
  EXPECT_EQ(Ids(results), (std::vector<std::string>{"a", "aa", "ab", "b", "c"}));
  results.Change(1, [](CaseResult& result) { result.waiver = "known"; });
  EXPECT_EQ(results[1].waiver, "known");
  EXPECT_EQ(results.IdOf(1), "aa");
  EXPECT_EQ(results[2].waiver, "");
}

}  // namespace
}  // namespace assay::conformance
