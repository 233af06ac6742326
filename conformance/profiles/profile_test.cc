// Profiles: those that are built in say what reference accuracy_requirements.md 3 and 7 say, and
// what is wrong with a text is said with its place.
#include "conformance/profiles/profile.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/file_io.h"
#include "spec/testing/test_folder.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TargetProfile BuiltIn(const std::string& name) {
  absl::StatusOr<TargetProfile> profile = TargetProfile::Find(name);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return *profile;
}

DecisionPoint PointOf(const std::string& name) {
  int k = 0;
  while (DecisionPointName(static_cast<DecisionPoint>(k)) != name) ++k;
  return static_cast<DecisionPoint>(k);
}

TEST(Profiles, ThoseOfTheReferenceAreBuiltIn) {
  EXPECT_THAT(TargetProfile::BuiltIn(),
              ElementsAre("cpu", "cpu-strict", "cuda", "cuda-libraries", "golden", "gpu",
                          "opencl-embedded", "opencl-full", "tpu-like", "xla-cpu"));
  for (const std::string& name : TargetProfile::BuiltIn()) {
    EXPECT_EQ(BuiltIn(name).name(), name);
    EXPECT_FALSE(BuiltIn(name).description().empty());
    EXPECT_TRUE(BuiltIn(name).Grants(Freedom::kNanPayload)) << name;
  }
}

// Columns B and C of section 3; 0.5 ulp is the golden value and nothing else: 0.
TEST(Profiles, BudgetsAreThoseOfTheReference) {
  struct Row {
    std::vector<Opcode> opcodes;
    double f32[2], f64[2], f16[2], bf16[2];
  };
  const Row rows[] = {
      {{Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kConvert, Opcode::kNegate,
        Opcode::kReducePrecision, Opcode::kMaximum, Opcode::kFloor, Opcode::kSelect},
       {0, 0},
       {0, 0},
       {0, 0},
       {0, 0}},
      {{Opcode::kDivide}, {1, 3}, {0, 0}, {1, 1}, {0, 1}},
      {{Opcode::kSqrt}, {1, 4}, {0, 0}, {0, 1.5}, {0, 1}},
      {{Opcode::kRsqrt}, {2, 4}, {2, 2}, {0, 1}, {0, 1}},
      {{Opcode::kExp}, {2, 7}, {2, 3}, {1, 3}, {1, 2}},
      {{Opcode::kExpm1}, {2, 7}, {2, 5}, {1, 3}, {1, 2}},
      {{Opcode::kLog, Opcode::kLog1p}, {2, 4}, {2, 3}, {1, 3}, {0, 2}},
      {{Opcode::kLogistic}, {4, 20}, {5, 20}, {2, 5}, {3, 4}},
      {{Opcode::kSin, Opcode::kCos}, {2, 4}, {3, 4}, {1, 2}, {0, 2}},
      {{Opcode::kTan}, {4, 5}, {4, 5}, {1, 3}, {0, 2}},
      {{Opcode::kSinh, Opcode::kCosh}, {3, 25}, {3, 512}, {1, 3}, {0, 2}},
      {{Opcode::kTanh}, {6, 6}, {4, 7}, {0, 3}, {0, 2}},
      {{Opcode::kAsin, Opcode::kAcos}, {3, 4}, {3, 4}, {1, 3}, {0, 2}},
      {{Opcode::kAtan2}, {3, 6}, {2, 6}, {1, 3}, {1, 2}},
      {{Opcode::kAsinh, Opcode::kAcosh, Opcode::kAtanh}, {4, 5}, {4, 5}, {1, 3}, {0, 2}},
      {{Opcode::kErf}, {7, 16}, {4, 16}, {1, 4}, {0, 2}},
      {{Opcode::kCbrt}, {2, 4}, {4, 4}, {1, 2}, {0, 1}},
      {{Opcode::kPower}, {4, 16}, {2, 16}, {2, 5}, {1, 2}},
  };
  const auto relaxed = TargetProfile::FromText("extends: \"level-c\"", "relaxed");
  ASSERT_TRUE(relaxed.ok()) << relaxed.status();
  const TargetProfile levels[] = {BuiltIn("cpu-strict"), *relaxed};
  for (const Row& row : rows) {
    for (const Opcode opcode : row.opcodes) {
      for (int k = 0; k < 2; ++k) {
        const auto ulps = [&](ElementType type) { return levels[k].FindBudget(opcode, type).ulps; };
        EXPECT_EQ(ulps(ElementType::kF32), row.f32[k]) << Name(opcode);
        EXPECT_EQ(ulps(ElementType::kF64), row.f64[k]) << Name(opcode);
        EXPECT_EQ(ulps(ElementType::kF16), row.f16[k]) << Name(opcode);
        EXPECT_EQ(ulps(ElementType::kBF16), row.bf16[k]) << Name(opcode);
        EXPECT_EQ(ulps(ElementType::kS32), 0) << Name(opcode);
      }
      EXPECT_TRUE(BuiltIn("golden").FindBudget(opcode, ElementType::kF32).exact());
    }
  }
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    EXPECT_EQ(levels[0].FindBudget(Opcode::kExp, type).ulps, 8);
    EXPECT_EQ(levels[1].FindBudget(Opcode::kTanh, type).ulps, 64);
    EXPECT_EQ(levels[0].FindBudget(Opcode::kMultiply, type).ulps, 3);
    EXPECT_EQ(levels[1].FindBudget(Opcode::kMultiply, type).ulps, 8);
    EXPECT_EQ(levels[0].FindBudget(Opcode::kDivide, type).ulps, 8);
    EXPECT_EQ(levels[1].FindBudget(Opcode::kDivide, type).ulps, 32);
    EXPECT_EQ(levels[1].FindBudget(Opcode::kAdd, type).ulps, 0);
  }
}

