// The header of a module (hlo_text_format.md 2.2).
#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

constexpr absl::string_view kHeaderAttributes[] = {"is_scheduled",
                                                   "input_output_alias",
                                                   "buffer_donor",
                                                   "alias_passthrough_params",
                                                   "entry_computation_layout",
                                                   "allow_spmd_sharding_propagation_to_parameters",
                                                   "allow_spmd_sharding_propagation_to_output",
                                                   "replica_count",
                                                   "num_partitions",
                                                   "frontend_attributes",
                                                   "origin_recovery_table",
                                                   "debug_attributes"};

bool ReadParameterPlace(Reader& reader, int64_t* number, ShapeIndex* index) {
  const char* at = reader.here();
  if (!reader.ReadInt(number)) return false;
  if (*number < 0) return reader.FailAt(at, "a parameter number is negative");
  return reader.Expect(TokenKind::kComma) && reader.ReadShapeIndex(index);
}

}  // namespace

bool ModuleParser::ReadHeader() {
  Lexer& lexer = reader_.lexer;
  lexer.Next();
  absl::string_view name;
  if (!reader_.ReadName(&name, "the name of the module")) return false;
  module_ = std::make_unique<Module>(std::string(name));
  std::vector<std::pair<absl::string_view, const char*>> seen;
  while (lexer.Eat(TokenKind::kComma)) {
    if (!lexer.Is(TokenKind::kAttr)) return reader_.FailExpected("a module attribute with '='");
    const Token attribute = lexer.token();
    for (const auto& [other, at] : seen) {
      if (other != attribute.word) continue;
      return reader_.FailTwice("module attribute", other, lexer.PositionOf(at), attribute.begin);
    }
    seen.emplace_back(attribute.word, attribute.begin);
    if (attribute.word == "frontend_attributes") {
      if (!reader_.ReadFrontendAttributes(&module_->frontend_attributes)) return false;
      continue;
    }
    lexer.Next();
    if (attribute.word == "input_output_alias") aliases_at_ = attribute.begin;
    const auto row =
        std::find(std::begin(kHeaderAttributes), std::end(kHeaderAttributes), attribute.word);
    if (row == std::end(kHeaderAttributes)) {
      return reader_.FailAt(attribute.begin,
                            absl::StrCat("a module has no attribute '", attribute.word,
                                         "'; it takes ", absl::StrJoin(kHeaderAttributes, ", ")));
    }
    if (!ReadHeaderAttribute(static_cast<int>(row - std::begin(kHeaderAttributes)))) return false;
  }
  return !lexer.Is(Keyword::kFileNames) || ReadStackTables();
}

bool ModuleParser::ReadHeaderAttribute(int index) {
  Module& module = *module_;
  switch (index) {
    case 0:
      return reader_.ReadBool(&module.is_scheduled);
    case 1:
      return ReadInputOutputAliases();
    case 2:
      return ReadBufferDonors();
    case 3:
      return reader_.ReadBool(&module.alias_passthrough_params);
    case 4:
      return ReadEntryLayout();
    case 5:
      return ReadPropagation(&module.spmd_propagation_to_parameters);
    case 6:
      return ReadPropagation(&module.spmd_propagation_to_output);
    case 7:
      return reader_.ReadInt(&module.replica_count);
    case 8:
      return reader_.ReadInt(&module.num_partitions);
    case 10:
      return ReadRecoveryTable();
    default:
      return ReadDebugTable();
  }
}

bool ModuleParser::ReadInputOutputAliases() {
  auto& aliases = module_->input_output_alias;
  const bool read = reader_.ReadList(TokenKind::kLeftBrace, TokenKind::kRightBrace, true, [&] {
    InputOutputAlias alias;
    if (!reader_.ReadShapeIndex(&alias.output_index) || !reader_.Expect(TokenKind::kColon) ||
        !reader_.Expect(TokenKind::kLeftParen) ||
        !ReadParameterPlace(reader_, &alias.parameter_number, &alias.parameter_index)) {
      return false;
    }
    if (reader_.lexer.Eat(TokenKind::kComma)) {
      const char* at = reader_.here();
      absl::string_view kind;
      if (!reader_.ReadIdent(&kind, "may-alias or must-alias")) return false;
      if (kind != "may-alias" && kind != "must-alias") {
        return reader_.FailAt(
            at, absl::StrCat("alias kind '", kind, "' is not may-alias or must-alias"));
      }
      alias.kind = kind == "must-alias" ? AliasKind::kMust : AliasKind::kMay;
    }
    aliases.push_back(std::move(alias));
    return reader_.Expect(TokenKind::kRightParen);
  });
  // By output; of several for one output the first counts.
  std::stable_sort(aliases.begin(), aliases.end(),
                   [](const auto& a, const auto& b) { return a.output_index < b.output_index; });
  aliases.erase(
      std::unique(aliases.begin(), aliases.end(),
                  [](const auto& a, const auto& b) { return a.output_index == b.output_index; }),
      aliases.end());
  return read;
}

bool ModuleParser::ReadBufferDonors() {
  auto& donors = module_->buffer_donors;
  const bool read = reader_.ReadList(TokenKind::kLeftBrace, TokenKind::kRightBrace, true, [&] {
    BufferDonor& donor = donors.emplace_back();
    return reader_.Expect(TokenKind::kLeftParen) &&
           ReadParameterPlace(reader_, &donor.parameter_number, &donor.parameter_index) &&
           reader_.Expect(TokenKind::kRightParen);
  });
  std::sort(donors.begin(), donors.end(), [](const BufferDonor& a, const BufferDonor& b) {
    return std::tie(a.parameter_number, a.parameter_index) <
           std::tie(b.parameter_number, b.parameter_index);
  });
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  return read;
}

// {(shapes)->shape}
bool ModuleParser::ReadEntryLayout() {
  ProgramShape& layout = module_->entry_layout.emplace();
  return reader_.Expect(TokenKind::kLeftBrace) &&
         reader_.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false,
                          [&] {
                            return ReadShape(reader_, &layout.parameters.emplace_back(),
                                             reader_.options.fill_missing_layouts);
                          }) &&
         reader_.Expect(TokenKind::kArrow) &&
         ReadShape(reader_, &layout.result, reader_.options.fill_missing_layouts) &&
         reader_.Expect(TokenKind::kRightBrace);
}

// true, or {true,false}; {} is the default.
bool ModuleParser::ReadPropagation(std::vector<bool>* values) {
  std::vector<bool> read;
  if (reader_.lexer.Is(TokenKind::kLeftBrace)) {
    if (!reader_.ReadBools(&read)) return false;
  } else {
    bool value = false;
    if (!reader_.ReadBool(&value)) return false;
    read.push_back(value);
  }
  if (!read.empty()) *values = std::move(read);
  return true;
}

// An aliased output must exist.
bool ModuleParser::CheckAliases() {
  if (module_->input_output_alias.empty()) return true;
  const Shape& result =
      module_->entry_layout ? module_->entry_layout->result : module_->entry()->root()->shape();
  for (const InputOutputAlias& alias : module_->input_output_alias) {
    if (SubShape(result, alias.output_index) != nullptr) continue;
    return reader_.FailAt(aliases_at_,
                          absl::StrCat("output {", absl::StrJoin(alias.output_index, ","),
                                       "} is aliased, but the result is ", result.ToString()));
  }
  return true;
}

}  // namespace assay
