// Files that hold modules: every format found by its content, snapshots, compression, damage,
// reading and writing of files.
#include "spec/proto/module_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/files/file_io.h"
#include "spec/proto/conversions.h"
#include "spec/proto/module_format.h"
#include "spec/proto/proto_test_util.h"
#include "spec/testing/schedule.h"
#include "spec/testing/test_folder.h"
#include "spec/text/printer.h"

namespace assay::module_file_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Gzip(const std::string& content) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string ErrorOf(const std::string& content) {
  absl::StatusOr<ModuleFile> file = ParseModuleFile(content, "x");
  EXPECT_FALSE(file.ok());
  return file.ok() ? "" : std::string(file.status().message());
}

TEST(ModuleFile, EveryFormatIsFoundByItsContent) {
  for (const std::string& path : SamplesEndingIn(".hlo", ".dump.hlo")) {
    SCOPED_TRACE(path);
    const std::string text = ReadOrDie(path);
    absl::StatusOr<ModuleFile> original = ParseModuleFile(text, path);
    ASSERT_TRUE(original.ok()) << original.status();
    EXPECT_EQ(original->format, ModuleFormat::kHloText);
    const std::string printed = PrintModule(*original->module, PrintOptions::Lossless());
    for (ModuleFormat format : {ModuleFormat::kModuleProto, ModuleFormat::kHloProto}) {
      for (bool text_form : {false, true}) {
        absl::StatusOr<std::string> content = SerializeModule(*original->module, format, text_form);
        ASSERT_TRUE(content.ok()) << content.status();
        absl::StatusOr<ModuleFile> file = ParseModuleFile(*content, path);
        ASSERT_TRUE(file.ok()) << file.status();
        EXPECT_EQ(file->format, format);
        EXPECT_EQ(file->text_form, text_form);
        EXPECT_EQ(PrintModule(*file->module, PrintOptions::Lossless()), printed);
      }
    }
  }
}

TEST(ModuleFile, SnapshotsOfXlaHaveArgumentsAndResult) {
  const std::vector<std::string> paths = SamplesEndingIn(".snapshot.pb");
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->format, ModuleFormat::kSnapshot);
    EXPECT_FALSE(file->text_form);
    const std::vector<Instruction*> parameters = file->module->entry()->parameters();
    ASSERT_EQ(file->arguments.size(), parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE(Shape::Compatible(file->arguments[i].shape(), parameters[i]->shape()));
    }
    ASSERT_TRUE(file->result.has_value());
    EXPECT_TRUE(Shape::Compatible(file->result->shape(), file->module->entry()->root()->shape()));
    for (bool text_form : {false, true}) {
      absl::StatusOr<std::string> content = SerializeSnapshot(
          *file->module, file->arguments, &*file->result, "Interpreter", text_form);
      ASSERT_TRUE(content.ok()) << content.status();
      absl::StatusOr<ModuleFile> back = ParseModuleFile(*content, path);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(back->format, ModuleFormat::kSnapshot);
      EXPECT_TRUE(CompareModules(*file->module, *back->module).ok());
      EXPECT_TRUE(Literal::BitEqual(*file->result, *back->result));
      EXPECT_TRUE(Literal::BitEqual(file->arguments[0], back->arguments[0]));
    }
  }
}

TEST(ModuleFile, UnoptimizedSnapshotsAreTold) {
  wire::HloUnoptimizedSnapshot snapshot;
  ASSERT_TRUE(
      snapshot.mutable_hlo_module()->ParseFromString(ReadOrDie(kSamples + "mandelbrot.pb")));
  snapshot.set_version(1);
  for (float value : {1.0f, 2.0f}) {
    wire::LiteralProto* argument = snapshot.add_partitions()->add_arguments();
    argument->mutable_shape()->set_element_type(wire::F32);
    argument->add_f32s(value);
  }
  absl::StatusOr<ModuleFile> file = ParseModuleFile(snapshot.SerializeAsString(), "x");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->format, ModuleFormat::kUnoptimizedSnapshot);
  ASSERT_EQ(file->arguments.size(), 1u);
}

