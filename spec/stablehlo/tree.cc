#include "spec/stablehlo/tree.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/dialect.h"

namespace assay::stablehlo {
namespace {

// Attributes are not interned, so encodings of types are compared piece by piece. A directed
// acyclic graph may have exponentially many paths: what takes more than `steps` comparisons counts
// as different, and its type then has two addresses.
bool SameAttribute(const Attribute* a, const Attribute* b, int& steps) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || --steps < 0) return false;
  if (a->kind != b->kind || a->is_splat != b->is_splat || a->integer != b->integer ||
      a->type != b->type || a->name != b->name || a->text != b->text || a->ints != b->ints ||
      a->elements.size() != b->elements.size() || a->fields.size() != b->fields.size() ||
      a->byte_count != b->byte_count || a->location != b->location) {
    return false;
  }
  if (a->byte_count > 0 && std::memcmp(a->bytes.get(), b->bytes.get(), a->byte_count) != 0) {
    return false;
  }
  for (size_t i = 0; i < a->elements.size(); ++i) {
    if (!SameAttribute(a->elements[i], b->elements[i], steps)) return false;
  }
  for (size_t i = 0; i < a->fields.size(); ++i) {
    if (a->fields[i].name != b->fields[i].name ||
        !SameAttribute(a->fields[i].value, b->fields[i].value, steps)) {
      return false;
    }
  }
  return true;
}

const Attribute* FindIn(absl::Span<const NamedAttribute> list, absl::string_view name) {
  for (const NamedAttribute& entry : list) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

// The function that holds the operation, itself included; null outside of functions.
const Operation* EnclosingFunction(const Operation* op) {
  while (op != nullptr && op->name() != "func.func") {
    const Block* block = op->parent;
    op = block == nullptr ? nullptr : block->parent.get();
  }
  return op;
}

// The number of `wanted` among the operations within `function`, from 1 in pre-order; 0 if it is
// not there.
int64_t PreOrderNumber(const Operation& function, const Operation* wanted) {
  std::vector<const Operation*> stack = {&function};
  for (int64_t number = 0; !stack.empty(); ++number) {
    const Operation* op = stack.back();
    stack.pop_back();
    if (op == wanted) return number;
    const absl::Span<const Region> regions = op->regions();
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const absl::Span<const Ref<Block>> blocks = region->blocks();
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        if (*block == nullptr) continue;  // not read yet
        stack.insert(stack.end(), (*block)->operations.rbegin(), (*block)->operations.rend());
      }
    }
  }
  return 0;
}

// The first place in a file that the location names: its own, or one that it is made of.
const Location* FileOf(const Location* location) {
  std::vector<const Location*> stack = {location};
  for (int steps = 0; !stack.empty() && steps < 100; ++steps) {
    const Location* at = stack.back();
    stack.pop_back();
    if (at == nullptr) continue;
    if (at->kind == Location::Kind::kFile) return at;
    stack.insert(stack.end(), at->children.rbegin(), at->children.rend());
  }
  return nullptr;
}

// What stands in front of the arguments of a block, the types of which stand behind them.
struct ArgumentOwner {
  Ref<Block> block;
  Ref<const Ref<const Location>> locations;
};

const ArgumentOwner& OwnerOf(const Value& argument, uint32_t index) {
  return reinterpret_cast<const ArgumentOwner*>(&argument - index)[-1];
}

}  // namespace

const Attribute* Attribute::Find(absl::string_view field) const { return FindIn(fields, field); }

Block* Value::block() const { return is_argument_ ? OwnerOf(*this, distance_).block : nullptr; }

const Type* Value::ArgumentType() const {
  const ValueRange& arguments = OwnerOf(*this, distance_).block->arguments;
  return reinterpret_cast<const Ref<const Type>*>(*arguments.end())[distance_];
}

const Location* Value::location() const {
  if (!is_argument_) return nullptr;
  const ArgumentOwner& owner = OwnerOf(*this, distance_);
  return owner.locations == nullptr ? nullptr : owner.locations.get()[distance_].get();
}

std::string Value::Describe() const {
  const Operation* owner = is_argument_ ? block()->parent.get() : definition();
  return absl::StrCat(is_argument_ ? "argument " : "result ", index(), " of ",
                      owner == nullptr ? "an operation" : owner->Describe());
}

const Attribute* Operation::Find(absl::string_view attribute) const {
  return FindIn(attributes(), attribute);
}

