// Every fold of a few complex numbers, in all operations that fold: kernel and definition against
// sums and products in long integers (exact_gaussian.h); with factors that are not finite, against
// the written order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/collectives.h"
#include "evaluator/kernels/differential.h"
#include "evaluator/real/complex_exact.h"
#include "evaluator/real/exact_gaussian.h"

namespace assay::evaluator {
namespace {

using exact_gaussian::Number;

// A type, an operation and the numbers that elements are drawn from.
struct World {
  ElementType type;
  bool multiplies;
  std::vector<Number> numbers;

  ElementType part() const { return Info(type).component; }
  std::string op() const { return multiplies ? "multiply(a, b)" : "add(b, a)"; }
  std::string Region() const { return BinaryComputation("f", type, op()); }
  std::string ShapeOf(const std::string& sizes) const { return ShapeText(type, sizes); }

  // What the elements with these numbers, the init first, fold to.
  Element Fold(const std::vector<Element>& elements) const {
    if (elements.size() == 1) return elements[0];
    std::vector<Number> terms;
    bool finite = true;
    for (const Element& x : elements) {
      terms.push_back({DecodeFloat(part(), x.bits), DecodeFloat(part(), x.imag)});
      finite = finite && std::isfinite(terms.back().re) && std::isfinite(terms.back().im);
    }
    if (!multiplies) return finite ? exact_gaussian::RoundedSum(part(), terms) : Infinities(terms);
    if (finite) return exact_gaussian::RoundedProduct(part(), terms);
    Number so_far = terms[0];
    real::PartPatterns product{};
    for (size_t k = 1; k < terms.size(); ++k) {
      product = real::ComplexProduct(part(), so_far.re, so_far.im, terms[k].re, terms[k].im);
      so_far = {DecodeFloat(part(), product.real), DecodeFloat(part(), product.imag)};
    }
    return {product.real, product.imag};
  }