TEST(ModuleFile, HloTextThatLooksLikeATextProtoIsHloText) {
  absl::StatusOr<ModuleFile> file = ParseModuleFile(
      "hlo_module { name = f32[] constant(1) ROOT id = negate(name) }\n"
      "ENTRY computations { ROOT name = f32[] constant(2) }",
      "x");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->format, ModuleFormat::kHloText);
}

TEST(ModuleFile, TextProtosMayHaveCommentsListsAndUnknownFields) {
  absl::StatusOr<ModuleFile> file = ParseModuleFile(
      "# proto-file: hlo.proto\nname: \"m\" new_field { a: 1 b: -inf }\n"
      "computations { name: 'e' id: 1 root_id: 1 instructions { name: 'p' opcode: 'constant' id: 1 "
      "shape { element_type: F32 dimensions: [0, 2] } literal { shape < element_type: F32 "
      "dimensions: [0, 2] > } } } entry_computation_id: 1",
      "x");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->format, ModuleFormat::kModuleProto);
  EXPECT_TRUE(file->text_form);
  EXPECT_NE(file->module->entry()->root()->literal(), nullptr);
}

TEST(ModuleFile, TextProtosKeepTheBitsOfNaNs) {
  const std::unique_ptr<Module> module = MustParse(R"(HloModule nans
ENTRY e {
  a = f32[2,2]{0,1} constant({{nan, 1}, {-nan(0x400001), nan(0x1)}})
  b = f64[2] constant({-nan, nan(0x8000000000001)})
  c = c64[1] constant({(nan, -nan)})
  d = c128[1] constant({(-nan(0x5), 2)})
  ROOT t = (f32[2,2], (f64[2], c64[1]), c128[1]) constant((
    {{nan, 1}, {-nan(0x400001), nan(0x1)}}, ({-nan, nan}, {(-nan, 0)}), {(nan, -nan)}))
})");
  ASSERT_NE(module, nullptr);
  const Literal& argument = *module->entry()->root()->literal();
  absl::StatusOr<std::string> text = SerializeSnapshot(*module, {argument}, &argument, "x", true);
  ASSERT_TRUE(text.ok()) << text.status();
  absl::StatusOr<ModuleFile> file = ParseModuleFile(*text, "x");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(CompareModules(*module, *file->module).ok());
  EXPECT_TRUE(Literal::BitEqual(file->arguments[0], argument));
  EXPECT_TRUE(Literal::BitEqual(*file->result, argument));
  // Only where the text needs it.
  EXPECT_THAT(*SerializeModule(*module, ModuleFormat::kModuleProto, true),
              HasSubstr("text_form_nans"));
  const std::unique_ptr<Module> plain =
      MustParse("HloModule m\nENTRY e { ROOT a = f32[] constant(nan) }");
  EXPECT_THAT(*SerializeModule(*plain, ModuleFormat::kModuleProto, true),
              Not(HasSubstr("text_form_nans")));
  for (const std::string nans : {"places: 1 bits: 1", "places: -1 bits: 1", "places: 0"}) {
    const std::string bad =
        absl::StrReplaceAll(*SerializeModule(*plain, ModuleFormat::kModuleProto, true),
                            {{"f32s: nan", absl::StrCat("f32s: nan text_form_nans {", nans, "}")}});
    EXPECT_THAT(std::string(ParseModuleFile(bad, "x").status().message()),
                HasSubstr("text_form_nans"))
        << nans;
  }
}

TEST(ModuleFile, CompressedFilesOpen) {
  for (const std::string name : {"mandelbrot.hlo", "mandelbrot.pb"}) {
    const std::string content = Gzip(ReadOrDie(kSamples + name));
    const std::string path = TestPath("compressed");
    // Two members make one file.
    for (const std::string& written : {content, Gzip(ReadOrDie(kSamples + name)) + Gzip("")}) {
      ASSERT_TRUE(WriteFileAtomically(path, written).ok());
      absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_TRUE(file->compressed);
      EXPECT_EQ(file->module->instruction_count(), 76);
    }
    for (size_t length : {2u, 5u, 20u, 200u}) {
      EXPECT_THAT(std::string(Decompress(content.substr(0, length), "x").status().message()),
                  HasSubstr("x: truncated or corrupt gzip"));
    }
  }
}

