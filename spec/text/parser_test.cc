// What texts mean: every example of hlo_text_format.md 10.1, the leniencies of appendix A, names,
// inferred and rewritten shapes, asynchronous sugar. Expected values are those of the reference.
#include "spec/text/parser.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

// An entry with x, y: f32[4], t: (f32[2], (s32[], pred[3])), s: f32[], and a reducer f.
std::unique_ptr<Module> ParseBody(absl::string_view body) {
  return MustParse(
      "HloModule m\n"
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e {\n x = f32[4] parameter(0) y = f32[4] parameter(1) "
      "t = (f32[2], (s32[], pred[3])) parameter(2) s = f32[] parameter(3)\n" +
      std::string(body) + "\n}\n");
}

std::string RootShape(absl::string_view body) {
  auto module = ParseBody(body);
  return module == nullptr ? "" : module->entry()->root()->shape().ToString(true);
}

std::vector<std::string> Names(const Computation& computation) {
  std::vector<std::string> names;
  for (const auto& instruction : computation.instructions()) names.push_back(instruction->name());
  return names;
}

TEST(ParserTest, ReadsEveryExampleOfTheReference) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/spec/text/testdata/examples")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    auto module = ParseModule(text.str());
    EXPECT_TRUE(module.ok()) << entry.path() << ": " << module.status();
    ++count;
  }
  EXPECT_EQ(count, 29);
}

// Each of these is one leniency or rare form of appendix A or of section 6 and 7.
class AcceptedBody : public ::testing::TestWithParam<absl::string_view> {};
TEST_P(AcceptedBody, IsRead) { EXPECT_NE(ParseBody(GetParam()), nullptr); }

