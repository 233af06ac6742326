// Sections of the documents about several devices and the host. The programs are built, their text
// is read back, and they run with the values that the documents print, or with values worked out by
// hand where a document has none.
#include "absl/strings/str_join.h"
#include "conformance/seeds/examples.h"
#include "gmock/gmock.h"
#include "runtime/queue_host.h"
#include "spec/text/printer.h"

namespace assay::conformance::device_sections_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr ElementType kU32 = ElementType::kU32;

// [1.0, 2.5] and [3.0, 5.25] along dimension 0 give [1.0, 2.5, 3.0, 5.25] on both.
SEED_EXAMPLE("003", AllGather_example1) {
  Builder b("main");
  ExpectOnReplicas(ExpectBuilds(b, AllGather(Given(&b, 0, {2}), 0, 2), "f32[4]",
                                {"all-gather(", "dimensions={0}"}),
                   {"f32[2] {1,2.5}", "f32[2] {3,5.25}"},
                   {"f32[4] {1,2.5,3,5.25}", "f32[4] {1,2.5,3,5.25}"});
}
SEED_EXAMPLE("003", AllGather_example2) {
  Builder b("main");
  ExpectOnReplicas(
      ExpectBuilds(b, AllGather(Given(&b, 0, {2}), 0, 2, {{0, 2}, {1, 3}}, 7), "f32[4]",
                   {"replica_groups={{0,2},{1,3}}", "channel_id=7"}),
      {"f32[2] {0,1}", "f32[2] {10,11}", "f32[2] {20,21}", "f32[2] {30,31}"},
      {"f32[4] {0,1,20,21}", "f32[4] {10,11,30,31}", "f32[4] {0,1,20,21}", "f32[4] {10,11,30,31}"});
}
SEED_EXAMPLE("003", AllGather_start_and_done) {
  Builder b("main");
  const Op x = Given(&b, 0, {2});
  const Attributes::Entry attributes[] = {{Attr::kDimension, int64_t{0}}};
  const Op start =
      AddInstruction(&b, Opcode::kAllGatherStart, {x}, attributes, ShapeFrom("(f32[2], f32[4])"));
  const Op done = AddInstruction(&b, Opcode::kAllGatherDone, {start}, {}, ShapeFrom("f32[4]"));
  ExpectOnReplicas(ExpectBuilds(b, done, "f32[4]", {"all-gather-start(", "all-gather-done("}),
                   {"f32[2] {1,2.5}", "f32[2] {3,5.25}"},
                   {"f32[4] {1,2.5,3,5.25}", "f32[4] {1,2.5,3,5.25}"});
}

