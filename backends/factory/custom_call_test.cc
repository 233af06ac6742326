// Custom calls by worked examples: markers, bits, selections, dynamic sizes and assertions, on the
// reference interpreter and on the cpu backend, whose own kernels they use.
#include "runtime/custom_calls/custom_call.h"

#include <string>
#include <vector>

#include "backends/factory/custom_call_testing.h"
#include "gmock/gmock.h"
#include "runtime/custom_calls/attributes.h"

namespace assay::custom_call_test {
namespace {

using ::testing::HasSubstr;

class CustomCall : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string RunText(absl::string_view text,
                             const std::vector<absl::string_view>& arguments,
                             const BackendOptions& options = {}) {
    return assay::RunText(GetParam(), text, arguments, options);
  }
};

TEST_P(CustomCall, Markers) {
  for (const char* target : {"Sharding", "SPMDFullToShardShape", "xla.sdy.FuncResultSharding",
                             "annotate_device_placement", "LayoutConstraint", "Unpin"}) {
    EXPECT_EQ(RunText(CallText(target, "f32[2]", {"f32[2]"}), {"f32[2] {1, 2}"}),
              Canonical("f32[2] {1, 2}"))
        << target;
  }
  EXPECT_THAT(RunText(CallText("SPMDFullToShardShape", "f32[1]", {"f32[2]"}), {"f32[2] {1, 2}"}),
              HasSubstr("same shapes"));
  EXPECT_EQ(RunText(CallText("xla.sdy.GlobalToLocalShape", "(f32[], s32[])", {"f32[]", "s32[]"}),
                    {"f32[] 1", "s32[] 2"}),
            Canonical("( f32[] 1, s32[] 2 )"));
  for (const char* target : {"xla.sdy.ShardingGroup", "dce_sink"}) {
    EXPECT_EQ(RunText(CallText(target, "()", {"f32[]"}, ", custom_call_has_side_effect=true"),
                      {"f32[] 1"}),
              Canonical("( )"));
    EXPECT_THAT(RunText(CallText(target, "f32[]", {"f32[]"}), {"f32[] 1"}),
                HasSubstr("the result must be ()"));
  }
  EXPECT_THAT(RunText(CallText("nobody_knows", "f32[]", {"f32[]"}), {"f32[] 1"}),
              HasSubstr("\"nobody_knows\" is not known"));
}

TEST_P(CustomCall, Bits) {
  BackendOptions options;
  options.random_seed = 7;
  EXPECT_EQ(RunText(CallText("GetRngSeed", "u64[]", {}), {}, options), "u64[] 7");
  EXPECT_EQ(RunText(CallText("AllocateBuffer", "s32[2]", {}), {}), Canonical("s32[2] {0, 0}"));
  EXPECT_EQ(RunText(CallText("X64Combine", "u64[]", {"u32[]", "u32[]"}), {"u32[] 5", "u32[] 1"}),
            "u64[] 4294967301");
  EXPECT_EQ(RunText(CallText("X64SplitHigh", "u32[]", {"u64[]"}), {"u64[] 4294967301"}), "u32[] 1");
  EXPECT_EQ(RunText(CallText("X64SplitLow", "u32[]", {"u64[]"}), {"u64[] 4294967301"}), "u32[] 5");
  // Random123's known answer: key and counter zero give 6b200159 99ba4efe.
  EXPECT_EQ(RunText(CallText("cu_threefry2x32_ffi", "(u32[], u32[])",
                             {"u32[]", "u32[]", "u32[]", "u32[]"}),
                    {"u32[] 0", "u32[] 0", "u32[] 0", "u32[] 0"}),
            Canonical("( u32[] 1797259609, u32[] 2579123966 )"));
}

TEST_P(CustomCall, TopK) {
  EXPECT_EQ(
      RunText(CallText("TopK", "(f32[3], s32[3])", {"f32[5]"}), {"f32[5] {1, 3, -nan, 3, nan}"}),
      Canonical("( f32[3] {nan, 3, 3}, s32[3] {4, 1, 3} )"));
  const std::string approx =
      "HloModule m\n"
      "before { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2)\n"
      "  j = s32[] parameter(3) ROOT c = pred[] compare(a, b), direction=GT }\n"
      "ENTRY e { x = f32[4] parameter(0) i = s32[4] iota(), iota_dimension=0\n"
      "  z = f32[] constant(-inf) n = s32[] constant(-1)\n"
      "  ROOT r = (f32[2], s32[2]) custom-call(x, i, z, n), custom_call_target=\"ApproxTopK\",\n"
      "  called_computations={before}, api_version=API_VERSION_TYPED_FFI,\n"
      "  backend_config={reduction_dim = 0 : i64, top_k = 2 : i64} }\n";
  EXPECT_EQ(RunText(approx, {"f32[4] {1, 4, 2, 4}"}),
            Canonical("( f32[2] {4, 4}, s32[2] {1, 3} )"));
}

TEST_P(CustomCall, TopKOfDynamicSizes) {
  EXPECT_EQ(RunText("HloModule m\nENTRY e { x = f32[3,2] parameter(0) n = s32[] constant(2)\n"
                    "  d = f32[<=3,2] set-dimension-size(x, n), dimensions={0}\n"
                    "  k = (f32[<=3,1], s64[<=3,1]) custom-call(d), custom_call_target=\"TopK\"\n"
                    "  ROOT r = f32[<=3,1] get-tuple-element(k), index=0 }\n",
                    {"f32[3,2] {{1, 2}, {4, 3}, {5, 6}}"}),
            "f32[<=3,1]{1,0} { {2}, {4}, {0} }");
}

TEST_P(CustomCall, UnaryAndDynamic) {
  EXPECT_EQ(RunText(CallText("mhlo.erf", "f32[2]", {"f32[2]"}), {"f32[2] {0, inf}"}),
            Canonical("f32[2] {0, 1}"));
  const std::string round_trip =
      "HloModule m\nENTRY e { x = f32[3] parameter(0) n = s32[] constant(2)\n"
      "  d = f32[<=3] set-dimension-size(x, n), dimensions={0}\n"
      "  p = (f32[3], s32[]) custom-call(d), custom_call_target=\"PadToStatic\"\n"
      "  a = f32[3] get-tuple-element(p), index=0\n  s = s32[] get-tuple-element(p), index=1\n"
      "  b = f32[<=3] custom-call(a, s), custom_call_target=\"SliceToDynamic\"\n"
      "  g = s32[] get-dimension-size(b), dimensions={0}\n"
      "  ROOT t = (f32[3], s32[], s32[]) tuple(a, s, g) }\n";
  EXPECT_EQ(RunText(round_trip, {"f32[3] {1, 2, 3}"}),
            Canonical("( f32[3] {1, 2, 0}, s32[] 2, s32[] 2 )"));
}

TEST_P(CustomCall, Assertions) {
  const auto expect = [](absl::string_view target, absl::string_view a, absl::string_view b,
                         absl::string_view config) {
    return RunText(CallText(target, "()", {"f32[2]", "f32[2]"}, config), {a, b});
  };
  EXPECT_EQ(expect("check.expect_eq", "f32[2] {1, nan}", "f32[2] {1, nan}", ""), "(  )");
  EXPECT_THAT(expect("check.expect_eq", "f32[2] {1, 2}", "f32[2] {1, 3}", ""),
              testing::AllOf(HasSubstr("element 1 is 2, expected is 3"), HasSubstr("f32[2] {1, 2}"),
                             HasSubstr("f32[2] {1, 3}")));
  EXPECT_THAT(expect("check.expect_almost_eq", "f32[2] {1, 2}", "f32[2] {1, 2.1}", ""),
              HasSubstr("fails"));
  const std::string ulps =
      ", api_version=API_VERSION_TYPED_FFI, backend_config={max_ulp_difference = 1 : i64}";
  EXPECT_EQ(expect("check.expect_close", "f32[2] {1, 0}", "f32[2] {1.0000001, -0}", ulps), "(  )");
  EXPECT_THAT(expect("check.expect_close", "f32[2] {1, 0}", "f32[2] {1.0000003, 0}", ulps),
              HasSubstr("fails"));
  EXPECT_THAT(RunText(CallText("shape_assertion", "()", {"pred[]", "s32[]"},
                               ", api_version=API_VERSION_TYPED_FFI, "
                               "backend_config={error_message = \"size {0} is odd\"}"),
                      {"pred[] false", "s32[] 3"}),
              HasSubstr("size 3 is odd"));
}

TEST(CallAttributes, DictionariesAndJson) {
  using runtime::custom_calls::CallAttributes;
  const CallAttributes a = CallAttributes::Parse(
      "{uplo = 76 : ui8, left = true, mhlo.backend_config = {tol = 0.5 : f32, s = \"a \\\"b\"}}");
  EXPECT_EQ(a.Letter("uplo", 'U'), 'L');
  EXPECT_EQ(a.Int("left", 0), 1);
  EXPECT_EQ(a.Float("tol", 0), 0.5);
  EXPECT_EQ(a.String("s", ""), "a \"b");
  EXPECT_EQ(CallAttributes::Parse("{\"k\": 3, \"mode\": \"A\"}").Int("k", 0), 3);
  EXPECT_EQ(CallAttributes::Parse("{\"k\": 3, \"mode\": \"A\"}").Letter("mode", 'S'), 'A');
  EXPECT_EQ(CallAttributes::Parse("= : {{").Int("k", 9), 9);
  using Rows = std::vector<std::vector<int64_t>>;
  const CallAttributes lists = CallAttributes::Parse(
      "{a = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, b = [4 : i64, 5 : i64], c = dense<6> : "
      "tensor<1xi64>, d = array<i64: 7, -8>, e = #x<kind WORD>, f = 9 : i64, g = [");
  EXPECT_EQ(lists.IntLists("a"), (Rows{{0, 1}, {2, 3}}));
  EXPECT_EQ(lists.Ints("a"), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(lists.IntLists("b"), (Rows{{4, 5}}));
  EXPECT_EQ(lists.Ints("c"), (std::vector<int64_t>{6}));
  EXPECT_EQ(lists.Ints("d"), (std::vector<int64_t>{7, -8}));
  EXPECT_EQ(lists.String("e", ""), "WORD");
  EXPECT_EQ(lists.Int("f", 0), 9);
  EXPECT_EQ(lists.IntLists("absent"), Rows());
}

INSTANTIATE_TEST_SUITE_P(Backends, CustomCall, ::testing::ValuesIn(kBackendsWithCalls));

}  // namespace
}  // namespace assay::custom_call_test
