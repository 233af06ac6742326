#include "conformance/inputs/random_inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/inputs/input_needs.h"
#include "conformance/inputs/ragged_inputs.h"

namespace assay::conformance {
namespace {

// mt19937_64 gives the same numbers everywhere; the standard's distributions do not.
class Generator {
 public:
  explicit Generator(uint64_t seed) : engine_(seed) {}
  uint64_t Below(uint64_t bound) { return engine_() % bound; }
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::mt19937_64 engine_;
};

struct Limits {
  double low, high;
};

Limits DefaultLimits(ElementType type) {
  if (IsPred(type)) return {0, 1};
  if (IsSigned(type)) return {-8, 7};
  if (IsUnsigned(type)) return {0, 15};
  // f8e8m0fnu has neither zero nor negative values.
  if (IsFloat(type) && !Info(type).format->has_sign) return {0.0625, 4};
  return {-1, 1};
}

// The integers of the type within the limits; first > second where there are none.
std::pair<int64_t, int64_t> IntegerLimits(ElementType type, const Limits& limits) {
  const int64_t type_low = IsSigned(type) ? MinSigned(type) : 0;
  const int64_t type_high = IsSigned(type) ? MaxSigned(type)
                                           : static_cast<int64_t>(std::min<uint64_t>(
                                                 IsPred(type) ? 1 : MaxUnsigned(type), INT64_MAX));
  const double low = std::ceil(limits.low), high = std::floor(limits.high);
  if (low > high || low > static_cast<double>(type_high) || high < static_cast<double>(type_low)) {
    return {1, 0};
  }
  auto clamp = [&](double value) {
    if (value <= static_cast<double>(type_low)) return type_low;
    if (value >= static_cast<double>(type_high)) return type_high;
    return static_cast<int64_t>(value);
  };
  return {clamp(low), clamp(high)};
}

// The float with the ordinal (FloatOrdinal).
uint64_t FloatOfOrdinal(ElementType type, int64_t ordinal) {
  const auto magnitude = static_cast<uint64_t>(ordinal < 0 ? -ordinal : ordinal);
  const FloatFormat& format = *Info(type).format;
  const int sign_bit = format.exponent_bits + format.significand_bits;
  return ordinal < 0 ? magnitude | uint64_t{1} << sign_bit : magnitude;
}

// The ordinals of the finite floats within the limits; first > second where there are none.
std::pair<int64_t, int64_t> FloatLimits(ElementType type, const Limits& limits) {
  const double lowest = DecodeFloat(type, Lowest(type));
  const double largest = DecodeFloat(type, MaxFinite(type));
  if (limits.low > largest || limits.high < lowest) return {1, 0};
  auto nearest = [&](double value) {
    return FloatOrdinal(type, EncodeFloat(type, std::clamp(value, lowest, largest)));
  };
  int64_t low = nearest(limits.low), high = nearest(limits.high);
  if (DecodeFloat(type, FloatOfOrdinal(type, low)) < limits.low) ++low;
  if (DecodeFloat(type, FloatOfOrdinal(type, high)) > limits.high) --high;
  return {low, high};
}

// Draws values of a float or integer type.
class PartSource {
 public:
  PartSource(ElementType type, const Limits& limits) : type_(type), limits_(limits) {
    if (IsFloat(type)) {
      const auto [low, high] = FloatLimits(type, limits);
      low_ = DecodeFloat(type, FloatOfOrdinal(type, low));
      high_ = DecodeFloat(type, FloatOfOrdinal(type, high));
    } else {
      std::tie(first_, last_) = IntegerLimits(type, limits);
    }
  }

  uint64_t Draw(Generator& generator) const {
    if (IsFloat(type_)) {
      const double unit = generator.Unit();
      const double width = limits_.high - limits_.low;
      const double value = std::isfinite(width) ? limits_.low + width * unit
                                                : limits_.low * (1 - unit) + limits_.high * unit;
      // Rounding may leave the limits.
      return EncodeFloat(type_, std::clamp(value, low_, high_));
    }
    const uint64_t span = static_cast<uint64_t>(last_) - static_cast<uint64_t>(first_) + 1;
    const uint64_t offset = span == 0 ? generator.Below(UINT64_MAX) : generator.Below(span);
    return EncodeInteger(type_, static_cast<uint64_t>(first_) + offset);
  }