std::string Operation::Describe() const {
  std::string out(name());
  if (kind_->has_position) {
    absl::StrAppend(&out, " at ", position().line, ":", position().column);
    return out;
  }
  const Operation* function = EnclosingFunction(this);
  const Attribute* symbol = function == nullptr ? nullptr : function->Find("sym_name");
  if (symbol != nullptr) {
    if (function == this) {
      absl::StrAppend(&out, " @", symbol->text);
    } else {
      absl::StrAppend(&out, ", operation ", PreOrderNumber(*function, this), " of @", symbol->text);
    }
  }
  if (const Location* file = FileOf(location); file != nullptr) {
    absl::StrAppend(&out, " (", file->text, ":", file->line, ":", file->column, ")");
  }
  return out;
}

// The parts of Program::Storage have linkage, as it has.

// Objects that stay where they are and are destroyed in the end, in chunks that grow up to 16 KiB:
// a program of three operations is as cheap as it looks, and one of a million allocates little
// else.
template <typename T>
class TreePool {
 public:
  // In the arena, where there is one.
  explicit TreePool(RangeArena* arena = nullptr) : arena_(arena) {}
  TreePool(const TreePool&) = delete;
  TreePool& operator=(const TreePool&) = delete;
  ~TreePool() {
    for (Chunk& chunk : chunks_) {
      for (size_t i = 0; i < chunk.used; ++i) chunk.items[i].~T();
      if (arena_ == nullptr) std::allocator<T>().deallocate(chunk.items, chunk.capacity);
    }
  }

  T* New() {
    if (chunks_.empty() || chunks_.back().used == chunks_.back().capacity) Grow();
    Chunk& chunk = chunks_.back();
    return new (chunk.items + chunk.used++) T();
  }

 private:
  struct Chunk {
    T* items;
    size_t used;
    size_t capacity;
  };

  void Grow() {
    constexpr size_t kMost = std::max<size_t>(16384 / sizeof(T), 1);
    const size_t capacity =
        chunks_.empty() ? std::min<size_t>(8, kMost) : std::min(chunks_.back().capacity * 2, kMost);
    T* items = arena_ != nullptr ? static_cast<T*>(arena_->Allocate(capacity * sizeof(T)))
                                 : std::allocator<T>().allocate(capacity);
    chunks_.push_back({items, 0, capacity});
  }

  RangeArena* arena_;
  std::vector<Chunk> chunks_;
};

struct TypeContentHash {
  size_t operator()(const Type* t) const {
    return absl::HashOf(t->kind, t->element, t->width, t->input_count, t->dimensions, t->bounds,
                        t->types, t->text,
                        t->encoding == nullptr ? absl::string_view() : t->encoding->text);
  }
};

struct TypeContentEqual {
  bool operator()(const Type* a, const Type* b) const {
    int steps = 10000;
    return a->kind == b->kind && a->element == b->element && a->width == b->width &&
           a->input_count == b->input_count && a->dimensions == b->dimensions &&
           a->bounds == b->bounds && a->types == b->types && a->text == b->text &&
           SameAttribute(a->encoding, b->encoding, steps);
  }
};

// The number of bits of the places among which kinds of operations are looked up by their hashes.
// Where two meet at one place, the later one takes it, and the other is made again when it returns.
constexpr int kKindBits = 10;

struct Program::Storage {
  RangeArena arena;  // the last to go
  std::array<Ref<const OperationKind>, size_t{1} << kKindBits> kinds;
  TreePool<Type> types{&arena};
  TreePool<Attribute> attributes;
  TreePool<Location> locations{&arena};
  absl::flat_hash_map<absl::string_view, const OperationName*> names;
  absl::flat_hash_set<const Type*, TypeContentHash, TypeContentEqual> interned;
  std::vector<std::shared_ptr<const void>> kept;
  // Texts that were copied, one after the other; long ones have a chunk of their own.
  std::vector<std::unique_ptr<char[]>> text;
  char* free = nullptr;
  size_t free_size = 0;
  // The module's functions when its block had this many operations.
  absl::flat_hash_map<absl::string_view, Operation*> functions;
  size_t indexed = 0;
};

Program::Program() : storage_(std::make_unique<Storage>()) {}
Program::~Program() = default;

Operation* Program::FindFunction(absl::string_view symbol) const {
  if (module == nullptr || module->regions().empty() || module->regions()[0].blocks().empty()) {
    return nullptr;
  }
  const OperationList& operations = module->regions()[0].blocks()[0]->operations;
  Storage& storage = *storage_;
  if (storage.indexed != operations.size()) {
    storage.functions.clear();
    for (Operation* op : operations) {
      if (op->name() != "func.func") continue;
      const Attribute* name = op->Find("sym_name");
      if (name != nullptr) storage.functions.try_emplace(name->text, op);
    }
    storage.indexed = operations.size();
  }
  auto found = storage.functions.find(symbol);
  return found == storage.functions.end() ? nullptr : found->second;
}

