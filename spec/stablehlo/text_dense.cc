// The elements of constants: dense<..>, dense_resource<..>. The type follows the elements, so their
// end is found first; then they go straight into storage, one pass. Reference stablehlo_format.md
// 1.3.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/element/element.h"
#include "spec/stablehlo/dense_reader.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {
namespace {

// The ">" that closes what opened before `at`; null where there is none. Only strings may hold
// another one.
const char* FindClose(const char* at, const char* end) {
  while (at != end && *at != '>') {
    if (*at == '"') {
      at = static_cast<const char*>(std::memchr(at + 1, '"', end - at - 1));
      if (at == nullptr) return nullptr;
    } else if (*at == '/' && end - at > 1 && at[1] == '/') {
      at = static_cast<const char*>(std::memchr(at, '\n', end - at));
      if (at == nullptr) return nullptr;
    }
    ++at;
  }
  return at == end ? nullptr : at;
}

}  // namespace

bool TextReader::ReadDense(const Attribute*& out) {
  const char* at = lexer_.token().begin;
  lexer_.Next();
  if (!lexer_.Is('<')) return FailExpected("'<' after 'dense'");
  const char* open = lexer_.token().end;
  const char* close = FindClose(open, lexer_.end());
  if (close == nullptr) return FailAt(at, "the elements that begin here have no closing '>'");
  lexer_.MoveTo(close + 1);
  if (!Expect(':', "':' and the type of the elements")) return false;
  const char* type_at = lexer_.token().begin;
  const Type* type;
  if (!ReadType(type)) return false;
  Attribute* dense = New(AttributeKind::kDense);
  dense->type = type;
  out = dense;
  if (type->kind != TypeKind::kTensor) {
    if (absl::StartsWith(type->text, "vector")) {
      return FailAt(type_at, "constants of vector types are not supported, only of tensors");
    }
    return FailAt(type_at, "the elements of a constant must have a tensor type");
  }
  if (std::count(type->dimensions.begin(), type->dimensions.end(), kDynamic) > 0) {
    return FailAt(type_at, "the type of a constant must have known sizes");
  }
  const TextToken after = lexer_.token();
  if (!ReadDenseElements(*type, open, close, *dense)) return false;
  lexer_.Restore(after);
  return true;
}

bool TextReader::ReadDenseElements(const Type& type, const char* open, const char* close,
                                   Attribute& dense) {
  DenseReader reader(lexer_, type);
  lexer_.MoveTo(open);
  const bool ok = reader.Read(close, dense);
  if (!ok) return FailAt(reader.error_at(), reader.error());
  return true;
}

bool TextReader::ReadDenseResource(const Attribute*& out) {
  const char* at = lexer_.token().begin;
  lexer_.Next();
  if (!Expect('<', "'<' after 'dense_resource'")) return false;
  absl::string_view key = lexer_.spelling();
  if (lexer_.Is(kString)) {
    if (!ReadString(key)) return false;
  } else if (lexer_.Is(kBareId)) {
    lexer_.Next();
  } else {
    return FailExpected("the key of a resource");
  }
  const Type* type;
  if (!Expect('>', "'>' after the key of the resource") ||
      !Expect(':', "':' and the type of the elements") || !ReadType(type)) {
    return false;
  }
  if (type->kind != TypeKind::kTensor) {
    return FailAt(at, "the elements of a resource must have a tensor type");
  }
  const Resource* resource;
  if (!FindResource(key, resource)) return false;
  Attribute* dense = New(AttributeKind::kElided);
  dense->type = type;
  dense->text = key;
  out = dense;
  if (resource == nullptr) return true;  // the data is not in this file
  const TextToken after = lexer_.token();
  // The first four bytes are the alignment.
  absl::string_view hex = resource->hex.substr(1, resource->hex.size() - 2);
  if (!absl::StartsWith(hex, "0x") || hex.size() < 10) {
    return FailAt(resource->at, absl::StrCat("the data of the resource must begin with 0x and its ",
                                             "alignment, which is four bytes"));
  }
  DenseReader reader(lexer_, *type);
  dense->kind = AttributeKind::kDense;
  if (!reader.ReadHex(hex.data() + 10, hex.substr(10), *dense)) {
    return FailAt(reader.error_at(), reader.error());
  }
  lexer_.Restore(after);
  return true;
}

// sparse<indices, values>: kept as text, and refused by whoever wants its elements.
bool TextReader::ReadSparse(const Attribute*& out) {
  const char* begin = lexer_.token().begin;
  lexer_.Next();
  if (!lexer_.Is('<')) return FailExpected("'<' after 'sparse'");
  Attribute* opaque = New(AttributeKind::kOpaque);
  out = opaque;
  const Type* type;
  if (!ReadOpaqueBody(begin, opaque->text) || !Expect(':', "':' and the type of the elements") ||
      !ReadType(type)) {
    return false;
  }
  opaque->type = type;
  // The type belongs to the spelling; it ends before the current token.
  opaque->text =
      absl::StripTrailingAsciiWhitespace(absl::string_view(begin, lexer_.token().begin - begin));
  return true;
}

}  // namespace assay::stablehlo
