// Modules to and from protos: lossless round trips of samples, of the text format's worked examples
// and of what only text can say (testdata), files of XLA, refusals.
#include "spec/proto/conversions.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/unknown_field_set.h"
#include "spec/proto/pieces.h"
#include "spec/proto/proto_test_util.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conversions_test {
namespace {

using ::testing::HasSubstr;

const std::string kSpec = std::string(ASSAY_SOURCE_DIR) + "/spec/";

std::vector<std::string> AllTexts() {
  std::vector<std::string> paths = SamplesEndingIn(".hlo");
  for (const std::string& folder : {kSpec + "text/testdata/examples", kSpec + "proto/testdata"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      paths.push_back(entry.path().string());
    }
  }
  return paths;
}

wire::HloModuleProto FromText(const std::string& text) {
  wire::HloModuleProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

std::unique_ptr<Module> ReadOrFail(const wire::HloModuleProto& proto) {
  absl::StatusOr<std::unique_ptr<Module>> module = ModuleFromProto(proto);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

wire::HloModuleProto WriteOrFail(const Module& module) {
  absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
  EXPECT_TRUE(proto.ok()) << proto.status();
  return proto.ok() ? *std::move(proto) : wire::HloModuleProto();
}

TEST(Conversions, TextComesBackFromProtos) {
  std::set<Opcode> seen;
  for (const std::string& path : AllTexts()) {
    SCOPED_TRACE(path);
    std::unique_ptr<Module> module = MustParse(ReadOrDie(path));
    ASSERT_NE(module, nullptr);
    const std::string bytes = WriteOrFail(*module).SerializeAsString();
    wire::HloModuleProto proto;
    ASSERT_TRUE(proto.ParseFromString(bytes));
    std::unique_ptr<Module> back = ReadOrFail(proto);
    ASSERT_NE(back, nullptr);
    EXPECT_TRUE(CompareModules(*module, *back).ok()) << CompareModules(*module, *back);
    EXPECT_EQ(PrintModule(*module, PrintOptions::Lossless()),
              PrintModule(*back, PrintOptions::Lossless()));
    for (const auto& computation : module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        seen.insert(instruction->opcode());
        EXPECT_TRUE(instruction->annotations().wire_extras.empty()) << instruction->Describe();
      }
    }
  }
  for (const OpInfo& op : Catalogue()) EXPECT_EQ(seen.count(op.opcode), 1u) << op.name;
}

// Zero groups, which no operation takes, are not the one group that a field left out means.
TEST(Conversions, ZeroGroupsStayZero) {
  const std::string groups = ", dim_labels=bf_io->bf, feature_group_count=";
  for (const char* count : {"0", "1"}) {
    const std::unique_ptr<Module> module =
        MustParse(absl::StrCat("HloModule m\nENTRY e {\n  a = f32[2,2] parameter(0)\n  "
                               "ROOT c = f32[2,2] convolution(a, a)",
                               groups, count, ", batch_group_count=", count, "\n}\n"));
    const std::unique_ptr<Module> back = ReadOrFail(*ModuleToProto(*module));
    ASSERT_NE(back, nullptr);
    for (Attr attr : {Attr::kFeatureGroupCount, Attr::kBatchGroupCount}) {
      EXPECT_EQ(back->entry()->root()->GetInt(attr), std::stoll(count));
    }
  }
}

// A letter that is missing is dimension 0 on the wire, where a digit may stand.
TEST(Conversions, LabelsOfCustomCallsMayLackLetters) {
  for (const char* labels : {"01_01->01", "b?01f_01->01", "b0f_?i0->?0"}) {
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n  a = f32[2,2] parameter(0)\n  ROOT c = f32[2,2] ",
                     "custom-call(a), custom_call_target=\"f\", dim_labels=", labels, "\n}\n");
    const std::unique_ptr<Module> module = MustParse(text);
    const std::unique_ptr<Module> back = ReadOrFail(*ModuleToProto(*module));
    ASSERT_NE(back, nullptr) << labels;
    EXPECT_TRUE(CompareModules(*module, *back).ok()) << CompareModules(*module, *back);
  }
}

// Strides and dilations of 0, which no operation takes and XLA's reader of text reads, are not the
// 1 that a field left out means; neither are counts of 0 replicas or partitions.
TEST(Conversions, ZerosOfWindowsSlicesAndCountsStayZero) {
  const std::unique_ptr<Module> module =
      MustParse(R"(HloModule m, replica_count=0, num_partitions=-1
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  z = f32[] constant(0)
  s = f32[4] slice(x), slice={[0:4:0]}
  ROOT w = f32[4] reduce-window(x, z), window={size=2 stride=0 lhs_dilate=0 rhs_dilate=0}, to_apply=add
})");
  const std::unique_ptr<Module> back = ReadOrFail(*ModuleToProto(*module));
  ASSERT_NE(back, nullptr);
  EXPECT_TRUE(CompareModules(*module, *back).ok()) << CompareModules(*module, *back);
  EXPECT_EQ(back->replica_count, 0);
  EXPECT_EQ(back->num_partitions, -1);
  const WindowDimension& window = back->entry()->root()->window().dimensions[0];
  EXPECT_EQ(window.stride, 0);
  EXPECT_EQ(window.base_dilation, 0);
  EXPECT_EQ(window.window_dilation, 0);
}

