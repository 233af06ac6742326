// Attributes of instructions: those of the operation's schema by their kind, and the common ones
// (hlo_text_format.md 7).
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

constexpr absl::string_view kCommonAttributes[] = {"metadata",
                                                   "backend_config",
                                                   "sharding",
                                                   "frontend_attributes",
                                                   "control-predecessors",
                                                   "statistics",
                                                   "parameter_replication",
                                                   "origin"};

// V1 takes the first of several dimensions where V2 wants exactly one (appendix D).
bool FirstDimensionCounts(Opcode opcode) {
  return opcode == Opcode::kAllGather || opcode == Opcode::kAllGatherStart ||
         opcode == Opcode::kReduceScatter || opcode == Opcode::kGetDimensionSize ||
         opcode == Opcode::kSetDimensionSize;
}

constexpr absl::string_view kCollectiveModes[] = {"cross_replica", "cross_partition",
                                                  "cross_replica_and_partition", "flattened_id"};

}  // namespace

bool ModuleParser::Draft::HasAttribute(absl::string_view name) const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const Seen& seen) { return seen.name == name; });
}

bool ModuleParser::ReadAttributes(Body& body, Draft& draft) {
  Lexer& lexer = reader_.lexer;
  while (lexer.Eat(TokenKind::kComma)) {
    if (!lexer.Is(TokenKind::kAttr)) {
      return reader_.FailExpected("an attribute name with '=' right after it");
    }
    const Token name = lexer.token();
    for (const Draft::Seen& seen : draft.attributes) {
      if (seen.name != name.word) continue;
      return reader_.FailTwice("attribute", name.word, lexer.PositionOf(seen.at), name.begin);
    }
    draft.attributes.push_back({name.word, name.begin});
    if (!ReadAttribute(body, draft, name)) return false;
  }
  const Instruction& target = draft.wrapped != nullptr ? *draft.wrapped : *draft.instruction;
  return CheckRequired(draft, target, draft.opcode_at);
}

bool ModuleParser::ReadAttribute(Body& body, Draft& draft, const Token& name) {
  bool known = false;
  if (!ReadCommonAttribute(body, draft, name, &known)) return false;
  if (known) return true;
  if (draft.wrapped != nullptr) {
    if (const AttributeUse* use = draft.wrapped->info().FindAttribute(name.word)) {
      return ReadOwnAttribute(draft, draft.wrapped.get(), *use);
    }
  }
  Instruction* instruction = draft.instruction.get();
  const AttributeUse* use = instruction->info().FindAttribute(name.word);
  // With sugar the wrapped computation is implied.
  if (use != nullptr && !(draft.sugar && use->attr == Attr::kCalls)) {
    return ReadOwnAttribute(draft, instruction, *use);
  }
  if (draft.sugar && draft.wrapped == nullptr) {
    if (const AttributeUse* old = Info(*draft.sugar).FindAttribute(name.word)) {
      if (draft.repeated == nullptr) {
        draft.repeated = std::make_unique<Instruction>(*draft.sugar, Shape::Token());
      }
      return ReadOwnAttribute(draft, draft.repeated.get(), *old);
    }
  }
  Instruction* callee_owner = draft.wrapped != nullptr ? draft.wrapped.get() : instruction;
  if (name.word == "to_apply" &&
      callee_owner->info().FindAttribute(Attr::kCalledComputations) != nullptr) {
    // It counts alone where called_computations is there too.
    reader_.lexer.Next();
    Computation* callee = nullptr;
    if (!ReadCallee(&callee)) return false;
    callee_owner->SetAttribute(Attr::kCalledComputations, std::vector<Computation*>{callee});
    return true;
  }
  return FailUnknownAttribute(draft, name);
}

bool ModuleParser::FailUnknownAttribute(const Draft& draft, const Token& name) {
  const Instruction& target = draft.wrapped != nullptr ? *draft.wrapped : *draft.instruction;
  std::vector<absl::string_view> known;
  for (const AttributeUse& use : target.info().attributes) known.push_back(Info(use.attr).name);
  known.insert(known.end(), std::begin(kCommonAttributes), std::end(kCommonAttributes));
  return reader_.FailAt(
      name.begin, absl::StrCat(target.info().name, " has no attribute '", name.word, "'; it takes ",
                               absl::StrJoin(known, ", ")));
}

bool ModuleParser::CheckRequired(const Draft& draft, const Instruction& target, const char* at) {
  for (const AttributeUse& use : target.info().attributes) {
    if (use.required && !draft.HasAttribute(Info(use.attr).name)) {
      return reader_.FailAt(
          at, absl::StrCat(target.info().name, " needs the attribute '", Info(use.attr).name, "'"));
    }
  }
  return true;
}

