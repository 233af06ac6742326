// The sections that the documents of 2017 (000), 2018 (004) and today (003) share, example by
// example. Expected values are the documents', corrected by reference ops_structural.md 15.
#include "conformance/seeds/examples.h"
#include "runtime/queue_host.h"

namespace assay::conformance::shared_sections_test {
namespace {

constexpr char kV[] =
    "f32[4,2,3] {{{10,11,12},{15,16,17}}, {{20,21,22},{25,26,27}}, {{30,31,32},{35,36,37}}, "
    "{{40,41,42},{45,46,47}}}";
constexpr char kB[] = "f32[4,3] {{0,1,2},{3,4,5},{6,7,8},{9,10,11}}";
constexpr char kCube[] =
    "f32[4,2,3] {{{1,2,3},{4,5,6}}, {{1,2,3},{4,5,6}}, {{1,2,3},{4,5,6}}, {{1,2,3},{4,5,6}}}";

// An array has any number of dimensions and elements of one type; a vector has 1, a matrix 2.
SEED_EXAMPLE("000 003 004", Introduction) {
  Builder b("main");
  EXPECT_EQ(In(&b, "f32[] 1").shape()->rank(), 0);
  EXPECT_EQ(In(&b, "f32[3] {1,2,3}").shape()->rank(), 1);
  EXPECT_EQ(In(&b, "f32[1,2] {{1,2}}").shape()->rank(), 2);
  EXPECT_EQ(In(&b, kV).shape()->element_type(), kF32);
  EXPECT_EQ(In(&b, kV).shape()->rank(), 3);
}

SEED_EXAMPLE("000 003 004", Broadcast_example1) {
  Builder b("main");
  ExpectResult(b, Broadcast(In(&b, "f32[] 2"), {2, 3}), "f32[2,3] {{2,2,2},{2,2,2}}");
}

SEED_EXAMPLE("000 003 004", Call) {
  Builder b("main");
  const Callee sub = ScalarCallee("difference", kF32, &Sub);
  ExpectResult(b, Call(sub, {In(&b, "f32[] 7"), In(&b, "f32[] 2")}), "f32[] 5");
  Builder constant("five");
  In(&constant, "f32[] 5");
  Builder c("no_arguments");
  ExpectResult(c, Call(&c, constant.BuildCallee(), {}), "f32[] 5");
}

SEED_EXAMPLE("000 003 004", Collapse_example1) {
  Builder b("main");
  ExpectResult(b, Collapse(In(&b, kV), {0, 1, 2}),
               "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}");
}

SEED_EXAMPLE("000 003 004", Collapse_example2) {
  Builder b("main");
  ExpectResult(b, Collapse(In(&b, kV), {0, 1}),
               "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},"
               "{40,41,42},{45,46,47}}");
}

SEED_EXAMPLE("000 003 004", Collapse_example3) {
  Builder b("main");
  ExpectResult(b, Collapse(In(&b, kV), {1, 2}),
               "f32[4,6] {{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},"
               "{40,41,42,45,46,47}}");
}

// Neighbours in order only.
SEED_EXAMPLE("000 003 004", Collapse_refusals) {
  for (const std::vector<int64_t>& dimensions :
       std::vector<std::vector<int64_t>>{{1, 0}, {0, 2}, {2, 3}}) {
    Builder b("main");
    ExpectRefused(b, Collapse(In(&b, kV), dimensions), "[collapse_c1]");
  }
}

SEED_EXAMPLE("000 003 004", ConcatInDim_example1) {
  Builder b("main");
  const std::vector<Op> parts = {In(&b, "s32[2] {2,3}"), In(&b, "s32[2] {4,5}"),
                                 In(&b, "s32[2] {6,7}")};
  ExpectResult(b, ConcatInDim(parts, 0), "s32[6] {2,3,4,5,6,7}");
}

SEED_EXAMPLE("000 003 004", ConcatInDim_example2) {
  Builder b("main");
  const Op x = In(&b, "s32[3,2] {{1,2},{3,4},{5,6}}");
  const Op y = In(&b, "s32[1,2] {{7,8}}");
  ExpectResult(b, Concatenate({x, y}, 0), "s32[4,2] {{1,2},{3,4},{5,6},{7,8}}");
}

SEED_EXAMPLE("000 003 004", ConvertElementType_example1) {
  Builder b("main");
  ExpectResult(b, ConvertElementType(In(&b, "s32[3] {0,1,2}"), kF32), "f32[3] {0,1,2}");
}

// SAME keeps the size, VALID pads nothing: windows of ones sum their elements.
SEED_EXAMPLE("000 004", Conv) {
  for (const auto& [padding, expected] :
       std::vector<std::pair<Padding, std::string>>{{Padding::kSame, "f32[1,1,4] {{{3,6,9,7}}}"},
                                                    {Padding::kValid, "f32[1,1,2] {{{6,9}}}"}}) {
    Builder b("main");
    const Op lhs = In(&b, "f32[1,1,4] {{{1,2,3,4}}}");
    const Op rhs = In(&b, "f32[1,1,3] {{{1,1,1}}}");
    ExpectResult(b, Conv(lhs, rhs, {1}, padding), expected);
  }
}

// The loops of the pseudo-code, over small whole numbers, against the operation.
void CheckConvolutionPseudoCode() {
  constexpr int kZ = 2, kOz = 3, kY = 4, kX = 5, kKy = 2, kKx = 3;
  constexpr int kStrideY = 2, kStrideX = 1, kPadY = 1, kPadX = 2;
  Literal input = Literal::Zeros(Shape(kS32, {1, kZ, kY, kX}));
  Literal kernel = Literal::Zeros(Shape(kS32, {kOz, kZ, kKy, kKx}));
  for (int i = 0; i < input.element_count(); ++i) input.Set(i, {static_cast<uint64_t>(i * i % 11)});
  for (int i = 0; i < kernel.element_count(); ++i) {
    kernel.Set(i, {EncodeInteger(kS32, static_cast<uint64_t>(i % 5 - 2))});
  }
  Builder b("main");
  const Op root = ConvWithGeneralPadding(Constant(&b, input), Constant(&b, kernel),
                                         {kStrideY, kStrideX}, {{kPadY, 0}, {kPadX, 1}});
  const Literal result = RunResult(b, root);
  const int out_y = (kPadY + kY - kKy) / kStrideY + 1;
  const int out_x = (kPadX + kX + 1 - kKx) / kStrideX + 1;
  ASSERT_EQ(result.shape().ToString(), absl::StrCat("s32[1,", kOz, ",", out_y, ",", out_x, "]"));
  for (int oz = 0; oz < kOz; ++oz) {
    for (int oy = 0; oy < out_y; ++oy) {
      for (int ox = 0; ox < out_x; ++ox) {
        int64_t value = 0;
        for (int iz = 0; iz < kZ; ++iz) {
          for (int ky = 0; ky < kKy; ++ky) {
            for (int kx = 0; kx < kKx; ++kx) {
              const int iy = oy * kStrideY + ky - kPadY;
              const int ix = ox * kStrideX + kx - kPadX;
              if (iy < 0 || iy >= kY || ix < 0 || ix >= kX) continue;
              value += DecodeSigned(kS32, input.Get((iz * kY + iy) * kX + ix).bits) *
                       DecodeSigned(kS32, kernel.Get(((oz * kZ + iz) * kKy + ky) * kKx + kx).bits);
            }
          }
        }
        EXPECT_EQ(DecodeSigned(kS32, result.Get((oz * out_y + oy) * out_x + ox).bits), value);
      }
    }
  }
}

SEED_EXAMPLE("000 004", ConvWithGeneralPadding_example1) { CheckConvolutionPseudoCode(); }
SEED_EXAMPLE("003", Conv_example1) { CheckConvolutionPseudoCode(); }

// Dilation of the input puts zeros between its elements, dilation of the kernel holes.
SEED_EXAMPLE("000 004", ConvWithGeneralPadding_dilations) {
  Builder b("main");
  const Op lhs = In(&b, "f32[1,1,3] {{{1,2,3}}}");
  const Op rhs = In(&b, "f32[1,1,2] {{{1,10}}}");
  const Op root = ConvWithGeneralPadding(lhs, rhs, {1}, {{0, 0}}, {2}, {3});
  // 1 0 2 0 3 under 1 . . 10
  ExpectResult(b, root, "f32[1,1,2] {{{1,30}}}");
}

SEED_EXAMPLE("000 004", CrossReplicaSum_example1) {
  // Two replicas with (1.0, 2.5) and (3.0, 5.1) get (4.0, 7.6).
  Builder b("main");
  const Op x = Parameter(&b, 0, Shape(kF32, {2}), "x");
  ExpectOnReplicas(
      ExpectBuilds(b, CrossReplicaSum(x), "f32[2]", {"all-reduce(", "replica_groups={}", "add("}),
      {"f32[2] {1,2.5}", "f32[2] {3,5.1}"}, {"f32[2] {4,7.6}", "f32[2] {4,7.6}"});
}

SEED_EXAMPLE("000 003 004", Dot_VectorVector) {
  Builder b("main");
  ExpectResult(b, Dot(In(&b, "f32[3] {1,2,3}"), In(&b, "f32[3] {4,5,6}")), "f32[] 32");
}

SEED_EXAMPLE("000 003 004", Dot_MatrixVector) {
  Builder b("main");
  ExpectResult(b, Dot(In(&b, "f32[2,2] {{1,2},{3,4}}"), In(&b, "f32[2] {5,6}")), "f32[2] {17,39}");
}

SEED_EXAMPLE("000 003 004", Dot_MatrixMatrix) {
  Builder b("main");
  ExpectResult(b, Dot(In(&b, "f32[2,2] {{1,2},{3,4}}"), In(&b, "f32[2,2] {{5,6},{7,8}}")),
               "f32[2,2] {{19,22},{43,50}}");
}

// The case that the documents' tables leave out.
SEED_EXAMPLE("000 003 004", Dot_VectorMatrix) {
  Builder b("main");
  ExpectResult(b, Dot(In(&b, "f32[2] {5,6}"), In(&b, "f32[2,2] {{1,2},{3,4}}")), "f32[2] {23,34}");
}

struct BinaryRow {
  BinaryOperation function;
  std::string lhs, rhs, expected;
};

SEED_EXAMPLE("000 004", ElementwiseBinaryArithmetic) {
  const BinaryRow rows[] = {
      {&Add, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {8,-5,0}"},
      {&Sub, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {2,-9,4}"},
      {&Mul, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {15,-14,-4}"},
      {&Div, "f32[3] {5,-7,2}", "f32[3] {2,2,-2}", "f32[3] {2.5,-3.5,-1}"},
      // The sign of the dividend.
      {&Rem, "s32[3] {5,-7,7}", "s32[3] {3,2,-2}", "s32[3] {2,-1,1}"},
      {&Max, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {5,2,2}"},
      {&Min, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {3,-7,-2}"},
      {&LogicalAnd, "pred[4] {0,0,1,1}", "pred[4] {0,1,0,1}", "pred[4] {0,0,0,1}"},
      {&LogicalOr, "pred[4] {0,0,1,1}", "pred[4] {0,1,0,1}", "pred[4] {0,1,1,1}"},
  };
  for (const BinaryRow& row : rows) {
    Builder b("main");
    const Op root = row.function(In(&b, row.lhs), In(&b, row.rhs), {}, CallSite::Current());
    ExpectResult(b, root, row.expected);
  }
  Builder b("broadcast_dimensions");
  const Op matrix = In(&b, "s32[2,3] {{1,2,3},{4,5,6}}");
  ExpectResult(b, Add(matrix, In(&b, "s32[3] {7,8,9}"), {1}), "s32[2,3] {{8,10,12},{11,13,15}}");
}

SEED_EXAMPLE("000 004", ElementwiseComparison) {
  const std::string x = "f32[4] {1, 2, 3, nan}", y = "f32[4] {2, 2, 2, nan}";
  const BinaryRow rows[] = {
      {&Eq, x, y, "pred[4] {0,1,0,0}"}, {&Ne, x, y, "pred[4] {1,0,1,1}"},
      {&Ge, x, y, "pred[4] {0,1,1,0}"}, {&Gt, x, y, "pred[4] {0,0,1,0}"},
      {&Le, x, y, "pred[4] {1,1,0,0}"}, {&Lt, x, y, "pred[4] {1,0,0,0}"},
  };
  for (const BinaryRow& row : rows) {
    Builder b("main");
    const Op root = row.function(In(&b, row.lhs), In(&b, row.rhs), {}, CallSite::Current());
    ExpectResult(b, root, row.expected);
  }
  Builder b("broadcast_dimensions");
  const Op matrix = In(&b, "s32[2,2] {{1,2},{3,4}}");
  ExpectResult(b, Lt(matrix, In(&b, "s32[2] {2,4}"), {0}), "pred[2,2] {{1,0},{1,0}}");
}

SEED_EXAMPLE("000 004", ElementwiseUnaryFunctions) {
  using UnaryFunction = Op (*)(Op, CallSite);
  const struct {
    UnaryFunction function;
    std::string operand, expected;
  } rows[] = {
      {&Abs, "s32[3] {-5,0,7}", "s32[3] {5,0,7}"},
      {&Ceil, "f32[3] {-1.5,0.25,2}", "f32[3] {-1,1,2}"},
      {&Cos, "f32[2] {0,1}", "f32[2] {1,0.5403023058681398}"},
      {&Exp, "f32[2] {0,1}", "f32[2] {1,2.718281828459045}"},
      {&Floor, "f32[3] {-1.5,0.25,2}", "f32[3] {-2,0,2}"},
      {&IsFinite, "f32[4] {1,inf,-inf,nan}", "pred[4] {1,0,0,0}"},
      {&Log, "f32[2] {1,2}", "f32[2] {0,0.6931471805599453}"},
      {&LogicalNot, "pred[2] {0,1}", "pred[2] {1,0}"},
      {&Neg, "s32[2] {3,-4}", "s32[2] {-3,4}"},
      {&Sign, "f32[3] {-2.5,0,7}", "f32[3] {-1,0,1}"},
      {&Tanh, "f32[2] {0,1}", "f32[2] {0,0.7615941559557649}"},
  };
  for (const auto& row : rows) {
    Builder b("main");
    ExpectResult(b, row.function(In(&b, row.operand), CallSite::Current()), row.expected);
  }
}

SEED_EXAMPLE("000 003 004", Tuple_example1) {
  Builder b("main");
  const Op v = In(&b, "f32[10] {0,1,2,3,4,5,6,7,8,9}");
  const Op s = In(&b, "s32[] 5");
  ExpectResult(b, Tuple({v, s}), "(f32[10] {0,1,2,3,4,5,6,7,8,9}, s32[] 5)");
}

SEED_EXAMPLE("000 003 004", GetTupleElement_example1) {
  Builder b("main");
  const Op v = In(&b, "f32[10] {0,1,2,3,4,5,6,7,8,9}");
  const Op t = Tuple({v, In(&b, "s32[] 5")});
  const Op element_1 = GetTupleElement(t, 1);
  EXPECT_EQ(element_1.shape()->ToString(), "s32[]");
  ExpectResult(b, element_1, "s32[] 5");
}

// Two loops with an infeed each; the second starts from the result of the first, so that they are
// in a total order: the first takes two items, the second the third.
SEED_EXAMPLE("000 003 004", Infeed_example1) {
  const Shape data(kF32, {3});
  const Shape state = Shape::Tuple({Shape::Scalar(kS32), data});
  const auto fewer_than = [&](const char* limit) {
    Builder condition("condition");
    const Op tested = Parameter(&condition, 0, state, "state");
    return condition.BuildCallee(Lt(GetTupleElement(tested, 0), In(&condition, limit)));
  };
  Builder body("body");
  const Op before = Parameter(&body, 0, state, "state");
  const Op fed = Infeed(&body, data);
  const Callee step =
      body.BuildCallee(Tuple({Add(GetTupleElement(before, 0), In(&body, "s32[] 1")), fed}));
  Builder b("main", Semantics::k2017);
  const Op init = Parameter(&b, 0, state, "init_value");
  const Op result1 = While(fewer_than("s32[] 2"), step, init);
  const Op result2 = While(fewer_than("s32[] 3"), step, result1);
  DeviceRun run;
  run.module = ExpectBuilds(b, Tuple({result1, result2}), "((s32[], f32[3]), (s32[], f32[3]))",
                            {"infeed(", "while("});
  run.arguments = {{Value("(s32[] 0, f32[3] {0,0,0})")}};
  run.expected = {Value("((s32[] 2, f32[3] {4,5,6}), (s32[] 3, f32[3] {7,8,9}))")};
  runtime::QueueHost host;
  for (const char* item : {"f32[3] {1,2,3}", "f32[3] {4,5,6}", "f32[3] {7,8,9}"}) {
    host.PutInfeed({}, Value(item));
  }
  RunOptions options;
  options.host = &host;
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs), options);
  EXPECT_EQ(host.unused_infeeds(), 0);
}
// Without the dependency there is no total order, which 2017's compiler refuses.
SEED_EXAMPLE("000 003 004", Infeed_unordered) {
  const Shape data = Shape::Scalar(kS32);
  Builder condition("condition");
  const Callee fewer =
      condition.BuildCallee(Lt(Parameter(&condition, 0, data, "n"), In(&condition, "s32[] 2")));
  Builder body("body");
  const Op n = Parameter(&body, 0, data, "n");
  const Callee step = body.BuildCallee(Add(n, Infeed(&body, data)));
  for (Semantics semantics : {Semantics::k2017, Semantics::kToday}) {
    Builder b("main", semantics);
    const Op init = Parameter(&b, 0, data, "init_value");
    const Op root = Tuple({While(fewer, step, init), While(fewer, step, init)});
    if (semantics == Semantics::k2017) {
      ExpectRefused(b, root, "[infeed_2017_c1]");
    } else {
      ExpectBuilds(b, root, "(s32[], s32[])", {"infeed("});
    }
  }
  // An empty tuple takes nothing; tuples in tuples are not supported.
  Builder b("nested");
  ExpectRefused(b, Infeed(&b, ShapeFrom("(f32[2], (f32[3]))")), "[infeed_builder_c1]");
}

SEED_EXAMPLE("000 003 004", Map_example1) {
  // elem_out <- computation(elem1, elem2, elem3, par1)
  Builder f("computation");
  std::vector<Op> p;
  for (int i = 0; i < 4; ++i) p.push_back(Parameter(&f, i, Shape::Scalar(kS32), "p"));
  const Callee computation = f.BuildCallee(Add(Mul(Add(p[0], p[1]), p[2]), p[3]));
  Builder b("main");
  const std::vector<Op> ops = {In(&b, "s32[2,2] {{1,2},{3,4}}"), In(&b, "s32[2,2] {{5,6},{7,8}}"),
                               In(&b, "s32[2,2] {{1,-1},{2,-2}}")};
  const Op par1 = In(&b, "s32[] 100");
  ExpectResult(b, Map(ops, computation, {0, 1}, {par1}), "s32[2,2] {{106,92},{120,76}}");
}

SEED_EXAMPLE("000 003 004", Pad) {
  Builder b("main");
  PaddingConfig config;
  config.dimensions = {{0, 1, 0}, {1, -1, 1}};  // interior first: 1 0 2 0 3, then the edges
  const Op root = Pad(In(&b, "f32[2,3] {{1,2,3},{4,5,6}}"), In(&b, "f32[] 0"), config);
  ExpectResult(b, root, "f32[3,5] {{0,1,0,2,0},{0,4,0,5,0},{0,0,0,0,0}}");
}

// Both bracketings of the document and the operation itself.
SEED_EXAMPLE("000 003 004", Reduce_example1) {
  const Callee f = ScalarCallee("f", kS32, &Add);
  Builder b("main");
  const auto F = [&](Op x, Op y) { return Call(f, {x, y}); };
  const Op init = In(&b, "s32[] 0");
  const Op v10 = In(&b, "s32[] 10"), v11 = In(&b, "s32[] 11"), v12 = In(&b, "s32[] 12"),
           v13 = In(&b, "s32[] 13");
  const Op first = F(v10, F(v11, F(v12, F(init, v13))));
  const Op second = F(init, F(F(v10, F(init, v11)), F(F(init, v12), F(v13, init))));
  const Op reduced = Reduce(In(&b, "s32[4] {10,11,12,13}"), init, f, {0});
  ExpectResult(b, Tuple({first, second, reduced}), "(s32[] 46, s32[] 46, s32[] 46)");
}

// The pseudo-code: each result element starts at 0 and takes up the elements of its slice.
SEED_EXAMPLE("000 003 004", Reduce_example2) {
  Literal operand = Literal::Zeros(Shape(kS32, {3, 4, 2}));
  for (int i = 0; i < operand.element_count(); ++i) operand.Set(i, {static_cast<uint64_t>(i * i)});
  Builder b("main");
  const Op root =
      Reduce(Constant(&b, operand), In(&b, "s32[] 0"), ScalarCallee("sum", kS32, &Add), {0, 2});
  const Literal result = RunResult(b, root);
  ASSERT_EQ(result.shape().ToString(), "s32[4]");
  for (int r0 = 0; r0 < 4; ++r0) {
    uint64_t sum = 0;
    for (int d0 = 0; d0 < 3; ++d0) {
      for (int d1 = 0; d1 < 2; ++d1) sum += operand.Get((d0 * 4 + r0) * 2 + d1).bits;
    }
    EXPECT_EQ(result.Get(r0).bits, sum);
  }
}

void ExpectCubeReduced(const std::vector<int64_t>& dimensions, absl::string_view expected) {
  Builder b("main");
  const Callee sum = ScalarCallee("sum", kF32, &Add);
  ExpectResult(b, Reduce(In(&b, kCube), In(&b, "f32[] 0"), sum, dimensions), expected);
}

SEED_EXAMPLE("000 003 004", Reduce_example3) {
  ExpectCubeReduced({0}, "f32[2,3] {{4,8,12},{16,20,24}}");
}
SEED_EXAMPLE("000 003 004", Reduce_example4) {
  ExpectCubeReduced({2}, "f32[4,2] {{6,15},{6,15},{6,15},{6,15}}");
}
SEED_EXAMPLE("000 003 004", Reduce_example5) { ExpectCubeReduced({0, 1}, "f32[3] {20,28,36}"); }
SEED_EXAMPLE("000 003 004", Reduce_example6) { ExpectCubeReduced({0, 1, 2}, "f32[] 84"); }

// The program of the document, in the order of arguments of its signature.
SEED_EXAMPLE("000 003 004", ReduceWindow_example1) {
  Callee max;
  {
    Builder builder("max");
    const Op y = Parameter(&builder, 0, Shape(kF32, {}), "y");
    const Op x = Parameter(&builder, 1, Shape(kF32, {}), "x");
    Max(y, x);
    max = builder.BuildCallee();
  }
  Builder builder("reduce_window_2x3");
  const Op input = Parameter(&builder, 0, Shape(kF32, {4, 6}), "input");
  const Op init_val = In(&builder, "f32[] -inf");
  const Op root = ReduceWindow(input, init_val, max, /*window_dimensions=*/{2, 3},
                               /*window_strides=*/{2, 3}, Padding::kValid);
  ExpectResult(builder, root, "f32[2,2] {{8,11},{20,23}}",
               {Value("f32[4,6] {{0,1,2,3,4,5},{6,7,8,9,10,11},{12,13,14,15,16,17},"
                      "{18,19,20,21,22,23}}")});
}

void ExpectReshaped(const std::vector<int64_t>& dimensions, const std::vector<int64_t>& sizes,
                    absl::string_view expected) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, kV), dimensions, sizes), expected);
}

SEED_EXAMPLE("000 004", Reshape_example1) {
  ExpectReshaped({0, 1, 2}, {24},
                 "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,"
                 "47}");
}
SEED_EXAMPLE("000 004", Reshape_example2) {
  ExpectReshaped({0, 1, 2}, {8, 3},
                 "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},"
                 "{40,41,42},{45,46,47}}");
}
SEED_EXAMPLE("000 004", Reshape_example3) {
  ExpectReshaped({1, 2, 0}, {24},
                 "f32[24] {10,20,30,40,11,21,31,41,12,22,32,42,15,25,35,45,16,26,36,46,17,27,37,"
                 "47}");
}
SEED_EXAMPLE("000 004", Reshape_example4) {
  ExpectReshaped({1, 2, 0}, {8, 3},
                 "f32[8,3] {{10,20,30},{40,11,21},{31,41,12},{22,32,42},{15,25,35},{45,16,26},"
                 "{36,46,17},{27,37,47}}");
}
SEED_EXAMPLE("000 004", Reshape_example5) {
  ExpectReshaped({1, 2, 0}, {2, 6, 2},
                 "f32[2,6,2] {{{10,20},{30,40},{11,21},{31,41},{12,22},{32,42}},"
                 "{{15,25},{35,45},{16,26},{36,46},{17,27},{37,47}}}");
}
SEED_EXAMPLE("000 004", Reshape_example6) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, "f32[1,1] {{5}}"), {0, 1}, {}), "f32[] 5");
}
SEED_EXAMPLE("000 004", Reshape_example7) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, "f32[] 5"), {}, {1, 1}), "f32[1,1] {{5}}");
}