constexpr absl::string_view kAccepted[] = {
    "a = add(x, y,)",
    "a = add(x,, y)",
    "a = add(, x, y)",
    "a = add(f32[4], x, f32[2], y)",
    "a = add(x, f32[4], y)",
    "%a=add(%x, y)",
    "a = add(f32[4]{0} %x, f32[4] y)",
    "a = f32[4]{0} add(/*index=0*/x, // first\n y)",
    "a = pred[3] not(pred[3] %t#1#1)",
    "a = tuple(x, y), sharding={{replicated}, {maximal device=0}}",
    "a = call(s, s), to_apply={ a = f32[] parameter(0) ROOT b = f32[] parameter(1) }",
    "a = f32[] custom-call(), custom_call_target=\"a\", called_computations={f, { c = f32[] "
    "constant(0) }}",
    "a = exponential(x), result_accuracy={tolerance={ulps=2,atol=0}}",
    "a = negate(x), statistics={visualizing_index=0,a=1e999,b=-inf}",
    "a = (f32[0,9223372036854775807,9], pred[?,9223372036854775807]{0,1:T(*,2)}) custom-call(x), "
    "custom_call_target=\"f\"",
    // Old dumps repeat the attributes of what is wrapped (appendix B).
    "a = ((f32[4]), f32[2], s32[]) slice-start(x), slice={[0:2]} "
    "b = ((f32[4]), f32[2], s32[]) slice-update(a), slice={[0:2]} "
    "c = f32[2] slice-done(b), slice={[0:2]}",
    "a = ((f32[], f32[]), f32[], s32[]) fusion-start(s, s), kind=kLoop, calls=f "
    "b = f32[] fusion-done(a), kind=kLoop, calls=f",
    // The reference does not ask whether a layout names every dimension.
    "a = f32[4,2]{7,-1} custom-call(), custom_call_target=\"a\"",
    "a = copy(x), metadata={op_name=\"a\",source_line=1 source_file=\"f\"}",
    "a = copy(x), metadata={,op_name=\"a\"}",
    "a = copy(x), metadata={preserve_layout=true op_name=\"old\"}",
    "a = copy(x), frontend_attributes={a.b=\"x\",c={ \"d\": {1} }}",
    "a = copy(x), frontend_attributes={}",
    "a = copy(x), backend_config={\"a\": \"}\"}",
    "a = copy(x), statistics={}",
    "a = copy(x), statistics={visualizing_index=1,stat-1=3,r=0.5}",
    "a = copy(x), control-predecessors={x, %y}",
    "a = copy(x), origin={[synthetic_call]}",
    "a = copy(t), origin={({\"a\"}, ({\"b\" {1}}, {}))}",
    "a = copy(t), origin={}",
    "a = f32[4] all-reduce(x), replica_groups={{0},{1}}, to_apply=f, mode=cross_replica",
    "a = f32[4] all-reduce(x), replica_groups=maximal_mesh[device_id=1] {}, to_apply=f",
    "a = f32[4] all-reduce(x), replica_groups=mesh['x'=4] {'0'}, to_apply=f",
    "a = f32[4] all-gather(x), dimensions={0,1}",
    "a = f32[] reduce-window(), to_apply=f",
    "a = f32[4] all-to-all(x)",
    "a = f32[4] collective-permute(x, x, s, s), source_target_pairs={{0,1}}, slice_sizes={{4}}",
    "i = s32[] constant(0) a = f32[4] conditional(i, x), branch_computations={{ p = f32[4] "
    "parameter(0) }}",
    "a = f32[4] custom-call(x), custom_call_target=\"a\", operand_layout_constraints={f32[4]{0}}",
    "a = f32[4] custom-call(x), custom_call_target=\"a\", output_to_operand_aliasing={{}: (0, "
    "{}),}",
    "a = f32[4] custom-call(x), custom_call_target=\"a\", schedule=schedule_latest",
    "a = f32[4] reshape(x), inferred_dimension=0",
    "a = f32[2] slice(x), slice={[0:4:2]}",
    "a = after-all(x, y)",
    // What the reference's reader does not look at.
    "a = add(x, f32, y)",
    "a = add(x, add, y)",
    "a = add(x, f32[4]{0,1}, y)",
    "a = f32[4]{0:T(8} custom-call(x), custom_call_target=\"a\"",
    "a = f32[4]{0:T(8)S} custom-call(x), custom_call_target=\"a\"",
    "a = f32[4] copy(x), sharding={devices=[3]1,2}",
    "a = f32[4] copy(x), sharding={devices=[2]0,1,2}",
    "a = f32[4] copy(x), sharding={devices=[2,0]0,1 last_tile_dim_replicate}",
    "a = f32[4] copy(x), sharding={devices=[4]<=[2,2]T(0,0)}",
    "a = f32[4] custom-call(x), custom_call_target=\"a\", dim_labels=b01f_01io->b01",
    "a = f32[4] custom-call(x), custom_call_target=\"a\", dim_labels=01_01->01",
    "a = dot(x, y, s, t)",
    "a = f32[2,2] constant({1, ...})",
    "a = f32[2,2] constant({..., 1})",
    "k = token[] parameter(4)",
    "k = opaque[] parameter(4)",
    "a = f32[4] copy(x), sharding={mesh['<a b>/c.d'=4] [{'<a b>/c.d', ?}]}",
    "a = f32[4] copy(x), sharding={mesh['x'=2], unreduced=max}",
    "a = f32[4] copy(x), sharding={replicated manual shard_like 3}",
    "a = f32[<=4,?,0] custom-call(), custom_call_target=\"a\"",
    "d = ((f32[4]), f32[4]) custom-call(x), custom_call_target=\"a\" "
    "a = f32[4] custom-call-done(d)",
    "d = ((f32[4]), f32[4]) negate-start(x) u = ((f32[4]), f32[4]) negate-update(d) "
    "c = copy(u) a = f32[4] negate-done(c), async_execution_thread=\"main\"",
};
INSTANTIATE_TEST_SUITE_P(AppendixA, AcceptedBody, ::testing::ValuesIn(kAccepted));

TEST(ParserTest, ShapesThatAreLeftOutAreInferred) {
  EXPECT_EQ(RootShape("a = add(x, y)"), "f32[4]{0}");
  EXPECT_EQ(RootShape("a = compare(x, y), direction=LT"), "pred[4]{0}");
  EXPECT_EQ(RootShape("a = tuple(x, s)"), "(f32[4]{0}, f32[])");
  EXPECT_EQ(RootShape("a = get-tuple-element(t), index=1"), "(s32[], pred[3]{0})");
  EXPECT_EQ(RootShape("a = reduce(x, s), dimensions={0}, to_apply=f"), "f32[]");
  EXPECT_EQ(RootShape("a = call(s, s), to_apply=f"), "f32[]");
  // The sizes of a broadcast without shape go in front.
  EXPECT_EQ(RootShape("a = broadcast(x), dimensions={3,5}"), "f32[3,5,4]{2,1,0}");
  EXPECT_EQ(RootShape("a = broadcast(s)"), "f32[]");
  EXPECT_EQ(RootShape("a = negate(t#0)"), "f32[2]{0}");
}

