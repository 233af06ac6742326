// Texts that are refused, with the reason and the place: the fragments of hlo_text_format.md 10.3,
// the list of section 8, and hostile input.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view text) {
  auto module = ParseModule(text);
  return module.ok() ? "accepted" : std::string(module.status().message());
}

// The body of an entry, after parameters x, y: f32[4], p: pred[], s: f32[].
std::string InModule(absl::string_view body) {
  return "HloModule m\n"
         "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
         "ENTRY e {\n x = f32[4] parameter(0) y = f32[4] parameter(1) p = pred[] parameter(2) "
         "s = f32[] parameter(3)\n" +
         std::string(body) + "\n}\n";
}

struct RefusalCase {
  absl::string_view body;
  absl::string_view reason;
};

class RefusedBody : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(RefusedBody, SaysWhy) {
  EXPECT_THAT(ErrorOf(InModule(GetParam().body)), HasSubstr(std::string(GetParam().reason)))
      << GetParam().body;
}

constexpr RefusalCase kReferenceFragments[] = {
    {"z = select(compare.mask, x, y)", "unknown operand 'compare.mask'"},
    {"z=f32[] constant(0)", "write a blank before '='"},
    {"a = f32[]{} constant(0)", "expected an opcode, found '{'"},
    {"a = f32[2,3]{0} constant({...})", "the layout names 1 dimensions"},
    {"a = f32[4]{0:S(1)T(8)} copy(x)", "the order is D T L # * E S SC M"},
    {"a = iota(), iota_dimension=0", "needs its result shape"},
    {"a = s8[] constant(128)", "128"},
    {"a = f32[1,2]{3,1} constant({{1, 2}})", "does not name every dimension once"},
    {"a = (f32[1,2]{1,1}, s32[]) constant(({{1, 2}}, 3))",
     "none that an element of a tuple may have"},
    {"a = u32[] constant(-1)", "-1"},
    {"a = f32[4] add(f32[5] x, x)", "written with shape f32[5] but has shape f32[4]"},
    {"a = f32[4] add(x)", "add takes 2 operands, here are 1"},
    {"a = f32[4] add(x, x), dimensions={0}", "add has no attribute 'dimensions'"},
    {"a = f32[2] slice(x)", "slice needs the attribute 'slice'"},
    {"t = (f32[4]) tuple(x) g = f32[4] get-tuple-element(t), index=0, index=0",
     "attribute 'index' is written twice; the first stands at 5:"},
    {"a = pred[4] compare(x, y), direction=lt", "'lt' is not a value of direction"},
    {"a = f32[1] reduce-window(x, s), window={size=2x2, stride=1x1}, to_apply=f",
     "expected a window field"},
    {"a = f32[1] reduce-window(x, s), window={size=2x2 pad=1_1}, to_apply=f",
     "size has 2 entries and pad has 1"},
    {"a = f32[4] all-reduce(x), replica_groups=[8]<=[8], to_apply=f", "two numbers"},
    {"a = f32[4] all-reduce(x), replica_groups=[2,2]<=[2,2], to_apply=f", "expected 'T('"},
    {"a = f32[4] all-reduce(x), replica_groups=[1,0]<=[8], to_apply=f",
     "at least one replica group, of at least one device"},
    {"a = f32[4] all-reduce(x), replica_groups=[2,4]<=[0,2]T(1,0), to_apply=f",
     "an order of devices has sizes of at least 1"},
    {"a = f32[4] all-reduce(x), replica_groups=[2,4]<=[4,2]T(1,1), to_apply=f",
     "names each dimension once"},
    {"a = f32[4] copy(x), sharding={devices=[2]0}", "more than one device"},
    {"a = f32[4] copy(x), sharding={maximal}", "exactly one device"},
    {"a = f32[4] copy(x), sharding={replicated device=0}", "takes no devices"},
    {"ROOT a = copy(x) ROOT b = copy(x)", "one ROOT; the first is a at 5:6"},
    {"a = copy(x) a = copy(x)", "instruction 'a' is written twice; the first stands at 5:1"},
    {"a = copy(x), control-predecessors={}", "names no instruction"},
    {"a = copy(x), control-predecessors={later} later = copy(x)",
     "unknown control predecessor 'later'"},
    {"%f32 = f32[] constant(0)", "the element type 'f32' is not a name"},
    {"__a = f32[] constant(0)", "does not begin with '__'"},
    {"a = f32[4] add(f32[4] x, sqrt(y, mode=1))", "expected an operand, found 'mode='"},
    {"a = tuple(x, reverse(y), dimensions={0})", "reverse needs the attribute 'dimensions'"},
    {"c = f32[] all-reduce-update(s)", "unknown opcode 'all-reduce-update'"},
    {"c = f32[] conditional(p, s, s), branch_computations={f, f}",
     "needs true_computation and false_computation"},
    {"a = f32[4] copy(x), backend_config={{unbalanced", "unterminated brace text"},
    {"s2 = f32[] negate(s)", "expected an instruction"},
    {"c = f32[] custom-call(x), custom_call_target=\"l\", literal=s32[2] {1,2}", "layout"},
    {"a = $dtype[4] copy(x)", "'$' begins no token"},
    {"a = f32[{{N}}] copy(x)", "expected a size"},
    {"a = exponential(x), result_accuracy={0.5}", "expected mode= or tolerance="},
    {"a = exponential(x), result_accuracy={mode=high}", "'high' is not default or highest"},
};
INSTANTIATE_TEST_SUITE_P(Fragments, RefusedBody, ::testing::ValuesIn(kReferenceFragments));

