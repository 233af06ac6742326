// The attributes of an operation: a small sorted map from attribute to value. Which attributes an
// operation has, which it needs and what they default to is its schema in op_catalogue.def.
// A value equal to its default is not stored, so that equal modules have equal attributes.
#ifndef ASSAY_SPEC_IR_ATTRIBUTES_H_
#define ASSAY_SPEC_IR_ATTRIBUTES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/boxed.h"
#include "spec/ir/literal.h"
#include "spec/ir/metadata.h"

namespace assay {

class Computation;

enum class Attr : uint8_t {
#define ATTRIBUTE(enumerator, ...) enumerator,
#include "spec/ir/attributes.def"
#undef ATTRIBUTE
};
inline constexpr int kAttrCount = 0
#define ATTRIBUTE(...) +1
#include "spec/ir/attributes.def"
#undef ATTRIBUTE
    ;

// How an attribute is written, and the alternative of AttributeValue that holds it.
enum class AttrKind : uint8_t {
  kBool,            // true | false                           bool
  kInt,             // INT                                    int64_t
  kInt32,           // INT within 32 bits                     int64_t
  kSingleInt,       // {INT}: a list of exactly one           int64_t
  kFloat,           // an f32 number                          double
  kString,          // STRING                                 std::string
  kIdentifier,      // IDENT, read and dropped                std::string
  kInts,            // {1,2}                                  std::vector<int64_t>
  kIntLists,        // {{1},{2,3}}                            std::vector<std::vector<int64_t>>
  kPairs,           // {{0,1},{1,0}}                          std::vector<std::vector<int64_t>>
  kPrecisions,      // {default,highest}                      std::vector<int64_t> of Precision
  kSlices,          // {[0:4], [1:5:2]}                       Slices
  kWindow,          // {size=2x2 stride=1x1}                  Window
  kPadding,         // 0_0x1_1_2                              PaddingConfig
  kDimLabels,       // b01f_01io->b01f                        ConvolutionDimensions
  kReplicaGroups,   //                                     ReplicaGroups
  kResultAccuracy,  //                                     ResultAccuracy
  kSparsity,        //                                     SparsityConfig
  kAliases,         // {{0}: (1, {})}                      OutputOperandAliases
  kDomain,          //                                     DomainSharding
  kShape,           //                                     Shape
  kShapes,          // {shape, shape}                      std::vector<Shape>
  kTypedLiteral,    // shape literal                       Literal
  kComputation,     // name, or a body                     Computation*
  kComputations,    // {name, name}                        std::vector<Computation*>
  // Enumerations, each an int64_t with the number of the enum of that name:
  kComparisonDirection,
  kComparisonType,
  kConvolutionKind,
  kCustomCallApi,
  kCustomCallSchedule,
  kDotAlgorithm,
  kFftType,
  kFusionKind,
  kPaddingType,
  kRandomAlgorithm,
  kRandomDistribution,
  kTransposeA,
};

struct AttrInfo {
  Attr attr;
  absl::string_view name;  // in HLO text
  AttrKind kind;
};
const AttrInfo& Info(Attr attr);

// The words of an enumeration kind, in the order of their numbers.
struct EnumWords {
  absl::Span<const absl::string_view> words;
  bool ignore_case;  // when reading
};
bool IsEnum(AttrKind kind);
const EnumWords& WordsOf(AttrKind kind);
// For operand_precision.
const EnumWords& PrecisionWords();
std::optional<int64_t> EnumFromWord(const EnumWords& words, absl::string_view word);

// What is large is boxed, never empty: an attribute takes little more than a string. GetIf() reads
// every type alike.
using AttributeVariant =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<std::vector<int64_t>>, Slices, Window, PaddingConfig,
                 Boxed<ConvolutionDimensions>, Boxed<ReplicaGroups>, ResultAccuracy,
                 Boxed<SparsityConfig>, OutputOperandAliases, std::shared_ptr<const DomainSharding>,
                 Boxed<Shape>, std::vector<Shape>, std::shared_ptr<const Literal>, Computation*,
                 std::vector<Computation*>>;

// A class of its own, so that what copies, moves and destroys twenty alternatives is compiled once
// and not in every file that holds a module. std::get_if and std::visit take it as it is.
class AttributeValue : public AttributeVariant {
 public:
  using AttributeVariant::AttributeVariant;
  AttributeValue();
  AttributeValue(const AttributeValue&);
  AttributeValue(AttributeValue&&) noexcept;
  AttributeValue& operator=(const AttributeValue&);
  AttributeValue& operator=(AttributeValue&&) noexcept;
  ~AttributeValue();
};
bool operator==(const AttributeValue& a, const AttributeValue& b);

template <typename T>
inline constexpr bool kIsBoxed =
    std::is_same_v<T, ConvolutionDimensions> || std::is_same_v<T, ReplicaGroups> ||
    std::is_same_v<T, SparsityConfig> || std::is_same_v<T, Shape>;

// The value as a T; null when it is of another type.
template <typename T>
const T* GetIf(const AttributeValue& value) {
  if constexpr (kIsBoxed<T>) {
    const auto* box = std::get_if<Boxed<T>>(&value);
    return box == nullptr ? nullptr : box->get();
  } else {
    return std::get_if<T>(&value);
  }
}
// Makes the value an empty T.
template <typename T>
T& Emplace(AttributeValue& value) {
  if constexpr (kIsBoxed<T>) {
    return value.emplace<Boxed<T>>().emplace();
  } else {
    return value.emplace<T>();
  }
}

class Attributes {
 public:
  using Entry = std::pair<Attr, AttributeValue>;

  Attributes();
  Attributes(const Attributes&);
  Attributes(Attributes&&) noexcept;
  Attributes& operator=(const Attributes&);
  Attributes& operator=(Attributes&&) noexcept;
  ~Attributes();

  const AttributeValue* Find(Attr attr) const;
  bool Has(Attr attr) const { return Find(attr) != nullptr; }
  void Set(Attr attr, AttributeValue value);
  void Erase(Attr attr);
  // In the order of the enumeration.
  absl::Span<const Entry> entries() const { return entries_; }

  template <typename T>
  const T* Get(Attr attr) const {
    const AttributeValue* value = Find(attr);
    return value == nullptr ? nullptr : GetIf<T>(*value);
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace assay

#endif  // ASSAY_SPEC_IR_ATTRIBUTES_H_