TEST(ParserTest, SomeWrittenShapesAreReplaced) {
  EXPECT_EQ(RootShape("k = token[] after-all() a = (f32[2], s8[]) recv(k)"),
            "(f32[2]{0}, u32[], token[])");
  EXPECT_EQ(RootShape("k = token[] after-all() a = s8[] send(x, k)"),
            "(f32[4]{0}, u32[], token[])");
  EXPECT_EQ(RootShape("k = token[] after-all() a = (f32[2]) infeed(k)"), "(f32[2]{0}, token[])");
  EXPECT_EQ(RootShape("k = token[] after-all() a = s8[] outfeed(x, k)"), "token[]");
  EXPECT_EQ(RootShape("k = token[] after-all() a = s32[] add-dependency(x, k)"), "f32[4]{0}");
  EXPECT_EQ(RootShape("a = f32[<=3] constant({1,2,3})"), "f32[3]{0}");
}

TEST(ParserTest, WrittenShapesAreTrusted) {
  EXPECT_EQ(RootShape("a = s8[7]{0:T(2)} add(x, y)"), "s8[7]{0:T(2)}");
  EXPECT_EQ(RootShape("a = f32[9] get-tuple-element(t), index=40"), "f32[9]{0}");
}

TEST(ParserTest, NamesBecomeUniqueOverTheModule) {
  // Expected names as XLA gives them.
  const char body[] =
      "{ x.-5 = f32[] parameter(0) x.05 = f32[] constant(1) x = f32[] constant(1) "
      "x.5.5 = f32[] constant(1) x.99999999999999999999 = f32[] constant(0) "
      "y. = f32[] copy(x.-5) x.-0 = f32[] constant(4) x.00 = f32[] constant(4) }\n";
  auto module = MustParse(absl::StrCat("HloModule m\nf ", body, "g ", body));
  EXPECT_THAT(
      Names(*module->computations()[0]),
      ElementsAre("x.-5", "x.5", "x", "x.5.5", "x.99999999999999999999", "y.", "x.1", "x.2"));
  EXPECT_THAT(
      Names(*module->computations()[1]),
      ElementsAre("x.3", "x.4", "x.6", "x.5.0", "x.99999999999999999999.1", "y..1", "x.7", "x.8"));
}

TEST(ParserTest, ComputationNamesAreAdapted) {
  auto module = MustParse(
      "HloModule m\n__f { x = f32[] parameter(0) }\n%f32 { x = f32[] parameter(0) }\n"
      "__xla_f { x = f32[] parameter(0) }\nf.05 { x = f32[] parameter(0) }\n"
      "ENTRY e { y = f32[] constant(0) a = call(y), to_apply=__f b = call(y), to_apply=%f32 }");
  std::vector<std::string> names;
  for (const auto& computation : module->computations()) names.push_back(computation->name());
  EXPECT_THAT(names, ElementsAre("a_f", "f32_", "__xla_f", "f.5", "e"));
}

TEST(ParserTest, TuplePathsShareOneElement) {
  auto module = ParseBody("a = f32[2] add(t#0, f32[2] t#0) b = not(t#1#1)");
  EXPECT_THAT(Names(*module->entry()),
              ElementsAre("x", "y", "t", "s", "t_0", "a.1", "t_1", "t_1_1", "b.1"));
  const Instruction& element = *module->entry()->instruction(7);
  EXPECT_EQ(element.GetInt(Attr::kIndex), 1);
  EXPECT_EQ(element.shape().ToString(), "pred[3]");
}

TEST(ParserTest, NestedOperandsStandBeforeTheirUser) {
  auto module = ParseBody("a = add(sqrt(x), sqrt(negate(f32[4] constant({...}))))");
  EXPECT_THAT(Names(*module->entry()), ElementsAre("x", "y", "t", "s", "sqrt.anon", "constant.anon",
                                                   "negate.anon", "sqrt.anon.1", "a.1"));
  EXPECT_TRUE(module->entry()->instruction(5)->is_elided_constant());
}

TEST(ParserTest, DotsOfNoElementsAreAnArrayWithoutElements) {
  auto module = ParseBody("a = f32[40000,0] constant({...})");
  const Instruction& constant = *module->entry()->root();
  ASSERT_FALSE(constant.is_elided_constant());
  EXPECT_EQ(constant.literal()->element_count(), 0);
}

