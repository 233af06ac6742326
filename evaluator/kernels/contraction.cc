#include "evaluator/kernels/contraction.h"

#include <algorithm>
#include <utility>

#include "evaluator/kernels/box_walk.h"

namespace assay::kernels {
namespace {

// Longer contracted indices come in parts of at most so many elements.
constexpr int64_t kPart = 1024;
// Rows and columns of a tile in parts: each factor is decoded once for so many products.
constexpr int64_t kPartRows = 128;
// Factors of a tile that has the whole contracted index, and columns that it has if there are any.
constexpr int64_t kColumnFactors = 1 << 16, kRowFactors = 1 << 14;
constexpr int64_t kFewestColumns = 64;

// Of a tile, at most.
struct TileSizes {
  int64_t contracted, rows, columns;
};
TileSizes TileSizesFor(const ContractionTypes& types, int64_t contracted) {
  if (contracted > kPart) {
    // A complex factor takes the room of several, and integers are read along rows of the matrix.
    const bool complex = types.way == ContractionTypes::Way::kComplex;
    return {kPart, complex ? kPartRows / 2 : kPartRows,
            complex || !types.floating() ? kPartRows / 2 : kPartRows};
  }
  const int64_t n = std::max<int64_t>(1, contracted);
  return {contracted, kRowFactors / n,
          std::clamp<int64_t>(kColumnFactors / n, kFewestColumns, 512)};
}

int64_t ProductOf(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

Contraction::Contraction(const ContractionTypes& types, const View& lhs, const View& rhs,
                         int64_t batch, int64_t contracted, ContractionStrides strides)
    : types_(types),
      strides_(std::move(strides)),
      lhs_(lhs, StorageBytes(types.lhs), ViewReader::Access::kBoxes),
      rhs_(rhs, StorageBytes(types.rhs), ViewReader::Access::kBoxes) {
  const auto left = lhs.sizes(), right = rhs.sizes();
  batch_.assign(left.begin(), left.begin() + batch);
  rows_.assign(left.begin() + batch, left.end() - contracted);
  contracted_.assign(left.end() - contracted, left.end());
  columns_.assign(right.begin() + batch + contracted, right.end());
  row_count_ = ProductOf(rows_);
  contracted_count_ = ProductOf(contracted_);
  column_count_ = ProductOf(columns_);
  empty_ = ProductOf(batch_) * row_count_ * column_count_ == 0;
}

int64_t Contraction::MostScratch(const ContractionTypes& types, int64_t rows, int64_t contracted,
                                 int64_t columns) {
  int64_t column_factors =
      std::min(columns * contracted, std::max(kColumnFactors, kFewestColumns * contracted));
  int64_t row_factors = std::min(rows * contracted, kRowFactors);
  int64_t sums = 0;
  if (contracted > kPart) {
    const TileSizes sizes = TileSizesFor(types, contracted);
    const int64_t tile_rows = std::min(rows, sizes.rows);
    const int64_t tile_columns = std::min(columns, sizes.columns);
    column_factors = kPart * tile_columns;
    row_factors = kPart * tile_rows;
    sums = tile_rows * tile_columns;
  }
  return TileProduct::BytesFor(types, column_factors, row_factors, sums) +
         row_factors * StorageBytes(types.lhs) + column_factors * StorageBytes(types.rhs) +
         std::min(rows, kRowFactors) * static_cast<int64_t>(sizeof(int64_t));
}

// One run.
class Contraction::Runner {
 public:
  Runner(const Contraction& contraction, Sources operands, std::byte* out, Room& room, Meter& meter)
      : c_(contraction),
        sizes_(TileSizesFor(contraction.types_, contraction.contracted_count_)),
        operands_(operands),
        out_(out),
        room_(room),
        meter_(meter) {}

  absl::Status RunBatch(int64_t batch, const Odometer<1>& at) {
    batch_ = batch;
    starts_.clear();
    for (size_t d = 0; d < c_.batch_.size(); ++d) starts_.push_back(at.position(d));
    batch_out_ = out_ + at.offset(0) * StorageBytes(c_.types_.result);
    const bool whole = c_.contracted_count_ <= sizes_.contracted;
    BoxWalk columns(c_.columns_, sizes_.columns);
    do {
      absl::Status status = whole ? MultiplyWhole(columns.box()) : MultiplyInParts(columns.box());
      if (!status.ok()) return status;
    } while (columns.Next());
    return absl::OkStatus();
  }

 private:
  absl::Status MultiplyWhole(const Box& columns) {
    const Box all = Box::All(c_.contracted_);
    room_.tile.SetColumns(Columns(all, columns), all.count, columns.count);
    if (absl::Status status = meter_.Add(all.count * columns.count); !status.ok()) return status;
    BoxWalk rows(c_.rows_, sizes_.rows);
    do {
      room_.tile.Multiply(Rows(rows.box(), all), Results(rows.box(), columns));
      absl::Status status =
          meter_.Add(rows.box().count * std::max<int64_t>(1, all.count) * columns.count);
      if (!status.ok()) return status;
    } while (rows.Next());
    return absl::OkStatus();
  }

  absl::Status MultiplyInParts(const Box& columns) {
    BoxWalk rows(c_.rows_, sizes_.rows);
    TileProduct& tile = room_.tile;
    do {
      tile.Start(rows.box().count, columns.count);
      const TileProduct::Results results = Results(rows.box(), columns);
      absl::Status status = ForEachPart(rows.box(), columns, rows.box().count * columns.count,
                                        [&](const Block& block) { tile.AddPart(block); });
      if (!status.ok()) return status;
      tile.Finish(results);
      while (tile.TakeUndecided()) {
        status = ForEachPart(rows.box(), columns, tile.taken(),
                             [&](const Block& block) { tile.AddPartExactly(block); });
        if (!status.ok()) return status;
        tile.FinishExactly(results);
      }
    } while (rows.Next());
    return absl::OkStatus();
  }

  // Calls f(rows) for each part of the contracted index, with the columns of the part set. Charges
  // for `products` of each contracted element.
  template <typename F>
  absl::Status ForEachPart(const Box& rows, const Box& columns, int64_t products, F f) {
    BoxWalk parts(c_.contracted_, sizes_.contracted);
    do {
      const Box& part = parts.box();
      room_.tile.SetColumns(Columns(part, columns), part.count, columns.count);
      f(Rows(rows, part));
      absl::Status status = meter_.Add(part.count * (rows.count + columns.count + products));
      if (!status.ok()) return status;
    } while (parts.Next());
    return absl::OkStatus();
  }

  Block Rows(const Box& rows, const Box& part) {
    const int64_t bytes = StorageBytes(c_.types_.lhs);
    if (part.count == 0) return {nullptr, 0};
    if (c_.lhs_.direct()) {
      const int64_t first =
          (batch_ * c_.row_count_ + rows.first) * c_.contracted_count_ + part.first;
      return {c_.lhs_.data(operands_) + first * bytes, c_.contracted_count_};
    }
    return {Copy(c_.lhs_, rows, part, bytes, room_.lhs), part.count};
  }

  Block Columns(const Box& part, const Box& columns) {
    const int64_t bytes = StorageBytes(c_.types_.rhs);
    if (part.count == 0) return {nullptr, 0};
    if (c_.rhs_.direct()) {
      const int64_t first =
          (batch_ * c_.contracted_count_ + part.first) * c_.column_count_ + columns.first;
      return {c_.rhs_.data(operands_) + first * bytes, c_.column_count_};
    }
    return {Copy(c_.rhs_, part, columns, bytes, room_.rhs), columns.count};
  }

  // The elements of this batch in both boxes, one after the other.
  const std::byte* Copy(const ViewReader& reader, const Box& outer, const Box& inner,
                        int64_t element_bytes, std::vector<std::byte>& room) {
    const size_t size = outer.count * inner.count * element_bytes;
    if (room.size() < size) room.resize(size);
    const size_t batch = c_.batch_.size();
    starts_.resize(batch);
    counts_.assign(batch, 1);
    for (const Box* box : {&outer, &inner}) {
      starts_.insert(starts_.end(), box->starts.begin(), box->starts.end());
      counts_.insert(counts_.end(), box->counts.begin(), box->counts.end());
    }
    reader.CopyBox(operands_, starts_, counts_, room.data());
    return room.data();
  }

  TileProduct::Results Results(const Box& rows, const Box& columns) {
    room_.rows.resize(rows.count);
    Odometer<1>::Loops loops;
    int64_t offset = columns.first * c_.strides_.column;
    for (size_t d = 0; d < rows.counts.size(); ++d) {
      loops.push_back({rows.counts[d], {c_.strides_.rows[d]}});
      offset += rows.starts[d] * c_.strides_.rows[d];
    }
    Odometer<1> at(loops);
    for (int64_t& row : room_.rows) {
      row = offset + at.offset(0);
      at.Next();
    }
    return {batch_out_, room_.rows, c_.strides_.column};
  }

  const Contraction& c_;
  TileSizes sizes_;
  Sources operands_;
  std::byte* out_;
  Room& room_;
  Meter& meter_;
  int64_t batch_ = 0;
  std::byte* batch_out_ = nullptr;
  Dimensions starts_, counts_;  // the batch's, then those of a box
};

absl::Status Contraction::Run(Sources operands, std::byte* out, Room& room, Meter& meter) const {
  if (empty_) return absl::OkStatus();
  Odometer<1>::Loops loops;
  for (size_t d = 0; d < batch_.size(); ++d) loops.push_back({batch_[d], {strides_.batch[d]}});
  Odometer<1> at(loops);
  Runner runner(*this, operands, out, room, meter);
  int64_t batch = 0;
  do {
    if (absl::Status status = runner.RunBatch(batch++, at); !status.ok()) return status;
  } while (at.Next());
  return absl::OkStatus();
}

}  // namespace assay::kernels