constexpr RefusalCase kSectionEight[] = {
    {"q = f32[] parameter(9)", "numbers must be 0 to 4"},
    {"q = f32[] parameter(1)", "parameter '1' is written twice"},
    {"q = f32[] parameter(-1)", "negative number"},
    {"a = f32[4] copy(x), parameter_replication={true}", "it is not a parameter"},
    {"q = f32[] parameter(4), parameter_replication={true,false}", "1 leaves"},
    {"a = f33[4] copy(x)", "unknown opcode 'f33'"},
    {"a = f32[-4] copy(x)", "negative size"},
    {"a = f32[4]{0:P(f32[4])} copy(x)", "physical shape"},
    {"a = token[]{0} after-all()", "has no layout"},
    {"a = token[2] after-all()", "takes no sizes"},
    {"a = f32[4]{0:L(0)} copy(x)", "must be at least 1"},
    {"a = f32[4]{0:T(-2)} copy(x)", "tile size is negative"},
    {"a = f32[4]{0:#(f32)} copy(x)", "unsigned integer type"},
    {"a = b(token[]) custom-call(), custom_call_target=\"a\"", "array shape of the buffer"},
    {"a = f32[3] reshape(x)", "element counts differ"},
    {"a = (f32[4]) tuple(x, y)", "2 operands cannot have shape (f32[4])"},
    {"a = f32[4] tuple(x)", "cannot have shape f32[4]"},
    {"a = copy(x#0)", "has no element 0"},
    {"t = (f32[4]) tuple(x) a = copy(t#1)", "has no element 1"},
    {"a = opt-barrier(x)", "opt-barrier"},
    {"a = exponential(x), metadata={foo=1}", "unknown field 'foo' in metadata"},
    {"a = exponential(x), metadata={source_line=1 source_line=2}", "given twice"},
    {"a = exponential(x), metadata={source_line=1,}", "expected a field name"},
    {"a = exponential(x), metadata={source_line=3000000000}", "does not fit 32 bits"},
    {"a = exponential(x), metadata={profile_type={4}}", "profile_type"},
    {"a = negate(x), result_accuracy={mode=highest}", "negate has no attribute"},
    {"a = exponential(x), result_accuracy={tolerance={atol=-1}}", "negative"},
    {"a = exponential(x), result_accuracy={tolerance={atol=-inf}}", "negative"},
    {"a = exponential(x), result_accuracy={tolerance={rtol=1e400}}", "beyond the range"},
    {"a = exponential(x), result_accuracy={tolerance={ulps=inf}}", "do not fit 64 bits"},
    {"t = (f32[4]{0}, f32[4]{1}) tuple(x, x)", "none that an element of a tuple may have"},
    {"t = (f32[4]{0:T()}) tuple(x)", "none that an element of a tuple may have"},
    {"t = (f32[4]{0:E(-1)}) tuple(x)", "none that an element of a tuple may have"},
    {"t = (b(f32[4]{0:#(u32)})) tuple(x)", "none that an element of a tuple may have"},
    {"t = (f32[4], f32[9223372036854775807]) tuple(x, x)", "overflow 63 bits"},
    {"t = (f32[9223372036854775807,2,0]) tuple(x)", "overflow 63 bits"},
    {"a = ((f32[], f32[]), f32[], u32[]) async-start(s, s), calls=f "
     "b = ((f32[], f32[]), f32[], u32[]) async-start(s, s), calls=f",
     "calls f, which the async-start at 5:1 calls"},
    {"a = f32[4] collective-permute(x), source_target_pairs={{0,1,2}}", "list of pairs"},
    {"a = f32[4] collective-permute(x), source_target_pairs={}, slice_sizes={{1}}",
     "exactly 4 operands"},
    {"a = f32[] reduce(x), dimensions={0}, to_apply=f", "even number of operands"},
    {"a = f32[] reduce(x, s), dimensions={0}, to_apply=g", "unknown computation 'g'"},
    {"a = f32[4] scatter(x, x), update_window_dims={}, inserted_window_dims={}, "
     "scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=f",
     "odd number of operands"},
    {"a = f32[8] concatenate(x, y), dimensions={0,1}", "takes exactly one number, here are 2"},
    {"a = f32[4] convolution(x, y), dim_labels=bb0f_0io->b0f", "repeated"},
    {"a = f32[4] convolution(x, y), dim_labels=b1f_0io->b0f", "not 0 to n-1"},
    {"a = f32[4] convolution(x, y), dim_labels=b0f_io->b0f", "different numbers of spatial"},
    {"a = f32[1] dynamic-slice(x), dynamic_slice_sizes={1}", "takes 1 indices"},
    {"a = f32[4] all-reduce(x), replica_groups={}, use_global_device_ids=true, to_apply=f",
     "needs a channel_id"},
    {"a = f32[4] custom-call(x), custom_call_target=\"a\", api_version=API_VERSION_UNSPECIFIED",
     "API_VERSION_UNSPECIFIED"},
    {"a = f32[4] custom-call(x), custom_call_target=\"a\", operand_layout_constraints={}",
     "1 operands and 0 layout constraints"},
    {"t = token[] after-all() a = f32[] infeed(t)", "tuple shape that is not empty"},
    {"t = token[] after-all() r = (f32[], u32[], token[]) recv(t), channel_id=1 "
     "d = (f32[], token[]) recv-done(r), channel_id=2",
     "has channel_id=2, but r has channel_id=1"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4], [{'z'}]}", "no axis 'z'"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4,'x'=2], [{'x'}]}", "named twice"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4], [{'x'}, {'x'}]}", "used twice"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4], [{'x':(1)2, 'x':(2)2}]}", "written as one"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4], [{'x':(3)2}]}", "does not lie inside"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4], device_ids=(0,1,2,3), [{}]}", "natural order"},
    {"a = f32[4] copy(x), sharding={mesh['x'=4], device_ids=(0,1,2), [{}]}", "permutation"},
    {"a = f32[4] copy(x), sharding={devices=[2]0,1 last_tile_dims={manual,manual}}",
     "more dimensions than the tiles"},
    {"a = f32[4] copy(x), sharding={devices=[1,2]0,1 last_tile_dims={manual} "
     "last_tile_dim_replicate}",
     "exclude each other"},
    {"a = f32[4] copy(x), sharding={devices=[2000000,2]0,1,2}",
     "hold 4000000 devices, the list has 3"},
    // Asynchronous chains.
    {"a = f32[4] copy-update(x)", "unknown opcode"},
    {"a = (f32[4], f32[4]) negate-start(x)", "of the form ((operands...), result, context...)"},
    {"a = ((f32[4]), f32[4]) add-start(x)", "add takes 2 operands, here are 1"},
    {"a = ((f32[4]), f32[4]) negate-start(x) b = f32[4] abs-done(a)", "continues abs"},
    {"a = ((f32[4]), f32[4]) negate-start(x) b = f32[4] negate-done(a) "
     "c = f32[4] negate-done(b)",
     "already done"},
    {"a = ((f32[4]), f32[4]) negate-start(x) b = f32[4] negate-done(a), "
     "async_execution_thread=\"t\"",
     "is on thread 't'"},
    {"a = ((f32[4]), f32[4]) slice-start(x), slice={[0:4]} b = f32[4] slice-done(a), "
     "index=0",
     "has no attribute 'index'"},
};
INSTANTIATE_TEST_SUITE_P(SectionEight, RefusedBody, ::testing::ValuesIn(kSectionEight));

