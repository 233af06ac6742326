// Numbers, strings and the plainer attribute values as text. Tests: printer_test.cc.
#include "spec/text/printer_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "spec/ir/attributes.h"
#include "spec/text/lexer.h"

namespace assay::printing {

void AppendInt(int64_t value, std::string* out) {
  char buffer[24];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

bool IsReserved(absl::string_view name) {
  constexpr size_t kLongestKeyword = 23;
  if (name.size() > kLongestKeyword || name.find('.') != absl::string_view::npos) return false;
  return !Lexer(name).Is(TokenKind::kIdent);
}

void AppendDigits(double value, int digits, std::string* out) {
  char buffer[64];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value,
                                    std::chars_format::general, digits)
                          .ptr);
}

void AppendNumber(double value, bool exact, std::string* out) {
  const size_t begin = out->size();
  AppendDigits(value, 6, out);
  if (!exact || std::isnan(value)) return;
  const auto narrow = static_cast<float>(value);
  const bool is_float = narrow == value;
  auto reads_back = [&] {
    const char* text = out->data() + begin;
    const char* end = out->data() + out->size();
    double read = 0;
    if (std::from_chars(text, end, read).ec != std::errc()) return false;
    return is_float ? static_cast<float>(read) == narrow : read == value;
  };
  for (int digits : {9, 15, 17}) {
    if (reads_back()) return;
    out->resize(begin);
    AppendDigits(value, digits, out);
  }
}

void AppendQuoted(absl::string_view text, std::string* out, char quote) {
  out->push_back(quote);
  for (char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    switch (c) {
      case '\n':
        out->append("\\n");
        break;
      case '\r':
        out->append("\\r");
        break;
      case '\t':
        out->append("\\t");
        break;
      case '"':
      case '\'':
      case '\\':
        out->push_back('\\');
        out->push_back(c);
        break;
      default:
        if (byte >= 0x20 && byte < 0x7f) {
          out->push_back(c);
        } else {
          out->push_back('\\');
          for (int shift : {6, 3, 0}) out->push_back(static_cast<char>('0' + (byte >> shift & 7)));
        }
    }
  }
  out->push_back(quote);
}

void AppendRawOrQuoted(absl::string_view text, std::string* out) {
  // Blanks around brace text would not be read back: such a value is quoted.
  if (!text.empty() && text.front() == '{' && text.back() == '}' && LexesAsDict(text)) {
    out->append(text.data(), text.size());
  } else {
    AppendQuoted(text, out);
  }
}

void AppendIndexedSeparator(int64_t index, int64_t interval, std::string* out) {
  if (index == 0) return;
  out->append(", ");
  if (interval == 0 || index % interval != 0) return;
  out->append("/*index=");
  AppendInt(index, out);
  out->append("*/");
}

void AppendInts(absl::Span<const int64_t> values, std::string* out) {
  AppendJoined(values, ",", out, [out](int64_t value) { AppendInt(value, out); });
}

void AppendIntList(absl::Span<const int64_t> values, std::string* out) {
  out->push_back('{');
  AppendInts(values, out);
  out->push_back('}');
}

void AppendIntLists(const std::vector<std::vector<int64_t>>& lists, std::string* out) {
  out->push_back('{');
  AppendJoined(lists, ",", out, [out](const auto& list) { AppendIntList(list, out); });
  out->push_back('}');
}

void AppendWindow(const Window& window, std::string* out) {
  using Dimension = WindowDimension;
  out->push_back('{');
  const auto& dimensions = window.dimensions;
  bool any = false;
  // A field stands only where some dimension differs from the default of all.
  auto field = [&](absl::string_view name, auto is_default, auto append) {
    if (std::all_of(dimensions.begin(), dimensions.end(), is_default)) return;
    if (any) out->push_back(' ');
    any = true;
    out->append(name.data(), name.size());
    AppendJoined(dimensions, "x", out, append);
  };
  auto integer = [&](absl::string_view name, int64_t Dimension::*member, int64_t usual) {
    field(
        name, [=](const Dimension& d) { return d.*member == usual; },
        [=](const Dimension& d) { AppendInt(d.*member, out); });
  };
  field(
      "size=", [](const Dimension&) { return false; },
      [out](const Dimension& d) { AppendInt(d.size, out); });
  integer("stride=", &Dimension::stride, 1);
  field(
      "pad=", [](const Dimension& d) { return d.padding_low == 0 && d.padding_high == 0; },
      [out](const Dimension& d) {
        AppendInt(d.padding_low, out);
        out->push_back('_');
        AppendInt(d.padding_high, out);
      });
  integer("lhs_dilate=", &Dimension::base_dilation, 1);
  integer("rhs_dilate=", &Dimension::window_dilation, 1);
  field(
      "rhs_reversal=", [](const Dimension& d) { return !d.reversal; },
      [out](const Dimension& d) { out->push_back(d.reversal ? '1' : '0'); });
  out->push_back('}');
}

