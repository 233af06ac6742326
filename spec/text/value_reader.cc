// Values of single attributes: windows, paddings, dimension labels, slices, accuracies, sparsity,
// aliases, domains, typed literals (hlo_text_format.md 7.2, 1.5, 5.3).
#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/text/reader.h"

namespace assay {
namespace {

// The integers of a token such as 3x4 or -1_0_2x0_1: entries between 'x', numbers between '_'.
bool SplitNumbers(Reader& reader, std::vector<std::vector<int64_t>>* entries) {
  const absl::string_view text = reader.lexer.spelling();
  const char* at = text.data();
  const char* end = at + text.size();
  entries->emplace_back();
  while (true) {
    const auto [rest, error] = std::from_chars(at, end, entries->back().emplace_back());
    if (error != std::errc()) return reader.Fail("a number here does not fit 64 bits");
    if (rest == end) return true;
    if (*rest == 'x') entries->emplace_back();
    at = rest + 1;
  }
}

// INT or DXD.
bool ReadDxD(Reader& reader, std::vector<int64_t>* sizes) {
  Lexer& lexer = reader.lexer;
  if (lexer.Is(TokenKind::kInt)) return reader.ReadInt(&sizes->emplace_back());
  if (!lexer.Is(TokenKind::kDxD)) return reader.FailExpected("numbers such as 3x3");
  std::vector<std::vector<int64_t>> entries;
  if (!SplitNumbers(reader, &entries)) return false;
  for (const auto& entry : entries) sizes->push_back(entry[0]);
  lexer.Next();
  return true;
}

bool ReadPadToken(Reader& reader, bool interior, std::vector<PaddingDimension>* dimensions) {
  Lexer& lexer = reader.lexer;
  if (!lexer.Is(TokenKind::kPad)) return reader.FailExpected("padding such as 0_0x1_1");
  std::vector<std::vector<int64_t>> entries;
  if (!SplitNumbers(reader, &entries)) return false;
  for (const auto& entry : entries) {
    if (entry.size() > (interior ? 3 : 2)) {
      return reader.Fail("a window pads by low_high; interior padding has no place here");
    }
    dimensions->push_back({entry[0], entry[1], entry.size() > 2 ? entry[2] : 0});
  }
  lexer.Next();
  return true;
}

constexpr absl::string_view kWindowFields[] = {"size",       "stride",       "lhs_dilate",
                                               "rhs_dilate", "rhs_reversal", "pad"};
constexpr int kReversal = 4;  // the index of rhs_reversal among them

bool ReadTolerance(Reader& reader, ResultAccuracy* accuracy) {
  constexpr absl::string_view kFields[] = {"atol", "rtol", "ulps"};
  accuracy->mode = ResultAccuracy::Mode::kTolerance;
  return reader.ReadBraceList([&] {
    if (!reader.lexer.Is(TokenKind::kAttr)) return reader.FailExpected("atol=, rtol= or ulps=");
    const Token name = reader.lexer.token();
    reader.lexer.Next();
    uint32_t seen = 0;  // of a repeated one the last counts
    const int field = FindField(reader, kFields, name, "a tolerance", &seen);
    const char* at = reader.here();
    double value = 0;
    if (field < 0 || !reader.ReadFloat(&value)) return false;
    if (!(value >= 0)) return reader.FailAt(at, "a tolerance is negative or not a number");
    if (field == 0) accuracy->atol = value;
    if (field == 1) accuracy->rtol = value;
    if (field == 2) {
      if (value >= 0x1p63) return reader.FailAt(at, "this many ulps do not fit 64 bits");
      accuracy->ulps = static_cast<int64_t>(value);
    }
    return true;
  });
}

bool ReadAccuracyMode(Reader& reader, ResultAccuracy* accuracy) {
  static constexpr absl::string_view kModes[] = {"default", "highest"};
  const char* at = reader.here();
  absl::string_view word;
  if (!reader.ReadIdent(&word, "default or highest")) return false;
  const std::optional<int64_t> mode = EnumFromWord({kModes, /*ignore_case=*/true}, word);
  if (!mode) {
    return reader.FailAt(at, absl::StrCat("accuracy mode '", word, "' is not default or highest"));
  }
  accuracy->mode = static_cast<ResultAccuracy::Mode>(*mode);
  return true;
}

constexpr absl::string_view kSparsityFields[] = {"sparsity", "dimension", "stride", "idx"};

bool ReadTensorSparsity(Reader& reader, TensorSparsity* sparsity) {
  uint32_t seen = 0;
  return reader.ReadFields(
      "sparsity_config",
      [&](const Token& name) {
        const char* at = reader.here();
        std::vector<int64_t> sizes;
        switch (FindField(reader, kSparsityFields, name, "sparsity_config", &seen)) {
          case 0:
            if (!ReadDxD(reader, &sizes)) return false;
            if (sizes.size() != 2)
              return reader.FailAt(at, "expected nonzeros x block, such as 2x4");
            sparsity->non_zeros = sizes[0];
            sparsity->block_size = sizes[1];
            return true;
          case 1:
            return reader.ReadInt(&sparsity->dimension);
          case 2:
            return reader.ReadInt(&sparsity->stride);
          case 3:
            return reader.ReadInt(&sparsity->index.emplace());
          default:
            return false;
        }
      },
      Reader::Commas::kNone);
}

// One part of dim_labels: positions of the two letters (0 for one that is missing: custom calls may
// do without) and of the spatial digits.
struct Labels {
  int64_t first = 0, second = 0;
  std::vector<int64_t> spatial;
};

bool ReadLabels(Reader& reader, absl::string_view part, char first, char second, Labels* labels) {
  auto fail = [&](absl::string_view why) {
    return reader.Fail(absl::StrCat("dim_labels part '", part, "': ", why));
  };
  std::vector<int64_t> position_of(part.size(), -1);
  int64_t letters[] = {-1, -1};
  int64_t digits = 0;
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    const int64_t position = static_cast<int64_t>(i);
    if (c == '?') continue;
    int64_t* slot = nullptr;
    if (c == first) {
      slot = &letters[0];
    } else if (c == second) {
      slot = &letters[1];
    } else if (static_cast<size_t>(c - '0') < part.size()) {
      slot = &position_of[c - '0'];
      ++digits;
    } else {
      return fail(absl::StrCat("'", part.substr(i, 1), "' has no place here"));
    }
    if (*slot >= 0) return fail(absl::StrCat("'", part.substr(i, 1), "' is repeated"));
    *slot = position;
  }
  labels->first = std::max<int64_t>(letters[0], 0);
  labels->second = std::max<int64_t>(letters[1], 0);
  for (int64_t k = 0; k < digits; ++k) {
    if (position_of[k] < 0) return fail("the spatial dimensions are not 0 to n-1");
    labels->spatial.push_back(position_of[k]);
  }
  return true;
}

}  // namespace

