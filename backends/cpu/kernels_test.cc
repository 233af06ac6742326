// The parts of kernels by themselves, against other ways to the same values: transforms against
// their sums in long double, windows against an enumeration, keys against the order of numbers;
// whole kernels with one thread against several; custom calls by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/fourier.h"
#include "backends/cpu/order_keys.h"
#include "backends/cpu/random_words.h"
#include "backends/cpu/row_fold.h"
#include "backends/cpu/vector/tier.h"
#include "backends/cpu/window_walk.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
void ExpectTransform(int64_t n, double most) {
  std::mt19937 engine(static_cast<uint32_t>(n));
  std::uniform_real_distribution<T> uniform(-1, 1);
  constexpr int64_t kLines = 3;
  std::vector<T> re(n * kLines), im(n * kLines);
  for (T& value : re) value = uniform(engine);
  for (T& value : im) value = uniform(engine);
  const std::vector<T> in_re = re, in_im = im;
  const Fourier<T> fourier(n);
  std::vector<T> work(fourier.work_size() * kLines);
  fourier.Run(re.data(), im.data(), work.data(), kLines);
  for (int64_t line = 0; line < kLines; ++line) {
    for (int64_t k = 0; k < n; ++k) {
      long double sum_re = 0, sum_im = 0;
      for (int64_t j = 0; j < n; ++j) {
        const long double angle =
            -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n;
        const long double x = in_re[j * kLines + line], y = in_im[j * kLines + line];
        sum_re += x * std::cos(angle) - y * std::sin(angle);
        sum_im += x * std::sin(angle) + y * std::cos(angle);
      }
      EXPECT_NEAR(re[k * kLines + line], sum_re, most * std::sqrt(n)) << n << " " << k;
      EXPECT_NEAR(im[k * kLines + line], sum_im, most * std::sqrt(n)) << n << " " << k;
    }
  }
}

TEST(Fourier, IsTheSumForEveryLength) {
  for (int64_t n = 1; n <= 48; ++n) ExpectTransform<double>(n, 2e-15);
  for (const int64_t n : {60, 64, 97, 121, 169, 221, 256}) ExpectTransform<double>(n, 4e-15);
  for (const int64_t n : {1, 2, 16, 17, 34, 96, 127}) ExpectTransform<float>(n, 2e-6);
}

template <typename T>
std::vector<T> TransformOf(int64_t n, int64_t lines, runtime::InstructionSet most) {
  std::mt19937_64 engine(n);
  std::vector<T> parts(2 * n * lines);
  for (T& value : parts) value = std::ldexp(static_cast<T>(engine() >> 40), -24);
  const Fourier<T> fourier(n, most);
  std::vector<T> work(fourier.work_size() * lines);
  fourier.Run(parts.data(), parts.data() + n * lines, work.data(), lines);
  return parts;
}

// Numbers of lines that leave a part of a vector, too.
TEST(Fourier, IsTheSameForAllInstructionSets) {
  using runtime::InstructionSet;
  for (const int64_t n : {8, 15, 17, 64, 77}) {
    for (const int64_t lines : {1, 5, 16}) {
      EXPECT_EQ(TransformOf<float>(n, lines, InstructionSet::kBaseline),
                TransformOf<float>(n, lines, InstructionSet::kAvx2));
      EXPECT_EQ(TransformOf<double>(n, lines, InstructionSet::kBaseline),
                TransformOf<double>(n, lines, InstructionSet::kAvx2));
    }
  }
}

