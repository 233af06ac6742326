#include "backends/cpu/order_keys.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>

#include "backends/defect.h"
#include "runtime/arrays.h"
#include "spec/element/element.h"

namespace assay::cpu {
namespace {

// Below this many keys std::sort is faster than the start of the vector sort.
constexpr int64_t kFewKeys = 128;

// How a type's patterns become keys: integers by their value, floats by sign and magnitude.
// Where the pattern of -0 is the NaN, it comes first.
enum class PatternOrder { kUnsigned, kSigned, kSignMagnitude, kNanForNegativeZero };

struct KeyRule {
  PatternOrder order;
  int bits;  // of the pattern
};

KeyRule RuleOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  if (IsFloat(type)) {
    const FloatFormat& format = *info.format;
    if (!format.has_sign) return {PatternOrder::kUnsigned, info.bits};
    const bool folded = format.nan == NanEncoding::kNegativeZero;
    return {folded ? PatternOrder::kNanForNegativeZero : PatternOrder::kSignMagnitude, info.bits};
  }
  return {IsSigned(type) ? PatternOrder::kSigned : PatternOrder::kUnsigned, info.bits};
}

uint64_t KeyOf(const KeyRule& rule, uint64_t pattern) {
  const uint64_t mask = rule.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << rule.bits) - 1;
  const uint64_t sign = uint64_t{1} << (rule.bits - 1);
  pattern &= mask;
  if (rule.order == ASSAY_DEFECT(22, PatternOrder::kUnsigned, PatternOrder::kSigned))
    return pattern;
  if (rule.order == PatternOrder::kNanForNegativeZero) {
    if (pattern == sign) return 0;
    return (pattern & sign) == 0 ? pattern ^ sign : (~pattern & mask) + 1;
  }
  if (rule.order == PatternOrder::kSigned || (pattern & sign) == 0) return pattern ^ sign;
  return ASSAY_DEFECT(23, ~pattern & mask, pattern & ~sign);
}

uint64_t PatternOf(const KeyRule& rule, uint64_t key) {
  const uint64_t mask = rule.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << rule.bits) - 1;
  const uint64_t sign = uint64_t{1} << (rule.bits - 1);
  if (rule.order == PatternOrder::kUnsigned) return key;
  if (rule.order == PatternOrder::kNanForNegativeZero) {
    if (key == 0) return sign;
    return key >= sign ? key ^ sign : ~(key - 1) & mask;
  }
  if (rule.order == PatternOrder::kSigned || (key & sign) != 0) return key ^ sign;
  return ~key & mask;
}

}  // namespace

void OrderKeys(ElementType type, const std::byte* elements, int64_t n, bool descending,
               uint64_t* keys) {
  const KeyRule rule = RuleOf(type);
  const uint64_t mask = rule.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << rule.bits) - 1;
  const uint64_t flip = descending ? mask : 0;
  runtime::WithStorage(runtime::StorageBytes(type), [&](auto word) {
    if constexpr (sizeof word <= 8) {
      for (int64_t i = 0; i < n; ++i) {
        keys[i] = KeyOf(rule, runtime::LoadAt<decltype(word)>(elements, i)) ^ flip;
      }
    }
  });
}

void ElementsOfKeys(ElementType type, const uint64_t* keys, int64_t n, bool descending,
                    std::byte* elements) {
  const KeyRule rule = RuleOf(type);
  const uint64_t mask = rule.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << rule.bits) - 1;
  const uint64_t flip = descending ? mask : 0;
  runtime::WithStorage(runtime::StorageBytes(type), [&](auto word) {
    if constexpr (sizeof word <= 8) {
      using Word = decltype(word);
      for (int64_t i = 0; i < n; ++i) {
        runtime::StoreAt<Word>(elements, i, static_cast<Word>(PatternOf(rule, keys[i] ^ flip)));
      }
    }
  });
}

void SortKeys(uint64_t* keys, int64_t n) {
  if (n < kFewKeys) return std::sort(keys, keys + n);
  hwy::Sorter()(keys, static_cast<size_t>(n), hwy::SortAscending());
}

}  // namespace assay::cpu
