// Defects of infeeds and outfeeds: items lost, repeated and out of order.
#include <algorithm>
#include <vector>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// The instructions of the computation with the opcode, in its order.
std::vector<const Instruction*> Siblings(const Instruction& instruction) {
  std::vector<const Instruction*> siblings;
  for (const auto& each : instruction.parent()->instructions()) {
    if (each->opcode() == instruction.opcode()) siblings.push_back(each.get());
  }
  return siblings;
}

bool IsDead(const Instruction& instruction) {
  const Computation& computation = *instruction.parent();
  if (computation.root() == &instruction) return false;
  return std::none_of(
      computation.instructions().begin(), computation.instructions().end(), [&](const auto& each) {
        const auto& operands = each->operands();
        return std::find(operands.begin(), operands.end(), &instruction) != operands.end();
      });
}

Instruction* Outfeed(Site& site, Instruction* data) {
  return site.Make(kOutfeed, Shape::Token(), {data, site.operand(1)});
}

// The first of an earlier infeed that gave the same shape.
Defect FirstItemAgain() {
  return [](Site& site) -> Instruction* {
    for (const Instruction* each : Siblings(site.original())) {
      if (each == &site.original()) break;
      if (Shape::Compatible(each->shape(), site.original().shape())) return site.copy_of(*each);
    }
    return nullptr;
  };
}

// What the computation feeds out waits for its last outfeed and comes in the opposite order.
Defect OppositeOrder() {
  return [](Site& site) -> Instruction* {
    std::vector<const Instruction*> siblings = Siblings(site.original());
    if (siblings.size() < 2) return nullptr;
    if (siblings.back() != &site.original()) return site.operand(1);
    std::reverse(siblings.begin(), siblings.end());
    Instruction* last = nullptr;
    for (const Instruction* each : siblings) last = Outfeed(site, site.copy_of(*each->operand(0)));
    return last;
  };
}

// The arrays of an item from the last to the first.
Defect ArraysReversed() {
  return [](Site& site) -> Instruction* {
    const Shape& shape = site.original().operand(0)->shape();
    if (!shape.is_tuple() || shape.tuple_shapes().size() < 2) return nullptr;
    Instruction* last = nullptr;
    for (auto i = static_cast<int64_t>(shape.tuple_shapes().size()) - 1; i >= 0; --i) {
      Instruction* element = site.Make(kGetTupleElement, shape.tuple_shape(i), {site.operand(0)},
                                       [i](Instruction& x) { x.SetAttribute(Attr::kIndex, i); });
      last = Outfeed(site, element);
    }
    return last;
  };
}

}  // namespace

std::vector<Mutant> FeedMutants() {
  return {
      {"infeed/first_item_again",
       {kInfeed},
       "the place in the ring of buffers does not move on",
       FirstItemAgain()},
      {"infeed/last_element_missing",
       {kInfeed},
       "the transfer is one element short",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& first = leaves->front();
         if (first.is_array() && first.element_count() > 0) {
           first.Set(first.element_count() - 1, Element{});
         }
       })},
      {"outfeed/nothing_given", {kOutfeed}, "what is fed out stays on the device", Forward(1)},
      {"outfeed/given_twice",
       {kOutfeed},
       "the transfer is started again",
       [](Site& site) -> Instruction* {
         site.Unchanged();
         return Outfeed(site, site.operand(0));
       }},
      {"outfeed/opposite_order",
       {kOutfeed},
       "tokens do not order what a computation feeds out",
       OppositeOrder()},
      {"outfeed/arrays_of_an_item_reversed",
       {kOutfeed},
       "the last array of a tuple goes first",
       ArraysReversed()},
      {"outfeed/dead_left_out",
       {kOutfeed},
       "an outfeed whose token has no user is removed as dead code",
       [](Site& site) -> Instruction* {
         return IsDead(site.original()) ? site.operand(1) : nullptr;
       }},
      {"outfeed/last_element_missing",
       {kOutfeed},
       "the transfer is one element short",
       [](Site& site) -> Instruction* {
         const Shape& shape = site.original().operand(0)->shape();
         if (!shape.is_array() || shape.element_count() == 0) return nullptr;
         Instruction* cut = site.Call({site.operand(0)}, shape,
                                      [](const Instruction&, absl::Span<const Literal> values,
                                         const CustomCall&) -> absl::StatusOr<Literal> {
                                        Literal value = values[0];
                                        value.Set(value.element_count() - 1, Element{});
                                        return value;
                                      });
         return Outfeed(site, cut);
       }},
  };
}

}  // namespace assay::conformance
