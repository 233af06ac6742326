// Compiled once for each instruction set.
#include "conformance/enclosure/word_loops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime/processor.h"

#if defined(__x86_64__) && !defined(__AVX2__)
#define ASSAY_DISPATCH_AVX2 1
#endif

namespace assay::conformance {
namespace {

#define ASSAY_INLINE inline __attribute__((always_inline))

// The data of WordLine for a type, in integers as wide as its patterns.
template <typename Word>
struct WordType {
  using Signed = std::make_signed_t<Word>;
  static constexpr Signed kMagnitude = std::numeric_limits<Signed>::max();
  static ASSAY_INLINE Signed Ordinal(Word bits) {
    const auto pattern = static_cast<Signed>(bits);
    return static_cast<Signed>(pattern ^
                               ((pattern >> std::numeric_limits<Signed>::digits) & kMagnitude));
  }
  // This function is its own inverse.
  static ASSAY_INLINE Word Bits(Signed ordinal) {
    return static_cast<Word>(Ordinal(static_cast<Word>(ordinal)));
  }
  explicit WordType(const Line& line)
      : greatest(static_cast<Signed>(line.greatest())),
        least(static_cast<Signed>(line.least())),
        least_normal(static_cast<Signed>(line.least_normal())),
        one(static_cast<Signed>(Signed{1} << line.significand_bits())) {}
  ASSAY_INLINE bool IsNan(Word bits) const {
    return static_cast<Signed>(bits & kMagnitude) > greatest;
  }

  const Signed greatest, least, least_normal;
  const Signed one;  // steps from one power of two to the next
};

template <typename Word>
struct AnyInRegion {
  using Type = WordType<Word>;
  using Signed = typename Type::Signed;
  const Type& type;
  Signed most_low, least_high;
  const Word *lows, *highs;
  bool found = false;

  ASSAY_INLINE void Run(int64_t count) {
    Signed any = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Signed low = Type::Ordinal(lows[i]), high = Type::Ordinal(highs[i]);
      const bool lies = (low <= most_low) & (high >= least_high);
      any |= static_cast<Signed>(lies | type.IsNan(lows[i]));
    }
    found = any != 0;
  }
};

template <typename Word>
struct FindExtent {
  using Type = WordType<Word>;
  using Signed = typename Type::Signed;
  const Type* type;
  const Word *words, *others;
  Signed least = std::numeric_limits<Signed>::max(), greatest = std::numeric_limits<Signed>::min();

  ASSAY_INLINE void Run(int64_t count) {
    Signed down = least, up = greatest;
    for (int64_t i = 0; i < count; ++i) {
      const Signed one = Type::Ordinal(words[i]), other = Type::Ordinal(others[i]);
      const Signed lower = one < other ? one : other, upper = one < other ? other : one;
      down = lower < down ? lower : down;
      up = upper > up ? upper : up;
    }
    least = down;
    greatest = up;
  }
  // NaNs lie beyond the ends of the line.
  Extent Found() const {
    return {least, greatest, least < type->least || greatest > type->greatest};
  }
};

// Orders two corners that have no NaNs in place.
template <typename Word>
struct Order {
  using Type = WordType<Word>;
  Word *lows, *highs;
  bool apart = false;

  ASSAY_INLINE void Run(int64_t count) {
    Word any = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto a = Type::Ordinal(lows[i]), b = Type::Ordinal(highs[i]);
      lows[i] = Type::Bits(a < b ? a : b);
      highs[i] = Type::Bits(a < b ? b : a);
      any = static_cast<Word>(any | (lows[i] ^ highs[i]));
    }
    apart = any != 0;
  }
};

template <typename Word>
struct JoinCorner {
  using Type = WordType<Word>;
  Word *lows, *highs;
  const Word* corner;
  bool apart = false;

  ASSAY_INLINE void Run(int64_t count) {
    Word any = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto value = Type::Ordinal(corner[i]);
      const auto low = Type::Ordinal(lows[i]), high = Type::Ordinal(highs[i]);
      lows[i] = Type::Bits(value < low ? value : low);
      highs[i] = Type::Bits(value > high ? value : high);
      any = static_cast<Word>(any | (lows[i] ^ highs[i]));
    }
    apart = any != 0;
  }
};

// The scalar forms say why (Outward, Loosen).
template <typename Word>
struct Looser {
  using Type = WordType<Word>;
  using Signed = typename Type::Signed;
  const Type& type;
  const Slack& slack;
  const Word *lows, *highs;    // what would change is told, or
  Word *new_lows, *new_highs;  // what changes is written, where these are not null
  bool changes = false;

