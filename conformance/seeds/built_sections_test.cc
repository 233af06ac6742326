// Sections of the documents about several devices, the host, random numbers, factorisations and
// dynamic sizes, and about what the documents call internal. The programs are built, their text is
// read back, and they run with the values that the documents print, or with values worked out by
// hand where a document has none.

// First: the Builder's function CustomCall hides the struct of that name.
// clang-format off
#include "interpreter/custom_call.h"
// clang-format on

#include <algorithm>
#include <cmath>

#include "absl/strings/str_join.h"
#include "conformance/seeds/examples.h"
#include "gmock/gmock.h"
#include "interpreter/queue_host.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr ElementType kU32 = ElementType::kU32;

Op Given(Builder* b, int64_t number, absl::Span<const int64_t> sizes,
         ElementType type = ElementType::kF32) {
  return Parameter(b, number, Shape(type, sizes), absl::StrCat("p", number));
}

SEED_EXAMPLE("003", AddDependency) {
  Builder b("main");
  const Op operands[] = {In(&b, "f32[] 3"), CreateToken(&b)};
  ExpectResult(b, AddInstruction(&b, Opcode::kAddDependency, operands), "f32[] 3");
}

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

SEED_EXAMPLE("003", Async) {
  Builder f("wrapped");
  const Op p = Given(&f, 0, {2});
  const Callee wrapped = f.BuildCallee(Neg(p));
  Builder b("main");
  const Op x = Given(&b, 0, {2});
  const Shape context = ShapeFrom("((f32[2]), f32[2], u32[])");
  const std::pair<Attr, Callee> calls[] = {{Attr::kCalls, wrapped}};
  const Op start = AddInstruction(&b, Opcode::kAsyncStart, {x}, {}, context, calls);
  const Op update = AddInstruction(&b, Opcode::kAsyncUpdate, {start}, {}, context);
  const Op done = AddInstruction(&b, Opcode::kAsyncDone, {update}, {}, ShapeFrom("f32[2]"));
  ExpectOnReplicas(ExpectBuilds(b, done, "f32[2]", {"negate-start(", "negate-done("}),
                   {"f32[2] {1,-2.5}"}, {"f32[2] {-1,2.5}"});
}

// By the formulas, with epsilon 4: feature 0 of 1, 3, 5, 7 has mean 4 and variance 5, so that its
// divisor is 3; feature 1 of 0, 0, 0, 8 has mean 2 and variance 12, and the divisor 4.
constexpr char kBatch[] = "f32[2,2,2] {{{1,0},{3,0}},{{5,0},{7,8}}}";
constexpr char kNormalised[] = "f32[2,2,2] {{{7,0},{9,0}},{{11,0},{13,4}}}";
SEED_EXAMPLE("003 004", BatchNormTraining) {
  Builder b("main");
  const Op root =
      BatchNormTraining(In(&b, kBatch), In(&b, "f32[2] {3,2}"), In(&b, "f32[2] {10,1}"), 4.0f, 2);
  ExpectResult(b, root, absl::StrCat("(", kNormalised, ", f32[2] {4,2}, f32[2] {5,12})"));
}
SEED_EXAMPLE("003 004", BatchNormInference) {
  Builder b("main");
  const Op root =
      BatchNormInference(In(&b, kBatch), In(&b, "f32[2] {3,2}"), In(&b, "f32[2] {10,1}"),
                         In(&b, "f32[2] {4,2}"), In(&b, "f32[2] {5,12}"), 4.0f, 2);
  ExpectResult(b, root, kNormalised);
}
// Feature 0: c = (12 * 3) / 9 / 4 = 1, d = 3. Feature 1: c = (-16 + 48) / 16 / 4 = 1/2, d = 4.
SEED_EXAMPLE("003 004", BatchNormGrad) {
  Builder b("main");
  const Op gradient = In(&b, "f32[2,2,2] {{{0,0},{0,0}},{{0,8},{12,8}}}");
  const Op root = BatchNormGrad(In(&b, kBatch), In(&b, "f32[2] {3,2}"), In(&b, "f32[2] {4,2}"),
                                In(&b, "f32[2] {5,12}"), gradient, 4.0f, 2);
  // The gradients of operand, scale and offset.
  ExpectResult(b, root,
               "(f32[2,2,2] {{{0,-1.5},{-2,-1.5}},{{-4,2.5},{6,0.5}}}, f32[2] {12,8}, "
               "f32[2] {12,16})");
}