// Every window of small sizes: base and window sizes, strides, padding, both dilations.
TEST(WindowWalk, MeetsWhatAnEnumerationMeets) {
  int64_t windows = 0;
  for (int code = 0; code < 5 * 3 * 3 * 3 * 3 * 2 * 2; ++code) {
    int rest = code;
    const auto digit = [&](int base) {
      const int value = rest % base;
      rest /= base;
      return value;
    };
    const int64_t base = digit(5);
    WindowDimension w;
    w.size = 1 + digit(3);
    w.stride = 1 + digit(3);
    w.padding_low = digit(3) - 1;
    w.padding_high = digit(3);
    w.base_dilation = 1 + digit(2);
    w.window_dilation = 1 + digit(2);
    const int64_t dilated = base == 0 ? 0 : (base - 1) * w.base_dilation + 1;
    const int64_t padded = dilated + w.padding_low + w.padding_high;
    const int64_t span = (w.size - 1) * w.window_dilation + 1;
    const int64_t outputs = padded < span ? 0 : (padded - span) / w.stride + 1;
    const WindowWalk walk({base}, {outputs}, Window{{w}});
    const runtime::BoxGrid grid({outputs}, 2);
    for (int64_t number = 0; number < grid.count(); ++number) {
      const runtime::Box box = grid.At(number);
      for (int64_t p = 0; p < w.size; ++p) {
        std::vector<std::pair<int64_t, int64_t>> expected, met;  // output in the box, element
        for (int64_t o = 0; o < box.counts[0]; ++o) {
          const int64_t place =
              (box.starts[0] + o) * w.stride + p * w.window_dilation - w.padding_low;
          if (place < 0 || place >= dilated || place % w.base_dilation != 0) continue;
          expected.emplace_back(o, place / w.base_dilation);
        }
        const WindowMeeting meeting = walk.Meet(p, box);
        for (int64_t i = 0; i < meeting.elements; ++i) {
          met.emplace_back(meeting.box_offset + i * meeting.box_strides[0],
                           meeting.base_offset + i * meeting.base_strides[0]);
        }
        EXPECT_EQ(met, expected) << code;
        EXPECT_EQ(meeting.elements > 0 && meeting.whole,
                  static_cast<int64_t>(expected.size()) == box.counts[0] && !expected.empty());
        ++windows;
      }
    }
  }
  EXPECT_GT(windows, 2000);
}

// Keys of every pattern of the narrow types: they come back, and order what numbers order.
TEST(OrderKeys, FollowNumbersAndComeBack) {
  for (const ElementType type : kArrayTypes) {
    const int bits = Info(type).bits;
    if (bits > 8 || IsComplex(type)) continue;
    const int64_t n = int64_t{1} << bits;
    std::vector<std::byte> elements(n), back(n);
    for (int64_t i = 0; i < n; ++i) elements[i] = static_cast<std::byte>(i);
    for (const bool descending : {false, true}) {
      std::vector<uint64_t> keys(n);
      OrderKeys(type, elements.data(), n, descending, keys.data());
      ElementsOfKeys(type, keys.data(), n, descending, back.data());
      EXPECT_EQ(elements, back) << Name(type);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double x, y;
          if (IsFloat(type)) {
            x = DecodeFloat(type, i);
            y = DecodeFloat(type, j);
          } else {
            x = IsSigned(type) ? static_cast<double>(DecodeSigned(type, i))
                               : static_cast<double>(i);
            y = IsSigned(type) ? static_cast<double>(DecodeSigned(type, j))
                               : static_cast<double>(j);
          }
          if (!(x < y)) continue;
          EXPECT_EQ(keys[i] < keys[j], !descending) << Name(type) << i << " " << j;
        }
      }
    }
  }
}

// The known answers of Random123.
TEST(RandomWords, AreThePublishedOnes) {
  EXPECT_THAT(PhiloxBlock(0, 0), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(PhiloxBlock(~uint64_t{0}, ~static_cast<unsigned __int128>(0)),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(ThreefryBlock(0, 0), ElementsAre(0x6b200159, 0x99ba4efe));
  EXPECT_THAT(ThreefryBlock(~uint64_t{0}, ~uint64_t{0}), ElementsAre(0x1cb996fc, 0xbb002be7));
}

absl::StatusOr<Literal> RunText(const std::string& text, const std::vector<Literal>& arguments,
                                int64_t threads) {
  auto module = ParseModule(text);
  if (!module.ok()) return module.status();
  CpuOptions options;
  options.run.budget.threads = threads;
  CpuBackend backend(options);
  return RunOnce(backend, **module, arguments);
}

// Large enough for several blocks of every family.
TEST(CpuKernels, GiveTheSameBitsWithAnyNumberOfThreads) {
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {300, 1000}));
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int64_t i = 0; i < x.element_count(); ++i) {
    const float value = uniform(engine);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    x.Set(i, {bits});
  }
  const std::string header =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
      "direction=LT, type=TOTALORDER }\n"
      "ENTRY e { x = f32[300,1000] parameter(0) z = f32[] constant(0) ROOT r = ";
  for (const char* op :
       {"f32[300] reduce(x, z), dimensions={1}, to_apply=add }",
        "f32[1000] reduce(x, z), dimensions={0}, to_apply=add }",
        "f32[] reduce(x, z), dimensions={0,1}, to_apply=add }",
        "f32[300,1000] reduce-window(x, z), window={size=3x3 pad=1_1x1_1}, to_apply=add }",
        "f32[300,1000] sort(x), dimensions={0}, to_apply=less }", "f32[300,1000] exponential(x) }",
        "f32[1000,300] transpose(x), dimensions={1,0} }"}) {
    const auto one = RunText(header + op, {x}, 1), four = RunText(header + op, {x}, 4);
    ASSERT_TRUE(one.ok() && four.ok()) << one.status() << four.status() << op;
    EXPECT_TRUE(Literal::BitEqual(*one, *four)) << op;
  }
}

