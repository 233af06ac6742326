// Errors of the builder: where they are kept, what they say, that no misuse aborts; implicit
// broadcasting over all small shapes against its definition; lists, windows and copies.
#include "spec/builder/builder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/builder/functions.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr ElementType kF32 = ElementType::kF32;

Op Given(Builder* b, int64_t number, absl::Span<const int64_t> sizes) {
  return Parameter(b, number, Shape(kF32, sizes), absl::StrCat("p", number));
}

std::string ErrorOf(Builder& b, Op root) {
  const absl::StatusOr<std::unique_ptr<Module>> module = b.Build(root);
  return module.ok() ? "built" : std::string(module.status().message());
}

TEST(BuilderTest, KeepsTheFirstErrorWithItsCallAndShapes) {
  Builder b("main");
  const Op x = Given(&b, 0, {2, 3});
  const int line = __LINE__ + 1;
  const Op wrong = Add(x, Given(&b, 1, {4}), {1});
  const Op later = Transpose(x, {0, 0});
  const std::string error = ErrorOf(b, Tuple({wrong, later}));
  EXPECT_THAT(
      error,
      AllOf(HasSubstr(absl::StrCat("builder_test.cc:", line, ": Add(f32[2,3], f32[4]): ")),
            HasSubstr("[implicit_broadcast_c4]"), HasSubstr("f32[4]"), HasSubstr("f32[2,3]")));
  EXPECT_EQ(std::string(b.first_error().message()), error);
}

TEST(BuilderTest, ErrorsOfTheRulesNameClauseInstructionAndShapes) {
  Builder b("main");
  const int line = __LINE__ + 1;
  const Op wrong = Transpose(Given(&b, 0, {2, 3}), {0, 0});
  EXPECT_THAT(ErrorOf(b, wrong),
              AllOf(HasSubstr(absl::StrCat("builder_test.cc:", line, ": Transpose(f32[2,3]): [")),
                    HasSubstr("transpose_c"), HasSubstr("f32[2,3] %p0")));
}

TEST(BuilderTest, ErrorsInsideACalleeComeOutOfItsCaller) {
  Builder f("f");
  const Op p = Given(&f, 0, {});
  const int line = __LINE__ + 1;
  const Callee callee = f.BuildCallee(Reshape(p, {2}));
  Builder b("main");
  EXPECT_THAT(ErrorOf(b, Call(callee, {Given(&b, 0, {})})),
              HasSubstr(absl::StrCat("builder_test.cc:", line, ": Reshape(f32[]): ")));
}

// Beyond the pairs of builder_clauses_test.cc.
TEST(BuilderTest, MisuseIsAnError) {
  Builder c("c");
  EXPECT_THAT(ErrorOf(c, Op()), HasSubstr("[builder_c2]"));
  Builder h("h");
  Given(&h, 0, {2});
  EXPECT_THAT(ErrorOf(h, Given(&h, 0, {2})), HasSubstr("[parameter_c2]"));
  Builder i("i");
  EXPECT_THAT(ErrorOf(i, Given(&i, -1, {2})), HasSubstr("[parameter_c1]"));
  Builder m("m");
  const Attributes::Entry unknown[] = {{Attr::kDirection, int64_t{99}}};
  const Op of_m = Given(&m, 0, {2});
  EXPECT_THAT(ErrorOf(m, AddInstruction(&m, Opcode::kCompare, {of_m, of_m}, unknown)),
              HasSubstr("[builder_c9]"));
  // Without any builder there is nobody to tell, and nothing happens.
  EXPECT_FALSE(Add(Op(), Op()).shape().ok());
  EXPECT_FALSE(Constant(nullptr, Literal::Zeros(Shape(kF32, {}))).shape().ok());
}