 private:
  ElementType type_;
  Limits limits_;
  double low_ = 0, high_ = 0;  // the extreme floats
  int64_t first_ = 0, last_ = 0;
};

// Distinct floats in rising order, as evenly spread between the limits as their type allows. Where
// it has too few there the limits grow, up to all its finite values; beyond that they repeat.
std::vector<uint64_t> DistinctFloats(ElementType type, Limits limits, int64_t count) {
  const double lowest = DecodeFloat(type, Lowest(type));
  const double largest = DecodeFloat(type, MaxFinite(type));
  auto [low, high] = FloatLimits(type, limits);
  while (high - low + 1 < count && (limits.low > lowest || limits.high < largest)) {
    const double reach = std::max({-limits.low, limits.high, limits.high - limits.low});
    limits = {std::max(limits.low - reach, lowest), std::min(limits.high + reach, largest)};
    std::tie(low, high) = FloatLimits(type, limits);
  }
  const double step =
      limits.high / static_cast<double>(count) - limits.low / static_cast<double>(count);
  std::vector<int64_t> ordinals(count);
  for (int64_t i = 0; i < count; ++i) {
    const double value = limits.low + step * (static_cast<double>(i) + 0.5);
    ordinals[i] = std::clamp(FloatOrdinal(type, EncodeFloat(type, value)), low, high);
    if (i > 0) ordinals[i] = std::max(ordinals[i], ordinals[i - 1] + 1);
  }
  // What was pushed past the high end is pushed back from there.
  std::vector<uint64_t> values(count);
  for (int64_t i = count, last = high + 1; i-- > 0; last = ordinals[i]) {
    ordinals[i] = std::min(ordinals[i], last - 1);
    if (ordinals[i] < low) ordinals[i] = high;  // they repeat
    values[i] = FloatOfOrdinal(type, ordinals[i]);
  }
  return values;
}

// Distinct values, as many as the type has; beyond that they repeat. An index stays in its range.
void FillUnique(const Limits& limits, const InputNeeds& need, Generator& generator,
                Literal* literal) {
  const ElementType type = literal->element_type();
  const int64_t count = literal->element_count();
  if (count == 0) return;
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator.Below(i)]);
  std::vector<uint64_t> floats;
  if (IsFloat(type)) floats = DistinctFloats(type, limits, count);
  // Integers stand around the middle of the default range, as wide as needed.
  int64_t first = IsSigned(type) ? -(count / 2) : 0;
  int64_t span = count;
  if (need.high) {
    std::tie(first, span) = IntegerLimits(type, limits);
    span = span - first + 1;
  }
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = IsFloat(type)
                              ? floats[order[i]]
                              : EncodeInteger(type, static_cast<uint64_t>(first + order[i] % span));
    literal->Set(i, Element{bits});
  }
}

void FillRandom(const Limits& limits, Generator& generator, Literal* literal) {
  const PartSource source(Info(literal->element_type()).component, limits);
  const bool complex = IsComplex(literal->element_type());
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    Element element;
    element.bits = source.Draw(generator);
    if (complex) element.imag = source.Draw(generator);
    literal->Set(i, element);
  }
}

// Null: none is given. INVALID_ARGUMENT when two are.
absl::StatusOr<const ValueRange*> FindRange(const RandomInputOptions& options,
                                            const Instruction& parameter) {
  const std::string number = absl::StrCat("arg", parameter.parameter_number());
  auto named = options.ranges.find(parameter.name());
  auto numbered = options.ranges.find(number);
  if (named == options.ranges.end()) named = numbered;
  if (numbered != options.ranges.end() && named != numbered) {
    return absl::InvalidArgumentError(absl::StrCat("parameter ", parameter.name(), " is ", number,
                                                   ": two ranges are given for it"));
  }
  return named == options.ranges.end() ? nullptr : &named->second;
}

// Whether a value of the type lies in the range.
absl::Status CheckRange(const ValueRange& range, const Instruction& parameter, ElementType type) {
  const ElementType part = Info(type).component;
  const Limits limits = {range.low, range.high};
  const auto [low, high] = IsFloat(part) ? FloatLimits(part, limits) : IntegerLimits(part, limits);
  if (low <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("no value of ", Name(type), " lies in the range ",
                                                 range.low, ":", range.high, " of parameter ",
                                                 parameter.name()));
}

