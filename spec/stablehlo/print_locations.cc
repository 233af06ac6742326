#include "spec/stablehlo/print_locations.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/print_attributes.h"

namespace assay::stablehlo {

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