// What comes out of a refused call may go into every function, with lists of any length.
TEST(BuilderTest, RefusedOpsGoAnywhere) {
  Builder b("main");
  const Op bad = Add(Given(&b, 0, {2}), Given(&b, 1, {3}));
  const std::string error(b.first_error().message());
  const Callee none;
  const std::vector<bool> flags = {true, false};
  const DotDimensionNumbers dot;
  const Op ops[] = {Slice(bad, {1, 2}, {3}),
                    SliceInDim(bad, 0, 1, 1, 5),
                    DynamicReshape(bad, {bad}, {1}, flags),
                    DynamicSlice(bad, bad, {1, 2}),
                    DynamicUpdateSlice(bad, bad, bad),
                    BroadcastInDim(bad, {2}, {7, 8}),
                    Reshape(bad, {3, 1}, {2}),
                    Collapse(bad, {0, 1}),
                    PadInDim(bad, bad, 3, 1, 1),
                    ConcatInDim({bad, bad}, 9),
                    Select(bad, bad, bad),
                    Clamp(bad, bad, bad),
                    Reduce(bad, bad, none, {5}),
                    ReduceAll(bad, bad, none),
                    ReduceWindow(bad, bad, none, {1, 2}, {1}, Padding::kSame),
                    SelectAndScatter(bad, none, {1}, {1}, Padding::kSame, bad, bad, none),
                    Map({bad}, none, {1}, {bad}),
                    Sort(bad),
                    Sort({bad}, none),
                    TopK(bad, 3),
                    Dot(bad, bad),
                    DotGeneral(bad, bad, dot),
                    Conv(bad, bad, {1}, Padding::kSame),
                    ConvGeneral(bad, bad, {1}, {{1, 1}}, ConvolutionDimensions()),
                    Fft(bad, FftType::kFft, {1}),
                    AllGather(bad, 7, 2),
                    AllToAll(bad, 3, 4, 2),
                    ReduceScatter(bad, none, 3, 2),
                    CrossReplicaSum(bad),
                    Call(none, {bad}),
                    While(none, none, bad),
                    Conditional(bad, bad, none, bad, none),
                    Conditional(bad, {none}, {bad}),
                    GetTupleElement(bad, 4),
                    Outfeed(bad, Shape(kF32, {2})),
                    SendDone(bad),
                    RecvDone(bad),
                    RngUniform(bad, bad, Shape(kF32, {2})),
                    RngBernoulli(bad, Shape(kF32, {2}))};
  for (const Op& op : ops) EXPECT_FALSE(op.shape().ok());
  EXPECT_EQ(ErrorOf(b, Tuple(ops)), error);
}

TEST(BuilderTest, ASpentBuilderRefuses) {
  Builder b("main");
  const Op x = Given(&b, 0, {2});
  ASSERT_TRUE(b.Build(x).ok());
  EXPECT_FALSE(x.shape().ok());
  EXPECT_THAT(std::string(b.Build(x).status().message()), HasSubstr("[builder_c1]"));
  EXPECT_FALSE(Neg(x).shape().ok());
  Builder moved = std::move(b);
  EXPECT_FALSE(b.Build().ok());  // NOLINT: what is left of it
  EXPECT_FALSE(moved.Build().ok());
}

TEST(BuilderTest, OpsOutliveTheirBuilder) {
  Op x;
  {
    Builder b("main");
    x = Given(&b, 0, {2});
  }
  EXPECT_TRUE(Neg(x).shape().ok());
}

TEST(BuilderTest, ACalleeIsCopiedOncePerModule) {
  Builder f("f");
  const Op p = Given(&f, 0, {});
  const Callee callee = f.BuildCallee(Neg(p));
  for (int i = 0; i < 2; ++i) {
    Builder b("main");
    const Op x = Given(&b, 0, {});
    const absl::StatusOr<std::unique_ptr<Module>> module =
        b.Build(Add(Call(callee, {x}), Call(callee, {x})));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ((*module)->computations().size(), 2u);
    EXPECT_EQ((*module)->entry()->name(), "main");
  }
}

TEST(BuilderTest, CalleesOfCalleesComeAlong) {
  Builder f("f");
  const Callee inner = f.BuildCallee(Neg(Given(&f, 0, {})));
  Builder g("g");
  const Callee outer = g.BuildCallee(Call(inner, {Given(&g, 0, {})}));
  Builder b("main");
  const absl::StatusOr<std::unique_ptr<Module>> module = b.Build(Call(outer, {Given(&b, 0, {})}));
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ((*module)->computations().size(), 3u);
  EXPECT_EQ((*module)->entry()->root()->to_apply()->root()->to_apply()->root()->opcode(),
            Opcode::kNegate);
}

// The definition, said over single elements: element i of the result takes element j of an operand,
// j[d] = 0 where the operand's size is 1. What shapes may meet follows.
struct Pairing {
  std::vector<int64_t> small, large, map;
};
std::string Expected(const Pairing& p) {
  std::vector<int64_t> result = p.large;
  if (p.small.size() == p.large.size()) {
    for (size_t d = 0; d < p.map.size(); ++d) {
      if (p.map[d] != static_cast<int64_t>(d)) return "c1";
    }
    if (!p.map.empty() && p.map.size() != p.small.size()) return "c1";
  } else if (p.map.size() != p.small.size()) {
    return "c2";
  }
  for (size_t d = 0; d < p.small.size(); ++d) {
    const int64_t to = p.small.size() == p.large.size() ? static_cast<int64_t>(d) : p.map[d];
    if (to < 0 || to >= static_cast<int64_t>(p.large.size()) ||
        (d > 0 && p.small.size() != p.large.size() && to <= p.map[d - 1])) {
      return "c3";
    }
  }
  for (size_t d = 0; d < p.small.size(); ++d) {
    const int64_t to = p.small.size() == p.large.size() ? static_cast<int64_t>(d) : p.map[d];
    const int64_t a = p.small[d], b = p.large[to];
    if (a != b && a != 1 && b != 1) return "c4";
    result[to] = b == 1 ? a : b;
  }
  return absl::StrCat("f32[", absl::StrJoin(result, ","), "]");
}

