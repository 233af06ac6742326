#include "conformance/enclosure/box_trees.h"

#include <utility>

namespace assay::conformance {

BoxTree AssembleTree(const Shape& shape, std::vector<Box>* leaves) {
  if (!shape.is_tuple()) return BoxTree::Of(std::move((*leaves)[0]));
  size_t next = 0;
  auto assemble = [&](auto& self, const Shape& part) -> BoxTree {
    if (!part.is_tuple()) return BoxTree::Of(std::move((*leaves)[next++]));
    std::vector<BoxTree> elements;
    for (const Shape& element : part.tuple_shapes()) elements.push_back(self(self, element));
    return BoxTree::Tuple(std::move(elements));
  };
  return assemble(assemble, shape);
}

BoxTree StartedPair(const Instruction& start, BoxTree first, BoxTree second) {
  std::vector<BoxTree> elements;
  elements.push_back(std::move(first));
  elements.push_back(std::move(second));
  const absl::Span<const Shape> shapes = start.shape().tuple_shapes();
  for (const Shape& context : shapes.subspan(2)) {
    elements.push_back(BoxTree::Anything(context, &start));
  }
  return BoxTree::Tuple(std::move(elements));
}

BoxTree HullOfTrees(absl::Span<const BoxTree> trees, const Instruction* open) {
  if (trees[0].is_tuple()) {
    std::vector<BoxTree> elements;
    for (size_t k = 0; k < trees[0].elements().size(); ++k) {
      std::vector<BoxTree> parts;
      for (const BoxTree& tree : trees) parts.push_back(tree.elements()[k]);
      elements.push_back(HullOfTrees(parts, open));
    }
    return BoxTree::Tuple(std::move(elements));
  }
  std::vector<const Box*> boxes;
  for (const BoxTree& tree : trees) boxes.push_back(&tree.box());
  if (boxes[0]->shape().is_token()) return trees[0];
  Box hull = HullOfBoxes(boxes);
  if (hull.open == nullptr && !Literal::BitEqual(hull.low, hull.high)) hull.open = open;
  return BoxTree::Of(std::move(hull));
}

}  // namespace assay::conformance
