// From the text of a profile to its content: text protobuf, checked name by name against the
// tables of operations, types and freedoms, on top of the profiles that it extends.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/profiles/profile.pb.h"
#include "conformance/profiles/profile_content.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "spec/files/file_io.h"
#include "spec/ir/attributes.h"
#include "spec/nearest_name.h"
#include "spec/ops/dot_algorithms.h"

namespace assay::conformance {

namespace pb = ::google::protobuf;

namespace {

constexpr int64_t kMaxProfileBytes = 1 << 20;
constexpr size_t kMaxExtended = 8;  // one after the other

// Where a message of the text stands, for complaints about what is in it.
struct Place {
  const std::string& file;
  const pb::TextFormat::ParseInfoTree* tree;
  const pb::Descriptor* descriptor;

  absl::Status Refuse(absl::string_view field, int index, absl::string_view why) const {
    const pb::FieldDescriptor* found = descriptor->FindFieldByName(std::string(field));
    const bool repeated = found->is_repeated();
    const auto location = tree == nullptr ? pb::TextFormat::ParseLocation()
                                          : tree->GetLocation(found, repeated ? index : -1);
    return absl::InvalidArgumentError(
        absl::StrCat(file, ":", location.line + 1, ":", location.column + 1, ": ", why));
  }
  Place Nested(absl::string_view field, int index) const {
    const pb::FieldDescriptor* found = descriptor->FindFieldByName(std::string(field));
    return {file,
            tree == nullptr ? nullptr
                            : tree->GetTreeForNested(found, found->is_repeated() ? index : -1),
            found->message_type()};
  }
};

class FirstError : public pb::io::ErrorCollector {
 public:
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  void AddWarning(int, pb::io::ColumnNumber, const std::string&) override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// "narrow" stands for every float type of 8 bits and fewer.
std::vector<ElementType> TypesNamed(absl::string_view name) {
  std::vector<ElementType> types;
  if (name == "narrow") {
    for (const ElementType type : kArrayTypes) {
      if (IsFloat(type) && Info(type).bits <= 8) types.push_back(type);
    }
  } else if (const auto type = ElementTypeFromName(name)) {
    types.push_back(*type);
  }
  return types;
}

absl::StatusOr<std::vector<ElementType>> ReadTypes(const pb::RepeatedPtrField<std::string>& names,
                                                   const Place& place) {
  std::vector<ElementType> types;
  for (int i = 0; i < names.size(); ++i) {
    const std::vector<ElementType> named = TypesNamed(names[i]);
    if (named.empty()) {
      return place.Refuse("type", i, absl::StrCat("there is no element type \"", names[i], "\""));
    }
    types.insert(types.end(), named.begin(), named.end());
  }
  return types;
}

absl::StatusOr<std::vector<Opcode>> ReadOps(const pb::RepeatedPtrField<std::string>& names,
                                            const Place& place) {
  std::vector<Opcode> ops;
  for (int i = 0; i < names.size(); ++i) {
    const std::optional<Opcode> opcode = OpcodeFromName(names[i]);
    if (!opcode) {
      return place.Refuse("op", i,
                          absl::StrCat("there is no operation \"", names[i], "\"",
                                       DidYouMean(NearestOpcodeName(names[i]))));
    }
    ops.push_back(*opcode);
  }
  return ops;
}

std::optional<DecisionPoint> PointNamed(absl::string_view name) {
  for (int i = 0; i < kDecisionPoints; ++i) {
    const DecisionPoint point = static_cast<DecisionPoint>(i);
    if (DecisionPointName(point) == name) return point;
  }
  return std::nullopt;
}

}  // namespace

class ProfileReader {
 public:
  using Content = TargetProfile::Content;

  // `open`: the profiles on the way to this one.
  static absl::StatusOr<TargetProfile> Find(const std::string& name,
                                            std::vector<std::string> open) {
    if (std::find(open.begin(), open.end(), name) != open.end() || open.size() > kMaxExtended) {
      return absl::InvalidArgumentError(absl::StrCat(
          "profiles extend one another without end: ", absl::StrJoin(open, " extends "),
          " extends ", name));
    }
    open.push_back(name);
    if (TargetProfile::IsFile(name)) {
      absl::StatusOr<std::string> text = ReadFile(name, kMaxProfileBytes);
      if (!text.ok()) return text.status();
      return Read(*text, name, name, std::move(open));
    }
    for (const ProfileFile& file : ProfileFiles()) {
      if (file.name == name) {
        return Read(file.text, absl::StrCat(name, ".textproto"), name, std::move(open));
      }
    }
    return absl::NotFoundError(absl::StrCat(
        "there is no profile \"", name, "\"",
        DidYouMean(NearestName(name, TargetProfile::BuiltIn())), "; there are ",
        absl::StrJoin(TargetProfile::BuiltIn(), ", "), ", and files (FILE.textproto)"));
  }

