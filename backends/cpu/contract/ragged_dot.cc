// ragged-dot: the dots of groups, one after the other. Rows that belong to a group meet its rhs,
// contracted positions are summed by group, or the batch elements in groups are multiplied; what is
// in no group gives zeros. Source: reference ops_structural.md 7.3. Tests: contract_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/cpu/contract/contract.h"
#include "backends/cpu/contract/converted.h"
#include "backends/cpu/contract/dot_axes.h"
#include "spec/analysis/ragged_groups.h"
#include "spec/element/element.h"
#include "spec/element/index_value.h"

namespace assay::cpu {
namespace {

using analysis::RaggedGroups;
using runtime::ArrayRef;
using runtime::MutableArrayRef;

// Calls body(index) for each index of a box in row-major order; stops at the first error.
template <typename Body>
absl::Status ForEachIndexOf(absl::Span<const int64_t> sizes, Body body) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return absl::OkStatus();
  Dimensions index(sizes.size());
  while (true) {
    if (absl::Status status = body(index); !status.ok()) return status;
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    for (; d >= 0 && ++index[d] == sizes[d]; --d) index[d] = 0;
    if (d < 0) return absl::OkStatus();
  }
}

class RaggedDot : public runtime::Kernel {
 public:
  explicit RaggedDot(const Instruction& dot)
      : dims_(DotDimensionsOf(dot)),
        ragged_(RaggedGroups::Of(dot)),
        lhs_(dot.operand(0)->shape()),
        rhs_(dot.operand(1)->shape()),
        sizes_(dot.operand(2)->shape()),
        result_(dot.shape()),
        lhs_type_(FactorType(lhs_.element_type(), rhs_.element_type(), result_.element_type())),
        rhs_type_(FactorType(rhs_.element_type(), lhs_.element_type(), result_.element_type())),
        lhs_strides_(RowMajorStrides(lhs_.dimensions())),
        rhs_strides_(RowMajorStrides(rhs_.dimensions())),
        result_strides_(RowMajorStrides(result_.dimensions())) {
    // Where the dimensions of lhs come again in the result.
    size_t d = ragged_.mode == RaggedGroups::Mode::kContracted ? 1 : 0;
    result_stride_of_lhs_.resize(lhs_.rank());
    for (const int64_t b : dims_.lhs_batch) result_stride_of_lhs_[b] = result_strides_[d++];
    for (const int64_t f : dims_.lhs_free) result_stride_of_lhs_[f] = result_strides_[d++];
    for (const int64_t f : dims_.rhs_free) {
      if (f == ragged_.group_dim) continue;
      rhs_columns_.Append(rhs_.dimension(f), rhs_strides_[f]);
      result_columns_.Append(rhs_.dimension(f), result_strides_[d++]);
    }
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results,
                       runtime::Context& context) const override {
    ConvertedFactor lhs(context), rhs(context);
    absl::Status status =
        lhs.Set(lhs_.element_type(), lhs_type_, operands[0].data, lhs_.element_count());
    if (status.ok()) {
      status = rhs.Set(rhs_.element_type(), rhs_type_, operands[1].data, rhs_.element_count());
    }
    if (!status.ok()) return status;
    // All bits zero is zero in every type that has one; f8e8m0fnu has none, and gets its NaN.
    const int zero = result_.element_type() == ElementType::kF8E8M0FNU ? 0xff : 0;
    std::memset(results[0].data, zero, result_.ByteSize().value());
    status = context.Charge(result_.element_count());
    if (!status.ok()) return status;
    const Run run = {lhs.data(), rhs.data(), operands[2].data, results[0].data};
    if (ragged_.mode == RaggedGroups::Mode::kContracted) return SumByGroup(run, context);
    return MultiplyGroups(run, context);
  }

 private:
  struct Run {
    const std::byte* lhs;
    const std::byte* rhs;
    const std::byte* sizes;
    std::byte* result;
  };

