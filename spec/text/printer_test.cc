// The printer rule by rule. Expected texts are hlo_text_format.md 9 and 10.2, and for whole modules
// what XLA itself prints (JAX 0.10.2).
#include "spec/text/printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::unique_ptr<Module> ParsedOrEmpty(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : std::make_unique<Module>("failed");
}

std::string Reprint(absl::string_view text, const PrintOptions& options = {}) {
  return PrintModule(*ParsedOrEmpty(text), options);
}

// The line of the instruction `r` after reading it among a few operands.
std::string Line(absl::string_view instruction,
                 PrintOptions options = PrintOptions::ShortParsable()) {
  options.metadata = true;
  options.control_dependencies = true;
  const auto module = ParsedOrEmpty(absl::StrCat(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
neg { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4,6] parameter(1)
  z = f32[] parameter(2)
  i = s32[] parameter(3)
  flag = pred[] parameter(4)
  t = token[] parameter(5)
  ROOT )",
                                                 instruction, "\n}"));
  const Computation* entry = module->entry();
  return entry == nullptr ? "" : PrintInstruction(*entry->root(), options);
}

// Texts that print as they are read.
TEST(PrintInstruction, AttributesStandInTheOrderOfTheirOperation) {
  const absl::string_view lines[] = {
      "r = f32[4]{0} copy(x)",
      "r = f32[4,6]{0,1} copy(y)",
      "r = f32[4,6]{1,0:T(8,128)(2,1)E(32)S(1)} copy(y)",
      "r = f32[2,4]{1,0} broadcast(x), dimensions={1}",
      "r = f32[7]{0} broadcast(z), dimensions={}",
      "r = f32[6,4]{1,0} transpose(y), dimensions={1,0}",
      "r = f32[2,2]{1,0} reshape(x), inferred_dimension=1",
      "r = s32[8]{0} iota(), iota_dimension=0",
      "r = f32[12]{0} concatenate(x, x, x), dimensions={0}",
      "r = f32[2]{0} slice(x), slice={[0:2]}",
      "r = f32[2,2]{1,0} slice(y), slice={[0:4:2], [1:3:1]}",
      "r = f32[] slice(z), slice={}",
      "r = f32[9]{0} pad(x, z), padding=2_3",
      "r = f32[7,11]{1,0} pad(y, z), padding=0_0_1x-1_1_1",
      "r = f32[2]{0} dynamic-slice(x, i), dynamic_slice_sizes={2}",
      "r = f32[4]{0} reduce(y, z), dimensions={1}, to_apply=add",
      "r = f32[4,4]{1,0} reduce-window(y, z), window={size=1x3}, to_apply=add",
      "r = f32[4,6]{1,0} reduce-window(y, z), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x0}, "
      "to_apply=add",
      "r = f32[] reduce-window(z, z), to_apply=add",
      "r = pred[4]{0} compare(x, x), direction=GE, type=TOTALORDER",
      "r = (f32[2]{0}, s32[2]{0}) topk(x), k=2, largest=false",
      "r = (f32[2]{0}, s32[2]{0}) topk(x), k=2, largest=true, is_stable=false",
      "r = f32[4]{0} call(x), to_apply=neg",
      "r = f32[4]{0} call(x), to_apply=neg, is_composite=true",
      "r = f32[4]{0} fusion(x), kind=kLoop, calls=neg",
      "r = f32[4]{0} conditional(flag, x, x), true_computation=neg, false_computation=neg",
      "r = f32[4]{0} conditional(i, x, x), branch_computations={neg, neg}",
      "r = f32[4]{0} map(x, x), dimensions={0}, to_apply=add",
      "r = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
      "r = f32[4,4]{1,0} dot(x, x), lhs_contracting_dims={}, rhs_contracting_dims={}, "
      "operand_precision={highest,high}, algorithm=dot_bf16_bf16_f32",
      "r = f32[4,6,6]{2,1,0} dot(y, y), lhs_batch_dims={0}, lhs_contracting_dims={}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={}",
      "r = f32[4,4]{1,0} triangular-solve(y, y), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE",
      "r = f32[4]{0} sine(x), result_accuracy={mode=highest}",
      "r = f32[4]{0} sine(x), result_accuracy={tolerance={atol=0,rtol=0.001,ulps=2}}",
      "r = f32[4]{0} sine(x), result_accuracy={tolerance={atol=inf,rtol=inf,ulps=0}}",
      "r = f32[4]{0} rng(z, z), distribution=rng_uniform",
      "r = f32[4]{0} reduce-precision(x), exponent_bits=5, mantissa_bits=10",
      "r = f32[4]{0} all-reduce(x), replica_groups={}, to_apply=add",
      "r = f32[4]{0} all-reduce(x), channel_id=1, replica_groups=[2,4]<=[4,2]T(1,0), "
      "use_global_device_ids=true, to_apply=add",
      "r = f32[1]{0} reduce-scatter(x), replica_groups={}, constrain_layout=true, dimensions={0}, "
      "to_apply=add",
      "r = f32[4]{0} all-to-all(x), replica_groups={{0,1},{2,3}}, dimensions={0}",
      "r = f32[4]{0} collective-permute(x), channel_id=4, "
      "source_target_pairs={{0,1},{1,2},{2,0}}",
      "r = f32[4]{0} collective-broadcast(x), replica_groups={{1,0}}",
      "r = f32[4]{0} collective-broadcast(x), replica_groups={{1,0}}, has_dynamic_root=true",
      "r = token[] outfeed(x, t), outfeed_shape=f32[4]{0}",
      "r = ((f32[3]{0}, pred[]), token[]) infeed(t), infeed_config=\"a\\tb\\\"\\303\\251\"",
      "r = f32[4]{0} domain(x), domain={kind=\"sharding\", entry={maximal device=0}, "
      "exit={replicated}}",
      "r = f32[4]{0} custom-call(x), custom_call_target=\"a \\\"b\\\"\", "
      "custom_call_has_side_effect=true, output_to_operand_aliasing={{}: (0, {})}, "
      "schedule=SCHEDULE_EARLIEST, api_version=API_VERSION_TYPED_FFI, called_computations={neg, "
      "neg}, backend_config={a = 1 : i64, b = \"}\"}",
      "r = f32[4]{0} custom-call(x, x), window={size=2x2}, dim_labels=b?01f_01?io->b01f, "
      "feature_group_count=2, padding_type=PADDING_SAME, custom_call_target=\"c\", "
      "operand_layout_constraints={f32[4]{0}, f32[4]{0}}, literal=( s32[2]{0} {1, 2}, ( pred[] "
      "true, f32[] 0.5 ) )",
      "r = f32[1,2]{1,0} convolution(y, y), dim_labels=bf_oi->bf, "
      "sparsity_config={lhs={sparsity=2x4 dimension=1 stride=1 idx=0} rhs={sparsity=1x2 "
      "dimension=0 "
      "stride=1}}",
  };
  for (absl::string_view line : lines) EXPECT_EQ(Line(line), line);
}