absl::string_view Program::Intern(absl::string_view text) {
  if (text.empty()) return absl::string_view();
  Storage& storage = *storage_;
  constexpr size_t kChunk = 16384;
  char* at;
  if (text.size() > kChunk / 4) {
    storage.text.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
    at = storage.text.back().get();
  } else {
    if (text.size() > storage.free_size) {
      storage.text.push_back(std::make_unique_for_overwrite<char[]>(kChunk));
      storage.free = storage.text.back().get();
      storage.free_size = kChunk;
    }
    at = storage.free;
    storage.free += text.size();
    storage.free_size -= text.size();
  }
  std::memcpy(at, text.data(), text.size());
  return absl::string_view(at, text.size());
}

const Type* Program::Intern(Type type) {
  auto found = storage_->interned.find(&type);
  if (found != storage_->interned.end()) return *found;
  Type* own = storage_->types.New();
  *own = std::move(type);
  storage_->interned.insert(own);
  return own;
}

const Type* Program::Scalar(ElementType element) {
  Type type;
  type.kind = TypeKind::kScalar;
  type.element = element;
  return Intern(std::move(type));
}

const Type* Program::Tensor(ElementType element, absl::Span<const int64_t> dimensions) {
  Type type;
  type.kind = TypeKind::kTensor;
  type.dimensions.assign(dimensions.begin(), dimensions.end());
  type.types = {Scalar(element)};
  return Intern(std::move(type));
}

Attribute* Program::NewAttribute(AttributeKind kind) {
  Attribute* attribute = storage_->attributes.New();
  attribute->kind = kind;
  return attribute;
}

Location* Program::NewLocation(Location::Kind kind) {
  Location* location = storage_->locations.New();
  location->kind = kind;
  return location;
}

const OperationName* Program::NameOf(absl::string_view text) {
  const auto found = storage_->names.find(text);
  if (found != storage_->names.end()) return found->second;
  if (const DialectOp* row = FindDialectOp(text); row != nullptr) return NameOf(*row);
  auto* name = new (storage_->arena.Allocate(sizeof(OperationName))) OperationName();
  name->text = Intern(text);
  storage_->names.emplace(name->text, name);
  return name;
}

const OperationName* Program::NameOf(const DialectOp& row) {
  const OperationName*& name = storage_->names[row.name];
  if (name == nullptr) {
    name = new (storage_->arena.Allocate(sizeof(OperationName))) OperationName{row.name, &row};
  }
  return name;
}

const AttributeSet* Program::NewAttributes(absl::Span<const NamedAttribute> attributes) {
  if (attributes.empty()) return nullptr;
  void* at =
      storage_->arena.Allocate(sizeof(AttributeSet) + attributes.size() * sizeof(attributes[0]));
  auto* set = new (at) AttributeSet();
  set->size = static_cast<uint32_t>(attributes.size());
  std::uninitialized_copy(attributes.begin(), attributes.end(),
                          const_cast<NamedAttribute*>(set->data()));
  return set;
}

const OperationKind* Program::KindOf(const OperationParts& parts) {
  const bool has_position = parts.position.line > 0, has_regions = parts.regions > 0;
  uint64_t hash = reinterpret_cast<uintptr_t>(parts.name) * 31 + parts.operands.size();
  hash = hash * 31 + reinterpret_cast<uintptr_t>(parts.attributes) + (has_regions ? 1 : 0);
  for (const Type* type : parts.results) hash = hash * 31 + reinterpret_cast<uintptr_t>(type);
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  Ref<const OperationKind>& recent = storage_->kinds[hash * kMultiplier >> (64 - kKindBits)];
  if (const OperationKind* kind = recent;
      kind != nullptr && kind->name == parts.name && kind->attributes == parts.attributes &&
      kind->operand_count == parts.operands.size() && kind->result_count == parts.results.size() &&
      kind->has_regions == has_regions && kind->has_position == has_position &&
      std::equal(parts.results.begin(), parts.results.end(), kind->types())) {
    return kind;
  }
  void* at = storage_->arena.AllocateWords(sizeof(OperationKind) +
                                           parts.results.size() * sizeof(Ref<const Type>));
  auto* kind = new (at) OperationKind();
  kind->name = parts.name;
  kind->attributes = parts.attributes;
  kind->operand_count = static_cast<uint32_t>(parts.operands.size());
  kind->result_count = static_cast<uint32_t>(parts.results.size());
  kind->has_regions = has_regions;
  kind->has_position = has_position;
  std::uninitialized_copy(parts.results.begin(), parts.results.end(),
                          const_cast<Ref<const Type>*>(kind->types()));
  recent = kind;
  return kind;
}

