// Random programs as in containment_test.cc with loops over arrays of one to three elements, which
// are sliced, reversed and broadcast. The iterations use values of earlier iterations, known values
// and denormals.
#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "conformance/enclosure/randomised_target.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using containment::Encode;
using containment::RandomisedTarget;

// A turn makes two values of T[size] of those before it and of one that stays.
class LoopWriter {
 public:
  LoopWriter(std::mt19937& random, ElementType type, int size)
      : random_(random), type_(type), size_(size) {}

  std::string Write(int length) {
    text_ =
        "HloModule m\nturn { s = L parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        " x0 = A get-tuple-element(s), index=1\n x1 = A get-tuple-element(s), index=2\n"
        " x2 = A get-tuple-element(s), index=3\n"
        " k = T[] constant(K)\n x3 = A broadcast(k), dimensions={}\n"
        " one = s32[] constant(1)\n j = s32[] add(i, one)\n";
    count_ = 4;
    for (int i = 0; i < length; ++i) Append();
    absl::StrAppend(
        &text_, " ROOT t = L tuple(j, x", count_ - 1, ", x", count_ - 2,
        ", x2) }\n"
        "again { s = L parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        " n = s32[] constant(4)\n ROOT c = pred[] compare(i, n), direction=LT }\n"
        "ENTRY e { x0 = A parameter(0)\n x1 = A parameter(1)\n zero = s32[] constant(0)\n"
        " s = L tuple(zero, x0, x1, x0)\n w = L while(s), condition=again, body=turn\n"
        " ROOT r = A get-tuple-element(w), index=1 }\n");
    static const char* const kConstants[] = {"2", "-0.5", "1e-40", "0", "-3"};
    const std::string array = absl::StrCat(Name(type_), "[", size_, "]");
    return absl::StrReplaceAll(
        text_, {{" L ", absl::StrCat(" (s32[], ", array, ", ", array, ", ", array, ") ")},
                {" A ", absl::StrCat(" ", array, " ")},
                {"T[", absl::StrCat(Name(type_), "[")},
                {"(K)", absl::StrCat("(", kConstants[random_() % std::size(kConstants)], ")")}});
  }

 private:
  std::string Pick() {
    return absl::StrCat("x", count_ - 1 - static_cast<int>(random_() % std::min(count_, 5)));
  }

  void Append() {
    static const char* const kUnary[] = {"tanh", "sine", "cosine", "logistic",
                                         "abs",  "sqrt", "negate", "floor"};
    static const char* const kBinary[] = {"add",    "subtract", "multiply",
                                          "divide", "maximum",  "minimum"};
    const std::string name = absl::StrCat(" x", count_, " = A "), n = absl::StrCat(count_);
    const std::string a = Pick(), b = Pick(), c = Pick();
    const auto cut = [&](const std::string& part, int first, int last) {
      return absl::StrCat(" ", part, n, " = T[", last - first, "] slice(", a, "), slice={[", first,
                          ":", last, "]}\n");
    };
    switch (random_() % 9) {
      case 0:
      case 1:
        absl::StrAppend(&text_, name, kUnary[random_() % std::size(kUnary)], "(", a, ")\n");
        break;
      case 2:
      case 3:
      case 4:
        absl::StrAppend(&text_, name, kBinary[random_() % std::size(kBinary)], "(", a, ", ", b,
                        ")\n");
        break;
      case 5:
        absl::StrAppend(&text_, name, "multiply(", a, ", ", a, ")\n");
        break;
      case 6:
        absl::StrAppend(&text_, " p", n, " = pred[", size_, "] compare(", a, ", ", b,
                        "), direction=GE\n", name, "select(p", n, ", ", b, ", ", c, ")\n");
        break;
      case 7:  // turned by one
        absl::StrAppend(&text_, cut("f", 0, 1));
        if (size_ == 1) {
          absl::StrAppend(&text_, name, "add(f", n, ", ", b, ")\n");
        } else {
          absl::StrAppend(&text_, cut("r", 1, size_), name, "concatenate(r", n, ", f", n,
                          "), dimensions={0}\n");
        }
        break;
      default:  // one element everywhere
        absl::StrAppend(&text_, cut("f", size_ - 1, size_), " g", n, " = T[] reshape(f", n, ")\n",
                        name, "broadcast(g", n, "), dimensions={}\n");
        break;
    }
    ++count_;
  }

  std::mt19937& random_;
  const ElementType type_;
  const int size_;
  std::string text_;
  int count_ = 0;
};

