// The attributes of an instruction in their order (hlo_text_format.md 9.2). Tests: printer_test.cc.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "spec/text/printer_body.h"
#include "spec/text/printer_values.h"

namespace assay::printing {
namespace {

// Bodies inside bodies beyond this depth are replaced by names: writing them recurses.
constexpr int kMaxInlined = 100;

bool IsComputation(AttrKind kind) {
  return kind == AttrKind::kComputation || kind == AttrKind::kComputations;
}

int64_t DefaultComparison(const assay::Instruction& instruction) {
  if (instruction.operand_count() == 0) return -1;
  switch (Info(instruction.operand(0)->shape().element_type()).element_class) {
    case ElementClass::kSigned:
      return static_cast<int64_t>(ComparisonType::kSigned);
    case ElementClass::kUnsigned:
    case ElementClass::kPred:
      return static_cast<int64_t>(ComparisonType::kUnsigned);
    default:
      return static_cast<int64_t>(ComparisonType::kFloat);
  }
}

// XLA names the body of these `calls` where it writes it out.
absl::string_view KeyOfBody(Opcode opcode, Attr attr) {
  const bool calls = opcode == Opcode::kReduceScatter || opcode == Opcode::kScan;
  return Info(calls ? Attr::kCalls : attr).name;
}

// Whether a value that is there is the one that absence means.
bool IsImplied(const assay::Instruction& instruction, Attr attr, const AttributeValue& value) {
  if (attr == Attr::kComparisonType) {
    const auto* type = std::get_if<int64_t>(&value);
    return type != nullptr && *type == DefaultComparison(instruction);
  }
  if (attr == Attr::kAsyncExecutionThread) {
    const auto* thread = std::get_if<std::string>(&value);
    return thread != nullptr && (thread->empty() || *thread == "main");
  }
  return false;
}

// Deeper than this JSON is left alone: writing it recurses.
constexpr int kMaxJsonDepth = 500;

std::string SortedJson(const std::string& config) {
  if (std::count_if(config.begin(), config.end(), [](char c) { return c == '{' || c == '['; }) >
      kMaxJsonDepth) {
    return config;
  }
  // nlohmann's objects are sorted by key.
  const auto json = nlohmann::json::parse(config, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? config : json.dump();
}

bool IsPrinted(const Metadata& metadata) {
  return !metadata.op_type.empty() || !metadata.op_name.empty() || !metadata.source_file.empty() ||
         !metadata.rare().scheduling_name.empty() || metadata.stack_frame_id != 0 ||
         !metadata.rare().payload.empty();
}

}  // namespace

void BodyPrinter::Key(absl::string_view name) {
  out_->append(", ");
  out_->append(name.data(), name.size());
  out_->push_back('=');
}

void BodyPrinter::OwnAttributes(const assay::Instruction& instruction, int indent) {
  for (const AttributeUse& use : instruction.info().attributes) {
    OwnAttribute(instruction, use, indent);
  }
}

void BodyPrinter::OwnAttribute(const assay::Instruction& instruction, const AttributeUse& use,
                               int indent) {
  // result_accuracy stands among the common attributes.
  if (use.print == AttributeUse::Print::kNever || use.attr == Attr::kResultAccuracy) return;
  const AttributeValue* value = instruction.attributes().Find(use.attr);
  const AttrInfo& info = Info(use.attr);
  if (IsComputation(info.kind)) {
    if (value != nullptr) Callees(instruction, use, *value, indent);
    return;
  }
  // is_composite belongs to the callee that it stands behind.
  if (use.attr == Attr::kIsComposite) {
    if (options_.subcomputations == PrintOptions::Subcomputations::kOff) return;
  } else if (!options_.extra_attributes) {
    return;
  }
  if (instruction.opcode() == Opcode::kMap) {
    // Its only attribute. Whatever was read: a map works on all dimensions.
    std::vector<int64_t> all(instruction.shape().rank());
    std::iota(all.begin(), all.end(), 0);
    Key(info.name);
    AppendIntList(all, out_);
  } else if (value != nullptr) {
    if (IsImplied(instruction, use.attr, *value)) return;
    Key(info.name);
    Value(use, *value);
  } else if (use.print == AttributeUse::Print::kAlways && use.has_default) {
    Key(info.name);
    DefaultValue(instruction, use);
  }
}

void BodyPrinter::SugaredStart(const assay::Instruction& start, const assay::Instruction& wrapped,
                               int indent) {
  const auto own = [&](Attr attr) {
    OwnAttribute(start, *start.info().FindAttribute(attr), indent);
  };
  own(Attr::kAsyncExecutionThread);
  OwnAttributes(wrapped, indent);
  own(Attr::kOutputToOperandAliasing);
  // Together with the sugar nobody reads this back; canonical texts of XLA have it.
  if (WantsBodies(start)) own(Attr::kCalls);
}

void BodyPrinter::Value(const AttributeUse& use, const AttributeValue& value) {
  const AttrKind kind = Info(use.attr).kind;
  if (kind == AttrKind::kSingleInt) {
    const int64_t number = std::get<int64_t>(value);
    return AppendIntList({&number, 1}, out_);
  }
  if (kind == AttrKind::kPrecisions) {
    return AppendPrecisions(std::get<std::vector<int64_t>>(value), out_);
  }
  if (IsEnum(kind)) {
    const auto& words = WordsOf(kind).words;
    const int64_t number = std::get<int64_t>(value);
    if (number >= 0 && number < static_cast<int64_t>(words.size())) {
      out_->append(words[number].data(), words[number].size());
    }
    return;
  }
  struct Visitor {
    const PrintOptions& options;
    BodyPrinter& printer;
    std::string* out;
    void operator()(bool v) { AppendBool(v, out); }
    void operator()(int64_t v) { AppendInt(v, out); }
    void operator()(double v) { AppendNumber(v, options.exact, out); }
    void operator()(const std::string& v) { AppendQuoted(v, out); }
    void operator()(const std::vector<int64_t>& v) { AppendIntList(v, out); }
    void operator()(const std::vector<std::vector<int64_t>>& v) { AppendIntLists(v, out); }
    void operator()(const Slices& v) { AppendSlices(v, out); }
    void operator()(const Window& v) { AppendWindow(v, out); }
    void operator()(const PaddingConfig& v) { AppendPadding(v, out); }
    void operator()(const Boxed<ConvolutionDimensions>& v) { AppendDimLabels(*v, out); }
    void operator()(const Boxed<ReplicaGroups>& v) {
      AppendReplicaGroups(*v, options.full_replica_group_list, out);
    }
    void operator()(const ResultAccuracy& v) { AppendResultAccuracy(v, options.exact, out); }
    void operator()(const Boxed<SparsityConfig>& v) { AppendSparsity(*v, out); }
    void operator()(const OutputOperandAliases& v) { AppendAliases(v, out); }
    void operator()(const std::shared_ptr<const DomainSharding>& v) {
      out->append("{kind=\"sharding\", entry=");
      AppendSharding(v->entry, /*with_metadata=*/options.metadata, out);
      out->append(", exit=");
      AppendSharding(v->exit, /*with_metadata=*/options.metadata, out);
      out->push_back('}');
    }
    void operator()(const Boxed<assay::Shape>& v) { printer.Shape(*v, options.layouts); }
    void operator()(const std::vector<assay::Shape>& v) {
      out->push_back('{');
      AppendJoined(v, ", ", out, [&](const assay::Shape& s) { printer.Shape(s, true); });
      out->push_back('}');
    }
    void operator()(const std::shared_ptr<const Literal>& v) { AppendTypedLiteral(*v, out); }
    void operator()(assay::Computation*) {}
    void operator()(const std::vector<assay::Computation*>&) {}
  };
  std::visit(Visitor{options_, *this, out_}, value);
}

void BodyPrinter::DefaultValue(const assay::Instruction& instruction, const AttributeUse& use) {
  if (use.attr == Attr::kOutfeedShape) {
    return Shape(instruction.operand(0)->shape(), options_.layouts);
  }
  switch (Info(use.attr).kind) {
    case AttrKind::kBool:
      return AppendBool(use.default_value != 0, out_);
    case AttrKind::kInt:
    case AttrKind::kInt32:
      return AppendInt(use.default_value, out_);
    default:
      out_->append("{}");
  }
}

bool BodyPrinter::WantsBodies(const assay::Instruction& instruction) const {
  using Mode = PrintOptions::Subcomputations;
  if (inlined_ >= kMaxInlined) return false;
  if (static_cast<int64_t>(out_->size()) > options_.max_inlined_bytes) return false;
  if (options_.subcomputations == Mode::kFullBodies) return true;
  const Opcode opcode = instruction.opcode();
  return options_.subcomputations == Mode::kNonSequentialBodies && opcode != Opcode::kWhile &&
         opcode != Opcode::kCall && opcode != Opcode::kConditional;
}

void BodyPrinter::Callees(const assay::Instruction& instruction, const AttributeUse& use,
                          const AttributeValue& value, int indent) {
  if (options_.subcomputations == PrintOptions::Subcomputations::kOff) return;
  const bool bodies = WantsBodies(instruction);
  const auto callee = [&](const assay::Computation* computation) {
    if (!bodies) return Name(computation->name());
    ++inlined_;
    out_->append(2 * indent, ' ');
    Body(*computation, indent);
    --inlined_;
  };
  Key(bodies ? KeyOfBody(instruction.opcode(), use.attr) : Info(use.attr).name);
  if (const auto* single = std::get_if<assay::Computation*>(&value)) {
    if (bodies) out_->push_back('\n');
    return callee(*single);
  }
  out_->append(bodies ? "{\n" : "{");
  AppendJoined(std::get<std::vector<assay::Computation*>>(value), bodies ? ",\n" : ", ", out_,
               callee);
  out_->append(bodies ? "\n}" : "}");
}

void BodyPrinter::CommonAttributes(const assay::Instruction& instruction,
                                   const assay::Instruction* wrapped) {
  const Annotations& notes = instruction.annotations();
  if (notes.parameter_replication && instruction.opcode() == Opcode::kParameter &&
      options_.extra_attributes) {
    Key("parameter_replication");
    out_->push_back('{');
    AppendJoined(*notes.parameter_replication, ",", out_,
                 [this](bool replicated) { AppendBool(replicated, out_); });
    out_->push_back('}');
  }
  if (notes.sharding) {
    Key("sharding");
    AppendSharding(*notes.sharding, options_.metadata, out_);
  }
  if (options_.frontend_attributes && !notes.frontend_attributes.empty()) {
    Key("frontend_attributes");
    AppendFrontendAttributes(notes.frontend_attributes, out_);
  }
  if (options_.control_dependencies && !instruction.control_predecessors().empty()) {
    Key("control-predecessors");
    out_->push_back('{');
    AppendJoined(instruction.control_predecessors(), ", ", out_,
                 [this](const assay::Instruction* other) { Name(other->name()); });
    out_->push_back('}');
  }
  if (notes.statistics && (options_.exact || !notes.statistics->values.empty())) {
    Key("statistics");
    AppendStatistics(*notes.statistics, options_.exact, out_);
  }
  const assay::Instruction& accurate =
      wrapped != nullptr && instruction.opcode() == Opcode::kAsyncStart ? *wrapped : instruction;
  if (const auto* accuracy = accurate.attributes().Get<ResultAccuracy>(Attr::kResultAccuracy)) {
    Key("result_accuracy");
    AppendResultAccuracy(*accuracy, options_.exact, out_);
  }
  if (options_.original_value && notes.origin) {
    Key("origin");
    AppendOrigin(*notes.origin, out_);
  }
  if (options_.metadata && notes.metadata) MetadataAttribute(*notes.metadata);
  if (options_.backend_config && !notes.backend_config.empty()) {
    BackendConfig(notes.backend_config);
  }
}

void BodyPrinter::MetadataAttribute(const Metadata& metadata) {
  if (options_.metadata_only_op_name) {
    if (metadata.op_name.empty()) return;
    Key("metadata");
    Metadata name_only;
    name_only.op_name = metadata.op_name;
    return AppendMetadata(name_only, out_);
  }
  if (!options_.exact && !IsPrinted(metadata)) return;
  Key("metadata");
  AppendMetadata(metadata, out_);
}

void BodyPrinter::BackendConfig(const std::string& config) {
  Key("backend_config");
  AppendRawOrQuoted(options_.sort_backend_config ? SortedJson(config) : config, out_);
}

}  // namespace assay::printing
