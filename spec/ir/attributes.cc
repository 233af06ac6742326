#include "spec/ir/attributes.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "absl/strings/match.h"

namespace assay {
namespace {

constexpr AttrInfo kRows[] = {
#define ATTRIBUTE(enumerator, name, kind) {Attr::enumerator, name, AttrKind::kind},
#include "spec/ir/attributes.def"
#undef ATTRIBUTE
};

using Word = absl::string_view;
constexpr Word kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr Word kComparisonTypes[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr Word kConvolutionKinds[] = {"unset", "fprop", "dgrad", "wgrad"};
constexpr Word kApis[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                          "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                          "API_VERSION_TYPED_FFI"};
constexpr Word kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr Word kDotAlgorithms[] = {
#define DOT_ALGORITHM(word, ...) word,
#include "spec/ir/dot_algorithms.def"
#undef DOT_ALGORITHM
};
constexpr Word kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr Word kFusionKinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};
constexpr Word kPaddingTypes[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
constexpr Word kRandomAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr Word kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr Word kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr Word kPrecisions[] = {"default", "high", "highest"};

struct EnumRow {
  AttrKind kind;
  EnumWords words;
};
const EnumRow kEnums[] = {
    {AttrKind::kComparisonDirection, {kDirections, false}},
    {AttrKind::kComparisonType, {kComparisonTypes, false}},
    {AttrKind::kConvolutionKind, {kConvolutionKinds, false}},
    {AttrKind::kCustomCallApi, {kApis, true}},
    {AttrKind::kCustomCallSchedule, {kSchedules, true}},
    {AttrKind::kDotAlgorithm, {kDotAlgorithms, true}},
    {AttrKind::kFftType, {kFftTypes, false}},
    {AttrKind::kFusionKind, {kFusionKinds, false}},
    {AttrKind::kPaddingType, {kPaddingTypes, false}},
    {AttrKind::kRandomAlgorithm, {kRandomAlgorithms, true}},
    {AttrKind::kRandomDistribution, {kDistributions, true}},
    {AttrKind::kTransposeA, {kTransposes, false}},
};

auto LowerBound(auto& entries, Attr attr) {
  return std::lower_bound(entries.begin(), entries.end(), attr,
                          [](const auto& entry, Attr wanted) { return entry.first < wanted; });
}

}  // namespace

AttributeValue::AttributeValue() = default;
AttributeValue::AttributeValue(const AttributeValue&) = default;
AttributeValue::AttributeValue(AttributeValue&&) noexcept = default;
AttributeValue& AttributeValue::operator=(const AttributeValue&) = default;
AttributeValue& AttributeValue::operator=(AttributeValue&&) noexcept = default;
AttributeValue::~AttributeValue() = default;

bool operator==(const AttributeValue& a, const AttributeValue& b) {
  return static_cast<const AttributeVariant&>(a) == static_cast<const AttributeVariant&>(b);
}

const AttrInfo& Info(Attr attr) { return kRows[static_cast<size_t>(attr)]; }

bool IsEnum(AttrKind kind) { return kind >= AttrKind::kComparisonDirection; }

const EnumWords& WordsOf(AttrKind kind) {
  const auto first = static_cast<size_t>(AttrKind::kComparisonDirection);
  return kEnums[static_cast<size_t>(kind) - first].words;
}

const EnumWords& PrecisionWords() {
  static const EnumWords words = {kPrecisions, true};
  return words;
}

std::optional<int64_t> EnumFromWord(const EnumWords& words, absl::string_view word) {
  for (size_t i = 0; i < words.words.size(); ++i) {
    const bool equal =
        words.ignore_case ? absl::EqualsIgnoreCase(words.words[i], word) : words.words[i] == word;
    if (equal) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

Attributes::Attributes() = default;
Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;

const AttributeValue* Attributes::Find(Attr attr) const {
  auto entry = LowerBound(entries_, attr);
  return entry == entries_.end() || entry->first != attr ? nullptr : &entry->second;
}

void Attributes::Set(Attr attr, AttributeValue value) {
  auto entry = LowerBound(entries_, attr);
  if (entry != entries_.end() && entry->first == attr) {
    entry->second = std::move(value);
  } else {
    entries_.emplace(entry, attr, std::move(value));
  }
}

void Attributes::Erase(Attr attr) {
  auto entry = LowerBound(entries_, attr);
  if (entry != entries_.end() && entry->first == attr) entries_.erase(entry);
}

}  // namespace assay
