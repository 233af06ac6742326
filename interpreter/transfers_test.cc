// send and recv, infeed and outfeed, and the errors of programs that wait for each other in vain.
// Expected values are those of the reference (ops_control_and_collectives.md 1, 6, 8, 17), or
// computed by hand.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/testing.h"
#include "runtime/queue_host.h"

namespace assay::transfers_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The results of all programs and their processes one after the other, or the error. Every
// parameter of replica r is s32[] r.
std::string RunAll(const std::vector<std::string>& texts, int64_t replicas = 1,
                   Host* host = nullptr, const RunBudget& budget = {}) {
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<std::unique_ptr<PlannedModule>> plans;
  std::vector<Program> programs;
  for (const std::string& text : texts) {
    modules.push_back(MustParse(text));
    if (modules.back() == nullptr) return "unparsed";
    modules.back()->replica_count = replicas;
    absl::StatusOr<std::unique_ptr<PlannedModule>> plan = PlannedModule::Create(*modules.back());
    if (!plan.ok()) return plan.status().ToString();
    plans.push_back(*std::move(plan));
    Program program;
    program.module = plans.back().get();
    program.grid = {replicas, 1};
    for (int64_t r = 0; r < replicas; ++r) {
      program.arguments.emplace_back(modules.back()->entry()->parameters().size(),
                                     MustParseLiteral(absl::StrCat("s32[] ", r)));
    }
    programs.push_back(std::move(program));
  }
  RunOptions options;
  options.host = host;
  options.budget = budget;
  const auto results = RunPrograms(programs, options);
  if (!results.ok()) return results.status().ToString();
  std::vector<std::string> values;
  for (const std::vector<Literal>& program : *results) {
    for (const Literal& value : program) values.push_back(PrintTypedLiteral(value));
  }
  return absl::StrJoin(values, "; ");
}

// A computation that sends and receives.
std::string Exchange(absl::string_view attributes) {
  return absl::StrCat(R"(HloModule exchange
    ENTRY e {
      r = s32[] parameter(0)
      ten = s32[] constant(10)
      x = s32[] add(r, ten)
      now = token[] after-all()
      to = (s32[], u32[], token[]) send(x, now), )",
                      attributes, R"(
      sent = token[] send-done(to), channel_id=0
      from = (s32[], u32[], token[]) recv(now), )",
                      attributes, R"(
      got = (s32[], token[]) recv-done(from), channel_id=0
      ROOT y = s32[] get-tuple-element(got), index=0
    })");
}

constexpr char kPairs[] =
    "channel_id=0, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{1,0}}\"}";

TEST(TransfersTest, PairsConnectAndOthersGetZeros) {
  EXPECT_EQ(RunAll({Exchange(kPairs)}, 2), "s32[] 11; s32[] 0");
}

TEST(TransfersTest, WithoutPairsAChannelHasTwoEnds) {
  EXPECT_THAT(RunAll({Exchange("channel_id=0")}, 2),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("replica 0 and replica 1 send")));
}

constexpr char kProducer[] = R"(HloModule producer
  ENTRY e {
    now = token[] after-all()
    one = s32[] constant(1)
    two = s32[] constant(2)
    a = (s32[], u32[], token[]) send(one, now), channel_id=5
    ad = token[] send-done(a), channel_id=5
    b = (s32[], u32[], token[]) send(two, ad), channel_id=5
    ROOT bd = token[] send-done(b), channel_id=5
  })";
constexpr char kConsumer[] = R"(HloModule consumer
  ENTRY e {
    now = token[] after-all()
    a = (s32[], u32[], token[]) recv(now), channel_id=5
    ad = (s32[], token[]) recv-done(a), channel_id=5
    x = s32[] get-tuple-element(ad), index=0
    then = token[] get-tuple-element(ad), index=1
    b = (s32[], u32[], token[]) recv(then), channel_id=5
    bd = (s32[], token[]) recv-done(b), channel_id=5
    y = s32[] get-tuple-element(bd), index=0
    ROOT t = (s32[], s32[]) tuple(x, y)
  })";

