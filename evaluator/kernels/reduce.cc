// Kernels of reduce and map. A recognised reducer folds packed rows of elements; any other runs as
// written in row-major order. Source: reference ops_structural.md 5.1, 12.1.
// Tests: kernels_test.cc.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/odometer.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/scratch.h"
#include "evaluator/kernels/strided_copy.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

// The dimensions of the operand, neighbours of one role joined: kept or reduced.
struct Role {
  int64_t size;
  int64_t stride;
  bool reduced;
};
using Roles = absl::InlinedVector<Role, 6>;

Roles RolesOf(const Instruction& reduce) {
  const Shape& operand = reduce.operand(0)->shape();
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  absl::InlinedVector<bool, 8> reduced(operand.rank(), false);
  for (const int64_t d : reduce.GetInts(Attr::kDimensions)) reduced[d] = true;
  Roles roles;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.dimension(d) == 1) continue;
    if (!roles.empty() && roles.back().reduced == reduced[d]) {
      roles.back().size *= operand.dimension(d);
      roles.back().stride = strides[d];
    } else {
      roles.push_back({operand.dimension(d), strides[d], reduced[d]});
    }
  }
  return roles;
}

int64_t SizeOfRole(const Roles& roles, bool reduced) {
  int64_t size = 1;
  for (const Role& role : roles) {
    if (role.reduced == reduced) size *= role.size;
  }
  return size;
}

// Packs the elements of a tile of results into contiguous rows and folds them. Rows that are
// contiguous in the operand already are folded where they are.
class FoldingReduce : public Kernel {
 public:
  FoldingReduce(const Roles& roles, const RecognisedFold& fold);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  static constexpr int64_t kPacked = 1 << 14;  // elements of a tile

  RecognisedFold fold_;
  int64_t bytes_;
  int64_t results_;
  int64_t row_;
  bool contiguous_;
  // Otherwise: the innermost kept dimension in tiles, the others around it.
  int64_t tiled_size_ = 1;
  int64_t tiled_stride_ = 0;
  int64_t tile_ = 1;
  Odometer<1>::Loops outer_;
  StridedCopy pack_;       // a whole tile
  StridedCopy pack_rest_;  // the last, smaller one
};

FoldingReduce::FoldingReduce(const Roles& roles, const RecognisedFold& fold)
    : fold_(fold),
      bytes_(StorageBytes(fold.type())),
      results_(SizeOfRole(roles, false)),
      row_(SizeOfRole(roles, true)) {
  contiguous_ = roles.empty() || row_ <= 1 ||
                (roles.back().reduced && (roles.size() == 1 || roles.size() == 2));
  if (contiguous_ || results_ == 0) return;
  for (const Role& role : roles) {
    if (role.reduced) continue;
    outer_.push_back({role.size, {role.stride}});
  }
  tiled_size_ = outer_.back().size;
  tiled_stride_ = outer_.back().strides[0];
  outer_.pop_back();
  tile_ = std::clamp<int64_t>(kPacked / row_, 1, tiled_size_);
  auto make_pack = [&](int64_t tile) {
    Dimensions sizes = {tile}, source = {tiled_stride_};
    for (const Role& role : roles) {
      if (!role.reduced) continue;
      sizes.push_back(role.size);
      source.push_back(role.stride);
    }
    return StridedCopy(bytes_, sizes, source, RowMajorStrides(sizes));
  };
  pack_ = make_pack(tile_);
  pack_rest_ = make_pack(tiled_size_ % tile_);
}

absl::Status FoldingReduce::Run(absl::Span<const ArrayRef> operands,
                                absl::Span<const MutableArrayRef> results,
                                EvaluationContext& context) const {
  Meter meter(context);
  const std::byte* init = operands[1].data;
  std::byte* out = results[0].data;
  if (results_ == 0) return absl::OkStatus();
  if (contiguous_) {
    absl::Status status = fold_.Rows(init, 0, operands[0].data, results_, row_, out, meter);
    return status.ok() ? meter.Flush() : status;
  }
  Scratch<std::byte, 1024> packed(tile_ * row_ * bytes_);
  Odometer<1> outer(outer_);
  do {
    for (int64_t first = 0; first < tiled_size_; first += tile_) {
      const int64_t count = std::min(tile_, tiled_size_ - first);
      const StridedCopy& pack = count == tile_ ? pack_ : pack_rest_;
      const int64_t offset = outer.offset(0) + first * tiled_stride_;
      absl::Status status = pack.Run(operands[0].data + offset * bytes_, packed.data(), meter);
      if (!status.ok()) return status;
      status = fold_.Rows(init, 0, packed.data(), count, row_, out, meter);
      if (!status.ok()) return status;
      out += count * bytes_;
    }
  } while (outer.Next());
  return meter.Flush();
}

