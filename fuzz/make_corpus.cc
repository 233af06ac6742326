// Makes what the fuzz targets start from: a dictionary of the words of the catalogue, the attribute
// tables and the protobuf messages, and small inputs for each target from the example texts.
//
// usage: fuzz_corpus SOURCE_DIR OUT_DIR
// Writes OUT_DIR/words.dict and the folders
// OUT_DIR/{text,proto,literal,npz,suite,programs,stablehlo_text,stablehlo_bytecode}.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/programs/decoder.h"
#include "google/protobuf/descriptor.h"
#include "spec/arrays/arrays.h"
#include "spec/files/file_io.h"
#include "spec/op_info.h"
#include "spec/proto/conversions.h"
#include "spec/proto/module_file.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/bytecode_example.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/text.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

void DieUnless(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "fuzz_corpus: %s\n", std::string(status.message()).c_str());
  std::exit(2);
}

void Write(const fs::path& path, absl::string_view content) {
  DieUnless(WriteFileAtomically(path.string(), content));
}

// Words of the grammar that no table has: keywords, annotations, header fields, lists of tiles.
constexpr char kGrammarWords[] =
    "HloModule ENTRY ROOT FileNames FunctionNames FileLocations StackFrames true false inf -inf "
    "nan "
    "-nan(0x1) maximal replicated manual last_tile_dim_replicate last_tile_dims shard_as "
    "shard_like "
    "unknown unreduced sharding= frontend_attributes= statistics= visualizing_index= origin= "
    "metadata= op_name= op_type= source_file= source_line= stack_frame_id= backend_config= "
    "parameter_replication= control-predecessors= execution_thread= devices=[2,2]<=[4] "
    "devices=[2]0,1 T(1,0) mesh['x'=2,'y'=4] {?} :(1)2 size= stride= pad= lhs_dilate= rhs_dilate= "
    "rhs_reversal= /*index=5*/ constant({...}) {1,0:T(8,128)(2,1)E(4)S(1)} is_scheduled=true "
    "input_output_alias={{0}:(0,{},may-alias)} buffer_donor={(0,{})} replica_count= "
    "num_partitions= entry_computation_layout={(f32[])->f32[]} alias_passthrough_params=true "
    "allow_spmd_sharding_propagation_to_output={true} origin_recovery_table= debug_attributes= "
    "(f32[],s32[2]) f32[<=4] f32[?] [2,3] {1,0} -0.0 1e-45 9223372036854775807 "
    "-9223372036854775808 18446744073709551615 -> <= -start( -update( -done( #0 () {} /* */ // "
    "<f4 >c16 |u1 'descr': 'fortran_order': 'shape': (2,3), @bf16 @s4";

void AddMessageWords(const google::protobuf::Descriptor& message, std::set<std::string>* words) {
  for (int i = 0; i < message.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *message.field(i);
    const bool nested = field.type() == google::protobuf::FieldDescriptor::TYPE_MESSAGE;
    words->insert(absl::StrCat(field.name(), nested ? " {" : ": "));
  }
  for (int i = 0; i < message.nested_type_count(); ++i) {
    AddMessageWords(*message.nested_type(i), words);
  }
}