// Of the same number of bits in memory, where not all of them make an element of the result: any
// but 0 is true, 6-bit floats have their low six bits.
TEST(CpuKernels, BitcastsToTypesThatDoNotTakeAllBits) {
  Literal bytes = Literal::Zeros(Shape(ElementType::kU8, {4}));
  for (int64_t i = 0; i < 4; ++i) bytes.Set(i, {std::array<uint64_t, 4>{0, 2, 0x41, 0xff}[i]});
  const auto bits = [&](const std::string& type, const std::string& operation) {
    const auto result =
        RunText("ENTRY e { x = u8[4] parameter(0) ROOT r = " + type + "[4] " + operation + "(x) }",
                {bytes}, 1);
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<uint64_t> found;
    for (int64_t i = 0; result.ok() && i < 4; ++i) found.push_back(result->Get(i).bits);
    return found;
  };
  for (const char* operation : {"bitcast", "bitcast-convert"}) {
    EXPECT_THAT(bits("pred", operation), ElementsAre(0, 1, 1, 1));
    EXPECT_THAT(bits("f6e3m2fn", operation), ElementsAre(0, 2, 1, 0x3f));
    EXPECT_THAT(bits("s8", operation), ElementsAre(0, 2, 0x41, 0xff));
  }
}

// Sixteen sixes are 96; summed in f8e4m3fn one after the other they would be 112. The other array's
// reducer is no known operation.
TEST(CpuKernels, NarrowSumsAreWideBesideOtherReducers) {
  const std::string region =
      "fold { a = s32[] parameter(0) x = f8e4m3fn[] parameter(1) b = s32[] parameter(2) "
      "y = f8e4m3fn[] parameter(3) twice = s32[] add(a, a) first = s32[] add(twice, b) "
      "second = f8e4m3fn[] add(x, y) ROOT r = (s32[], f8e4m3fn[]) tuple(first, second) }\n"
      "ENTRY e { i = s32[3,16] parameter(0) v = f8e4m3fn[3,16] parameter(1) z = s32[] constant(0) "
      "w = f8e4m3fn[] constant(0) ROOT r = ";
  Literal integers = Literal::Zeros(Shape(ElementType::kS32, {3, 16}));
  Literal sixes = Literal::Zeros(Shape(ElementType::kF8E4M3FN, {3, 16}));
  for (int64_t i = 0; i < 48; ++i) {
    integers.Set(i, {EncodeInteger(ElementType::kS32, 1)});
    sixes.Set(i, {EncodeFloat(ElementType::kF8E4M3FN, 6)});
  }
  for (const char* op :
       {"(s32[3], f8e4m3fn[3]) reduce(i, v, z, w), dimensions={1}, to_apply=fold }",
        "(s32[3,1], f8e4m3fn[3,1]) reduce-window(i, v, z, w), window={size=1x16}, "
        "to_apply=fold }"}) {
    const auto result = RunText(region + op, {integers, sixes}, 1);
    ASSERT_TRUE(result.ok()) << result.status();
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(result->element(0).Get(i).bits, (1 << 16) - 1) << op;
      EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3FN, result->element(1).Get(i).bits), 96) << op;
    }
  }
}

// One NaN or zero among zeros of the other sign, at many places.
template <typename T>
void ExpectSpecialRowFolds(ElementType type, int64_t n) {
  for (int64_t i = 0; i < n; i += 7) {
    for (const T special : {std::numeric_limits<T>::quiet_NaN(), T{-0.0}, T{0.0}}) {
      std::vector<T> x(n, std::signbit(special) ? T{0.0} : T{-0.0});
      x[i] = special;
      for (const Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum}) {
        T acc;
        FindRowFunctions(opcode, type)
            .fold(reinterpret_cast<const std::byte*>(x.data()), n,
                  reinterpret_cast<std::byte*>(&acc));
        if (std::isnan(special)) {
          EXPECT_TRUE(std::isnan(acc)) << Name(type) << n << " " << i;
        } else {
          const bool negative = n == 1 ? std::signbit(special) : opcode == Opcode::kMinimum;
          EXPECT_EQ(std::signbit(acc), negative) << Name(type) << n << " " << i;
        }
      }
    }
  }
}