SEED_EXAMPLE("000 003 004", Rev) {
  Builder b("main");
  ExpectResult(b, Rev(In(&b, "s32[3,2] {{1,2},{3,4},{5,6}}"), {0, 1}),
               "s32[3,2] {{6,5},{4,3},{2,1}}");
}

// The cell of value 9 is selected by both upper windows and receives 2 + 6.
SEED_EXAMPLE("000 003 004", SelectAndScatter_example1) {
  Builder b("main");
  const Op operand = In(&b, "f32[4,5] {{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}}");
  const Op source = In(&b, "f32[2,2] {{2,6},{3,1}}");
  const Op root =
      SelectAndScatter(operand, ScalarCallee("ge", kF32, &Ge), {2, 3}, {2, 2}, Padding::kValid,
                       source, In(&b, "f32[] 0"), ScalarCallee("sum", kF32, &Add));
  ExpectResult(b, root, "f32[4,5] {{0,0,0,0,0},{0,0,8,0,0},{0,0,3,0,0},{0,0,0,1,0}}");
}

SEED_EXAMPLE("000 003 004", Select_example1) {
  Builder b("main");
  const Op pred = In(&b, "pred[4] {1,0,0,1}");
  ExpectResult(b, Select(pred, In(&b, "s32[4] {1,2,3,4}"), In(&b, "s32[4] {100,200,300,400}")),
               "s32[4] {1,200,300,4}");
}
SEED_EXAMPLE("000 003 004", Select_example2) {
  Builder b("main");
  const Op pred = In(&b, "pred[] true");
  ExpectResult(b, Select(pred, In(&b, "s32[4] {1,2,3,4}"), In(&b, "s32[4] {100,200,300,400}")),
               "s32[4] {1,2,3,4}");
}
// Tuples count as scalars.
SEED_EXAMPLE("000 003 004", Select_tuples) {
  for (const auto& [pred, expected] : std::vector<std::pair<std::string, std::string>>{
           {"pred[] true", "(s32[] 1, f32[2] {2,3})"},
           {"pred[] false", "(s32[] 4, f32[2] {5,6})"}}) {
    Builder b("main");
    const Op on_true = Tuple({In(&b, "s32[] 1"), In(&b, "f32[2] {2,3}")});
    const Op on_false = Tuple({In(&b, "s32[] 4"), In(&b, "f32[2] {5,6}")});
    ExpectResult(b, Select(In(&b, pred), on_true, on_false), expected);
  }
}