// Any computation, any number of operands.
class RegionReduce : public Kernel {
 public:
  RegionReduce(const Instruction& reduce, const Roles& roles, RegionFold fold)
      : fold_(std::move(fold)), results_(SizeOfRole(roles, false)), row_(SizeOfRole(roles, true)) {
    for (const Role& role : roles) {
      (role.reduced ? reduced_ : kept_).push_back({role.size, {role.stride}});
    }
    for (int64_t k = 0; k < 2 * fold_.size(); ++k) {
      types_.push_back(reduce.operand(k)->shape().element_type());
    }
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (results_ == 0) return absl::OkStatus();
    RegionFold fold = fold_;
    Meter meter(context);
    const int64_t n = fold.size();
    Odometer<1> kept(kept_);
    for (int64_t out = 0; out < results_; ++out) {
      for (int64_t k = 0; k < n; ++k) {
        fold.accumulator(k) = LoadElement(types_[n + k], operands[n + k].data, 0);
      }
      if (absl::Status status = FoldRow(operands, kept.offset(0), fold, meter, context);
          !status.ok()) {
        return status;
      }
      for (int64_t k = 0; k < n; ++k) {
        StoreElement(types_[n + k], fold.accumulator(k), results[k].data, out);
      }
      kept.Next();
    }
    return meter.Flush();
  }

 private:
  absl::Status FoldRow(absl::Span<const ArrayRef> operands, int64_t base, RegionFold& fold,
                       Meter& meter, EvaluationContext& context) const {
    if (row_ == 0) return absl::OkStatus();
    Odometer<1> reduced(reduced_);
    do {
      for (int64_t k = 0; k < fold.size(); ++k) {
        fold.element(k) = LoadElement(types_[k], operands[k].data, base + reduced.offset(0));
      }
      if (absl::Status status = fold.Step(context); !status.ok()) return status;
      if (absl::Status status = meter.Add(1); !status.ok()) return status;
    } while (reduced.Next());
    return absl::OkStatus();
  }

  RegionFold fold_;
  int64_t results_;
  int64_t row_;
  Odometer<1>::Loops kept_;
  Odometer<1>::Loops reduced_;
  absl::InlinedVector<ElementType, 4> types_;  // of the operands, then of the inits
};

class MapKernel : public Kernel {
 public:
  MapKernel(const Instruction& map, Region region)
      : region_(std::move(region)),
        count_(map.shape().element_count()),
        result_type_(map.shape().element_type()) {
    for (const Instruction* operand : map.operands()) {
      types_.push_back(operand->shape().element_type());
    }
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Region region = region_;
    Meter meter(context);
    absl::InlinedVector<Element, 4> arguments(types_.size());
    for (int64_t i = 0; i < count_; ++i) {
      for (size_t k = 0; k < types_.size(); ++k) {
        arguments[k] = LoadElement(types_[k], operands[k].data, i);
      }
      Element result;
      absl::Status status = region.Run(arguments, absl::MakeSpan(&result, 1), context);
      if (!status.ok()) return status;
      StoreElement(result_type_, result, results[0].data, i);
      if (status = meter.Add(1); !status.ok()) return status;
    }
    return meter.Flush();
  }

 private:
  Region region_;
  int64_t count_;
  ElementType result_type_;
  absl::InlinedVector<ElementType, 4> types_;
};

}  // namespace

KernelOrNull PrepareReduce(const Instruction& instruction) {
  const int64_t n = instruction.operand_count() / 2;
  const Computation& reducer = *instruction.to_apply();
  absl::InlinedVector<ElementType, 4> elements, inits;
  for (int64_t k = 0; k < n; ++k) {
    elements.push_back(instruction.operand(k)->shape().element_type());
    inits.push_back(instruction.operand(n + k)->shape().element_type());
  }
  if (!HasReducerTypes(reducer, inits, elements)) return nullptr;
  const Roles roles = RolesOf(instruction);
  if (n == 1 && elements[0] == inits[0]) {
    const std::optional<RecognisedFold> fold = RecognisedFold::For(reducer, elements[0]);
    if (fold.has_value()) return std::make_unique<FoldingReduce>(roles, *fold);
  }
  absl::StatusOr<RegionFold> fold = RegionFold::Prepare(reducer);
  if (!fold.ok()) return fold.status();
  return std::make_unique<RegionReduce>(instruction, roles, *std::move(fold));
}

KernelOrNull PrepareMap(const Instruction& instruction) {
  const std::vector<Instruction*> parameters = instruction.to_apply()->parameters();
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    if (parameters[k]->shape().element_type() != instruction.operand(k)->shape().element_type()) {
      return nullptr;
    }
  }
  absl::StatusOr<Region> region = Region::Prepare(*instruction.to_apply());
  if (!region.ok()) return region.status();
  return std::make_unique<MapKernel>(instruction, *std::move(region));
}

}  // namespace assay::kernels