SEED_EXAMPLE("003", Bitcast) {
  Builder b("main");
  const Op x = In(&b, "f32[2,2] {{1,2},{3,4}}");
  ExpectResult(b, AddInstruction(&b, Opcode::kBitcast, {x}, {}, ShapeFrom("f32[4]{0}")),
               "f32[4] {1,2,3,4}");
}

// l = {{2,0,0},{1,3,0},{4,-1,1}}; the upper triangle of the input is not read, that of the result
// may be anything.
SEED_EXAMPLE("003", Cholesky) {
  Builder b("main");
  const Op lower = Cholesky(In(&b, "f32[1,3,3] {{{4,99,99},{2,10,99},{8,1,18}}}"), true);
  const Op kept = In(&b, "pred[1,3,3] {{{true,false,false},{true,true,false},{true,true,true}}}");
  ExpectResult(b, Select(kept, lower, In(&b, "f32[1,3,3] {{{0,0,0},{0,0,0},{0,0,0}}}")),
               "f32[1,3,3] {{{2,0,0},{1,3,0},{4,-1,1}}}");
  Builder c("upper");
  const Op upper = Cholesky(In(&c, "f32[2,2] {{4,2},{99,10}}"), false);
  const Op above = In(&c, "pred[2,2] {{true,true},{false,true}}");
  ExpectResult(c, Select(above, upper, In(&c, "f32[2,2] {{0,0},{0,0}}")), "f32[2,2] {{2,1},{0,3}}");
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

SEED_EXAMPLE("003", Copy) {
  Builder b("main");
  const Op x = In(&b, "s32[2] {1,2}");
  ExpectResult(b, AddInstruction(&b, Opcode::kCopy, {x}), "s32[2] {1,2}");
  Builder c("asynchronous");
  const Op start = AddInstruction(&c, Opcode::kCopyStart, {Given(&c, 0, {2})}, {},
                                  ShapeFrom("(f32[2], f32[2], u32[])"));
  const Op done = AddInstruction(&c, Opcode::kCopyDone, {start}, {}, ShapeFrom("f32[2]"));
  ExpectOnReplicas(ExpectBuilds(c, done, "f32[2]", {"copy-start(", "copy-done("}), {"f32[2] {1,2}"},
                   {"f32[2] {1,2}"});
}

SEED_EXAMPLE("003", CustomCall) {
  Builder b("main");
  DeviceRun run;
  run.module =
      ExpectBuilds(b, CustomCall(&b, "target", {Given(&b, 0, {2})}, Shape(kF32, {3}), true),
                   "f32[3]", {"custom_call_target=\"target\"", "custom_call_has_side_effect=true"});
  run.arguments = {{Value("f32[2] {1,2}")}};
  run.expected = {Value("f32[3] {2,1,0}")};
  CustomCallRegistry registry = CustomCallRegistry::BuiltIn();
  int calls = 0;
  registry.Register("target", [&](const auto& call) -> absl::StatusOr<Literal> {
    ++calls;
    absl::StatusOr<Literal> result = call.Zeros(call.instruction.shape());
    if (!result.ok()) return result;
    for (int64_t i = 0; i < 2; ++i) result->Set(i, call.operands[0].Get(1 - i));
    return result;
  });
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs), {}, &registry);
  EXPECT_EQ(calls, 1);
}
// The function of the document: z[0][0] = x[1] + y[1][0].
SEED_EXAMPLE("000 004", CustomCall_example1) {
  Builder b("main");
  const Op x = In(&b, "f32[2] {1,2}");
  const Op y = In(&b, "f32[2,3] {{10,20,30},{40,50,60}}");
  DeviceRun run;
  run.module = ExpectBuilds(b, CustomCall("myfunc", {x, y}, Shape(kF32, {3, 3})), "f32[3,3]",
                            {"custom_call_target=\"myfunc\""});
  run.expected = {Value("f32[3,3] {{42,0,0},{0,0,0},{0,0,0}}")};
  CustomCallRegistry registry = CustomCallRegistry::BuiltIn();
  registry.Register("myfunc", [](const auto& call) -> absl::StatusOr<Literal> {
    absl::StatusOr<Literal> z = call.Zeros(call.instruction.shape());
    if (!z.ok()) return z;
    const auto number = [](const Literal& array, int64_t i) {
      return DecodeFloat(kF32, array.Get(i).bits);
    };
    z->Set(0, {EncodeFloat(kF32, number(call.operands[0], 1) + number(call.operands[1], 3))});
    return z;
  });
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs), {}, &registry);
}