absl::Status CheckRangesAreUsed(const Module& module, const RandomInputOptions& options) {
  for (const auto& [name, range] : options.ranges) {
    bool used = false;
    for (const Instruction* parameter : module.entry()->parameters()) {
      used = used || parameter->name() == name ||
             absl::StrCat("arg", parameter->parameter_number()) == name;
    }
    if (!used) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no parameter ", name, " for the range ", range.low, ":",
                       range.high, "; parameters are named as in the module, or arg0, arg1, ..."));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseRange(absl::string_view text, std::map<std::string, ValueRange>* ranges) {
  const size_t equals = text.find('=');
  const size_t colon = text.find(':', equals == absl::string_view::npos ? 0 : equals);
  ValueRange range;
  if (equals == absl::string_view::npos || equals == 0 || colon == absl::string_view::npos ||
      !absl::SimpleAtod(text.substr(equals + 1, colon - equals - 1), &range.low) ||
      !absl::SimpleAtod(text.substr(colon + 1), &range.high) || !(range.low <= range.high) ||
      !std::isfinite(range.low) || !std::isfinite(range.high)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a range is written NAME=LOW:HIGH with finite LOW at most HIGH, not '", text, "'"));
  }
  const absl::string_view name = text.substr(0, equals);
  if (!ranges->emplace(name, range).second) {
    return absl::InvalidArgumentError(absl::StrCat("two ranges are given for ", name));
  }
  return absl::OkStatus();
}

namespace {

// All arguments together, before any is made.
absl::Status CheckSizes(const Module& module, int64_t max_bytes) {
  int64_t left = max_bytes;
  for (const Instruction* parameter : module.entry()->parameters()) {
    absl::StatusOr<int64_t> bytes = parameter->shape().ByteSize();
    if (!bytes.ok()) return bytes.status();
    if (*bytes > left) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a random argument for ", parameter->Describe(), " needs ", *bytes,
                       " bytes; of the ", max_bytes, " for all arguments ", left, " are left"));
    }
    left -= *bytes;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Literal>> RandomInputs(const Module& module,
                                                  const RandomInputOptions& options) {
  absl::Status status = CheckRangesAreUsed(module, options);
  if (status.ok()) status = CheckSizes(module, options.max_bytes);
  if (!status.ok()) return status;
  const std::vector<std::vector<InputNeeds>> needs = FindInputNeeds(module);
  const auto device = static_cast<uint64_t>(
      options.grid.Flatten(options.process.replica, options.process.partition));
  const uint64_t device_seed = options.seed + device * 7919;
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    absl::StatusOr<Literal> zeros = Literal::Create(parameter->shape(), options.max_bytes);
    if (!zeros.ok()) return zeros.status();
    std::vector<Literal> leaves = Flatten(*std::exchange(zeros, Literal()));
    absl::StatusOr<const ValueRange*> found = FindRange(options, *parameter);
    if (!found.ok()) return found.status();
    const ValueRange* range = *found;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Literal& literal = leaves[leaf];
      if (!literal.is_array()) continue;
      // Every leaf has numbers of its own, so that one array's shape does not change another.
      Generator generator(device_seed * 1000003 + arguments.size() * 1009 + leaf);
      const InputNeeds& need = needs[arguments.size()][leaf];
      Limits limits = DefaultLimits(literal.element_type());
      if (need.high) limits = {static_cast<double>(*need.low), static_cast<double>(*need.high)};
      if (range != nullptr) {
        status = CheckRange(*range, *parameter, literal.element_type());
        if (!status.ok()) return status;
        limits = {range->low, range->high};
      }
      if (need.ragged_use != nullptr && range == nullptr && IsInteger(literal.element_type())) {
        status = FillRagged(
            {need.ragged_use, need.ragged_operand, options.process, options.grid, options.seed},
            &literal);
        if (!status.ok()) return status;
      } else if (need.unique && range == nullptr && !IsPred(literal.element_type()) &&
                 !IsComplex(literal.element_type())) {
        FillUnique(limits, need, generator, &literal);
      } else {
        FillRandom(limits, generator, &literal);
      }
    }
    arguments.push_back(Unflatten(parameter->shape(), leaves));
  }
  return arguments;
}

}  // namespace assay::conformance
