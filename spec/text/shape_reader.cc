// Shapes and layouts, hlo_text_format.md 4.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ops/layout_check.h"
#include "spec/text/reader.h"

namespace assay {
namespace {

// A word of the layout grammar, followed by '('.
bool EatPart(Lexer& lexer, absl::string_view word) {
  if (!lexer.IsWord(word)) return false;
  lexer.Next();
  return true;
}

bool ReadParenthesizedInt(Reader& reader, int64_t* value) {
  return reader.Expect(TokenKind::kLeftParen) && reader.ReadInt(value) &&
         reader.Expect(TokenKind::kRightParen);
}

// D(D,C+~): dimension level types, checked and dropped.
bool ReadDimensionLevels(Reader& reader) {
  Lexer& lexer = reader.lexer;
  return reader.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false, [&] {
    const absl::string_view word = lexer.word();
    if (!lexer.Is(TokenKind::kIdent) || word.size() != 1 ||
        absl::string_view("DCSH").find(word[0]) == absl::string_view::npos) {
      return reader.FailExpected("a dimension level type (D, C, S or H)");
    }
    lexer.Next();
    lexer.Eat(TokenKind::kPlus);
    lexer.Eat(TokenKind::kTilde);
    return true;
  });
}

bool ReadTiles(Reader& reader, std::vector<Tile>* tiles) {
  Lexer& lexer = reader.lexer;
  do {
    Tile tile;
    const bool read = reader.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false, [&] {
      if (lexer.Eat(TokenKind::kAsterisk)) {
        tile.sizes.push_back(Tile::kCombine);
        return true;
      }
      if (lexer.Is(TokenKind::kInt) && lexer.int_value() < 0) {
        return reader.Fail("a tile size is negative");
      }
      int64_t size = 0;
      if (!reader.ReadInt(&size)) return false;
      tile.sizes.push_back(size);
      return true;
    });
    tiles->push_back(std::move(tile));
    if (!read) return false;
  } while (lexer.Is(TokenKind::kLeftParen));
  return true;
}

bool ReadUnsignedType(Reader& reader, ElementType* type) {
  Lexer& lexer = reader.lexer;
  lexer.Next();
  if (!reader.Expect(TokenKind::kLeftParen)) return false;
  if (!lexer.Is(TokenKind::kType) || !IsUnsigned(lexer.type())) {
    return reader.FailExpected("an unsigned integer type");
  }
  *type = lexer.type();
  lexer.Next();
  return reader.Expect(TokenKind::kRightParen);
}

bool ReadSplits(Reader& reader, std::vector<SplitConfig>* splits) {
  Lexer& lexer = reader.lexer;
  do {
    SplitConfig split;
    if (!reader.Expect(TokenKind::kLeftParen) || !reader.ReadInt(&split.dimension) ||
        !reader.Expect(TokenKind::kColon)) {
      return false;
    }
    while (!lexer.Is(TokenKind::kRightParen)) {
      if (!split.indices.empty() && !reader.Expect(TokenKind::kComma)) return false;
      if (!reader.ReadInt(&split.indices.emplace_back())) return false;
    }
    lexer.Next();
    splits->push_back(std::move(split));
  } while (lexer.Is(TokenKind::kLeftParen));
  return true;
}

