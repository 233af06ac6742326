// Named arrays to arguments: the samples, tuples, devices, and every way in which they do not fit.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/arrays/arrays.h"
#include "spec/proto/module_file.h"
#include "spec/testing/must_parse.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kSamples = std::string(ASSAY_SOURCE_DIR) + "/conformance/samples/";

Literal Array(const std::string& text) {
  absl::StatusOr<Literal> literal = ParseTypedLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? *std::move(literal) : Literal();
}

constexpr char kTupleModule[] = R"(ENTRY e {
  a = f32[2]{0} parameter(0)
  b = (s32[], (pred[], token[]), f32[<=3]{0}) parameter(1)
  ROOT c = f32[2]{0} negate(a)
})";

std::vector<NamedLiteral> Good() {
  return {{"arg3", Array("f32[2]{0} {3, 4}")},
          {"arg0", Array("f32[2]{0} {1, 2}")},
          {"arg2", Array("pred[] true")},
          {"arg1", Array("s32[] 7")}};
}

std::string ErrorOf(std::vector<NamedLiteral> arrays) {
  std::unique_ptr<Module> module = MustParse(kTupleModule);
  auto arguments = ToArguments(*module, std::move(arrays));
  EXPECT_FALSE(arguments.ok());
  return arguments.ok() ? "" : std::string(arguments.status().message());
}

TEST(ToArguments, SamplesFitTheirModules) {
  for (const std::string name : {"mlp_train_step", "int4_pack", "all_reduce_4dev"}) {
    absl::StatusOr<ModuleFile> file = OpenModuleFile(kSamples + name + ".hlo");
    ASSERT_TRUE(file.ok()) << file.status();
    absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(kSamples + name + ".inputs.npz");
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    auto arguments = ToArguments(*file->module, *std::move(arrays));
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    EXPECT_EQ(arguments->size(), name == "all_reduce_4dev" ? 4u : 1u);
    EXPECT_EQ((*arguments)[0].size(), file->module->entry()->parameters().size());
  }
}

TEST(ToArguments, NumbersRunOverTheLeavesOfTuples) {
  std::unique_ptr<Module> module = MustParse(kTupleModule);
  auto arguments = ToArguments(*module, Good());
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  const Literal& tuple = (*arguments)[0][1];
  EXPECT_EQ(tuple.element(0).Get(0).bits, 7u);
  EXPECT_EQ(tuple.element(1).element(0).Get(0).bits, 1u);
  EXPECT_TRUE(tuple.element(1).element(1).shape().is_token());
  EXPECT_EQ(tuple.element(2).dynamic_size(0), 2);
  EXPECT_EQ(tuple.element(2).shape().dimension(0), 3);
  EXPECT_EQ(DecodeFloat(ElementType::kF32, tuple.element(2).Get(1).bits), 4.0);
  const std::vector<NamedLiteral> named = NameLeaves(tuple, "out", 2);
  ASSERT_EQ(named.size(), 3u);
  EXPECT_EQ(named[2].name, "out2.dev2");
}

TEST(ToResult, TokensTakeNoArray) {
  std::unique_ptr<Module> module = MustParse(
      "ENTRY e { t = token[] after-all() a = f32[2] parameter(0) b = s32[] parameter(1)\n"
      "  u = (token[], s32[]) tuple(t, b) ROOT r = (token[], f32[2], (token[], s32[])) tuple(t, a, "
      "u) }");
  const std::vector<NamedLiteral> arrays = {{"out1", Array("s32[] 3")},
                                            {"out0", Array("f32[2] {1, 2}")}};
  absl::StatusOr<std::vector<Literal>> result = ToResults(*module, arrays);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->size(), 1u);
  EXPECT_EQ(result->front().shape().ToString(), "(token[], f32[2], (token[], s32[]))");
  // What is written is read again.
  const std::vector<NamedLiteral> named = NameByDevice(*result, "out");
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[1].name, "out1");
  EXPECT_EQ(named[1].value.Get(0).bits, 3u);
  const auto error = [&](std::vector<NamedLiteral> given) {
    return std::string(ToResults(*module, std::move(given)).status().message());
  };
  EXPECT_THAT(error({arrays[1]}), HasSubstr("gives 2 arrays, and 1 is expected"));
  EXPECT_THAT(error({{"out0", arrays[0].value}, {"out1", arrays[1].value}}),
              HasSubstr("out0 is s32[], but f32[2] in the module"));
  EXPECT_THAT(error({{"arg0", arrays[1].value}, {"arg1", arrays[0].value}}),
              HasSubstr("arg0 is not named outN"));
}

