// Equal shapes kept once. A module of 100,000 instructions has a few dozen different shapes; its
// readers share them. Tests: shape_test.cc.
#ifndef ASSAY_SPEC_IR_SHAPE_TABLE_H_
#define ASSAY_SPEC_IR_SHAPE_TABLE_H_

#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "spec/ir/shape.h"

namespace assay {

class ShapeTable {
 public:
  // The shape kept that is equal in all fields, layouts included; this one when there is none yet.
  // Takes time linear in the shape.
  std::shared_ptr<const Shape> Share(Shape shape);

 private:
  using Shared = std::shared_ptr<const Shape>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Shape& shape) const;
    size_t operator()(const Shared& shape) const { return (*this)(*shape); }
  };
  struct Equal {
    using is_transparent = void;
    static const Shape& Get(const Shape& shape) { return shape; }
    static const Shape& Get(const Shared& shape) { return *shape; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Get(a) == Get(b);
    }
  };
  absl::flat_hash_set<Shared, Hash, Equal> shapes_;
  Shared last_;  // neighbours are often alike
};

}  // namespace assay

#endif  // ASSAY_SPEC_IR_SHAPE_TABLE_H_