// What follows the ':' in a layout, in its fixed order. XLA's reader takes a part that ends too
// early where the layout ends, too.
bool ReadLayoutParts(Reader& reader, Layout* layout) {
  Lexer& lexer = reader.lexer;
  const auto ends = [&](bool read) {
    return read || (lexer.Is(TokenKind::kRightBrace) && reader.Forgive());
  };
  if (EatPart(lexer, "D") && !ends(ReadDimensionLevels(reader))) return false;
  if (EatPart(lexer, "T") && !ends(ReadTiles(reader, &layout->tiles))) return false;
  if (EatPart(lexer, "L")) {
    const char* at = reader.here();
    if (!ends(ReadParenthesizedInt(reader, &layout->tail_padding_alignment))) return false;
    if (layout->tail_padding_alignment < 1) {
      return reader.FailAt(at, "the tail padding alignment L(n) must be at least 1");
    }
  }
  if (lexer.Is(TokenKind::kHash) && !ends(ReadUnsignedType(reader, &layout->index_type))) {
    return false;
  }
  if (lexer.Is(TokenKind::kAsterisk) && !ends(ReadUnsignedType(reader, &layout->pointer_type))) {
    return false;
  }
  const auto reads_number = [&](absl::string_view word, int64_t* number) {
    return !EatPart(lexer, word) || ends(ReadParenthesizedInt(reader, number));
  };
  if (!reads_number("E", &layout->element_size_in_bits)) return false;
  if (!reads_number("S", &layout->memory_space)) return false;
  if (EatPart(lexer, "SC") && !ends(ReadSplits(reader, &layout->split_configs))) return false;
  if (lexer.IsWord("P")) return reader.Fail("a physical shape P(...) is for sparse arrays only");
  if (!reads_number("M", &layout->dynamic_shape_metadata_prefix_bytes)) return false;
  if (lexer.Is(TokenKind::kRightBrace)) return true;
  return reader.FailExpected("'}' or the next part of the layout; the order is D T L # * E S SC M");
}

bool IsRowMajor(const Dimensions& minor_to_major) {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

// From the '{' on, when a layout starts there; *found says whether one did.
bool ReadLayout(Reader& reader, Shape* shape, bool* found) {
  Lexer& lexer = reader.lexer;
  const Token open = lexer.token();
  lexer.Next();
  *found = lexer.Is(TokenKind::kInt) || lexer.Is(TokenKind::kColon);
  if (!*found) {
    lexer.Restore(open);
    return true;
  }
  if (!shape->is_array()) {
    return reader.FailAt(open.begin, absl::StrCat(Name(shape->element_type()), "[] has no layout"));
  }
  Layout layout;
  while (lexer.Is(TokenKind::kInt)) {
    layout.minor_to_major.push_back(lexer.int_value());
    if (lexer.Next() != TokenKind::kComma) break;
    if (lexer.NextInt() != TokenKind::kInt) return reader.FailExpected("a dimension number");
  }
  const bool plain = !lexer.Eat(TokenKind::kColon);
  if (!plain && !ReadLayoutParts(reader, &layout)) return false;
  if (!reader.Expect(TokenKind::kRightBrace)) return false;
  if (static_cast<int64_t>(layout.minor_to_major.size()) != shape->rank()) {
    return reader.FailAt(open.begin, absl::StrCat("the layout names ", layout.minor_to_major.size(),
                                                  " dimensions, the shape ", shape->ToString(),
                                                  " has ", shape->rank()));
  }
  if (plain && IsRowMajor(layout.minor_to_major)) {
    shape->FillLayouts();  // shares the default layouts
  } else {
    shape->set_layout(std::move(layout));
  }
  return true;
}

bool ReadDimensions(Reader& reader, Dimensions* sizes, absl::InlinedVector<bool, 4>* dynamic) {
  Lexer& lexer = reader.lexer;
  if (!lexer.Is(TokenKind::kLeftBracket)) {
    return reader.FailExpected("'[' with the sizes (a scalar is written with '[]')");
  }
  if (lexer.NextInt() == TokenKind::kRightBracket) return true;
  while (true) {
    bool is_dynamic = true;
    if (lexer.Is(TokenKind::kQuestion)) {
      sizes->push_back(Shape::kUnbounded);
    } else {
      is_dynamic = lexer.Is(TokenKind::kLessEqual);
      if (is_dynamic) lexer.NextInt();
      if (!lexer.Is(TokenKind::kInt))
        return reader.FailExpected("a size, '<=' with a bound or '?'");
      if (lexer.int_value() < 0) return reader.Fail("a dimension has a negative size");
      sizes->push_back(lexer.int_value());
    }
    dynamic->push_back(is_dynamic);
    lexer.Next();
    if (lexer.Is(TokenKind::kRightBracket)) return true;
    if (!lexer.Is(TokenKind::kComma)) return reader.FailExpected("',' or ']'");
    lexer.NextInt();
  }
}

__attribute__((noinline)) bool ReadArray(Reader& reader, Shape* shape, bool fill_layouts) {
  Lexer& lexer = reader.lexer;
  const Token start = lexer.token();
  const ElementType type = start.type;
  lexer.Next();
  Dimensions sizes;
  absl::InlinedVector<bool, 4> dynamic;
  if (!ReadDimensions(reader, &sizes, &dynamic)) return false;
  if (!IsArray(type) && !sizes.empty()) {
    return reader.FailAt(start.begin, absl::StrCat(Name(type), "[] takes no sizes"));
  }
  *shape = Shape(type, sizes);
  for (size_t d = 0; d < dynamic.size(); ++d) {
    if (dynamic[d]) shape->set_dynamic_dimension(static_cast<int64_t>(d), true);
  }
  bool found = false;
  if (lexer.Next() == TokenKind::kLeftBrace && !ReadLayout(reader, shape, &found)) return false;
  if (!found && fill_layouts) shape->FillLayouts();
  return true;
}

// Whether the bytes are within 63 bits, unbounded dimensions apart.
bool BytesFit(const Shape& array) {
  int64_t product = 1;
  for (int64_t size : array.dimensions()) {
    if (size != Shape::kUnbounded && __builtin_mul_overflow(product, size, &product)) return false;
  }
  return !__builtin_mul_overflow(product, int64_t{Info(array.element_type()).storage_bytes},
                                 &product);
}

// The reference looks at what becomes an element of a tuple; elsewhere an array may be anything.
__attribute__((noinline)) bool CheckElement(Reader& reader, const char* at, const Shape& element) {
  const Shape& array = element.is_buffer() ? element.tuple_shape(0) : element;
  if (!array.is_array()) return true;
  if (!BytesFit(array)) {
    return reader.FailAt(at, absl::StrCat("the bytes of ", array.ToString(),
                                          " overflow 63 bits, which no tuple may have in it"));
  }
  return !array.has_layout() || IsSoundLayout(*array.layout(), array.rank()) ||
         reader.FailAt(at, absl::StrCat("the layout of ", array.ToString(/*with_layout=*/true),
                                        " is none that an element of a tuple may have"));
}

// Not inlined: the frames of nested tuples must stay small.
__attribute__((noinline)) bool ReadTuple(Reader& reader, Shape* shape, bool fill_layouts) {
  NestingScope nesting(reader.lexer);
  if (!nesting.status().ok()) return reader.Fail(nesting.status());
  std::vector<Shape> elements;
  const bool read = reader.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false, [&] {
    const char* at = reader.here();
    return ReadShape(reader, &elements.emplace_back(), fill_layouts) &&
           CheckElement(reader, at, elements.back());
  });
  *shape = Shape::Tuple(std::move(elements));
  return read;
}

