// NaNs with signs and payloads through programs of moves, returned as they are, replaced by the
// quiet NaN of the type or by an infinity, and with the other sign.
#include "conformance/enclosure/moved_nans.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "interpreter/interpreter.h"

namespace assay::conformance {
namespace {

using Change = std::function<uint64_t(ElementType, uint64_t)>;

uint64_t Quiet(ElementType type, uint64_t) { return CanonicalNan(type); }
uint64_t QuietOfSign(ElementType type, uint64_t bits) {
  return CanonicalNan(type) | (bits & (uint64_t{1} << (Info(type).bits - 1)));
}
uint64_t Infinite(ElementType type, uint64_t) { return EncodeFloat(type, INFINITY); }
uint64_t Flip(ElementType type, uint64_t bits) {
  return bits ^ (uint64_t{1} << (Info(type).bits - 1));
}
uint64_t SetQuietBit(ElementType type, uint64_t bits) {
  return bits | (uint64_t{1} << (Info(type).format->significand_bits - 1));
}

// Replaces the NaNs of every array.
Literal WithNans(const Literal& value, const Change& change) {
  std::vector<Literal> leaves = Flatten(value);
  for (Literal& leaf : leaves) {
    const ElementType type = leaf.element_type(), part = Info(type).component;
    if (!IsFloat(part)) continue;
    for (int64_t i = 0; i < leaf.element_count(); ++i) {
      Element element = leaf.Get(i);
      if (IsNan(part, element.bits)) element.bits = change(part, element.bits);
      if (IsComplex(type) && IsNan(part, element.imag)) element.imag = change(part, element.imag);
      leaf.Set(i, element);
    }
  }
  return Unflatten(value.shape(), leaves);
}

// Two negative NaNs with a payload, the second of which is signaling, between numbers.
Literal NansOf(ElementType type) {
  Literal literal = Array(type, {1, 2, 3, 4});
  const ElementType part = Info(type).component;
  const uint64_t infinity = EncodeFloat(part, INFINITY);
  const uint64_t sign = uint64_t{1} << (Info(part).bits - 1);
  literal.Set(0, {SetQuietBit(part, infinity) | sign | 1, 0});
  literal.Set(2, {infinity | sign | 1, 0});
  return literal;
}

class MovedNansTest : public EnclosureTest {
 protected:
  Verdict After(const std::string& body, const std::vector<Literal>& arguments,
                const Change& change, const std::string& profile,
                const std::string& computations = "") {
    const BoxTree box = Of(body, arguments, profile, computations);
    const absl::StatusOr<Literal> golden = Interpret(*module_, arguments, {});
    EXPECT_TRUE(golden.ok()) << golden.status();
    if (!golden.ok()) return Verdict::kNotJudgeable;
    return Judged(box, *golden, WithNans(*golden, change));
  }
};

constexpr char kRegions[] =
    "condition {\n p = (s32[], T[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " n = s32[] constant(3)\n ROOT l = pred[] compare(i, n), direction=LT\n}\n"
    "body {\n p = (s32[], T[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
    " one = s32[] constant(1)\n j = s32[] add(i, one)\n x = T[4] get-tuple-element(p), index=1\n"
    " y = T[4] reverse(x), dimensions={0}\n ROOT t = (s32[], T[4]) tuple(j, y)\n}\n"
    "same {\n ROOT p = T[4] parameter(0)\n}\n";

// Programs of one argument T[4], all of which move its elements alone.
constexpr const char* kMoves[] = {
    "ROOT r = T[4] copy(a)",
    "b = T[2,2] reshape(a)\n ROOT r = T[2,2] transpose(b), dimensions={1,0}",
    "ROOT r = T[3] slice(a), slice={[0:3]}",
    "s = s32[3] constant({2, 0, 2})\n ROOT r = T[3] gather(a, s), offset_dims={}, "
    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
    "p = pred[4] constant({true, false, true, true})\n z = T[4] reverse(a), dimensions={0}\n"
    " ROOT r = T[4] select(p, a, z)",
    "b = T[4] copy(a)\n ROOT r = (T[4], (T[4])) tuple(b, t)",
    "i = s32[] constant(0)\n q = (s32[], T[4]) tuple(i, a)\n"
    " ROOT w = (s32[], T[4]) while(q), condition=condition, body=body",
    "p = pred[] constant(true)\n ROOT r = T[4] conditional(p, a, a), true_computation=same, "
    "false_computation=same",
    "i = s32[] constant(1)\n z = T[1] slice(a), slice={[2:3]}\n"
    " ROOT r = T[4] dynamic-update-slice(a, z, i)",
    "c = T[8] concatenate(a, a), dimensions={0}\n s = T[1] slice(a), slice={[0:1]}\n"
    " z = T[] reshape(s)\n"
    " ROOT r = T[10] pad(c, z), padding=1_1",
};

std::string Moved(const char* program, const char* type) {
  const bool tuple = std::string(program).find("(b, t)") != std::string::npos;
  return absl::StrReplaceAll(
      absl::StrCat("a = T[4] parameter(0)\n ", tuple ? "t = (T[4]) tuple(a)\n " : "", program),
      {{"T[", absl::StrCat(type, "[")}});
}

TEST_F(MovedNansTest, MovesKeepSignsAndPayloads) {
  const std::pair<const char*, ElementType> kTypes[] = {
      {"f32", ElementType::kF32}, {"f64", ElementType::kF64},       {"bf16", ElementType::kBF16},
      {"f16", ElementType::kF16}, {"f8e5m2", ElementType::kF8E5M2}, {"c64", ElementType::kC64}};
  for (const auto& row : kTypes) {
    const char* const name = row.first;
    const ElementType type = row.second;
    const std::string regions = absl::StrReplaceAll(kRegions, {{"T[", absl::StrCat(name, "[")}});
    for (const char* program : kMoves) {
      for (const char* profile : {"golden", "cpu-strict", "xla-cpu"}) {
        const std::string body = Moved(program, name);
        SCOPED_TRACE(absl::StrCat(profile, "\n", body));
        const auto verdict = [&](const Change& change) {
          return After(body, {NansOf(type)}, change, profile, regions);
        };
        EXPECT_LE(verdict([](ElementType, uint64_t bits) { return bits; }),
                  Verdict::kCorrectlyRounded);
        // Narrow types may be quieted in wider registers, and under xla-cpu they may lose their
        // payloads there, and those of 8 bits their signs (N-2.1).
        const int bits = Info(Info(type).component).bits;
        const bool wide = bits >= 32, loses = !wide && absl::string_view(profile) == "xla-cpu";
        EXPECT_EQ(verdict(Quiet) == Verdict::kWrong, !loses || bits > 8);
        EXPECT_EQ(verdict(Flip) == Verdict::kWrong, !loses || bits > 8);
        EXPECT_EQ(verdict(QuietOfSign) == Verdict::kWrong, !loses);
        EXPECT_EQ(verdict(Infinite), Verdict::kWrong);
        const Verdict quieted = verdict(SetQuietBit);
        EXPECT_EQ(quieted == Verdict::kWrong, wide);
      }
    }
  }
}

// What an operation computes may be any NaN, wherever it is moved afterwards.
TEST_F(MovedNansTest, ComputedNansAreAnyNans) {
  for (const char* program :
       {"b = f32[4] add(a, a)\n ROOT r = f32[4] reverse(b), dimensions={0}",
        "b = f32[4] add(a, a)\n c = f32[4] negate(b)\n ROOT r = f32[4] copy(c)",
        "b = f32[4] multiply(a, a)\n ROOT r = f32[4] abs(b)",
        "b = f16[4] convert(a)\n ROOT r = f16[2] slice(b), slice={[0:2]}",
        "b = f32[4] maximum(a, a)\n p = pred[4] constant({true, true, true, true})\n"
        " ROOT r = f32[4] select(p, b, a)",
        "i = s32[4] bitcast-convert(a)\n n = s32[4] not(i)\n m = s32[4] not(n)\n"
        " ROOT r = f32[4] bitcast-convert(m)"}) {
    for (const Change& change : {Change(Quiet), Change(Flip)}) {
      EXPECT_LE(After(absl::StrCat("a = f32[4] parameter(0)\n ", program),
                      {NansOf(ElementType::kF32)}, change, "cpu-strict"),
                Verdict::kAllowed)
          << program;
    }
  }
}

// An element that is moved stands beside one that is computed.
TEST_F(MovedNansTest, ElementsOfOneArrayAreJudgedEachForItself) {
  const std::string body =
      "a = f32[4] parameter(0)\n b = f32[4] add(a, a)\n p = pred[4] constant({true, true, false, "
      "false})\n ROOT r = f32[4] select(p, a, b)";
  const std::vector<Literal> arguments = {NansOf(ElementType::kF32)};
  const BoxTree box = Of(body, arguments, "cpu-strict");
  const absl::StatusOr<Literal> golden = Interpret(*module_, arguments, {});
  ASSERT_TRUE(golden.ok()) << golden.status();
  for (const int64_t place : {0, 2}) {
    Literal actual = *golden;
    actual.Set(place, {Flip(ElementType::kF32, actual.Get(place).bits), 0});
    EXPECT_EQ(Judged(box, *golden, actual) == Verdict::kWrong, place == 0) << place;
  }
}

uint64_t ChangePayload(ElementType type, uint64_t bits) { return SetQuietBit(type, bits) ^ 2; }

// Abs and negate give the sign of a NaN that is known, in types of more than 8 bits, and later
// moves keep it; the payload is theirs.
TEST_F(MovedNansTest, AbsAndNegateGiveTheSign) {
  const std::pair<const char*, ElementType> kTypes[] = {{"f32", ElementType::kF32},
                                                        {"f64", ElementType::kF64},
                                                        {"bf16", ElementType::kBF16},
                                                        {"f8e5m2", ElementType::kF8E5M2}};
  for (const auto& [name, type] : kTypes) {
    for (const char* program :
         {"b = T[4] reverse(a), dimensions={0}\n ROOT r = T[4] negate(b)",
          "b = T[4] abs(a)\n ROOT r = T[3] slice(b), slice={[0:3]}",
          "b = T[4] negate(a)\n c = T[4] reverse(b), dimensions={0}\n ROOT r = T[4] negate(c)",
          "b = T[4] negate(a)\n p = pred[4] constant({true, true, false, false})\n"
          " ROOT r = T[4] select(p, b, a)"}) {
      const std::string body = Moved(program, name);
      SCOPED_TRACE(body);
      const bool wide = Info(type).bits > 8;
      const bool selects = std::string(program).find("select") != std::string::npos;
      const Verdict flipped = After(body, {NansOf(type)}, Flip, "cpu-strict");
      EXPECT_EQ(flipped == Verdict::kWrong, wide || selects);
      if (!selects && wide) {
        EXPECT_EQ(After(body, {NansOf(type)}, ChangePayload, "cpu-strict"), Verdict::kAllowed);
      }
    }
  }
}

// An order that is decided puts known NaNs at known places.
TEST_F(MovedNansTest, OrdersKeepTheirNans) {
  const std::string regions =
      "order {\n a = T[] parameter(0)\n b = T[] parameter(1)\n"
      " ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER\n}\n"
      "by_key {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n c = T[] parameter(2)\n"
      " d = T[] parameter(3)\n ROOT l = pred[] compare(a, b), direction=LT\n}\n";
  const std::pair<const char*, ElementType> kTypes[] = {{"f32", ElementType::kF32},
                                                        {"f64", ElementType::kF64}};
  for (const auto& row : kTypes) {
    const char* const name = row.first;
    const ElementType type = row.second;
    const std::string computations =
        absl::StrReplaceAll(regions, {{"T[", absl::StrCat(name, "[")}});
    for (const char* program :
         {"ROOT r = T[4] sort(a), dimensions={0}, is_stable=true, to_apply=order",
          "s = T[4] sort(a), dimensions={0}, is_stable=true, to_apply=order\n"
          " ROOT r = T[4] reverse(s), dimensions={0}",
          "k = s32[4] constant({3, 1, 2, 0})\n s = (s32[4], T[4]) sort(k, a), dimensions={0}, "
          "is_stable=true, to_apply=by_key\n ROOT r = T[4] get-tuple-element(s), index=1"}) {
      const std::string body = Moved(program, name);
      SCOPED_TRACE(body);
      const auto verdict = [&](const Change& change) {
        return After(body, {NansOf(type)}, change, "golden", computations);
      };
      EXPECT_LE(verdict([](ElementType, uint64_t bits) { return bits; }),
                Verdict::kCorrectlyRounded);
      EXPECT_EQ(verdict(Flip), Verdict::kWrong);
      EXPECT_EQ(verdict(ChangePayload), Verdict::kWrong);
    }
    // NaNs that were computed stay unknown.
    EXPECT_EQ(After(Moved("b = T[4] add(a, a)\n ROOT r = T[4] sort(b), dimensions={0}, "
                          "is_stable=true, to_apply=order",
                          name),
                    {NansOf(type)}, ChangePayload, "golden", computations),
              Verdict::kAllowed);
  }
}

TEST_F(MovedNansTest, ConstantsKeepTheirNans) {
  for (const Change& change : {Change(Quiet), Change(Flip)}) {
    EXPECT_EQ(After("c = f32[2] constant({-nan(0x123), 1})\n"
                    " ROOT r = f32[3,2] broadcast(c), dimensions={1}",
                    {}, change, "cpu-strict"),
              Verdict::kWrong);
  }
}

}  // namespace
}  // namespace assay::conformance