TEST(ParserTest, OneInstructionDeclaresItsOperands) {
  auto module = MustParse("f32[8]{0} clamp(f32[], f32[8]{0} %v, f32[])");
  EXPECT_EQ(module->name(), "_");
  EXPECT_TRUE(module->is_scheduled);
  EXPECT_THAT(Names(*module->entry()), ElementsAre("_0", "v", "_2", "_"));
  // A nested operand with a shape leaves an unused parameter behind, as in XLA.
  module = MustParse("f32[4] add(f32[4] sqrt(f32[4] x), f32[4] x)");
  EXPECT_THAT(Names(*module->entry()), ElementsAre("sqrt", "x", "sqrt.anon", "_"));
  module = MustParse(
      "r = f32[4] reduce(f32[4,4] a, f32[] b), dimensions={0}, to_apply={ a = f32[] parameter(0) "
      "b = f32[] parameter(1) ROOT s = add(a, b) }");
  EXPECT_EQ(module->entry()->name(), "_");
  EXPECT_EQ(module->entry()->root()->to_apply()->name(), "_.1");
  EXPECT_THAT(Names(*module->entry()->root()->to_apply()), ElementsAre("a.1", "b.1", "s"));
}

TEST(ParserTest, RootAndEntryNeedNotBeMarkedOrLast) {
  auto module = MustParse(
      "HloModule m\na { ROOT r = f32[] constant(1) c = f32[] constant(2) }\n"
      "b { c = f32[] constant(2) d = f32[] constant(2) }");
  EXPECT_EQ(module->computations()[0]->root()->name(), "r");
  EXPECT_EQ(module->entry()->root()->name(), "d");
  EXPECT_EQ(MustParse("ENTRY a { c = f32[] constant(1) }\nb { c = f32[] constant(1) }")->name(),
            "module_a");
}

TEST(ParserTest, HeaderAttributes) {
  auto module = MustParse(
      "HloModule h:, num_partitions=4, is_scheduled=true, replica_count=2, "
      "input_output_alias={ {1}: (1, {0}), {0}: (0, {}, must-alias), {1}: (0, {}), }, "
      "buffer_donor={ (1, {1}), (0, {}), (1, {1}) }, "
      "entry_computation_layout={ (f32[2], (f32[], s32[3])) -> (f32[2]{0}, f32[]) }, "
      "allow_spmd_sharding_propagation_to_parameters={true,false}, "
      "allow_spmd_sharding_propagation_to_output=true, frontend_attributes={k=\"1\",k=\"2\"}\n"
      "ENTRY e { a = f32[2] parameter(0) b = (f32[], s32[3]) parameter(1) c = tuple(a, b#0) }");
  EXPECT_EQ(module->name(), "h");
  EXPECT_EQ(module->num_partitions, 4);
  EXPECT_EQ(module->replica_count, 2);
  EXPECT_EQ(module->entry()->schedule().size(), 4u);
  ASSERT_EQ(module->input_output_alias.size(), 2u);
  EXPECT_EQ(module->input_output_alias[0].kind, AliasKind::kMust);
  EXPECT_EQ(module->input_output_alias[1].parameter_number, 1);
  EXPECT_EQ(module->buffer_donors.size(), 2u);
  EXPECT_EQ(module->entry_layout->parameters[1].ToString(true), "(f32[], s32[3]{0})");
  EXPECT_THAT(module->spmd_propagation_to_parameters, ElementsAre(true, false));
  EXPECT_EQ(module->frontend_attributes.at("k"), "2");
}