TEST(PrintInstruction, CommonAttributesStandAfterItsOwn) {
  const absl::string_view line =
      "r = f32[4]{0} sine(x), sharding={replicated}, frontend_attributes={a=\"x\",b={y}}, "
      "control-predecessors={i, z}, statistics={visualizing_index=1,a=33,b=44}, "
      "result_accuracy={mode=highest}, origin={{\"o\" {1}}}, metadata={op_type=\"t\" op_name=\"n\" "
      "source_file=\"a \\\\ \\'b\\'\" source_line=3 source_end_line=4 source_column=5 "
      "source_end_column=6 profile_type={1,2} deduplicated_name=\"d\" scheduling_name=\"s\" "
      "stack_frame_id=0 metadata_payload=\"p\"}, backend_config=\"plain\"";
  EXPECT_EQ(Line(line), absl::StrReplaceAll(line, {{" stack_frame_id=0", ""}}));
}

// XLA's reader takes a list of reversals of any length (observed with jaxlib).
TEST(PrintInstruction, ReversalsOfAnyLengthAreRead) {
  const struct {
    const char *written, *printed;
  } rows[] = {{"rhs_reversal=1}", "rhs_reversal=1x0}"},
              {"rhs_reversal=0x1x1}", "rhs_reversal=0x1}"}};
  for (const auto& row : rows) {
    const std::string printed = Reprint(absl::StrCat(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[4,6] parameter(0) z = f32[] constant(0)
  ROOT r = f32[4,6] reduce-window(x, z), window={size=1x1 )",
                                                     row.written, ", to_apply=add }"));
    EXPECT_THAT(printed, HasSubstr(row.printed));
  }
}