  // Ends of the groups whose sizes have `prefix` in front.
  Dimensions GroupEnds(const std::byte* sizes, const Dimensions& prefix) const {
    int64_t list = 0;
    for (size_t i = 0; i < prefix.size(); ++i) {
      list = list * lhs_.dimension(ragged_.prefix[i]) + prefix[i];
    }
    const ElementType type = sizes_.element_type();
    Dimensions ends;
    int64_t end = 0;
    for (int64_t q = 0; q < ragged_.groups; ++q) {
      const Element size = LoadElement(type, sizes, list * ragged_.groups + q);
      ends.push_back(end = ragged_.End(end, SizeOf(type, size)));
    }
    return ends;
  }
  static int64_t SizeOf(ElementType type, Element size) {
    if (IsFloat(type)) return static_cast<int64_t>(DecodeFloat(type, size.bits));
    return IndexValue(type, size);
  }

  Dimensions PrefixSizes() const {
    Dimensions sizes;
    for (const int64_t d : ragged_.prefix) sizes.push_back(lhs_.dimension(d));
    return sizes;
  }

  // A batch or a free dimension of lhs with `count` positions from `first` on.
  struct Range {
    int64_t first, count;
  };
  // The product of the positions of lhs that `ranges` say, by dimension of lhs, all positions in
  // the contracted ones.
  absl::Status MultiplyPart(const std::vector<Range>& ranges, int64_t rhs_first, const Run& run,
                            runtime::Context& context) const {
    Product product;
    product.lhs.type = lhs_type_;
    product.rhs.type = rhs_type_;
    product.result_type = result_.element_type();
    int64_t l = 0, r = rhs_first, out = 0;
    for (size_t i = 0; i < dims_.lhs_batch.size(); ++i) {
      const int64_t d = dims_.lhs_batch[i], e = dims_.rhs_batch[i];
      product.lhs.batch.Append(ranges[d].count, lhs_strides_[d]);
      product.rhs.batch.Append(ranges[d].count, rhs_strides_[e]);
      product.result_batch.Append(ranges[d].count, result_stride_of_lhs_[d]);
      l += ranges[d].first * lhs_strides_[d];
      r += ranges[d].first * rhs_strides_[e];
      out += ranges[d].first * result_stride_of_lhs_[d];
    }
    for (const int64_t d : dims_.lhs_free) {
      product.lhs.outer.Append(ranges[d].count, lhs_strides_[d]);
      product.result_rows.Append(ranges[d].count, result_stride_of_lhs_[d]);
      l += ranges[d].first * lhs_strides_[d];
      out += ranges[d].first * result_stride_of_lhs_[d];
    }
    product.lhs.depth = Axis(lhs_.dimensions(), lhs_strides_, dims_.lhs_contracting);
    product.rhs.depth = Axis(rhs_.dimensions(), rhs_strides_, dims_.rhs_contracting);
    product.rhs.outer = rhs_columns_;
    product.result_columns = result_columns_;
    return Multiply(product, run.lhs + l * Info(lhs_type_).storage_bytes,
                    run.rhs + r * Info(rhs_type_).storage_bytes,
                    run.result + out * Info(result_.element_type()).storage_bytes, context);
  }