SEED_EXAMPLE("003", Domain) {
  Builder b("main");
  const auto sharding = std::make_shared<const DomainSharding>();
  const Attributes::Entry attributes[] = {{Attr::kDomain, sharding}};
  const Op root = AddInstruction(&b, Opcode::kDomain, {Given(&b, 0, {2})}, attributes);
  ExpectOnReplicas(ExpectBuilds(b, root, "f32[2]", {"domain(", "kind=\"sharding\""}),
                   {"f32[2] {1,2}"}, {"f32[2] {1,2}"});
}

// Blocks of 32 ones, scaled by 2^i and 1 from the left, by 1 and 2^j from the right.
SEED_EXAMPLE("003", ScaledDot) {
  Builder b("main");
  const Op one = In(&b, "f8e4m3fn[] 1");
  const Op lhs = Broadcast(one, {4, 64}), rhs = Broadcast(one, {64, 8});
  const Op lhs_scale = In(&b, "f8e8m0fnu[4,2] {{1,1},{2,1},{4,1},{8,1}}");
  const Op rhs_scale = In(&b, "f8e8m0fnu[2,8] {{1,1,1,1,1,1,1,1},{1,2,4,8,16,32,64,128}}");
  const DotDimensionNumbers numbers = {.lhs_contracting_dimensions = {1},
                                       .rhs_contracting_dimensions = {0},
                                       .lhs_batch_dimensions = {},
                                       .rhs_batch_dimensions = {}};
  const Op root = ScaledDot(lhs, lhs_scale, rhs, rhs_scale, numbers, {}, kF32);
  const Literal expected =
      Filled("f32[4,8]", [](int64_t n) { return 32 * (std::pow(2, n / 8) + std::pow(2, n % 8)); });
  ExpectResult(b, root, PrintTypedLiteral(expected));
}
SEED_EXAMPLE("003", RaggedDot) {
  Builder b("main");
  // Group g of rows, of 2, 4 and 5, meets the matrix of g + 1.
  const Op lhs = Broadcast(In(&b, "f32[] 1"), {11, 5});
  const Op rhs = BroadcastInDim(In(&b, "f32[3] {1,2,3}"), {3, 5, 7}, {0});
  const Op sizes = In(&b, "s32[3] {2,4,5}");
  const RaggedDotDimensionNumbers numbers = {
      .dot_dimension_numbers = {.lhs_contracting_dimensions = {1},
                                .rhs_contracting_dimensions = {1},
                                .lhs_batch_dimensions = {},
                                .rhs_batch_dimensions = {}},
      .lhs_ragged_dimensions = {0},
      .rhs_group_dimensions = {0}};
  const Literal expected = Filled("f32[11,7]", [](int64_t n) {
    const int64_t row = n / 7;
    return row < 2 ? 5 : row < 6 ? 10 : 15;
  });
  ExpectResult(b, RaggedDot(lhs, rhs, sizes, numbers), PrintTypedLiteral(expected));
}

