#include "evaluator/kernels/contraction.h"

#include <algorithm>
#include <utility>

#include "runtime/box_grid.h"
#include "runtime/parallel.h"

namespace assay::evaluator::kernels {
namespace {

// Longer contracted indices come in parts of at most so many elements.
constexpr int64_t kPart = 1024;
// Rows and columns of a tile in parts: each factor is decoded once for so many products.
constexpr int64_t kPartRows = 128;
// Factors of a tile that has the whole contracted index, and columns that it has if there are any.
constexpr int64_t kColumnFactors = 1 << 16, kRowFactors = 1 << 14;
constexpr int64_t kFewestColumns = 64;

// The largest sizes of a tile.
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

// The sizes of a box without its last dimension.
Odometer<1>::Loops OuterLoops(absl::Span<const int64_t> counts) {
  Odometer<1>::Loops loops;
  for (size_t d = 0; d + 1 < counts.size(); ++d) loops.push_back({counts[d], {0}});
  return loops;
}

void GrowTo(std::vector<std::byte>& room, int64_t bytes) {
  if (static_cast<int64_t>(room.size()) < bytes) room.resize(bytes);
}

}  // namespace

void BlockScales::Apply(runtime::Sources operands, absl::Span<const int64_t> starts,
                        absl::Span<const int64_t> counts, const std::byte* elements,
                        double* out) const {
  DecodeFloats(this->elements, elements, ProductOf(counts), out);
  const size_t last = counts.size() - 1;
  const int64_t end = starts[last] + counts[last];
  const Odometer<1>::Loops loops = OuterLoops(counts);
  Odometer<1> at(loops);
  do {
    int64_t line = 0;
    for (size_t d = 0; d < last; ++d) {
      line += (starts[d] + at.position(d)) / blocks[d] * strides[d];
    }
    for (int64_t i = starts[last]; i < end;) {
      const int64_t block = i / blocks[last];
      const Element element =
          LoadElement(scales, operands[source].data, line + block * strides[last]);
      const double scale = DecodeFloat(scales, element.bits);
      for (const int64_t next = std::min(end, (block + 1) * blocks[last]); i < next; ++i) {
        *out++ *= scale;
      }
    }
  } while (at.Next());
}

Contraction::Operand::Operand(const View& view, ElementType type, std::optional<BlockScales> scales)
    : reader(view, StorageBytes(scales.has_value() ? scales->elements : type),
             scales.has_value() ? runtime::ViewReader::Access::kBoxCopies
                                : runtime::ViewReader::Access::kBoxes),
      scales(std::move(scales)) {}

Contraction::Contraction(const ContractionTypes& types, const View& lhs, const View& rhs,
                         int64_t batch, int64_t contracted, ContractionStrides strides,
                         std::optional<BlockScales> lhs_scales,
                         std::optional<BlockScales> rhs_scales)
    : types_(types),
      strides_(std::move(strides)),
      lhs_(lhs, types.lhs, std::move(lhs_scales)),
      rhs_(rhs, types.rhs, std::move(rhs_scales)) {
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
                                 int64_t columns, bool scaled) {
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
  constexpr int64_t kUnscaledBytes = 4;
  const int64_t unscaled = scaled ? std::max(column_factors, row_factors) * kUnscaledBytes : 0;
  return TileProduct::BytesFor(types, column_factors, row_factors, sums) + unscaled +
         row_factors * StorageBytes(types.lhs) + column_factors * StorageBytes(types.rhs) +
         std::min(rows, kRowFactors) * static_cast<int64_t>(sizeof(int64_t));
}

absl::StatusOr<Contraction::Rooms::RoomPtr> Contraction::Rooms::Take(EvaluationContext& context) {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      RoomPtr room = std::move(free_.back());
      free_.pop_back();
      return room;
    }
  }
  auto room = std::make_unique<Room>(types_, context);
  if (absl::Status status = room->lease.Add(bytes_); !status.ok()) return status;
  return room;
}

void Contraction::Rooms::Return(RoomPtr room) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(room));
}

