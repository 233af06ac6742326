// stablehlo.dynamic_* custom calls: the worked examples of StableHLO's specification and of this
// reference (what a dynamic operation gives is what the static one does), and that operands which
// do not agree with the declared shape are refused.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "backends/factory/custom_call_testing.h"
#include "gmock/gmock.h"

namespace assay::custom_call_dynamic_test {
namespace {

using ::testing::HasSubstr;

struct DynamicCall {
  const char* name;
  std::string target;
  std::string result;                 // shape
  std::vector<std::string> operands;  // typed literals
  std::string attributes;             // of the call
  std::vector<std::string> expected;  // a typed literal, or parts of the error
  std::string computations = "";
};

std::string RunCall(absl::string_view backend, const DynamicCall& c) {
  std::string text = absl::StrCat("HloModule m\n", c.computations, "ENTRY e {\n");
  std::string names;
  std::vector<absl::string_view> arguments;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const std::string shape = c.operands[i].substr(0, c.operands[i].find(' '));
    absl::StrAppend(&text, "  p", i, " = ", shape, " parameter(", i, ")\n");
    absl::StrAppend(&names, i == 0 ? "" : ", ", "p", i);
    arguments.push_back(c.operands[i]);
  }
  absl::StrAppend(&text, "  ROOT r = ", c.result, " custom-call(", names,
                  "), custom_call_target=\"", c.target, "\"", c.attributes, "\n}\n");
  return RunText(backend, text, arguments);
}

std::string Dictionary(const std::string& entries) {
  return absl::StrCat(", api_version=API_VERSION_TYPED_FFI, backend_config={", entries, "}");
}

constexpr char kAdd[] =
    "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }\n";
constexpr char kMore[] =
    "more { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2)\n"
    "  j = s32[] parameter(3) ROOT c = pred[] compare(a, b), direction=GT }\n";

std::vector<DynamicCall> Windows() {
  const std::vector<std::string> operands = {"s32[3,2] {{1,2},{3,4},{5,6}}",
                                             "s32[] 0",
                                             "s64[2] {2,1}",
                                             "s64[2] {4,1}",
                                             "s64[2] {2,1}",
                                             "s64[2] {3,1}",
                                             "s64[2,2] {{2,1},{0,0}}"};
  const std::string calls = ", called_computations={add}";
  return {
      // reduce_window of StableHLO's specification.
      {"windows",
       "stablehlo.dynamic_reduce_window",
       "s32[2,2]",
       operands,
       calls,
       {"s32[2,2] {{0,0},{3,4}}"},
       kAdd},
      {"windows of another size",
       "stablehlo.dynamic_reduce_window",
       "s32[3,2]",
       operands,
       calls,
       {"make the result s32[2,2]", "declared s32[3,2]"},
       kAdd},
      {"too few operands",
       "stablehlo.dynamic_reduce_window",
       "s32[2,2]",
       {operands.begin(), operands.end() - 1},
       calls,
       {"7 operands, not 6"},
       kAdd},
      {"no reducer",
       "stablehlo.dynamic_reduce_window",
       "s32[2,2]",
       operands,
       "",
       {"one called computation"}},
  };
}

std::vector<DynamicCall> Shapes() {
  return {
      {"reshape",
       "stablehlo.dynamic_reshape",
       "s32[3,2]",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "s64[2] {3,2}"},
       "",
       {"s32[3,2] {{1,2},{3,4},{5,6}}"}},
      {"reshape to other sizes",
       "stablehlo.dynamic_reshape",
       "s32[6,1]",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[2] {3,2}"},
       "",
       {"make the result s32[3,2]", "declared s32[6,1]", "stablehlo.dynamic_reshape"}},
      {"reshape to another count",
       "stablehlo.dynamic_reshape",
       "s32[3,3]",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[2] {3,3}"},
       "",
       {"reshape_c", "s32[2,3]"}},
      {"sizes of floats",
       "stablehlo.dynamic_reshape",
       "s32[6]",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "f32[1] {6}"},
       "",
       {"integers [1], found f32[1]"}},
      {"a size below zero",
       "stablehlo.dynamic_iota",
       "s32[2]",
       {"s64[1] {-2}"},
       "",
       {"cannot have -2"}},
      {"iota",
       "stablehlo.dynamic_iota",
       "s32[4,5]",
       {"s64[2] {4,5}"},
       Dictionary("iota_dimension = 0 : i64"),
       {"s32[4,5] {{0,0,0,0,0},{1,1,1,1,1},{2,2,2,2,2},{3,3,3,3,3}}"}},
      {"broadcast",
       "stablehlo.dynamic_broadcast_in_dim",
       "s32[2,3,2]",
       {"s32[1,3] {{1,2,3}}", "s64[3] {2,3,2}"},
       Dictionary("broadcast_dimensions = array<i64: 2, 1>"),
       {"s32[2,3,2] {{{1,1},{2,2},{3,3}},{{1,1},{2,2},{3,3}}}"}},
      {"broadcast, older attribute",
       "stablehlo.dynamic_broadcast_in_dim",
       "s32[2,3]",
       {"s32[3] {1,2,3}", "s64[2] {2,3}"},
       Dictionary("broadcast_dimensions = dense<1> : tensor<1xi64>"),
       {"s32[2,3] {{1,2,3},{1,2,3}}"}},
      {"broadcast of another size",
       "stablehlo.dynamic_broadcast_in_dim",
       "s32[2,4]",
       {"s32[3] {1,2,3}", "s64[2] {2,4}"},
       Dictionary("broadcast_dimensions = [1]"),
       {"broadcast_c", "s32[3]"}},
      {"broadcast twice to one dimension",
       "stablehlo.dynamic_broadcast_in_dim",
       "s32[2,2]",
       {"s32[2,2] {{1,2},{3,4}}", "s64[2] {2,2}"},
       Dictionary("broadcast_dimensions = [1, 1]"),
       {"broadcast_c"}},
      {"pad",
       "stablehlo.dynamic_pad",
       "s32[5,9]",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[] 0", "s64[2] {0,1}", "s64[2] {2,1}", "s64[2] {1,2}"},
       "",
       {"s32[5,9] {{0,1,0,0,2,0,0,3,0},{0,0,0,0,0,0,0,0,0},{0,4,0,0,5,0,0,6,0},"
        "{0,0,0,0,0,0,0,0,0},{0,0,0,0,0,0,0,0,0}}"}},
      {"slice",
       "stablehlo.real_dynamic_slice",
       "s32[2,2]",
       {"s32[3,4] {{0,0,1,0},{0,0,2,0},{0,3,4,0}}", "s64[2] {0,2}", "s64[2] {3,4}", "s64[2] {2,1}"},
       "",
       {"s32[2,2] {{1,0},{4,0}}"}},
      {"slice beyond the end",
       "stablehlo.real_dynamic_slice",
       "s32[2]",
       {"s32[2] {0,0}", "s64[1] {1}", "s64[1] {3}", "s64[1] {1}"},
       "",
       {"slice_c"}},
  };
}