bool ReadWindow(Reader& reader, Window* window) {
  std::vector<int64_t> lists[5];
  std::vector<PaddingDimension> pads;
  uint32_t seen = 0;
  const char* open = reader.here();
  if (!reader.Expect(TokenKind::kLeftBrace)) return false;
  while (!reader.lexer.Eat(TokenKind::kRightBrace)) {
    if (!reader.lexer.Is(TokenKind::kAttr)) {
      return reader.FailExpected("a window field (size=, stride=, pad=, ...) or '}'");
    }
    const Token name = reader.lexer.token();
    reader.lexer.Next();
    const int field = FindField(reader, kWindowFields, name, "a window", &seen);
    if (field < 0) return false;
    if (field == 5 ? !ReadPadToken(reader, /*interior=*/false, &pads)
                   : !ReadDxD(reader, &lists[field])) {
      return false;
    }
  }
  const size_t rank = lists[0].size();
  for (int field = 1; field < 6; ++field) {
    if ((seen >> field & 1) == 0) continue;
    const size_t size = field == 5 ? pads.size() : lists[field].size();
    // XLA reads a list of reversals of any length: what is missing is not reversed, what is too
    // much is ignored.
    if (size == rank || field == kReversal) continue;
    return reader.FailAt(open, absl::StrCat("in this window size has ", rank, " entries and ",
                                            kWindowFields[field], " has ", size));
  }
  window->dimensions.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    WindowDimension& dimension = window->dimensions[d];
    dimension.size = lists[0][d];
    if (!lists[1].empty()) dimension.stride = lists[1][d];
    if (!lists[2].empty()) dimension.base_dilation = lists[2][d];
    if (!lists[3].empty()) dimension.window_dilation = lists[3][d];
    if (d < lists[kReversal].size()) dimension.reversal = lists[kReversal][d] == 1;
    if (!pads.empty()) {
      dimension.padding_low = pads[d].low;
      dimension.padding_high = pads[d].high;
    }
  }
  return true;
}