bool ModuleParser::ReadCommonAttribute(Body& body, Draft& draft, const Token& name, bool* known) {
  Lexer& lexer = reader_.lexer;
  Instruction* instruction = draft.instruction.get();
  const auto row = std::find(std::begin(kCommonAttributes), std::end(kCommonAttributes), name.word);
  *known = row != std::end(kCommonAttributes);
  if (!*known) return true;
  const auto index = row - std::begin(kCommonAttributes);
  if (index == 1)
    return reader_.ReadRawAfterAttr(&instruction->mutable_annotations().backend_config);
  if (index == 3) {
    return reader_.ReadFrontendAttributes(&instruction->mutable_annotations().frontend_attributes);
  }
  lexer.Next();
  if (index == 4) return ReadControlPredecessors(body, instruction);
  Annotations& annotations = instruction->mutable_annotations();
  switch (index) {
    case 0:
      if (!ReadMetadata(reader_, &annotations.metadata.emplace())) return false;
      // As good as none, which protobuf cannot tell from it either.
      if (*annotations.metadata == Metadata{}) annotations.metadata.reset();
      return true;
    case 2:
      return ReadSharding(reader_, &annotations.sharding.emplace());
    case 5:
      return ReadStatistics(reader_, &annotations.statistics.emplace());
    case 6:
      return reader_.ReadBools(&annotations.parameter_replication.emplace());
    default:
      return ReadOrigin(reader_, &annotations.origin.emplace());
  }
}

bool ModuleParser::ReadControlPredecessors(Body& body, Instruction* instruction) {
  if (reader_.lexer.PeekByte() == '}') {
    return reader_.Fail("control-predecessors names no instruction");
  }
  return reader_.ReadBraceList([&] {
    const char* at = reader_.here();
    absl::string_view name;
    if (!reader_.ReadName(&name, "an instruction")) return false;
    const auto known = body.names.find(name);
    if (known == body.names.end()) {
      return reader_.FailAt(at, absl::StrCat("unknown control predecessor '", name, "'"));
    }
    const auto& list = instruction->control_predecessors();
    if (std::find(list.begin(), list.end(), known->second) == list.end()) {
      instruction->AddControlPredecessor(known->second);
    }
    return true;
  });
}

bool ModuleParser::ReadOwnAttribute(Draft& draft, Instruction* target, const AttributeUse& use) {
  reader_.lexer.Next();
  AttributeValue value;
  if (!ReadValue(*target, use.attr, &value)) return false;
  if (use.attr == Attr::kAsyncExecutionThread) {
    draft.async_thread = std::get<std::string>(value);
    if (*draft.async_thread == "main") return true;
  } else if (use.attr == Attr::kCalls && !use.required) {
    draft.async_calls = std::get<Computation*>(value);
  } else if (use.attr == Attr::kCalledComputations && draft.HasAttribute("to_apply")) {
    return true;
  }
  target->SetAttribute(use.attr, std::move(value));
  return true;
}

bool ModuleParser::ReadCallee(Computation** computation) {
  const char* at = reader_.here();
  if (reader_.lexer.Is(TokenKind::kLeftBrace)) {
    return ReadBody("_", /*inline_body=*/true, at, std::nullopt, computation);
  }
  absl::string_view name;
  if (!reader_.ReadName(&name, "a computation, by name or as '{...}'")) return false;
  const auto known = computations_.find(name);
  if (known == computations_.end()) {
    return reader_.FailAt(at, absl::StrCat("unknown computation '", name,
                                           "': none of this name stands before this place"));
  }
  *computation = known->second;
  return true;
}

bool ModuleParser::ReadEnum(Attr attr, const EnumWords& words, int64_t* number) {
  const char* at = reader_.here();
  absl::string_view word;
  if (!reader_.ReadIdent(&word, absl::StrJoin(words.words, ", "))) return false;
  const std::optional<int64_t> value = EnumFromWord(words, word);
  if (!value) {
    return reader_.FailAt(at, absl::StrCat("'", word, "' is not a value of ", Info(attr).name,
                                           "; they are ", absl::StrJoin(words.words, ", ")));
  }
  *number = *value;
  return true;
}