// As libFuzzer wants it: no escapes but these.
std::string QuoteWord(absl::string_view word) {
  std::string quoted = "\"";
  for (char c : word) {
    if (c == '"' || c == '\\') {
      quoted.push_back('\\');
      quoted.push_back(c);
    } else if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
      quoted.push_back(c);
    } else {
      absl::StrAppend(&quoted, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return quoted + "\"";
}

void WriteDictionary(const fs::path& path) {
  std::set<std::string> words;
  for (absl::string_view word : absl::StrSplit(kGrammarWords, ' ')) words.emplace(word);
  for (const OpInfo& op : Catalogue()) {
    words.insert(absl::StrCat(op.name, "("));
    for (const AttributeUse& use : op.attributes) {
      const AttrInfo& info = Info(use.attr);
      words.insert(absl::StrCat(", ", info.name, "="));
      if (!IsEnum(info.kind)) continue;
      for (absl::string_view word : WordsOf(info.kind).words) words.emplace(word);
    }
  }
  for (const stablehlo::DialectOp& op : stablehlo::DialectOps()) {
    words.emplace(op.name);
    for (const stablehlo::Field& field : op.attributes) words.emplace(field.name);
  }
  for (ElementType type : kArrayTypes) words.insert(absl::StrCat(Name(type), "[2]"));
  for (const google::protobuf::FileDescriptor* file :
       {wire::HloModuleProto::descriptor()->file(), wire::ShapeProto::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      AddMessageWords(*file->message_type(i), &words);
    }
  }
  std::string content = "# The words of HLO, one to a line.\n";
  for (const std::string& word : words) absl::StrAppend(&content, QuoteWord(word), "\n");
  Write(path, content);
}

// Text and protobuf seeds from one module.
void WriteModule(const std::string& text, const std::string& name, const fs::path& out) {
  Write(out / "text" / (name + ".hlo"), text);
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  DieUnless(module.status());
  for (bool text_form : {false, true}) {
    absl::StatusOr<std::string> proto =
        SerializeModule(**module, ModuleFormat::kModuleProto, text_form);
    DieUnless(proto.status());
    Write(out / "proto" / (name + (text_form ? ".textproto" : ".pb")), *proto);
  }
}

std::vector<Literal> ExampleLiterals() {
  std::vector<Literal> literals;
  for (ElementType type : kArrayTypes) {
    absl::string_view elements = "{0, 1}";
    if (IsComplex(type)) elements = "{(1, 0), (0, 1)}";
    if (type == ElementType::kS1) elements = "{0, -1}";
    if (type == ElementType::kF8E8M0FNU) elements = "{1, 2}";  // no zero
    absl::StatusOr<Literal> literal =
        ParseTypedLiteral(absl::StrCat(Name(type), "[2]{0} ", elements));
    DieUnless(literal.status());
    literals.push_back(*std::move(literal));
  }
  for (absl::string_view text :
       {"f32[] -0.0", "f64[2,2]{0,1} {{1e-320, inf}, {nan, -nan(0x8000000000001)}}",
        "c64[1]{0} {(-inf, nan)}", "s64[2]{0} {-9223372036854775808, 7}",
        "u64[1]{0} {18446744073709551615}", "f32[2,0,3]{2,1,0} {{}, {}}",
        "bf16[3]{0} {3.39e38, 9.2e-41, -nan}", "s32[1,2,1]{2,1,0} {{{1}, {2}}}"}) {
    absl::StatusOr<Literal> literal = ParseTypedLiteral(text);
    DieUnless(literal.status());
    literals.push_back(*std::move(literal));
  }
  return literals;
}

void WriteArrays(const std::vector<Literal>& literals, const fs::path& out) {
  std::vector<NamedLiteral> arrays;
  for (size_t i = 0; i < literals.size(); ++i) {
    const std::string number = absl::StrCat(i);
    const Literal& literal = literals[i];
    Write(out / "literal" / number, PrintTypedLiteral(literal));
    Write(out / "npz" / (number + ".txt"), PrintTypedLiteral(literal));
    const std::string member = MemberName("", literal.element_type());
    Write(out / "npz" / (number + ".npy"),
          absl::StrCat(member, member.empty() ? "" : "\n", FormatNpy(literal)));
    arrays.push_back({absl::StrCat("arg", i), literal});
    if (i % 8 != 7) continue;
    DieUnless(WriteNpz((out / "npz" / (number + ".npz")).string(), arrays));
    arrays.clear();
  }
  Write(out / "literal" / "tuple", "(s32[] 1, (f32[2]{0} {2, 3}, pred[] true), ())");
}

// A snapshot holds literals beside its module.
void WriteSnapshot(const std::vector<Literal>& literals, const fs::path& out) {
  absl::StatusOr<std::unique_ptr<Module>> module =
      ParseModule("ENTRY e { x = f32[] parameter(0) ROOT n = f32[] negate(x) }");
  DieUnless(module.status());
  for (bool text_form : {false, true}) {
    absl::StatusOr<std::string> snapshot =
        SerializeSnapshot(**module, literals, &literals.front(), "Host", text_form);
    DieUnless(snapshot.status());
    Write(out / "proto" / (text_form ? "snapshot.textproto" : "snapshot.pb"), *snapshot);
  }
}

// What the conformance suite reads: the first case of every file of cases and templates, which
// `begin` opens, the profiles, a waiver and a report.
void WriteFirstOf(absl::string_view kind, absl::string_view begin, const fs::path& folder,
                  const fs::path& out) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() != absl::StrCat(".", kind)) continue;
    absl::StatusOr<std::string> text = ReadFile(path.string());
    DieUnless(text.status());
    size_t end = absl::string_view::npos;
    if (!begin.empty()) {
      const size_t first = absl::string_view(*text).find(begin);
      if (first == std::string::npos) continue;
      end = text->find(absl::StrCat("\n", begin), first + begin.size());
    }
    Write(out / "suite" / absl::StrCat(path.stem().string(), ".", kind),
          absl::StrCat("@", kind == "textproto" ? "profile" : kind, "\n",
                       absl::string_view(*text).substr(0, end)));
  }
}