TEST(ModuleFile, BombsAreRefusedEarly) {
  const std::string member = Gzip(std::string(size_t{1} << 20, ' '));
  std::string bomb;
  for (int i = 0; i < 140; ++i) bomb += member;
  absl::StatusOr<std::string> result = Decompress(bomb, "bomb.gz");
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("bytes decompress to more than"));
  // What follows does not excuse it.
  result = Decompress(bomb + std::string(size_t{16} << 20, '\1'), "bomb.gz");
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ModuleFile, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("x: is empty"));
  EXPECT_THAT(ErrorOf(std::string("\x7f"
                                  "ELF\x02\x01\x01\0\0\0",
                                  10)),
              HasSubstr("neither HLO text nor a protobuf"));
  EXPECT_THAT(ErrorOf("HloModule m\nENTRY e { ROOT x = f32[ }"), HasSubstr("x:2:"));
  EXPECT_THAT(ErrorOf("computations { name: 'e' instructions { opcode: 3 } }"),
              HasSubstr("not a good HloModuleProto in text form: line 1, column"));
  const std::string binary = ReadOrDie(kSamples + "mandelbrot.pb");
  EXPECT_THAT(ErrorOf(binary.substr(0, binary.size() / 2)),
              HasSubstr("truncated or corrupt HloModuleProto"));
}

// A protobuf nested deeper than readers go.
TEST(ModuleFile, OtherFormatsAreToldApart) {
  for (const absl::string_view text :
       {"module @jit_f {\n  func.func public @main() { return }\n}\n",
        "// made by hand\n\nmodule {\n  func.func @main() { return }\n}\n",
        "func.func @main() { return }\n",
        "#loc = loc(unknown)\nmodule @m { func.func @main() { return } }\n",
        "\"builtin.module\"() ({\n\"func.func\"() ({\n\"func.return\"() : () -> ()\n}) "
        "{function_type = () -> (), sym_name = \"main\"} : () -> ()\n}) : () -> ()\n"}) {
    const absl::StatusOr<ModuleFile> file = ParseModuleFile(text, "m.mlir");
    ASSERT_TRUE(file.ok()) << text << file.status();
    EXPECT_EQ(file->format, ModuleFormat::kStableHlo) << text;
    EXPECT_TRUE(file->text_form) << text;
  }
  // A computation of HLO may be called module.
  for (const absl::string_view text :
       {"module {\n  ROOT x = f32[2] parameter(0)\n}\n",
        "module {\n  // one\n  %a.1 = (f32[], "
        "s32[]) parameter(0)\n  ROOT %b = f32[] get-tuple-element(%a.1), index=0\n}\n"}) {
    const absl::StatusOr<ModuleFile> file = ParseModuleFile(text, "m.hlo");
    ASSERT_TRUE(file.ok()) << text << file.status();
    EXPECT_EQ(file->format, ModuleFormat::kHloText) << text;
  }
  // What looks like StableHLO and is not sound is refused by its readers.
  for (const absl::string_view text :
       {"module {\n  // nothing\n}\n", "module {}", "module {", "module {\n  llvm.func @f()\n}\n",
        "module {\n  %0 = arith.constant 1 : i32\n}\n", "ml_program.global private @g : i32\n"}) {
    EXPECT_THAT(std::string(ParseModuleFile(text, "m.mlir").status().message()),
                AnyOf(HasSubstr("the program has no function"), HasSubstr("m.mlir:1:"),
                      HasSubstr("m.mlir:2:")))
        << text;
    EXPECT_THAT(std::string(ParseModuleFile(text, "m.mlir").status().message()),
                Not(HasSubstr("ENTRY")))
        << text;
  }
  EXPECT_THAT(
      std::string(ParseModuleFile("module attributes {} {\n}\n", "m.mlir").status().message()),
      HasSubstr("m.mlir: the program has no function"));
  EXPECT_THAT(
      std::string(
          ParseModuleFile("module attributes {} {\n}\nmodule {\n}\n", "m.mlir").status().message()),
      HasSubstr("m.mlir: the program holds 2 modules inside a module"));
  EXPECT_THAT(
      std::string(ParseModuleFile("ML\xefR\x01StableHLO_v1.0.0", "m.bc").status().message()),
      HasSubstr("m.bc:"));
  const absl::Status json = ParseModuleFile("{\"name\": \"m\"}", "m.json").status();
  EXPECT_EQ(json.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(json.message()), HasSubstr("m.json: this is JSON"));
  // A computation of HLO may have the name.
  EXPECT_TRUE(ParseModuleFile("module {\n  x = f32[] parameter(0)\n}\n"
                              "ENTRY e { y = f32[] parameter(0) ROOT c = f32[] call(y), "
                              "to_apply=module }",
                              "m.hlo")
                  .ok());
}

