// Locations, aliases, and the block of resources at the end of a file. Aliases may be used before
// their definition: a scan of the lines finds where they are, and they are read when they are asked
// for. Reference stablehlo_format.md 1.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

// Notes every line "#name = .." and "!name = ..", and the last "{-#".
void TextReader::FindAliases() {
  const char* end = lexer_.end();
  for (const char* line = text_.data(); line != end;) {
    const char* at = line;
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
    if (at != end && (*at == '#' || *at == '!')) {
      const char* name_end = at + 1;
      while (name_end != end && (IsNameCharacter(*name_end) || *name_end == '-')) ++name_end;
      const char* after = lexer_.SkipBlanks(name_end);
      if (after != end && *after == '=' && name_end > at + 1) {
        Alias alias;
        alias.at = after + 1;
        aliases_.try_emplace(absl::string_view(at, name_end - at), alias);
      }
    } else if (end - at > 2 && at[0] == '{' && at[1] == '-' && at[2] == '#') {
      metadata_at_ = at;
    }
    const void* newline = std::memchr(at, '\n', end - at);
    if (newline == nullptr) break;
    line = static_cast<const char*>(newline) + 1;
  }
}

// "#name = attribute" or "!name = type" among the operations.
bool TextReader::ReadAliasDefinition() {
  const char sigil = lexer_.kind();
  const absl::string_view spelling = lexer_.spelling();
  if (absl::StrContains(spelling, '.')) {
    return Fail(absl::StrCat("expected an operation or the definition of an alias, found '",
                             spelling, "'"));
  }
  const auto it = aliases_.find(spelling);
  const char* defined_at = it == aliases_.end() ? nullptr : it->second.at;
  lexer_.Next();
  if (!lexer_.Is('=')) return FailExpected("'=' after the name of the alias");
  // A definition that does not begin its line was not found before.
  if (defined_at == nullptr) {
    aliases_[spelling].at = lexer_.token().end;
  } else if (defined_at != lexer_.token().end) {
    return FailAt(spelling.data(), absl::StrCat("the alias ", spelling, " is defined twice"));
  }
  const TextToken name = {sigil, spelling.data(), spelling.data() + spelling.size()};
  lexer_.Restore(name);
  Alias* alias;
  if (!ResolveAlias(sigil, alias)) return false;
  // Go on behind the definition.
  lexer_.MoveTo(aliases_[spelling].end);
  return true;
}

// The alias whose name is the current token, which is eaten.
bool TextReader::ResolveAlias(char sigil, Alias*& out) {
  const char* at = lexer_.token().begin;
  const absl::string_view spelling = lexer_.spelling();
  lexer_.Next();
  const auto it = aliases_.find(spelling);
  if (it == aliases_.end()) {
    return FailAt(at, absl::StrCat("the alias ", spelling, " is not defined"));
  }
  Alias& alias = it->second;
  if (alias.attribute != nullptr || alias.type != nullptr) {
    out = &alias;
    return true;
  }
  if (alias.in_progress) {
    return FailAt(at, absl::StrCat("the alias ", spelling, " is defined by itself"));
  }
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  alias.in_progress = true;
  const TextToken after = lexer_.token();
  lexer_.MoveTo(alias.at);
  const Attribute* attribute = nullptr;
  const Type* type = nullptr;
  if (sigil == '!' ? !ReadType(type) : !ReadAttribute(attribute)) return false;
  // The map may have moved.
  Alias& done = aliases_[spelling];
  done.in_progress = false;
  done.attribute = attribute;
  done.type = type;
  done.end = lexer_.token().begin;
  lexer_.Restore(after);
  out = &done;
  return true;
}

// "loc(..)" if it is there; null if not.
bool TextReader::ReadOptionalLocation(const Location*& out) {
  out = nullptr;
  if (!lexer_.IsWord("loc") || lexer_.PeekCharacter() != '(') return true;
  lexer_.Next();
  lexer_.Next();
  return ReadLocationBody(out) && Expect(')', "')' after the location");
}

bool TextReader::ReadLocationBody(const Location*& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (lexer_.Is(kHashId)) return ReadLocationAlias(out);
  if (lexer_.Is(kString)) return ReadNamedLocation(out);
  if (lexer_.EatWord("unknown")) {
    out = program_.NewLocation(Location::Kind::kUnknown);
    return true;
  }
  if (lexer_.EatWord("callsite")) {
    Location* site = program_.NewLocation(Location::Kind::kCallSite);
    site->children.resize(2);
    out = site;
    return Expect('(', "'(' after 'callsite'") && ReadLocationBody(site->children[0]) &&
           ExpectWord("at") && ReadLocationBody(site->children[1]) &&
           Expect(')', "')' after the call site");
  }
  if (lexer_.EatWord("fused")) return ReadFusedLocation(out);
  return FailExpected("a location");
}

