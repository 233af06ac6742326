// A sum that is rounded to fewer bits than its type has is found wrong, whatever instructions
// follow it.
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/width_testing.h"
#include "interpreter/interpreter.h"

namespace assay::conformance {
namespace {

using enum ElementType;

// A sum that is rounded to fewer bits than its type has is found whatever follows it.
class CoarseSumsTest : public EnclosureTest {
 protected:
  static Literal Random(ElementType type, const Shape& shape) {
    std::mt19937_64 random(11);
    const Places places(type);
    Literal literal = Literal::Zeros(shape);
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      const double size = 0.5 + static_cast<double>(random() % 1024) / 1024;
      literal.Set(i, places.Bits(places.Nearest(random() % 2 == 0 ? size : -size)));
    }
    return literal;
  }
  // A number with so many bits behind the first.
  static Element Coarse(const Places& places, Element element, int bits) {
    const Real value = places.At(places.Of(element.bits));
    if (value == 0) return element;
    const Real unit = std::ldexp(Real{1}, std::ilogb(value) - bits);
    return places.Bits(places.Nearest(std::nearbyint(value / unit) * unit));
  }

  // How many elements of the result are wrong where the sum, which is given as `sum`, has so few
  // bits; `then` takes s to r.
  void ExpectFound(ElementType type, const std::string& sum, const std::string& then,
                   const std::vector<Literal>& arguments, int bits) {
    const std::string name(Info(type).name);
    const auto typed = [&](const std::string& text) {
      return absl::StrReplaceAll(text, {{"T[", absl::StrCat(name, "[")}});
    };
    const BoxTree tree = Of(typed(sum + then), arguments, "cpu-strict", typed(kAdder));
    const auto golden = Interpret(*module_, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const Places places(type);
    Literal actual = *golden;
    for (int64_t i = 0; i < actual.element_count(); ++i) {
      actual.Set(i, Coarse(places, actual.Get(i), bits));
    }
    EXPECT_EQ(Judged(tree, *golden, actual), Verdict::kWrong) << name << sum << then;
    EXPECT_LE(Judged(tree, *golden, *golden), Verdict::kCorrectlyRounded) << name << sum;
  }
};

TEST_F(CoarseSumsTest, AreFoundBehindWhateverFollows) {
  const struct {
    ElementType type;
    int bits;  // one fewer than the type has
  } types[] = {{kBF16, 6},     {kBF16, 5},     {kF16, 9},   {kF16, 8},
               {kF8E4M3FN, 2}, {kF8E4M3FN, 1}, {kF8E5M2, 1}};
  for (const auto& [type, bits] : types) {
    const Literal left = Random(type, Shape(type, {12, 16})),
                  right = Random(type, Shape(type, {16, 12}));
    for (const char* then :
         {"ROOT r = T[12,12] negate(s)", "ROOT r = T[12,12] abs(s)",
          "n = T[12,12] negate(s)\n ROOT r = T[12,12] reverse(n), dimensions={0}",
          "z = T[] constant(0)\n y = T[12,12] broadcast(z), dimensions={}\n"
          " ROOT r = T[12,12] add(s, y)",
          "ROOT r = T[12,12] maximum(s, s)"}) {
      ExpectFound(type,
                  "a = T[12,16] parameter(0)\n b = T[16,12] parameter(1)\n s = T[12,12] dot(a, b), "
                  "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ",
                  then, {left, right}, bits);
    }
    ExpectFound(type,
                "a = T[12,16] parameter(0)\n z = T[] constant(0)\n s = T[12] reduce(a, z), "
                "dimensions={1}, to_apply=add\n ",
                "ROOT r = T[12] negate(s)", {left}, bits);
    ExpectFound(
        type,
        "a = T[12,16] parameter(0)\n z = T[] constant(0)\n s = T[12,13] reduce-window(a, z), "
        "window={size=1x4}, to_apply=add\n ",
        "ROOT r = T[12,13] negate(s)", {left}, bits);
    ExpectFound(
        type,
        "a = T[12,16] parameter(0)\n b = T[16,12] parameter(1)\n x = T[12,16,1] reshape(a)\n"
        " w = T[16,1,12] reshape(b)\n s = T[12,1,12] convolution(x, w), window={size=16}, "
        "dim_labels=b0f_0io->b0f\n ",
        "ROOT r = T[12,1,12] negate(s)", {left, right}, bits);
  }
}

}  // namespace
}  // namespace assay::conformance