// [1.0, 2.5] and [3.0, 5.25] sum to [4.0, 7.75] on both.
SEED_EXAMPLE("003", AllReduce_example1) {
  Builder b("main");
  ExpectOnReplicas(ExpectBuilds(b, AllReduce(Given(&b, 0, {2}), ScalarCallee("sum", kF32, &Add)),
                                "f32[2]", {"all-reduce(", "to_apply=%sum"}),
                   {"f32[2] {1,2.5}", "f32[2] {3,5.25}"}, {"f32[2] {4,7.75}", "f32[2] {4,7.75}"});
}
SEED_EXAMPLE("003", AllReduce_example2) {
  Builder b("main");
  const Callee sum = ScalarCallee("sum", kF32, &Add);
  ExpectOnReplicas(ExpectBuilds(b, AllReduce(Given(&b, 0, {2}), sum, {{0, 2}, {1, 3}}), "f32[2]",
                                {"replica_groups={{0,2},{1,3}}"}),
                   {"f32[2] {0,1}", "f32[2] {10,11}", "f32[2] {20,21}", "f32[2] {30,31}"},
                   {"f32[2] {20,22}", "f32[2] {40,42}", "f32[2] {20,22}", "f32[2] {40,42}"});
}
// Each element of a tuple is reduced, and a tuple comes out, of one element too.
SEED_EXAMPLE("003", AllReduce_tuple) {
  Builder b("main");
  const Op pair = Parameter(&b, 0, ShapeFrom("(f32[2], f32[])"), "pair");
  const Shape layouts = ShapeFrom("(f32[2]{0}, f32[])");
  ExpectOnReplicas(
      ExpectBuilds(b, AllReduce(pair, ScalarCallee("sum", kF32, &Add), {}, std::nullopt, layouts),
                   "(f32[2], f32[])", {"constrain_layout=true"}),
      {"(f32[2] {1,2.5}, f32[] 7)", "(f32[2] {3,5.25}, f32[] 0.5)"},
      {"(f32[2] {4,7.75}, f32[] 7.5)", "(f32[2] {4,7.75}, f32[] 7.5)"});
  Builder c("single");
  const Op single = Parameter(&c, 0, ShapeFrom("(f32[])"), "single");
  ExpectOnReplicas(ExpectBuilds(c, AllReduce(single, ScalarCallee("max", kF32, &Max)), "(f32[])",
                                {"all-reduce(", "tuple("}),
                   {"(f32[] 3)", "(f32[] 5)"}, {"(f32[] 5)", "(f32[] 5)"});
}
SEED_EXAMPLE("003", CrossReplicaSum) {
  Builder b("main");
  ExpectOnReplicas(ExpectBuilds(b, CrossReplicaSum(Given(&b, 0, {2}), {{0, 1}}), "f32[2]",
                                {"all-reduce(", "replica_groups={{0,1}}", "add("}),
                   {"f32[2] {1,2.5}", "f32[2] {3,5.25}"}, {"f32[2] {4,7.75}", "f32[2] {4,7.75}"});
  Builder c("truth");
  ExpectOnReplicas(
      ExpectBuilds(c, CrossReplicaSum(Given(&c, 0, {2}, ElementType::kPred)), "pred[2]", {" or("}),
      {"pred[2] {true,false}", "pred[2] {false,false}"},
      {"pred[2] {true,false}", "pred[2] {true,false}"});
  Builder d("tuple");
  const Op pair = Parameter(&d, 0, ShapeFrom("(s32[2], s32[])"), "pair");
  ExpectOnReplicas(ExpectBuilds(d, CrossReplicaSum(pair), "(s32[2], s32[])", {"all-reduce("}),
                   {"(s32[2] {1,2}, s32[] 3)", "(s32[2] {10,20}, s32[] 30)"},
                   {"(s32[2] {11,22}, s32[] 33)", "(s32[2] {11,22}, s32[] 33)"});
}

// Blocks are joined in the order of the group: 1, 2, 3 and 4, 5, 0.
SEED_EXAMPLE("003", AllToAll_groups) {
  Builder b("main");
  ExpectOnReplicas(
      ExpectBuilds(b, AllToAll(Given(&b, 0, {6}), 0, 0, 3, {{1, 2, 3}, {4, 5, 0}}), "f32[6]",
                   {"all-to-all(", "replica_groups={{1,2,3},{4,5,0}}"}),
      {"f32[6] {0,1,2,3,4,5}", "f32[6] {10,11,12,13,14,15}", "f32[6] {20,21,22,23,24,25}",
       "f32[6] {30,31,32,33,34,35}", "f32[6] {40,41,42,43,44,45}", "f32[6] {50,51,52,53,54,55}"},
      {"f32[6] {44,45,54,55,4,5}", "f32[6] {10,11,20,21,30,31}", "f32[6] {12,13,22,23,32,33}",
       "f32[6] {14,15,24,25,34,35}", "f32[6] {40,41,50,51,0,1}", "f32[6] {42,43,52,53,2,3}"});
}
// Without groups the builder writes the group 0, ..., split_count - 1.
SEED_EXAMPLE("003", AllToAll_example1) {
  Builder b("main");
  const Op x = Given(&b, 0, {4, 16});
  DeviceRun run;
  run.module =
      ExpectBuilds(b, AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/4),
                   "f32[16,4]", {"all-to-all(", "dimensions={1}", "replica_groups={{0,1,2,3}}"});
  run.grid.replicas = 4;
  // Element (i, j) of replica r is 1000 r + 16 i + j.
  for (int64_t r = 0; r < 4; ++r) {
    run.arguments.push_back({Filled("f32[4,16]", [=](int64_t n) { return 1000 * r + n; })});
    run.expected.push_back(Filled("f32[16,4]", [=](int64_t n) {
      const int64_t row = n / 4, column = n % 4;
      return 1000 * (row / 4) + 16 * (row % 4) + 4 * r + column;
    }));
  }
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs));
}
SEED_EXAMPLE("003", AllToAll_example2) {
  Builder b("main");
  ExpectOnReplicas(
      ExpectBuilds(b, AllToAll(Given(&b, 0, {2, 4}), 1, 0, 2), "f32[4,2]", {"all-to-all("}),
      {"f32[2,4] {{1,2,3,4},{5,6,7,8}}", "f32[2,4] {{9,10,11,12},{13,14,15,16}}"},
      {"f32[4,2] {{1,2},{5,6},{9,10},{13,14}}", "f32[4,2] {{3,4},{7,8},{11,12},{15,16}}"});
}

