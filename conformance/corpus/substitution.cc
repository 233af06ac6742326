#include "conformance/corpus/substitution.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/value_profiles.h"
#include "spec/element/element.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

// The bounds of a type in decimal: the largest finite value, the least one, and the smallest
// positive normal one (1 of integers and pred).
Substitutions Bounds(ElementType type) {
  if (!IsFloat(type)) {
    if (IsSigned(type)) {
      return {{"MAX", absl::StrCat(MaxSigned(type))},
              {"LOW", absl::StrCat(MinSigned(type))},
              {"TINY", "1"}};
    }
    return {{"MAX", absl::StrCat(MaxUnsigned(type))}, {"LOW", "0"}, {"TINY", "1"}};
  }
  const FloatFormat& format = *Info(type).format;
  uint64_t top = 0;
  for (const uint64_t bits : SpecialPatterns(type)) {
    if (IsNan(type, bits) || IsInfinity(type, bits)) continue;
    if (DecodeFloat(type, bits) > DecodeFloat(type, top)) top = bits;
  }
  const uint64_t sign = format.has_sign ? uint64_t{1} << (Info(type).bits - 1) : 0;
  const uint64_t low = format.has_sign ? top | sign : 0;
  return {{"MAX", PrintElement(type, {top, 0})},
          {"LOW", PrintElement(type, {low, 0})},
          {"TINY", PrintElement(type, {uint64_t{1} << format.significand_bits, 0})}};
}

}  // namespace

std::string SubstituteOnce(absl::string_view text, const Substitutions& names) {
  std::string replaced;
  replaced.reserve(2 * text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t sign = std::min(text.find('$', at), text.size());
    absl::StrAppend(&replaced, text.substr(at, sign - at));
    at = sign + 1;
    if (sign == text.size()) break;
    const absl::string_view rest = text.substr(at);
    const std::pair<std::string, std::string>* longest = nullptr;
    for (const auto& name : names) {
      if (absl::StartsWith(rest, name.first) &&
          (longest == nullptr || name.first.size() > longest->first.size())) {
        longest = &name;
      }
    }
    if (longest == nullptr) {
      replaced.push_back('$');
    } else {
      replaced += longest->second;
      at += longest->first.size();
    }
  }
  return replaced;
}

std::string Substitute(std::string text, const Substitutions& names) {
  for (int depth = 0; depth < 4 && absl::StrContains(text, '$'); ++depth) {
    text = SubstituteOnce(text, names);
  }
  return text;
}

const Substitutions& NamesOf(ElementType type) {
  static const auto* const names = [] {
    auto* const all = new std::map<ElementType, Substitutions>();
    for (const ElementType each : kArrayTypes) {
      const size_t k = SpecialPatterns(Info(each).component).size();
      Substitutions& own = (*all)[each];
      own = {{"T", std::string(Name(each))},
             {"U", absl::StrCat("u", Info(each).bits)},
             {"K", absl::StrCat(IsComplex(each) ? k * k : k)},
             {"P", absl::StrCat(k * k)},
             {"E", absl::StrCat(int64_t{1} << std::min(Info(each).bits, 16))},
             {"D", absl::StrCat(int64_t{1} << std::min(2 * Info(each).bits, 16))},
             {"BITS", absl::StrCat(Info(each).bits)}};
      for (auto& bound : Bounds(Info(each).component)) own.push_back(std::move(bound));
    }
    return all;
  }();
  return names->at(type);
}

}  // namespace assay::conformance