bool ReadPadding(Reader& reader, PaddingConfig* padding) {
  return ReadPadToken(reader, /*interior=*/true, &padding->dimensions);
}

bool ReadDimLabels(Reader& reader, ConvolutionDimensions* dimensions) {
  if (!reader.lexer.Is(TokenKind::kDimLabels)) {
    return reader.FailExpected("dimension labels such as b01f_01io->b01f");
  }
  const absl::string_view text = reader.lexer.word();
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  const absl::string_view lhs = text.substr(0, underscore);
  const absl::string_view rhs = text.substr(underscore + 1, arrow - underscore - 1);
  const absl::string_view out = text.substr(arrow + 2);
  Labels input, kernel, output;
  if (!ReadLabels(reader, lhs, 'b', 'f', &input) || !ReadLabels(reader, rhs, 'i', 'o', &kernel) ||
      !ReadLabels(reader, out, 'b', 'f', &output)) {
    return false;
  }
  if (input.spatial.size() != kernel.spatial.size() ||
      input.spatial.size() != output.spatial.size()) {
    return reader.Fail("the parts of dim_labels have different numbers of spatial dimensions");
  }
  dimensions->input_batch = input.first;
  dimensions->input_feature = input.second;
  dimensions->input_spatial = std::move(input.spatial);
  dimensions->kernel_input_feature = kernel.first;
  dimensions->kernel_output_feature = kernel.second;
  dimensions->kernel_spatial = std::move(kernel.spatial);
  dimensions->output_batch = output.first;
  dimensions->output_feature = output.second;
  dimensions->output_spatial = std::move(output.spatial);
  dimensions->input_rank = static_cast<int64_t>(lhs.size());
  dimensions->kernel_rank = static_cast<int64_t>(rhs.size());
  dimensions->output_rank = static_cast<int64_t>(out.size());
  reader.lexer.Next();
  return true;
}

bool ReadSlices(Reader& reader, Slices* slices) {
  return reader.ReadBraceList([&] {
    SliceRange& range = slices->emplace_back();
    return reader.Expect(TokenKind::kLeftBracket) && reader.ReadInt(&range.start) &&
           reader.Expect(TokenKind::kColon) && reader.ReadInt(&range.limit) &&
           (!reader.lexer.Eat(TokenKind::kColon) || reader.ReadInt(&range.stride)) &&
           reader.Expect(TokenKind::kRightBracket);
  });
}

bool ReadResultAccuracy(Reader& reader, ResultAccuracy* accuracy) {
  if (!reader.Expect(TokenKind::kLeftBrace)) return false;
  const bool is_attr = reader.lexer.Is(TokenKind::kAttr);
  const absl::string_view name = reader.lexer.word();
  if (!is_attr || (name != "mode" && name != "tolerance")) {
    return reader.FailExpected("mode= or tolerance=");
  }
  reader.lexer.Next();
  const bool read =
      name == "mode" ? ReadAccuracyMode(reader, accuracy) : ReadTolerance(reader, accuracy);
  return read && reader.Expect(TokenKind::kRightBrace);
}

bool ReadSparsity(Reader& reader, SparsityConfig* sparsity) {
  constexpr absl::string_view kSides[] = {"lhs", "rhs"};
  uint32_t seen = 0;
  return reader.ReadFields(
      "sparsity_config",
      [&](const Token& name) {
        switch (FindField(reader, kSides, name, "sparsity_config", &seen)) {
          case 0:
            return ReadTensorSparsity(reader, &sparsity->lhs.emplace());
          case 1:
            return ReadTensorSparsity(reader, &sparsity->rhs.emplace());
          default:
            return false;
        }
      },
      Reader::Commas::kNone);
}