Op Ragged(Builder* b, absl::Span<const int64_t> input, absl::Span<const int64_t> output,
          absl::Span<const int64_t> lists) {
  const Op in = Given(b, 0, input), out = Given(b, 1, output);
  std::vector<Op> list;
  for (int i = 0; i < 4; ++i) list.push_back(Given(b, 2 + i, lists, kS32));
  return RaggedAllToAll(in, list[0], list[1], out, list[2], list[3]);
}
// input, output, input_offsets, send_sizes, output_offsets, recv_sizes of each replica.
void ExpectRagged(std::unique_ptr<Module> module,
                  const std::vector<std::vector<std::string>>& arguments,
                  std::vector<Literal> expected) {
  DeviceRun run;
  run.module = std::move(module);
  run.grid.replicas = static_cast<int64_t>(arguments.size());
  for (const std::vector<std::string>& device : arguments) {
    std::vector<Literal>& values = run.arguments.emplace_back();
    for (const std::string& text : device) values.push_back(Value(text));
  }
  run.expected = std::move(expected);
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs));
}
// data [8,3] at offsets {0,1,4} with sizes {1,3,4}: its pieces go to three replicas, which put what
// comes from replica r behind what comes from those before it.
SEED_EXAMPLE("003", RaggedAllToAll_example1) {
  Builder b("main");
  const int64_t sizes[] = {1, 3, 4}, offsets[] = {0, 1, 4};
  std::vector<std::vector<std::string>> arguments;
  std::vector<Literal> expected;
  for (int64_t r = 0; r < 3; ++r) {
    const Literal data = Filled("f32[8,3]", [=](int64_t n) { return 100 * r + n; });
    const Literal empty = Filled("f32[12,3]", [](int64_t) { return 0; });
    arguments.push_back({PrintTypedLiteral(data), PrintTypedLiteral(empty), "s32[3] {0,1,4}",
                         "s32[3] {1,3,4}",
                         absl::StrCat("s32[3] {", r * 1, ",", r * 3, ",", r * 4, "}"),
                         absl::StrCat("s32[3] {", sizes[r], ",", sizes[r], ",", sizes[r], "}")});
    expected.push_back(Filled("f32[12,3]", [&, r](int64_t n) -> double {
      const int64_t row = n / 3, source = row / sizes[r];
      if (source >= 3) return 0;
      return 100 * source + (offsets[r] + row % sizes[r]) * 3 + n % 3;
    }));
  }
  ExpectRagged(
      ExpectBuilds(b, Ragged(&b, {8, 3}, {12, 3}, {3}), "f32[12,3]", {"ragged-all-to-all("}),
      arguments, std::move(expected));
}
SEED_EXAMPLE("003", RaggedAllToAll_example2) {
  Builder b("main");
  ExpectRagged(ExpectBuilds(b, Ragged(&b, {3}, {4}, {2}), "f32[4]", {"ragged-all-to-all("}),
               {{"f32[3] {1,2,2}", "f32[4] {0,0,0,0}", "s32[2] {0,1}", "s32[2] {1,2}",
                 "s32[2] {0,0}", "s32[2] {1,1}"},
                {"f32[3] {3,4,0}", "f32[4] {0,0,0,0}", "s32[2] {0,1}", "s32[2] {1,1}",
                 "s32[2] {1,2}", "s32[2] {2,1}"}},
               {Value("f32[4] {1,3,0,0}"), Value("f32[4] {2,2,4,0}")});
}
// Lists [num_devices], and [num_devices, num_updates], between four replicas: rows 4 i to 4 i + 3
// of each go to replica i, which has those of replica r from row 4 r on. Two updates change places.
void ExpectRaggedRows(std::unique_ptr<Module> module, bool updates) {
  std::vector<std::vector<std::string>> arguments;
  std::vector<Literal> expected;
  const std::string shape = updates ? "s32[4,2] " : "s32[4] ";
  const auto list = [&](const std::function<int64_t(int64_t device, int64_t update)>& f) {
    std::vector<std::string> rows;
    for (int64_t d = 0; d < 4; ++d) {
      rows.push_back(updates ? absl::StrCat("{", f(d, 0), ",", f(d, 1), "}")
                             : absl::StrCat(f(d, 0)));
    }
    return absl::StrCat(shape, "{", absl::StrJoin(rows, ","), "}");
  };
  const auto size = list([&](int64_t, int64_t) { return updates ? 2 : 4; });
  for (int64_t r = 0; r < 4; ++r) {
    arguments.push_back(
        {PrintTypedLiteral(Filled("f32[16,2]", [=](int64_t n) { return 100 * r + n; })),
         PrintTypedLiteral(Filled("f32[16,2]", [](int64_t) { return -1; })),
         list([](int64_t d, int64_t u) { return 4 * d + 2 * u; }), size,
         list([&](int64_t, int64_t u) { return 4 * r + (updates ? 2 - 2 * u : 0); }), size});
    expected.push_back(Filled("f32[16,2]", [=](int64_t n) {
      const int64_t row = n / 2, source = row / 4;
      const int64_t within = updates ? (row % 4 + 2) % 4 : row % 4;
      return 100 * source + (4 * r + within) * 2 + n % 2;
    }));
  }
  ExpectRagged(std::move(module), arguments, std::move(expected));
}
SEED_EXAMPLE("003", RaggedAllToAll_example3) {
  Builder b("main");
  ExpectRaggedRows(ExpectBuilds(b, Ragged(&b, {16, 2}, {16, 2}, {4}), "f32[16,2]", {"s32[4]"}),
                   /*updates=*/false);
}
SEED_EXAMPLE("003", RaggedAllToAll_example4) {
  Builder b("main");
  ExpectRaggedRows(ExpectBuilds(b, Ragged(&b, {16, 2}, {16, 2}, {4, 2}), "f32[16,2]", {"s32[4,2]"}),
                   /*updates=*/true);
}