// The valid elements of [2,<=6] of size 4, in their order, as [4,2].
SEED_EXAMPLE("003", DynamicReshape) {
  Builder b("main");
  const Op x =
      SetDimensionSize(In(&b, "f32[2,6] {{1,2,3,4,5,6},{7,8,9,10,11,12}}"), In(&b, "s32[] 4"), 1);
  const Op rows = In(&b, "s32[] 4"), columns = In(&b, "s32[] 2");
  const Op reshaped = DynamicReshape(x, {rows, columns}, {4, 3}, {false, true});
  EXPECT_EQ(reshaped.shape()->ToString(), "f32[4,<=3]");
  const Op sums = Reduce(reshaped, In(&b, "f32[] 0"), ScalarCallee("sum", kF32, &Add), {1});
  ExpectResult(b, Tuple({sums, GetDimensionSize(reshaped, 1)}), "(f32[4] {3,7,15,19}, s32[] 2)");
}

SEED_EXAMPLE("003", Fft) {
  Builder b("main");
  const ElementType c64 = ElementType::kC64;
  ExpectBuilds(b, Fft(Given(&b, 0, {3, 8}, c64), FftType::kFft, {8}), "c64[3,8]",
               {"fft_type=FFT", "fft_length={8}"});
  Builder c("real_to_complex");
  ExpectBuilds(c, Fft(Given(&c, 0, {3, 8}), FftType::kRfft, {8}), "c64[3,5]", {"fft_type=RFFT"});
  Builder d("complex_to_real");
  ExpectBuilds(d, Fft(Given(&d, 0, {3, 5}, c64), FftType::kIrfft, {8}), "f32[3,8]",
               {"fft_type=IRFFT"});
}
// The transform of 1, 2, 3, 4 and its way back.
SEED_EXAMPLE("003", Fft_values) {
  Builder b("main");
  ExpectResult(b, Fft(In(&b, "c64[4] {(1,0),(2,0),(3,0),(4,0)}"), FftType::kFft, {4}),
               "c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}");
  Builder c("inverse");
  ExpectResult(c, Fft(In(&c, "c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}"), FftType::kIfft, {4}),
               "c64[4] {(1,0),(2,0),(3,0),(4,0)}");
  Builder d("real_to_complex");
  ExpectResult(d, Fft(In(&d, "f32[4] {1,2,3,4}"), FftType::kRfft, {4}),
               "c64[3] {(10,0),(-2,2),(-2,0)}");
  Builder e("complex_to_real");
  ExpectResult(e, Fft(In(&e, "c64[3] {(10,0),(-2,2),(-2,0)}"), FftType::kIrfft, {4}),
               "f32[4] {1,2,3,4}");
}
SEED_EXAMPLE("003", Fft_multidimensional) {
  Builder b("main");
  ExpectBuilds(b, Fft(Given(&b, 0, {2, 4, 8}), FftType::kRfft, {4, 8}), "c64[2,4,5]",
               {"fft_length={4,8}"});
  // Of rows first, then of columns.
  Builder c("values");
  ExpectResult(c, Fft(In(&c, "f32[2,4] {{1,2,3,4},{5,6,7,8}}"), FftType::kRfft, {2, 4}),
               "c64[2,3] {{(36,0),(-4,4),(-4,0)},{(-16,0),(0,0),(0,0)}}");
}

SEED_EXAMPLE("003", Fusion) {
  Builder f("fused");
  const Op p = Parameter(&f, 0, Shape(kS32, {2}), "p");
  const Callee fused = f.BuildCallee(Add(p, p));
  Builder b("main");
  const Attributes::Entry attributes[] = {{Attr::kKind, static_cast<int64_t>(FusionKind::kLoop)}};
  const std::pair<Attr, Callee> calls[] = {{Attr::kCalls, fused}};
  const Op x = In(&b, "s32[2] {1,2}");
  ExpectResult(b, AddInstruction(&b, Opcode::kFusion, {x}, attributes, Shape(kS32, {2}), calls),
               "s32[2] {2,4}");
}