bool ReadAliases(Reader& reader, OutputOperandAliases* aliases) {
  return reader.ReadList(TokenKind::kLeftBrace, TokenKind::kRightBrace, true, [&] {
    OutputOperandAlias& alias = aliases->emplace_back();
    return reader.ReadShapeIndex(&alias.output_index) && reader.Expect(TokenKind::kColon) &&
           reader.Expect(TokenKind::kLeftParen) && reader.ReadInt(&alias.operand) &&
           reader.Expect(TokenKind::kComma) && reader.ReadShapeIndex(&alias.operand_index) &&
           reader.Expect(TokenKind::kRightParen);
  });
}

bool ReadDomain(Reader& reader, DomainSharding* domain) {
  constexpr absl::string_view kFields[] = {"kind", "entry", "exit"};
  const char* open = reader.here();
  uint32_t seen = 0;
  std::string kind;
  const bool read = reader.ReadFields("domain", [&](const Token& name) {
    switch (FindField(reader, kFields, name, "domain", &seen)) {
      case 0:
        return reader.ReadString(&kind);
      case 1:
        return ReadSharding(reader, &domain->entry);
      case 2:
        return ReadSharding(reader, &domain->exit);
      default:
        return false;
    }
  });
  if (!read) return false;
  if (seen != 7) return reader.FailAt(open, "a domain needs kind=, entry= and exit=");
  return kind == "sharding" || reader.FailAt(open, "the only kind of domain is \"sharding\"");
}

namespace {

// The text of a shape like f32[2] if the braces after it are the value. They are its layout when
// another value follows them: f32[2]{0} {1, 2}.
absl::string_view ShapeWithoutLayout(const Lexer& lexer) {
  const absl::string_view text(lexer.spelling().data(),
                               lexer.spelling().size() + lexer.rest().size());
  const size_t close = text.find(']');
  if (close == absl::string_view::npos) return "";
  const absl::string_view shape = text.substr(0, close + 1);
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(text.substr(close + 1));
  if (!absl::StartsWith(rest, "{")) return "";
  int64_t open = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    open += rest[i] == '{' ? 1 : rest[i] == '}' ? -1 : 0;
    if (open > 0) continue;
    rest = absl::StripLeadingAsciiWhitespace(rest.substr(i + 1));
    return rest.empty() || rest[0] == ',' || rest[0] == ')' ? shape : "";
  }
  return "";
}

bool ReadShapeOfLiteral(Reader& reader, Shape* shape) {
  if (!reader.lexer.Is(TokenKind::kType)) return ReadShape(reader, shape);
  const absl::string_view text = ShapeWithoutLayout(reader.lexer);
  if (text.empty()) return ReadShape(reader, shape);
  Reader alone(text, {});
  if (!ReadShape(alone, shape)) return ReadShape(reader, shape);
  while (!reader.lexer.Is(TokenKind::kRightBracket)) reader.lexer.Next();
  reader.lexer.Next();
  return true;
}

}  // namespace

bool ReadTypedLiteral(Reader& reader, Literal* literal) {
  if (reader.lexer.Is(TokenKind::kLeftParen)) {
    NestingScope nesting(reader.lexer);
    if (!nesting.status().ok()) return reader.Fail(nesting.status());
    std::vector<Literal> elements;
    const bool read = reader.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, true, [&] {
      return ReadTypedLiteral(reader, &elements.emplace_back());
    });
    *literal = Literal::Tuple(std::move(elements));
    return read;
  }
  Shape shape;
  if (!ReadShapeOfLiteral(reader, &shape)) return false;
  absl::StatusOr<Literal> value = ReadLiteral(reader.lexer, shape, &reader.literals);
  if (!value.ok()) return reader.Fail(value.status());
  *literal = *std::move(value);
  return true;
}

}  // namespace assay