// Sums of small integers are exact in any order; of extremes a NaN stays and -0 is less than +0.
template <typename T>
void ExpectRowFolds(ElementType type) {
  for (int64_t n = 1; n <= 300; ++n) {
    std::vector<T> x(n);
    for (int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(i * i % 13);
    T sum = 0, most = x[0], acc;
    for (const T value : x) sum += value, most = std::max(most, value);
    const auto* bytes = reinterpret_cast<const std::byte*>(x.data());
    FindRowFunctions(Opcode::kAdd, type).fold(bytes, n, reinterpret_cast<std::byte*>(&acc));
    EXPECT_EQ(acc, sum) << Name(type) << n;
    if (const auto fold = FindRowFunctions(Opcode::kMaximum, type).fold; fold != nullptr) {
      fold(bytes, n, reinterpret_cast<std::byte*>(&acc));
      EXPECT_EQ(acc, most) << Name(type) << n;
    }
    if constexpr (std::is_floating_point_v<T>) ExpectSpecialRowFolds<T>(type, n);
  }
}

TEST(RowFold, SumsAndExtremesOfEveryLength) {
  ExpectRowFolds<float>(ElementType::kF32);
  ExpectRowFolds<double>(ElementType::kF64);
  ExpectRowFolds<int32_t>(ElementType::kS32);
  ExpectRowFolds<uint32_t>(ElementType::kU32);
  ExpectRowFolds<int64_t>(ElementType::kS64);
}

// x becomes 2x + 1 as often as the counter says, for arrays of every small size.
TEST(CpuKernels, LoopsOnSmallArrays) {
  for (int64_t n = 0; n <= 40; n += 1 + n / 4) {
    for (const int turns : {0, 1, 2, 7}) {
      const std::string type = absl::StrCat("f32[", n, "]");
      const auto result =
          RunText(absl::StrReplaceAll(R"(condition {
  s = (s32[], ARRAY) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(TURNS)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], ARRAY) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = ARRAY get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  f = f32[] constant(1)
  ones = ARRAY broadcast(f), dimensions={}
  y = ARRAY add(x, x)
  z = ARRAY add(y, ones)
  ROOT r = (s32[], ARRAY) tuple(next, z)
}
ENTRY e {
  x = ARRAY parameter(0)
  zero = s32[] constant(0)
  start = (s32[], ARRAY) tuple(zero, x)
  loop = (s32[], ARRAY) while(start), condition=condition, body=body
  ROOT r = ARRAY get-tuple-element(loop), index=1
})",
                                      {{"TURNS", absl::StrCat(turns)}, {"ARRAY", type}}),
                  {[&] {
                    Literal x = Literal::Zeros(Shape(ElementType::kF32, {n}));
                    for (int64_t i = 0; i < n; ++i)
                      x.Set(i, {EncodeFloat(ElementType::kF32, 1.0 * i)});
                    return x;
                  }()},
                  1);
      ASSERT_TRUE(result.ok()) << result.status();
      for (int64_t i = 0; i < n; ++i) {
        const double expected = std::ldexp(i + 1.0, turns) - 1;
        EXPECT_EQ(result->Get(i).bits, EncodeFloat(ElementType::kF32, expected)) << n << " " << i;
      }
    }
  }
}

