// rng-bit-generator: the vectors of ops_control_and_collectives.md 10.5. Those of one block are the
// published known answers of Random123.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/ops/op_case_text.h"

namespace assay {
namespace {

using Words = std::vector<uint64_t>;

struct Vector {
  const char* algorithm;
  Words state;
  ElementType type;
  std::vector<int64_t> sizes;
  Words bits;
  Words next;
};

constexpr char kThreeFry[] = "rng_three_fry";
constexpr char kPhilox[] = "rng_philox";
constexpr ElementType kU8 = ElementType::kU8;
constexpr ElementType kU16 = ElementType::kU16;
constexpr ElementType kU32 = ElementType::kU32;
constexpr ElementType kU64 = ElementType::kU64;
constexpr uint64_t kAllOnes = ~uint64_t{0};

std::vector<Vector> ThreefryVectors() {
  const Words s12 = {1, 2};
  const uint64_t key = 0x0123456789abcdef, pi_key = 0x0370734413198a2e,
                 pi_counter = 0x85a308d3243f6a88;
  const Words u64s = {0x802fd53b0296e954, 0xdf435003ed3492d3, 0xfcc0f26163b40bd3,
                      0x24e4d3347dbb1d60};
  return {
      {kThreeFry, {0, 0}, kU32, {}, {0x6b200159}, {0, 1}},
      {kThreeFry, {0, 0}, kU32, {2}, {0x6b200159, 0x99ba4efe}, {0, 1}},
      {kThreeFry, {kAllOnes, kAllOnes}, kU32, {2}, {0x1cb996fc, 0xbb002be7}, {kAllOnes, 0}},
      {kThreeFry, s12, kU32, {}, {0x0296e954}, {1, 3}},
      {kThreeFry, s12, kU32, {1}, {0x0296e954}, {1, 3}},
      {kThreeFry, s12, kU32, {1, 1}, {0x0296e954}, {1, 3}},
      {kThreeFry, s12, kU32, {4}, {0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003}, {1, 4}},
      {kThreeFry, s12, kU32, {3}, {0x0296e954, 0x802fd53b, 0xed3492d3}, {1, 4}},
      {kThreeFry,
       s12,
       kU32,
       {5},
       {0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3},
       {1, 5}},
      {kThreeFry,
       s12,
       kU32,
       {2, 3},
       {0x0296e954, 0xed3492d3, 0x63b40bd3, 0x802fd53b, 0xdf435003, 0xfcc0f261},
       {1, 5}},
      {kThreeFry,
       s12,
       kU32,
       {3, 2},
       {0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3, 0xfcc0f261},
       {1, 5}},
      {kThreeFry,
       s12,
       kU32,
       {3, 4},
       {0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3, 0xfcc0f261, 0x7dbb1d60,
        0x24e4d334, 0x9718c0ad, 0xe3f04ce5, 0xaafe5a17, 0xdfbf5831},
       {1, 8}},
      {kThreeFry,
       s12,
       kU32,
       {3, 5},
       {0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3, 0x7dbb1d60, 0x24e4d334,
        0x9718c0ad, 0xe3f04ce5, 0xaafe5a17, 0xadc273d0, 0xe52ba482, 0xbc56d765, 0xb9fa7a4e,
        0x11dca6f2},
       {1, 11}},
      {kThreeFry, s12, kU32, {0}, {}, s12},
      {kThreeFry, s12, kU32, {3, 0}, {}, s12},
      {kThreeFry, s12, kU64, {}, {u64s[0]}, {1, 3}},
      {kThreeFry, s12, kU64, {3}, {u64s[0], u64s[1], u64s[2]}, {1, 5}},
      {kThreeFry, s12, kU64, {2, 2}, u64s, {1, 6}},
      {kThreeFry,
       s12,
       kU64,
       {2, 2},
       {9236835810183407956u, 16087790271692313299u, 18212823393184779219u, 2658481902456610144u},
       {1, 6}},
      {kThreeFry, s12, kU16, {4}, {0xe954, 0xd53b, 0x92d3, 0x5003}, {1, 4}},
      {kThreeFry, s12, kU8, {4}, {0x54, 0x3b, 0xd3, 0x03}, {1, 4}},
      // What is narrower, and other types of a width, are the same bits.
      {kThreeFry, s12, ElementType::kS4, {4}, {0x4, 0xb, 0x3, 0x3}, {1, 4}},
      {kThreeFry, s12, ElementType::kU2, {4}, {0, 3, 3, 3}, {1, 4}},
      {kThreeFry, s12, ElementType::kBF16, {4}, {0xe954, 0xd53b, 0x92d3, 0x5003}, {1, 4}},
      {kThreeFry, s12, ElementType::kF64, {}, {u64s[0]}, {1, 3}},
      {kThreeFry,
       {key, 0xfffffffffffffffe},
       kU32,
       {6},
       {0xb0f4215b, 0xe19a60b4, 0x0b3d7494, 0xacf8c4dc, 0xaaa4d889, 0x6b35c4f4},
       {key, 1}},
      {kThreeFry,
       {key, 0xfffffffffffffffe},
       kU64,
       {3},
       {0xe19a60b4b0f4215b, 0xacf8c4dc0b3d7494, 0x6b35c4f4aaa4d889},
       {key, 1}},
      {kThreeFry,
       {pi_key, pi_counter},
       kU32,
       {2},
       {0xc4923a9c, 0x483df7a0},
       {pi_key, pi_counter + 1}},
      {kThreeFry, {3, 3}, kU64, {}, {3349939604322698703u}, {3, 4}},
  };
}

std::vector<Vector> PhiloxVectors() {
  const Words s123 = {1, 2, 3};
  const uint64_t pi_key = 0x299f31d0a4093822, pi_low = 0x85a308d3243f6a88,
                 pi_high = 0x0370734413198a2e;
  return {
      {kPhilox, {0, 0, 0}, kU32, {4}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, {0, 1, 0}},
      {kPhilox,
       {kAllOnes, kAllOnes, kAllOnes},
       kU32,
       {4},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
       {kAllOnes, 0, 0}},
      {kPhilox,
       {pi_key, pi_low, pi_high},
       kU32,
       {4},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
       {pi_key, pi_low + 1, pi_high}},
      {kPhilox, s123, kU32, {}, {0xf045e74a}, {1, 3, 3}},
      {kPhilox,
       s123,
       kU32,
       {5},
       {0xf045e74a, 0x517630e6, 0x1d8af405, 0xb5e59a96, 0x05545ceb},
       {1, 4, 3}},
      {kPhilox,
       s123,
       kU32,
       {2, 3},
       {0xf045e74a, 0x517630e6, 0x1d8af405, 0xb5e59a96, 0x05545ceb, 0x72471b77},
       {1, 4, 3}},
      {kPhilox, s123, kU64, {}, {0x517630e6f045e74a}, {1, 3, 3}},
      {kPhilox,
       s123,
       kU64,
       {3},
       {0x517630e6f045e74a, 0xb5e59a961d8af405, 0x72471b7705545ceb},
       {1, 4, 3}},
      {kPhilox, s123, kU16, {4}, {0xe74a, 0x30e6, 0xf405, 0x9a96}, {1, 3, 3}},
      {kPhilox, s123, kU8, {4}, {0x4a, 0xe6, 0x05, 0x96}, {1, 3, 3}},
      {kPhilox, s123, ElementType::kU4, {4}, {0xa, 0x6, 0x5, 0x6}, {1, 3, 3}},
      {kPhilox, s123, ElementType::kS1, {4}, {0, 0, 1, 0}, {1, 3, 3}},
      {kPhilox, s123, ElementType::kF8E5M2, {4}, {0x4a, 0xe6, 0x05, 0x96}, {1, 3, 3}},
      {kPhilox, s123, ElementType::kF32, {}, {0xf045e74a}, {1, 3, 3}},
      {kPhilox, s123, kU32, {0}, {}, s123},
      {kPhilox,
       {1, 2},
       kU32,
       {5},
       {0x7d34a749, 0xa9b8bbe8, 0x7ba423d7, 0x2fb324d9, 0x6cf923fe},
       {1, 4}},
      {kPhilox,
       {1, 2},
       kU64,
       {3},
       {0xa9b8bbe87d34a749, 0x2fb324d97ba423d7, 0xbadf79c36cf923fe},
       {1, 4}},
      {kPhilox,
       {7, kAllOnes, 5},
       kU32,
       {8},
       {0x234f1fc1, 0xff3718ec, 0x2775c467, 0xb9e2b3ee, 0xacdf7a04, 0xae3d6a15, 0x39a162d0,
        0x57f2fb31},
       {7, 1, 6}},
      {kPhilox,
       {7, kAllOnes},
       kU32,
       {8},
       {0xe404ea31, 0xae9e750f, 0xf06e4c03, 0x33a71289, 0xa2221dce, 0x1d55ad4c, 0x0da7336f,
        0x46b55614},
       {7, 1}},
  };
}

Literal Array(ElementType type, const std::vector<int64_t>& sizes, const Words& words) {
  Literal literal = Literal::Zeros(Shape(type, sizes));
  for (size_t i = 0; i < words.size(); ++i) literal.Set(static_cast<int64_t>(i), {words[i]});
  return literal;
}

Literal State(const Words& words) {
  return Array(kU64, {static_cast<int64_t>(words.size())}, words);
}

}  // namespace

void AppendRandomCases(std::vector<OpCase>& cases) {
  for (const auto& vectors : {ThreefryVectors(), PhiloxVectors()}) {
    for (const Vector& v : vectors) {
      const std::string state = absl::StrCat("u64[", v.state.size(), "]");
      const std::string bits =
          absl::StrCat(std::string(Name(v.type)), "[", absl::StrJoin(v.sizes, ","), "]");
      cases.push_back({absl::StrCat("10.5 rng-bit-generator: ", v.algorithm, " ", bits),
                       absl::StrCat("(", state, ", ", bits, ") rng-bit-generator(", state,
                                    " s), algorithm=", v.algorithm),
                       {State(v.state)},
                       {State(v.next), Array(v.type, v.sizes, v.bits)}});
    }
  }
  cases.push_back(
      {"10.5 rng-bit-generator: the default is Philox",
       "HloModule m\n\nENTRY e {\n  s = u64[2] parameter(0)\n  r = (u64[2], u32[60,4]) "
       "rng-bit-generator(s), algorithm=rng_default\n  next = u64[2] get-tuple-element(r), "
       "index=0\n  bits = u32[60,4] get-tuple-element(r), index=1\n  rows = u32[6,4] "
       "slice(bits), slice={[0:60:10], [0:4]}\n  ROOT t = (u64[2], u32[6,4]) tuple(next, rows)\n}",
       {State({0x2b0000002a, 0x2d0000002c})},
       {State({0x2b0000002a, 0x2d0000002c + 60}),
        Array(kU32, {6, 4},
              {2427392780, 1458059130, 393278117,  4094008499, 2979149501, 2789479602,
               236667834,  2209180022, 3272265009, 654898663,  3518128447, 3522413436,
               3152133794, 2429726816, 183393703,  2087683200, 2517633375, 3263052868,
               344980918,  3676396031, 3594828247, 2571774884, 3751275505, 2435848784})}});
}

}  // namespace assay