SEED_EXAMPLE("000 003 004", Slice_example1) {
  Builder b("main");
  ExpectResult(b, Slice(In(&b, "f32[5] {0,1,2,3,4}"), {2}, {4}), "f32[2] {2,3}");
}
SEED_EXAMPLE("000 003 004", Slice_example2) {
  Builder b("main");
  ExpectResult(b, Slice(In(&b, kB), {2, 1}, {4, 3}), "f32[2,2] {{7,8},{10,11}}");
}

SEED_EXAMPLE("000 003 004", DynamicSlice_example1) {
  for (Semantics semantics : {Semantics::kToday, Semantics::k2017}) {
    Builder b("main", semantics);
    ExpectResult(b, DynamicSlice(In(&b, "f32[5] {0,1,2,3,4}"), In(&b, "s32[1] {2}"), {2}),
                 "f32[2] {2,3}");
  }
}
SEED_EXAMPLE("000 003 004", DynamicSlice_example2) {
  for (Semantics semantics : {Semantics::kToday, Semantics::k2017}) {
    Builder b("main", semantics);
    ExpectResult(b, DynamicSlice(In(&b, kB), In(&b, "s32[2] {2,1}"), {2, 2}),
                 "f32[2,2] {{7,8},{10,11}}");
  }
}

SEED_EXAMPLE("000 003 004", DynamicUpdateSlice_example1) {
  for (Semantics semantics : {Semantics::kToday, Semantics::k2017}) {
    Builder b("main", semantics);
    const Op root = DynamicUpdateSlice(In(&b, "f32[5] {0,1,2,3,4}"), In(&b, "f32[2] {5,6}"),
                                       In(&b, "s32[1] {2}"));
    ExpectResult(b, root, "f32[5] {0,1,5,6,4}");
  }
}
SEED_EXAMPLE("000 003 004", DynamicUpdateSlice_example2) {
  for (Semantics semantics : {Semantics::kToday, Semantics::k2017}) {
    Builder b("main", semantics);
    const Op root = DynamicUpdateSlice(In(&b, kB), In(&b, "f32[3,2] {{12,13},{14,15},{16,17}}"),
                                       In(&b, "s32[2] {1,1}"));
    ExpectResult(b, root, "f32[4,3] {{0,1,2},{3,12,13},{6,14,15},{9,16,17}}");
  }
}

