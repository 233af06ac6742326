#include "conformance/inputs/random_inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/inputs/input_needs.h"

namespace assay {
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

// What integers of the type can be, within the limits.
std::pair<int64_t, int64_t> IntegerLimits(ElementType type, const Limits& limits) {
  const int64_t type_low = IsSigned(type) ? MinSigned(type) : 0;
  const int64_t type_high = IsSigned(type) ? MaxSigned(type)
                                           : static_cast<int64_t>(std::min<uint64_t>(
                                                 IsPred(type) ? 1 : MaxUnsigned(type), INT64_MAX));
  auto clamp = [&](double value) {
    if (value <= static_cast<double>(type_low)) return type_low;
    if (value >= static_cast<double>(type_high)) return type_high;
    return static_cast<int64_t>(value);
  };
  return {clamp(std::ceil(limits.low)), clamp(std::floor(limits.high))};
}

uint64_t RandomPart(ElementType type, const Limits& limits, Generator& generator) {
  if (IsFloat(type)) {
    return EncodeFloat(type, limits.low + (limits.high - limits.low) * generator.Unit());
  }
  const auto [low, high] = IntegerLimits(type, limits);
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const uint64_t offset = span == 0 ? generator.Below(UINT64_MAX) : generator.Below(span);
  return EncodeInteger(type, static_cast<uint64_t>(low) + offset);
}

// Distinct values, as many as the type has; beyond that they repeat.
void FillUnique(const Limits& limits, Generator& generator, Literal* literal) {
  const ElementType type = literal->element_type();
  const int64_t count = literal->element_count();
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator.Below(i)]);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    if (IsFloat(type)) {
      const double step =
          (limits.high - limits.low) / static_cast<double>(std::max<int64_t>(count, 1));
      bits = EncodeFloat(type, limits.low + step * (static_cast<double>(order[i]) + 0.5));
    } else {
      // Around the middle of the default range, as wide as needed.
      const int64_t first = IsSigned(type) ? -(count / 2) : 0;
      bits = EncodeInteger(type, static_cast<uint64_t>(first + order[i]));
    }
    literal->Set(i, Element{bits});
  }
}

void FillRandom(const Limits& limits, Generator& generator, Literal* literal) {
  const ElementType part = Info(literal->element_type()).component;
  const bool complex = IsComplex(literal->element_type());
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    Element element;
    element.bits = RandomPart(part, limits, generator);
    if (complex) element.imag = RandomPart(part, limits, generator);
    literal->Set(i, element);
  }
}

const ValueRange* FindRange(const RandomInputOptions& options, const Instruction& parameter) {
  auto range = options.ranges.find(parameter.name());
  if (range == options.ranges.end()) {
    range = options.ranges.find(absl::StrCat("arg", parameter.parameter_number()));
  }
  return range == options.ranges.end() ? nullptr : &range->second;
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
      !absl::SimpleAtod(text.substr(colon + 1), &range.high) || !(range.low <= range.high)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a range is written NAME=LOW:HIGH with LOW at most HIGH, not '", text, "'"));
  }
  (*ranges)[std::string(text.substr(0, equals))] = range;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> RandomInputs(const Module& module,
                                                  const RandomInputOptions& options) {
  absl::Status status = CheckRangesAreUsed(module, options);
  if (!status.ok()) return status;
  const std::vector<std::vector<InputNeeds>> needs = FindInputNeeds(module);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    absl::StatusOr<Literal> zeros = Literal::Create(parameter->shape(), options.max_bytes);
    if (!zeros.ok()) return zeros.status();
    std::vector<Literal> leaves = Flatten(*std::exchange(zeros, Literal()));
    const ValueRange* range = FindRange(options, *parameter);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Literal& literal = leaves[leaf];
      if (!literal.is_array()) continue;
      // Every leaf has numbers of its own, so that one array's shape does not change another.
      Generator generator(options.seed * 1000003 + arguments.size() * 1009 + leaf);
      const InputNeeds& need = needs[arguments.size()][leaf];
      Limits limits = DefaultLimits(literal.element_type());
      if (need.high) limits = {static_cast<double>(*need.low), static_cast<double>(*need.high)};
      if (range != nullptr) limits = {range->low, range->high};
      if (need.unique && range == nullptr && !IsPred(literal.element_type()) &&
          !IsComplex(literal.element_type())) {
        FillUnique(limits, generator, &literal);
      } else {
        FillRandom(limits, generator, &literal);
      }
    }
    arguments.push_back(Unflatten(parameter->shape(), leaves));
  }
  return arguments;
}

}  // namespace assay