// As numpy.savez leaves arrays of JAX's.
TEST(ToArguments, BitsTakeTheTypeOfTheModule) {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n a = (f32[], bf16[2]) parameter(0)\n b = f8e5m2[1] parameter(1)\n"
      " ROOT c = s4[2] constant({1, -2})\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  Literal two = Literal::Zeros(Shape(ElementType::kU16, {2}));
  two.Set(1, Element{0x3f80});
  Literal one = Literal::Zeros(Shape(ElementType::kU8, {1}));
  one.Set(0, Element{0x3c});
  const Literal zero = Literal::Zeros(Shape(ElementType::kF32, {}));
  auto arguments =
      ToArguments(**module, {{"arg0", zero}, {"arg1", two, true}, {"arg2", one, true}});
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  const Literal& bf16 = (*arguments)[0][0].element(1);
  EXPECT_EQ(bf16.element_type(), ElementType::kBF16);
  EXPECT_EQ(DecodeFloat(ElementType::kBF16, bf16.Get(1).bits), 1.0);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E5M2, (*arguments)[0][1].Get(0).bits), 1.0);
  Literal nibbles = Literal::Zeros(Shape(ElementType::kU8, {2}));
  nibbles.Set(1, Element{0xfe});
  auto results = ToResults(**module, {{"out0", nibbles, true}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(DecodeSigned(ElementType::kS4, (*results)[0].Get(1).bits), -2);
  // Bits are not those of a type that numpy has, or of another size.
  for (const auto& wrong : {NamedLiteral{"arg1", one, true}, {"arg1", two, false}}) {
    EXPECT_FALSE(ToArguments(**module, {{"arg0", zero}, wrong, {"arg2", one, true}}).ok());
  }
  EXPECT_THAT(ToArguments(**module, {{"arg0", two, true}, {"arg1", two, true}, {"arg2", one, true}})
                  .status()
                  .message(),
              HasSubstr("arg0 has a numpy type without a name, of 2 bytes"));
}

TEST(ToQueues, AsNameQueuesNamesThem) {
  const Literal x = Array("s32[2] {1, 2}"), y = Array("f32[] 3");
  const std::vector<std::vector<Literal>> several = {{x, y}, {}, {y}};
  const std::vector<NamedLiteral> named = NameQueues(several, "outfeed");
  ASSERT_EQ(named.size(), 3u);
  EXPECT_EQ(named[1].name, "outfeed1.dev0");
  EXPECT_EQ(named[2].name, "outfeed0.dev2");
  const auto queues = ToQueues({named[2], named[1], named[0]}, "outfeed", 3);
  ASSERT_TRUE(queues.ok()) << queues.status();
  ASSERT_EQ(queues->size(), 3u);
  EXPECT_EQ((*queues)[0].size(), 2u);
  EXPECT_TRUE(Literal::BitEqual((*queues)[0][0], x));
  EXPECT_EQ((*queues)[1].size(), 0u);
  EXPECT_TRUE(Literal::BitEqual((*queues)[2][0], y));
  EXPECT_EQ(NameQueues({{x}}, "infeed")[0].name, "infeed0");
  EXPECT_EQ(ToQueues({}, "infeed", 2)->size(), 2u);

  const auto error = [](std::vector<NamedLiteral> arrays, int64_t devices) {
    return std::string(ToQueues(std::move(arrays), "infeed", devices).status().message());
  };
  EXPECT_THAT(error({{"outfeed0", x}}, 1), HasSubstr("outfeed0 is not named infeedN"));
  EXPECT_THAT(error({{"infeed1", x}}, 1), HasSubstr("infeed0 of device 0 is missing"));
  EXPECT_THAT(error({{"infeed0", x}}, 2), HasSubstr("infeed0 is of none of 2 devices"));
  EXPECT_THAT(error({{"infeed0.dev2", x}}, 2), HasSubstr("infeed0.dev2 is of none of 2 devices"));
  EXPECT_THAT(error({{"infeed0", x}, {"infeed0.dev0", x}}, 1), HasSubstr("there are two arrays"));
  EXPECT_THAT(error({{"infeed0", x, true}}, 1), HasSubstr("a numpy type without a name"));
}

TEST(ToArguments, SaysWhatIsWantedAndWhatIsThere) {
  std::vector<NamedLiteral> arrays = Good();
  arrays.pop_back();
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("the array arg1 is missing"));
  arrays.erase(arrays.begin());
  arrays[1].name = "arg1";
  EXPECT_THAT(ErrorOf(arrays),
              HasSubstr("wants 4 arrays and 2 are given; it wants arg0: f32[2], arg1: s32[]"));
  arrays = Good();
  arrays.push_back({"arg4", Array("s32[] 1")});
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("wants 4 arrays and 5 are given"));
  arrays = Good();
  arrays[1].value = Array("s32[2]{0} {1, 2}");
  EXPECT_THAT(ErrorOf(arrays), AllOf(HasSubstr("arg0 is s32[2], the parameter is f32[2] (%a"),
                                     HasSubstr("array.astype(numpy.float32) converts it")));
  arrays = Good();
  arrays[0].value = Array("f32[4]{0} {1, 2, 3, 4}");
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("arg3 is f32[4], the parameter is f32[<=3]"));
  arrays = Good();
  arrays[0].name = "weights";
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("the array weights is not named argN or argN.devD"));
  arrays[0].name = "arr_0";
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("numpy.savez(file, arg0=x, arg1=y)"));
  arrays[0].name = "arg0";
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("two arrays arg0"));
  arrays[0].name = "arg3.dev0";
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("some arrays are named for a device"));
  for (NamedLiteral& array : arrays) array.name = array.name.substr(0, 4) + ".dev1";
  EXPECT_THAT(ErrorOf(arrays), HasSubstr("no arrays for device 0"));
}