SEED_EXAMPLE("003", GetDimensionSize) {
  Builder b("main");
  const Op x = In(&b, "f32[2,3] {{1,2,3},{4,5,6}}");
  ExpectResult(b, GetDimensionSize(x, 1), "s32[] 3");
  Builder c("dynamic");
  const Op y = SetDimensionSize(In(&c, "f32[2,3] {{1,2,3},{4,5,6}}"), In(&c, "s32[] 2"), 1);
  ExpectResult(c, Tuple({GetDimensionSize(y, 0), GetDimensionSize(y, 1)}), "(s32[] 2, s32[] 2)");
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
  QueueHost host;
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
  QueueHost host;
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
  for (const auto& instruction : Exchange(1, 2, 3, true)->entry()->instructions()) {
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
                    HasSubstr("nobody has begun to receive on channel 1"),
                    HasSubstr("nobody has begun to receive on channel 2")));
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
SEED_EXAMPLE("003", RngBitGenerator) {
  Builder b("main");
  const Op state = In(&b, "u64[2] {0,0}");
  const Op root = RngBitGenerator(RandomAlgorithm::kThreeFry, state, Shape(kU32, {4}));
  ExpectResult(b, root, "(u64[2] {0,2}, u32[4] {1797259609,2579123966,1351547692,3235790642})");
  Builder c("philox");
  const Op longer = In(&c, "u64[3] {0,0,0}");
  ExpectResult(c, RngBitGenerator(RandomAlgorithm::kPhilox, longer, Shape(kU32, {4})),
               "(u64[3] {0,1,0}, u32[4] {1713891541,3781805453,3159862348,2600524760})");
}
// The state of a module that is loaded once goes on from run to run.
SEED_EXAMPLE("003", RngGetAndUpdateState) {
  Builder b("main");
  const Attributes::Entry attributes[] = {{Attr::kDelta, int64_t{4}}};
  const Op root = AddInstruction(&b, Opcode::kRngGetAndUpdateState, {}, attributes,
                                 Shape(ElementType::kU64, {2}));
  const std::unique_ptr<Module> module =
      ExpectBuilds(b, root, "u64[2]", {"rng-get-and-update-state()", "delta=4"});
  const auto planned = PlannedModule::Create(*module);
  ASSERT_TRUE(planned.ok()) << planned.status();
  RandomStates states;
  RunOptions options;
  options.random = &states;
  for (const char* expected : {"u64[2] {117515157,0}", "u64[2] {117515161,0}"}) {
    const absl::StatusOr<Literal> value = (*planned)->Run({}, options);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(Literal::BitEqual(*value, Value(expected))) << expected;
  }
}

std::vector<double> Numbers(const Literal& literal) {
  std::vector<double> numbers;
  const ElementType type = literal.element_type();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const uint64_t bits = literal.Get(i).bits;
    numbers.push_back(IsFloat(type)  ? DecodeFloat(type, bits)
                      : type == kS32 ? static_cast<double>(static_cast<int32_t>(bits))
                                     : static_cast<double>(bits));
  }
  return numbers;
}
double Mean(absl::Span<const double> numbers) {
  double sum = 0;
  for (double x : numbers) sum += x;
  return sum / static_cast<double>(numbers.size());
}

// 10,000 numbers each, of one seed: their means lie within five standard deviations.
constexpr int64_t kDraws = 10000;
SEED_EXAMPLE("000 004", RngBernoulli) {
  Builder b("main");
  const std::vector<double> drawn =
      Numbers(RunResult(b, RngBernoulli(In(&b, "f32[] 0.25"), Shape(kU32, {kDraws}))));
  EXPECT_THAT(drawn, Each(testing::AnyOf(0, 1)));
  EXPECT_NEAR(Mean(drawn), 0.25, 5 * std::sqrt(0.25 * 0.75 / kDraws));
}
SEED_EXAMPLE("000 003 004", RngNormal) {
  Builder b("main");
  const std::vector<double> drawn = Numbers(
      RunResult(b, RngNormal(In(&b, "f32[] 3"), In(&b, "f32[] 2"), Shape(kF32, {100, 100}))));
  ASSERT_EQ(drawn.size(), static_cast<size_t>(kDraws));
  EXPECT_NEAR(Mean(drawn), 3, 5 * 2 / std::sqrt(kDraws));
  std::vector<double> squares;
  for (double x : drawn) squares.push_back((x - 3) * (x - 3));
  EXPECT_NEAR(Mean(squares), 4, 5 * 4 * std::sqrt(2.0 / kDraws));
}
SEED_EXAMPLE("000 003 004", RngUniform) {
  Builder b("main");
  const std::vector<double> drawn = Numbers(
      RunResult(b, RngUniform(In(&b, "s32[] -5"), In(&b, "s32[] 5"), Shape(kS32, {kDraws}))));
  EXPECT_THAT(drawn, Each(AllOf(testing::Ge(-5), testing::Le(4))));
  for (int value = -5; value < 5; ++value) {
    const auto count = static_cast<double>(std::count(drawn.begin(), drawn.end(), value));
    EXPECT_NEAR(count, kDraws / 10.0, 5 * std::sqrt(kDraws * 0.1 * 0.9)) << value;
  }
}