// The first id of a group sends; who is in no group gets zeros.
SEED_EXAMPLE("003", CollectiveBroadcast) {
  Builder b("main");
  ExpectOnReplicas(ExpectBuilds(b, CollectiveBroadcast(Given(&b, 0, {2}), {{1, 0}}), "f32[2]",
                                {"collective-broadcast(", "replica_groups={{1,0}}"}),
                   {"f32[2] {1,2}", "f32[2] {3,4}", "f32[2] {5,6}"},
                   {"f32[2] {3,4}", "f32[2] {3,4}", "f32[2] {0,0}"});
  Builder c("channel");
  ExpectBuilds(c, CollectiveBroadcast(Given(&c, 0, {2}), {{1, 0}}, 3), "f32[2]", {"channel_id=3"});
}
SEED_EXAMPLE("003", CollectivePermute) {
  Builder b("main");
  ExpectOnReplicas(ExpectBuilds(b, CollectivePermute(Given(&b, 0, {2}), {{0, 1}, {1, 2}}), "f32[2]",
                                {"collective-permute(", "source_target_pairs={{0,1},{1,2}}"}),
                   {"f32[2] {1,2}", "f32[2] {3,4}", "f32[2] {5,6}"},
                   {"f32[2] {0,0}", "f32[2] {1,2}", "f32[2] {3,4}"});
  Builder where("stored_elsewhere");
  ExpectBuilds(where, CollectivePermute(Given(&where, 0, {2}), {{0, 1}}, 3, /*inplace=*/true),
               "f32[2]", {"collective-permute(", "channel_id=3, source_target_pairs={{0,1}}"});
  Builder slices("slices");
  const Op start = Tuple(&slices, {ConstantR0(&slices, ElementType::kS32, 1)});
  const Op both = Parameter(&slices, 0, ShapeFrom("(f32[2], f32[4])"), "both");
  ExpectOnReplicas(
      ExpectBuilds(slices,
                   CollectivePermute(GetTupleElement(both, 0), GetTupleElement(both, 1), start,
                                     start, {{0, 1}}, {{1}}),
                   "f32[4]", {"collective-permute(", "slice_sizes={{1}}"}),
      {"(f32[2] {1,2}, f32[4] {0,0,0,0})", "(f32[2] {3,4}, f32[4] {5,6,7,8})"},
      {"f32[4] {0,0,0,0}", "f32[4] {5,2,7,8}"});
  Builder c("twice");
  ExpectRefused(c, CollectivePermute(Given(&c, 0, {2}), {{0, 1}, {2, 1}}),
                "[collective_permute_c1]");
}