// Every list of up to `length` numbers of `values`.
std::vector<std::vector<int64_t>> Lists(int length, const std::vector<int64_t>& values) {
  std::vector<std::vector<int64_t>> all = {{}};
  for (size_t begin = 0; length > 0; --length) {
    const size_t end = all.size();
    for (; begin < end; ++begin) {
      for (int64_t value : values) {
        all.push_back(all[begin]);
        all.back().push_back(value);
      }
    }
  }
  return all;
}

TEST(BuilderTest, ImplicitBroadcastingOfAllSmallShapes) {
  const std::vector<std::vector<int64_t>> shapes = Lists(2, {0, 1, 2, 3});
  const std::vector<std::vector<int64_t>> maps = Lists(2, {-1, 0, 1, 2});
  int built = 0;
  for (const auto& small : shapes) {
    for (const auto& large : shapes) {
      if (small.size() > large.size()) continue;
      for (const auto& map : maps) {
        const std::string expected = Expected({small, large, map});
        for (bool swap : {false, true}) {
          Builder b("main");
          const Op x = Given(&b, 0, small), y = Given(&b, 1, large);
          const Op sum = swap ? Add(y, x, map) : Add(x, y, map);
          if (expected[0] == 'f') {
            ASSERT_TRUE(sum.shape().ok()) << b.first_error();
            EXPECT_EQ(sum.shape()->ToString(), expected);
            ++built;
          } else {
            EXPECT_THAT(std::string(b.first_error().message()),
                        HasSubstr(absl::StrCat("[implicit_broadcast_", expected, "]")));
          }
        }
      }
    }
  }
  EXPECT_GT(built, 500);
}

// reference ops_structural.md 5.2.
TEST(BuilderTest, SamePaddingByTheTable) {
  const struct {
    int64_t n, w, s, same, low, high, valid;
  } rows[] = {{10, 5, 3, 4, 2, 2, 2}, {5, 3, 2, 3, 1, 1, 2}, {6, 3, 2, 3, 0, 1, 2},
              {7, 2, 1, 7, 0, 1, 6},  {4, 2, 4, 1, 0, 0, 1}, {5, 1, 2, 3, 0, 0, 3},
              {3, 5, 1, 3, 2, 2, 0},  {0, 3, 1, 0, 1, 1, 0}};
  Builder f("max");
  const Op p = Given(&f, 0, {}), q = Given(&f, 1, {});
  const Callee max = f.BuildCallee(Max(p, q));
  for (const auto& row : rows) {
    Builder b("main");
    const Op x = Given(&b, 0, {row.n}), init = Given(&b, 1, {});
    const Op same = ReduceWindow(x, init, max, {row.w}, {row.s}, Padding::kSame);
    const Op valid = ReduceWindow(x, init, max, {row.w}, {row.s}, Padding::kValid);
    ASSERT_TRUE(same.shape().ok()) << b.first_error();
    EXPECT_EQ(same.shape()->dimension(0), row.same);
    EXPECT_EQ(valid.shape()->dimension(0), row.valid);
    const absl::StatusOr<std::unique_ptr<Module>> module = b.Build(same);
    ASSERT_TRUE(module.ok());
    const Window& window = (*module)->entry()->root()->window();
    EXPECT_EQ(window.dimensions[0].padding_low, row.low);
    EXPECT_EQ(window.dimensions[0].padding_high, row.high);
  }
}

TEST(BuilderTest, TransfersKeepTheOrderOfTheirCalls) {
  Builder b("main");
  const Shape shape(kF32, {2});
  const Op first = Infeed(&b, shape), second = Infeed(&b, shape);
  Outfeed(first, shape);
  const absl::StatusOr<std::unique_ptr<Module>> module = b.Build(Tuple({first, second}));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<const Instruction*> transfers;
  for (const auto& instruction : (*module)->entry()->instructions()) {
    if (instruction->info().family == Family::kHost) transfers.push_back(instruction.get());
  }
  ASSERT_EQ(transfers.size(), 3u);
  EXPECT_EQ(transfers[1]->operand(0)->operand(0), transfers[0]);
  EXPECT_EQ(transfers[2]->operand(1)->operand(0), transfers[1]);
}

}  // namespace
}  // namespace assay