// The samples have both forms, written by XLA.
TEST(Conversions, ProtosOfXlaEqualItsText) {
  const std::vector<std::string> paths = SamplesEndingIn(".pb", ".snapshot.pb");
  ASSERT_GE(paths.size(), 30u);
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    wire::HloModuleProto proto;
    ASSERT_TRUE(proto.ParseFromString(ReadOrDie(path)));
    std::unique_ptr<Module> from_proto = ReadOrFail(proto);
    std::unique_ptr<Module> from_text =
        MustParse(ReadOrDie(path.substr(0, path.size() - 3) + ".hlo"));
    ASSERT_TRUE(from_proto != nullptr && from_text != nullptr);
    // The short text does not say where an instruction comes from; the proto says neither counts
    // nor frames unused.
    // Texts are in XLA's printing order, protos in that of the ids.
    PrintOptions options;
    options.large_constants = true;
    options.metadata = false;
    from_proto->replica_count = from_text->replica_count;
    from_proto->num_partitions = from_text->num_partitions;
    const auto header = [&](const Module& module) {
      const std::string text = PrintModule(module, options);
      return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(header(*from_proto), header(*from_text));
    // Text does not say which caller has the lowest id, and so not always which callee comes first.
    ASSERT_EQ(from_proto->computations().size(), from_text->computations().size());
    for (const auto& computation : from_text->computations()) {
      const Computation* same = from_proto->Find(computation->name());
      ASSERT_NE(same, nullptr) << computation->name();
      EXPECT_EQ(PrintComputation(*same, options), PrintComputation(*computation, options));
    }
  }
}

TEST(Conversions, ProtosOfXlaComeBackWhole) {
  for (const std::string& path : SamplesEndingIn(".pb", ".snapshot.pb")) {
    SCOPED_TRACE(path);
    wire::HloModuleProto proto;
    ASSERT_TRUE(proto.ParseFromString(ReadOrDie(path)));
    std::unique_ptr<Module> module = ReadOrFail(proto);
    ASSERT_NE(module, nullptr);
    std::unique_ptr<Module> back = ReadOrFail(WriteOrFail(*module));
    ASSERT_NE(back, nullptr);
    EXPECT_TRUE(CompareModules(*module, *back).ok()) << CompareModules(*module, *back);
    // Ids are kept, but for 0, which stands for none.
    for (size_t c = 0; c < module->computations().size(); ++c) {
      const Computation& a = *module->computations()[c];
      const Computation& b = *back->computations()[c];
      EXPECT_EQ(a.id(), b.id());
      for (int64_t i = 0; i < a.instruction_count(); ++i) {
        EXPECT_EQ(a.instruction(i)->id(), b.instruction(i)->id());
      }
    }
  }
}

