// How a region is written must not change a bit: calls, fusions, copies, tuples, reshapes of
// scalars and exchanged operands around the same reducer, at random and nested, in every operation
// that folds, by kernel and definition. Folds of several arrays give what each of them gives alone.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/collectives.h"
#include "evaluator/kernels/differential.h"

namespace assay::evaluator {
namespace {

// Writes region "f" of `parameters` arrays of shape `shape`, whose result is op(p0, p1), each time
// in another way.
class RegionWriter {
 public:
  RegionWriter(uint64_t seed, const std::string& shape) : random_(seed), shape_(shape) {}

  // All computations; those that "f" calls come first.
  std::string Write(const std::string& op) {
    computations_.clear();
    const std::string body = Body(op, 3);
    return absl::StrCat(computations_, "f {\n", body, "}\n");
  }

 private:
  int Draw(int n) { return static_cast<int>(random_() % n); }
  std::string Name() { return absl::StrCat("v", next_++); }

  // A value that is `value`, by way of some steps that are put into the body.
  std::string Wrap(std::string value, std::string* body) {
    for (int steps = Draw(3); steps > 0; --steps) {
      const std::string name = Name();
      switch (Draw(5)) {
        case 0:
          absl::StrAppend(body, "  ", name, " = ", shape_, " copy(", value, ")\n");
          break;
        case 1:
          absl::StrAppend(body, "  ", name, " = ", shape_, " opt-barrier(", value, ")\n");
          break;
        case 2:
          absl::StrAppend(body, "  ", name, " = ", shape_, " reshape(", value, ")\n");
          break;
        case 3: {
          const std::string tuple = Name(), other = Draw(2) == 0 ? "a" : value;
          absl::StrAppend(body, "  ", tuple, " = (", shape_, ", ", shape_, ") tuple(", other, ", ",
                          value, ")\n  ", name, " = ", shape_, " get-tuple-element(", tuple,
                          "), index=1\n");
          break;
        }
        default:
          absl::StrAppend(body, "  ", name, " = ", shape_, " convert(", value, ")\n");
      }
      value = name;
    }
    return value;
  }

  // The instructions of a computation of a and b, the last of which is its root.
  std::string Body(const std::string& op, int depth) {
    std::string body =
        absl::StrCat("  a = ", shape_, " parameter(0)\n  b = ", shape_, " parameter(1)\n");
    const bool exchanged = Draw(2) == 0;
    std::string x = Wrap(exchanged ? "b" : "a", &body), y = Wrap(exchanged ? "a" : "b", &body);
    const std::string result = Name();
    const int way = depth == 0 ? 0 : Draw(4);
    if (way == 0) {
      absl::StrAppend(&body, "  ", result, " = ", shape_, " ", op, "(", x, ", ", y, ")\n");
    } else if (way == 3) {
      // A call that gives a pair, whose other element nobody needs.
      const std::string inner = Body(op, depth - 1), callee = absl::StrCat("pair", next_++);
      const size_t root = inner.rfind("ROOT ");
      const std::string name = inner.substr(root + 5, inner.find(' ', root + 5) - root - 5);
      const std::string call = Name();
      const std::string pair = absl::StrCat("(", shape_, ", ", shape_, ")");
      absl::StrAppend(&computations_, callee, " {\n", absl::StrReplaceAll(inner, {{"ROOT ", ""}}),
                      "  ROOT t = ", pair, " tuple(a, ", name, ")\n}\n");
      absl::StrAppend(&body, "  ", call, " = ", pair, " call(", x, ", ", y, "), to_apply=", callee,
                      "\n  ", result, " = ", shape_, " get-tuple-element(", call, "), index=1\n");
    } else {
      const std::string inner = Body(op, depth - 1), callee = absl::StrCat("called", next_++);
      absl::StrAppend(&computations_, callee, " {\n", inner, "}\n");
      absl::StrAppend(&body, "  ", result, " = ", shape_, way == 1 ? " call(" : " fusion(", x, ", ",
                      y, way == 1 ? "), to_apply=" : "), kind=kLoop, calls=", callee, "\n");
    }
    const std::string last = Wrap(result, &body), root = Name();
    return absl::StrCat(body, "  ROOT ", root, " = ", shape_, " copy(", last, ")\n");
  }