std::vector<DynamicCall> Others() {
  const std::string gather =
      "dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], "
      "start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false";
  const std::string operand =
      "s32[3,4,2] {{{1,2},{3,4},{5,6},{7,8}},{{9,10},{11,12},{13,14},{15,16}},"
      "{{17,18},{19,20},{21,22},{23,24}}}";
  const std::string top_k =
      ", called_computations={more}, api_version=API_VERSION_TYPED_FFI, "
      "backend_config={reduction_dim = 0 : i64, aggregate_to_topk = true}";
  const std::vector<std::string> keys = {"f32[4] {1,4,2,4}", "s32[4] {0,1,2,3}", "f32[] -inf",
                                         "s32[] -1"};
  const auto with = [&](const std::string& k) {
    std::vector<std::string> operands = keys;
    operands.push_back(k);
    return operands;
  };
  return {
      // gather of StableHLO's specification, version 1.
      {"gather",
       "stablehlo.dynamic_gather",
       "s32[2,3,2,2]",
       {operand, "s64[2,3,2] {{{0,0},{1,0},{2,1}},{{0,1},{1,1},{0,2}}}", "s64[3] {1,2,2}"},
       Dictionary(gather),
       {"s32[2,3,2,2] {{{{1,2},{3,4}},{{3,4},{5,6}},{{13,14},{15,16}}},"
        "{{{9,10},{11,12}},{{11,12},{13,14}},{{17,18},{19,20}}}}"}},
      // A row of ones over 1 2 3 with a zero on its left: 0+1, 1+2, 2+3.
      {"convolution",
       "stablehlo.dynamic_conv",
       "s32[1,1,3]",
       {"s32[1,1,3] {{{1,2,3}}}", "s32[1,1,2] {{{1,1}}}", "s64[1,2] {{1,0}}"},
       ", window={size=2}, dim_labels=bf0_oi0->bf0",
       {"s32[1,1,3] {{{1,3,5}}}"}},
      {"convolution without dimensions",
       "stablehlo.dynamic_conv",
       "s32[1,1,3]",
       {"s32[1,1,3] {{{1,2,3}}}", "s32[1,1,2] {{{1,1}}}", "s64[1,2] {{1,0}}"},
       "",
       {"dim_labels"}},
      {"top k",
       "stablehlo.dynamic_top_k",
       "(f32[2], s32[2])",
       {keys[0], "s64[] 2"},
       "",
       {"( f32[2] {4,4}, s32[2] {1,3} )"}},
      {"another k",
       "stablehlo.dynamic_top_k",
       "(f32[2], s32[2])",
       {keys[0], "s64[] 3"},
       "",
       {"makes k 3", "declared (f32[2], s32[2])"}},
      {"approximate top k",
       "stablehlo.dynamic_approx_top_k",
       "(f32[2], s32[2])",
       with("s32[] 2"),
       top_k,
       {"( f32[2] {4,4}, s32[2] {1,3} )"},
       kMore},
      {"another approximate k",
       "stablehlo.dynamic_approx_top_k",
       "(f32[2], s32[2])",
       with("s32[] 1"),
       top_k,
       {"makes k 1 in dimension 0", "declared (f32[2], s32[2])"},
       kMore},
      // Random123's known answer: Threefry2x32 of key and counter zero gives 6b200159 99ba4efe.
      {"random bits",
       "stablehlo.dynamic_rng_bit_generator",
       "(u64[2], u32[2])",
       {"u64[2] {0,0}", "s64[1] {2}"},
       Dictionary("rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>"),
       {"( u64[2] {0,1}, u32[2] {1797259609,2579123966} )"}},
      {"random bits of another size",
       "stablehlo.dynamic_rng_bit_generator",
       "(u64[2], u32[2])",
       {"u64[2] {0,0}", "s64[1] {3}"},
       Dictionary("rng_algorithm = \"THREE_FRY\""),
       {"make the result u32[3]", "declared u32[2]"}},
      {"a state of three words",
       "stablehlo.dynamic_rng_bit_generator",
       "(u64[3], u32[2])",
       {"u64[3] {0,0,0}", "s64[1] {2}"},
       Dictionary("rng_algorithm = \"THREE_FRY\""),
       {"rng_bit_generator_c4"}},
      {"top k without results",
       "stablehlo.dynamic_top_k",
       "()",
       {keys[0], "s64[] 2"},
       "",
       {"there must be results"}},
      {"approximate top k without results",
       "stablehlo.dynamic_approx_top_k",
       "()",
       {"s64[] 2"},
       top_k,
       {"there must be results"},
       kMore},
      {"approximate top k of nothing", "ApproxTopK", "()", {}, top_k, {"as many arrays"}, kMore},
      {"windows without results",
       "stablehlo.dynamic_reduce_window",
       "()",
       {"s64[0] {}", "s64[0] {}", "s64[0] {}", "s64[0] {}", "s64[0,2] {}"},
       "",
       {"there must be results"}},
      {"no such generator",
       "stablehlo.dynamic_rng_bit_generator",
       "(u64[2], u32[2])",
       {"u64[2] {0,0}", "s64[1] {2}"},
       Dictionary("rng_algorithm = \"DICE\""),
       {"no rng_algorithm DICE"}},
  };
}