void AppendPadding(const PaddingConfig& padding, std::string* out) {
  const auto& dimensions = padding.dimensions;
  const bool interior = std::any_of(dimensions.begin(), dimensions.end(),
                                    [](const PaddingDimension& d) { return d.interior != 0; });
  AppendJoined(dimensions, "x", out, [&](const PaddingDimension& d) {
    AppendInt(d.low, out);
    out->push_back('_');
    AppendInt(d.high, out);
    if (!interior) return;
    out->push_back('_');
    AppendInt(d.interior, out);
  });
}

void AppendSlices(const Slices& slices, std::string* out) {
  const bool strided = std::any_of(slices.begin(), slices.end(),
                                   [](const SliceRange& range) { return range.stride != 1; });
  out->push_back('{');
  AppendJoined(slices, ", ", out, [&](const SliceRange& range) {
    out->push_back('[');
    AppendInt(range.start, out);
    out->push_back(':');
    AppendInt(range.limit, out);
    if (strided) {
      out->push_back(':');
      AppendInt(range.stride, out);
    }
    out->push_back(']');
  });
  out->push_back('}');
}

namespace {

// The labels of one operand: `first` and `second` at their dimensions, digits at the spatial ones.
void AppendLabels(int64_t rank, int64_t first_dimension, char first, int64_t second_dimension,
                  char second, absl::Span<const int64_t> spatial, std::string* out) {
  for (int64_t d : spatial) rank = std::max(rank, d + 1);
  rank = std::max({rank, first_dimension + 1, second_dimension + 1});
  for (int64_t d = 0; d < rank; ++d) {
    const auto place = std::find(spatial.begin(), spatial.end(), d);
    if (place != spatial.end()) {
      AppendInt(place - spatial.begin(), out);
    } else if (d == second_dimension) {
      out->push_back(second);
    } else if (d == first_dimension) {
      out->push_back(first);
    } else {
      out->push_back('?');
    }
  }
}

}  // namespace

void AppendDimLabels(const ConvolutionDimensions& d, std::string* out) {
  AppendLabels(d.input_rank, d.input_batch, 'b', d.input_feature, 'f', d.input_spatial, out);
  out->push_back('_');
  AppendLabels(d.kernel_rank, d.kernel_input_feature, 'i', d.kernel_output_feature, 'o',
               d.kernel_spatial, out);
  out->append("->");
  AppendLabels(d.output_rank, d.output_batch, 'b', d.output_feature, 'f', d.output_spatial, out);
}

void AppendPrecisions(absl::Span<const int64_t> precisions, std::string* out) {
  const absl::Span<const absl::string_view> words = PrecisionWords().words;
  out->push_back('{');
  AppendJoined(precisions, ",", out, [&](int64_t precision) {
    const bool known = precision >= 0 && precision < static_cast<int64_t>(words.size());
    const absl::string_view word = words[known ? precision : 0];
    out->append(word.data(), word.size());
  });
  out->push_back('}');
}

void AppendResultAccuracy(const ResultAccuracy& accuracy, bool exact, std::string* out) {
  switch (accuracy.mode) {
    case ResultAccuracy::Mode::kDefault:
      out->append("{mode=default}");
      return;
    case ResultAccuracy::Mode::kHighest:
      out->append("{mode=highest}");
      return;
    case ResultAccuracy::Mode::kTolerance:
      break;
  }
  out->append("{tolerance={atol=");
  AppendNumber(accuracy.atol, exact, out);
  out->append(",rtol=");
  AppendNumber(accuracy.rtol, exact, out);
  out->append(",ulps=");
  AppendInt(accuracy.ulps, out);
  out->append("}}");
}