  static absl::StatusOr<TargetProfile> Read(absl::string_view text, std::string where,
                                            std::string name, std::vector<std::string> open) {
    ProfileReader reader(std::move(where), std::move(open));
    reader.content_->name = std::move(name);
    if (absl::Status status = reader.Run(text); !status.ok()) return status;
    return TargetProfile(std::move(reader.content_));
  }

 private:
  ProfileReader(std::string where, std::vector<std::string> open)
      : where_(std::move(where)), open_(std::move(open)) {}

  absl::Status Run(absl::string_view text) {
    if (static_cast<int64_t>(text.size()) > kMaxProfileBytes) {
      return absl::InvalidArgumentError(absl::StrCat(where_, ": over 1 MiB is not a profile"));
    }
    pb::TextFormat::Parser parser;
    FirstError error;
    pb::TextFormat::ParseInfoTree tree;
    parser.RecordErrorsTo(&error);
    parser.WriteLocationsTo(&tree);
    parser.SetRecursionLimit(8);
    ProfileText proto;
    pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
    if (!parser.Parse(&stream, &proto)) {
      return absl::InvalidArgumentError(absl::StrCat(where_, ":", error.text()));
    }
    const Place root{where_, &tree, ProfileText::descriptor()};
    content_->description = proto.description();
    for (const auto step : {&ProfileReader::Extend, &ProfileReader::ReadBudgets,
                            &ProfileReader::ReadFreedoms, &ProfileReader::ReadDecisions,
                            &ProfileReader::ReadDenormals, &ProfileReader::ReadAccumulations,
                            &ProfileReader::ReadDots, &ProfileReader::ReadUnsupported}) {
      if (absl::Status status = (this->*step)(proto, root); !status.ok()) return status;
    }
    ReadRest(proto);
    KeepRows(proto);
    return absl::OkStatus();
  }

  // Everything but what is granted and admitted, of which only the last word counts, is said again
  // in the order in which it was said.
  void KeepRows(const ProfileText& proto) {
    rows_->MergeFrom(proto);
    rows_->set_description(proto.description());
    for (auto* names : {rows_->mutable_extends(), rows_->mutable_grant(), rows_->mutable_revoke(),
                        rows_->mutable_admit(), rows_->mutable_refuse()}) {
      names->Clear();
    }
    rows_->clear_deviation();
    for (int k = 0; k < kFreedoms; ++k) {
      const std::string name(FreedomName(static_cast<Freedom>(k)));
      if (content_->entries.count(FreedomKey(name)) == 0) continue;
      *(content_->grants[k] ? rows_->add_grant() : rows_->add_revoke()) = name;
    }
    for (int k = 0; k < kDecisionPoints; ++k) {
      const std::string name(DecisionPointName(static_cast<DecisionPoint>(k)));
      if (content_->entries.count(DecisionKey(name)) == 0) continue;
      if (!content_->deviations[k].empty()) {
        DeviationText* row = rows_->add_deviation();
        row->add_point(name);
        row->set_finding(content_->deviations[k]);
        continue;
      }
      *(content_->admits[k] ? rows_->add_admit() : rows_->add_refuse()) = name;
    }
    content_->rows = rows_;
  }

  static std::string FreedomKey(absl::string_view name) { return absl::StrCat("freedom ", name); }
  static std::string DecisionKey(absl::string_view name) { return absl::StrCat("decision ", name); }

