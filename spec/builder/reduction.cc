#include "spec/builder/reduction.h"

#include "spec/builder/implicit_broadcast.h"
#include "spec/builder/lowering_2017.h"
#include "spec/builder/windows.h"

namespace assay {

using builder_internal::Counting;
using builder_internal::Join;
using builder_internal::MakePadding;
using builder_internal::Maker;
using builder_internal::MakeWindow;
using builder_internal::ToVector;

Op Reduce(Op operand, Op init_value, const Callee& computation,
          absl::Span<const int64_t> dimensions_to_reduce, CallSite site) {
  return Reduce(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1), computation,
                dimensions_to_reduce, site);
}

Op Reduce(absl::Span<const Op> operands, absl::Span<const Op> init_values,
          const Callee& computation, absl::Span<const int64_t> dimensions_to_reduce,
          CallSite site) {
  const std::vector<Op> all = Join({operands, init_values});
  Maker maker("Reduce", site, all);
  Computation* reducer = maker.Import(computation);
  return maker.Make(Opcode::kReduce, all, {{Attr::kDimensions, ToVector(dimensions_to_reduce)}},
                    Shape(), {{Attr::kToApply, reducer}});
}

Op ReduceAll(Op operand, Op init_value, const Callee& computation, CallSite site) {
  Maker maker("ReduceAll", site, {operand, init_value});
  Computation* reducer = maker.Import(computation);
  return maker.Make(Opcode::kReduce, {operand, init_value},
                    {{Attr::kDimensions, Counting(maker.ShapeOf(operand).rank())}}, Shape(),
                    {{Attr::kToApply, reducer}});
}

namespace {

Op Windowed(Maker& maker, absl::Span<const Op> all, const Callee& computation,
            const builder_internal::WindowArguments& arguments) {
  Window window = MakeWindow(maker, arguments);
  Computation* reducer = maker.Import(computation);
  return maker.Make(Opcode::kReduceWindow, all, {{Attr::kWindow, std::move(window)}}, Shape(),
                    {{Attr::kToApply, reducer}});
}

}  // namespace

Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding, CallSite site) {
  return ReduceWindow(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1),
                      computation, window_dimensions, window_strides, padding, site);
}

Op ReduceWindow(absl::Span<const Op> operands, absl::Span<const Op> init_values,
                const Callee& computation, absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding, CallSite site) {
  const std::vector<Op> all = Join({operands, init_values});
  Maker maker("ReduceWindow", site, all);
  if (!maker.ok()) return maker.Wrap(nullptr);
  std::vector<PaddingPair> pairs;
  if (!operands.empty()) {
    pairs = MakePadding(maker.ShapeOf(operands[0]).dimensions(), window_dimensions, window_strides,
                        padding);
  }
  return Windowed(maker, all, computation,
                  {.sizes = window_dimensions, .strides = window_strides, .padding = pairs});
}

Op ReduceWindowWithGeneralPadding(absl::Span<const Op> operands, absl::Span<const Op> init_values,
                                  const Callee& computation,
                                  absl::Span<const int64_t> window_dimensions,
                                  absl::Span<const int64_t> window_strides,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations,
                                  absl::Span<const PaddingPair> padding, CallSite site) {
  const std::vector<Op> all = Join({operands, init_values});
  Maker maker("ReduceWindowWithGeneralPadding", site, all);
  return Windowed(maker, all, computation,
                  {.sizes = window_dimensions,
                   .strides = window_strides,
                   .padding = padding,
                   .base_dilations = base_dilations,
                   .window_dilations = window_dilations});
}

namespace {

Op SelectAndScatterIn(Maker& maker, absl::Span<const Op> operands, const Callee& select,
                      const Callee& scatter, const builder_internal::WindowArguments& arguments) {
  Window window = MakeWindow(maker, arguments);
  Computation* selector = maker.Import(select);
  Computation* scatterer = maker.Import(scatter);
  return maker.Make(Opcode::kSelectAndScatter, operands, {{Attr::kWindow, std::move(window)}},
                    Shape(), {{Attr::kSelect, selector}, {Attr::kScatter, scatterer}});
}

}  // namespace

