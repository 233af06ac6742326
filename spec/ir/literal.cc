#include "spec/ir/literal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace assay {

namespace {

// A value of few bytes comes in one piece with the count of its owners. The address sanitizer sees
// to the last byte what somebody else allocates.
#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kOnePiece = -1;
#else
constexpr int64_t kOnePiece = 256;
#endif
struct alignas(16) Chunk {
  std::byte bytes[16];
};

// Zeros. Null where there is no memory.
std::shared_ptr<std::byte[]> Allocate(int64_t bytes) {
  if (bytes <= kOnePiece) {
    auto chunks = std::make_shared<Chunk[]>(std::max<size_t>(1, (bytes + 15) / sizeof(Chunk)));
    std::byte* const first = chunks[0].bytes;
    return std::shared_ptr<std::byte[]>(std::move(chunks), first);
  }
  // calloc: large zero pages come for free.
  auto* storage = static_cast<std::byte*>(std::calloc(bytes == 0 ? 1 : bytes, 1));
  return storage == nullptr ? nullptr : std::shared_ptr<std::byte[]>(storage, std::free);
}

}  // namespace

Literal::Literal() = default;
Literal::Literal(const Literal&) = default;
Literal::Literal(Literal&&) noexcept = default;
Literal& Literal::operator=(const Literal&) = default;
Literal& Literal::operator=(Literal&&) noexcept = default;
Literal::~Literal() = default;

absl::StatusOr<Literal> Literal::Create(const Shape& shape, int64_t max_bytes) {
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (*bytes > max_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("a value of shape ", shape.ToString(),
                                                     " needs ", *bytes, " bytes, more than the ",
                                                     max_bytes, " allowed"));
  }
  Literal literal;
  literal.shape_ = shape;
  if (shape.is_tuple()) {
    literal.elements_.reserve(shape.tuple_shapes().size());
    for (const Shape& element : shape.tuple_shapes()) {
      absl::StatusOr<Literal> value = Create(element, max_bytes);
      if (!value.ok()) return value;
      literal.elements_.push_back(*std::move(value));
    }
    return literal;
  }
  if (!shape.is_array()) return literal;
  literal.count_ = shape.element_count();
  literal.data_ = Allocate(*bytes);
  if (literal.data_ == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a value of shape ", shape.ToString()));
  }
  return literal;
}