Operation* Program::NewOperation(const OperationParts& parts) {
  const OperationKind* kind = KindOf(parts);
  const size_t results = parts.results.size(), operands = parts.operands.size();
  const size_t bytes = results * sizeof(Value) + sizeof(Operation) + operands * sizeof(Ref<Value>) +
                       (kind->has_position ? sizeof(TextPosition) : 0) +
                       (parts.regions > 0 ? sizeof(uint32_t) + parts.regions * sizeof(Region) : 0);
  auto* value = static_cast<Value*>(storage_->arena.AllocateWords(bytes));
  for (size_t i = 0; i < results; ++i, ++value) {
    new (value) Value();
    value->distance_ = static_cast<uint32_t>(results - i);
  }
  auto* op = new (static_cast<void*>(value)) Operation();
  op->kind_ = kind;
  op->location = parts.location;
  auto* operand = reinterpret_cast<Ref<Value>*>(op + 1);
  for (size_t i = 0; i < operands; ++i) new (operand + i) Ref<Value>(parts.operands[i]);
  if (kind->has_position) {
    new (const_cast<std::byte*>(op->behind_operands())) TextPosition(parts.position);
  }
  if (parts.regions > 0) {
    new (const_cast<std::byte*>(op->region_list())) uint32_t(static_cast<uint32_t>(parts.regions));
    for (size_t i = 0; i < parts.regions; ++i) new (op->region(i)) Region();
  }
  return op;
}

Operation* Program::NewOperation(const OperationKind& kind, const Ref<Value>* operands,
                                 const Location* location) {
  const uint32_t results = kind.result_count;
  auto* value = static_cast<Value*>(storage_->arena.AllocateWords(
      results * sizeof(Value) + sizeof(Operation) + kind.operand_count * sizeof(Ref<Value>)));
  for (uint32_t left = results; left > 0; --left, ++value) {
    new (value) Value();
    value->distance_ = left;
  }
  auto* op = new (static_cast<void*>(value)) Operation();
  op->kind_ = &kind;
  op->location = location;
  std::uninitialized_copy_n(operands, kind.operand_count, reinterpret_cast<Ref<Value>*>(op + 1));
  return op;
}

Block* Program::NewBlock() { return new (storage_->arena.AllocateWords(sizeof(Block))) Block(); }

void Program::Reserve(Block* block, size_t count) {
  OperationList& list = block->operations;
  if (count <= list.capacity_) return;
  auto* data =
      static_cast<Ref<Operation>*>(storage_->arena.AllocateWords(count * sizeof(Ref<Operation>)));
  std::uninitialized_copy(list.begin(), list.end(), data);
  list.data_ = data;
  list.capacity_ = static_cast<uint32_t>(count);
}

void Program::SetArguments(Block* block, absl::Span<const Type* const> types,
                           absl::Span<const Location* const> locations) {
  if (types.empty()) return;
  RangeArena& arena = storage_->arena;
  const size_t count = types.size();
  auto* owner = new (arena.AllocateWords(
      sizeof(ArgumentOwner) + count * (sizeof(Value) + sizeof(Ref<const Type>)))) ArgumentOwner();
  owner->block = block;
  auto* value = reinterpret_cast<Value*>(owner + 1);
  auto* type_list = reinterpret_cast<Ref<const Type>*>(value + count);
  std::uninitialized_copy(types.begin(), types.end(), type_list);
  block->arguments = ValueRange(value, static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i, ++value) {
    new (value) Value();
    value->distance_ = static_cast<uint32_t>(i);
    value->is_argument_ = true;
  }
  const auto known = [](const Location* location) { return location != nullptr; };
  if (std::none_of(locations.begin(), locations.end(), known)) return;
  auto* list = static_cast<Ref<const Location>*>(
      arena.AllocateWords(locations.size() * sizeof(Ref<const Location>)));
  std::uninitialized_copy(locations.begin(), locations.end(), list);
  owner->locations = list;
}

void Program::SetBlockCount(Operation* op, size_t region, size_t count) {
  auto* list = static_cast<Ref<Block>*>(storage_->arena.AllocateWords(count * sizeof(Ref<Block>)));
  std::uninitialized_fill_n(list, count, Ref<Block>());
  op->region(region)->blocks_ = list;
  op->region(region)->size_ = static_cast<uint32_t>(count);
}

void Program::SetBlock(Operation* op, size_t region, size_t i, Block* block) {
  op->region(region)->blocks_.get()[i] = block;
  block->parent = op;
}

void Program::SetBlocks(Operation* op, size_t region, absl::Span<Block* const> blocks) {
  SetBlockCount(op, region, blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) SetBlock(op, region, i, blocks[i]);
}

size_t Program::storage_bytes() const { return storage_->arena.bytes(); }

void Program::Keep(std::shared_ptr<const void> storage) {
  storage_->kept.push_back(std::move(storage));
}

}  // namespace assay::stablehlo
