// Views: tensors whose elements are elements of other tensors, found by translating indices.
//
// A simple view is y[i] = x[f(i)]; a complex view has several sources and a selector,
// y[i] = x[s(i)][f[s(i)](i)]. Here both are a list of pieces: each piece covers a box of indices
// (in every dimension an arithmetic progression) and maps it affinely to positions of one source.
// The first piece whose box has the index is the selector's choice. Transpose, slice, reverse,
// broadcast, pad, concatenate and most reshapes of such a view are such a view again, so that a
// chain of them composes into one translation, whatever its length.
//
// A position counts the elements of a source's storage: its row-major order if the source is dense.
// Source: reference ops_structural.md 2 (the document "Tensors"). Tests: seed002_test.cc,
// view_test.cc.
#ifndef ASSAY_SPEC_VIEWS_VIEW_H_
#define ASSAY_SPEC_VIEWS_VIEW_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/ir/shape.h"

namespace assay {

// The indices first, first + step, ..., `count` of them; step >= 1.
struct Progression {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;
  bool IsAllOf(int64_t size) const {
    return count == size && first == 0 && (count <= 1 || step == 1);
  }
  friend bool operator==(const Progression&, const Progression&) = default;
};

// Index first_d + k_d * step_d in each dimension d stands at position offset + sum k_d * strides_d.
struct ViewPiece {
  absl::InlinedVector<Progression, 4> box;
  int64_t source = 0;
  int64_t offset = 0;
  Dimensions strides;
  friend bool operator==(const ViewPiece&, const ViewPiece&) = default;
};

class View {
 public:
  struct Location {
    int64_t source = 0;
    int64_t position = 0;
    friend bool operator==(const Location&, const Location&) = default;
  };

  View() = default;
  // A dense row-major tensor as it lies.
  static View Dense(absl::Span<const int64_t> sizes, int64_t source = 0);
  static View Strided(absl::Span<const int64_t> sizes, int64_t offset,
                      absl::Span<const int64_t> strides, int64_t source = 0);

  absl::Span<const int64_t> sizes() const { return sizes_; }
  int64_t rank() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t element_count() const;
  // By falling precedence. They cover every index.
  absl::Span<const ViewPiece> pieces() const { return pieces_; }
  // The only piece if it covers all indices: the view is simple and affine. Null otherwise, and for
  // a view without elements.
  const ViewPiece* affine() const;
  // Whether it is affine and reads its source from the first element on in row-major order.
  bool is_dense() const;

  // Where the element at an index inside the sizes is.
  Location At(absl::Span<const int64_t> index) const;

  // The operations. Their arguments must be legal by the shape rules of the operations.
  View Transpose(absl::Span<const int64_t> permutation) const;
  View Slice(absl::Span<const int64_t> starts, absl::Span<const int64_t> counts,
             absl::Span<const int64_t> steps) const;
  View Reverse(absl::Span<const int64_t> dimensions) const;
  // Dimension d of this view becomes dimension `dimensions[d]`; sizes of one are repeated.
  View Broadcast(absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions) const;
  // Nullopt where the translation would need division.
  std::optional<View> Reshape(absl::Span<const int64_t> sizes) const;
  // `value` is a scalar.
  static View Pad(const View& operand, const View& value, const PaddingConfig& padding,
                  absl::Span<const int64_t> sizes);
  static View Concatenate(absl::Span<const View> operands, int64_t dimension);
  // All elements in row-major order as one dimension with one stride; nullopt where they have none.
  std::optional<View> Flatten() const;

  // The same translation with other numbers for the sources.
  View WithSources(const std::function<int64_t(int64_t)>& renumber) const;

  // "[2,3]: {0:2, 0:3} <- 0 + (3, 1) of 0; ...".
  std::string ToString() const;
  friend bool operator==(const View&, const View&) = default;

 private:
  // Drops pieces that no index reaches.
  void RemoveHidden();

  Dimensions sizes_;
  std::vector<ViewPiece> pieces_;
};

// The view that a data-movement instruction is of its operands, given the views that these are
// themselves: broadcast, transpose, slice, reverse, reshape, pad, concatenate of arrays with static
// sizes and one element type, verified. Nullopt for all others and for reshapes that need division.
std::optional<View> ViewOf(const Instruction& instruction, absl::Span<const View> operands);

}  // namespace assay

#endif  // ASSAY_SPEC_VIEWS_VIEW_H_