TEST(TransfersTest, TwoProgramsTalkInOrderWhoeverIsFirst) {
  EXPECT_EQ(RunAll({kProducer, kConsumer}), absl::StrCat(PrintTypedLiteral(Literal::Token()), "; ",
                                                         Canonical("(s32[] 1, s32[] 2)")));
  EXPECT_EQ(RunAll({kConsumer, kProducer}), absl::StrCat(Canonical("(s32[] 1, s32[] 2)"), "; ",
                                                         PrintTypedLiteral(Literal::Token())));
}

TEST(TransfersTest, AMissingPeerIsADeadlock) {
  EXPECT_THAT(RunAll({kConsumer}), AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("deadlock"),
                                         HasSubstr("waits in %ad = (s32[], token[]) recv-done"),
                                         HasSubstr("no device has sent on channel 5")));
}

TEST(TransfersTest, WhatIsNeverReceivedIsAnError) {
  EXPECT_THAT(RunAll({kProducer}), AllOf(HasSubstr("FAILED_PRECONDITION"),
                                         HasSubstr("never received"), HasSubstr("%a = ")));
}

TEST(TransfersTest, BothEndsHaveOneShape) {
  const std::string other = absl::StrReplaceAll(kConsumer, {{"s32", "f32"}});
  EXPECT_THAT(
      RunAll({kProducer, other}),
      AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("sent s32[]"), HasSubstr("receives f32[]")));
}

// Both processes wait for the other's message before they send their own.
TEST(TransfersTest, AllInRecvDoneIsADeadlock) {
  const std::string both =
      "channel_id=0, frontend_attributes={"
      "_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}";
  EXPECT_THAT(RunAll({absl::StrCat(R"(HloModule m
    ENTRY e {
      r = s32[] parameter(0)
      now = token[] after-all()
      from = (s32[], u32[], token[]) recv(now), )",
                                   both, R"(
      got = (s32[], token[]) recv-done(from), channel_id=0
      then = token[] get-tuple-element(got), index=1
      to = (s32[], u32[], token[]) send(r, then), )",
                                   both, R"(
      ROOT sent = token[] send-done(to), channel_id=0
    })")},
                     2),
              AllOf(HasSubstr("deadlock"), HasSubstr("replica 0 waits in %got"),
                    HasSubstr("replica 1 has not sent it"), HasSubstr("replica 1 waits in %got"),
                    HasSubstr("replica 0 has not sent it")));
}

// Two collectives in opposite order in two processes. The channels tell which one it is.
TEST(TransfersTest, OppositeOrdersAreADeadlock) {
  EXPECT_THAT(RunAll({R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    forth { x = s32[] parameter(0)
      a = s32[] all-reduce(x), replica_groups={{0,1}}, channel_id=1, to_apply=add
      ROOT b = s32[] all-reduce(a), replica_groups={{0,1}}, channel_id=2, to_apply=add }
    back { x = s32[] parameter(0)
      c = s32[] all-reduce(x), replica_groups={{0,1}}, channel_id=2, to_apply=add
      ROOT d = s32[] all-reduce(c), replica_groups={{0,1}}, channel_id=1, to_apply=add }
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] conditional(x, x, x), branch_computations={forth, back}
    })"},
                     2),
              AllOf(HasSubstr("deadlock"), HasSubstr("replica 0 waits in %a"),
                    HasSubstr("replica 1 has not come"), HasSubstr("replica 1 waits in %c"),
                    HasSubstr("called by r")));
}

// A member of the group has left the program.
TEST(TransfersTest, WaitingForWhoHasFinishedIsADeadlock) {
  EXPECT_THAT(RunAll({R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    leaves { ROOT x = s32[] parameter(0) }
    meets { x = s32[] parameter(0) ROOT a = s32[] all-reduce(x), replica_groups={}, to_apply=add }
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] conditional(x, x, x), branch_computations={leaves, meets}
    })"},
                     3),
              AllOf(HasSubstr("replica 1 waits in %a"), HasSubstr("replica 2 waits in %a"),
                    HasSubstr("replica 0 has finished without it")));
}