// A quotient of f32 that is off by 3 ulp, rounded to 16 bits, is off by half an ulp and little
// more: a whole ulp would hide a rounding towards zero.
TEST(Profiles, QuotientsAndRootsOf16BitsAreRoundedToNearestOnXlaCpu) {
  const TargetProfile xla = BuiltIn("xla-cpu");
  for (const Opcode opcode : {Opcode::kDivide, Opcode::kSqrt}) {
    EXPECT_EQ(xla.FindBudget(opcode, ElementType::kF16).ulps, 0.51);
    EXPECT_EQ(xla.FindBudget(opcode, ElementType::kBF16).ulps, 0.51);
    EXPECT_EQ(xla.FindBudget(opcode, ElementType::kF32).ulps, opcode == Opcode::kSqrt ? 4 : 3);
  }
}

// "+ - * / sqrt and convert must have D = 0"; functions are computed in f16 and rounded.
TEST(Profiles, EightBitTypesHaveTheBudgetOfF16) {
  const TargetProfile c = BuiltIn("xla-cpu");
  for (const ElementType type :
       {ElementType::kF8E5M2, ElementType::kF8E4M3FN, ElementType::kF4E2M1FN}) {
    for (const Opcode opcode :
         {Opcode::kAdd, Opcode::kMultiply, Opcode::kDivide, Opcode::kSqrt, Opcode::kConvert}) {
      EXPECT_TRUE(c.FindBudget(opcode, type).exact()) << Name(opcode);
    }
    EXPECT_EQ(c.FindBudget(Opcode::kExp, type).ulps, 3);
    EXPECT_EQ(c.FindBudget(Opcode::kPower, type).ulps, 5);
  }
}