SEED_EXAMPLE("003", Outfeed) {
  Builder b("main");
  const Shape shape(kF32, {2});
  DeviceRun run;
  run.module = ExpectBuilds(b, Outfeed(Given(&b, 0, {2}), shape, "there"), "token[]",
                            {"outfeed(", "outfeed_shape=f32[2]", "outfeed_config=\"there\""});
  run.arguments = {{Value("f32[2] {1,2}")}};
  run.expected = {Literal::Token()};
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  runtime::QueueHost host;
  RunOptions options;
  options.host = &host;
  ExpectTogether(std::move(programs), options);
  ASSERT_EQ(host.outfed({}).size(), 1u);
  EXPECT_TRUE(Literal::BitEqual(host.outfed({})[0], Value("f32[2] {1,2}")));
}

SEED_EXAMPLE("003", PartitionID) {
  Builder b("main");
  DeviceRun run;
  run.module = ExpectBuilds(b, PartitionID(&b, Shape::Scalar(kU32)), "u32[]", {"partition-id()"});
  run.grid = {2, 3};
  for (const char* id : {"0", "1", "2", "0", "1", "2"}) {
    run.expected.push_back(Value(absl::StrCat("u32[] ", id)));
  }
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs));
}
SEED_EXAMPLE("003", ReplicaId) {
  Builder b("main");
  ExpectOnReplicas(ExpectBuilds(b, ReplicaId(&b), "u32[]", {"replica-id()"}), {},
                   {"u32[] 0", "u32[] 1", "u32[] 2"});
}

// A program that sends {1,2,3} on channel 5, and one that receives it there.
std::unique_ptr<Module> Sender() {
  Builder b("sender");
  return ExpectBuilds(b, Send(In(&b, "f32[3] {1,2,3}"), ChannelHandle{5}), "token[]",
                      {"send(", "send-done(", "channel_id=5"});
}
std::unique_ptr<Module> Receiver() {
  Builder b("receiver");
  return ExpectBuilds(b, Recv(&b, Shape(kF32, {3}), ChannelHandle{5}), "f32[3]",
                      {"recv(", "recv-done(", "channel_id=5"});
}
// They talk in whatever order they stand, and where a send waits for its recv too.
void ExpectTalk(std::unique_ptr<Module> sender, const std::string& sent,
                std::unique_ptr<Module> receiver, const std::string& received) {
  std::vector<DeviceRun> programs(2);
  programs[0].module = std::move(sender);
  programs[0].expected = {Value(sent)};
  programs[1].module = std::move(receiver);
  programs[1].expected = {Value(received)};
  RunOptions options;
  options.sends_wait = true;
  EXPECT_TRUE(RunTogether(programs, options).ok()) << RunTogether(programs, options);
  std::swap(programs[0], programs[1]);
  EXPECT_TRUE(RunTogether(programs, options).ok()) << RunTogether(programs, options);
  ExpectTogether(std::move(programs));
}