// (a, b) becomes (b, a + b + c) while a flag changes sides: leaves that change places, one that
// stays, a pred, and more leaves than there are registers for. With both tiers, for arrays of less
// than a vector to many.
TEST(CpuKernels, LoopsWhoseLeavesChangePlaces) {
  constexpr int kFillers = 14;  // each gets the one before it, the first one gets a
  for (const int64_t n : {1, 3, 8, 16, 21, 300, 3000}) {
    const std::string type = absl::StrCat("u32[", n, "]");
    std::string fillers, parts, names, starts;
    for (int k = 0; k < kFillers; ++k) {
      absl::StrAppend(&fillers, ", ARRAY");
      absl::StrAppend(&parts, "  f", k, " = ARRAY get-tuple-element(s), index=", 5 + k, "\n");
      absl::StrAppend(&names, k == 0 ? ", a" : absl::StrCat(", f", k - 1));
      absl::StrAppend(&starts, ", c");
    }
    const std::string text = absl::StrReplaceAll(
        R"(condition {
  s = (s32[], ARRAY, ARRAY, ARRAY, pred[]FILLERS) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(1000)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], ARRAY, ARRAY, ARRAY, pred[]FILLERS) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = ARRAY get-tuple-element(s), index=1
  b = ARRAY get-tuple-element(s), index=2
  c = ARRAY get-tuple-element(s), index=3
  p = pred[] get-tuple-element(s), index=4
PARTS  one = s32[] constant(1)
  next = s32[] add(i, one)
  sum = ARRAY add(a, b)
  more = ARRAY add(sum, c)
  q = pred[] not(p)
  ROOT r = (s32[], ARRAY, ARRAY, ARRAY, pred[]FILLERS) tuple(next, b, more, c, qNAMES)
}
ENTRY e {
  a = ARRAY parameter(0)
  c = ARRAY parameter(1)
  zero = s32[] constant(0)
  no = pred[] constant(false)
  start = (s32[], ARRAY, ARRAY, ARRAY, pred[]FILLERS) tuple(zero, a, c, c, noSTARTS)
  loop = (s32[], ARRAY, ARRAY, ARRAY, pred[]FILLERS) while(start), condition=condition, body=body
  a1 = ARRAY get-tuple-element(loop), index=1
  b1 = ARRAY get-tuple-element(loop), index=2
  last = ARRAY get-tuple-element(loop), index=18
  p1 = pred[] get-tuple-element(loop), index=4
  flag = u32[] convert(p1)
  flags = ARRAY broadcast(flag), dimensions={}
  shifted = ARRAY shift-left(b1, flags)
  mixed = ARRAY xor(shifted, a1)
  ROOT r = ARRAY subtract(mixed, last)
})",
        {{"FILLERS", fillers}, {"PARTS", parts}, {"NAMES", names}, {"STARTS", starts}});
    Literal a = Literal::Zeros(Shape(ElementType::kU32, {n})), c = a;
    for (int64_t i = 0; i < n; ++i) {
      a.Set(i, {static_cast<uint64_t>(i * i + 3)});
      c.Set(i, {static_cast<uint64_t>(7 * i + 1)});
    }
    for (const Tier tier : {Tier::kBlocks, Tier::kNative, Tier::kAuto}) {
      ChooseTier(tier);
      const auto result = RunText(absl::StrReplaceAll(text, {{"ARRAY", type}}), {a, c}, 2);
      ChooseTier(Tier::kAuto);
      ASSERT_TRUE(result.ok()) << result.status();
      for (int64_t i = 0; i < n; ++i) {
        uint32_t x = static_cast<uint32_t>(a.Get(i).bits), last = x;
        uint32_t y = static_cast<uint32_t>(c.Get(i).bits);
        const uint32_t constant = y;
        for (int turn = 0; turn < 1000; ++turn) {
          if (turn == 1000 - kFillers) last = x;
          const uint32_t sum = x + y + constant;
          x = y;
          y = sum;
        }
        // 1000 turns: the flag is false again.
        ASSERT_EQ(result->Get(i).bits, (y ^ x) - last) << n << " " << i;
      }
    }
  }
}