  // Steps of an end whose distance to the other one is given.
  static ASSAY_INLINE Signed Steps(Word bits, Word distance, bool towards_zero, Signed units,
                                   Signed one) {
    const auto to_power = static_cast<Signed>(bits & static_cast<Word>(one - 1));
    const bool reaches = distance >= static_cast<Word>(one - to_power);
    const auto more = static_cast<Signed>(units - to_power);
    const auto below = static_cast<Signed>(units + (more > 0 ? more : Signed{0}));
    const auto inwards = reaches ? static_cast<Signed>(2 * units) : below;
    return towards_zero ? inwards : units;
  }

  template <bool kWrite, bool kZeros, bool kExactZeros>
  ASSAY_INLINE void Loop(int64_t count) {
    const Type of = type;
    const auto units = static_cast<Signed>(slack.units);
    // Denormals lie below; none do where they do not count.
    const auto small =
        static_cast<Signed>(slack.flushed ? of.least_normal + (slack.rounded ? 1 : 0) : 0);
    Word* const to_lows = new_lows;
    Word* const to_highs = new_highs;
    const Word* const from_lows = kWrite ? to_lows : lows;
    const Word* const from_highs = kWrite ? to_highs : highs;
    Word any = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Word low_bits = from_lows[i], high_bits = from_highs[i];
      Signed low = Type::Ordinal(low_bits), high = Type::Ordinal(high_bits);
      const auto distance = static_cast<Word>(static_cast<Word>(high) - static_cast<Word>(low));
      Signed down = Steps(low_bits, distance, low >= 0, units, of.one);
      Signed up = Steps(high_bits, distance, high < 0, units, of.one);
      if (kExactZeros) {  // the positions 0 and -1
        const bool low_stays = (low == 0) | (low == -1);
        const bool high_stays = (high == 0) | (high == -1);
        down = low_stays ? Signed{0} : down;
        up = high_stays ? Signed{0} : up;
      }
      low = static_cast<Signed>(low - down);
      high = static_cast<Signed>(high + up);
      low = low < of.least ? of.least : low;
      high = high > of.greatest ? of.greatest : high;
      const bool positive = (low >= 0) & (low < small) & (high > 0);
      const bool negative = (high < 0) & (high >= -small) & (low < -1);
      low = positive ? Signed{-1} : low;
      high = negative ? Signed{0} : high;
      if (kZeros) {
        low = low == 0 ? Signed{-1} : low;
        high = high == -1 ? Signed{0} : high;
      }
      const bool nan = of.IsNan(low_bits);
      const Word loose_low = nan ? low_bits : Type::Bits(low);
      const Word loose_high = nan ? high_bits : Type::Bits(high);
      if (kWrite) {
        to_lows[i] = loose_low;
        to_highs[i] = loose_high;
      } else {
        any = static_cast<Word>(any | (loose_low ^ low_bits) | (loose_high ^ high_bits));
      }
    }
    changes = any != 0;
  }
  ASSAY_INLINE void Run(int64_t count) {
    if (slack.exact_zeros) return RunWith<true>(count);
    RunWith<false>(count);
  }
  template <bool kExactZeros>
  ASSAY_INLINE void RunWith(int64_t count) {
    if (new_lows != nullptr) {
      return slack.zeros ? Loop<true, true, kExactZeros>(count)
                         : Loop<true, false, kExactZeros>(count);
    }
    slack.zeros ? Loop<false, true, kExactZeros>(count) : Loop<false, false, kExactZeros>(count);
  }
};

template <typename Word>
struct LargerMagnitude {
  const Word *lows, *highs;
  Word* magnitudes;

  ASSAY_INLINE void Run(int64_t count) {
    constexpr auto kMagnitude = static_cast<Word>(WordType<Word>::kMagnitude);
    for (int64_t i = 0; i < count; ++i) {
      const auto low = static_cast<Word>(lows[i] & kMagnitude);
      const auto high = static_cast<Word>(highs[i] & kMagnitude);
      magnitudes[i] = low > high ? low : high;
    }
  }
};