SEED_EXAMPLE("003 004", Recv) { ExpectTalk(Sender(), "token", Receiver(), "f32[3] {1,2,3}"); }
SEED_EXAMPLE("003 004", RecvDone) {
  Builder b("main");
  const Op context = RecvStart(CreateToken(&b), Shape(kF32, {3}), 5);
  EXPECT_EQ(context.shape()->ToString(), "(f32[3], u32[], token[])");
  const Op done = RecvDone(context);
  EXPECT_EQ(done.shape()->ToString(), "(f32[3], token[])");
  ExpectTalk(Sender(), "token",
             ExpectBuilds(b, GetTupleElement(done, 0), "f32[3]", {"recv-done(", "channel_id=5"}),
             "f32[3] {1,2,3}");
}
SEED_EXAMPLE("003 004", Send) {
  ExpectTalk(Sender(), "token", Receiver(), "f32[3] {1,2,3}");
  // Under the names of the document of today, with tokens of their own.
  Builder b("sender");
  Builder c("receiver");
  const Op sent = SendWithTokens(In(&b, "f32[3] {4,5,6}"), CreateToken(&b), ChannelHandle{5});
  const Op received = RecvWithTokens(CreateToken(&c), Shape(kF32, {3}), ChannelHandle{5});
  ExpectTalk(ExpectBuilds(b, sent, "token[]", {"send("}), "token",
             ExpectBuilds(c, GetTupleElement(received, 0), "f32[3]", {"recv("}), "f32[3] {4,5,6}");
}
SEED_EXAMPLE("003 004", SendDone) {
  Builder b("main");
  const Op context = SendStart(In(&b, "f32[3] {1,2,3}"), CreateToken(&b), 5);
  EXPECT_EQ(context.shape()->ToString(), "(f32[3], u32[], token[])");
  ExpectTalk(ExpectBuilds(b, SendDone(context), "token[]", {"send-done("}), "token", Receiver(),
             "f32[3] {1,2,3}");
}
// What goes to the host and comes from it.
SEED_EXAMPLE("003", SendToHost) {
  Builder b("main");
  const Op sent = SendToHost(In(&b, "f32[] 7"), CreateToken(&b), ChannelHandle{1});
  const Op received = RecvToHost(sent, Shape(kF32, {2}), ChannelHandle{2});
  DeviceRun run;
  run.module = ExpectBuilds(b, GetTupleElement(received, 0), "f32[2]",
                            {"is_host_transfer=true", "send(", "recv("});
  run.expected = {Value("f32[2] {8,9}")};
  runtime::QueueHost host;
  host.TakeSends();
  host.PutReceive({}, "2", Value("f32[2] {8,9}"));
  RunOptions options;
  options.host = &host;
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs), options);
  ASSERT_EQ(host.sent({}).count("1"), 1u);
  EXPECT_TRUE(Literal::BitEqual(host.sent({}).at("1")[0], Value("f32[] 7")));
}
// A program that receives on one channel and sends on another, the recv or the send first.
std::unique_ptr<Module> Exchange(int64_t receives, int64_t sends, float value, bool recv_first) {
  Builder b("exchange");
  const Op x = ConstantR0(&b, kF32, value);
  const Op now = CreateToken(&b);
  Op recv, send, sent;
  if (recv_first) {
    recv = RecvStart(now, Shape::Scalar(kF32), receives);
    send = SendStart(x, now, sends);
    sent = SendDone(send);
  } else {
    // The recv begins when the send is done.
    send = SendStart(x, now, sends);
    sent = SendDone(send);
    recv = RecvStart(sent, Shape::Scalar(kF32), receives);
  }
  const Op received = GetTupleElement(RecvDone(recv), 0);
  absl::StatusOr<std::unique_ptr<Module>> module = b.Build(Tuple({received, sent}));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}
// Recv before Send before RecvDone; each start before its own end. Schedules with a cycle across
// computations lead to a deadlock: both send before they receive.
SEED_EXAMPLE("003 004", SchedulingOfChannelInstructions) {
  std::vector<Opcode> order;
  const std::unique_ptr<Module> exchange = Exchange(1, 2, 3, true);
  ASSERT_NE(exchange, nullptr);
  for (const auto& instruction : exchange->entry()->instructions()) {
    if (instruction->info().family == Family::kHost) order.push_back(instruction->opcode());
  }
  EXPECT_EQ(order, (std::vector<Opcode>{Opcode::kRecv, Opcode::kSend, Opcode::kSendDone,
                                        Opcode::kRecvDone}));
  ExpectTalk(Exchange(1, 2, 3, true), "(f32[] 4, token)", Exchange(2, 1, 4, true),
             "(f32[] 3, token)");
  // One that receives first is enough to break the cycle.
  ExpectTalk(Exchange(1, 2, 3, false), "(f32[] 4, token)", Exchange(2, 1, 4, true),
             "(f32[] 3, token)");
  std::vector<DeviceRun> cycle(2);
  cycle[0].module = Exchange(1, 2, 3, false);
  cycle[1].module = Exchange(2, 1, 4, false);
  RunOptions documented;
  documented.sends_wait = true;
  const absl::Status status = RunTogether(cycle, documented);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("deadlock"), HasSubstr("send("),
                    HasSubstr("no device has begun to receive on channel 1"),
                    HasSubstr("no device has begun to receive on channel 2")));
  // A send that leaves its value and goes on hides it.
  EXPECT_TRUE(RunTogether(cycle).ok());
}