// Quotients at and beside integers, whose doubles are nearest to the next ones, and the divisors 0
// and -1, against division of 64-bit integers.
template <typename T>
void ExpectQuotients(ElementType type) {
  std::mt19937 engine(3);
  std::vector<int64_t> xs, ys;
  auto add = [&](int64_t x, int64_t y) {
    xs.push_back(static_cast<T>(x));
    ys.push_back(static_cast<T>(y));
  };
  constexpr int64_t kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  const int64_t corners[] = {kLeast, kLeast + 1, -3, -1, 0, 1, 2, 7, kMost / 2, kMost - 1, kMost};
  for (const int64_t x : corners) {
    for (const int64_t y : corners) add(x, y);
  }
  for (int i = 0; i < 3000; ++i) {
    const auto y = static_cast<T>(engine() >> (engine() % 32));
    const auto multiple =
        static_cast<T>(uint32_t{1} * y * static_cast<T>(engine() >> (engine() % 32)));
    for (int64_t beside = -1; beside <= 1; ++beside) add(multiple + beside, y);
  }
  const auto n = static_cast<int64_t>(xs.size());
  Literal x = Literal::Zeros(Shape(type, {n})), y = x;
  for (int64_t i = 0; i < n; ++i) {
    x.Set(i, {static_cast<uint32_t>(xs[i])});
    y.Set(i, {static_cast<uint32_t>(ys[i])});
  }
  for (const bool is_rest : {false, true}) {
    const auto result = RunText(
        absl::StrReplaceAll(
            "ENTRY e { x = ARRAY parameter(0) y = ARRAY parameter(1) ROOT r = ARRAY OP(x, y) }",
            {{"ARRAY", absl::StrCat(Name(type), "[", n, "]")},
             {"OP", is_rest ? "remainder" : "divide"}}),
        {x, y}, 1);
    ASSERT_TRUE(result.ok()) << result.status();
    for (int64_t i = 0; i < n; ++i) {
      const int64_t expected = is_rest      ? ys[i] == 0 ? xs[i] : xs[i] % ys[i]
                                    : ys[i] == 0 ? -1
                                            : xs[i] / ys[i];
      ASSERT_EQ(static_cast<uint32_t>(result->Get(i).bits), static_cast<uint32_t>(expected))
          << Name(type) << " " << is_rest << " " << xs[i] << " " << ys[i];
    }
  }
}

TEST(CpuKernels, QuotientsOf32BitsAreExact) {
  ExpectQuotients<int32_t>(ElementType::kS32);
  ExpectQuotients<uint32_t>(ElementType::kU32);
}

TEST(CpuKernels, ARunningExtremeKeepsWhatItHasWhereElementsAreEqual) {
  for (const char* extreme : {"maximum", "minimum"}) {
    const auto result = RunText(
        absl::StrCat("f { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] ", extreme,
                     R"((c, x) ROOT r = (f32[], f32[]) tuple(s, s) }
ENTRY e {
  x = f32[4] parameter(0)
  c = f32[] constant(2)
  r = (f32[4], f32[]) scan(x, c), dimensions={0}, num_carries=1, to_apply=f
  ROOT y = f32[4] get-tuple-element(r), index=0
})"),
        {*ParseTypedLiteral("f32[4] {2, 2, 2, 2}")}, 1);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(Literal::BitEqual(*result, *ParseTypedLiteral("f32[4] {2, 2, 2, 2}"))) << extreme;
  }
}

TEST(CpuCustomCalls, JoinAndSplitHalves) {
  Literal low = Literal::Zeros(Shape(ElementType::kU32, {2}));
  Literal high = low;
  low.Set(0, {5});
  low.Set(1, {0xffffffff});
  high.Set(0, {0});
  high.Set(1, {3});
  const auto joined = RunText(
      "ENTRY e { a = u32[2] parameter(0) b = u32[2] parameter(1) ROOT r = u64[2] custom-call(a, "
      "b), "
      "custom_call_target=\"X64Combine\" }",
      {low, high}, 1);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->Get(0).bits, 5u);
  EXPECT_EQ(joined->Get(1).bits, 0x3ffffffffu);
}

TEST(CpuCustomCalls, AreRefusedByName) {
  const auto refused =
      RunText("ENTRY e { ROOT r = f32[] custom-call(), custom_call_target=\"nobody\" }", {}, 1);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(refused.status().message(), HasSubstr("nobody"));
}

TEST(CpuBackend, RunsOutOfItsBudgets) {
  auto module = ParseModule(
      "ENTRY e { x = f32[64] parameter(0) ROOT y = f32[64,64,64] broadcast(x), dimensions={0} }");
  ASSERT_TRUE(module.ok());
  CpuOptions options;
  options.run.budget.bytes = 1 << 16;
  CpuBackend backend(options);
  const Literal x = Literal::Zeros(Shape(ElementType::kF32, {64}));
  EXPECT_EQ(RunOnce(backend, **module, {x}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(CpuBackend, SaysWhatItOffers) {
  CpuBackend backend;
  EXPECT_EQ(backend.name(), "cpu");
  EXPECT_EQ(CpuBackend({.run = {}, .strict = true}).name(), "cpu:strict");
  EXPECT_FALSE(backend.capabilities().is_reference);
  EXPECT_TRUE(backend.capabilities().Offers(Feature::kHost));
}

}  // namespace
}  // namespace assay::cpu
