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
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/element/element_type.h"
#include "spec/ir/module.h"
#include "spec/stablehlo/reserved_range.h"

namespace assay::stablehlo {

struct Attribute;
struct DialectOp;  // dialect.h: the row of an operation
class Operation;
class Value;
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

// Values that lie one behind the other, as a list of pointers.
class ValueRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value*;
    using difference_type = std::ptrdiff_t;
    using pointer = Value* const*;
    using reference = Value*;

    Iterator() = default;
    explicit Iterator(Value* at) : at_(at) {}
    Value* operator*() const { return at_; }
    inline Iterator& operator++();
    inline Iterator operator+(difference_type count) const;
    inline difference_type operator-(Iterator other) const;
    bool operator==(Iterator other) const { return at_ == other.at_; }
    bool operator!=(Iterator other) const { return at_ != other.at_; }

   private:
    Value* at_ = nullptr;
  };
  using value_type = Value*;
  using const_iterator = Iterator;

  ValueRange() = default;
  ValueRange(Value* first, uint32_t size) : first_(first), size_(size) {}
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  inline Value* operator[](size_t i) const;
  Iterator begin() const { return Iterator(first_); }
  inline Iterator end() const;

 private:
  Ref<Value> first_;
  uint32_t size_ = 0;
};

// The result of an operation, or an argument of a block. It takes 4 bytes, which say how far its
// operation is, or which of the arguments it is; the type is stored with these.
class Value {
 public:
  inline const Type* type() const;
  bool is_argument() const { return is_argument_; }
  // Null for the argument of a block.
  inline Operation* definition() const;
  // Of an argument, else null.
  Block* block() const;
  const Location* location() const;
  // Among the results or the arguments.
  inline int64_t index() const;
  // For messages: "result 0 of stablehlo.add at 7:12", "argument 2 of func.func at 3:5".
  std::string Describe() const;

 private:
  friend class Program;
  const Type* ArgumentType() const;

  // Results stand in front of their operation, arguments behind what says whose they are.
  uint32_t distance_ : 31 = 0;
  uint32_t is_argument_ : 1 = 0;
};

struct Region {
  absl::Span<const Ref<Block>> blocks() const { return absl::MakeConstSpan(blocks_.get(), size_); }

 private:
  friend class Program;
  Ref<Ref<Block>> blocks_;
  uint32_t size_ = 0;
};

// The operations of a block, in the memory of the program, which appends to it.
class OperationList {
 public:
  using value_type = Ref<Operation>;
  using const_iterator = const Ref<Operation>*;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const_iterator begin() const { return data_.get(); }
  const_iterator end() const { return begin() + size_; }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
  const Ref<Operation>& operator[](size_t i) const { return begin()[i]; }
  const Ref<Operation>& front() const { return *begin(); }
  const Ref<Operation>& back() const { return end()[-1]; }

 private:
  friend class Program;
  Ref<Ref<Operation>> data_;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

struct Block {
  Ref<Operation> parent;  // of the region
  ValueRange arguments;
  OperationList operations;  // the last is the terminator, where there is one
};

// The name of operations, one for all of that name.
struct OperationName {
  absl::string_view text;          // "stablehlo.add"
  const DialectOp* row = nullptr;  // null: an operation that nobody here knows
};

// Attributes of operations, inherent and discardable, sorted by name.
struct alignas(8) AttributeSet {
  uint32_t size = 0;

  // They stand behind it.
  const NamedAttribute* data() const { return reinterpret_cast<const NamedAttribute*>(this + 1); }
};

// What operations have in common that differ in their operands and locations only. One object
// serves many of them.
struct OperationKind {
  Ref<const OperationName> name;
  Ref<const AttributeSet> attributes;
  uint32_t operand_count = 0;
  uint32_t result_count : 30 = 0;
  uint32_t has_regions : 1 = 0;
  uint32_t has_position : 1 = 0;

  // The types of the results stand behind it.
  const Ref<const Type>* types() const {
    return reinterpret_cast<const Ref<const Type>*>(this + 1);
  }
};

// What an operation is made of.
struct OperationParts {
  const OperationName* name = nullptr;
  absl::Span<Value* const> operands;
  absl::Span<const Type* const> results;
  const AttributeSet* attributes = nullptr;
  size_t regions = 0;
  const Location* location = nullptr;
  TextPosition position;
};

// An operation is made as a whole and lies, with its results and the list of its operands, in one
// piece of memory: that of an addition takes 24 bytes.
class Operation {
 public:
  Ref<Block> parent;
  Ref<const Location> location;