// Dead in every place but the root, and run all the same: the entry, a branch, a callee, the
// condition and the body of a loop of two turns. The other branch is not taken.
constexpr char kDeadOutfeeds[] = R"(HloModule m
  say { x = s32[] parameter(0)
    now = token[] after-all()
    o = token[] outfeed(x, now), outfeed_shape=s32[]
    ROOT y = s32[] negate(x) }
  silent { ROOT x = s32[] parameter(0) }
  body { n = s32[] parameter(0)
    now = token[] after-all()
    o = token[] outfeed(n, now), outfeed_shape=s32[]
    one = s32[] constant(1)
    ROOT m = s32[] add(n, one) }
  condition { n = s32[] parameter(0)
    now = token[] after-all()
    hundred = s32[] constant(100)
    c = s32[] add(n, hundred)
    o = token[] outfeed(c, now), outfeed_shape=s32[]
    two = s32[] constant(2)
    ROOT go = pred[] compare(n, two), direction=LT }
  ENTRY e {
    now = token[] after-all()
    zero = s32[] constant(0)
    seven = s32[] constant(7)
    eight = s32[] constant(8)
    nine = s32[] constant(9)
    o = token[] outfeed(seven, now), outfeed_shape=s32[]
    called = s32[] call(eight), to_apply=say
    taken = s32[] conditional(zero, nine, seven), branch_computations={say, silent}
    untaken = s32[] conditional(zero, nine, seven), branch_computations={silent, say}
    w = s32[] while(zero), condition=condition, body=body
    ROOT r = s32[] constant(42)
  })";

std::string Join(const std::vector<Literal>& values) {
  std::vector<std::string> texts;
  for (const Literal& value : values) texts.push_back(PrintLiteral(value));
  return absl::StrJoin(texts, " ");
}

TEST(FeedsTest, DeadOutfeedsRunOnceWhereTheyAreReached) {
  runtime::QueueHost host;
  EXPECT_EQ(RunAll({kDeadOutfeeds}, 1, &host), "s32[] 42");
  EXPECT_EQ(Join(host.outfed({})), "7 8 9 100 0 101 1 102");
}

// 100 arrays of 4096 bytes.
constexpr char kManyOutfeeds[] = R"(HloModule m
  body { n = s32[] parameter(0)
    b = s32[1024] broadcast(n), dimensions={}
    now = token[] after-all()
    out = token[] outfeed(b, now), outfeed_shape=s32[1024]
    one = s32[] constant(1)
    ROOT m = s32[] add(n, one) }
  condition { n = s32[] parameter(0)
    hundred = s32[] constant(100)
    ROOT go = pred[] compare(n, hundred), direction=LT }
  ENTRY e {
    zero = s32[] constant(0)
    ROOT r = s32[] while(zero), condition=condition, body=body
  })";

TEST(FeedsTest, WhatTheHostHoldsCountsAgainstTheBudget) {
  RunBudget budget;
  budget.bytes = 200000;
  runtime::QueueHost small, large;
  EXPECT_THAT(RunAll({kManyOutfeeds}, 1, &small, budget),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("s32[1024]")));
  budget.bytes = 500000;
  EXPECT_EQ(RunAll({kManyOutfeeds}, 1, &large, budget), "s32[] 100");
  EXPECT_EQ(large.outfed({}).size(), 100u);
}

constexpr char kSumOfThree[] = R"(HloModule m
  body { s = (s32[], s32[]) parameter(0)
    n = s32[] get-tuple-element(s), index=0
    sum = s32[] get-tuple-element(s), index=1
    now = token[] after-all()
    i = (s32[], token[]) infeed(now)
    x = s32[] get-tuple-element(i), index=0
    one = s32[] constant(1)
    m = s32[] add(n, one)
    t = s32[] add(sum, x)
    ROOT r = (s32[], s32[]) tuple(m, t) }
  condition { s = (s32[], s32[]) parameter(0)
    n = s32[] get-tuple-element(s), index=0
    three = s32[] constant(3)
    ROOT go = pred[] compare(n, three), direction=LT }
  ENTRY e {
    zero = s32[] constant(0)
    s = (s32[], s32[]) tuple(zero, zero)
    w = (s32[], s32[]) while(s), condition=condition, body=body
    ROOT r = s32[] get-tuple-element(w), index=1
  })";

TEST(FeedsTest, EachProcessHasAQueueAndEachIterationTakesAnItem) {
  runtime::QueueHost host;
  for (int i = 1; i <= 3; ++i) {
    host.PutInfeed({0, 0, 0}, MustParseLiteral(absl::StrCat("s32[] ", i)));
    host.PutInfeed({0, 1, 0}, MustParseLiteral(absl::StrCat("s32[] ", 10 * i)));
  }
  host.PutInfeed({0, 1, 0}, MustParseLiteral("s32[] 5"));
  EXPECT_EQ(RunAll({kSumOfThree}, 2, &host), "s32[] 6; s32[] 60");
  EXPECT_EQ(host.unused_infeeds(), 1);
}