bool TextReader::ReadLocationAlias(const Location*& out) {
  const char* at = lexer_.token().begin;
  const bool dialect = absl::StrContains(lexer_.name(), '.');
  if (dialect) {
    // A location of another dialect says nothing here.
    const Attribute* ignored;
    out = program_.NewLocation(Location::Kind::kUnknown);
    return ReadDialectAttribute(ignored);
  }
  Alias* alias;
  if (!ResolveAlias('#', alias)) return false;
  if (alias->attribute == nullptr || alias->attribute->kind != AttributeKind::kLocation) {
    return FailAt(at, "this alias does not stand for a location");
  }
  out = alias->attribute->location;
  return true;
}

// "name", "name"(location), "file":line:column, "file":line:column to line:column
bool TextReader::ReadNamedLocation(const Location*& out) {
  absl::string_view text;
  if (!ReadString(text)) return false;
  if (lexer_.Is(':')) return ReadFileLocation(text, out);
  Location* name = program_.NewLocation(Location::Kind::kName);
  name->text = text;
  out = name;
  if (!lexer_.Eat('(')) return true;
  name->children.resize(1);
  return ReadLocationBody(name->children[0]) && Expect(')', "')' after the location");
}

bool TextReader::ReadFileLocation(absl::string_view file, const Location*& out) {
  Location* location = program_.NewLocation(Location::Kind::kFile);
  location->text = file;
  out = location;
  const auto read = [&](int32_t& number) {
    int64_t value;
    if (!ReadInteger(value)) return false;
    if (value < 0 || value > INT32_MAX) return Fail("this line or column is out of range");
    number = static_cast<int32_t>(value);
    return true;
  };
  if (!Expect(':', "':' before the line") || !read(location->line) ||
      !Expect(':', "':' before the column") || !read(location->column)) {
    return false;
  }
  if (!lexer_.EatWord("to")) return true;
  location->end_line = location->line;
  if (lexer_.Is(kInteger) && !read(location->end_line)) return false;
  return Expect(':', "':' before the last column") && read(location->end_column);
}

// The word is eaten: "[a, b]" or "<metadata>[a, b]".
bool TextReader::ReadFusedLocation(const Location*& out) {
  Location* fused = program_.NewLocation(Location::Kind::kFused);
  out = fused;
  if (lexer_.Eat('<')) {
    const Attribute* metadata;
    if (!ReadAttribute(metadata) || !Expect('>', "'>' after the metadata")) return false;
  }
  if (!Expect('[', "'[' before the locations")) return false;
  return ReadItems(']', "locations", [&] {
    const Location* part;
    if (!ReadLocationBody(part)) return false;
    fused->children.push_back(part);
    return true;
  });
}

// The data of a resource; null where the file has none of this key.
bool TextReader::FindResource(absl::string_view key, const Resource*& out) {
  out = nullptr;
  if (!metadata_read_ && metadata_at_ != nullptr) {
    metadata_read_ = true;
    const TextToken after = lexer_.token();
    lexer_.MoveTo(metadata_at_);
    if (!ReadFileMetadata()) return false;
    lexer_.Restore(after);
  }
  const auto it = resources_.find(key);
  if (it != resources_.end()) out = &it->second;
  return true;
}

// {-# dialect_resources: { builtin: { key: "0x.." } }, external_resources: {..} #-}
bool TextReader::ReadFileMetadata() {
  metadata_read_ = true;
  resources_.clear();
  lexer_.Next();
  return ReadItems(kCloseFile, "sections", [&] {
    const absl::string_view section = lexer_.spelling();
    if (!lexer_.Is(kBareId)) return FailExpected("the name of a section");
    lexer_.Next();
    if (!Expect(':', "':' after the name of the section")) return false;
    if (section != "dialect_resources" && section != "external_resources") {
      return FailAt(section.data(), absl::StrCat("there is no section '", section, "'"));
    }
    if (!Expect('{', "'{' before the groups of resources")) return false;
    return ReadItems('}', "groups", [&] { return ReadResourceGroup(section[0] == 'd'); });
  });
}

// builtin: { key: "0x..", other: true }
bool TextReader::ReadResourceGroup(bool dialect) {
  absl::string_view group = lexer_.spelling();
  if (lexer_.Is(kString)) {
    if (!ReadString(group)) return false;
  } else if (!lexer_.Eat(kBareId)) {
    return FailExpected("the name of a group of resources");
  }
  if (!Expect(':', "':' after the name of the group") || !Expect('{', "'{' before resources")) {
    return false;
  }
  return ReadItems('}', "resources", [&] {
    absl::string_view key = lexer_.spelling();
    if (lexer_.Is(kString)) {
      if (!ReadString(key)) return false;
    } else if (!lexer_.Eat(kBareId)) {
      return FailExpected("the key of a resource");
    }
    if (!Expect(':', "':' after the key of the resource")) return false;
    if (lexer_.EatWord("true") || lexer_.EatWord("false")) return true;
    if (!lexer_.Is(kString)) return FailExpected("the data of the resource");
    // Only builtin's resources are blobs that attributes name.
    if (dialect && group == "builtin") {
      const Resource resource = {lexer_.spelling(), lexer_.token().begin};
      if (!resources_.emplace(key, resource).second) {
        return Fail(absl::StrCat("the resource '", key, "' is given twice"));
      }
    }
    lexer_.Next();
    return true;
  });
}

}  // namespace assay::stablehlo