class DynamicCustomCall : public ::testing::TestWithParam<const char*> {};

TEST_P(DynamicCustomCall, GivesWhatTheStaticOperationGives) {
  for (const std::vector<DynamicCall>& cases : {Shapes(), Windows(), Others()}) {
    for (const DynamicCall& c : cases) {
      const std::string result = RunCall(GetParam(), c);
      if (absl::StrContains(c.expected[0], " {")) {
        EXPECT_EQ(result, Canonical(c.expected[0])) << c.name;
        continue;
      }
      EXPECT_THAT(result, HasSubstr("INVALID_ARGUMENT")) << c.name;
      for (const std::string& part : c.expected) EXPECT_THAT(result, HasSubstr(part)) << c.name;
    }
  }
}

TEST_P(DynamicCustomCall, TakesAndGivesCurrentSizes) {
  // Of four elements three count: padded in front they are four of at most five.
  EXPECT_EQ(RunText(GetParam(), R"(HloModule m
    ENTRY e { x = s32[4] parameter(0) n = s32[] constant(3) z = s32[] constant(9)
      d = s32[<=4] set-dimension-size(x, n), dimensions={0}
      one = s64[1] constant({1}) none = s64[1] constant({0})
      p = s32[<=5] custom-call(d, z, one, none, none), custom_call_target="stablehlo.dynamic_pad"
      s = s32[] get-dimension-size(p), dimensions={0}
      ROOT r = (s32[<=5], s32[]) tuple(p, s) })",
                    {"s32[4] {1,2,3,4}"}),
            "( s32[<=5]{0} {9, 1, 2, 3, 0}, s32[] 4 )");
  EXPECT_EQ(RunCall(GetParam(), {"",
                                 "stablehlo.dynamic_reshape",
                                 "s32[<=4,2]",
                                 {"s32[2,3] {{1,2,3},{4,5,6}}", "s64[2] {3,2}"},
                                 "",
                                 {}}),
            "s32[<=4,2]{1,0} { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 0, 0 } }");
}

INSTANTIATE_TEST_SUITE_P(Backends, DynamicCustomCall, ::testing::ValuesIn(kBackendsWithCalls));

}  // namespace
}  // namespace assay::custom_call_dynamic_test