TEST(Profiles, TheTableOfTargets) {
  const TargetProfile golden = BuiltIn("golden"), strict = BuiltIn("cpu-strict"),
                      xla = BuiltIn("xla-cpu"), gpu = BuiltIn("gpu"), tpu = BuiltIn("tpu-like");
  for (int k = 0; k < kFreedoms; ++k) {
    const Freedom freedom = static_cast<Freedom>(k);
    EXPECT_EQ(golden.Grants(freedom), freedom == Freedom::kNanPayload) << FreedomName(freedom);
  }
  EXPECT_FALSE(strict.MayFlushOperands(ElementType::kF32));
  EXPECT_TRUE(xla.MayFlushOperands(ElementType::kF32));
  EXPECT_TRUE(xla.MayFlushResults(ElementType::kC128));
  EXPECT_FALSE(xla.MayFlushResults(ElementType::kF16));
  EXPECT_TRUE(tpu.MayFlushResults(ElementType::kBF16));
  EXPECT_FALSE(tpu.MayFlushOperands(ElementType::kBF16));
  EXPECT_FALSE(strict.Admits(DecisionPoint::kIntegerPower));
  EXPECT_TRUE(xla.Admits(DecisionPoint::kIntegerPower));
  EXPECT_EQ(xla.KnownDeviation(DecisionPoint::kReduceStart), nullptr);
  for (const DecisionPoint point : {DecisionPoint::kIntegerPower, DecisionPoint::kConvertTwice,
                                    DecisionPoint::kIntegerPowerTopBit}) {
    for (const TargetProfile* profile : {&xla, &gpu, &tpu}) {
      EXPECT_NE(profile->KnownDeviation(point), nullptr) << profile->name();
    }
    for (const char* name : {"golden", "cpu-strict", "opencl-full", "opencl-embedded"}) {
      EXPECT_FALSE(BuiltIn(name).Admits(point)) << name;
    }
  }
  EXPECT_FALSE(xla.Admits(DecisionPoint::kFloatToInteger));
  EXPECT_TRUE(BuiltIn("opencl-full").Admits(DecisionPoint::kFloatToInteger));
  // Tensor cores: K = 1.5 n, u = 2^-23; f8 2^-13.
  EXPECT_EQ(gpu.FindAccumulation(ElementType::kF16, true).factor, 1.5);
  EXPECT_EQ(gpu.FindAccumulation(ElementType::kF16, true).unit, 0x1p-23);
  EXPECT_EQ(gpu.FindAccumulation(ElementType::kF8E5M2, true).unit, 0x1p-13);
  EXPECT_EQ(gpu.FindAccumulation(ElementType::kF16, false).unit, 0x1p-24);
  EXPECT_EQ(gpu.FindAccumulation(ElementType::kF64, true).unit, 0x1p-53);
  EXPECT_TRUE(xla.FindAccumulation(ElementType::kBF16, true).partials);
  EXPECT_FALSE(strict.FindAccumulation(ElementType::kBF16, true).partials);
  EXPECT_EQ(strict.FindDotAlgorithm(Precision::kDefault), std::nullopt);
  EXPECT_NE(gpu.FindDotAlgorithm(Precision::kHigh), gpu.FindDotAlgorithm(Precision::kHighest));
  EXPECT_EQ(golden.module_checks(), ModuleChecks::kStrict);
  EXPECT_EQ(xla.module_checks(), ModuleChecks::kXla);
}

TEST(Profiles, WhatIsNotSupportedHasAReason) {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n  x = f64[2] parameter(0)\n  ROOT r = f64[2] negate(x)\n}\n");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(BuiltIn("opencl-full").Unsupported(**module), std::nullopt);
  EXPECT_THAT(*BuiltIn("opencl-embedded").Unsupported(**module), HasSubstr("no f64"));
  auto profile = TargetProfile::FromText(
      "unsupported { op: \"negate\" type: \"f64\" reason: \"so\" }", "mine.textproto");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->Unsupported(**module), "so");
}

TEST(Profiles, OneEntryOverridesAndIsListed) {
  auto profile = TargetProfile::FromText(
      "extends: \"xla-cpu\"\nbudget { op: \"exponential\" f32: 2 }\nrevoke: \"denormals\"\n"
      "budget { op: \"erf\" type: \"f32\" ulps: 16 }\nlinear_algebra { inverted_blocks: false }\n",
      "mine.textproto");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->FindBudget(Opcode::kExp, ElementType::kF32).ulps, 2);
  EXPECT_EQ(profile->FindBudget(Opcode::kExp, ElementType::kF64).ulps, 3);
  EXPECT_FALSE(profile->MayFlushOperands(ElementType::kF32));
  EXPECT_TRUE(profile->Grants(Freedom::kReassociation));
  EXPECT_THAT(
      profile->Differences(),
      ElementsAre("budget exponential f32: 2 instead of 7",
                  "freedom denormals: revoked instead of granted",
                  "linear_algebra: substitution, either form of the variance, transforms by "
                  "convolution instead of inverted blocks, either form of the variance, "
                  "transforms by convolution"));
  EXPECT_THAT(BuiltIn("opencl-embedded").Differences(),
              Contains("budget divide f32: 3 instead of 2.5"));
}