TEST(ContainmentTest, NoConformingValueOfALoopOverFewElementsLiesOutside) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok()) << profile.status();
  constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kF64, ElementType::kBF16,
                                    ElementType::kF16};
  std::mt19937 random(20261123);
  std::uniform_real_distribution<double> benign(-2.0, 3.0);
  int64_t all = 0, judged = 0, moved = 0;
  for (int program = 0; program < Scheduled(200); ++program) {
    const ElementType type = kTypes[program % std::size(kTypes)];
    const int size = 1 + program % 3;
    const std::string text = LoopWriter(random, type, size).Write(3 + program % 9);
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    std::vector<Literal> arguments(2, Literal::Zeros(Shape(type, {size})));
    const double denormal = DecodeFloat(type, 3);
    for (Literal& argument : arguments) {
      for (int64_t i = 0; i < size; ++i) {
        Encode(&argument, i, random() % 8 == 0 ? denormal : benign(random));
      }
    }
    auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status() << "\n" << text;
    auto golden = Interpret(**module, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const RandomisedTarget target(**module, *profile);
    for (int run = 0; run < Scheduled(48); ++run) {
      auto judgement = JudgeWhole(*enclosure, *golden, target.Run(arguments, random));
      ASSERT_TRUE(judgement.ok()) << judgement.status();
      ASSERT_NE(judgement->verdict, Verdict::kWrong)
          << text << "golden " << judgement->evidence[0].golden << " actual "
          << judgement->evidence[0].actual << ": " << judgement->evidence[0].reason;
      all += size;
      judged += size - judgement->counts[static_cast<int>(Verdict::kNotJudgeable)];
      moved += judgement->counts[static_cast<int>(Verdict::kWithinBound)];
    }
  }
  // It would mean little if nothing were known or nothing moved.
  EXPECT_GT(judged, all / 2);
  EXPECT_GT(moved, all / 10);
}

// A denormal counts as zero in one turn and not in the next, whether it is an argument or a
// constant and wherever it has been moved; XLA's CPU back end flushes it in every turn.
TEST_F(EnclosureTest, DenormalsMayBeZerosInEveryIteration) {
  const std::string computations =
      "turn { s = (s32[], f32[3], f32[3]) parameter(0)\n"
      " i = s32[] get-tuple-element(s), index=0\n x = f32[3] get-tuple-element(s), index=1\n"
      " sum = f32[3] get-tuple-element(s), index=2\n one = s32[] constant(1)\n"
      " j = s32[] add(i, one)\n c = f32[1,2] constant({{1e-40, 1}})\n d = f32[2] reshape(c)\n"
      " first = f32[1] slice(x), slice={[1:2]}\n e = f32[3] concatenate(first, d), dimensions={0}\n"
      " large = f32[] constant(1e30)\n l = f32[3] broadcast(large), dimensions={}\n"
      " y = f32[3] multiply(e, l)\n z = f32[3] add(sum, y)\n"
      " ROOT t = (s32[], f32[3], f32[3]) tuple(j, x, z) }\n"
      "again { s = (s32[], f32[3], f32[3]) parameter(0)\n"
      " i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(3)\n"
      " ROOT r = pred[] compare(i, n), direction=LT }\n";
  const BoxTree sums =
      Of("x = f32[3] parameter(0)\n zero = s32[] constant(0)\n none = f32[] constant(0)\n"
         " sum = f32[3] broadcast(none), dimensions={}\n"
         " s = (s32[], f32[3], f32[3]) tuple(zero, x, sum)\n"
         " w = (s32[], f32[3], f32[3]) while(s), condition=again, body=turn\n"
         " ROOT r = f32[3] get-tuple-element(w), index=2",
         {F32({1, 2e-40F, 1})}, "xla-cpu", computations);
  EXPECT_LE(Low(sums, 0), 0);
  EXPECT_GE(High(sums, 0), 5.9e-10F);
  EXPECT_LE(Low(sums, 1), 0);
  EXPECT_GE(High(sums, 1), 2.9e-10F);
  EXPECT_GE(Low(sums, 2), 2.9e30F);
}

}  // namespace
}  // namespace assay::conformance
