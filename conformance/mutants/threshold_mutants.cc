// Defects beyond thresholds: of sizes at which implementations change their way of working, of
// numbers of operands, results, branches and iterations, and of dimensions beyond four. Cases of
// the standard tier find them.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF32, ElementType::kS32, ElementType::kU8;

// Elements from a place on, row major, stay zero.
Defect ZeroFrom(int64_t place, Where where = nullptr) {
  return OnElements(
      [place](const ElementSite& e) { return e.position < place ? e.golden : Element{}; },
      std::move(where));
}

// Elements from an index of a dimension on stay zero; dimensions are counted from the last one.
Defect ZeroBeyond(int64_t index, size_t dimension_from_last) {
  return OnElements([=](const ElementSite& e) {
    const Dimensions place = evaluator::IndexAt(e.position, e.instruction.shape().dimensions());
    if (place.size() <= dimension_from_last) return e.golden;
    return place[place.size() - 1 - dimension_from_last] < index ? e.golden : Element{};
  });
}

// What is left of a vector of lanes behind the last whole one stays zero, in large arrays alone.
Defect TailBeyond(int64_t size, int64_t lanes) {
  return OnResult([=](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                      const CustomCall&) {
    for (Literal& leaf : *leaves) {
      const int64_t count = leaf.element_count();
      if (count <= size) continue;
      for (int64_t i = count - count % lanes; i < count; ++i) leaf.Set(i, Element{});
    }
  });
}