TEST(ParserErrorsTest, WholeTexts) {
  const RefusalCase cases[] = {
      {"", "no module"},
      {" // nothing", "no module"},
      {"HloModule m", "expected a computation, found the end of the text"},
      {"HloModule m_$n", "'$' begins no token"},
      {"HloModule m, foo=1\nENTRY e { x = f32[] constant(0) }", "no attribute 'foo'"},
      {"HloModule m, replica_count=1, replica_count=2\nENTRY e { x = f32[] constant(0) }",
       "module attribute 'replica_count' is written twice; the first stands at 1:14"},
      {"HloModule m\nENTRY e { x = f32[] constant(0) }\nHloModule n", "expected a computation"},
      {"HloModule m\nENTRY e { }", "no instructions"},
      {"HloModule m\nENTRY e { x = f32[] constant(0)", "found the end"},
      {"HloModule m\nENTRY e { x = f32[] constant(0) }\nENTRY f { x = f32[] constant(0) }",
       "one ENTRY; the first is e at 2:7"},
      {"HloModule m\ne { x = f32[] constant(0) }\ne { x = f32[] constant(0) }",
       "computation 'e' is written twice; the first stands at 2:1"},
      {"HloModule m\nENTRY e () -> s32[] { x = f32[] constant(0) }",
       "declared to return s32[], its root is"},
      {"HloModule m\nENTRY e { x = f32[] constant(0) }, foo=\"a\"", "no attribute 'foo'"},
      {"f (x: f32[]) -> f32[] { ROOT x = f32[] parameter(0) }", "expected '='"},
      {"f32[4] add(f32[4], f32[4]) junk", "read as one instruction"},
      {"add(f32[4] a, f32[4] b)", "expected"},
      {"HloModule m, input_output_alias={ {1}: (0, {}) }\nENTRY e { x = f32[] parameter(0) }",
       "output {1} is aliased, but the result is f32[]"},
      {"HloModule m\nFileNames\nFunctionNames\nStackFrames\nENTRY e { x = f32[] constant(0) }",
       "the table FileLocations"},
      {"HloModule m\nFileNames\nFunctionNames\nFileLocations\n"
       "1 {file_name_id=1 function_name_id=1 line=1 column=1 end_column=2}\nStackFrames\n"
       "ENTRY e { x = f32[] constant(0) }",
       "needs end_line"},
  };
  for (const RefusalCase& one : cases) {
    EXPECT_THAT(ErrorOf(one.body), HasSubstr(std::string(one.reason))) << one.body;
  }
}