  // All entries of the bases; of two the later one's. What a base does not say it leaves alone.
  absl::Status Extend(const ProfileText& proto, const Place& root) {
    for (int i = 0; i < proto.extends_size(); ++i) {
      absl::StatusOr<TargetProfile> base = Find(proto.extends(i), open_);
      if (!base.ok()) return root.Refuse("extends", i, base.status().message());
      const Content& from = *base->content_;
      Content& to = *content_;
      for (const auto& each : from.budgets) to.budgets[each.first] = each.second;
      for (int k = 0; k < kFreedoms; ++k) {
        const std::string key = FreedomKey(FreedomName(static_cast<Freedom>(k)));
        if (from.entries.count(key) > 0) to.grants[k] = from.grants[k];
      }
      for (int k = 0; k < kDecisionPoints; ++k) {
        const std::string key = DecisionKey(DecisionPointName(static_cast<DecisionPoint>(k)));
        if (from.entries.count(key) == 0) continue;
        to.admits[k] = from.admits[k];
        to.deviations[k] = from.deviations[k];
      }
      for (const auto& each : from.flushes) to.flushes[each.first] = each.second;
      for (const auto& each : from.accumulations) to.accumulations[each.first] = each.second;
      for (const auto& each : from.dots) to.dots[each.first] = each.second;
      if (from.entries.count("linear_algebra") > 0) {
        to.linear_algebra = from.linear_algebra;
        rows_->clear_linear_algebra();
      }
      rows_->MergeFrom(*from.rows);
      if (from.entries.count("module_checks") > 0) to.module_checks = from.module_checks;
      to.unsupported.insert(to.unsupported.end(), from.unsupported.begin(), from.unsupported.end());
      for (const auto& each : from.entries) to.inherited[each.first] = each.second;
    }
    content_->entries = content_->inherited;
    return absl::OkStatus();
  }