TEST(ParserTest, StackFramesAreNumberedAnew) {
  auto module = MustParse(
      "HloModule m\nFileNames\n1 \"a\"\n2 \"b\"\nFunctionNames\n1 \"f\"\n2 \"g\"\nFileLocations\n"
      "1 {file_name_id=1 function_name_id=1 line=1 end_line=2 column=3 end_column=4}\n"
      "2 {file_name_id=2, function_name_id=2 line=5 column=6}\n"
      "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
      "2 {file_location_id=2 parent_frame_id=4}\n3 {file_location_id=1 parent_frame_id=1}\n"
      "4 {file_location_id=1 parent_frame_id=5}\n"
      "ENTRY e { a = f32[] constant(0), metadata={op_name=\"a\" stack_frame_id=2} "
      "b = f32[] constant(0), metadata={op_name=\"b\" stack_frame_id=4} "
      "c = f32[] constant(0), metadata={op_name=\"c\" stack_frame_id=9} }");
  // Frame 2 with its parent 3 stays; 4 is its own parent, 9 does not exist, 1 is not used.
  const StackFrames& tables = module->stack_frames;
  ASSERT_EQ(tables.frames.size(), 2u);
  auto id = [&](int i) {
    return module->entry()->instruction(i)->annotations().metadata->stack_frame_id;
  };
  ASSERT_TRUE(id(0) == 1 || id(0) == 2);
  const StackFrames::Frame& frame = tables.frames[id(0) - 1];
  const StackFrames::FileLocation& location = tables.file_locations[frame.file_location_id - 1];
  EXPECT_EQ(tables.file_names[location.file_name_id - 1], "b");
  EXPECT_EQ(location.end_line, 5);
  const StackFrames::Frame& parent = tables.frames[frame.parent_frame_id - 1];
  EXPECT_EQ(parent.parent_frame_id, 0);
  EXPECT_EQ(tables.file_locations[parent.file_location_id - 1].line, 1);
  EXPECT_EQ(id(1), 0);
  EXPECT_EQ(id(2), 0);
}

TEST(ParserTest, AsyncStartsPutWhatTheyRunOnTheirThread) {
  auto module = MustParse(R"(HloModule m
d { p = f32[3] parameter(0) ROOT r = f32[3] negate(p) }, execution_thread="own"
w { p = f32[3] parameter(0) ROOT r = f32[3] call(p), to_apply=d }
v { p = f32[3] parameter(0)
  s = ((f32[3]), f32[3], u32[]) async-start(p), calls=w, async_execution_thread="inner"
  ROOT r = f32[3] async-done(s) }, execution_thread="host"
u { p = f32[3] parameter(0) ROOT r = f32[3] negate(p) }, execution_thread="own"
ENTRY e { p = f32[3] parameter(0)
  s = ((f32[3]), f32[3], u32[]) async-start(p), calls=v, async_execution_thread="outer"
  t = f32[3] async-done(s)
  k2 = ((f32[3]), f32[3], u32[]) call-start(t), to_apply=u
  ROOT t2 = f32[3] call-done(k2) })");
  for (const char* name : {"v", "w", "d"}) {
    EXPECT_EQ(module->Find(name)->execution_thread(), "outer") << name;
  }
  EXPECT_EQ(module->Find("v")->instruction(1)->GetString(Attr::kAsyncExecutionThread), "outer");
  EXPECT_EQ(module->Find("u")->execution_thread(), "main");
  EXPECT_EQ(module->entry()->execution_thread(), "main");
}

TEST(ParserTest, NamesOfStackFramesMayBeMissing) {
  auto module = MustParse(
      "HloModule m\nFileNames\n1\n2 \"b\"\nFunctionNames\n1 2 \"g\" 3\nFileLocations\n"
      "1 {file_name_id=1 function_name_id=1 line=1 end_line=2 column=3 end_column=4}\n"
      "2 {file_name_id=2 function_name_id=2 line=5 end_line=5 column=6 end_column=7}\n"
      "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
      "2 {file_location_id=2 parent_frame_id=2}\n"
      "ENTRY e { a = f32[] constant(0), metadata={op_name=\"a\" stack_frame_id=2} }");
  EXPECT_THAT(module->stack_frames.file_names, ElementsAre("", "b"));
  EXPECT_THAT(module->stack_frames.function_names, ElementsAre("", "g"));
}

TEST(ParserTest, SugaredStartsMakeAWrapper) {
  auto module = ParseBody(
      "a = ((f32[4]), f32[2], u32[]) slice-start(x), slice={[0:2]}, async_execution_thread=\"io\", "
      "metadata={op_name=\"n\"} b = f32[2] slice-done(a)");
  const Instruction& start = *module->entry()->instruction(4);
  EXPECT_EQ(start.opcode(), Opcode::kAsyncStart);
  const Computation& wrapper = *start.GetComputation(Attr::kCalls);
  EXPECT_EQ(wrapper.name(), "async_wrapped");
  EXPECT_EQ(wrapper.execution_thread(), "io");
  EXPECT_THAT(Names(wrapper), ElementsAre("async_param", "slice"));
  EXPECT_EQ(wrapper.root()->slices()[0].limit, 2);
  EXPECT_EQ(wrapper.root()->annotations().metadata->op_name, "n");
  EXPECT_EQ(wrapper.root()->shape().ToString(), "f32[2]");
}