__attribute__((noinline)) bool ReadBuffer(Reader& reader, Shape* shape, bool fill_layouts) {
  reader.lexer.Next();
  if (!reader.Expect(TokenKind::kLeftParen)) return false;
  if (!reader.lexer.Is(TokenKind::kType) || !IsArray(reader.lexer.type())) {
    return reader.FailExpected("the array shape of the buffer");
  }
  Shape array;
  if (!ReadArray(reader, &array, fill_layouts)) return false;
  *shape = Shape::Buffer(std::move(array));
  return reader.Expect(TokenKind::kRightParen);
}

}  // namespace

bool CanStartShape(const Lexer& lexer) {
  return lexer.Is(TokenKind::kType) || lexer.Is(TokenKind::kLeftParen) ||
         (lexer.IsWord("b") && lexer.PeekByte() == '(');
}

bool ReadShape(Reader& reader, Shape* shape, bool fill_layouts) {
  Lexer& lexer = reader.lexer;
  if (lexer.Is(TokenKind::kType)) return ReadArray(reader, shape, fill_layouts);
  if (lexer.Is(TokenKind::kLeftParen)) return ReadTuple(reader, shape, fill_layouts);
  if (CanStartShape(lexer)) return ReadBuffer(reader, shape, fill_layouts);
  return reader.FailExpected("a shape");
}

}  // namespace assay