TEST(FeedsTest, AnEmptyQueueSaysWhichItemIsWanted) {
  runtime::QueueHost host;
  host.PutInfeed({}, MustParseLiteral("s32[] 1"));
  host.PutInfeed({}, MustParseLiteral("s32[] 2"));
  EXPECT_THAT(RunAll({kSumOfThree}, 1, &host),
              AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("infeed exhausted at item 2"),
                    HasSubstr("%i = (s32[], token[]) infeed")));
}

TEST(FeedsTest, ItemsOfAnotherShapeAreRefusedWithBoth) {
  for (const char* item : {"f32[] 1", "s32[1] {1}"}) {
    runtime::QueueHost host;
    host.PutInfeed({}, MustParseLiteral(item));
    EXPECT_THAT(RunAll({kSumOfThree}, 1, &host),
                AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("infeed item 0"),
                      HasSubstr(std::string(item).substr(0, 3)), HasSubstr("s32[] is wanted")));
  }
}

// A tuple is one item of its leaves; () takes nothing and gives nothing.
TEST(FeedsTest, TuplesAreItemsOfTheirLeaves) {
  runtime::QueueHost host;
  host.PutInfeed({}, MustParseLiteral("(s32[] 3, f32[2] {1, 2})"));
  EXPECT_EQ(RunAll({R"(HloModule m
    ENTRY e {
      now = token[] after-all()
      none = ((), token[]) infeed(now)
      empty = () get-tuple-element(none), index=0
      t = token[] get-tuple-element(none), index=1
      some = ((s32[], f32[2]), token[]) infeed(t)
      value = (s32[], f32[2]) get-tuple-element(some), index=0
      u = token[] get-tuple-element(some), index=1
      a = token[] outfeed(empty, u), outfeed_shape=()
      b = token[] outfeed(value, a), outfeed_shape=(s32[], f32[2])
      ROOT x = s32[] get-tuple-element(value), index=0
    })"},
                   1, &host),
            "s32[] 3");
  EXPECT_EQ(Join(host.outfed({})), "3 {1, 2}");
  EXPECT_EQ(host.unused_infeeds(), 0);
}

constexpr char kHostTransfers[] = R"(HloModule m
  ENTRY e {
    now = token[] after-all()
    from = (s32[2], u32[], token[]) recv(now), channel_id=3, is_host_transfer=true
    got = (s32[2], token[]) recv-done(from), channel_id=3, is_host_transfer=true
    x = s32[2] get-tuple-element(got), index=0
    y = s32[2] add(x, x)
    to = (s32[2], u32[], token[]) send(y, now), channel_id=4, is_host_transfer=true, frontend_attributes={_xla_host_transfer_rendezvous="double"}
    sent = token[] send-done(to), channel_id=4, is_host_transfer=true
    ROOT r = s32[2] negate(x)
  })";

TEST(HostTransfersTest, ValuesGoByKey) {
  runtime::QueueHost host;
  host.TakeSends();
  host.PutReceive({}, "3", MustParseLiteral("s32[2] {1, 2}"));
  EXPECT_EQ(RunAll({kHostTransfers}, 1, &host), Canonical("s32[2] {-1, -2}"));
  ASSERT_EQ(host.sent({}).count("double"), 1);
  EXPECT_EQ(Join(host.sent({}).at("double")), "{2, 4}");
}

TEST(HostTransfersTest, WithoutAHandlerTheyAreNotFound) {
  EXPECT_THAT(RunAll({kHostTransfers}), HasSubstr("NOT_FOUND"));
  runtime::QueueHost none;
  EXPECT_THAT(RunAll({kHostTransfers}, 1, &none),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("key 3"), HasSubstr("%from = ")));
  runtime::QueueHost no_sends;
  no_sends.PutReceive({}, "3", MustParseLiteral("s32[2] {1, 2}"));
  EXPECT_THAT(RunAll({kHostTransfers}, 1, &no_sends),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("key double"), HasSubstr("%to = ")));
}

}  // namespace
}  // namespace assay::transfers_test