TEST(PrintInstruction, DefaultsDisappear) {
  const struct {
    absl::string_view read, printed;
  } cases[] = {
      {"r = f32[2] slice(x), slice={[0:2:1]}", "r = f32[2]{0} slice(x), slice={[0:2]}"},
      {"r = f32[7,11] pad(y, z), padding=1_2x0_2_1",
       "r = f32[7,11]{1,0} pad(y, z), padding=1_2_0x0_2_1"},
      {"r = f32[3,5] reduce-window(y, z), window={stride=1x1 size=2x2}, to_apply=add",
       "r = f32[3,5]{1,0} reduce-window(y, z), window={size=2x2}, to_apply=add"},
      {"r = pred[4] compare(x, x), direction=EQ, type=FLOAT",
       "r = pred[4]{0} compare(x, x), direction=EQ"},
      {"r = f32[4] sine(x), result_accuracy={mode=default}", "r = f32[4]{0} sine(x)"},
      {"r = f32[4] dot(x, z), operand_precision={default,default}, algorithm=unset",
       "r = f32[4]{0} dot(x, z), lhs_contracting_dims={}, rhs_contracting_dims={}"},
      {"r = f32[4] map(x, x), dimensions={}, to_apply=add",
       "r = f32[4]{0} map(x, x), dimensions={0}, to_apply=add"},
      {"r = f32[4] custom-call(x), custom_call_target=\"t\", to_apply=neg, "
       "output_to_operand_aliasing={}",
       "r = f32[4]{0} custom-call(x), custom_call_target=\"t\", called_computations={neg}"},
      {"r = f32[4] copy(x), metadata={source_line=3}, statistics={visualizing_index=1}",
       "r = f32[4]{0} copy(x)"},
      {"r = f32[4] copy(x), backend_config=\"{\\\"a\\\":1}\"",
       "r = f32[4]{0} copy(x), backend_config={\"a\":1}"},
      {"r = f32[4] all-reduce(x), replica_groups={{}}, to_apply=add, mode=cross_replica",
       "r = f32[4]{0} all-reduce(x), replica_groups={{}}, to_apply=add"},
      {"r = (f32[4], f32[4,6], token[]) batch-norm-training(x, x, x), epsilon=0.333333343, "
       "feature_index=0",
       "r = (f32[4]{0}, f32[4,6]{1,0}, token[]) batch-norm-training(x, x, x), epsilon=0.333333, "
       "feature_index=0"},
      {"r = pred[] constant(1)", "r = pred[] constant(true)"},
      {"r = pred[2] constant({true,false})", "r = pred[2]{0} constant({1, 0})"},
      {"r = f32[4] constant({1.50, 1e2, 1e10, 0.333333343})",
       "r = f32[4]{0} constant({1.5, 100, 1e+10, 0.333333343})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Line(c.read), c.printed);
}

TEST(PrintInstruction, ExactPrintsNumbersAndMetadataInFull) {
  const PrintOptions exact = PrintOptions::Lossless();
  EXPECT_EQ(Line("r = f32[4] copy(x), metadata={source_line=3}, "
                 "statistics={visualizing_index=1,a=0.1234567890123}",
                 exact),
            "%r = f32[4]{0} copy(%x), statistics={visualizing_index=1,a=0.1234567890123}, "
            "metadata={source_line=3}");
  EXPECT_THAT(Line("r = (f32[4], f32[4], f32[4]) batch-norm-training(x, x, x), "
                   "epsilon=0.333333343, feature_index=0",
                   exact),
              HasSubstr("epsilon=0.333333343"));
}

TEST(PrintInstruction, OperandOptions) {
  const absl::string_view line =
      "r = (f32[4], f32[4], f32[4], f32[4], f32[4], f32[]) "
      "tuple(x, x, x, x, x, z)";
  const std::string shape =
      "(f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}, /*index=5*/f32[])";
  EXPECT_EQ(Line(line, {}),
            absl::StrCat("%r = ", shape, " tuple(%x, %x, %x, %x, %x, /*index=5*/%z)"));
  PrintOptions options;
  options.compact_operands = true;
  options.result_shape = false;
  EXPECT_EQ(Line(line, options), "%r = tuple(%x, %x, %x, %x, ...(+2))");
  options.compact_operands = false;
  options.operand_shape = true;
  options.layouts = false;
  options.operand_index_interval = 2;
  options.percent = false;
  EXPECT_EQ(Line(line, options),
            "r = tuple(f32[4] x, f32[4] x, /*index=2*/f32[4] x, f32[4] x, /*index=4*/f32[4] x, "
            "f32[] z)");
  options.operand_names = false;
  EXPECT_EQ(Line("r = f32[4] add(x, x)", options), "r = add(f32[4], f32[4])");
  // Outside a body canonical names are left out.
  EXPECT_EQ(Line("r = f32[4] add(x, x)", PrintOptions::Canonical()),
            "f32[4]{0} add(f32[4]{0}, f32[4]{0})");
}

TEST(PrintInstruction, PartsThatCanBeLeftOut) {
  const absl::string_view line =
      "r = f32[4] fusion(x), kind=kLoop, calls=neg, sharding={replicated "
      "metadata={op_name=\"s\"}}, "
      "frontend_attributes={a=\"x\"}, control-predecessors={i}, origin={{\"o\"}}, "
      "metadata={op_name=\"n\" source_line=1}, "
      "backend_config={\"b\":1,\"a\":[2,{\"d\":3,\"c\":4}]}";
  PrintOptions options;
  options.extra_attributes = false;
  EXPECT_THAT(Line(line, options), StartsWith("%r = f32[4]{0} fusion(%x), calls=%neg, sharding="));
  options = {};
  options.frontend_attributes = false;
  options.original_value = false;
  options.backend_config = false;
  options.subcomputations = PrintOptions::Subcomputations::kOff;
  EXPECT_EQ(Line(line, options),
            "%r = f32[4]{0} fusion(%x), kind=kLoop, sharding={replicated "
            "metadata={op_name=\"s\"}}, control-predecessors={%i}, metadata={op_name=\"n\" "
            "source_line=1}");
  options = {};
  options.metadata_only_op_name = true;
  options.sort_backend_config = true;
  EXPECT_THAT(Line(line, options),
              EndsWith("metadata={op_name=\"n\"}, "
                       "backend_config={\"a\":[2,{\"c\":4,\"d\":3}],\"b\":1}"));
  // Without metadata shardings lose theirs too.
  const auto module =
      ParsedOrEmpty(absl::StrCat("HloModule m\nENTRY e { x = f32[4] parameter(0) ROOT r = "
                                 "f32[4] copy(x), sharding={replicated "
                                 "metadata={op_name=\"s\"}} }"));
  EXPECT_THAT(PrintModule(*module, PrintOptions::ShortParsable()),
              HasSubstr("sharding={replicated}\n"));
}

TEST(PrintInstruction, ReplicaGroupsCanBeListed) {
  PrintOptions options = PrintOptions::ShortParsable();
  options.full_replica_group_list = true;
  EXPECT_THAT(
      Line("r = f32[4] all-reduce(x), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=add", options),
      HasSubstr("replica_groups={{0,2,4,6},{1,3,5,7}}"));
  EXPECT_THAT(Line("r = f32[4] all-reduce(x), replica_groups=mesh['x'=2,'y'=4] {'y'}, to_apply=add",
                   options),
              HasSubstr("replica_groups={{0,1,2,3},{4,5,6,7}}"));
  EXPECT_THAT(Line("r = f32[4] all-reduce(x), replica_groups=mesh['x'=2,'y'=4] {'y':(1)2,'x'}, "
                   "to_apply=add",
                   options),
              HasSubstr("replica_groups={{0,4,2,6},{1,5,3,7}}"));
}

TEST(PrintConstant, LargeOnesAndTuplesAreDotsUnlessAskedFor) {
  EXPECT_EQ(Line("r = f32[11] constant(0)", {}), "%r = f32[11]{0} constant({...})");
  EXPECT_EQ(Line("r = s32[2,5] constant({{1,2,3,4,5},{6,7,8,9,10}})", {}),
            "%r = s32[2,5]{1,0} constant({ { 1, 2, 3, 4, 5 }, { 6, 7, 8, 9, 10 } })");
  EXPECT_EQ(Line("r = (f32[], s32[1]) constant((1, {2}))", {}),
            "%r = (f32[], s32[1]{0}) constant({...})");
  EXPECT_EQ(Line("r = (f32[], s32[1]) constant((1, {2}))"),
            "r = (f32[], s32[1]{0}) constant(( 1, {2} ))");
}

TEST(PrintConstant, DotsOfNoElementsLoseNothing) {
  EXPECT_EQ(Line("r = f32[3,0] constant({...})"), "r = f32[3,0]{1,0} constant({ {}, {}, {} })");
  const std::string many = "r = f32[40000,0]{1,0} constant({...})";
  EXPECT_EQ(Line(many), many);
}

TEST(PrintConstant, ElidedOnesStayElidedAndReadable) {
  EXPECT_EQ(Line("r = f32[2] constant({...})", {}), "%r = f32[2]{0} constant({...})");
  EXPECT_EQ(Line("r = f32[1000] constant({...})"), "r = f32[1000]{0} constant({...})");
  const std::string tuple =
      Line("r = (f32[20], (s1[], f8e8m0fnu[], c64[])) constant(({...}, (0, 1, (0, 0))))");
  EXPECT_EQ(tuple,
            "r = (f32[20]{0}, (s1[], f8e8m0fnu[], c64[])) constant(( {...}, ( 0, 1, (0, 0) "
            ") ))");
  EXPECT_EQ(Line(tuple), tuple);
}

// R1 to R3 of hlo_text_format.md 10.2.
TEST(PrintModule, NestedOperands) {
  EXPECT_EQ(Reprint("HloModule n\nENTRY t { ROOT r = maximum(f32[4] constant({1,2,3,4}), "
                    "sqrt(f32[4] parameter(0))) }",
                    PrintOptions::ShortParsable()),
            R"(HloModule n, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY t {
  constant.anon = f32[4]{0} constant({1, 2, 3, 4})
  parameter.anon = f32[4]{0} parameter(0)
  sqrt.anon = f32[4]{0} sqrt(parameter.anon)
  ROOT r = f32[4]{0} maximum(constant.anon, sqrt.anon)
}

)");
}

TEST(PrintModule, TuplePaths) {
  constexpr absl::string_view text = R"(HloModule g
ENTRY t {
  p = (f32[2], s32[]) parameter(0)
  q = f32[2] parameter(1)
  ROOT r = add(p#0, q)
}
)";
  EXPECT_EQ(Reprint(text, PrintOptions::ShortParsable()),
            R"(HloModule g, entry_computation_layout={((f32[2]{0}, s32[]), f32[2]{0})->f32[2]{0}}

ENTRY t {
  p = (f32[2]{0}, s32[]) parameter(0)
  p_0 = f32[2]{0} get-tuple-element(p), index=0
  q = f32[2]{0} parameter(1)
  ROOT r = f32[2]{0} add(p_0, q)
}

)");
  PrintOptions compact;
  compact.compact_gte = true;
  EXPECT_THAT(Reprint(text, compact), HasSubstr("ROOT %r = f32[2]{0} add(%p#0, %q)"));
  EXPECT_THAT(Reprint(text, compact), Not(HasSubstr("get-tuple-element")));
}

TEST(PrintModule, NamesAndDefaults) {
  EXPECT_EQ(Reprint(R"(HloModule d, replica_count=1
f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  x = f32[3,2] parameter(0)
  y = f32[] constant(0.0)
  ROOT s = f32[3] reduce(x, y), to_apply=f, dimensions={1}, sharding={replicated}
}
)",
                    PrintOptions::ShortParsable()),
            R"(HloModule d, entry_computation_layout={(f32[3,2]{1,0})->f32[3]{0}}

f {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY e {
  x.1 = f32[3,2]{1,0} parameter(0)
  y.1 = f32[] constant(0)
  ROOT s.1 = f32[3]{0} reduce(x.1, y.1), dimensions={1}, to_apply=f, sharding={replicated}
}

)");
}