// Element (i, j) of device d is 100 d + 2 i + j; member m of a group gets rows 2 m and 2 m + 1 of
// the group's sum.
SEED_EXAMPLE("003", ReduceScatter_example1) {
  Builder b("main");
  const Op root =
      ReduceScatter(Given(&b, 0, {8, 2}), ScalarCallee("sum", kF32, &Add), 0, 4,
                    {{0, 1, 4, 5}, {2, 3, 6, 7}}, 1, std::nullopt, /*use_global_device_ids=*/true);
  DeviceRun run;
  run.module = ExpectBuilds(b, root, "f32[2,2]",
                            {"replica_groups={{0,1,4,5},{2,3,6,7}}", "use_global_device_ids=true"});
  run.grid = {2, 4};
  for (int64_t d = 0; d < 8; ++d) {
    const int64_t member = d / 4 * 2 + d % 2, sum = d % 4 < 2 ? 1000 : 1800;
    run.arguments.push_back({Filled("f32[8,2]", [=](int64_t n) { return 100 * d + n; })});
    run.expected.push_back(
        Filled("f32[2,2]", [=](int64_t n) { return sum + 4 * (4 * member + n); }));
  }
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs));
}
// [1.0, 2.25] and [3.0, 5.25] give [4.0] and [7.5].
SEED_EXAMPLE("003", ReduceScatter_example2) {
  Builder b("main");
  const Op root = ReduceScatter(Given(&b, 0, {2}), ScalarCallee("sum", kF32, &Add), 0, 2);
  ExpectOnReplicas(ExpectBuilds(b, root, "f32[1]", {"reduce-scatter(", "dimensions={0}"}),
                   {"f32[2] {1,2.25}", "f32[2] {3,5.25}"}, {"f32[1] {4}", "f32[1] {7.5}"});
}
SEED_EXAMPLE("003", ReduceScatter_tuple) {
  Builder b("main");
  const Op pair = Parameter(&b, 0, ShapeFrom("(f32[2], f32[4])"), "pair");
  const Op root = ReduceScatter(pair, ScalarCallee("sum", kF32, &Add), 0, 2, {{1, 0}});
  ExpectOnReplicas(ExpectBuilds(b, root, "(f32[1], f32[2])", {"reduce-scatter("}),
                   {"(f32[2] {1,2}, f32[4] {1,2,3,4})", "(f32[2] {10,20}, f32[4] {10,20,30,40})"},
                   {"(f32[1] {22}, f32[2] {33,44})", "(f32[1] {11}, f32[2] {11,22})"});
  Builder c("single");
  const Op single = Parameter(&c, 0, ShapeFrom("(f32[2])"), "single");
  ExpectBuilds(c, ReduceScatter(single, ScalarCallee("sum", kF32, &Add), 0, 2), "(f32[1])",
               {"tuple("});
}
SEED_EXAMPLE("003", ReduceScatter_stablehlo_example1) {
  Builder b("main");
  const Op root = ReduceScatter(Given(&b, 0, {2, 4}), ScalarCallee("sum", kF32, &Add), 1, 2);
  ExpectOnReplicas(ExpectBuilds(b, root, "f32[2,2]", {"dimensions={1}"}),
                   {"f32[2,4] {{1,2,3,4},{5,6,7,8}}", "f32[2,4] {{9,10,11,12},{13,14,15,16}}"},
                   {"f32[2,2] {{10,12},{18,20}}", "f32[2,2] {{14,16},{22,24}}"});
}

// The known answers of Salmon et al. for key and counter 0; the words of the second block of
// Threefry are those of an independent model.

}  // namespace
}  // namespace assay::conformance::device_sections_test
