#include "backends/cpu/contract/product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "backends/cpu/contract/matrix_product.h"
#include "backends/cpu/contract/number_blocks.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

// rhs of complex numbers as real ones: row 2k has (re, im) of each element, row 2k + 1 has
// (-im, re), so that the sum of real products with (re, im) of lhs gives both parts of the result.
template <typename T>
void ExpandComplex(const Factor& rhs, const std::byte* from, int64_t batch, const Tiles& tiles,
                   T* to) {
  const int64_t depth = rhs.depth.size(), columns = rhs.outer.size();
  const ElementType part = Info(rhs.type).component;
  const int64_t bytes = Info(rhs.type).storage_bytes;
  const BlockReader<T> read(part, tiles.convert);
  const int64_t base = rhs.batch.Offset(batch);
  constexpr int64_t kRun = 64;
  int64_t offsets[kRun];
  T parts[2 * kRun];
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t row = base + rhs.depth.Offset(k);
    for (int64_t c = 0; c < columns; c += kRun) {
      const int64_t n = std::min(kRun, columns - c);
      rhs.outer.Offsets(c, n, offsets);
      if (rhs.outer.is_contiguous()) {
        read(from + (row + offsets[0]) * bytes, 2 * n, parts);
      } else {
        for (int64_t i = 0; i < n; ++i) read(from + (row + offsets[i]) * bytes, 2, parts + 2 * i);
      }
      T* upper = to + 4 * k * columns + 2 * c;
      T* lower = upper + 2 * columns;
      for (int64_t i = 0; i < 2 * n; i += 2) {
        upper[i] = parts[i];
        upper[i + 1] = parts[i + 1];
        lower[i] = -parts[i + 1];
        lower[i + 1] = parts[i];
      }
    }
  }
}

// The product of complex numbers as one of real ones with twice the depth and columns, whose rhs
// is dense.
Product InParts(const Product& product, ElementType arithmetic) {
  const int64_t depth = product.rhs.depth.size(), columns = product.rhs.outer.size();
  Product real;
  real.lhs = {Info(product.lhs.type).component, product.lhs.outer.InParts(0),
              product.lhs.depth.InParts(1), product.lhs.batch.InParts(0)};
  real.rhs.type = arithmetic;
  real.rhs.depth.Append(2 * depth, 2 * columns);
  real.rhs.outer.Append(2 * columns, 1);
  real.result_type = Info(product.result_type).component;
  real.result_rows = product.result_rows.InParts(0);
  real.result_columns = product.result_columns.InParts(1);
  real.result_batch = product.result_batch.InParts(0);
  return real;
}

// The pointer to the element of a batch. A factor without elements has no memory to point into.
const std::byte* ElementOfBatch(const Factor& factor, const std::byte* from, int64_t b) {
  if (factor.depth.size() == 0) return from;
  return from + factor.batch.Offset(b) * Info(factor.type).storage_bytes;
}

int64_t Products(const Product& product) {
  return product.lhs.outer.size() * product.rhs.outer.size() *
         std::max<int64_t>(product.lhs.depth.size(), 1);
}

template <typename T>
absl::Status MultiplyComplex(const Product& product, ElementType arithmetic, const std::byte* lhs,
                             const std::byte* rhs, std::byte* result, runtime::Context& context,
                             const Tiles& tiles) {
  const Product real = InParts(product, arithmetic);
  runtime::ScratchLease lease(context);
  const int64_t count = real.rhs.depth.size() * real.rhs.outer.size();
  absl::Status status = lease.Add(count * static_cast<int64_t>(sizeof(T)));
  if (!status.ok()) return status;
  const std::unique_ptr<T[]> expanded(new T[count]);
  const MatrixProduct<T> matrices(real, tiles);
  const int64_t result_bytes = Info(real.result_type).storage_bytes;
  for (int64_t b = 0; b < product.result_batch.size(); ++b) {
    ExpandComplex<T>(product.rhs, rhs, b, tiles, expanded.get());
    status = matrices.Run(ElementOfBatch(real.lhs, lhs, b),
                          reinterpret_cast<const std::byte*>(expanded.get()),
                          result + real.result_batch.Offset(b) * result_bytes, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename T, int kPerNumber = 1>
absl::Status MultiplyReal(const Product& product, const std::byte* lhs, const std::byte* rhs,
                          std::byte* result, runtime::Context& context, const Tiles& tiles) {
  const int64_t result_bytes = Info(product.result_type).storage_bytes;
  const MatrixProduct<T, kPerNumber> matrices(product, tiles);
  auto run = [&](int64_t b, runtime::Context& context) {
    return matrices.Run(ElementOfBatch(product.lhs, lhs, b), ElementOfBatch(product.rhs, rhs, b),
                        result + product.result_batch.Offset(b) * result_bytes, context);
  };
  const int64_t batches = product.result_batch.size();
  // Large matrices are shared out one by one, small ones several at a time.
  constexpr int64_t kLarge = int64_t{1} << 23;
  constexpr int64_t kProductsInANanosecond = 16;
  if (batches == 1 || Products(product) > kLarge) {
    for (int64_t b = 0; b < batches; ++b) {
      if (absl::Status status = run(b, context); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  const int64_t steps = Products(product) / kProductsInANanosecond + 200;
  return runtime::ParallelFor(
      context, batches, runtime::GrainFor(steps),
      [&](runtime::Blocks& blocks, runtime::Context& context) -> absl::Status {
        for (int64_t b; blocks.NextElement(&b);) {
          if (absl::Status status = run(b, context); !status.ok()) return status;
        }
        return absl::OkStatus();
      });
}

// Rows and columns in each other's place: the same sums.
Product Swapped(Product product) {
  std::swap(product.lhs, product.rhs);
  std::swap(product.result_rows, product.result_columns);
  return product;
}

}  // namespace

absl::Status Multiply(const Product& product, const std::byte* lhs, const std::byte* rhs,
                      std::byte* result, runtime::Context& context, const Tiles& tiles) {
  const bool empty = product.result_batch.size() == 0 || product.result_rows.size() == 0 ||
                     product.result_columns.size() == 0;
  if (empty) return absl::OkStatus();
  // Tiles are written row by row, and a vector is a row.
  const bool is_column = product.result_columns.size() == 1;
  if (product.result_rows.size() > 1 && (is_column || (!product.result_columns.is_contiguous() &&
                                                       product.result_rows.is_contiguous()))) {
    return Multiply(Swapped(product), rhs, lhs, result, context, tiles);
  }
  const auto part = [](ElementType type) { return Info(type).component; };
  const ElementType arithmetic = ArithmeticOf(part(product.lhs.type), part(product.rhs.type),
                                              part(product.result_type), product.lhs.depth.size());
  return WithArithmetic(arithmetic, [&](auto t) {
    using T = decltype(t);
    if constexpr (std::is_floating_point_v<T>) {
      if (product.is_complex()) {
        return MultiplyComplex<T>(product, arithmetic, lhs, rhs, result, context, tiles);
      }
    }
    if constexpr (std::is_same_v<T, uint32_t>) {
      const bool is_vector = product.result_rows.size() == 1;
      if (!is_vector && FitPairs(product.lhs.type, product.rhs.type)) {
        return MultiplyReal<T, 2>(product, lhs, rhs, result, context, tiles);
      }
    }
    return MultiplyReal<T>(product, lhs, rhs, result, context, tiles);
  });
}

}  // namespace assay::cpu