// A field with number 99999 that no version knows, everywhere the module keeps such fields, and
// some that are known and have no place.
TEST(Conversions, UnknownFieldsSurvive) {
  wire::HloModuleProto proto;
  ASSERT_TRUE(proto.ParseFromString(ReadOrDie(kSamples + "matmul_chain.pb")));
  constexpr int kUnknown = 99999;
  const auto mark = [](google::protobuf::Message* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(kUnknown, 7);
  };
  wire::HloInstructionProto* instruction = proto.mutable_computations(0)->mutable_instructions(0);
  mark(&proto);
  mark(proto.mutable_computations(0));
  mark(instruction);
  mark(instruction->mutable_metadata());
  instruction->mutable_sharding()->set_type(wire::OpSharding::MANUAL);
  mark(instruction->mutable_sharding());
  mark(instruction->mutable_window());  // a message that this opcode has no attribute for
  instruction->mutable_metadata()->set_size_of_generated_code_in_bytes(5);
  instruction->set_delta(12);
  proto.set_device_type("GPU");
  proto.add_payloads("payload");
  proto.set_is_dynamic(true);
  std::unique_ptr<Module> module = ReadOrFail(proto);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry()->instruction(0)->annotations().sharding->type, Sharding::Type::kManual);
  const wire::HloModuleProto back = WriteOrFail(*module);
  const auto is_marked = [](const google::protobuf::Message& message) {
    const auto& unknown = message.GetReflection()->GetUnknownFields(message);
    return unknown.field_count() == 1 && unknown.field(0).number() == kUnknown &&
           unknown.field(0).varint() == 7;
  };
  const wire::HloInstructionProto& written = back.computations(0).instructions(0);
  EXPECT_TRUE(is_marked(back));
  EXPECT_TRUE(is_marked(back.computations(0)));
  EXPECT_TRUE(is_marked(written));
  EXPECT_TRUE(is_marked(written.metadata()));
  EXPECT_TRUE(is_marked(written.sharding()));
  EXPECT_TRUE(is_marked(written.window()));
  EXPECT_EQ(written.metadata().size_of_generated_code_in_bytes(), 5);
  EXPECT_EQ(written.delta(), 12);
  EXPECT_EQ(back.device_type(), "GPU");
  ASSERT_EQ(back.payloads_size(), 1);
  EXPECT_EQ(back.payloads(0), "payload");
  EXPECT_TRUE(back.is_dynamic());
}

// A module of one computation; `more` are fields of the module, %s the instructions.
std::string ModuleText(const std::string& instructions, const std::string& more = "") {
  return absl::StrCat(
      "name: 'm' entry_computation_id: 1 computations { name: 'e' id: 1 root_id: 1 ", instructions,
      "}", more);
}
constexpr absl::string_view kScalar = "shape { element_type: F32 } ";
constexpr absl::string_view kPred = "shape { element_type: PRED } ";

std::string Parameter(int id, int number, absl::string_view shape = kScalar) {
  return absl::StrCat("instructions { name: 'p", id, "' opcode: 'parameter' id: ", id,
                      " parameter_number: ", number, " ", shape, "} ");
}
std::string Op(const std::string& opcode, int id, const std::string& rest,
               absl::string_view shape = kScalar) {
  return absl::StrCat("instructions { name: 'i", id, "' opcode: '", opcode, "' id: ", id, " ",
                      shape, rest, "} ");
}

TEST(OldProtos, MissingFieldsMeanTheirDefaults) {
  const std::string image = "shape { element_type: F32 dimensions: [1, 4, 2] } ";  // no layout
  std::unique_ptr<Module> module = ReadOrFail(FromText(ModuleText(absl::StrCat(
      Parameter(2, 0, image), Parameter(3, 1, image),
      Op("convolution", 1,
         "operand_ids: [2, 3] window { dimensions { size: 1 } } convolution_dimension_numbers {"
         "  input_batch_dimension: 0 input_spatial_dimensions: 1 input_feature_dimension: 2"
         "  kernel_spatial_dimensions: 0 kernel_input_feature_dimension: 1"
         "  kernel_output_feature_dimension: 2 output_batch_dimension: 0"
         "  output_spatial_dimensions: 1 output_feature_dimension: 2 }",
         image)))));
  ASSERT_NE(module, nullptr);
  const Instruction& convolution = *module->entry()->root();
  EXPECT_EQ(convolution.GetInt(Attr::kFeatureGroupCount), 1);
  EXPECT_EQ(convolution.GetInt(Attr::kBatchGroupCount), 1);
  EXPECT_EQ(convolution.window().dimensions[0], WindowDimension{});
  EXPECT_EQ(convolution.shape().layout(), Layout::Default(3));
  EXPECT_EQ(convolution.convolution_dimensions().kernel_rank, 3);
}