// Operands [first, last) are cut at an index of a dimension, where they are larger there: what an
// operation folds or contracts ends with a block.
Defect CutOperands(int64_t first, int64_t last,
                   std::function<int64_t(const Instruction&, int64_t)> dimension, int64_t size) {
  return [=](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (x.shape().is_dynamic()) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    bool cut = false;
    for (int64_t k = first; k < std::min(last, x.operand_count()); ++k) {
      const Shape& shape = x.operand(k)->shape();
      const int64_t d = dimension(x, k);
      if (d < 0 || d >= shape.rank() || shape.dimension(d) <= size) return nullptr;
      Slices slices;
      std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
      sizes[d] = size;
      for (const int64_t n : sizes) slices.push_back({0, n, 1});
      operands[k] =
          site.Make(kSlice, Shape(shape.element_type(), sizes), {operands[k]},
                    [&](Instruction& slice) { slice.SetAttribute(Attr::kSlice, slices); });
      if (operands[k] == nullptr) return nullptr;
      cut = true;
    }
    if (!cut) return nullptr;
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

int64_t FirstReduced(const Instruction& x, int64_t) {
  const absl::Span<const int64_t> dimensions = x.GetInts(Attr::kDimensions);
  return dimensions.empty() ? -1 : dimensions.front();
}
int64_t Contracted(const Instruction& x, int64_t operand) {
  const absl::Span<const int64_t> dimensions =
      x.GetInts(operand == 0 ? Attr::kLhsContractingDims : Attr::kRhsContractingDims);
  return dimensions.size() == 1 ? dimensions.front() : -1;
}
int64_t Last(const Instruction& x, int64_t operand) {
  return x.operand(operand)->shape().rank() - 1;
}
int64_t First(const Instruction&, int64_t) { return 0; }

// The reductions of one array, or of several.
Defect TermsBeyond(int64_t size, bool variadic) {
  return [=](Site& site) -> Instruction* {
    const int64_t half = site.original().operand_count() / 2;
    if ((half > 1) != variadic) return nullptr;
    return CutOperands(0, half, FirstReduced, size)(site);
  };
}

// Of every line along the sorted dimension what lies beyond stays where it is.
Defect UnsortedBeyond(int64_t size) {
  return OnResult([size](const Instruction& x, absl::Span<const Literal> operands,
                         std::vector<Literal>* leaves, const CustomCall&) {
    const int64_t d = x.GetInt(Attr::kDimension);
    for (size_t k = 0; k < leaves->size(); ++k) {
      Literal& leaf = (*leaves)[k];
      for (int64_t i = 0; i < leaf.element_count(); ++i) {
        const Dimensions place = evaluator::IndexAt(i, leaf.shape().dimensions());
        if (place[d] >= size) leaf.Set(i, operands[k].Get(i));
      }
    }
  });
}

// The leaves of a result from a number on are those of the operand of that number.
Defect LeavesFrom(size_t first) {
  return OnResult([first](const Instruction&, absl::Span<const Literal> operands,
                          std::vector<Literal>* leaves, const CustomCall&) {
    for (size_t k = first; k < leaves->size(); ++k) {
      if (k < operands.size() && operands[k].shape() == (*leaves)[k].shape()) {
        (*leaves)[k] = operands[k];
      } else {
        (*leaves)[k] = Literal::Zeros((*leaves)[k].shape());
      }
    }
  });
}

// Leaves from a number on are zero.
Defect LeavesLost(size_t first) {
  return OnResult([first](const Instruction&, absl::Span<const Literal>,
                          std::vector<Literal>* leaves, const CustomCall&) {
    for (size_t k = first; k < leaves->size(); ++k) {
      (*leaves)[k] = Literal::Zeros((*leaves)[k].shape());
    }
  });
}

// Numbers in the condition of a loop are not above a count.
Defect AtMostIterations(int64_t count) {
  return [count](Site& site) -> Instruction* {
    bool above = false;
    Computation* condition = site.EditedCallee(Attr::kCondition, [&](Instruction& each) {
      const Literal* literal = each.literal();
      if (literal == nullptr || literal->shape().is_tuple() || literal->element_count() != 1 ||
          literal->element_type() != kS32) {
        return;
      }
      if (DecodeSigned(kS32, literal->Get(0).bits) <= count) return;
      above = true;
      each.set_literal(Literal::Scalar(kS32, {static_cast<uint64_t>(count), 0}));
    });
    if (!above) return nullptr;
    return site.Edited([&](Instruction& copy) { copy.SetAttribute(Attr::kCondition, condition); });
  };
}

// Arrays of at least so many dimensions come out as their elements reversed.
Defect ReversedFromRank(int64_t rank) {
  return OnResult([rank](const Instruction&, absl::Span<const Literal>,
                         std::vector<Literal>* leaves, const CustomCall&) {
    for (Literal& leaf : *leaves) {
      if (leaf.shape().rank() < rank) continue;
      const Literal right = leaf;
      const int64_t count = leaf.element_count();
      for (int64_t i = 0; i < count; ++i) leaf.Set(i, right.Get(count - 1 - i));
    }
  });
}

// Index vectors of large tables have 16 bits.
Defect NarrowIndex() {
  return [](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (x.operand(0)->shape().is_tuple() || x.shape().is_tuple()) return nullptr;
    const absl::Span<const int64_t> sizes = x.operand(0)->shape().dimensions();
    if (std::none_of(sizes.begin(), sizes.end(), [](int64_t n) { return n > 0xffff; })) {
      return nullptr;
    }
    return OnOperand(1, [](ElementType type, Element element) {
      return Info(type).bits <= 16 ? element : Element{element.bits & 0xffff, 0};
    })(site);
  };
}

std::vector<Mutant> FoldThresholds() {
  return {
      {"reduce/terms_beyond_4096",
       {kReduce},
       "the second pass over partial results is not made",
       TermsBeyond(4096, false)},
      {"reduce/terms_beyond_65536",
       {kReduce},
       "a grid of 256 blocks of 256 is all there is",
       TermsBeyond(65536, false)},
      {"reduce/argmax_beyond_128",
       {kReduce},
       "of several results only the first block of 128 is folded",
       TermsBeyond(128, true)},
      {"reduce/argmax_beyond_1024",
       {kReduce},
       "of several results only the first block of 1024 is folded",
       TermsBeyond(1024, true)},
      {"reduce/columns_beyond_1024",
       {kReduce},
       "columns end with a block of 1,024 threads",
       ZeroBeyond(1024, 0)},
      {"reduce/eleventh_result", {kReduce}, "ten results at most are returned", LeavesLost(10)},
      {"reduce-window/windows_beyond_4096",
       {kReduceWindow},
       "the second row of blocks does not run",
       ZeroFrom(4096)},
      {"reduce-window/windows_beyond_1024",
       {kReduceWindow},
       "the second block of 1024 threads does not run",
       ZeroFrom(1024)},
      {"scan/beyond_1024", {kScan}, "the third level of carries is missing", ZeroFrom(1024)},
      {"select-and-scatter/beyond_1024",
       {kSelectAndScatter},
       "the second block does not run",
       ZeroFrom(1024)},
      {"map/beyond_1024", {kMap}, "the second block does not run", ZeroFrom(1024)},
      {"sort/second_block_of_512", {kSort}, "blocks are not merged", UnsortedBeyond(512)},
      {"sort/second_block_of_2048", {kSort}, "blocks are not merged", UnsortedBeyond(2048)},
      {"sort/second_block_of_8192", {kSort}, "blocks are not merged", UnsortedBeyond(8192)},
      {"sort/ninth_operand", {kSort}, "eight operands at most are moved", LeavesFrom(8)},
      {"topk/beyond_1024",
       {kTopK},
       "only the first block of 1,024 is searched",
       CutOperands(0, 1, Last, 1024)},
      {"topk/k_beyond_1024",
       {kTopK},
       "the heap has 1024 places",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         for (Literal& leaf : *leaves) {
           for (int64_t i = 0; i < leaf.element_count(); ++i) {
             const Dimensions place = evaluator::IndexAt(i, leaf.shape().dimensions());
             if (!place.empty() && place.back() >= 1024) leaf.Set(i, Element{});
           }
         }
       })},
      {"all-reduce/beyond_1024", {kAllReduce}, "the second chunk is not reduced", ZeroFrom(1024)},
      {"batch-norm-training/beyond_1024",
       {kBatchNormTraining},
       "the second block of cells does not run",
       ZeroFrom(1024)},
  };
}

