#include "spec/stablehlo/vhlo_table.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace assay::stablehlo {
namespace {

const Field* FieldNamed(absl::Span<const Field> fields, absl::string_view name) {
  for (const Field& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

// "name", "name@attribute", "name@attribute.field" or "name@". The test holds every row to the
// other table.
VhloAttribute MakeVhloAttribute(const DialectOp& row, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> halves = absl::StrSplit(text, '@');
  VhloAttribute attribute;
  attribute.name = std::string(halves.first);
  if (text.find('@') == absl::string_view::npos) {
    attribute.target = FieldNamed(row.attributes, halves.first);
    return attribute;
  }
  if (halves.second.empty()) return attribute;
  const std::pair<absl::string_view, absl::string_view> path = absl::StrSplit(halves.second, '.');
  attribute.target = FieldNamed(row.attributes, path.first);
  const RecordRow* record = FindRecord(attribute.target->type_name);
  attribute.part = FieldNamed(record->fields, path.second.empty() ? halves.first : path.second);
  return attribute;
}

struct VhloTables {
  std::vector<VhloOp> ops;
  absl::flat_hash_map<absl::string_view, const VhloOp*> by_name;
  absl::flat_hash_map<absl::string_view, std::vector<const VhloOp*>> by_stablehlo_name;

  VhloTables();
  void Add(absl::string_view name, absl::string_view stablehlo_name, Version first, Version last,
           absl::string_view attributes);
};

void VhloTables::Add(absl::string_view name, absl::string_view stablehlo_name, Version first,
                     Version last, absl::string_view attributes) {
  VhloOp op;
  op.name = absl::StrCat("vhlo.", name);
  op.row = FindDialectOp(stablehlo_name);
  op.first = first;
  op.last = last;
  for (absl::string_view text : absl::StrSplit(attributes, ' ', absl::SkipEmpty())) {
    op.attributes.push_back(MakeVhloAttribute(*op.row, text));
  }
  std::sort(op.attributes.begin(), op.attributes.end(),
            [](const VhloAttribute& a, const VhloAttribute& b) { return a.name < b.name; });
  ops.push_back(std::move(op));
}

VhloTables::VhloTables() {
  const auto First = [](int major, int minor) { return Version{major, minor, 0}; };
  // A last version of two numbers includes all its patches.
  const auto Last = [](int major, int minor) { return Version{major, minor, INT32_MAX}; };
#define kNow (kNewestVersion.major, kNewestVersion.minor)
#define VHLO_OP(name, stablehlo_name, first, last, attributes) \
  Add(name, stablehlo_name, First first, Last last, attributes);
#include "spec/stablehlo/vhlo_ops.def"
#undef VHLO_OP
#undef kNow
  for (const VhloOp& op : ops) {
    by_name[op.name] = &op;
    by_stablehlo_name[op.row->name].push_back(&op);
  }
}

const VhloTables& Tables() {
  static const auto* const tables = new VhloTables();
  return *tables;
}

}  // namespace

const VhloOp* FindVhloOp(absl::string_view name) {
  auto found = Tables().by_name.find(name);
  return found == Tables().by_name.end() ? nullptr : found->second;
}

const VhloOp* FindVhloOp(absl::string_view stablehlo_name, Version version) {
  auto found = Tables().by_stablehlo_name.find(stablehlo_name);
  if (found == Tables().by_stablehlo_name.end()) return nullptr;
  for (const VhloOp* op : found->second) {
    if (op->first <= version && version <= op->last) return op;
  }
  return nullptr;
}

absl::Span<const VhloOp> VhloOps() { return Tables().ops; }

}  // namespace assay::stablehlo