SEED_EXAMPLE("000 004", Sort) {
  Builder b("main");
  ExpectResult(b, Sort(In(&b, "f32[2,3] {{3,1,2},{9,7,-8}}")), "f32[2,3] {{1,2,3},{-8,7,9}}");
}

// input_dimensions[permutation[i]] = output_dimensions[i], and the same as Reshape with the order.
SEED_EXAMPLE("000 003 004", Transpose) {
  Builder b("main");
  const Op x = In(&b, "s32[2,3,1] {{{1},{2},{3}},{{4},{5},{6}}}");
  ExpectResult(b, Tuple({Transpose(x, {1, 2, 0}), Reshape(x, {1, 2, 0}, {3, 1, 2})}),
               "(s32[3,1,2] {{{1,4}},{{2,5}},{{3,6}}}, s32[3,1,2] {{{1,4}},{{2,5}},{{3,6}}})");
}

// 1000 iterations, each adding the constant vector.
SEED_EXAMPLE("000 003 004", While_example1) {
  const Shape vector(kF32, {10});
  const Shape state = Shape::Tuple({Shape::Scalar(kS32), vector});
  Builder condition("condition");
  const Op tested = Parameter(&condition, 0, state, "state");
  const Callee fewer =
      condition.BuildCallee(Lt(GetTupleElement(tested, 0), In(&condition, "s32[] 1000")));
  Builder body("body");
  const Op result = Parameter(&body, 0, state, "state");
  const Op iteration = Add(GetTupleElement(result, 0), In(&body, "s32[] 1"));
  const Op constant_vector = Broadcast(In(&body, "f32[] 0.5"), {10});
  const Op new_vector = Add(GetTupleElement(result, 1), constant_vector);
  const Callee step = body.BuildCallee(Tuple({iteration, new_vector}));
  Builder b("main");
  const Op zero_vector = Broadcast(In(&b, "f32[] 0"), {10});
  ExpectResult(b, While(fewer, step, Tuple({In(&b, "s32[] 0"), zero_vector})),
               "(s32[] 1000, f32[10] {500,500,500,500,500,500,500,500,500,500})");
}

}  // namespace
}  // namespace assay::conformance::shared_sections_test