// The value of a pattern, and the pattern of the least value of the type that is not below a
// double; minus infinity below all finite ones. For the greatest that is not above, both are
// negated.
struct Doubles {
  using Word = uint64_t;
  static ASSAY_INLINE double Value(Word bits) { return std::bit_cast<double>(bits); }
  static ASSAY_INLINE Word NotBelow(double value) { return std::bit_cast<Word>(value); }
};
struct Floats {
  using Word = uint32_t;
  static ASSAY_INLINE double Value(Word bits) { return std::bit_cast<float>(bits); }
  static ASSAY_INLINE Word NotBelow(double value) {
    constexpr int32_t kLeast = -0x7F800001;  // - infinity
    const auto nearest = static_cast<float>(value);
    const auto ordinal = WordType<Word>::Ordinal(std::bit_cast<Word>(nearest));
    const int32_t next = ordinal + (static_cast<double>(nearest) < value ? 1 : 0);
    const bool beyond = value < -static_cast<double>(std::numeric_limits<float>::max());
    return WordType<Word>::Bits(beyond ? kLeast : next);
  }
};
struct Bfloats {
  using Word = uint16_t;
  static ASSAY_INLINE double Value(Word bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  // The low half of a pattern is cut off a negative number towards zero, which is upwards.
  static ASSAY_INLINE Word NotBelow(double value) {
    constexpr double kMost = 0x1.fep127;
    constexpr uint32_t kLeast = 0xFF800000;  // - infinity
    const uint32_t found = Floats::NotBelow(value);
    const uint32_t bits = value < -kMost ? kLeast : found;
    const uint32_t up = bits >> 31 != 0 ? 0 : 0xFFFF;
    return static_cast<Word>((bits + up) >> 16);
  }
};

// Sums in double are rounded to nearest, and no value of the type lies between a sum and what it is
// rounded to.
template <typename Format>
struct Widener {
  using Word = typename Format::Word;
  const double* radii;
  Word *lows, *highs;

  ASSAY_INLINE void Run(int64_t count) {
    constexpr auto kSign = static_cast<Word>(Word{1} << (std::numeric_limits<Word>::digits - 1));
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const double* const by = radii;
    Word* const to_lows = lows;
    Word* const to_highs = highs;
    for (int64_t i = 0; i < count; ++i) {
      const double radius = by[i];
      const double low = Format::Value(to_lows[i]), high = Format::Value(to_highs[i]);
      const Word least_found = Format::NotBelow(low - radius);
      const Word most_found = Format::NotBelow(-high - radius);
      // Zeros of both signs are one.
      const Word least = least_found == 0 ? kSign : least_found;
      const auto most = static_cast<Word>((most_found == 0 ? kSign : most_found) ^ kSign);
      // Infinities and NaNs stay.
      to_lows[i] = ((radius > 0) & (std::fabs(low) < kInfinite)) ? least : to_lows[i];
      to_highs[i] = ((radius > 0) & (std::fabs(high) < kInfinite)) ? most : to_highs[i];
    }
  }
};

struct WhichRadii {
  const double* radii;
  bool all_finite = false, any = false;

  ASSAY_INLINE void Run(int64_t count) {
    int64_t finite = 1, positive = 0;
    for (int64_t i = 0; i < count; ++i) {
      finite &= static_cast<int64_t>(radii[i] < std::numeric_limits<double>::infinity());
      positive |= static_cast<int64_t>(radii[i] > 0);
    }
    all_finite = finite != 0;
    any = positive != 0;
  }
};

#if defined(ASSAY_DISPATCH_AVX2)
template <typename Pass>
__attribute__((target("avx2"))) void RunAvx2(Pass* pass, int64_t count) {
  pass->Run(count);
}
#endif

template <typename Pass>
Pass RunOn(Pass pass, int64_t count) {
#if defined(ASSAY_DISPATCH_AVX2)
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) {
    RunAvx2(&pass, count);
    return pass;
  }
#endif
  pass.Run(count);
  return pass;
}

// Calls run with a word as wide as the patterns of the type's parts. `otherwise` for types without
// loops.
template <typename Run>
bool ByWord(ElementType type, bool otherwise, Run run) {
  if (!HasWordLoops(type)) return otherwise;
  switch (Info(Info(type).component).storage_bytes) {
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    default:
      return run(uint64_t{});
  }
}

int64_t PartCount(const Literal& literal) {
  return literal.element_count() * (IsComplex(literal.element_type()) ? 2 : 1);
}
template <typename Word>
const Word* WordsOf(const Literal& literal) {
  return reinterpret_cast<const Word*>(literal.data());
}
template <typename Word>
Word* MutableWordsOf(Literal* literal) {
  return reinterpret_cast<Word*>(literal->mutable_data());
}
const Line& LineOf(const Literal& literal) {
  return Line::Of(Info(literal.element_type()).component);
}

}  // namespace

bool HasWordLoops(ElementType type) {
  switch (Info(type).component) {
    case ElementType::kF64:
    case ElementType::kF32:
    case ElementType::kF16:
    case ElementType::kBF16:
      return true;
    default:
      return false;
  }
}

