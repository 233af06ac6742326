// The row of an operation in the catalogue (op_catalogue.def): name, arity, attribute schema,
// traits, accuracy class, element types. Everything that works on modules is driven by it.
#ifndef ASSAY_SPEC_OP_INFO_H_
#define ASSAY_SPEC_OP_INFO_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/element/element_type.h"
#include "spec/ir/attributes.h"

namespace assay {

enum class Opcode : uint8_t {
#define OP(enumerator, ...) enumerator,
#include "spec/op_catalogue.def"
#undef OP
};
inline constexpr int kOpcodeCount = 0
#define OP(...) +1
#include "spec/op_catalogue.def"
#undef OP
    ;

// Numbers of operands that are not a plain count.
enum Arity : int {
  kAnyArity = -1,   // checked by the shape rule where it matters
  kEvenArity = -2,  // reduce: N inputs, N inits (at least 2)
  kOddArity = -3,   // scatter: N inputs, indices, N updates (at least 3)
  kAtLeastOne = -4,
  kAtLeastTwo = -5,
};

enum class Family : uint8_t {
  kElementwise,  // result element i depends on element i of each operand
  kMovement,     // moves elements, computes none
  kReduction,    // reduce, windows, scan, sort, top-k
  kIndexing,     // gather, scatter, dynamic slices
  kContraction,  // dot, convolution
  kLinearAlgebra,
  kRandom,
  kControl,  // calls, loops, tuples, tokens, asynchronous wrappers
  kCollective,
  kHost,  // infeed, outfeed, send, recv, custom calls
};

// How near a conforming result is to the exact one, which is what the golden result is (rounded
// once). The judge's rules hang on this.
enum class Accuracy : uint8_t {
  kExact,         // bit for bit: moves, integers, comparisons, selections
  kRounded,       // one correctly rounded IEEE operation
  kFunction,      // an elementary function: an ulp budget
  kAccumulating,  // a sum: a bound from n and the sum of magnitudes
  kRandom,        // any value of a distribution
  kOpaque,        // defined elsewhere (custom calls)
};

// Element types of the first operand (of the result where there is no operand), as a set of
// classes; P pred, S signed, U unsigned, F float, C complex, T tokens and tuples too.
struct TypeSet {
  bool pred = false, is_signed = false, is_unsigned = false, is_float = false, is_complex = false,
       others = false;
  constexpr TypeSet(const char* classes) {  // NOLINT: a literal in the table
    for (; *classes != 0; ++classes) {
      if (*classes == 'P') pred = true;
      if (*classes == 'S') is_signed = true;
      if (*classes == 'U') is_unsigned = true;
      if (*classes == 'F') is_float = true;
      if (*classes == 'C') is_complex = true;
      if (*classes == 'T') others = true;
    }
  }
  bool Contains(ElementType type) const;
};

// One attribute in the schema of an operation.
struct AttributeUse {
  enum class Print : uint8_t { kWhenSet, kAlways, kNever };
  Attr attr;
  bool required = false;
  Print print = Print::kWhenSet;
  // Default of booleans and integers. Others have none, or the empty value (has_default).
  bool has_default = false;
  int64_t default_value = 0;
};

struct OpInfo {
  Opcode opcode;
  absl::string_view name;
  int arity;
  Family family;
  Accuracy accuracy;
  TypeSet types;
  // The result shape may be left out in text (reference hlo_text_format.md 6.4).
  bool shape_inferable;
  absl::Span<const AttributeUse> attributes;  // in printing order; computations last

  const AttributeUse* FindAttribute(absl::string_view text_name) const;
  const AttributeUse* FindAttribute(Attr attr) const;
  bool elementwise() const { return family == Family::kElementwise; }
};

const OpInfo& Info(Opcode opcode);
inline absl::string_view Name(Opcode opcode) { return Info(opcode).name; }
// All rows, sorted by name.
absl::Span<const OpInfo> Catalogue();
std::optional<Opcode> OpcodeFromName(absl::string_view name);

}  // namespace assay

#endif  // ASSAY_SPEC_OP_INFO_H_