  absl::Status ReadBudgets(const ProfileText& proto, const Place& root) {
    for (int i = 0; i < proto.budget_size(); ++i) {
      if (absl::Status status = ReadBudget(proto.budget(i), root.Nested("budget", i));
          !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadBudget(const BudgetText& row, const Place& place) {
    absl::StatusOr<std::vector<Opcode>> ops = ReadOps(row.op(), place);
    if (!ops.ok()) return ops.status();
    absl::StatusOr<std::vector<ElementType>> types = ReadTypes(row.type(), place);
    if (!types.ok()) return types.status();
    // By field: what it gives the types of that kind.
    std::vector<std::pair<ElementType, double>> given;
    const auto give = [&](bool has, double value, absl::string_view field,
                          std::vector<ElementType> to) -> absl::Status {
      if (!has) return absl::OkStatus();
      if (!(value >= 0 && value <= 1e300)) {
        return place.Refuse(field, 0, absl::StrCat(field, " is not a budget: ", value));
      }
      for (const ElementType type : to) given.push_back({type, value});
      return absl::OkStatus();
    };
    const bool narrow = row.has_narrow() || row.has_f16();
    const absl::Status statuses[] = {
        give(row.has_f64(), row.f64(), "f64", {ElementType::kF64}),
        give(row.has_f32(), row.f32(), "f32", {ElementType::kF32}),
        give(row.has_f16(), row.f16(), "f16", {ElementType::kF16}),
        give(row.has_bf16(), row.bf16(), "bf16", {ElementType::kBF16}),
        give(narrow, row.has_narrow() ? row.narrow() : row.f16(),
             row.has_narrow() ? "narrow" : "f16", TypesNamed("narrow")),
        give(row.has_complex(), row.complex(), "complex", {ElementType::kC64, ElementType::kC128}),
        give(row.has_ulps(), row.ulps(), "ulps", *types)};
    for (const absl::Status& status : statuses) {
      if (!status.ok()) return status;
    }
    if (!(row.absolute() >= 0 && row.absolute() <= 1e300)) {
      return place.Refuse("absolute", 0, "absolute is not a distance");
    }
    for (const Opcode op : *ops) {
      for (const auto& each : given) SetBudget(op, each.first, each.second, row.absolute());
    }
    return absl::OkStatus();
  }

  void SetBudget(Opcode op, ElementType type, double ulps, double absolute) {
    UlpBudget& budget = content_->budgets[{op, type}];
    // Half an ulp is the correctly rounded value; of narrow types it is that of the wider one.
    const bool narrow = IsFloat(type) && Info(type).bits <= 8;
    budget.ulps = ulps <= 0.5 && !narrow ? 0 : ulps;
    budget.absolute = absolute;
    Note(absl::StrCat("budget ", Name(op), " ", Name(type)),
         absolute == 0 ? absl::StrCat(ulps) : absl::StrCat(ulps, " + ", absolute));
  }

  absl::Status ReadFreedoms(const ProfileText& proto, const Place& root) {
    for (const bool grant : {true, false}) {
      const auto& names = grant ? proto.grant() : proto.revoke();
      for (int i = 0; i < names.size(); ++i) {
        const std::optional<Freedom> freedom = FreedomFromName(names[i]);
        if (!freedom) {
          return root.Refuse(grant ? "grant" : "revoke", i,
                             absl::StrCat("there is no freedom \"", names[i], "\""));
        }
        content_->grants[static_cast<int>(*freedom)] = grant;
        Note(FreedomKey(names[i]), grant ? "granted" : "revoked");
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadDecisions(const ProfileText& proto, const Place& root) {
    for (const bool admit : {true, false}) {
      const auto& names = admit ? proto.admit() : proto.refuse();
      for (int i = 0; i < names.size(); ++i) {
        const std::optional<DecisionPoint> point = PointNamed(names[i]);
        if (!point) {
          return root.Refuse(admit ? "admit" : "refuse", i,
                             absl::StrCat("there is no decision point \"", names[i], "\""));
        }
        content_->admits[static_cast<int>(*point)] = admit;
        content_->deviations[static_cast<int>(*point)].clear();
        Note(DecisionKey(names[i]), admit ? "admitted" : "refused");
      }
    }
    for (int i = 0; i < proto.deviation_size(); ++i) {
      const DeviationText& row = proto.deviation(i);
      const Place place = root.Nested("deviation", i);
      if (row.point().empty() || row.finding().empty()) {
        return root.Refuse("deviation", i, "a known deviation needs decision points and a finding");
      }
      for (int k = 0; k < row.point_size(); ++k) {
        const std::optional<DecisionPoint> point = PointNamed(row.point(k));
        if (!point) {
          return place.Refuse("point", k,
                              absl::StrCat("there is no decision point \"", row.point(k), "\""));
        }
        content_->admits[static_cast<int>(*point)] = false;
        content_->deviations[static_cast<int>(*point)] = row.finding();
        Note(DecisionKey(row.point(k)), absl::StrCat("known deviation, ", row.finding()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadDenormals(const ProfileText& proto, const Place& root) {
    for (int i = 0; i < proto.denormals_size(); ++i) {
      const DenormalsText& row = proto.denormals(i);
      absl::StatusOr<std::vector<ElementType>> types =
          ReadTypes(row.type(), root.Nested("denormals", i));
      if (!types.ok()) return types.status();
      const bool both = row.mode() == DenormalsText::FTZ_AND_DAZ;
      for (const ElementType type : *types) {
        content_->flushes[type] = {both || row.mode() == DenormalsText::DAZ_IN,
                                   both || row.mode() == DenormalsText::FTZ_OUT};
        Note(absl::StrCat("denormals ", Name(type)), DenormalsText::Mode_Name(row.mode()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadAccumulations(const ProfileText& proto, const Place& root) {
    for (int i = 0; i < proto.accumulation_size(); ++i) {
      const AccumulationText& row = proto.accumulation(i);
      const Place place = root.Nested("accumulation", i);
      absl::StatusOr<std::vector<ElementType>> types = ReadTypes(row.type(), place);
      if (!types.ok()) return types.status();
      const std::optional<ElementType> wide = ElementTypeFromName(row.accumulator());
      if (!wide || !IsFloat(*wide)) {
        return place.Refuse("accumulator", 0,
                            absl::StrCat("there is no float type \"", row.accumulator(), "\""));
      }
      if (row.bits() < 0 || row.bits() > 64) {
        return place.Refuse("bits", 0, "an accumulator has from 1 to 64 bits");
      }
      if (!(row.factor() >= 0 && row.factor() <= 1e6)) {
        return place.Refuse("factor", 0, "the factor is between 0 and 1e6");
      }
      Accumulation how;
      how.accumulator = *wide;
      how.factor = row.factor() == 0 ? 1 : row.factor();
      how.unit = std::ldexp(1.0, -(row.bits() == 0 ? Info(*wide).format->precision() : row.bits()));
      how.truncating = row.truncating();
      how.partials = row.partials();
      const bool contraction = row.use() == AccumulationText::CONTRACTIONS;
      for (const ElementType type : *types) {
        content_->accumulations[{type, contraction}] = how;
        Note(
            absl::StrCat("accumulation ", Name(type), contraction ? " in contractions" : ""),
            absl::StrCat(row.accumulator(), ", K = ", how.factor, " n, u = 2^", std::log2(how.unit),
                         how.truncating ? ", truncating" : "", how.partials ? ", partials" : ""));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadDots(const ProfileText& proto, const Place& root) {
    for (int i = 0; i < proto.dot_size(); ++i) {
      const DotText& row = proto.dot(i);
      const Place place = root.Nested("dot", i);
      const std::optional<int64_t> precision = EnumFromWord(PrecisionWords(), row.precision());
      if (!precision) {
        return place.Refuse("precision", 0,
                            absl::StrCat("there is no precision \"", row.precision(), "\""));
      }
      const std::optional<int64_t> algorithm =
          EnumFromWord(WordsOf(AttrKind::kDotAlgorithm), row.algorithm());
      if (!algorithm) {
        return place.Refuse("algorithm", 0,
                            absl::StrCat("there is no algorithm \"", row.algorithm(), "\""));
      }
      content_->dots[static_cast<Precision>(*precision)] = *algorithm;
      Note(absl::StrCat("dot ", row.precision()), row.algorithm());
    }
    return absl::OkStatus();
  }

  absl::Status ReadUnsupported(const ProfileText& proto, const Place& root) {
    for (int i = 0; i < proto.unsupported_size(); ++i) {
      const UnsupportedText& row = proto.unsupported(i);
      const Place place = root.Nested("unsupported", i);
      absl::StatusOr<std::vector<Opcode>> ops = ReadOps(row.op(), place);
      if (!ops.ok()) return ops.status();
      absl::StatusOr<std::vector<ElementType>> types = ReadTypes(row.type(), place);
      if (!types.ok()) return types.status();
      if (row.reason().empty() || (ops->empty() && types->empty())) {
        return root.Refuse("unsupported", i,
                           "what is not supported needs a reason, and operations or types");
      }
      Note(absl::StrCat("unsupported ", absl::StrJoin(row.op(), " "), " ",
                        absl::StrJoin(row.type(), " ")),
           row.reason());
      content_->unsupported.push_back({*std::move(ops), *std::move(types), row.reason()});
    }
    return absl::OkStatus();
  }

  void ReadRest(const ProfileText& proto) {
    if (proto.has_linear_algebra()) {
      const LinearAlgebraText& row = proto.linear_algebra();
      LinearAlgebra& to = content_->linear_algebra;
      if (row.has_inverted_blocks()) to.inverted_blocks = row.inverted_blocks();
      if (row.has_one_pass_variance()) to.one_pass_variance = row.one_pass_variance();
      if (row.has_fft_by_convolution()) to.fft_by_convolution = row.fft_by_convolution();
      Note("linear_algebra",
           absl::StrCat(
               to.inverted_blocks ? "inverted blocks" : "substitution",
               to.one_pass_variance ? ", either form of the variance" : ", two-pass variance",
               to.fft_by_convolution ? ", transforms by convolution" : ""));
    }
    if (proto.module_checks() != ProfileText::UNDECLARED) {
      content_->module_checks =
          static_cast<ModuleChecks>(proto.module_checks() - ProfileText::NONE);
      Note("module_checks", ProfileText::ModuleChecks_Name(proto.module_checks()));
    }
  }

  void Note(const std::string& key, std::string value) {
    content_->entries[key] = std::move(value);
  }

  const std::string where_;
  const std::vector<std::string> open_;
  std::shared_ptr<Content> content_ = std::make_shared<Content>();
  std::shared_ptr<ProfileText> rows_ = std::make_shared<ProfileText>();
};

absl::StatusOr<TargetProfile> TargetProfile::Find(const std::string& name_or_path) {
  return ProfileReader::Find(name_or_path, {});
}

bool TargetProfile::IsFile(absl::string_view name_or_path) {
  return absl::StrContains(name_or_path, '/') || absl::EndsWith(name_or_path, ".textproto");
}

std::string TargetProfile::Text() const {
  std::string text;
  pb::TextFormat::PrintToString(*content_->rows, &text);
  return text;
}

absl::StatusOr<TargetProfile> TargetProfile::FromText(absl::string_view text,
                                                      absl::string_view where) {
  return ProfileReader::Read(text, std::string(where), std::string(where), {});
}

std::vector<std::string> TargetProfile::BuiltIn() {
  std::vector<std::string> names;
  for (const ProfileFile& file : ProfileFiles()) {
    if (!absl::StartsWith(file.name, "level-")) names.emplace_back(file.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace assay::conformance