// Each of two replicas has its rows in two tiles, the last one short, and copies of a scalar.
constexpr char kTiled[] = R"(HloModule m, replica_count=2, num_partitions=2
ENTRY e {
  x = s32[3] parameter(0), sharding={devices=[2]1,0}
  n = s32[] parameter(1)
  b = s32[3] broadcast(n), dimensions={}
  ROOT y = s32[3] add(x, b), sharding={devices=[2]0,1}
})";

std::vector<NamedLiteral> Tiles() {
  return {{"arg0.dev0", Array("s32[1] {3}")},     {"arg1.dev0", Array("s32[] 7")},
          {"arg0.dev1", Array("s32[2] {1, 2}")},  {"arg1.dev1", Array("s32[] 7")},
          {"arg0.dev2", Array("s32[2] {30, 0}")},  // padded
          {"arg1.dev2", Array("s32[] 8")},        {"arg0.dev3", Array("s32[2] {10, 20}")},
          {"arg1.dev3", Array("s32[] 8")}};
}

TEST(ToArguments, TilesAreJoined) {
  std::unique_ptr<Module> module = MustParse(kTiled);
  auto arguments = ToArguments(*module, Tiles(), 2);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  ASSERT_EQ(arguments->size(), 2u);
  EXPECT_TRUE(Literal::BitEqual((*arguments)[0][0], Array("s32[3] {1, 2, 3}")));
  EXPECT_TRUE(Literal::BitEqual((*arguments)[1][0], Array("s32[3] {10, 20, 30}")));
  EXPECT_TRUE(Literal::BitEqual((*arguments)[1][1], Array("s32[] 8")));
  // Whole arrays, one list for each replica, stay as they are.
  arguments = ToArguments(*module,
                          {{"arg0.dev0", Array("s32[3] {1, 2, 3}")},
                           {"arg1.dev0", Array("s32[] 7")},
                           {"arg0.dev1", Array("s32[3] {4, 5, 6}")},
                           {"arg1.dev1", Array("s32[] 7")}},
                          2);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  EXPECT_TRUE(Literal::BitEqual((*arguments)[1][0], Array("s32[3] {4, 5, 6}")));
  auto results = ToResults(*module,
                           {{"out0.dev0", Array("s32[2] {1, 2}")},
                            {"out0.dev1", Array("s32[1] {3}")},
                            {"out0.dev2", Array("s32[2] {4, 5}")},
                            {"out0.dev3", Array("s32[1] {6}")}},
                           2);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_TRUE(Literal::BitEqual((*results)[1], Array("s32[3] {4, 5, 6}")));
}