bool ModuleParser::ReadValue(const Instruction& target, Attr attr, AttributeValue* value) {
  const AttrKind kind = Info(attr).kind;
  if (IsEnum(kind)) return ReadEnum(attr, WordsOf(kind), &Emplace<int64_t>(*value));
  const char* at = reader_.here();
  switch (kind) {
    case AttrKind::kBool:
      return reader_.ReadBool(&Emplace<bool>(*value));
    case AttrKind::kInt:
      return reader_.ReadInt(&Emplace<int64_t>(*value));
    case AttrKind::kInt32: {
      int32_t number = 0;
      if (!reader_.ReadInt32(&number)) return false;
      *value = int64_t{number};
      return true;
    }
    case AttrKind::kSingleInt: {
      std::vector<int64_t> numbers;
      if (!reader_.ReadInts(&numbers)) return false;
      if (numbers.empty() || (numbers.size() > 1 && !FirstDimensionCounts(target.opcode()))) {
        return reader_.FailAt(at,
                              absl::StrCat(Info(attr).name, " of ", target.info().name,
                                           " takes exactly one number, here are ", numbers.size()));
      }
      *value = numbers[0];
      return true;
    }
    case AttrKind::kFloat:
      return reader_.ReadFloat32(&Emplace<double>(*value));
    case AttrKind::kString:
      return reader_.ReadString(&Emplace<std::string>(*value));
    case AttrKind::kIdentifier: {
      int64_t number = 0;
      return ReadEnum(attr, {kCollectiveModes, /*ignore_case=*/false}, &number);
    }
    case AttrKind::kInts:
      return reader_.ReadInts(&Emplace<std::vector<int64_t>>(*value));
    case AttrKind::kIntLists:
      return reader_.ReadIntLists(&Emplace<std::vector<std::vector<int64_t>>>(*value));
    case AttrKind::kPairs: {
      auto& pairs = Emplace<std::vector<std::vector<int64_t>>>(*value);
      if (!reader_.ReadIntLists(&pairs)) return false;
      for (const auto& pair : pairs) {
        if (pair.size() != 2) {
          return reader_.FailAt(at, absl::StrCat(Info(attr).name, " must be a list of pairs"));
        }
      }
      return true;
    }
    case AttrKind::kPrecisions: {
      auto& precisions = Emplace<std::vector<int64_t>>(*value);
      return reader_.ReadBraceList(
          [&] { return ReadEnum(attr, PrecisionWords(), &precisions.emplace_back()); });
    }
    case AttrKind::kSlices:
      return ReadSlices(reader_, &Emplace<Slices>(*value));
    case AttrKind::kWindow:
      return ReadWindow(reader_, &Emplace<Window>(*value));
    case AttrKind::kPadding:
      return ReadPadding(reader_, &Emplace<PaddingConfig>(*value));
    case AttrKind::kDimLabels:
      return ReadDimLabels(reader_, &Emplace<ConvolutionDimensions>(*value));
    case AttrKind::kReplicaGroups:
      return ReadReplicaGroups(reader_, &Emplace<ReplicaGroups>(*value));
    case AttrKind::kResultAccuracy:
      return ReadResultAccuracy(reader_, &Emplace<ResultAccuracy>(*value));
    case AttrKind::kSparsity:
      return ReadSparsity(reader_, &Emplace<SparsityConfig>(*value));
    case AttrKind::kAliases:
      return ReadAliases(reader_, &Emplace<OutputOperandAliases>(*value));
    case AttrKind::kDomain: {
      auto domain = std::make_shared<DomainSharding>();
      if (!ReadDomain(reader_, domain.get())) return false;
      *value = std::shared_ptr<const DomainSharding>(std::move(domain));
      return true;
    }
    case AttrKind::kShape:
      return ReadShape(reader_, &Emplace<Shape>(*value));
    case AttrKind::kShapes: {
      auto& shapes = Emplace<std::vector<Shape>>(*value);
      return reader_.ReadBraceList([&] { return ReadShape(reader_, &shapes.emplace_back()); });
    }
    case AttrKind::kTypedLiteral: {
      Literal literal;
      if (!ReadTypedLiteral(reader_, &literal)) return false;
      *value = std::make_shared<const Literal>(std::move(literal));
      return true;
    }
    case AttrKind::kComputation:
      return ReadCallee(&Emplace<Computation*>(*value));
    case AttrKind::kComputations: {
      auto& callees = Emplace<std::vector<Computation*>>(*value);
      return reader_.ReadBraceList([&] { return ReadCallee(&callees.emplace_back()); });
    }
    default:
      return reader_.FailAt(at, absl::StrCat("attribute ", Info(attr).name, " cannot be read"));
  }
}

}  // namespace assay