TEST(OldProtos, ReplicaGroupsAndChannelsOfEveryAge) {
  const auto groups = [](const std::string& fields) {
    const std::string adder =
        absl::StrCat("computations { name: 'add' id: 2 root_id: 3 ", Parameter(1, 0),
                     Parameter(2, 1), Op("add", 3, "operand_ids: [1, 2]"), "}");
    std::unique_ptr<Module> module = ReadOrFail(FromText(ModuleText(
        absl::StrCat(
            Parameter(2, 0),
            Op("all-reduce", 1, absl::StrCat("operand_ids: 2 called_computation_ids: 2 ", fields))),
        adder)));
    EXPECT_EQ(module->entry()->root()->FindInt(Attr::kChannelId), 5);
    return module->entry()->root()->replica_groups();
  };
  const ReplicaGroups old =
      groups("all_reduce_id: 5 replica_groups { replica_ids: [0, 2] } replica_groups {}");
  EXPECT_EQ(old.groups, (std::vector<std::vector<int64_t>>{{0, 2}, {}}));
  const ReplicaGroups newer =
      groups("channel_id: 5 collective_device_list { replica_groups { replica_ids: [0, 2] } }");
  EXPECT_EQ(newer.groups, (std::vector<std::vector<int64_t>>{{0, 2}}));
  const ReplicaGroups iota = groups(
      "channel_id: 5 collective_device_list { iota_replica_group_list { num_replica_groups: 2 "
      "num_devices_per_group: 4 iota_reshape_dims: 8 iota_transpose_perm: 0 } }");
  EXPECT_EQ(iota.form, ReplicaGroups::Form::kIota);
  EXPECT_EQ(iota.group_size, 4);
}

TEST(OldProtos, InstructionsComeInAnyOrderAndWithoutNames) {
  std::unique_ptr<Module> module = ReadOrFail(
      FromText("name: 'jit(f)' entry_computation_name: 'e' computations { name: 'e' "
               "instructions { opcode: 'negate' shape { element_type: F32 } operand_ids: 7 } "
               "instructions { opcode: 'parameter' shape { element_type: F32 } id: 7 } }"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->name(), "jit_f_");
  ASSERT_EQ(module->entry()->instruction_count(), 2);
  EXPECT_EQ(module->entry()->instruction(0)->name(), "parameter");
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kNegate);
  EXPECT_NE(module->entry()->root()->id(), 0);
}

// XLA creates instructions in the order of their ids and starts printing from the first.
TEST(Order, IsThatOfTheIdsWhereItCanBe) {
  const std::string operations =
      absl::StrCat(Parameter(1, 0), Op("abs", 4, "operand_ids: 1"),
                   Op("negate", 3, "operand_ids: 1"), Op("add", 9, "operand_ids: [4, 3]"));
  const auto order = [&](const std::string& root_id, const std::string& more,
                         const std::string& rest) {
    std::unique_ptr<Module> module = ReadOrFail(FromText(absl::StrCat(
        "name: 'm' entry_computation_id: 1 computations { name: 'e' id: 1 root_id: ", root_id, " ",
        operations, more, "}", rest)));
    std::string names;
    for (const auto& instruction : module->entry()->instructions()) {
      absl::StrAppend(&names, instruction->info().name, " ");
    }
    EXPECT_TRUE(
        CompareModules(*module, **ParseModule(PrintModule(*module, PrintOptions::Lossless())))
            .ok());
    return names;
  };
  EXPECT_EQ(order("9", "", ""), "parameter negate abs add ");
  // A schedule is the order of a scheduled text.
  EXPECT_EQ(
      order("9", "", "schedule { sequences { key: 1 value { instruction_ids: [1, 4, 3, 9] } } }"),
      "parameter abs negate add ");
  // What an id cannot say stays in the order of the proto.
  EXPECT_EQ(order("2", Op("sine", 2, "operand_ids: 9"), ""), "parameter abs negate add sine ");
}

