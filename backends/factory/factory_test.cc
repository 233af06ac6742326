// The table of backends: what finds its line, what does not, and how options arrive.
#include "backends/factory/factory.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Backend>> Make(absl::string_view specification,
                                              const BackendOptions& options = {}) {
  return MakeBackend(BuiltInBackends(), specification, options);
}

TEST(Factory, MakesWhatIsAskedFor) {
  for (const char* specification : {"golden", "process:./mine --fast"}) {
    const auto backend = Make(specification);
    ASSERT_TRUE(backend.ok()) << backend.status();
    EXPECT_EQ((*backend)->name(), specification);
  }
}

TEST(Factory, RefusesWhatIsNotInTheTableAndListsWhatIs) {
  for (const char* specification : {"", "gold", "golden2", "process:", "process", "Golden"}) {
    const absl::Status status = Make(specification).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << specification;
    EXPECT_THAT(status.message(), HasSubstr("is not a backend"));
    EXPECT_THAT(status.message(), HasSubstr("; there are "));
    for (const BackendKind& kind : BuiltInBackends()) {
      EXPECT_THAT(status.message(), HasSubstr(kind.usage()));
    }
  }
}

TEST(Factory, SuggestsWhatIsMeant) {
  constexpr const char* kMeant[][2] = {{"gold", "(did you mean 'golden'?)"},
                                       {"proces:./mine x", "(did you mean 'process:./mine x'?)"},
                                       {"./mine", "(did you mean 'process:./mine'?)"},
                                       {"gpu", "(did you mean cuda?)"}};
  for (const auto& [given, meant] : kMeant) {
    EXPECT_THAT(Make(given).status().message(), HasSubstr(meant));
  }
  for (const char* given : {"process:", "pjrt:", "nothing-like-it"}) {
    EXPECT_THAT(Make(given).status().message(), HasSubstr("is not a backend; there are "));
  }
}

TEST(Factory, ReadsTheOptionsOfTheCpuBackend) {
  for (const char* specification : {"cpu", "cpu:strict", "cpu:plain", "cpu:tier=native",
                                    "cpu:strict,tier=blocks", "cpu:plain,tier=auto"}) {
    const auto backend = Make(specification);
    ASSERT_TRUE(backend.ok()) << backend.status();
    EXPECT_EQ((*backend)->name(), specification);
  }
  for (const char* specification :
       {"cpu:fast", "cpu:tier=", "cpu:tier=fast", "cpu:strict,", "cpu:,strict", "cpu:strict,x"}) {
    const absl::Status status = Make(specification).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << specification;
    EXPECT_THAT(status.message(), HasSubstr("is not an option of the cpu backend"));
  }
}

TEST(Factory, TakesMoreLines) {
  std::vector<BackendKind> kinds = BuiltInBackends();
  std::string asked;
  kinds.push_back({"echo:", "NAME", "golden under a name",
                   [&](absl::string_view argument, const BackendOptions& options) {
                     asked = std::string(argument);
                     return Make("golden", options);
                   }});
  const auto backend = MakeBackend(kinds, "echo:x:y", {});
  ASSERT_TRUE(backend.ok()) << backend.status();
  EXPECT_EQ(asked, "x:y");
  EXPECT_THAT(MakeBackend(kinds, "ech", {}).status().message(), HasSubstr("and echo:NAME"));
}

TEST(Factory, EveryLineHasANameOfItsOwnAndHelp) {
  std::set<std::string> names;
  for (const BackendKind& kind : BuiltInBackends()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.help.empty()) << kind.name;
  }
}