void AppendSparsity(const SparsityConfig& config, std::string* out) {
  bool any = false;
  auto side = [&](absl::string_view name, const std::optional<TensorSparsity>& sparsity) {
    if (!sparsity) return;
    if (any) out->push_back(' ');
    any = true;
    out->append(name.data(), name.size());
    out->append("={sparsity=");
    AppendInt(sparsity->non_zeros, out);
    out->push_back('x');
    AppendInt(sparsity->block_size, out);
    out->append(" dimension=");
    AppendInt(sparsity->dimension, out);
    out->append(" stride=");
    AppendInt(sparsity->stride, out);
    if (sparsity->index) {
      out->append(" idx=");
      AppendInt(*sparsity->index, out);
    }
    out->push_back('}');
  };
  out->push_back('{');
  side("lhs", config.lhs);
  side("rhs", config.rhs);
  out->push_back('}');
}

void AppendAliases(const OutputOperandAliases& aliases, std::string* out) {
  out->push_back('{');
  AppendJoined(aliases, ", ", out, [&](const OutputOperandAlias& alias) {
    AppendIntList(alias.output_index, out);
    out->append(": (");
    AppendInt(alias.operand, out);
    out->append(", ");
    AppendIntList(alias.operand_index, out);
    out->push_back(')');
  });
  out->push_back('}');
}

void AppendFrontendAttributes(const FrontendAttributes& attributes, std::string* out) {
  out->push_back('{');
  AppendJoined(attributes, ",", out, [&](const auto& entry) {
    out->append(entry.first);
    out->push_back('=');
    AppendRawOrQuoted(entry.second, out);
  });
  out->push_back('}');
}

void AppendStatistics(const Statistics& statistics, bool exact, std::string* out) {
  out->append("{visualizing_index=");
  AppendInt(statistics.index_to_visualize, out);
  for (const Statistic& statistic : statistics.values) {
    out->push_back(',');
    out->append(statistic.name);
    out->push_back('=');
    AppendNumber(statistic.value, exact, out);
  }
  out->push_back('}');
}

void AppendMetadata(const Metadata& metadata, std::string* out) {
  out->push_back('{');
  bool any = false;
  auto name = [&](absl::string_view field) {
    if (any) out->push_back(' ');
    any = true;
    out->append(field.data(), field.size());
  };
  auto text = [&](absl::string_view field, const std::string& value) {
    if (value.empty()) return;
    name(field);
    AppendQuoted(value, out);
  };
  auto number = [&](absl::string_view field, int32_t value) {
    if (value == 0) return;
    name(field);
    AppendInt(value, out);
  };
  text("op_type=", metadata.op_type);
  text("op_name=", metadata.op_name);
  text("source_file=", metadata.source_file);
  number("source_line=", metadata.source_line);
  number("source_end_line=", metadata.source_end_line);
  number("source_column=", metadata.source_column);
  number("source_end_column=", metadata.source_end_column);
  if (!metadata.rare().profile_type.empty()) {
    name("profile_type=");
    out->push_back('{');
    AppendJoined(metadata.rare().profile_type, ",", out,
                 [out](int32_t type) { AppendInt(type, out); });
    out->push_back('}');
  }
  text("deduplicated_name=", metadata.rare().deduplicated_name);
  text("scheduling_name=", metadata.rare().scheduling_name);
  number("stack_frame_id=", metadata.stack_frame_id);
  text("metadata_payload=", metadata.rare().payload);
  out->push_back('}');
}

void AppendOriginArray(const std::optional<OriginArray>& array, std::string* out) {
  out->push_back('{');
  if (array) {
    AppendQuoted(array->instruction_name, out);
    if (!array->shape_index.empty()) {
      out->push_back(' ');
      AppendIntList(array->shape_index, out);
    }
  }
  out->push_back('}');
}

namespace {

void AppendOriginTree(const OriginValue& origin, std::string* out) {
  if (!origin.is_tuple) return AppendOriginArray(origin.array, out);
  out->push_back('(');
  AppendJoined(origin.elements, ", ", out,
               [out](const OriginValue& element) { AppendOriginTree(element, out); });
  out->push_back(')');
}

}  // namespace

void AppendOrigin(const OriginValue& origin, std::string* out) {
  out->push_back('{');
  if (origin.is_synthetic_call) {
    out->append("[synthetic_call]");
  } else {
    AppendOriginTree(origin, out);
  }
  out->push_back('}');
}

}  // namespace assay::printing