std::vector<Mutant> ContractionThresholds() {
  return {
      {"dot/terms_beyond_1024",
       {kDot},
       "the loop over the contraction ends at 1,024",
       CutOperands(0, 2, Contracted, 1024)},
      {"dot/terms_beyond_4096",
       {kDot},
       "the loop over the contraction ends at 4,096",
       CutOperands(0, 2, Contracted, 4096)},
      {"dot/columns_beyond_256", {kDot}, "the third tile is not written", ZeroBeyond(256, 0)},
      {"dot/rows_beyond_256", {kDot}, "the third tile is not written", ZeroBeyond(256, 1)},
      {"dot/tile_beyond_16",
       {kDot},
       "the tile beyond 16 in rows, columns and terms is lost",
       OnElements([](const ElementSite& e) {
         const Dimensions place =
             evaluator::IndexAt(e.position, e.instruction.shape().dimensions());
         const int64_t d = Contracted(e.instruction, 0);
         if (place.size() != 2 || d < 0) return e.golden;
         if (e.instruction.operand(0)->shape().dimension(d) <= 16) return e.golden;
         return place[0] >= 16 && place[1] >= 16 ? Element{} : e.golden;
       })},
      {"dot/batches_beyond_64",
       {kDot},
       "the grid has 64 blocks in its third dimension",
       OnElements([](const ElementSite& e) {
         if (e.instruction.GetInts(Attr::kLhsBatchDims).size() != 1) return e.golden;
         const Dimensions place =
             evaluator::IndexAt(e.position, e.instruction.shape().dimensions());
         return place[0] >= 64 ? Element{} : e.golden;
       })},
      {"convolution/batch_beyond_32",
       {kConvolution},
       "the batch ends with a tile of 32",
       OnElements([](const ElementSite& e) {
         const Dimensions place =
             evaluator::IndexAt(e.position, e.instruction.shape().dimensions());
         return place[e.instruction.convolution_dimensions().output_batch] >= 32 ? Element{}
                                                                                 : e.golden;
       })},
      {"convolution/line_beyond_1024",
       {kConvolution},
       "a line ends with a block of 1,024 threads",
       ZeroFrom(1024, [](const Instruction& x) { return x.shape().rank() == 3; })},
      {"convolution/windows_beyond_32",
       {kConvolution},
       "convolutions with windows of more than 32 cells are not computed",
       ZeroFrom(0,
                [](const Instruction& x) {
                  return x.window().dimensions.size() == 1 && x.window().dimensions[0].size > 32;
                })},
      {"ragged-dot/rows_beyond_64",
       {kRaggedDot},
       "rows end with one tile of 64",
       ZeroBeyond(64, 1)},
      {"fft/beyond_256", {kFft}, "the plan for long transforms is missing", ZeroFrom(256)},
      {"cholesky/batches_beyond_64",
       {kCholesky},
       "the second block of matrices is not factorised",
       ZeroFrom(64 * 4, [](const Instruction& x) { return x.shape().rank() == 3; })},
  };
}