Op SelectAndScatter(Op operand, const Callee& select, absl::Span<const int64_t> window_dimensions,
                    absl::Span<const int64_t> window_strides, Padding padding, Op source,
                    Op init_value, const Callee& scatter, CallSite site) {
  const Op all[] = {operand, source, init_value};
  Maker maker("SelectAndScatter", site, all);
  if (!maker.ok()) return maker.Wrap(nullptr);
  const std::vector<PaddingPair> pairs =
      MakePadding(maker.ShapeOf(operand).dimensions(), window_dimensions, window_strides, padding);
  return SelectAndScatterIn(
      maker, all, select, scatter,
      {.sizes = window_dimensions, .strides = window_strides, .padding = pairs});
}

Op SelectAndScatterWithGeneralPadding(Op operand, const Callee& select,
                                      absl::Span<const int64_t> window_dimensions,
                                      absl::Span<const int64_t> window_strides,
                                      absl::Span<const PaddingPair> padding, Op source,
                                      Op init_value, const Callee& scatter, CallSite site) {
  const Op all[] = {operand, source, init_value};
  Maker maker("SelectAndScatterWithGeneralPadding", site, all);
  return SelectAndScatterIn(
      maker, all, select, scatter,
      {.sizes = window_dimensions, .strides = window_strides, .padding = padding});
}

Op Map(absl::Span<const Op> operands, const Callee& computation,
       absl::Span<const int64_t> dimensions, absl::Span<const Op> static_operands, CallSite site) {
  std::vector<Op> all = Join({operands, static_operands});
  Maker maker("Map", site, all);
  if (!maker.ok()) return maker.Wrap(nullptr);
  ASSAY_MAKER_REQUIRE(maker, "map_c1", !operands.empty(), "there must be an operand");
  Dimensions sizes;
  for (const Op& operand : operands) {
    const absl::Span<const int64_t> own = maker.ShapeOf(operand).dimensions();
    if (sizes.empty()) sizes.assign(own.begin(), own.end());
  }
  const std::vector<int64_t> every = Counting(static_cast<int64_t>(sizes.size()));
  ASSAY_MAKER_REQUIRE(maker, "map_c2", dimensions.empty() || dimensions == absl::MakeSpan(every),
                      "dimensions must list the ", every.size(), " dimensions in order, found ",
                      ListText(dimensions));
  // Scalars among arrays stretch, static ones too; whole arrays go to each call in a loop.
  bool whole_arrays = false;
  for (size_t k = 0; k < all.size(); ++k) {
    if (maker.ShapeOf(all[k]).is_scalar()) {
      all[k] = builder_internal::Stretch(maker, all[k], {}, sizes);
    } else if (k >= operands.size()) {
      whole_arrays = true;
    }
  }
  if (whole_arrays) {
    return builder_internal::MapOneByOne(
        maker, absl::MakeConstSpan(all).subspan(0, operands.size()), computation, static_operands);
  }
  Computation* mapped = maker.Import(computation);
  return maker.Make(Opcode::kMap, all, {{Attr::kDimensions, every}}, Shape(),
                    {{Attr::kToApply, mapped}});
}

Op Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits, const Callee& to_apply,
        int64_t scan_dimension, bool is_reverse, TriState is_associative, CallSite site) {
  const std::vector<Op> all = Join({inputs, inits});
  Maker maker("Scan", site, all);
  Computation* step = maker.Import(to_apply);
  return maker.Make(Opcode::kScan, all,
                    {{Attr::kDimension, scan_dimension},
                     {Attr::kNumCarries, static_cast<int64_t>(inits.size())},
                     {Attr::kIsReverse, is_reverse},
                     {Attr::kIsAssociative, is_associative == TriState::kTrue}},
                    Shape(), {{Attr::kToApply, step}});
}

Op Sort(absl::Span<const Op> operands, const Callee& comparator, int64_t dimension, bool is_stable,
        CallSite site) {
  Maker maker("Sort", site, operands);
  if (!maker.ok()) return maker.Wrap(nullptr);
  Computation* less = maker.Import(comparator);
  if (dimension < 0 && !operands.empty()) dimension += maker.ShapeOf(operands[0]).rank();
  return maker.Make(Opcode::kSort, operands,
                    {{Attr::kDimension, dimension}, {Attr::kIsStable, is_stable}}, Shape(),
                    {{Attr::kToApply, less}});
}

Op Sort(Op operand, CallSite site) {
  Maker maker("Sort", site, {operand});
  return builder_internal::SortKeys(maker, {operand}, maker.ShapeOf(operand).rank() - 1);
}

Op TopK(Op operand, int64_t k, bool largest, CallSite site) {
  Maker maker("TopK", site, {operand});
  return maker.Make(Opcode::kTopK, {operand}, {{Attr::kK, k}, {Attr::kLargest, largest}});
}

}  // namespace assay