  absl::string_view name() const { return kind_->name->text; }  // "stablehlo.add"
  const DialectOp* row() const { return kind_->name->row; }     // null: an unknown operation
  absl::Span<const Ref<Value>> operands() const {
    return absl::MakeConstSpan(reinterpret_cast<const Ref<Value>*>(this + 1), kind_->operand_count);
  }
  ValueRange results() const {
    const uint32_t count = kind_->result_count;
    return ValueRange(reinterpret_cast<Value*>(const_cast<Operation*>(this)) - count, count);
  }
  Value* result(size_t i) const { return results()[i]; }
  absl::Span<const NamedAttribute> attributes() const {
    const AttributeSet* set = kind_->attributes;
    if (set == nullptr) return {};
    return absl::MakeConstSpan(set->data(), set->size);
  }
  absl::Span<const Region> regions() const {
    if (!kind_->has_regions) return {};
    return absl::MakeConstSpan(region(0), region_count());
  }
  TextPosition position() const {  // in the text; line 0 in bytecode
    if (!kind_->has_position) return {};
    return *reinterpret_cast<const TextPosition*>(behind_operands());
  }

  const Attribute* Find(absl::string_view attribute) const;  // null when absent
  const OperationKind& kind() const { return *kind_; }
  // For messages: "stablehlo.add at 7:12" or, of bytecode, "stablehlo.add, operation 3 of @main"
  // (counted from 1 in pre-order) and the file that its location names.
  std::string Describe() const;

 private:
  friend class Program;
  friend class Value;

  // Behind the operands stand the position where there is one, and the number of regions with the
  // regions where there are any.
  const std::byte* behind_operands() const {
    return reinterpret_cast<const std::byte*>(this + 1) + kind_->operand_count * sizeof(Ref<Value>);
  }
  const std::byte* region_list() const {
    return behind_operands() + (kind_->has_position ? sizeof(TextPosition) : 0);
  }
  size_t region_count() const { return *reinterpret_cast<const uint32_t*>(region_list()); }
  Region* region(size_t i) const {
    return reinterpret_cast<Region*>(const_cast<std::byte*>(region_list()) + sizeof(uint32_t)) + i;
  }

  Ref<const OperationKind> kind_;
};
static_assert(sizeof(Value) == 4 && sizeof(Operation) == 12 && sizeof(TextPosition) == 8);

inline Value* ValueRange::operator[](size_t i) const { return first_.get() + i; }
inline ValueRange::Iterator ValueRange::end() const { return Iterator(first_.get() + size_); }
inline ValueRange::Iterator& ValueRange::Iterator::operator++() {
  ++at_;
  return *this;
}
inline ValueRange::Iterator ValueRange::Iterator::operator+(difference_type count) const {
  return Iterator(at_ + count);
}
inline std::ptrdiff_t ValueRange::Iterator::operator-(Iterator other) const {
  return at_ - other.at_;
}
inline Operation* Value::definition() const {
  if (is_argument_) return nullptr;
  return reinterpret_cast<Operation*>(const_cast<Value*>(this) + distance_);
}
inline int64_t Value::index() const {
  return is_argument_ ? distance_ : definition()->kind_->result_count - distance_;
}
inline const Type* Value::type() const {
  if (is_argument_) return ArgumentType();
  const OperationKind& kind = *definition()->kind_;
  return kind.types()[kind.result_count - distance_];
}

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
  // The one name of this text, or of this row.
  const OperationName* NameOf(absl::string_view text);
  const OperationName* NameOf(const DialectOp& row);
  // Null where there are none.
  const AttributeSet* NewAttributes(absl::Span<const NamedAttribute> attributes);
  // The regions of a new operation have no blocks yet.
  Operation* NewOperation(const OperationParts& parts);
  // Another operation of a kind that has neither regions nor a position. The kind says how many
  // operands there are.
  Operation* NewOperation(const OperationKind& kind, const Ref<Value>* operands,
                          const Location* location);
  Block* NewBlock();
  // Makes the operation the last of the block.
  void Append(Block* block, Operation* op) {
    OperationList& list = block->operations;
    if (list.size_ == list.capacity_) Reserve(block, list.size_ < 2 ? 2 : 2 * size_t{list.size_});
    list.data_.get()[list.size_++] = op;
    op->parent = block;
  }
  // Makes room for this number of operations.
  void Reserve(Block* block, size_t count);
  // Gives a block, which has none, arguments. `locations` may be empty.
  void SetArguments(Block* block, absl::Span<const Type* const> types,
                    absl::Span<const Location* const> locations = {});
  // Makes room for the blocks of an operation's region, which are null at first; they belong to
  // the operation once they are set.
  void SetBlockCount(Operation* op, size_t region, size_t count);
  void SetBlock(Operation* op, size_t region, size_t i, Block* block);
  void SetBlocks(Operation* op, size_t region, absl::Span<Block* const> blocks);

  // The memory for types, locations and operations.
  size_t storage_bytes() const;

  // Keeps storage alive that texts or bytes point into (the file itself).
  void Keep(std::shared_ptr<const void> storage);

 private:
  const OperationKind* KindOf(const OperationParts& parts);

  struct Storage;
  std::unique_ptr<Storage> storage_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TREE_H_