std::vector<Mutant> MoveThresholds() {
  return {
      {"gather/indices_beyond_1024",
       {kGather},
       "the second block does not run",
       ZeroBeyond(1024, 0)},
      {"gather/rows_beyond_1024", {kGather}, "the second block does not run", ZeroBeyond(1024, 2)},
      {"gather/index_of_16_bits", {kGather}, "row 65536 is row 0", NarrowIndex()},
      {"scatter/updates_beyond_1024",
       {kScatter},
       "the second block does not run",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 3 || x.operand(1)->shape().rank() != 2 ||
             x.GetInt(Attr::kIndexVectorDim) != 1 || x.operand(2)->shape().rank() == 0) {
           return nullptr;
         }
         for (const int64_t d : x.GetInts(Attr::kUpdateWindowDims)) {
           if (d == 0) return nullptr;
         }
         return CutOperands(1, 3, First, 1024)(site);
       }},
      {"scatter/index_of_16_bits", {kScatter}, "row 65536 is row 0", NarrowIndex()},
      {"dynamic-slice/beyond_1024",
       {kDynamicSlice},
       "the second block does not run",
       ZeroFrom(1024)},
      {"dynamic-slice/beyond_65536",
       {kDynamicSlice},
       "elements are counted in 16 bits",
       ZeroFrom(65536)},
      {"dynamic-update-slice/beyond_65536",
       {kDynamicUpdateSlice},
       "elements are counted in 16 bits",
       ZeroFrom(65536)},
      {"rng-bit-generator/beyond_1024",
       {kRngBitGenerator},
       "the counter starts anew with each block of 1024",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& bits = leaves->back();
         for (int64_t i = 1024; i < bits.element_count(); ++i) bits.Set(i, bits.Get(i % 1024));
       })},
      {"copy/beyond_65536", {kCopy}, "elements are counted in 16 bits", ZeroFrom(65536)},
      {"iota/beyond_65536",
       {kIota},
       "elements are counted in 16 bits",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.golden.bits & 0xffff, e.golden.imag};
           },
           TypeIs({kS32, ElementType::kU32}))},
      {"iota/of_8_bits_beyond_256",
       {kIota},
       "values saturate instead of wrapping",
       OnElements(
           [](const ElementSite& e) {
             const Dimensions place =
                 evaluator::IndexAt(e.position, e.instruction.shape().dimensions());
             const bool beyond = place[e.instruction.GetInt(Attr::kIotaDimension)] > 4096;
             return beyond ? Element{255, 0} : e.golden;
           },
           TypeIs({kU8}))},
      {"reverse/beyond_65536", {kReverse}, "elements are counted in 16 bits", ZeroFrom(65536)},
      {"transpose/beyond_65536", {kTranspose}, "elements are counted in 16 bits", ZeroFrom(65536)},
      {"slice/beyond_65536", {kSlice}, "elements are counted in 16 bits", ZeroFrom(65536)},
      {"concatenate/beyond_65536",
       {kConcatenate},
       "elements are counted in 16 bits",
       ZeroFrom(65536)},
      {"pad/beyond_65536", {kPad}, "elements are counted in 16 bits", ZeroFrom(65536)},
      {"broadcast/beyond_65536", {kBroadcast}, "elements are counted in 16 bits", ZeroFrom(65536)},
      {"add/tail_beyond_65536",
       {kAdd},
       "in large arrays what 32 lanes do not divide is not computed",
       TailBeyond(65536, 32)},
      {"select/tail_beyond_65536",
       {kSelect},
       "in large arrays what 8 lanes do not divide is not computed",
       TailBeyond(65536, 8)},
      {"tanh/tail_beyond_65536",
       {kTanh},
       "in large arrays what 8 lanes do not divide is not computed",
       TailBeyond(65536, 8)},
      {"convert/tail_beyond_4096",
       {kConvert},
       "in large arrays what 16 lanes do not divide is not computed",
       TailBeyond(4096, 16)},
      {"maximum/bf16_tail_beyond_4096",
       {kMaximum},
       "in large arrays of bf16 what 32 lanes do not divide is not computed",
       [](Site& site) -> Instruction* {
         return TypeIs({kBF16})(site.original()) ? TailBeyond(4096, 32)(site) : nullptr;
       }},
  };
}