constexpr absl::string_view kCalls = R"(HloModule m
c { p = f32[3] parameter(0) ROOT r = f32[3] negate(p) }
d { p = f32[3] parameter(0) ROOT r = f32[3] call(p), to_apply=c }, execution_thread="host"
ENTRY e {
  x = f32[3] parameter(0)
  i = s32[] constant(1)
  co = f32[3] conditional(i, x, x), branch_computations={c, d}
  b = pred[] constant(1)
  co2 = f32[3] conditional(b, x, co), true_computation=c, false_computation=d
  ROOT f = f32[3] fusion(co2), kind=kLoop, calls=c
}
)";

TEST(PrintModule, LongFormAsXlaPrintsIt) {
  EXPECT_EQ(Reprint(kCalls), R"(HloModule m, entry_computation_layout={(f32[3]{0})->f32[3]{0}}

%c (p: f32[3]) -> f32[3] {
  %p = f32[3]{0} parameter(0)
  ROOT %r = f32[3]{0} negate(%p)
}

%d (p.1: f32[3]) -> f32[3] {
  %p.1 = f32[3]{0} parameter(0)
  ROOT %r.1 = f32[3]{0} call(%p.1), to_apply=%c
}, execution_thread="host"

ENTRY %e (x: f32[3]) -> f32[3] {
  %b = pred[] constant(true)
  %x = f32[3]{0} parameter(0)
  %i = s32[] constant(1)
  %co = f32[3]{0} conditional(%i, %x, %x), branch_computations={%c, %d}
  %co2 = f32[3]{0} conditional(%b, %x, %co), true_computation=%c, false_computation=%d
  ROOT %f = f32[3]{0} fusion(%co2), kind=kLoop, calls=%c
}

)");
}