  std::mt19937_64 random_;
  std::string shape_, computations_;
  int next_ = 0;
};

// `$T` is the element type; "f" the region, of $T[] or, of scans, $T[3].
struct Fold {
  std::string instruction;
  std::vector<std::string> parameters;
  std::vector<bool> indices;
};
std::vector<Fold> Folds() {
  return {
      {"$T[4] reduce(p0, p1), dimensions={1}, to_apply=f", {"$T[4,9]", "$T[]"}, {}},
      {"$T[40] reduce(p0, p1), dimensions={0}, to_apply=f", {"$T[6,40]", "$T[]"}, {}},
      {"$T[3,5] reduce-window(p0, p1), window={size=2x3 stride=2x1 pad=0_1x1_1}, to_apply=f",
       {"$T[5,5]", "$T[]"},
       {}},
      {"$T[90] reduce-window(p0, p1), window={size=90 pad=89_0}, to_apply=f",
       {"$T[90]", "$T[]"},
       {}},
      {"$T[5] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
       {"$T[5]", "s32[30,1]", "$T[30]"},
       {false, true, false}},
  };
}

std::string Of(const std::string& text, ElementType type) {
  return absl::StrReplaceAll(text, {{"$T", std::string(Name(type))}});
}

const std::pair<ElementType, const char*> kReducers[] = {
    {ElementType::kF32, "add"},       {ElementType::kF32, "multiply"},
    {ElementType::kF64, "add"},       {ElementType::kBF16, "add"},
    {ElementType::kC64, "add"},       {ElementType::kC64, "multiply"},
    {ElementType::kC128, "multiply"}, {ElementType::kF32, "maximum"},
    {ElementType::kS32, "multiply"},  {ElementType::kPred, "xor"}};

class WrappedRegions : public testing::Test {
 protected:
  // Operands of the case, the same for the same seed.
  static std::vector<Literal> OperandsOf(const Differential::Case& c, Profile profile) {
    Differential source;  // starts with the same seed
    std::vector<Literal> operands;
    for (size_t i = 0; i < c.parameters.size(); ++i) {
      absl::StatusOr<Shape> shape = ParseShape(c.parameters[i]);
      EXPECT_TRUE(shape.ok()) << shape.status();
      operands.push_back(source.Random(*shape, profile, i < c.indices.size() && c.indices[i]));
    }
    return operands;
  }

  static void ExpectEqual(const std::vector<Literal>& a, const std::vector<Literal>& b,
                          const std::string& text) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t leaf = 0; leaf < a.size(); ++leaf) {
      ASSERT_TRUE(Literal::BitEqual(a[leaf], b[leaf])) << "leaf " << leaf << "\n" << text;
    }
  }
};

constexpr Profile kTelling[] = {Profile::kCancel, Profile::kBits};