TEST(ParserErrorsTest, ShowTheFileThePlaceAndTheLine) {
  ParseOptions options;
  options.file_name = "model.hlo";
  auto module = ParseModule("HloModule m\nENTRY e {\n  a = f32[] frob()\n}", options);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().message(),
            "model.hlo:3:13: unknown opcode 'frob'\n"
            "    a = f32[] frob()\n"
            "              ^");
}

std::string Repeat(absl::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text.append(piece.data(), piece.size());
  return text;
}

TEST(ParserErrorsTest, NestingEndsInAnErrorNotInAStackOverflow) {
  constexpr int kDeep = 200000;
  EXPECT_THAT(ErrorOf(Repeat("(", kDeep)), HasSubstr("nested more than"));
  EXPECT_THAT(ErrorOf(InModule("a = " + Repeat("(", kDeep))), HasSubstr("nested more than"));
  EXPECT_THAT(ErrorOf(InModule("a = f32[4] " + Repeat("negate(", kDeep))),
              HasSubstr("nested more than"));
  EXPECT_THAT(ErrorOf(InModule("a = f32[] call(), to_apply=" +
                               Repeat("{ a = f32[] call(), to_apply=", kDeep))),
              HasSubstr("nested more than"));
  EXPECT_FALSE(
      ParseModule(InModule("a = " + Repeat("(", kDeep / 100) + " constant(" + Repeat("(", kDeep)))
          .ok());
  EXPECT_THAT(ErrorOf(InModule("a = f32[4] copy(x), origin={" + Repeat("(", kDeep))),
              HasSubstr("nested more than"));
  EXPECT_THAT(ErrorOf(InModule("a = f32[4] custom-call(), custom_call_target=\"\", literal=" +
                               Repeat("(", kDeep))),
              HasSubstr("nested more than"));
}