TEST(PrintModule, CanonicalFormAsXlaPrintsIt) {
  const std::string text = Reprint(kCalls, PrintOptions::Canonical());
  EXPECT_THAT(text, HasSubstr(R"(
ENTRY e {
  tmp_0 = pred[] constant(true)
  tmp_1 = f32[3]{0} parameter(0)
  tmp_2 = s32[] constant(1)
  tmp_3 = f32[3]{0} conditional(s32[] tmp_2, f32[3]{0} tmp_1, f32[3]{0} tmp_1), branch_computations={
  {
    tmp_0 = f32[3]{0} parameter(0)
    ROOT tmp_1 = f32[3]{0} negate(f32[3]{0} tmp_0)
  },
  {
    tmp_0 = f32[3]{0} parameter(0)
    ROOT tmp_1 = f32[3]{0} call(f32[3]{0} tmp_0), to_apply=
    {
      tmp_0 = f32[3]{0} parameter(0)
      ROOT tmp_1 = f32[3]{0} negate(f32[3]{0} tmp_0)
    }
  }, execution_thread="host"
}
)"));
  EXPECT_THAT(text, HasSubstr(R"( true_computation=
  {
    tmp_0 = f32[3]{0} parameter(0)
    ROOT tmp_1 = f32[3]{0} negate(f32[3]{0} tmp_0)
  }, false_computation=
  {
)"));
}

TEST(PrintModule, OnlyNonSequentialCallersGetBodies) {
  PrintOptions options = PrintOptions::Canonical();
  options.subcomputations = PrintOptions::Subcomputations::kNonSequentialBodies;
  const std::string text = Reprint(kCalls, options);
  EXPECT_THAT(text, HasSubstr("branch_computations={c, d}"));
  EXPECT_THAT(text, HasSubstr("calls=\n  {\n"));
}

TEST(PrintModule, WithoutIdsNamesAreCut) {
  PrintOptions options;
  options.ids = false;
  const std::string text = Reprint(kCalls, options);
  EXPECT_THAT(text, StartsWith("HloModule , entry_computation_layout="));
  EXPECT_THAT(text, HasSubstr("\n%(p: f32[3]) -> f32[3] {\n  %p = f32[3]{0} parameter(0)\n"
                              "  ROOT %r = f32[3]{0} call(%p), to_apply=%c\n}\n"));
}

TEST(PrintModule, NamesThatAreWordsOfTheGrammarKeepTheirPercentSign) {
  EXPECT_THAT(Reprint("HloModule m\nENTRY %manual { %true = f32[] parameter(0) ROOT %nan = f32[] "
                      "negate(%true) }",
                      PrintOptions::ShortParsable()),
              EndsWith("ENTRY %manual {\n  %true = f32[] parameter(0)\n"
                       "  ROOT %nan = f32[] negate(%true)\n}\n\n"));
}

constexpr absl::string_view kAsync = R"(HloModule m
w { p = f32[3] parameter(0) ROOT r = f32[3] negate(p) }, execution_thread="t"
w2 { p = f32[3] parameter(0) n = f32[3] negate(p) ROOT r = f32[3] negate(n) }
id { ROOT p = f32[3] parameter(0) }
ENTRY e {
  x = f32[3] parameter(0)
  a = ((f32[3]), f32[3], s32[]) async-start(x), async_execution_thread="t", output_to_operand_aliasing={{0,0}: (0, {})}, calls=w
  u = ((f32[3]), f32[3], s32[]) async-update(a)
  ad = f32[3] async-done(u)
  b = ((f32[3]), f32[3], s32[]) async-start(x), calls=w2
  bd = f32[3] async-done(b)
  c = ((f32[3]), f32[3], s32[]) async-start(x), calls=id
  cd = f32[3] async-done(c)
  s = ((f32[3]), f32[2], s32[]) slice-start(x), slice={[0:2]}
  sd = f32[2] slice-done(s)
  ROOT t = tuple(ad, bd, cd, sd)
}
)";

TEST(PrintModule, AsyncWrappersOfOneOperationAreSugared) {
  const std::string text = Reprint(kAsync, PrintOptions::ShortParsable());
  const std::string shape = "((f32[3]{0}), f32[3]{0}, s32[])";
  EXPECT_THAT(
      text, HasSubstr(absl::StrCat("  a = ", shape,
                                   " negate-start(x), async_execution_thread=\"t\", "
                                   "output_to_operand_aliasing={{0,0}: (0, {})}\n  u = ",
                                   shape, " negate-update(a)\n  ad = f32[3]{0} negate-done(u)\n")));
  EXPECT_THAT(text, HasSubstr("slice-start(x), slice={[0:2]}\n"));
  EXPECT_THAT(text, HasSubstr("slice-done(s)\n"));
  // The wrapper is not written; those of more than one operation, or of none, are.
  EXPECT_THAT(text, Not(HasSubstr("\nw {")));
  EXPECT_THAT(text, HasSubstr("\nw2 {"));
  EXPECT_THAT(text, HasSubstr("async-start(x), calls=w2\n"));
  EXPECT_THAT(text, HasSubstr("async-start(x), calls=id\n"));
}

TEST(PrintModule, WithoutSugarWrappersAreCalledByName) {
  PrintOptions options = PrintOptions::ShortParsable();
  options.async_sugar = false;
  const std::string text = Reprint(kAsync, options);
  EXPECT_THAT(text, HasSubstr("\nw {"));
  EXPECT_THAT(text, HasSubstr("async-start(x), async_execution_thread=\"t\", "
                              "output_to_operand_aliasing={{0,0}: (0, {})}, calls=w\n"));
  EXPECT_THAT(text, Not(HasSubstr("negate-")));
}

TEST(PrintSharding, FormsPrintAsTheyAreRead) {
  const absl::string_view shardings[] = {
      "{replicated}",
      "{maximal device=3}",
      "{maximal device=3 metadata={op_name=\"m\"}}",
      "{manual shard_as 1}",
      "{unknown shard_like 3}",
      "{unreduced}",
      "{devices=[4,2]0,1,2,3,4,5,7,6}",
      "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}",
      "{devices=[1,2,2,2]<=[8] last_tile_dims={manual, replicated} shard_like 5}",
      "{devices=[8,1]<=[8] metadata={{op_name=\"x\"}, {op_name=\"y\" source_line=3}}}",
      "{{maximal device=0}, {devices=[8,1]<=[8]}, {replicated}, {manual}, {manual}, "
      "/*index=5*/{manual}}",
      "{}",
      "{maximal_mesh[device_id=5]}",
      "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={'y':(2)2}}",
      "{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{?}, {'x', 'y'}]}",
      "{mesh['x'=2,'y'=2], device_ids=(3,2,1,0), [{}], manual={'x'}}",
      "{mesh['x'=8], manual}",
      "{mesh['x'=8], replicated, metadata={{op_name=\"a\"}}}",
      "{mesh['x'=2,'y'=2,'z'=2], [{}], replicated={'z'}, unreduced=max{'x'}, manual={'y'}}",
      "{mesh['a b'=2], [{'a b'}]}",
  };
  for (absl::string_view text : shardings) {
    absl::StatusOr<Sharding> sharding = ParseSharding(text);
    ASSERT_TRUE(sharding.ok()) << text << sharding.status();
    EXPECT_EQ(PrintSharding(*sharding), text);
  }
  absl::StatusOr<Sharding> sharding = ParseSharding("{maximal device=3 metadata={op_name=\"m\"}}");
  ASSERT_TRUE(sharding.ok());
  EXPECT_EQ(PrintSharding(*sharding, /*with_metadata=*/false), "{maximal device=3}");
}

TEST(PrintReplicaGroups, HostileIotasAreNotListed) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kIota;
  groups.group_count = int64_t{1} << 40;
  groups.group_size = 1;
  groups.iota_reshape_dims = {int64_t{1} << 40};
  groups.iota_transpose_perm = {0};
  EXPECT_EQ(PrintReplicaGroups(groups, /*expand_to_list=*/true),
            "[1099511627776,1]<=[1099511627776]");
}

TEST(CanonicalizeIota, DropsOnesAndMergesNeighbours) {
  const struct {
    std::vector<int64_t> dims, perm, canonical_dims, canonical_perm;
  } cases[] = {
      {{8}, {0}, {8}, {0}},
      {{4, 2}, {0, 1}, {8}, {0}},
      {{4, 2}, {1, 0}, {4, 2}, {1, 0}},
      {{1, 2, 1, 2}, {3, 2, 1, 0}, {2, 2}, {1, 0}},
      {{2, 3, 4}, {2, 0, 1}, {6, 4}, {1, 0}},
      {{2, 3, 4}, {1, 2, 0}, {2, 12}, {1, 0}},
      {{2, 3, 4}, {2, 1, 0}, {2, 3, 4}, {2, 1, 0}},
      {{2, 1, 3}, {0, 2, 1}, {6}, {0}},
      {{1, 1}, {1, 0}, {1}, {0}},
      // No permutation: left alone.
      {{2, 2}, {0, 0}, {2, 2}, {0, 0}},
      {{2, 2}, {0}, {2, 2}, {0}},
  };
  for (const auto& c : cases) {
    std::vector<int64_t> dims = c.dims;
    std::vector<int64_t> perm = c.perm;
    CanonicalizeIota(&dims, &perm);
    EXPECT_EQ(dims, c.canonical_dims);
    EXPECT_EQ(perm, c.canonical_perm);
  }
}

TEST(QuoteString, Escapes) {
  EXPECT_EQ(QuoteString("a\n\r\t\"'\\\x01\x7f\xc3\xa9"),
            "\"a\\n\\r\\t\\\"\\'\\\\\\001\\177\\303\\251\"");
}

}  // namespace
}  // namespace assay