bool AnyLiesIn(const EndsRegion& region, const Box& box) {
  return ByWord(box.low.element_type(), true, [&](auto word) {
    using Word = decltype(word);
    using Signed = typename WordType<Word>::Signed;
    const auto position = [](int64_t ordinal) {
      using Limits = std::numeric_limits<Signed>;
      return static_cast<Signed>(std::clamp<int64_t>(ordinal, Limits::min(), Limits::max()));
    };
    const WordType<Word> type(LineOf(box.low));
    return RunOn(AnyInRegion<Word>{type, position(region.most_low), position(region.least_high),
                                   WordsOf<Word>(box.low), WordsOf<Word>(box.high)},
                 PartCount(box.low))
        .found;
  });
}

Extent ExtentOf(const Box& box) {
  Extent extent;
  ByWord(box.low.element_type(), false, [&](auto word) {
    using Word = decltype(word);
    const WordType<Word> type(LineOf(box.low));
    extent = RunOn(FindExtent<Word>{&type, WordsOf<Word>(box.low), WordsOf<Word>(box.high)},
                   PartCount(box.low))
                 .Found();
    return true;
  });
  return extent;
}

bool HullOfWords(absl::Span<const Literal> more, Box* box, Extent* extent) {
  return ByWord(box->low.element_type(), false, [&](auto word) {
    using Word = decltype(word);
    const WordType<Word> type(LineOf(box->low));
    const int64_t count = PartCount(box->low);
    FindExtent<Word> found{&type, WordsOf<Word>(box->low), WordsOf<Word>(box->high)};
    found = RunOn(found, count);
    for (const Literal& corner : more) {
      found.words = found.others = WordsOf<Word>(corner);
      found = RunOn(found, count);
    }
    if (found.Found().nan) return false;
    *extent = found.Found();
    bool apart = false;
    if (!box->low.shares_data_with(box->high)) {
      Word* const lows = MutableWordsOf<Word>(&box->low);
      apart = RunOn(Order<Word>{lows, MutableWordsOf<Word>(&box->high)}, count).apart;
    }
    for (const Literal& corner : more) {
      Word* const lows = MutableWordsOf<Word>(&box->low);
      Word* const highs = MutableWordsOf<Word>(&box->high);
      apart = RunOn(JoinCorner<Word>{lows, highs, WordsOf<Word>(corner)}, count).apart;
    }
    if (!apart) box->high = box->low;
    return true;
  });
}

bool LoosenWords(const Slack& slack, Box* box) {
  const Line& line = LineOf(box->low);
  return ByWord(box->low.element_type(), false, [&](auto word) {
    using Word = decltype(word);
    using Signed = typename WordType<Word>::Signed;
    const WordType<Word> type(line);
    // Ordinals beyond the ends of the line must fit into the word.
    if (slack.units > (std::numeric_limits<Signed>::max() - type.greatest) / 2 ||
        slack.units >= type.one) {
      return false;
    }
    const int64_t count = PartCount(box->low);
    Looser<Word> looser{type,    slack,  WordsOf<Word>(box->low), WordsOf<Word>(box->high),
                        nullptr, nullptr};
    if (slack.units == 0 && !RunOn(looser, count).changes) return true;
    looser.new_lows = MutableWordsOf<Word>(&box->low);
    looser.new_highs = MutableWordsOf<Word>(&box->high);
    RunOn(looser, count);
    return true;
  });
}

bool MagnitudesOfWords(const Box& box, Literal* magnitudes) {
  return ByWord(box.low.element_type(), false, [&](auto word) {
    using Word = decltype(word);
    // No end may be negative or NaN.
    if (!AnyLiesIn({-1, std::numeric_limits<int64_t>::min()}, box)) {
      *magnitudes = box.high;
      return true;
    }
    *magnitudes = Literal::Zeros(box.low.shape());
    RunOn(LargerMagnitude<Word>{WordsOf<Word>(box.low), WordsOf<Word>(box.high),
                                MutableWordsOf<Word>(magnitudes)},
          PartCount(box.low));
    return true;
  });
}

bool WidenWords(absl::Span<const double> radii, Box* box) {
  const auto count = static_cast<int64_t>(radii.size());
  const auto widen = [&](auto format) {
    using Format = decltype(format);
    using Word = typename Format::Word;
    const WhichRadii which = RunOn(WhichRadii{radii.data()}, count);
    if (!which.all_finite || !which.any) return which.all_finite;
    Word* const lows = MutableWordsOf<Word>(&box->low);
    RunOn(Widener<Format>{radii.data(), lows, MutableWordsOf<Word>(&box->high)}, count);
    return true;
  };
  switch (box->low.element_type()) {
    case ElementType::kF64:
      return widen(Doubles{});
    case ElementType::kF32:
      return widen(Floats{});
    case ElementType::kBF16:
      return widen(Bfloats{});
    default:
      return false;
  }
}

}  // namespace assay::conformance
