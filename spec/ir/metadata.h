// What an instruction carries besides its meaning: provenance, sharding, statistics. None of it
// changes a value. Source: reference hlo_text_format.md 7.2, 7.3 and hlo_wire_format.txt.
#ifndef ASSAY_SPEC_IR_METADATA_H_
#define ASSAY_SPEC_IR_METADATA_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/ir/attribute_values.h"
#include "spec/ir/boxed.h"
#include "spec/ir/shape.h"

namespace assay {

struct Metadata {
  // What few have.
  struct Rare {
    std::vector<int32_t> profile_type;
    std::string deduplicated_name;
    std::string scheduling_name;
    std::string payload;      // metadata_payload
    std::string wire_extras;  // fields of the wire format that have no text, serialised
    friend bool operator==(const Rare&, const Rare&) = default;
  };

  std::string op_type;
  std::string op_name;
  std::string source_file;
  int32_t source_line = 0;
  int32_t source_end_line = 0;
  int32_t source_column = 0;
  int32_t source_end_column = 0;
  int32_t stack_frame_id = 0;

  // The empty one when there is none.
  const Rare& rare() const;
  Rare& mutable_rare() { return rare_ ? *rare_ : rare_.emplace(); }

  // Fields that are empty are as good as none.
  friend bool operator==(const Metadata& a, const Metadata& b);

 private:
  Boxed<Rare> rare_;
};

struct NamedSharding {
  enum class Reduction { kSum, kMax, kMin };
  struct DimensionSharding {
    std::vector<AxisRef> axes;
    bool is_closed = true;  // false: '?'
    friend bool operator==(const DimensionSharding&, const DimensionSharding&) = default;
  };
  Mesh mesh;
  std::vector<DimensionSharding> dimensions;
  std::vector<AxisRef> replicated_axes;
  std::vector<AxisRef> unreduced_axes;
  std::vector<AxisRef> manual_axes;
  Reduction reduction = Reduction::kSum;
  std::vector<Metadata> metadata;
  friend bool operator==(const NamedSharding&, const NamedSharding&) = default;
};

// Shape of XLA's OpSharding: the enumerators carry its numbers.
struct Sharding {
  enum class Type {
    kReplicated = 0,
    kMaximal = 1,
    kTuple = 2,
    kTiled = 3,
    kManual = 4,
    kUnknown = 5,
    kUnreduced = 6
  };
  enum class Group { kNone, kAs, kLike };
  Type type = Type::kReplicated;
  std::vector<int64_t> tile_dimensions;
  std::vector<int64_t> devices;  // maximal: one; tiled: a list, or the iota below
  std::vector<int64_t> iota_reshape_dims;
  std::vector<int64_t> iota_transpose_perm;
  bool replicate_on_last_tile_dim = false;
  std::vector<Type> last_tile_dims;
  std::vector<Sharding> tuple;
  std::vector<Metadata> metadata;
  Group group = Group::kNone;
  int64_t group_id = 0;
  std::shared_ptr<const NamedSharding> named;  // when set, the fields above do not count
  std::string wire_extras;
  friend bool operator==(const Sharding& a, const Sharding& b);
};

// sharding `domain`s: kind is always "sharding".
struct DomainSharding {
  Sharding entry;
  Sharding exit;
  friend bool operator==(const DomainSharding&, const DomainSharding&) = default;
};

// Where the value of an instruction stood before optimisation: a leaf per array, a tree per tuple.
struct OriginArray {
  std::string instruction_name;
  ShapeIndex shape_index;
  friend bool operator==(const OriginArray&, const OriginArray&) = default;
};
struct OriginValue {
  bool is_tuple = false;
  std::optional<OriginArray> array;   // of a leaf; unset = unknown
  std::vector<OriginValue> elements;  // of a tuple
  bool is_synthetic_call = false;     // of the root
  friend bool operator==(const OriginValue&, const OriginValue&) = default;
};

struct Statistic {
  std::string name;
  double value = 0;
  friend bool operator==(const Statistic&, const Statistic&) = default;
};
struct Statistics {
  int64_t index_to_visualize = 0;
  std::vector<Statistic> values;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

using FrontendAttributes = std::map<std::string, std::string>;

}  // namespace assay

#endif  // ASSAY_SPEC_IR_METADATA_H_