 private:
  // Sums of which some terms are not finite, part by part.
  Element Infinities(const std::vector<Number>& terms) const {
    const auto sum = [&](double Number::*of) -> uint64_t {
      double total = 0;
      bool finite = true;
      std::vector<Number> finite_terms;
      for (const Number& term : terms) {
        finite = finite && std::isfinite(term.*of);
        if (!std::isfinite(term.*of)) total += term.*of;
        finite_terms.push_back({term.*of, 0});
      }
      if (finite) return exact_gaussian::RoundedSum(part(), finite_terms).bits;
      return std::isnan(total) ? CanonicalNan(part()) : EncodeFloat(part(), total);
    };
    return {sum(&Number::re), sum(&Number::im)};
  }
};

// Among them: units, both zeros, ties, cancellation, underflow and overflow on the way.
std::vector<World> Worlds() {
  std::vector<World> worlds;
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const bool narrow = type == ElementType::kC64;
    const double big = narrow ? 1e30 : 1e300, ulp = narrow ? 0x1p-23 : 0x1p-52;
    const double least = narrow ? 0x1p-149 : 0x1p-1074;
    for (const bool multiplies : {false, true}) {
      worlds.push_back({type, multiplies, {{big, 0}, {1 / big, 0}, {0, -1}, {3, -4}, {-0.0, 0}}});
      worlds.push_back(
          {type, multiplies, {{1 + ulp, 1}, {1, -1}, {0.5, ulp}, {big, least}, {-1, -0.0}}});
      worlds.push_back(
          {type, multiplies, {{INFINITY, 1}, {big, -big}, {0, 0}, {NAN, 2}, {-1, 1 / big}}});
    }
  }
  for (World& world : worlds) {
    for (Number& x : world.numbers) {
      x = {DecodeFloat(world.part(), EncodeFloat(world.part(), x.re)),
           DecodeFloat(world.part(), EncodeFloat(world.part(), x.im))};
    }
  }
  return worlds;
}

// All rows of `length` numbers of the world, one after the other.
Literal AllRows(const World& world, int64_t length, int64_t* rows) {
  const auto n = static_cast<int64_t>(world.numbers.size());
  *rows = 1;
  for (int64_t k = 0; k < length; ++k) *rows *= n;
  Literal literal = Literal::Zeros(Shape(world.type, {*rows, length}));
  for (int64_t row = 0; row < *rows; ++row) {
    for (int64_t k = 0, rest = row; k < length; ++k, rest /= n) {
      const Number& x = world.numbers[rest % n];
      literal.Set(row * length + k,
                  {EncodeFloat(world.part(), x.re), EncodeFloat(world.part(), x.im)});
    }
  }
  return literal;
}

Literal Scalar(const World& world, const Number& x) {
  return Literal::Scalar(world.type,
                         {EncodeFloat(world.part(), x.re), EncodeFloat(world.part(), x.im)});
}

// The elements of `expected(i)` must be those of the literal.
void ExpectFolds(const World& world, const Literal& got,
                 const std::function<std::vector<Element>(int64_t)>& elements) {
  const runtime::FloatEnvironmentGuard guard;
  for (int64_t i = 0; i < got.element_count(); ++i) {
    const Element want = world.Fold(elements(i));
    ASSERT_EQ(got.Get(i), want) << Name(world.type) << " " << world.op() << ", element " << i
                                << std::hex << ": " << got.Get(i).bits << ":" << got.Get(i).imag
                                << ", exact " << want.bits << ":" << want.imag;
  }
}

TEST(ComplexFolds, Reduce) {
  Differential differential;
  for (const World& world : Worlds()) {
    for (int64_t length = 0; length <= 4; ++length) {
      int64_t rows;
      const Literal x = AllRows(world, length, &rows);
      for (const Number& start : world.numbers) {
        const Literal init = Scalar(world, start);
        const std::vector<Literal> got = differential.CheckOn(
            {absl::StrCat(world.ShapeOf(absl::StrCat(rows)),
                          " reduce(p0, p1), dimensions={1}, to_apply=f"),
             {world.ShapeOf(absl::StrCat(rows, ",", length)), world.ShapeOf("")},
             world.Region(),
             {}},
            {x, init});
        ASSERT_EQ(got.size(), 1u);
        ExpectFolds(world, got[0], [&](int64_t row) {
          std::vector<Element> elements = {init.Get(0)};
          for (int64_t k = 0; k < length; ++k) elements.push_back(x.Get(row * length + k));
          return elements;
        });
        if (HasFailure()) return;
      }
    }
  }
}

TEST(ComplexFolds, ReduceWindow) {
  Differential differential;
  for (const World& world : Worlds()) {
    int64_t rows;
    const Literal x = AllRows(world, 4, &rows);
    const Literal init = Scalar(world, world.numbers[3]);
    // Along the rows and across them; growing windows from both ends.
    for (const std::string& window :
         {std::string("1x3"), std::string("1x4 pad=0_0x3_0"), std::string("1x4 pad=0_0x0_3")}) {
      const int64_t size = window[2] - '0', low = window.find("x3_0") != std::string::npos ? 3 : 0;
      const int64_t outputs = window.find("pad") != std::string::npos ? 4 : 2;
      const std::vector<Literal> got = differential.CheckOn(
          {absl::StrCat(world.ShapeOf(absl::StrCat(rows, ",", outputs)),
                        " reduce-window(p0, p1), window={size=", window, "}, to_apply=f"),
           {world.ShapeOf(absl::StrCat(rows, ",4")), world.ShapeOf("")},
           world.Region(),
           {}},
          {x, init});
      ASSERT_EQ(got.size(), 1u);
      ExpectFolds(world, got[0], [&](int64_t i) {
        std::vector<Element> elements = {init.Get(0)};
        for (int64_t k = 0; k < size; ++k) {
          const int64_t at = i % outputs + k - low;
          if (at >= 0 && at < 4) elements.push_back(x.Get(i / outputs * 4 + at));
        }
        return elements;
      });
      if (HasFailure()) return;
    }
  }
}

// Long running windows, whose every prefix is wanted.
TEST(ComplexFolds, RunningWindows) {
  Differential differential;
  for (const World& world : Worlds()) {
    constexpr int64_t kSize = 80;
    Literal x = Literal::Zeros(Shape(world.type, {kSize}));
    int64_t rows;
    const Literal all = AllRows(world, 3, &rows);
    for (int64_t i = 0; i < kSize; ++i) x.Set(i, all.Get(i * 7 % all.element_count()));
    const Literal init = Scalar(world, {1, 1});
    for (const bool reversed : {false, true}) {
      const std::vector<Literal> got = differential.CheckOn(
          {absl::StrCat(world.ShapeOf("80"), " reduce-window(p0, p1), window={size=80 pad=",
                        reversed ? "0_79" : "79_0", "}, to_apply=f"),
           {world.ShapeOf("80"), world.ShapeOf("")},
           world.Region(),
           {}},
          {x, init});
      ASSERT_EQ(got.size(), 1u);
      ExpectFolds(world, got[0], [&](int64_t i) {
        std::vector<Element> elements = {init.Get(0)};
        for (int64_t k = reversed ? i : 0; k < (reversed ? kSize : i + 1); ++k) {
          elements.push_back(x.Get(k));
        }
        return elements;
      });
      if (HasFailure()) return;
    }
  }
}

TEST(ComplexFolds, Scan) {
  Differential differential;
  for (const World& world : Worlds()) {
    int64_t rows;
    const Literal x = AllRows(world, 4, &rows);
    const std::string row = world.ShapeOf(absl::StrCat(rows)),
                      array = world.ShapeOf(absl::StrCat(rows, ",4"));
    Literal init = Literal::Zeros(Shape(world.type, {rows}));
    for (int64_t i = 0; i < rows; ++i) init.Set(i, x.Get((i + 3) % rows * 4));
    for (const bool reverse : {false, true}) {
      const std::vector<Literal> got = differential.CheckOn(
          {absl::StrCat("(", array, ", ", array, ", ", row,
                        ") scan(p0, p1), dimensions={1}, num_carries=1, is_reverse=",
                        reverse ? "true" : "false", ", to_apply=f"),
           {array, row},
           absl::StrCat("f {\n  a = ", row, " parameter(0)\n  b = ", row,
                        " parameter(1)\n  c = ", row, " ", world.op(), "\n  ROOT r = (", row, ", ",
                        row, ", ", row, ") tuple(b, c, c)\n}\n"),
           {}},
          {x, init});
      ASSERT_EQ(got.size(), 3u);
      for (size_t leaf = 0; leaf < 3; ++leaf) {
        ExpectFolds(world, got[leaf], [&](int64_t i) {
          const int64_t lane = leaf == 2 ? i : i / 4;
          const int64_t t = leaf == 2 ? (reverse ? 0 : 3) : i % 4;
          const int64_t steps = (reverse ? 4 - t : t + 1) - (leaf == 0 ? 1 : 0);
          std::vector<Element> elements = {init.Get(lane)};
          for (int64_t k = 0; k < steps; ++k) {
            elements.push_back(x.Get(lane * 4 + (reverse ? 3 - k : k)));
          }
          return elements;
        });
        if (HasFailure()) return;
      }
    }
  }
}

TEST(ComplexFolds, Scatter) {
  Differential differential;
  for (const World& world : Worlds()) {
    int64_t rows;
    const Literal x = AllRows(world, 3, &rows);
    Literal data = Literal::Zeros(Shape(world.type, {rows}));
    for (int64_t i = 0; i < rows; ++i) data.Set(i, x.Get((i + 5) % rows * 3 + 1));
    // Element by element, and as windows of all cells.
    Literal indices = Literal::Zeros(Shape(ElementType::kS32, {rows, 3}));
    for (int64_t i = 0; i < 3 * rows; ++i) indices.Set(i, {static_cast<uint64_t>(i / 3)});
    std::vector<Literal> got = differential.CheckOn(
        {absl::StrCat(world.ShapeOf(absl::StrCat(rows)),
                      " scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
                      "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=f"),
         {world.ShapeOf(absl::StrCat(rows)), absl::StrCat("s32[", rows, ",3]"),
          world.ShapeOf(absl::StrCat(rows, ",3"))},
         world.Region(),
         {}},
        {data, indices, x});
    ASSERT_EQ(got.size(), 1u);
    const auto of_row = [&](int64_t row) {
      std::vector<Element> elements = {data.Get(row)};
      for (int64_t k = 0; k < 3; ++k) elements.push_back(x.Get(row * 3 + k));
      return elements;
    };
    ExpectFolds(world, got[0], of_row);
    if (HasFailure()) return;
    Literal turned = Literal::Zeros(Shape(world.type, {3, rows}));
    for (int64_t i = 0; i < 3 * rows; ++i) turned.Set(i % 3 * rows + i / 3, x.Get(i));
    got = differential.CheckOn(
        {absl::StrCat(world.ShapeOf(absl::StrCat(rows)),
                      " scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={}, "
                      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f"),
         {world.ShapeOf(absl::StrCat(rows)), "s32[3,1]", world.ShapeOf(absl::StrCat("3,", rows))},
         world.Region(),
         {}},
        {data, Literal::Zeros(Shape(ElementType::kS32, {3, 1})), turned});
    ASSERT_EQ(got.size(), 1u);
    ExpectFolds(world, got[0], of_row);
    if (HasFailure()) return;
  }
}

// Each window of two cells selects the first one, which two windows share.
TEST(ComplexFolds, SelectAndScatter) {
  Differential differential;
  for (const World& world : Worlds()) {
    int64_t rows;
    const Literal x = AllRows(world, 2, &rows);
    const Literal init = Scalar(world, world.numbers[1]);
    const std::string t = world.ShapeOf("");
    const std::string select =
        absl::StrCat("s {\n  a = ", t, " parameter(0)\n  b = ", t, " parameter(1)\n  c = ", t,
                     " add(a, b)\n  ROOT r = pred[] constant(true)\n}\n");
    for (const bool overlaps : {false, true}) {
      // With padding in front both windows of a row begin at its first cell.
      const int64_t cells = overlaps ? 2 : 4;
      Literal operand = Literal::Zeros(Shape(world.type, {rows, cells}));
      const std::vector<Literal> got = differential.CheckOn(
          {absl::StrCat(world.ShapeOf(absl::StrCat(rows, ",", cells)),
                        " select-and-scatter(p0, p1, p2), window={size=1x2 stride=1x",
                        overlaps ? "1 pad=0_0x1_0" : "2", "}, select=s, scatter=f"),
           {world.ShapeOf(absl::StrCat(rows, ",", cells)), world.ShapeOf(absl::StrCat(rows, ",2")),
            t},
           absl::StrCat(select, world.Region()),
           {}},
          {operand, x, init});
      ASSERT_EQ(got.size(), 1u);
      ExpectFolds(world, got[0], [&](int64_t i) {
        std::vector<Element> elements = {init.Get(0)};
        const int64_t row = i / cells, cell = i % cells;
        for (int64_t k = 0; k < 2; ++k) {
          if (cell == (overlaps ? 0 : 2 * k)) elements.push_back(x.Get(row * 2 + k));
        }
        return elements;
      });
      if (HasFailure()) return;
    }
  }
}

TEST(ComplexFolds, Collectives) {
  constexpr int64_t kMembers = 3;
  for (const World& world : Worlds()) {
    int64_t rows;
    const Literal x = AllRows(world, kMembers, &rows);
    const int64_t padded = (rows + kMembers - 1) / kMembers * kMembers;
    std::vector<Literal> members(kMembers, Literal::Zeros(Shape(world.type, {padded})));
    for (int64_t i = 0; i < padded; ++i) {
      for (int64_t m = 0; m < kMembers; ++m) members[m].Set(i, x.Get(i % rows * kMembers + m));
    }
    for (const bool scatters : {false, true}) {
      const int64_t size = scatters ? padded / kMembers : padded;
      const std::string text =
          absl::StrCat("HloModule m\n\n", world.Region(),
                       "\nENTRY e {\n  p0 = ", world.ShapeOf(absl::StrCat(padded)),
                       " parameter(0)\n  ROOT r = ", world.ShapeOf(absl::StrCat(size)),
                       scatters ? " reduce-scatter" : " all-reduce", "(p0), replica_groups={}",
                       scatters ? ", dimensions={0}" : "", ", to_apply=f\n}\n");
      absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
      ASSERT_TRUE(module.ok()) << module.status() << text;
      const Instruction& root = *(*module)->entry()->root();
      for (int64_t position = 0; position < kMembers; ++position) {
        for (const auto prepare : {PrepareCollective, PrepareCollectiveStraight}) {
          const auto kernel = prepare(root, kMembers, position);
          ASSERT_TRUE(kernel.ok()) << kernel.status();
          Literal result = Literal::Zeros(root.shape());
          std::vector<ArrayRef> inputs;
          for (const Literal& member : members) inputs.push_back({&member.shape(), member.data()});
          const MutableArrayRef output = {&result.shape(), result.mutable_data()};
          EvaluationContext context;
          const runtime::FloatEnvironmentGuard guard;
          ASSERT_TRUE((*kernel)->Run(inputs, {output}, context).ok());
          const int64_t first = scatters ? position * size : 0;
          ExpectFolds(world, result, [&](int64_t i) {
            std::vector<Element> elements;
            for (const Literal& member : members) elements.push_back(member.Get(first + i));
            return elements;
          });
          if (HasFailure()) return;
        }
      }
    }
  }
}

// What 4096 bits leave undecided is counted, and the kernel says where it stands.
TEST(ComplexFolds, UndecidedElementsAreNoted) {
  constexpr int64_t kFactors = 3000;
  const std::string text = absl::StrCat(
      "HloModule m\n\n", BinaryComputation("f", ElementType::kC64, "multiply(a, b)"),
      "\nENTRY e {\n  p0 = c64[3,", kFactors, "] parameter(0)\n  p1 = c64[] parameter(1)\n",
      "  ROOT r = c64[3] reduce(p0, p1), dimensions={1}, to_apply=f\n}\n");
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& root = *(*module)->entry()->root();
  const auto part = [](double x) { return EncodeFloat(ElementType::kF32, x); };
  Literal x = Literal::Zeros(root.operand(0)->shape());
  for (int64_t i = 0; i < 3 * kFactors; ++i) x.Set(i, {part(1), part(0)});
  // The second row is 25^1500 / 2^6966 in the end, without an imaginary part.
  for (int64_t k = 0; k < kFactors; ++k) {
    x.Set(kFactors + k, {part(k % 2 == 0 ? 0.75 : 3 * 0x1p-2), part(k < kFactors / 2 ? 1 : -1)});
  }
  for (int64_t k = 0; k < 3; ++k) x.Set(k, {part(0x1p-40), part(0)});
  const Literal init = Literal::Scalar(ElementType::kC64, {part(1), part(0)});
  const std::vector<ArrayRef> inputs = {{&x.shape(), x.data()}, {&init.shape(), init.data()}};
  std::vector<Literal> results;
  for (const bool by_kernel : {true, false}) {
    const auto kernel = by_kernel ? PrepareKernel(root) : PrepareStraight(root);
    ASSERT_TRUE(kernel.ok());
    results.push_back(Literal::Zeros(root.shape()));
    const MutableArrayRef output = {&results.back().shape(), results.back().mutable_data()};
    std::vector<UndecidedElement> undecided;
    EvaluationContext context;
    context.undecided = &undecided;
    const runtime::FloatEnvironmentGuard guard;
    ASSERT_TRUE((*kernel)->Run(inputs, {output}, context).ok());
    EXPECT_EQ(context.real_stats.undecided(), 1);
    if (!by_kernel) continue;
    ASSERT_EQ(undecided.size(), 1u);
    EXPECT_EQ(undecided[0].position, 1);
    EXPECT_EQ(undecided[0].leaf, 0);
    EXPECT_EQ(undecided[0].low.bits, undecided[0].high.bits);
    EXPECT_NE(undecided[0].low.imag, undecided[0].high.imag);
  }
  EXPECT_TRUE(Literal::BitEqual(results[0], results[1]));
  EXPECT_EQ(results[0].Get(1).imag, part(0.0));
}

}  // namespace
}  // namespace assay::evaluator