TEST(Factory, TheBudgetArrives) {
  BackendOptions options;
  options.budget.steps = 1;
  const auto backend = Make("golden", options);
  ASSERT_TRUE(backend.ok());
  const auto module = ParseModule("ENTRY e { x = f32[3] parameter(0) ROOT y = add(x, x) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const Literal zeros = Literal::Zeros(Shape(ElementType::kF32, {3}));
  EXPECT_EQ(RunOnce(**backend, **module, {zeros}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Factory, ABackendSaysWhatItOffers) {
  const BackendCapabilities golden = (*Make("golden"))->capabilities();
  EXPECT_TRUE(golden.is_reference && golden.modules_are_verified && golden.executes_again);
  EXPECT_TRUE(golden.Offers(Feature::kStatistics));
  const BackendCapabilities process = (*Make("process:true"))->capabilities();
  EXPECT_FALSE(process.is_reference || process.modules_are_verified);
  EXPECT_TRUE(process.features.empty());
}

// Without --profile.
TEST(Factory, BackendsOfThisTreeHaveProfilesOfTheirOwn) {
  const std::pair<const char*, const char*> kProfiles[] = {{"golden", "golden"},
                                                           {"cpu", "cpu"},
                                                           {"cpu:strict", "cpu"},
                                                           {"cpu:tier=native", "cpu"},
                                                           {"cuda", "cuda"},
                                                           {"cuda-emulated:seed=3", "cuda"},
                                                           {"process:./x", "cpu-strict"},
                                                           {"pjrt:x.so", "cpu-strict"},
                                                           {"files:folder", "cpu-strict"}};
  for (const auto& [specification, profile] : kProfiles) {
    EXPECT_EQ(DefaultProfile(BuiltInBackends(), specification), profile) << specification;
  }
}

struct MixedRow {
  std::string module;
  std::vector<const char*> arguments;
  const char* expected;
};

// Of several devices each has one argument, and the first one's result is the expected one.
void ExpectOnEveryBackend(absl::Span<const MixedRow> rows, size_t devices = 1) {
  for (const char* name : {"golden", "cpu", "cpu:plain", "cuda-emulated"}) {
    const auto backend = Make(name);
    ASSERT_TRUE(backend.ok()) << backend.status();
    for (const MixedRow& row : rows) {
      const auto module = ParseModule(row.module);
      ASSERT_TRUE(module.ok()) << module.status();
      std::vector<DeviceInputs> inputs(devices);
      for (size_t k = 0; k < row.arguments.size(); ++k) {
        inputs[devices == 1 ? 0 : k].arguments.push_back(*ParseTypedLiteral(row.arguments[k]));
      }
      const absl::StatusOr<ModuleRun> run = (*backend)->Run(**module, inputs, 1);
      ASSERT_TRUE(run.ok()) << name << ": " << run.status();
      EXPECT_EQ(PrintTypedLiteral(run->outputs[0][0].result),
                PrintTypedLiteral(*ParseTypedLiteral(row.expected)))
          << name << ": " << row.module;
    }
  }
}

// Operands of another precision than the result are converted, not read as they lie.
TEST(Factory, EveryBackendConvertsWhatMovesOfSeveralTypesTake) {
  const std::vector<MixedRow> rows = {
      {"ENTRY e { a = bf16[2] parameter(0) b = f32[] parameter(1) "
       "ROOT r = f32[4] pad(a, b), padding=1_1 }",
       {"bf16[2] {1, 2}", "f32[] 0.1"},
       "f32[4] {0.1, 1, 2, 0.1}"},
      {"ENTRY e { a = f8e8m0fnu[2] parameter(0) b = f32[2] parameter(1) "
       "ROOT r = f32[4] concatenate(a, b), dimensions={0} }",
       {"f8e8m0fnu[2] {0.5, 4}", "f32[2] {-1, 3}"},
       "f32[4] {0.5, 4, -1, 3}"},
      {"ENTRY e { a = f32[4] parameter(0) b = bf16[2] parameter(1) i = s32[] constant(1) "
       "ROOT r = f32[4] dynamic-update-slice(a, b, i) }",
       {"f32[4] {1, 2, 3, 4}", "bf16[2] {-1, 5}"},
       "f32[4] {1, -1, 5, 4}"},
      // 1 + 2^-8 lies between two numbers of bf16, and becomes the even one.
      {"ENTRY e { a = bf16[4] parameter(0) b = f32[2] parameter(1) i = s32[] constant(2) "
       "ROOT r = bf16[4] dynamic-update-slice(a, b, i) }",
       {"bf16[4] {1, 2, 3, 4}", "f32[2] {1.00390625, 7}"},
       "bf16[4] {1, 2, 1, 7}"},
      // 1.0029296875 is 1 in bf16, in which the elements are added.
      {"add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] add(a, b) } "
       "ENTRY e { a = f32[2] parameter(0) b = bf16[] parameter(1) "
       "ROOT r = bf16[] reduce(a, b), dimensions={0}, to_apply=add }",
       {"f32[2] {1.0029296875, -1}", "bf16[] 0"},
       "bf16[] 0"},
      {"add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] add(a, b) } "
       "ENTRY e { a = f32[4] parameter(0) b = bf16[] parameter(1) "
       "ROOT r = bf16[2] reduce-window(a, b), window={size=2 stride=2}, to_apply=add }",
       {"f32[4] {1.0029296875, -1, 3, 2}", "bf16[] 0"},
       "bf16[2] {0, 5}"},
      {"add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] add(a, b) } "
       "f { x = f32[2] parameter(0) y = bf16[] parameter(1) z = f32[2] abs(x) n = f32[2] negate(z) "
       "ROOT r = bf16[] reduce(n, y), dimensions={0}, to_apply=add } "
       "ENTRY e { a = f32[2] parameter(0) b = bf16[] parameter(1) "
       "ROOT r = bf16[] fusion(a, b), kind=kLoop, calls=f }",
       {"f32[2] {1.0029296875, 0}", "bf16[] 1"},
       "bf16[] 0"}};
  ExpectOnEveryBackend(rows);
}

// The computation of a fold may be less or more precise than the arrays: what meets is rounded to
// the types of its parameters and its result to the type of the instruction. 1.00390625 is
// 1 + 2^-8, which is 1 in bf16, and 257 is 256.
TEST(Factory, EveryBackendFoldsInTheTypesOfTheComputation) {
  const std::string bf16 =
      "add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] add(a, b) } ";
  const std::string f32 =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) } ";
  const std::string second =
      "add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] copy(b) } ";
  const std::string ge =
      "ge { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT c = pred[] compare(a, b), direction=GE } ";
  const auto selected = [&](const std::string& type, const std::string& init) {
    return "ENTRY e { x = " + type + "[4] parameter(0) s = f32[2] parameter(1) i = " + init +
           "[] parameter(2) ROOT r = " + type +
           "[4] select-and-scatter(x, s, i), window={size=2 stride=2}, select=ge, scatter=add }";
  };
  const std::string scattered =
      "ENTRY e { x = f32[3] parameter(0) i = s32[2,1] parameter(1) u = f32[2] parameter(2) "
      "ROOT r = f32[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }";
  ExpectOnEveryBackend(
      {{bf16 + ge + selected("f32", "f32"),
        {"f32[4] {1, 5, 2, 3}", "f32[2] {1.0029296875, 256}", "f32[] 1.00390625"},
        "f32[4] {1, 2, 1, 256}"},
       {f32 + ge + selected("bf16", "f32"),
        {"bf16[4] {1, 5, 2, 3}", "f32[2] {-1, 255.99609375}", "f32[] 1.00390625"},
        "bf16[4] {1, 0.00390625, 1, 256}"},
       // The first element meets no update and keeps its bits.
       {bf16 + scattered,
        {"f32[3] {1.00390625, 1.00390625, 3}", "s32[2,1] {{1}, {2}}", "f32[2] {256, 1.0029296875}"},
        "f32[3] {1.00390625, 256, 4}"},
       {second + scattered,
        {"f32[3] {1.00390625, 6, 7}", "s32[2,1] {{1}, {2}}", "f32[2] {1.00390625, 257}"},
        "f32[3] {1.00390625, 1, 256}"},
       {bf16 + "ENTRY e { x = f32[2] parameter(0) i = f32[] parameter(1) "
               "ROOT r = f32[2] reduce-window(x, i), window={size=1}, to_apply=add }",
        {"f32[2] {256, -1}", "f32[] 1.00390625"},
        "f32[2] {256, 0}"}});
}

// So do all-reduce and reduce-scatter: 1.0029296875 is 1 in bf16, and 1 + 256 is 256.
TEST(Factory, EveryBackendReducesAcrossDevicesInTheTypeOfTheComputation) {
  const std::string bf16 =
      "HloModule m, replica_count=2\n"
      "add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] add(a, b) } "
      "ENTRY e { x = f32[2] parameter(0) ROOT r = ";
  const std::string f32 =
      "HloModule m, replica_count=2\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) } "
      "ENTRY e { x = bf16[2] parameter(0) ROOT r = ";
  ExpectOnEveryBackend(
      {{bf16 + "f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add }",
        {"f32[2] {1.0029296875, 3}", "f32[2] {256, 1}"},
        "f32[2] {256, 4}"},
       {bf16 + "f32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add }",
        {"f32[2] {1.0029296875, 3}", "f32[2] {256, 1}"},
        "f32[1] {256}"},
       {f32 + "bf16[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add }",
        {"bf16[2] {1, 3}", "bf16[2] {256, 1}"},
        "bf16[2] {256, 4}"}},
      2);
}

}  // namespace
}  // namespace assay