// f(x, c) -> (y, c') over [a, b, c]: ([y0, y1, y2], c2).
SEED_EXAMPLE("003", Scan_example1) {
  Builder f("running_sum");
  const Op x = Parameter(&f, 0, Shape::Scalar(kF32), "x");
  const Op carry = Parameter(&f, 1, Shape::Scalar(kF32), "carry");
  const Op sum = Add(x, carry);
  const Callee step = f.BuildCallee(Tuple({sum, sum}));
  Builder b("main");
  const Op root = Scan({In(&b, "f32[3] {1,2,3}")}, {In(&b, "f32[] 10")}, step,
                       /*scan_dimension=*/0);
  ExpectResult(b, root, "(f32[3] {11,13,16}, f32[] 16)");
  Builder reversed("reversed");
  const Op back = Scan({In(&reversed, "f32[3] {1,2,3}")}, {In(&reversed, "f32[] 10")}, step, 0,
                       /*is_reverse=*/true, TriState::kTrue);
  ExpectResult(reversed, back, "(f32[3] {16,15,13}, f32[] 16)");
  // is_associative has three states; text has a word for two of them.
  for (const auto& [state, word] : {std::pair(TriState::kUnknown, "is_associative=false"),
                                    {TriState::kFalse, "is_associative=false"},
                                    {TriState::kTrue, "is_associative=true"}}) {
    Builder c("states");
    ExpectBuilds(c, Scan({Given(&c, 0, {3})}, {In(&c, "f32[] 0")}, step, 0, false, state),
                 "(f32[3], f32[])", {"scan(", "dimensions={0}", "num_carries=1", word});
  }
}

// The sums of the document are 15 and 21, the product 120; none of them sees what is cut off.
void ExpectSized(const char* size, BinaryOperation function, const char* identity,
                 const char* expected) {
  Builder b("main");
  const Op v = In(&b, "f32[10] {1,2,3,4,5,6,7,8,9,10}");
  const Op padded = SetDimensionSize(v, In(&b, size), /*dimension=*/0);
  EXPECT_EQ(padded.shape()->ToString(), "f32[<=10]");
  ExpectResult(b, Reduce(padded, In(&b, identity), ScalarCallee("f", kF32, function), {0}),
               expected);
}
SEED_EXAMPLE("003", SetDimensionSize_example1) {
  ExpectSized("s32[] 5", &Add, "f32[] 0", "f32[] 15");
}
SEED_EXAMPLE("003", SetDimensionSize_example2) {
  ExpectSized("s32[] 5", &Mul, "f32[] 1", "f32[] 120");
}
SEED_EXAMPLE("003", SetDimensionSize_example3) {
  ExpectSized("s32[] 6", &Add, "f32[] 0", "f32[] 21");
}

// a x = b with the lower triangle of a; what stands above it is not read.
SEED_EXAMPLE("003", TriangularSolve) {
  Builder b("main");
  const Op root =
      TriangularSolve(In(&b, "f32[3,3] {{2,99,99},{1,3,99},{4,-1,1}}"),
                      In(&b, "f32[3,2] {{2,4},{10,14},{6,10}}"), /*left_side=*/true,
                      /*lower=*/true, /*unit_diagonal=*/false, TransposeA::kNoTranspose);
  ExpectResult(b, root, "f32[3,2] {{1,2},{3,4},{5,6}}");
}

}  // namespace
}  // namespace assay