Literal Literal::Zeros(const Shape& shape) {
  absl::StatusOr<Literal> literal = Create(shape);
  if (!literal.ok()) {
    std::fprintf(stderr, "%s\n", literal.status().ToString().c_str());
    std::abort();
  }
  return *std::move(literal);
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal literal;
  literal.shape_ = Shape::Tuple(std::move(shapes));
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::Token() {
  Literal literal;
  literal.shape_ = Shape::Token();
  return literal;
}

Literal Literal::Scalar(ElementType type, Element value) {
  Literal literal = Zeros(Shape::Scalar(type));
  literal.Set(0, value);
  return literal;
}

Literal Literal::FromBuffer(Shape shape, std::shared_ptr<std::byte[]> buffer) {
  Literal literal;
  literal.shape_ = std::move(shape);
  literal.count_ = literal.shape_.element_count();
  literal.data_ = std::move(buffer);
  return literal;
}

int64_t Literal::byte_size() const {
  if (!is_tuple()) return is_array() ? count_ * Info(element_type()).storage_bytes : 0;
  int64_t total = 0;
  for (const Literal& element : elements_) total += element.byte_size();
  return total;
}

std::byte* Literal::mutable_data() {
  if (data_ != nullptr && data_.use_count() > 1) {
    Literal own = Zeros(shape_);
    std::memcpy(own.data_.get(), data_.get(), byte_size());
    data_ = std::move(own.data_);
  }
  return data_.get();
}

int64_t Literal::dynamic_size(int64_t d) const {
  return dynamic_sizes_ ? (*dynamic_sizes_)[d] : shape_.dimension(d);
}

Dimensions Literal::current_sizes() const {
  Dimensions sizes;
  for (int64_t d = 0; d < shape_.rank(); ++d) sizes.push_back(dynamic_size(d));
  return sizes;
}

void Literal::set_dynamic_size(int64_t d, int64_t size) {
  if (!dynamic_sizes_) {
    if (size == shape_.dimension(d)) return;
    dynamic_sizes_.emplace().assign(shape_.dimensions().begin(), shape_.dimensions().end());
  }
  (*dynamic_sizes_)[d] = size;
}

Literal Literal::WithShape(Shape shape) const {
  Literal copy = *this;
  for (size_t i = 0; i < copy.elements_.size(); ++i) {
    copy.elements_[i] = copy.elements_[i].WithShape(shape.tuple_shape(i));
  }
  if (shape.rank() != shape_.rank()) copy.dynamic_sizes_.reset();
  copy.shape_ = std::move(shape);
  return copy;
}

bool Literal::BitEqual(const Literal& a, const Literal& b) {
  if (!Shape::Compatible(a.shape_, b.shape_)) return false;
  for (size_t i = 0; i < a.elements_.size(); ++i) {
    if (!BitEqual(a.elements_[i], b.elements_[i])) return false;
  }
  if (!a.is_array()) return true;
  for (int64_t d = 0; d < a.shape_.rank(); ++d) {
    if (a.dynamic_size(d) != b.dynamic_size(d)) return false;
  }
  return a.data_ == b.data_ || std::memcmp(a.data(), b.data(), a.byte_size()) == 0;
}

namespace {
void FlattenInto(const Literal& literal, std::vector<Literal>* out) {
  if (!literal.is_tuple()) {
    out->push_back(literal);
    return;
  }
  for (const Literal& element : literal.elements()) FlattenInto(element, out);
}

Literal UnflattenFrom(const Shape& shape, absl::Span<const Literal> leaves, size_t* next) {
  if (!shape.is_tuple()) return leaves[(*next)++];
  std::vector<Literal> elements;
  elements.reserve(shape.tuple_shapes().size());
  for (const Shape& element : shape.tuple_shapes()) {
    elements.push_back(UnflattenFrom(element, leaves, next));
  }
  return Literal::Tuple(std::move(elements));
}
}  // namespace

void CopyBox(const Literal& from, absl::Span<const int64_t> box, absl::Span<const int64_t> at,
             Literal* to) {
  if (std::find(box.begin(), box.end(), 0) != box.end()) return;
  const int64_t rank = from.shape().rank();
  const int64_t bytes = Info(from.element_type()).storage_bytes;
  const Dimensions from_strides = RowMajorStrides(from.shape().dimensions());
  const Dimensions to_strides = RowMajorStrides(to->shape().dimensions());
  std::byte* const target = to->mutable_data();
  const int64_t run = rank == 0 ? 1 : box[rank - 1];
  Dimensions index(rank, 0);
  while (true) {
    int64_t source = 0, place = 0;
    for (int64_t d = 0; d < rank; ++d) {
      source += index[d] * from_strides[d];
      place += (index[d] + at[d]) * to_strides[d];
    }
    std::memcpy(target + place * bytes, from.data() + source * bytes, run * bytes);
    int64_t d = rank - 2;
    while (d >= 0 && ++index[d] == box[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

Literal ValidBox(const Literal& literal) {
  if (literal.is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) elements.push_back(ValidBox(element));
    return Literal::Tuple(std::move(elements));
  }
  if (!literal.is_array() || !literal.shape().is_dynamic()) return literal;
  const Dimensions sizes = literal.current_sizes();
  Literal box = Literal::Zeros(Shape(literal.element_type(), sizes));
  CopyBox(literal, sizes, Dimensions(sizes.size(), 0), &box);
  return box;
}

std::vector<Literal> Flatten(const Literal& literal) {
  std::vector<Literal> leaves;
  FlattenInto(literal, &leaves);
  return leaves;
}

Literal Unflatten(const Shape& shape, absl::Span<const Literal> leaves) {
  size_t next = 0;
  return UnflattenFrom(shape, leaves, &next);
}

}  // namespace assay
