#include "spec/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay {
namespace {

constexpr size_t kLongestName = 64;  // a longer one is no misspelling

// The number of characters to be replaced, put in or left out.
int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestOpcodeName(absl::string_view name) {
  if (name.empty() || name.size() > kLongestName) return "";
  constexpr std::pair<absl::string_view, absl::string_view> kAbbreviations[] = {
      {"mul", "multiply"}, {"conv", "convolution"}, {"matmul", "dot"}};
  for (const auto& [theirs, ours] : kAbbreviations) {
    if (name == theirs) return std::string(ours);
  }
  absl::string_view nearest;
  int best = static_cast<int>(name.size() + 2) / 3 + 1;  // farther is no misspelling
  for (const OpInfo& op : Catalogue()) {
    // An abbreviation is nearer than another word of the same length.
    const int distance =
        name.size() > 2 && absl::StartsWith(op.name, name) ? 1 : EditDistance(name, op.name);
    if (distance < best) {
      best = distance;
      nearest = op.name;
    }
  }
  return std::string(nearest);
}

std::string NearestTypeName(absl::string_view name) {
  if (name == "bool" || name == "i1") return "pred";
  // What numpy, C and MLIR write.
  constexpr std::pair<absl::string_view, absl::string_view> kPrefixes[] = {
      {"bfloat", "bf"}, {"float8_", "f8"}, {"float4_", "f4"}, {"float", "f"}, {"uint", "u"},
      {"int", "s"},     {"complex", "c"},  {"i", "s"},        {"F", "f"},     {"BF", "bf"}};
  for (const auto& [theirs, ours] : kPrefixes) {
    absl::string_view rest = name;
    if (!absl::ConsumePrefix(&rest, theirs)) continue;
    const std::string meant = absl::StrCat(ours, absl::StripSuffix(rest, "_t"));
    if (ElementTypeFromName(meant)) return meant;
  }
  return "";
}

std::string NearestName(absl::string_view name, absl::Span<const std::string> names) {
  constexpr int kNear = 2;
  if (name.size() > kLongestName) return "";
  std::string nearest;
  int best = kNear + 1;
  for (const std::string& each : names) {
    const int distance = EditDistance(name, each);
    if (distance >= best) continue;
    best = distance;
    nearest = each;
  }
  return nearest;
}

std::string DidYouMean(absl::string_view nearest) {
  return nearest.empty() ? "" : absl::StrCat(" (did you mean ", nearest, "?)");
}

}  // namespace assay