// Text drops them too.
TEST(OldProtos, UnusedFramesDisappear) {
  std::unique_ptr<Module> module = ReadOrFail(FromText(ModuleText(
      Parameter(1, 0),
      "stack_frame_index { file_names: 'a.py' function_names: 'f' file_locations { file_name_id: 1 "
      "function_name_id: 1 line: 3 } stack_frames { file_location_id: 1 } }")));
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(module->stack_frames.empty());
}

// XLA refuses a literal with another size, and keeps that of the instruction.
TEST(Writer, LiteralsHaveElementsOfTheirNaturalSize) {
  std::unique_ptr<Module> module =
      MustParse("HloModule m\nENTRY e { ROOT c = u4[2]{0} constant({1, 2}) }");
  Shape shape = module->entry()->root()->shape();
  Layout layout = *shape.layout();
  layout.element_size_in_bits = 4;
  shape.set_layout(layout);
  module->entry()->root()->set_shape(shape);
  const wire::HloModuleProto proto = WriteOrFail(*module);
  const wire::HloInstructionProto& constant = proto.computations(0).instructions(0);
  EXPECT_EQ(constant.shape().layout().element_size_in_bits(), 4);
  EXPECT_EQ(constant.literal().shape().layout().element_size_in_bits(), 0);
  EXPECT_EQ(ReadOrFail(proto)->entry()->root()->shape(), shape);
}

// The entry of a text is the side of the users, that of a message the side of the operand.
TEST(Writer, DomainsAreNamedFromTheOtherSide) {
  const std::unique_ptr<Module> module = MustParse(
      "HloModule m\nENTRY e { x = f32[] parameter(0) ROOT d = f32[] domain(x), "
      "domain={kind=\"sharding\", entry={maximal device=1}, exit={maximal device=2}} }");
  const wire::HloModuleProto proto = WriteOrFail(*module);
  const wire::HloInstructionProto& domain = proto.computations(0).instructions(1);
  EXPECT_EQ(domain.domain_entry_sharding().tile_assignment_devices(0), 2);
  EXPECT_EQ(domain.domain_exit_sharding().tile_assignment_devices(0), 1);
  EXPECT_TRUE(CompareModules(*module, *ReadOrFail(proto)).ok());
}

TEST(OldProtos, CountsComeFromTheDeviceAssignment) {
  std::unique_ptr<Module> module = ReadOrFail(FromText(
      ModuleText(Parameter(1, 0), "device_assignment { replica_count: 4 computation_count: 2 }")));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->replica_count, 4);
  EXPECT_EQ(module->num_partitions, 2);
  const wire::HloModuleProto written = WriteOrFail(*module);
  EXPECT_FALSE(written.text_only().has_replica_count());
  EXPECT_EQ(written.device_assignment().replica_count(), 4);
  module->replica_count = 1;
  EXPECT_EQ(ReadOrFail(WriteOrFail(*module))->replica_count, 1);
}

TEST(Writer, GivesIdsThatReadersTakeApart) {
  std::unique_ptr<Module> module = MustParse(ReadOrDie(kSamples + "mandelbrot.hlo"));
  // Equal ids, and none, as edited modules have.
  for (const auto& computation : module->computations()) {
    computation->instruction(0)->set_id(0);
    if (computation->instruction_count() > 1) computation->instruction(1)->set_id(5);
  }
  const wire::HloModuleProto proto = WriteOrFail(*module);
  std::set<int64_t> ids;
  for (const auto& computation : proto.computations()) {
    for (const auto& instruction : computation.instructions()) {
      EXPECT_TRUE(ids.insert(instruction.id()).second) << instruction.id();
    }
  }
  EXPECT_TRUE(CompareModules(*module, *ReadOrFail(proto)).ok());
}

