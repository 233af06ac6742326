#include "spec/stablehlo/print_locations.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/print_attributes.h"

namespace assay::stablehlo {

void AttributePrinter::AppendLocation(const Location& location,
                                      absl::FunctionRef<std::string(const Location*)> child) {
  switch (location.kind) {
    case Location::Kind::kUnknown:
      out_.append("unknown");
      return;
    case Location::Kind::kFile:
      AppendString(location.text);
      absl::StrAppend(&out_, ":", location.line, ":", location.column);
      if (location.end_column == 0) return;
      out_.append(" to ");
      if (location.end_line != location.line) absl::StrAppend(&out_, location.end_line);
      absl::StrAppend(&out_, ":", location.end_column);
      return;
    case Location::Kind::kName:
      AppendString(location.text);
      if (!location.children.empty()) absl::StrAppend(&out_, "(", child(location.children[0]), ")");
      return;
    case Location::Kind::kCallSite: {
      const auto part = [&](size_t i) {
        return child(i < location.children.size() ? location.children[i] : nullptr);
      };
      absl::StrAppend(&out_, "callsite(", part(0), " at ", part(1), ")");
      return;
    }
    case Location::Kind::kFused:
      out_.append("fused[");
      for (size_t i = 0; i < location.children.size(); ++i) {
        absl::StrAppend(&out_, i > 0 ? ", " : "", child(location.children[i]));
      }
      out_.push_back(']');
      return;
  }
}

void AttributePrinter::AppendWholeLocation(const Location* location, int depth) {
  // Locations share parts, and a reader may have made long chains of them.
  constexpr int kDeepest = 100;
  if (location == nullptr || depth == kDeepest) {
    out_.append("unknown");
    return;
  }
  AppendLocation(*location, [depth](const Location* child) {
    std::string text;
    AttributePrinter(text).AppendWholeLocation(child, depth + 1);
    return text;
  });
}

std::string LocationAliases::Reference(const Location* location) {
  return absl::StrCat("loc(", AliasOf(location), ")");
}

std::string LocationAliases::AliasOf(const Location* location) {
  if (location == nullptr || location->kind == Location::Kind::kUnknown) return "unknown";
  if (const auto known = aliases_.find(location); known != aliases_.end()) return known->second;
  // A call stack may be a long chain: the walk keeps its own list of what waits for its children.
  std::vector<const Location*> waiting = {location};
  while (!waiting.empty()) {
    const Location* at = waiting.back();
    const size_t before = waiting.size();
    for (const Location* child : at->children) {
      const bool known =
          child == nullptr || child->kind == Location::Kind::kUnknown || aliases_.contains(child);
      if (!known) waiting.push_back(child);
    }
    if (waiting.size() > before) continue;
    waiting.pop_back();
    if (aliases_.contains(at)) continue;
    std::string text;
    AttributePrinter(text).AppendLocation(*at, [this](const Location* child) {
      const auto alias = aliases_.find(child);
      return alias == aliases_.end() ? std::string("unknown") : alias->second;
    });
    auto [alias, added] = alias_of_text_.try_emplace(std::move(text));
    if (added) {
      alias->second = absl::StrCat("#loc", alias_of_text_.size());
      absl::StrAppend(&definitions_, alias->second, " = loc(", alias->first, ")\n");
    }
    aliases_.emplace(at, alias->second);
  }
  return aliases_.find(location)->second;
}

}  // namespace assay::stablehlo