TEST(ParserErrorsTest, DeepTextsWithinTheLimitAreRead) {
  constexpr int kDeep = 2900;
  EXPECT_TRUE(ParseShape(Repeat("(", kDeep) + Repeat(")", kDeep)).ok());
  std::string text = InModule("a = f32[4] " + Repeat("negate(", kDeep) + "x" + Repeat(")", kDeep));
  EXPECT_EQ(ErrorOf(text), "accepted");
}

TEST(ParserErrorsTest, HugeShapesAreRefusedBeforeAllocating) {
  EXPECT_THAT(ErrorOf(InModule("a = f32[1099511627776] constant({1})")), HasSubstr("bytes"));
  EXPECT_THAT(ErrorOf(InModule("a = f32[4294967296,4294967296,4] constant(0)")),
              HasSubstr("overflow"));
  EXPECT_EQ(ErrorOf(InModule("a = f32[1099511627776] constant({...})")), "accepted");
}

TEST(ParserErrorsTest, EveryPrefixOfATextIsAnsweredWithoutACrash) {
  const std::string text = InModule(
      "c = f32[2,2]{1,0:T(8,128)(2,1)} constant({{1,nan(0x1)},{-inf,3e4}}), "
      "metadata={op_name=\"a\\n\"}, sharding={devices=[2,2]<=[4] last_tile_dims={manual}}\n"
      "r = f32[] reduce(x, s), dimensions={0}, to_apply={ a = f32[] parameter(0) b = f32[] "
      "parameter(1) ROOT m = maximum(a, b) }, backend_config={\"a\":{}}, statistics={a=1,b=2}");
  ASSERT_EQ(ErrorOf(text), "accepted");
  for (size_t length = text.find("ENTRY") + 1; length + 2 < text.size(); ++length) {
    EXPECT_NE(ErrorOf(absl::string_view(text).substr(0, length)), "accepted") << length;
  }
}

}  // namespace
}  // namespace assay