// Readers take the order of instructions from their ids: new ones must keep it.
TEST(Writer, WhatWasWrittenIsWrittenAgain) {
  const std::string root = Parameter(1, 0), zero = Parameter(0, 1), last = Parameter(2, 2);
  std::vector<wire::HloModuleProto> protos = {
      FromText(ModuleText(root + zero + last)),
      FromText(ModuleText(root + last + Parameter(-5, 1))),
      // Ids of another computation.
      FromText(ModuleText(root + zero + last, "computations { name: 'f' id: 2 root_id: 2 " + root +
                                                  Parameter(2, 1) + Parameter(4, 2) + "}")),
      // An order that is not that of the ids.
      FromText(ModuleText(Op("negate", 1, "operand_ids: 3") + Parameter(3, 0) + Parameter(2, 1))),
  };
  for (const std::string& path : SamplesEndingIn(".pb", ".snapshot.pb")) {
    wire::HloModuleProto proto;
    ASSERT_TRUE(proto.ParseFromString(ReadOrDie(path))) << path;
    protos.push_back(std::move(proto));
  }
  EXPECT_GT(protos.size(), 10u);
  for (const wire::HloModuleProto& proto : protos) {
    const std::unique_ptr<Module> module = ReadOrFail(proto);
    ASSERT_NE(module, nullptr);
    const wire::HloModuleProto once = WriteOrFail(*module);
    const std::unique_ptr<Module> again = ReadOrFail(once);
    ASSERT_NE(again, nullptr);
    EXPECT_TRUE(CompareModules(*module, *again).ok()) << CompareModules(*module, *again);
    EXPECT_EQ(DeterministicBytes(once), DeterministicBytes(WriteOrFail(*again))) << module->name();
  }
}

struct Refusal {
  std::string proto;
  std::string message;
};