// One thread of a run. Goes over the tiles of the result in the order of batches, columns, rows.
class Contraction::Runner {
 public:
  Runner(const Contraction& contraction, runtime::Sources operands, std::byte* out,
         Rooms::Room& room, EvaluationContext& context)
      : c_(contraction),
        sizes_(TileSizesFor(contraction.types_, contraction.contracted_count_)),
        operands_(operands),
        out_(out),
        room_(room),
        meter_(context),
        loops_(contraction.BatchLoops()),
        at_(loops_),
        columns_(c_.columns_, sizes_.columns),
        rows_(c_.rows_, sizes_.rows),
        all_(runtime::Box::All(c_.contracted_)) {}

  absl::Status Run(Blocks& tiles) {
    const bool whole = c_.contracted_count_ <= sizes_.contracted;
    while (tiles.Next()) {
      for (int64_t i = 0; i < tiles.count(); ++i) {
        GoTo(tiles.first() + i);
        absl::Status status = whole ? MultiplyWhole() : MultiplyInParts();
        if (!status.ok()) return status;
      }
    }
    return meter_.Flush();
  }

 private:
  // Only forwards.
  void GoTo(int64_t tile) {
    const int64_t of_columns = rows_.count(), of_batch = columns_.count() * of_columns;
    const int64_t batch = tile / of_batch, column = tile % of_batch / of_columns;
    const bool other_batch = batch != batch_ || batch_out_ == nullptr;
    if (other_batch) {
      for (; batch_ < batch; ++batch_) at_.Next();
      batch_out_ = out_ + at_.offset(0) * StorageBytes(c_.types_.result);
    }
    if (other_batch || column != column_) {
      column_ = column;
      column_box_ = columns_.At(column);
      columns_are_set_ = false;
    }
    row_ = tile % of_columns;
    row_box_ = rows_.At(row_);
  }

  absl::Status MultiplyWhole() {
    const runtime::Box &columns = column_box_, &rows = row_box_;
    if (!columns_are_set_) {
      room_.tile.SetColumns(Columns(all_, columns), all_.count, columns.count);
      columns_are_set_ = true;
    }
    room_.tile.Multiply(Rows(rows, all_), Results(rows, columns));
    // Columns are charged once, however many threads decode them.
    const int64_t decoded = row_ == 0 ? all_.count * columns.count : 0;
    return meter_.Add(decoded + rows.count * std::max<int64_t>(1, all_.count) * columns.count);
  }

  absl::Status MultiplyInParts() {
    const runtime::Box &columns = column_box_, &rows = row_box_;
    TileProduct& tile = room_.tile;
    tile.Start(rows.count, columns.count);
    const TileProduct::Results results = Results(rows, columns);
    absl::Status status = ForEachPart(rows, columns, rows.count * columns.count,
                                      [&](const Block& block) { tile.AddPart(block); });
    if (!status.ok()) return status;
    tile.Finish(results);
    while (tile.TakeUndecided()) {
      status = ForEachPart(rows, columns, tile.taken(),
                           [&](const Block& block) { tile.AddPartExactly(block); });
      if (!status.ok()) return status;
      tile.FinishExactly(results);
    }
    return absl::OkStatus();
  }