void WriteSuite(const fs::path& source, const fs::path& out) {
  WriteFirstOf("cases", "case ", source / "conformance/corpus/cases", out);
  WriteFirstOf("templates", "template ", source / "conformance/corpus/templates", out);
  WriteFirstOf("textproto", "", source / "conformance/profiles", out);
  Write(out / "suite/one.waivers",
        "@waivers\nwaivers { glob: \"add/f32/*\" reason: \"fused\" link: \"issues/1\" "
        "expires: \"2027-12-31\" }\n");
  Write(
      out / "suite/one.report",
      "@report\n"
      R"({"format":1,"target":"process:x","profile":"golden","tier":"quick","shard":0,"shards":2,)"
      R"("selected":2,"seconds":1.5,"started":"2026-01-01T00:00:00Z","complaints":["a"],"cases":[)"
      R"({"id":"add/f32/a","outcome":"wrong","op":"add","type":"f32","text":"t","probes":[)"
      R"({"outcome":"wrong","judgement":{"verdict":"wrong","elements":{"exact":1,"wrong":1},)"
      R"("freedoms":{"signed_zero":2},"largest_fraction":0.5,"largest_distance":9,)"
      R"("histogram":[1,0,2],"rule":"4 ulp","evidence":[{"verdict":"wrong","index":[0,1],)"
      R"("golden":"1","actual":"2","golden_bits":"0x1","bound":"inf","distance":0.25}],)"
      R"("reasons":["r"]}}],"target_seconds":0.1},)"
      R"({"id":"add/f32/b","outcome":"exact","waiver":"add/*"}]})");
}

// Programs of one to ten records.
void WritePrograms(const fs::path& out) {
  for (uint64_t i = 0; i < 64; ++i) {
    const std::vector<uint8_t> bytes = RandomBytes(31, i, 10);
    Write(out / absl::StrCat("programs/", i),
          absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
}

// Texts in all forms, and the artifacts of versions that differ in their format.
void WriteStablehlo(const fs::path& source, const fs::path& out) {
  const fs::path texts = out / "stablehlo_text", artifacts = out / "stablehlo_bytecode";
  Write(artifacts / "example.bc", stablehlo::ExampleArtifact());
  Write(artifacts / "old_example.bc", stablehlo::OldExampleArtifact());
  for (const auto& entry : fs::directory_iterator(source / "spec/stablehlo/testdata/examples")) {
    absl::StatusOr<std::string> text = ReadFile(entry.path().string());
    DieUnless(text.status());
    const std::string name = entry.path().stem().string();
    absl::StatusOr<std::unique_ptr<stablehlo::Program>> program = stablehlo::ParseText(*text, name);
    DieUnless(program.status());
    Write(texts / (name + ".mlir"), *text);
    Write(texts / (name + ".pretty.mlir"), PrintText(**program, stablehlo::PrintForm::kPretty));
    Write(texts / (name + ".generic.mlir"), PrintText(**program, stablehlo::PrintForm::kGeneric));
    for (stablehlo::Version version :
         {stablehlo::Version{0, 9, 0}, {0, 11, 0}, {0, 14, 0}, stablehlo::kNewestVersion}) {
      absl::StatusOr<std::string> bytes = WriteArtifact(**program, version);
      if (bytes.ok()) Write(artifacts / absl::StrCat(name, ".", version.ToString(), ".bc"), *bytes);
    }
  }
}

void Run(const fs::path& source, const fs::path& out) {
  for (const char* folder : {"text", "proto", "literal", "npz", "suite", "programs",
                             "stablehlo_text", "stablehlo_bytecode"}) {
    fs::create_directories(out / folder);
  }
  WriteDictionary(out / "words.dict");
  for (const char* folder : {"spec/text/testdata/examples", "spec/proto/testdata"}) {
    for (const auto& entry : fs::directory_iterator(source / folder)) {
      absl::StatusOr<std::string> text = ReadFile(entry.path().string());
      DieUnless(text.status());
      WriteModule(*text, entry.path().stem().string(), out);
    }
  }
  const std::vector<Literal> literals = ExampleLiterals();
  WriteArrays(literals, out);
  WriteSnapshot(literals, out);
  WriteSuite(source, out);
  WritePrograms(out);
  WriteStablehlo(source, out);
}

}  // namespace
}  // namespace assay::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_corpus SOURCE_DIR OUT_DIR\n");
    return 2;
  }
  assay::fuzz::Run(argv[1], argv[2]);
  return 0;
}