// Protobuf does not tell it from none.
TEST(ParserTest, EmptyMetadataAreNone) {
  const auto module = ParseModule("ENTRY e { x = f32[] parameter(0), metadata={} }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_FALSE((*module)->entry()->root()->annotations().metadata);
}

TEST(ParserTest, UpdatesBindTheOperandsThatTheStartLeftOpen) {
  auto module = ParseBody(
      "a = ((), (), s32[]) add-start() b = ((f32[4], f32[4]), f32[4], s32[]) add-update(a, x, y) "
      "c = f32[4] add-done(b)");
  const Instruction& wrapped =
      *module->entry()->instruction(4)->GetComputation(Attr::kCalls)->root();
  EXPECT_EQ(wrapped.opcode(), Opcode::kAdd);
  EXPECT_EQ(wrapped.operand_count(), 2);
  EXPECT_EQ(wrapped.shape().ToString(), "f32[4]");
}

TEST(ParserTest, OneShardingOfATupleStandsForEveryLeaf) {
  auto module = ParseBody("a = copy(t), sharding={replicated} b = () tuple(), sharding={manual}");
  EXPECT_EQ(module->entry()->instruction(4)->annotations().sharding->tuple.size(), 3u);
  EXPECT_EQ(module->entry()->instruction(5)->annotations().sharding->tuple.size(), 1u);
}

TEST(ParserTest, DefaultsThatDependOnOperands) {
  auto module = ParseBody(
      "a = compare(x, y), direction=EQ, type=FLOAT b = compare(x, y), direction=EQ, type=SIGNED "
      "k = token[] after-all() o = token[] outfeed(x, k) "
      "m = f32[4] map(x, y), dimensions={7}, to_apply=f");
  const Computation& entry = *module->entry();
  EXPECT_FALSE(entry.instruction(4)->HasAttribute(Attr::kComparisonType));
  EXPECT_EQ(entry.instruction(5)->GetInt(Attr::kComparisonType), 2);
  EXPECT_EQ(entry.instruction(7)->attributes().Get<Shape>(Attr::kOutfeedShape)->ToString(),
            "f32[4]");
  EXPECT_THAT(entry.root()->GetInts(Attr::kDimensions), ElementsAre(0));
}

TEST(ParserTest, LayoutsMayBeLeftToTheCompiler) {
  ParseOptions options;
  options.fill_missing_layouts = false;
  auto module = ParseModule(
      "HloModule m, entry_computation_layout={(f32[2])->f32[2]{0}}\n"
      "ENTRY e { a = f32[2] parameter(0) }",
      options);
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE((*module)->entry_layout->parameters[0].has_layout());
  EXPECT_TRUE((*module)->entry_layout->result.has_layout());
  EXPECT_TRUE((*module)->entry()->root()->shape().has_layout());
}

TEST(ParserTest, InstructionsKnowTheirPlace) {
  auto module =
      MustParse("HloModule m\r\nENTRY e {\r\n  a = f32[] constant(0)\r\n  ROOT b = copy(a) }");
  const TextPosition position = module->entry()->root()->position();
  EXPECT_EQ(position.line, 4);
  EXPECT_EQ(position.column, 8);
}

TEST(ParserTest, PiecesOnTheirOwn) {
  EXPECT_EQ(ParseShape(" (f32[2]{0:T(8)}, b(s4[3]{0:E(4)}), f32[?,<=3]) ")->ToString(true),
            "(f32[2]{0:T(8)}, b(s4[3]{0:E(4)}), f32[?,<=3]{1,0})");
  EXPECT_FALSE(ParseShape("f32[2] x").ok());
  EXPECT_EQ(
      ParseTypedLiteral("( s32[2]{0} {1, 2}, (pred[] true, f32[] 0.5), )")->shape().ToString(),
      "(s32[2], (pred[], f32[]))");
  // Without a layout the braces are the value.
  EXPECT_EQ(ParseTypedLiteral("s32[2] {1, 2}")->Get(1).bits, 2u);
  EXPECT_EQ(ParseTypedLiteral("s32[1,2] {{1, 2}}")->Get(1).bits, 2u);
  EXPECT_EQ(ParseTypedLiteral("(f32[2] {0, 1.5}, s32[2]{0} {1, 2}, s32[0] {}, s32[] 3)")
                ->shape()
                .ToString(),
            "(f32[2], s32[2], s32[0], s32[])");
  EXPECT_FALSE(ParseTypedLiteral("s32[2]{0}").ok());
  EXPECT_EQ(ParseLiteral("{1, 2}", Shape(ElementType::kS32, {2}))->Get(1).bits, 2u);
  EXPECT_FALSE(ParseLiteral("{...}", Shape(ElementType::kS32, {2})).ok());
}

// 100,000 instructions in time that grows with the length of the text.
TEST(ParserTest, ReadsALongModule) {
  std::string text = "HloModule long\nENTRY e {\n  x.0 = f32[4] parameter(0)\n";
  constexpr int kCount = 100000;
  for (int i = 1; i < kCount; ++i) {
    absl::StrAppend(&text, "  x.", i, " = f32[4]{0} add(x.", i - 1, ", x.", i / 2,
                    "), metadata={op_name=\"jit(f)/add\" source_line=", i, "}\n");
  }
  text += "}\n";
  auto module = MustParse(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->instruction_count(), kCount);
  EXPECT_EQ(module->entry()->root()->operand(1)->name(), absl::StrCat("x.", (kCount - 1) / 2));
}

TEST(ParserTest, EntryLayoutsNeedNotNameEveryDimension) {
  auto module = MustParse(
      "HloModule m, entry_computation_layout={(f32[2,3]{1,7})->f32[2,3]{0,0}}\n"
      "ENTRY e { p = f32[2,3] parameter(0) ROOT n = negate(p) }");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(module->entry_layout->parameters[0].layout()->minor_to_major, ElementsAre(1, 7));
  EXPECT_THAT(module->entry_layout->result.layout()->minor_to_major, ElementsAre(0, 0));
}

// XLA's own reader; the entry's layout follows.
TEST(ParserTest, ElementsOfConstantsHaveTheirNaturalSize) {
  EXPECT_EQ(RootShape("a = u4[2]{0:E(4)} constant({1, 2})"), "u4[2]{0}");
  EXPECT_EQ(RootShape("a = s8[2]{0:T(8)E(4)S(1)} constant({...})"), "s8[2]{0:T(8)S(1)}");
  EXPECT_EQ(RootShape("a = (s4[]{:E(4)}, f32[]) constant((3, 1))"), "(s4[], f32[])");
  EXPECT_EQ(RootShape("a = u4[2]{0:E(4)} custom-call(), custom_call_target=\"c\""),
            "u4[2]{0:E(4)}");
}

TEST(ParserTest, AnEmptyLiteralOfATupleHasEmptyTuples) {
  EXPECT_EQ(RootShape("a = (f32[2], (s32[])) constant(())"), "((), ())");
  EXPECT_EQ(RootShape("a = (f32[2], (s32[])) constant(({1, 2}, ()))"), "(f32[2]{0}, (()))");
  EXPECT_FALSE(ParseLiteral("()", Shape::Tuple({Shape::Scalar(ElementType::kS32)})).ok());
}

TEST(ParserTest, ToApplyCountsAloneBesideCalledComputations) {
  for (absl::string_view order :
       {"to_apply=f, called_computations={h}", "called_computations={h}, to_apply=f"}) {
    auto module = MustParse(absl::StrCat(
        "HloModule m\nf { ROOT a = f32[] constant(0) }\nh { ROOT a = f32[] constant(0) }\n"
        "ENTRY e { ROOT r = f32[] custom-call(), custom_call_target=\"c\", ",
        order, " }"));
    ASSERT_NE(module, nullptr);
    ASSERT_EQ(module->entry()->root()->called_computations().size(), 1u);
    EXPECT_EQ(module->entry()->root()->called_computations()[0]->name(), "f");
  }
}

TEST(ParserTest, ABroadcastWithoutShapeKeepsDynamicSizes) {
  EXPECT_EQ(RootShape("d = f32[<=3] custom-call(), custom_call_target=\"c\" "
                      "a = broadcast(d), dimensions={2}"),
            "f32[2,<=3]{1,0}");
}

}  // namespace
}  // namespace assay