std::vector<Mutant> CountThresholds() {
  return {
      {"while/at_most_128_iterations", {kWhile}, "the counter has 8 bits", AtMostIterations(128)},
      {"while/at_most_1024_iterations", {kWhile}, "the loop is unrolled", AtMostIterations(1024)},
      {"while/eleventh_value", {kWhile}, "ten values at most are carried", LeavesLost(10)},
      {"call/eleventh_result", {kCall}, "ten results at most are returned", LeavesLost(10)},
      {"tuple/tenth_element",
       {kTuple},
       "the tenth element comes before the second: names are sorted as text",
       Reorder([](std::vector<Instruction*>& x) {
         if (x.size() > 12 && x[10]->shape() == x[2]->shape()) std::swap(x[10], x[2]);
       })},
      {"get-tuple-element/index_of_one_digit",
       {kGetTupleElement},
       "element 12 is taken for element 2",
       Edit([](Instruction& x) {
         const int64_t i = x.GetInt(Attr::kIndex);
         if (i >= 10) x.SetAttribute(Attr::kIndex, i % 10);
       })},
      {"conditional/branches_beyond_8",
       {kConditional},
       "the jump table has eight entries",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.called_computations().size() <= 8) return nullptr;
         std::vector<Instruction*> operands = site.operands();
         operands[0] =
             site.Call({operands[0]}, x.operand(0)->shape(),
                       [](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                         return Literal::Scalar(kS32, {values[0].Get(0).bits % 8, 0});
                       });
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
      {"concatenate/beyond_32_operands",
       {kConcatenate},
       "operands from 32 on are the first again",
       Reorder([](std::vector<Instruction*>& x) {
         for (size_t i = 32; i < x.size(); ++i) {
           if (x[i]->shape() == x[0]->shape()) x[i] = x[1];
         }
       })},
      {"transpose/six_dimensions",
       {kTranspose},
       "loops run over five dimensions",
       ReversedFromRank(6)},
      {"reverse/six_dimensions", {kReverse}, "loops run over five dimensions", ReversedFromRank(6)},
      {"broadcast/seven_dimensions",
       {kBroadcast},
       "loops run over six dimensions",
       ReversedFromRank(7)},
      {"gather/six_dimensions", {kGather}, "loops run over five dimensions", ReversedFromRank(6)},
      {"scatter/six_dimensions", {kScatter}, "loops run over five dimensions", ReversedFromRank(6)},
      {"pad/six_dimensions", {kPad}, "loops run over five dimensions", ReversedFromRank(6)},
      {"slice/six_dimensions", {kSlice}, "loops run over five dimensions", ReversedFromRank(6)},
      {"sort/six_dimensions", {kSort}, "loops run over five dimensions", ReversedFromRank(6)},
      {"dot/five_dimensions", {kDot}, "loops run over four dimensions", ReversedFromRank(5)},
      {"convolution/four_space_dimensions",
       {kConvolution},
       "loops run over three dimensions of space",
       ReversedFromRank(6)},
      {"multiply/seven_dimensions",
       {kMultiply},
       "loops run over six dimensions",
       ReversedFromRank(7)},
      {"reduce-window/six_dimensions",
       {kReduceWindow},
       "loops run over five dimensions",
       ReversedFromRank(6)},
      {"all-gather/six_dimensions",
       {kAllGather},
       "loops run over five dimensions",
       ReversedFromRank(6)},
  };
}

}  // namespace

std::vector<Mutant> ThresholdMutants() {
  std::vector<Mutant> all =
      Joined({FoldThresholds, ContractionThresholds, MoveThresholds, CountThresholds});
  for (Mutant& mutant : all) mutant.tier = Tier::kStandard;
  return all;
}

}  // namespace assay::conformance