  // Rows or batch elements by group.
  absl::Status MultiplyGroups(const Run& run, runtime::Context& context) const {
    std::vector<Range> ranges;
    for (int64_t d = 0; d < lhs_.rank(); ++d) ranges.push_back({0, lhs_.dimension(d)});
    const Dimensions prefix_sizes = sizes_.rank() == 1 ? Dimensions() : PrefixSizes();
    return ForEachIndexOf(prefix_sizes, [&](const Dimensions& prefix) -> absl::Status {
      for (size_t i = 0; i < prefix.size(); ++i) ranges[ragged_.prefix[i]] = {prefix[i], 1};
      const Dimensions ends = GroupEnds(run.sizes, prefix);
      int64_t start = 0;
      for (int64_t q = 0; q < ragged_.groups; ++q) {
        ranges[ragged_.ragged_dim] = {start, ends[q] - start};
        start = ends[q];
        const int64_t rhs_first = ragged_.group_dim ? q * rhs_strides_[*ragged_.group_dim] : 0;
        absl::Status status = MultiplyPart(ranges, rhs_first, run, context);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    });
  }

  // Sums over the contracted positions of each group, for each element of the batch.
  absl::Status SumByGroup(const Run& run, runtime::Context& context) const {
    Dimensions batch_sizes;
    for (const int64_t d : dims_.lhs_batch) batch_sizes.push_back(lhs_.dimension(d));
    return ForEachIndexOf(batch_sizes, [&](const Dimensions& batch) -> absl::Status {
      int64_t l = 0, r = 0, out = 0;
      for (size_t i = 0; i < batch.size(); ++i) {
        l += batch[i] * lhs_strides_[dims_.lhs_batch[i]];
        r += batch[i] * rhs_strides_[dims_.rhs_batch[i]];
        out += batch[i] * result_stride_of_lhs_[dims_.lhs_batch[i]];
      }
      const Run here = {run.lhs + l * Info(lhs_type_).storage_bytes,
                        run.rhs + r * Info(rhs_type_).storage_bytes, run.sizes,
                        run.result + out * Info(result_.element_type()).storage_bytes};
      return SumOneByGroup(batch, here, context);
    });
  }

  absl::Status SumOneByGroup(const Dimensions& batch, const Run& run,
                             runtime::Context& context) const {
    // The contracted positions of each group, in row-major order.
    std::vector<std::vector<int64_t>> lhs_depth(ragged_.groups), rhs_depth(ragged_.groups);
    Dimensions contracted, prefix, ends;
    int64_t ragged_at = 0;  // among the contracted dimensions
    for (size_t i = 0; i < dims_.lhs_contracting.size(); ++i) {
      contracted.push_back(lhs_.dimension(dims_.lhs_contracting[i]));
      if (dims_.lhs_contracting[i] == ragged_.ragged_dim) ragged_at = static_cast<int64_t>(i);
    }
    absl::Status status = ForEachIndexOf(contracted, [&](const Dimensions& at) -> absl::Status {
      Dimensions here;
      if (sizes_.rank() > 1) {
        here = batch;
        here.insert(here.end(), at.begin(), at.begin() + ragged_at);
      }
      if (ends.empty() || here != prefix) ends = GroupEnds(run.sizes, prefix = here);
      int64_t l = 0, r = 0;
      for (size_t i = 0; i < at.size(); ++i) {
        l += at[i] * lhs_strides_[dims_.lhs_contracting[i]];
        r += at[i] * rhs_strides_[dims_.rhs_contracting[i]];
      }
      const auto q = std::upper_bound(ends.begin(), ends.end(), at[ragged_at]) - ends.begin();
      if (q < ragged_.groups) {
        lhs_depth[q].push_back(l);
        rhs_depth[q].push_back(r);
      }
      return context.Charge(1);
    });
    for (int64_t q = 0; q < ragged_.groups && status.ok(); ++q) {
      Product product;
      product.lhs = {lhs_type_, Axis(lhs_.dimensions(), lhs_strides_, dims_.lhs_free),
                     Axis::Listed(std::move(lhs_depth[q])), Axis()};
      product.rhs = {rhs_type_, rhs_columns_, Axis::Listed(std::move(rhs_depth[q])), Axis()};
      product.result_type = result_.element_type();
      for (const int64_t d : dims_.lhs_free) {
        product.result_rows.Append(lhs_.dimension(d), result_stride_of_lhs_[d]);
      }
      product.result_columns = result_columns_;
      const int64_t bytes = Info(result_.element_type()).storage_bytes;
      status =
          Multiply(product, run.lhs, run.rhs, run.result + q * result_strides_[0] * bytes, context);
    }
    return status;
  }

  const DotDimensions dims_;
  const RaggedGroups ragged_;
  const Shape lhs_, rhs_, sizes_, result_;
  const ElementType lhs_type_, rhs_type_;
  const Dimensions lhs_strides_, rhs_strides_, result_strides_;
  Dimensions result_stride_of_lhs_;
  Axis rhs_columns_, result_columns_;
};

}  // namespace

runtime::KernelOr PrepareRaggedDot(const Instruction& dot) {
  return std::make_unique<RaggedDot>(dot);
}

}  // namespace assay::cpu