// Of two bases the later one's word counts, also where it takes something away; what it says
// nothing of stays.
TEST(Profiles, LaterBasesOverride) {
  const auto write = [&](const char* name, const char* text) {
    const std::string path = TestPath(name);
    EXPECT_TRUE(WriteFileAtomically(path, text).ok());
    return path;
  };
  const std::string grants = write("grants.textproto",
                                   "grant: [\"denormals\", \"contraction\", "
                                   "\"implementation_defined\"]\nadmit: [\"I-1\", \"X-1\"]\n"
                                   "linear_algebra { inverted_blocks: true }\n");
  const std::string revokes = write("revokes.textproto",
                                    "revoke: \"denormals\"\nrefuse: \"X-1\"\n"
                                    "linear_algebra { one_pass_variance: true }\n");
  const auto profile = TargetProfile::FromText(
      absl::StrCat("extends: \"xla-cpu\"\nextends: \"", grants, "\"\nextends: \"", revokes,
                   "\"\nbudget { op: \"tanh\" f32: 2.7 }\n"),
      "mine");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_FALSE(profile->Grants(Freedom::kDenormals));
  EXPECT_TRUE(profile->Grants(Freedom::kContraction));
  EXPECT_TRUE(profile->Admits(PointOf("I-1")));
  EXPECT_FALSE(profile->Admits(PointOf("X-1")));
  EXPECT_FALSE(profile->linear_algebra().inverted_blocks);
  EXPECT_TRUE(profile->linear_algebra().one_pass_variance);
}