// As Shardy leaves shardings: of parameters, and of the elements of a result. The first axis of the
// mesh cuts rows, the second columns.
constexpr char kShardy[] =
    R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
ENTRY e {
  x = s32[2,3] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\"}]>]>"}
  n = s32[] parameter(1)
  y = s32[2,3] negate(x)
  r = s32[2,3] custom-call(y), custom_call_target="xla.sdy.FuncResultSharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"y\"}, {}]>]>"}
  ROOT t = (s32[2,3], s32[]) tuple(r, n)
})";

TEST(ToArguments, TilesAreJoinedAsShardySays) {
  std::unique_ptr<Module> module = MustParse(kShardy);
  std::vector<NamedLiteral> tiles = {{"arg0.dev0", Array("s32[1,2] {{1, 2}}")},
                                     {"arg0.dev1", Array("s32[1,1] {{3}}")},
                                     {"arg0.dev2", Array("s32[1,2] {{4, 5}}")},
                                     {"arg0.dev3", Array("s32[1,1] {{6}}")}};
  for (int d = 0; d < 4; ++d) {
    tiles.push_back({absl::StrCat("arg1.dev", d), Array("s32[] 7")});
  }
  auto arguments = ToArguments(*module, tiles, 4);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  ASSERT_EQ(arguments->size(), 1u);
  EXPECT_TRUE(Literal::BitEqual((*arguments)[0][0], Array("s32[2,3] {{1, 2, 3}, {4, 5, 6}}")));
  // The second axis cuts the rows of the result.
  tiles.clear();
  for (int d = 0; d < 4; ++d) {
    tiles.push_back({absl::StrCat("out0.dev", d),
                     Array(d % 2 == 0 ? "s32[1,3] {{1, 2, 3}}" : "s32[1,3] {{4, 5, 6}}")});
    tiles.push_back({absl::StrCat("out1.dev", d), Array("s32[] 7")});
  }
  auto results = ToResults(*module, tiles, 4);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_TRUE(
      Literal::BitEqual((*results)[0].element(0), Array("s32[2,3] {{1, 2, 3}, {4, 5, 6}}")));
  module->frontend_attributes.clear();
  tiles.clear();
  for (int d = 0; d < 4; ++d) {
    tiles.push_back({absl::StrCat("arg0.dev", d), Array("s32[2,3] {{1, 2, 3}, {4, 5, 6}}")});
    tiles.push_back({absl::StrCat("arg1.dev", d), Array("s32[] 7")});
  }
  EXPECT_THAT(std::string(ToArguments(*module, tiles, 4).status().message()),
              AllOf(HasSubstr("no xla.sdy.meshes"), HasSubstr("x = s32[2,3]")));
}

TEST(ToArguments, TilesThatDoNotFit) {
  std::unique_ptr<Module> module = MustParse(kTiled);
  const auto error = [&](size_t number, const std::string& text) {
    std::vector<NamedLiteral> tiles = Tiles();
    tiles[number].value = Array(text);
    const auto arguments = ToArguments(*module, std::move(tiles), 2);
    EXPECT_EQ(arguments.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(arguments.status().message());
  };
  EXPECT_THAT(error(7, "s32[] 9"),
              AllOf(HasSubstr("the tiles of arg1 in replica 1"), HasSubstr("devices 0 and 1")));
  EXPECT_THAT(error(2, "s32[1] {1}"), HasSubstr("the tiles of arg0"));
  EXPECT_THAT(error(0, "f32[1] {1}"), HasSubstr("the tiles of arg0"));
  std::vector<NamedLiteral> tiles = Tiles();
  tiles.pop_back();
  EXPECT_THAT(std::string(ToArguments(*module, tiles, 2).status().message()),
              HasSubstr("1 arrays for device 3"));
}

}  // namespace
}  // namespace assay
