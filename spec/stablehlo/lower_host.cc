// What programs exchange with the host and with each other over channels.
// Source: reference stablehlo_format.md 7. Test: lowering_test.cc.
#include "absl/strings/str_join.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// Minor to major, a list per array.
void ApplyLayouts(OpContext& op, std::vector<Shape>* shapes) {
  const Attribute* layouts = op.Find("layout");
  if (layouts == nullptr || layouts->kind != AttributeKind::kArray) return;
  for (size_t i = 0; i < layouts->elements.size() && i < shapes->size(); ++i) {
    const std::optional<std::vector<int64_t>> order = IntsOf(*layouts->elements[i]);
    if (!order || !(*shapes)[i].is_array() || !IsPermutation(*order, (*shapes)[i].rank())) continue;
    Layout layout;
    layout.minor_to_major.assign(order->begin(), order->end());
    (*shapes)[i].set_layout(std::move(layout));
  }
}

void LowerInfeed(OpContext& op) {
  const int64_t arrays = op.result_count() - 1;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < arrays; ++i) shapes.push_back(op.OutShape(i));
  ApplyLayouts(op, &shapes);
  AttributeList attributes;
  const std::string config = op.StringOr("infeed_config");
  if (!config.empty()) attributes.push_back({Attr::kInfeedConfig, config});
  Instruction* const infeed =
      op.Make(Opcode::kInfeed, Shape::Tuple({Shape::Tuple(shapes), Shape::Token()}), {op.In(0)},
              std::move(attributes));
  Instruction* const data = op.Element(infeed, 0);
  for (int64_t i = 0; i < arrays; ++i) op.ReturnAt(i, op.Element(data, i));
  op.ReturnAt(arrays, op.Element(infeed, 1));
}

void LowerOutfeed(OpContext& op) {
  const Operands arrays = op.inputs().subspan(0, op.operand_count() - 1);
  Instruction* const data = op.TupleOf(arrays);
  AttributeList attributes = {{Attr::kOutfeedShape, Boxed<Shape>(data->shape())}};
  const std::string config = op.StringOr("outfeed_config");
  if (!config.empty()) attributes.push_back({Attr::kOutfeedConfig, config});
  op.Return(op.Make(Opcode::kOutfeed, Shape::Token(), {data, op.In(op.operand_count() - 1)},
                    std::move(attributes)));
}

AttributeList TransferAttributes(OpContext& op) {
  AttributeList attributes = {{Attr::kIsHostTransfer, op.BoolOr("is_host_transfer", false)}};
  const int64_t channel = op.FieldInt(op.Need("channel_handle"), "handle");
  if (channel > 0) attributes.push_back({Attr::kChannelId, channel});
  return attributes;
}

// Which devices exchange values stands in a frontend attribute in HLO.
void AddPairs(OpContext& op, Instruction* transfer) {
  if (!op.Has("source_target_pairs") || !op.ok()) return;
  const std::vector<int64_t> ids = op.Ints("source_target_pairs");
  if (ids.empty()) return;
  std::vector<std::string> pairs;
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    pairs.push_back(absl::StrCat("{", ids[i], ",", ids[i + 1], "}"));
  }
  transfer->mutable_annotations().frontend_attributes["_xla_send_recv_source_target_pairs"] =
      absl::StrCat("{", absl::StrJoin(pairs, ","), "}");
}

void LowerSend(OpContext& op) {
  const Operands arrays = op.inputs().subspan(0, op.operand_count() - 1);
  Instruction* const token = op.In(op.operand_count() - 1);
  Instruction* const data = arrays.size() == 1 ? arrays[0] : op.TupleOf(arrays);
  const AttributeList attributes = TransferAttributes(op);
  Instruction* const send =
      op.Make(Opcode::kSend,
              Shape::Tuple({data->shape(), Shape::Scalar(ElementType::kU32), Shape::Token()}),
              {data, token}, attributes);
  Instruction* const done = op.Make(Opcode::kSendDone, Shape::Token(), {send}, attributes);
  AddPairs(op, send);
  AddPairs(op, done);
  op.Return(done);
}

void LowerRecv(OpContext& op) {
  const int64_t arrays = op.result_count() - 1;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < arrays; ++i) shapes.push_back(op.OutShape(i));
  const Shape data = arrays == 1 ? shapes[0] : Shape::Tuple(shapes);
  const AttributeList attributes = TransferAttributes(op);
  Instruction* const recv =
      op.Make(Opcode::kRecv, Shape::Tuple({data, Shape::Scalar(ElementType::kU32), Shape::Token()}),
              {op.In(0)}, attributes);
  Instruction* const done =
      op.Make(Opcode::kRecvDone, Shape::Tuple({data, Shape::Token()}), {recv}, attributes);
  AddPairs(op, recv);
  AddPairs(op, done);
  Instruction* const received = op.Element(done, 0);
  if (arrays == 1) op.ReturnAt(0, received);
  for (int64_t i = 0; arrays != 1 && i < arrays; ++i) op.ReturnAt(i, op.Element(received, i));
  op.ReturnAt(arrays, op.Element(done, 1));
}

constexpr Handler kHost[] = {
    {"infeed", 1, 1, 0, LowerInfeed},
    {"outfeed", 1, 1, 0, LowerOutfeed},
    {"send", 1, 1, 0, LowerSend},
    {"recv", 1, 1, 0, LowerRecv},
};

}  // namespace

absl::Span<const Handler> HostHandlers() { return kHost; }

}  // namespace assay::stablehlo