// Rows of known deviations: they need no freedom, are inherited, and go by `refuse` or `admit`.
TEST(Profiles, KnownDeviations) {
  const auto profile = TargetProfile::FromText(
      "extends: \"golden\" admit: \"I-1\" deviation { point: \"P-2\" point: \"I-8\" "
      "finding: \"bug 7\" }",
      "mine");
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_NE(profile->KnownDeviation(PointOf("P-2")), nullptr);
  EXPECT_EQ(*profile->KnownDeviation(PointOf("P-2")), "bug 7");
  EXPECT_TRUE(profile->Admits(PointOf("I-8")));
  EXPECT_FALSE(profile->Admits(PointOf("I-1")));  // without implementation_defined
  EXPECT_THAT(profile->Differences(), testing::Contains("decision P-2: known deviation, bug 7"));
  const auto without =
      TargetProfile::FromText("extends: \"xla-cpu\" refuse: \"P-2\" admit: \"P-3\"", "mine");
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_FALSE(without->Admits(PointOf("P-2")));
  EXPECT_TRUE(without->Admits(PointOf("P-3")));
  EXPECT_EQ(without->KnownDeviation(PointOf("P-3")), nullptr);
  EXPECT_NE(without->KnownDeviation(PointOf("V-2")), nullptr);
  const auto again = TargetProfile::FromText(without->Text(), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_NE(again->KnownDeviation(PointOf("V-2")), nullptr);
  for (const char* text : {"deviation { point: \"P-2\" }", "deviation { finding: \"f\" }",
                           "deviation { point: \"P-9\" finding: \"f\" }"}) {
    EXPECT_EQ(TargetProfile::FromText(text, "mine").status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

// A profile's text with all that it extends says the same, and needs no other file.
TEST(Profiles, TextStandsAlone) {
  for (const std::string& name : TargetProfile::BuiltIn()) {
    const TargetProfile profile = BuiltIn(name);
    EXPECT_EQ(profile.Text().find("extends"), std::string::npos);
    const auto read = TargetProfile::FromText(profile.Text(), "text");
    ASSERT_TRUE(read.ok()) << read.status();
    // Entries say everything but what is built on nothing: the same lines, all of them its own now.
    const auto alone = TargetProfile::FromText(read->Text(), "text");
    EXPECT_EQ(alone->Differences(), read->Differences());
    for (int k = 0; k < kFreedoms; ++k) {
      EXPECT_EQ(read->Grants(static_cast<Freedom>(k)), profile.Grants(static_cast<Freedom>(k)));
    }
    for (int k = 0; k < kDecisionPoints; ++k) {
      EXPECT_EQ(read->Admits(static_cast<DecisionPoint>(k)),
                profile.Admits(static_cast<DecisionPoint>(k)));
    }
    for (const Opcode op : {Opcode::kExp, Opcode::kDivide, Opcode::kErf, Opcode::kAdd}) {
      for (const ElementType type : kArrayTypes) {
        EXPECT_EQ(read->FindBudget(op, type).ulps, profile.FindBudget(op, type).ulps);
        EXPECT_EQ(read->FindBudget(op, type).absolute, profile.FindBudget(op, type).absolute);
        EXPECT_EQ(read->MayFlushOperands(type), profile.MayFlushOperands(type));
        for (const bool contraction : {false, true}) {
          const Accumulation mine = read->FindAccumulation(type, contraction);
          const Accumulation wanted = profile.FindAccumulation(type, contraction);
          EXPECT_EQ(mine.unit, wanted.unit);
          EXPECT_EQ(mine.factor, wanted.factor);
          EXPECT_EQ(mine.partials, wanted.partials);
        }
      }
    }
    EXPECT_EQ(read->module_checks(), profile.module_checks());
    EXPECT_EQ(read->linear_algebra().inverted_blocks, profile.linear_algebra().inverted_blocks);
    EXPECT_EQ(read->FindDotAlgorithm(Precision::kDefault),
              profile.FindDotAlgorithm(Precision::kDefault));
  }
}

TEST(Profiles, MistakesHaveAPlace) {
  const auto complaint = [](absl::string_view text) {
    const auto profile = TargetProfile::FromText(text, "mine.textproto");
    EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument) << text;
    return std::string(profile.status().message());
  };
  EXPECT_THAT(complaint("extends: \"level-b\"\nbudget { ops: \"exponential\" }"),
              StartsWith("mine.textproto:2:"));
  EXPECT_THAT(complaint("budget {\n  op: \"exponential\"\n  op: \"expo\"\n  f32: 2\n}"),
              HasSubstr("mine.textproto:3:3: there is no operation \"expo\""));
  EXPECT_THAT(complaint("denormals { type: \"f31\" }"), HasSubstr("no element type \"f31\""));
  EXPECT_THAT(complaint("\ngrant: \"denormals\"\ngrant: \"everything\""),
              HasSubstr("mine.textproto:3:1: there is no freedom \"everything\""));
  EXPECT_THAT(complaint("admit: \"Q-9\""), HasSubstr("no decision point \"Q-9\""));
  EXPECT_THAT(complaint("extends: \"xla-gpu\""), HasSubstr("there is no profile \"xla-gpu\""));
  EXPECT_THAT(complaint("budget { op: \"exponential\" f32: -1 }"), HasSubstr("not a budget: -1"));
  EXPECT_THAT(complaint("budget { op: \"exponential\" f32: nan }"), HasSubstr("not a budget"));
  EXPECT_THAT(complaint("dot { precision: \"high\" algorithm: \"dot_f7\" }"),
              HasSubstr("no algorithm \"dot_f7\""));
  EXPECT_THAT(complaint("accumulation { type: \"f32\" accumulator: \"s32\" }"),
              HasSubstr("no float type \"s32\""));
  EXPECT_THAT(complaint("unsupported { op: \"sort\" }"), HasSubstr("needs a reason"));
  EXPECT_THAT(complaint(std::string(2 << 20, ' ')), HasSubstr("1 MiB"));
  EXPECT_EQ(TargetProfile::Find("nobody").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(TargetProfile::Find("nobody").status().message(), HasSubstr("xla-cpu"));
}

TEST(Profiles, MayNotExtendThemselves) {
  const std::string path = TestPath("circle.textproto");
  FILE* file = std::fopen(path.c_str(), "w");
  std::fputs(("extends: \"" + path + "\"\n").c_str(), file);
  std::fclose(file);
  const auto profile = TargetProfile::Find(path);
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(profile.status().message(), HasSubstr("without end"));
}

}  // namespace
}  // namespace assay::conformance