  // Calls f(rows) for each part of the contracted index, with the columns of the part set. Charges
  // for `products` of each contracted element.
  template <typename F>
  absl::Status ForEachPart(const runtime::Box& rows, const runtime::Box& columns, int64_t products,
                           F f) {
    const runtime::BoxGrid parts(c_.contracted_, sizes_.contracted);
    for (int64_t number = 0; number < parts.count(); ++number) {
      const runtime::Box part = parts.At(number);
      room_.tile.SetColumns(Columns(part, columns), part.count, columns.count);
      f(Rows(rows, part));
      absl::Status status = meter_.Add(part.count * (rows.count + columns.count + products));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  Block Rows(const runtime::Box& rows, const runtime::Box& part) {
    const int64_t bytes = StorageBytes(c_.types_.lhs);
    if (part.count == 0) return {nullptr, 0};
    if (c_.lhs_.reader.direct()) {
      const int64_t first =
          (batch_ * c_.row_count_ + rows.first) * c_.contracted_count_ + part.first;
      return {c_.lhs_.reader.data(operands_) + first * bytes, c_.contracted_count_};
    }
    return {Copy(c_.lhs_, rows, part, bytes, room_.lhs), part.count};
  }

  Block Columns(const runtime::Box& part, const runtime::Box& columns) {
    const int64_t bytes = StorageBytes(c_.types_.rhs);
    if (part.count == 0) return {nullptr, 0};
    if (c_.rhs_.reader.direct()) {
      const int64_t first =
          (batch_ * c_.contracted_count_ + part.first) * c_.column_count_ + columns.first;
      return {c_.rhs_.reader.data(operands_) + first * bytes, c_.column_count_};
    }
    return {Copy(c_.rhs_, part, columns, bytes, room_.rhs), columns.count};
  }

  // The elements of this batch in both boxes, one after the other.
  const std::byte* Copy(const Operand& operand, const runtime::Box& outer,
                        const runtime::Box& inner, int64_t element_bytes,
                        std::vector<std::byte>& room) {
    const int64_t count = outer.count * inner.count;
    GrowTo(room, count * element_bytes);
    const size_t batch = c_.batch_.size();
    starts_.clear();
    for (size_t d = 0; d < batch; ++d) starts_.push_back(at_.position(d));
    counts_.assign(batch, 1);
    for (const runtime::Box* box : {&outer, &inner}) {
      starts_.insert(starts_.end(), box->starts.begin(), box->starts.end());
      counts_.insert(counts_.end(), box->counts.begin(), box->counts.end());
    }
    if (!operand.scales.has_value()) {
      operand.reader.CopyBox(operands_, starts_, counts_, room.data());
      return room.data();
    }
    GrowTo(room_.unscaled, count * StorageBytes(operand.scales->elements));
    operand.reader.CopyBox(operands_, starts_, counts_, room_.unscaled.data());
    // Storage from operator new is aligned for doubles.
    operand.scales->Apply(operands_, starts_, counts_, room_.unscaled.data(),
                          reinterpret_cast<double*>(room.data()));
    return room.data();
  }

  TileProduct::Results Results(const runtime::Box& rows, const runtime::Box& columns) {
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
  runtime::Sources operands_;
  std::byte* out_;
  Rooms::Room& room_;
  Meter meter_;
  // Where it is.
  const Odometer<1>::Loops loops_;
  Odometer<1> at_;
  int64_t batch_ = 0, column_ = 0, row_ = 0;
  const runtime::BoxGrid columns_, rows_;
  runtime::Box column_box_, row_box_;
  std::byte* batch_out_ = nullptr;
  bool columns_are_set_ = false;  // in the tile
  const runtime::Box all_;
  Dimensions starts_, counts_;  // the batch's, then those of a box
};

Odometer<1>::Loops Contraction::BatchLoops() const {
  Odometer<1>::Loops loops;
  for (size_t d = 0; d < batch_.size(); ++d) loops.push_back({batch_[d], {strides_.batch[d]}});
  return loops;
}

absl::Status Contraction::Run(runtime::Sources operands, std::byte* out, Rooms& rooms,
                              EvaluationContext& context) const {
  if (empty_) return absl::OkStatus();
  const TileSizes sizes = TileSizesFor(types_, contracted_count_);
  const runtime::BoxGrid columns(columns_, sizes.columns), rows(rows_, sizes.rows);
  const int64_t tiles = ProductOf(batch_) * columns.count() * rows.count();
  // Two multiply-adds take a nanosecond or so.
  const int64_t grain = GrainFor(columns.At(0).count *
                                 std::max<int64_t>(1, contracted_count_ * rows.At(0).count / 2));
  return ParallelFor(context, tiles, grain, [&](Blocks& blocks, EvaluationContext& context) {
    absl::StatusOr<Rooms::RoomPtr> room = rooms.Take(context);
    if (!room.ok()) return room.status();
    absl::Status status = Runner(*this, operands, out, **room, context).Run(blocks);
    rooms.Return(*std::move(room));
    return status;
  });
}

}  // namespace assay::evaluator::kernels