TEST_F(WrappedRegions, GiveTheSameBits) {
  Differential differential;
  uint64_t seed = 1;
  for (const auto& [type, op] : kReducers) {
    for (const Fold& fold : Folds()) {
      Differential::Case c = {Of(fold.instruction, type), {}, "", fold.indices};
      for (const std::string& parameter : fold.parameters)
        c.parameters.push_back(Of(parameter, type));
      for (const Profile profile : kTelling) {
        const std::vector<Literal> operands = OperandsOf(c, profile);
        c.computations = BinaryComputation("f", type, absl::StrCat(op, "(a, b)"));
        const std::vector<Literal> plain = differential.CheckOn(c, operands);
        for (int round = 0; round < 12; ++round) {
          c.computations = RegionWriter(seed++, ShapeText(type, "")).Write(op);
          ExpectEqual(differential.CheckOn(c, operands), plain, c.computations);
          if (HasFailure()) return;
        }
      }
    }
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST_F(WrappedRegions, OfScansGiveTheSameBits) {
  Differential differential;
  uint64_t seed = 1;
  for (const auto& [type, op] : kReducers) {
    // The definition runs what does not round as written, for which calls need the interpreter.
    const bool rounds = IsFloat(type) || IsComplex(type);
    if (!rounds || op == std::string("maximum")) continue;
    const std::string row = ShapeText(type, "3"), array = ShapeText(type, "40,3");
    Differential::Case c = {
        absl::StrCat("(", array, ", ", row,
                     ") scan(p0, p1), dimensions={0}, num_carries=1, to_apply=g"),
        {array, row},
        "",
        {}};
    const auto step = [&](const std::string& region) {
      return absl::StrCat(region, "g {\n  x = ", row, " parameter(0)\n  c = ", row,
                          " parameter(1)\n  s = ", row, " call(x, c), to_apply=f\n  ROOT r = (",
                          row, ", ", row, ") tuple(s, s)\n}\n");
    };
    for (const Profile profile : kTelling) {
      const std::vector<Literal> operands = OperandsOf(c, profile);
      c.computations = absl::StrCat("g {\n  x = ", row, " parameter(0)\n  c = ", row,
                                    " parameter(1)\n  s = ", row, " ", op, "(x, c)\n  ROOT r = (",
                                    row, ", ", row, ") tuple(s, s)\n}\n");
      const std::vector<Literal> plain = differential.CheckOn(c, operands);
      for (int round = 0; round < 12; ++round) {
        c.computations = step(RegionWriter(seed++, row).Write(op));
        ExpectEqual(differential.CheckOn(c, operands), plain, c.computations);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(WrappedRegions, OfSelectAndScatterGiveTheSameBits) {
  Differential differential;
  uint64_t seed = 1;
  for (const auto& [type, op] : kReducers) {
    const std::string t = ShapeText(type, "");
    Differential::Case c = {
        absl::StrCat(ShapeText(type, "6,6"),
                     " select-and-scatter(p0, p1, p2), window={size=3x3 stride=1x1 pad=1_1x1_1}, "
                     "select=s, scatter=f"),
        {ShapeText(type, "6,6"), ShapeText(type, "6,6"), t},
        "",
        {}};
    const std::string select = absl::StrCat("s {\n  a = ", t, " parameter(0)\n  b = ", t,
                                            " parameter(1)\n  ROOT r = pred[] compare(a, b), "
                                            "direction=NE\n}\n");
    for (const Profile profile : kTelling) {
      const std::vector<Literal> operands = OperandsOf(c, profile);
      c.computations =
          absl::StrCat(select, BinaryComputation("f", type, absl::StrCat(op, "(a, b)")));
      const std::vector<Literal> plain = differential.CheckOn(c, operands);
      for (int round = 0; round < 12; ++round) {
        c.computations = absl::StrCat(select, RegionWriter(seed++, t).Write(op));
        ExpectEqual(differential.CheckOn(c, operands), plain, c.computations);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(WrappedRegions, OfCollectivesGiveTheSameBits) {
  constexpr int64_t kMembers = 4;
  uint64_t seed = 1;
  for (const auto& [type, op] : kReducers) {
    for (const bool scatters : {false, true}) {
      const std::string array = ShapeText(type, "20");
      const auto run = [&, type = type](const std::string& region, bool straight) {
        const std::string text =
            absl::StrCat("HloModule m\n\n", region, "\nENTRY e {\n  p0 = ", array,
                         " parameter(0)\n  ROOT r = ", scatters ? ShapeText(type, "5") : array,
                         scatters ? " reduce-scatter" : " all-reduce", "(p0), replica_groups={}",
                         scatters ? ", dimensions={0}" : "", ", to_apply=f\n}\n");
        absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
        EXPECT_TRUE(module.ok()) << module.status() << text;
        const Instruction& root = *(*module)->entry()->root();
        const auto kernel = straight ? PrepareCollectiveStraight(root, kMembers, 1)
                                     : PrepareCollective(root, kMembers, 1);
        EXPECT_TRUE(kernel.ok()) << kernel.status();
        Differential source;
        std::vector<Literal> members;
        std::vector<ArrayRef> inputs;
        for (int64_t m = 0; m < kMembers; ++m) {
          members.push_back(source.Random(root.operand(0)->shape(), Profile::kCancel));
        }
        for (const Literal& member : members) inputs.push_back({&member.shape(), member.data()});
        Literal result = Literal::Zeros(root.shape());
        const MutableArrayRef output = {&result.shape(), result.mutable_data()};
        EvaluationContext context;
        const runtime::FloatEnvironmentGuard guard;
        EXPECT_TRUE((*kernel)->Run(inputs, {output}, context).ok());
        return result;
      };
      const Literal plain = run(BinaryComputation("f", type, absl::StrCat(op, "(a, b)")), false);
      for (int round = 0; round < 12; ++round) {
        const std::string region = RegionWriter(seed++, ShapeText(type, "")).Write(op);
        for (const bool straight : {false, true}) {
          ASSERT_TRUE(Literal::BitEqual(run(region, straight), plain)) << region;
        }
      }
    }
  }
}

// Three folds at a time: two sums and one that runs as written, and two sums and a maximum.
TEST_F(WrappedRegions, SeveralArraysGiveWhatEachGivesAlone) {
  Differential differential;
  const ElementType types[] = {ElementType::kF32, ElementType::kC64, ElementType::kF32};
  for (const std::string third : {"subtract", "maximum"}) {
    const std::string ops[] = {"add", "multiply", third};
    std::string region = "f {\n", results;
    for (int k = 0; k < 6; ++k) {
      absl::StrAppend(&region, "  p", k, " = ", ShapeText(types[k % 3], ""), " parameter(", k,
                      ")\n");
    }
    for (int k = 0; k < 3; ++k) {
      absl::StrAppend(&region, "  r", k, " = ", ShapeText(types[k], ""), " ", ops[k], "(p", k,
                      ", p", k + 3, ")\n");
      absl::StrAppend(&results, k == 0 ? "" : ", ", ShapeText(types[k], ""));
    }
    absl::StrAppend(&region, "  ROOT t = (", results, ") tuple(r0, r1, r2)\n}\n");
    // Also by way of a call that gives all three.
    std::string wrapped = absl::StrReplaceAll(region, {{"f {", "inner {"}});
    absl::StrAppend(&wrapped, "f {\n");
    for (int k = 0; k < 6; ++k) {
      absl::StrAppend(&wrapped, "  p", k, " = ", ShapeText(types[k % 3], ""), " parameter(", k,
                      ")\n");
    }
    absl::StrAppend(&wrapped, "  ROOT t = (", results,
                    ") call(p0, p1, p2, p3, p4, p5), to_apply=inner\n}\n");
    struct Shapes {
      std::string name, rest, operand, init, result;
      bool scatters = false;
    };
    for (const Shapes& s : {Shapes{"reduce", "dimensions={1}", "4,9", "", "4"},
                            Shapes{"reduce", "dimensions={0}", "5,40", "", "40"},
                            Shapes{"reduce-window", "window={size=3 pad=1_1}", "12", "", "12"},
                            Shapes{"scatter",
                                   "update_window_dims={}, inserted_window_dims={0}, "
                                   "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
                                   "5", "30", "5", true}}) {
      const auto shape_of = [&](int k, const std::string& sizes) {
        return ShapeText(types[k], sizes);
      };
      Differential::Case all;
      std::string arguments, shapes;
      for (int k = 0; k < 3; ++k) {
        all.parameters.push_back(shape_of(k, s.operand));
        absl::StrAppend(&shapes, k == 0 ? "" : ", ", shape_of(k, s.result));
      }
      if (s.scatters) all.parameters.push_back("s32[30,1]");
      for (int k = 0; k < 3; ++k) all.parameters.push_back(shape_of(k, s.init));
      all.indices.assign(all.parameters.size(), false);
      if (s.scatters) all.indices[3] = true;
      for (size_t i = 0; i < all.parameters.size(); ++i) {
        absl::StrAppend(&arguments, i == 0 ? "p" : ", p", i);
      }
      all.instruction =
          absl::StrCat("(", shapes, ") ", s.name, "(", arguments, "), ", s.rest, ", to_apply=f");
      for (const Profile profile : kTelling) {
        const std::vector<Literal> operands = OperandsOf(all, profile);
        for (const std::string& computations : {region, wrapped}) {
          all.computations = computations;
          const std::vector<Literal> together = differential.CheckOn(all, operands);
          ASSERT_EQ(together.size(), 3u);
          for (int k = 0; k < 3; ++k) {
            Differential::Case one;
            std::vector<Literal> own = {operands[k]};
            one.parameters = {shape_of(k, s.operand)};
            one.indices = {false};
            if (s.scatters) {
              own.push_back(operands[3]);
              one.parameters.push_back("s32[30,1]");
              one.indices.push_back(true);
            }
            own.push_back(operands[k + (s.scatters ? 4 : 3)]);
            one.parameters.push_back(shape_of(k, s.init));
            one.indices.push_back(false);
            one.instruction = absl::StrCat(shape_of(k, s.result), " ", s.name, "(p0, p1",
                                           s.scatters ? ", p2" : "", "), ", s.rest, ", to_apply=f");
            one.computations = BinaryComputation("f", types[k], absl::StrCat(ops[k], "(a, b)"));
            const std::vector<Literal> alone = differential.CheckOn(one, own);
            ASSERT_EQ(alone.size(), 1u);
            ASSERT_TRUE(Literal::BitEqual(alone[0], together[k]))
                << s.name << ", array " << k << "\n"
                << all.computations;
          }
        }
      }
    }
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

// {1e8, 1, -1e8, 1} however its sum is written.
TEST_F(WrappedRegions, TheSameSum) {
  Differential differential;
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {4}));
  const double values[] = {1e8, 1, -1e8, 1};
  for (int64_t i = 0; i < 4; ++i) x.Set(i, {EncodeFloat(ElementType::kF32, values[i])});
  const Literal zero = Literal::Scalar(ElementType::kF32, {0});
  const std::string adder = BinaryComputation("g", ElementType::kF32, "add(a, b)");
  const std::string head = "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n";
  for (const std::string& region :
       {BinaryComputation("f", ElementType::kF32, "add(a, b)"),
        absl::StrCat(adder, head, "  ROOT r = f32[] call(a, b), to_apply=g\n}\n"),
        absl::StrCat(head, "  s = f32[] add(a, b)\n  ROOT r = f32[] copy(s)\n}\n"),
        absl::StrCat(adder, head, "  ROOT r = f32[] fusion(b, a), kind=kLoop, calls=g\n}\n")}) {
    const std::vector<Literal> sum = differential.CheckOn(
        {"f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[4]", "f32[]"}, region, {}},
        {x, zero});
    ASSERT_EQ(sum.size(), 1u);
    EXPECT_EQ(sum[0].Get(0).bits, EncodeFloat(ElementType::kF32, 2.0)) << region;
  }
  const std::vector<Literal> both = differential.CheckOn(
      {"(f32[], f32[]) reduce(p0, p0, p1, p1), dimensions={0}, to_apply=f",
       {"f32[4]", "f32[]"},
       "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
       "  d = f32[] parameter(3)\n  s = f32[] add(a, c)\n  t = f32[] add(d, b)\n"
       "  ROOT r = (f32[], f32[]) tuple(s, t)\n}\n",
       {}},
      {x, x, zero, zero});
  ASSERT_EQ(both.size(), 2u);
  for (const Literal& sum : both) EXPECT_EQ(sum.Get(0).bits, EncodeFloat(ElementType::kF32, 2.0));
}

}  // namespace
}  // namespace assay::evaluator