TEST(Refusals, NameTheInstructionAndTheReason) {
  const std::string p2 = Parameter(2, 0);
  const Refusal kRefusals[] = {
      {"name: 'm'", "the module has no computations"},
      {"computations { name: 'e' }", "computation %e: it has no instructions"},
      {ModuleText(Op("frobnicate", 1, "")), "instruction %i1 (frobnicate): the opcode is unknown"},
      {ModuleText(p2 + Op("negate", 1, "operand_ids: 9")),
       "%i1 (negate) refers to id 9, which no instruction here has"},
      {ModuleText(p2 + Op("negate", 1, "operand_ids: 2 control_predecessor_ids: 8")), "id 8"},
      {ModuleText(p2 + Op("negate", 2, "operand_ids: 2")), "%p2 and %i2 have the same id 2"},
      {ModuleText(Op("negate", 1, "operand_ids: 3") + Op("negate", 3, "operand_ids: 1")),
       "in a cycle: %i1 -> %i3 -> %i1"},
      {ModuleText(p2), "no instruction has the root's id 1"},
      {ModuleText(p2 + Op("add", 1, "operand_ids: 2")), "it cannot have 1 operands"},
      {ModuleText(p2 + Parameter(1, 0)), "%p2 and %p1 are both parameter 0"},
      {ModuleText(Parameter(1, 1) + p2 + Parameter(3, 3) + Parameter(4, 5) + Parameter(5, 2) +
                  Op("negate", 6, "operand_ids: 2")),
       "parameter 4 is missing"},
      {ModuleText(Parameter(1, -1)), "the parameter number -1 is out of range"},
      {ModuleText(Parameter(1, 1000000000)), "the parameter number 1000000000 is out of range"},
      {ModuleText("instructions { name: 'x' opcode: 'parameter' id: 1 }"),
       "instruction %x (parameter): a shape has the unknown element type number 0"},
      {ModuleText(Parameter(1, 0, "shape { element_type: F32 dimensions: -3 }")), "is negative"},
      {ModuleText(Op("constant", 1, "literal { shape { element_type: S32 } s32s: 1 }")),
       "the literal has the shape s32[] and not f32[]"},
      {ModuleText(Op("constant", 1, "literal { shape { element_type: F32 } f32s: [1, 2] }")),
       "has 8 bytes of f32 elements instead of 4"},
      {ModuleText(p2 + Op("compare", 1, "operand_ids: [2, 2] comparison_direction: 'XX'", kPred)),
       "unknown direction \"XX\""},
      {ModuleText(p2 + Op("compare", 1, "operand_ids: [2, 2]", kPred)),
       "the attribute direction is missing"},
      {ModuleText(p2 + Op("fft", 1, "operand_ids: 2 fft_type: 9")), "unknown fft_type number 9"},
      {ModuleText(p2 + Op("pad", 1, "operand_ids: [2, 2]")), "the attribute padding is missing"},
      {ModuleText(p2 + Op("concatenate", 1, "operand_ids: 2 dimensions: [0, 1]")),
       "dimensions has 2 entries instead of one"},
      {ModuleText(p2 + Op("call", 1, "operand_ids: 2 called_computation_ids: 7")),
       "it calls computation id 7, which no computation has"},
      {ModuleText(p2 + Op("call", 1, "operand_ids: 2 called_computation_ids: 1")),
       "computations call each other in a cycle: %e -> %e"},
      {ModuleText(p2 + Op("call", 1, "operand_ids: 2")), "it calls 0 computations instead of 1"},
      {ModuleText(Parameter(1, 0),
                  "computations { name: 'f' id: 1 root_id: 1 " + Parameter(1, 0) + "}"),
       "computations %e and %f have the same id 1"},
      {ModuleText(Parameter(1, 0) + "program_shape { result { element_type: S32 } }"),
       "another number of parameters"},
      {ModuleText(Parameter(1, 0), "host_program_shape { result { element_type: F32 } }"),
       "host_program_shape has other shapes than the entry computation %e"},
      {ModuleText(Parameter(1, 0),
                  "schedule { sequences { key: 1 value { instruction_ids: 4 } } }"),
       "the schedule has the instruction id 4"},
      {ModuleText(Parameter(1, 0), "schedule { sequences { key: 1 value { } } }"),
       "the schedule lacks %p1"},
      {ModuleText(Parameter(1, 0), "schedule { sequences { key: 3 value { } } }"),
       "the schedule has the computation id 3"},
      {ModuleText(Parameter(1, 0), "input_output_alias { entries { output_shape_index: 2 } }"),
       "input_output_alias names an output that does not exist"},
      {"name: 'm' entry_computation_id: 4 computations { name: 'e' id: 1 root_id: 1 " +
           Parameter(1, 0) + "}",
       "no computation has the entry's id 4"},
      {ModuleText(Parameter(1, 0, absl::StrCat(kScalar, "sharding { type: 77 }"))),
       "a sharding has the unknown type 77"},
      {ModuleText(Parameter(1, 0,
                            absl::StrCat(kScalar,
                                         "original_value { elements { shape_index: "
                                         "1000000000 } }"))),
       "the indices of an original value form no tuple"},
      {ModuleText(Parameter(1, 0), "frontend_attributes { map { key: '\\xc3k' value: 'v' } }"),
       "the key \"\\xc3k\" of frontend_attributes is not UTF-8"},
      {ModuleText(Parameter(1, 0,
                            absl::StrCat(kScalar,
                                         "frontend_attributes { map { key: "
                                         "'\\355\\240\\200' value: 'v' } }"))),
       "of frontend_attributes is not UTF-8"},
  };
  for (const Refusal& refusal : kRefusals) {
    absl::StatusOr<std::unique_ptr<Module>> module = ModuleFromProto(FromText(refusal.proto));
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument) << refusal.proto;
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(refusal.message));
  }
}

TEST(Conversions, ALongChainTakesNoStack) {
  constexpr int kLength = 200000;
  wire::HloModuleProto proto = FromText(ModuleText(Parameter(kLength + 1, 0)));
  wire::HloComputationProto* computation = proto.mutable_computations(0);
  // Users before operands.
  for (int id = 1; id <= kLength; ++id) {
    wire::HloInstructionProto* instruction = computation->add_instructions();
    instruction->set_opcode("negate");
    instruction->set_name("negate");
    instruction->set_id(id);
    instruction->add_operand_ids(id + 1);
    instruction->mutable_shape()->set_element_type(wire::F32);
  }
  std::unique_ptr<Module> module = ReadOrFail(proto);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry()->instruction_count(), kLength + 1);
  EXPECT_EQ(module->entry()->root()->index(), kLength);
}

}  // namespace
}  // namespace assay::conversions_test
