#include "fuzz/reduce/attribute_edits.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "fuzz/reduce/module_edits.h"
#include "spec/ops/shape_inference.h"

namespace assay::fuzz {
namespace {

// A number of an attribute and the value that is plain.
struct Field {
  int64_t* value;
  int64_t plain;
};
using Fields = std::vector<Field>;

// --- The numbers of an attribute's value. --------------------------------------------------------

template <int64_t WindowDimension::*... kMembers>
Fields Members(Window& window, int64_t plain) {
  Fields fields;
  for (WindowDimension& d : window.dimensions) (fields.push_back({&(d.*kMembers), plain}), ...);
  return fields;
}

Fields PaddingOf(Window& window) {
  return Members<&WindowDimension::padding_low, &WindowDimension::padding_high>(window, 0);
}
Fields StridesOf(Window& window) { return Members<&WindowDimension::stride>(window, 1); }
Fields DilationsOf(Window& window) {
  return Members<&WindowDimension::window_dilation, &WindowDimension::base_dilation>(window, 1);
}
// The window of a convolution has the sizes of its second operand.
Fields SizesOf(Window& window) { return Members<&WindowDimension::size>(window, 1); }

Fields PaddingOf(PaddingConfig& config) {
  Fields fields;
  for (PaddingDimension& d : config.dimensions) {
    for (int64_t* value : {&d.low, &d.high, &d.interior}) fields.push_back({value, 0});
  }
  return fields;
}

Fields StridesOf(Slices& slices) {
  Fields fields;
  for (SliceRange& range : slices) fields.push_back({&range.stride, 1});
  return fields;
}
Fields StartsOf(Slices& slices) {
  Fields fields;
  for (SliceRange& range : slices) fields.push_back({&range.start, 0});
  return fields;
}
// A slice of one element is the simplest that has any.
Fields LimitsOf(Slices& slices) {
  Fields fields;
  for (SliceRange& range : slices) {
    fields.push_back({&range.limit, std::min(range.start + 1, range.limit)});
  }
  return fields;
}

Fields SizesOf(std::vector<int64_t>& sizes) {
  Fields fields;
  for (int64_t& size : sizes) fields.push_back({&size, std::min<int64_t>(size, 1)});
  return fields;
}

Fields ZeroOf(int64_t& number) { return {{&number, 0}}; }
Fields OneOf(int64_t& number) { return {{&number, std::min<int64_t>(number, 1)}}; }

// --- Edits of them. ------------------------------------------------------------------------------

template <typename Value>
using FieldsOf = Fields (*)(Value&);

template <typename Value>
Value Get(const Instruction& op, Attr attr) {
  return std::get<Value>(*op.attributes().Find(attr));
}

// All numbers plain, then each of them, then each nearer to it by a half and by one.
template <typename Value>
void AddFields(const Instruction& op, Attr attr, FieldsOf<Value> fields_of,
               std::vector<AttributeEdit>* whole, std::vector<AttributeEdit>* single) {
  Value value = Get<Value>(op, attr);
  const Fields fields = fields_of(value);
  const auto changed = [&](size_t k, int64_t number) {
    return [attr, fields_of, k, number](Instruction* copy) {
      Value own = Get<Value>(*copy, attr);
      *fields_of(own)[k].value = number;
      copy->SetAttribute(attr, std::move(own));
    };
  };
  int64_t others = 0;
  for (size_t k = 0; k < fields.size(); ++k) {
    const int64_t now = *fields[k].value, plain = fields[k].plain, distance = now - plain;
    if (distance == 0) continue;
    ++others;
    single->push_back(changed(k, plain));
    if (std::abs(distance) > 3) single->push_back(changed(k, plain + distance / 2));
    if (std::abs(distance) > 1) single->push_back(changed(k, distance > 0 ? now - 1 : now + 1));
  }
  if (others < 2) return;
  whole->push_back([attr, fields_of](Instruction* copy) {
    Value own = Get<Value>(*copy, attr);
    for (const Field& field : fields_of(own)) *field.value = field.plain;
    copy->SetAttribute(attr, std::move(own));
  });
}

void AddReversals(const Instruction& op, std::vector<AttributeEdit>* edits) {
  const Window& window = op.window();
  for (size_t k = 0; k < window.dimensions.size(); ++k) {
    if (!window.dimensions[k].reversal) continue;
    edits->push_back([k](Instruction* copy) {
      Window own = copy->window();
      own.dimensions[k].reversal = false;
      copy->SetAttribute(Attr::kWindow, own);
    });
  }
}

// The identity, and each pair of neighbours in order.
void AddPermutations(const Instruction& op, std::vector<AttributeEdit>* edits) {
  const std::vector<int64_t> now(op.GetInts(Attr::kDimensions).begin(),
                                 op.GetInts(Attr::kDimensions).end());
  const auto add = [&](std::vector<int64_t> order) {
    if (order == now) return;
    edits->push_back([order = std::move(order)](Instruction* copy) {
      copy->SetAttribute(Attr::kDimensions, order);
    });
  };
  std::vector<int64_t> identity(now.size());
  std::iota(identity.begin(), identity.end(), 0);
  add(identity);
  for (size_t k = 1; k < now.size(); ++k) {
    if (now[k - 1] < now[k]) continue;
    std::vector<int64_t> exchanged = now;
    std::swap(exchanged[k - 1], exchanged[k]);
    if (exchanged != identity) add(std::move(exchanged));
  }
}

// One dimension less.
void AddFewerDimensions(const Instruction& op, std::vector<AttributeEdit>* edits) {
  const auto now = op.GetInts(Attr::kDimensions);
  for (size_t k = 0; k < now.size() && now.size() > 1; ++k) {
    edits->push_back([k](Instruction* copy) {
      std::vector<int64_t> fewer(copy->GetInts(Attr::kDimensions).begin(),
                                 copy->GetInts(Attr::kDimensions).end());
      fewer.erase(fewer.begin() + static_cast<int64_t>(k));
      copy->SetAttribute(Attr::kDimensions, fewer);
    });
  }
}

// Attributes that may be missing.
constexpr Attr kOptional[] = {
    Attr::kOperandPrecision,  Attr::kAlgorithm,    Attr::kResultAccuracy, Attr::kUniqueIndices,
    Attr::kIndicesAreSorted,  Attr::kIsStable,     Attr::kComparisonType, Attr::kBatchGroupCount,
    Attr::kFeatureGroupCount, Attr::kUnitDiagonal, Attr::kIsReverse,      Attr::kIsAssociative};

void AddOptional(const Instruction& op, std::vector<AttributeEdit>* whole,
                 std::vector<AttributeEdit>* single) {
  std::vector<Attr> present;
  for (const Attr attr : kOptional) {
    if (!op.HasAttribute(attr)) continue;
    present.push_back(attr);
    single->push_back([attr](Instruction* copy) { copy->EraseAttribute(attr); });
  }
  if (present.size() < 2) return;
  whole->push_back([present](Instruction* copy) {
    for (const Attr attr : present) copy->EraseAttribute(attr);
  });
}

}  // namespace

std::vector<AttributeEdit> SimplerAttributes(const Instruction& op) {
  std::vector<AttributeEdit> whole, single;
  if (op.opcode() == Opcode::kPad) {
    AddFields<PaddingConfig>(op, Attr::kPadding, PaddingOf, &whole, &single);
  }
  if (op.HasAttribute(Attr::kWindow)) {
    for (const FieldsOf<Window> fields : {FieldsOf<Window>(PaddingOf), FieldsOf<Window>(StridesOf),
                                          FieldsOf<Window>(DilationsOf)}) {
      AddFields<Window>(op, Attr::kWindow, fields, &whole, &single);
    }
    if (op.opcode() != Opcode::kConvolution) {
      AddFields<Window>(op, Attr::kWindow, SizesOf, &whole, &single);
    }
    AddReversals(op, &single);
  }
  if (op.opcode() == Opcode::kSlice) {
    AddFields<Slices>(op, Attr::kSlice, StridesOf, &whole, &single);
    AddFields<Slices>(op, Attr::kSlice, StartsOf, &whole, &single);
    AddFields<Slices>(op, Attr::kSlice, LimitsOf, &whole, &single);
  }
  for (const Attr attr : {Attr::kDynamicSliceSizes, Attr::kSliceSizes}) {
    if (op.HasAttribute(attr)) {
      AddFields<std::vector<int64_t>>(op, attr, SizesOf, &whole, &single);
    }
  }
  if (op.opcode() == Opcode::kIota) {
    AddFields<int64_t>(op, Attr::kIotaDimension, ZeroOf, &whole, &single);
  }
  if (op.opcode() == Opcode::kTopK) AddFields<int64_t>(op, Attr::kK, OneOf, &whole, &single);
  if (op.opcode() == Opcode::kTranspose) AddPermutations(op, &single);
  if (op.opcode() == Opcode::kReverse) AddFewerDimensions(op, &single);
  AddOptional(op, &whole, &single);
  std::move(single.begin(), single.end(), std::back_inserter(whole));
  return whole;
}

std::optional<Cut> WithSimplerAttribute(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        const Instruction& chosen, const AttributeEdit& edit) {
  bool reshapes = false;
  std::unique_ptr<Module> changed = Edited(module, [&](const Instruction& op, Instruction* copy) {
    if (&op == &chosen) {
      edit(copy);
      reshapes = true;
    }
    const bool follows = op.parent() == chosen.parent() || op.parent() == module.entry();
    if (!reshapes || !follows || op.operand_count() == 0) return true;
    absl::StatusOr<Shape> shape = InferShape(*copy);
    if (!shape.ok()) return false;
    copy->set_shape(*std::move(shape));
    return true;
  });
  return Checked(std::move(changed), {inputs.begin(), inputs.end()});
}

}  // namespace assay::fuzz
