// A StableHLO program as its text and its bytecode have it: operations with operands, results,
// attributes and regions. Both readers make this tree, the mapping to HLO and the printers read it.
// VHLO is converted to StableHLO while bytecode is read, so that there is one dialect to know.
// Source of the rules: MLIR's language reference and the StableHLO specification. Tests:
// tree_test.cc.
//
// A program owns everything: types, attributes, locations, operations and their texts live in it
// and stay where they are as long as it lives. Types are interned: equal types have one address.
#ifndef ASSAY_SPEC_STABLEHLO_TREE_H_
#define ASSAY_SPEC_STABLEHLO_TREE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/element/element_type.h"
#include "spec/ir/module.h"

namespace assay::stablehlo {

struct Attribute;
struct DialectOp;  // dialect.h: the row of an operation
class Operation;
struct Block;

// The size of a dimension that is not known ("?"), and a bound that there is not.
inline constexpr int64_t kDynamic = INT64_MIN;

enum class TypeKind : uint8_t {
  kScalar,     // element: every number type that HLO has; i1 is PRED, i32 is S32, ui32 is U32
  kInteger,    // an integer without an HLO type: i17, si32; width
  kIndex,      // index
  kTf32,       // tf32, in dot algorithms only
  kTensor,     // dimensions, bounds, encoding; types[0] is the element type
  kUnranked,   // tensor<*xT>; types[0]
  kMemref,     // memref<..>: a buffer; dimensions; types[0]
  kTuple,      // types
  kToken,      // !stablehlo.token
  kFuture,     // !stablehlo.future<..>; types
  kFunction,   // types: inputs, then results; input_count
  kQuantized,  // !quant.uniform<..>; text is the whole spelling; types[0] storage, types[1]
               // expressed
  kNone,       // none
  kOpaque,     // any other !dialect.type; text is the spelling
};

struct Type {
  TypeKind kind = TypeKind::kOpaque;
  ElementType element = ElementType::kInvalid;  // of kScalar, complex included
  uint32_t width = 0;                           // of kInteger, in bits
  int32_t input_count = 0;                      // of kFunction
  std::vector<int64_t> dimensions;              // of tensors and memrefs; kDynamic for "?"
  std::vector<int64_t> bounds;          // by dimension, kDynamic where there is none; or empty
  const Attribute* encoding = nullptr;  // of a tensor, where it is not the bounds
  std::vector<const Type*> types;
  std::string text;

  absl::Span<const Type* const> inputs() const {
    return absl::MakeConstSpan(types).first(input_count);
  }
  absl::Span<const Type* const> results() const {
    return absl::MakeConstSpan(types).subspan(input_count);
  }
  // The element type of a tensor whose elements HLO has, of a scalar itself; else kInvalid.
  ElementType element_type() const {
    if (kind == TypeKind::kScalar) return element;
    return types.empty() ? ElementType::kInvalid : types[0]->element;
  }
};

struct NamedAttribute {
  absl::string_view name;
  const Attribute* value = nullptr;
};

enum class AttributeKind : uint8_t {
  kUnit,        // the bare name
  kBool,        // integer
  kInteger,     // integer, type
  kFloat,       // integer: the bits of the value in its type; type
  kString,      // text
  kSymbol,      // text: "f"; nested ones with "::"
  kType,        // type
  kArray,       // elements
  kDictionary,  // fields, sorted by name
  kInts,      // array<i64: ..>, array<i1: ..> and other integer lists: ints; type is the element's
  kDense,     // dense<..>, also of a resource: type, bytes, is_splat
  kElided,    // dense_resource without its data: type, text is the key
  kEnum,      // #stablehlo<precision HIGH>: text "HIGH", integer is its number in VHLO; name
  kRecord,    // #stablehlo.gather<..> and the like: name, fields
  kLocation,  // location
  kOpaque,    // any other attribute: text is its spelling
};

struct Location;

struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  bool is_splat = false;  // of kDense: bytes are those of the one element
  int64_t integer = 0;
  const Type* type = nullptr;
  // Of kEnum and kRecord, without "#" and dialect's separator: "stablehlo.precision",
  // "stablehlo.gather", "chlo.ragged_dot", "sdy.sharding".
  absl::string_view name;
  absl::string_view text;
  std::vector<int64_t> ints;
  std::vector<const Attribute*> elements;
  std::vector<NamedAttribute> fields;
  // Of kDense: row-major elements as literals of the IR have them (little endian, narrow types and
  // i1 one byte each). The storage is shared, so that a literal may take it without a copy.
  std::shared_ptr<std::byte[]> bytes;
  int64_t byte_count = 0;
  const Location* location = nullptr;

  // Of a record or dictionary; null when absent.
  const Attribute* Find(absl::string_view field) const;
};

// Where the program's author wrote an operation.
struct Location {
  enum class Kind : uint8_t { kUnknown, kFile, kName, kCallSite, kFused };
  Kind kind = Kind::kUnknown;
  int32_t line = 0, column = 0, end_line = 0, end_column = 0;  // of kFile, from 1; 0: not known
  absl::string_view text;  // of kFile the file, of kName the name
  // Of kName the child, of kCallSite callee and caller, of kFused the parts; may be null entries
  // for unknown.
  std::vector<const Location*> children;
};

struct Value {
  const Type* type = nullptr;
  Operation* definition = nullptr;  // null for the argument of a block
  Block* block = nullptr;           // of an argument
  int32_t index = 0;                // among the results or the arguments
  absl::string_view name;           // as in the text, without "%"; empty in bytecode
  const Location* location = nullptr;
};

struct Region {
  std::vector<Block*> blocks;
};

struct Block {
  Operation* parent = nullptr;  // of the region
  std::vector<Value*> arguments;
  std::vector<Operation*> operations;  // the last is the terminator, where there is one
  absl::string_view label;
};

class Operation {
 public:
  absl::string_view name;          // "stablehlo.add"
  const DialectOp* row = nullptr;  // null: an operation that nobody here knows
  // Most operations have so few that nothing is allocated for them.
  absl::InlinedVector<Value*, 2> operands;
  absl::InlinedVector<Value*, 2> results;
  absl::InlinedVector<NamedAttribute, 1> attributes;  // inherent and discardable, sorted by name
  std::vector<Region> regions;
  Block* parent = nullptr;
  const Location* location = nullptr;
  TextPosition position;  // in the text; line 0 in bytecode

  const Attribute* Find(absl::string_view attribute) const;  // null when absent
  // For messages: "stablehlo.add at 7:12" or, of bytecode, "stablehlo.add, operation 3 of @main"
  // (counted from 1 in pre-order) and the file that its location names.
  std::string Describe() const;
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The builtin.module; never null in a program that a reader returned.
  Operation* module = nullptr;
  // The function of the module with this symbol; null when there is none. The first call after the
  // module's list of operations has grown makes a table, so threads must not share that call.
  Operation* FindFunction(absl::string_view symbol) const;

  // Copies a text into the program.
  absl::string_view Intern(absl::string_view text);
  // The one type that is equal to this one.
  const Type* Intern(Type type);
  const Type* Scalar(ElementType element);
  const Type* Tensor(ElementType element, absl::Span<const int64_t> dimensions);

  // New pieces, owned by the program.
  Attribute* NewAttribute(AttributeKind kind);
  Location* NewLocation(Location::Kind kind);
  Value* NewValue(const Type* type);
  Block* NewBlock();
  Operation* NewOperation(absl::string_view name);

  // Keeps storage alive that texts or bytes point into (the file itself).
  void Keep(std::shared_ptr<const void> storage);

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TREE_H_