TEST(ModuleFile, DeepNestingIsAnError) {
  std::string shape = std::string("\x10\x0b", 2);  // element_type: F32
  const auto wrap = [](char tag, const std::string& bytes) {
    std::string out(1, tag);
    size_t size = bytes.size();
    for (; size >= 128; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
    out.push_back(static_cast<char>(size));
    return out + bytes;
  };
  for (int i = 0; i < 20000; ++i) shape = std::string("\x10\x0d", 2) + wrap('\x22', shape);
  const std::string instruction = wrap('\x12', "constant") + wrap('\x1a', shape);
  const std::string module = wrap('\x1a', wrap('\x12', instruction));
  EXPECT_THAT(ErrorOf(module), HasSubstr("nested more than"));
}

// Damage never crashes: every file is cut at many places and has many bits flipped. A flipped bit
// may still give a good module, a cut proto may, too (at a field's end).
TEST(ModuleFile, DamagedFilesAreStatuses) {
  int64_t refused = 0, read = 0;
  const auto count = [&](const std::string& content) {
    absl::StatusOr<ModuleFile> file = ParseModuleFile(content, "damaged");
    ++(file.ok() ? read : refused);
    if (file.ok()) {
      // What is accepted can be printed and written.
      EXPECT_FALSE(PrintModule(*file->module, PrintOptions::Lossless()).empty());
      EXPECT_TRUE(ModuleToProto(*file->module).ok());
    }
  };
  for (const std::string& path : SamplesEndingIn(".pb")) {
    const std::string content = ReadOrDie(path);
    // Fewer places in larger files.
    const size_t step = content.size() / (kScheduleStride == 1 ? 12 : 4) + 1;
    for (size_t at = 0; at < content.size(); at += step) {
      count(content.substr(0, at));
      std::string flipped = content;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      count(flipped);
    }
  }
  EXPECT_GT(refused, kScheduleStride == 1 ? 300 : 100);
  EXPECT_GT(read, kScheduleStride == 1 ? 50 : 15);
}

// Every byte and every cut of a small file.
TEST(ModuleFile, ASmallFileDamagedEverywhere) {
  const std::string content = ReadOrDie(kSamples + "async_collectives_4dev.pb");
  int64_t refused = 0;
  const auto read = [&](const std::string& damaged) {
    absl::StatusOr<ModuleFile> file = ParseModuleFile(damaged, "damaged");
    if (!file.ok()) {
      ++refused;
    } else {
      EXPECT_FALSE(PrintModule(*file->module, PrintOptions::Lossless()).empty());
    }
  };
  for (size_t at = 0; at < content.size(); ++at) {
    read(content.substr(0, at));
    for (int bit = 0; bit < 8; bit += 3) {
      std::string flipped = content;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      read(flipped);
    }
  }
  EXPECT_GT(refused, static_cast<int64_t>(content.size()));
}

}  // namespace
}  // namespace assay::module_file_test
