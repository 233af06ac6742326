#include "conformance/corpus/elementwise_templates.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/elementwise_info.h"

namespace assay::conformance {
namespace {

using Names = std::vector<std::string>;

struct ArgumentRange {
  Opcode opcode;
  const char *types, *form, *first, *second;
};
constexpr ArgumentRange kArgumentRanges[] = {
#define ARGUMENT_RANGE(opcode, types, form, first, second) \
  {Opcode::opcode, types, form, first, second},
#include "conformance/corpus/argument_ranges.def"
#undef ARGUMENT_RANGE
};

// What stands behind the operands of operations that are not just called by name; every variant is
// a choice of the template.
Names AttributeVariants(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCompare:
      return {", direction=EQ", ", direction=NE", ", direction=LT",
              ", direction=LE", ", direction=GT", ", direction=GE"};
    case Opcode::kReducePrecision:
      return {", exponent_bits=5, mantissa_bits=10", ", exponent_bits=8, mantissa_bits=7",
              ", exponent_bits=4, mantissa_bits=3", ", exponent_bits=3, mantissa_bits=0"};
    default:
      return {""};
  }
}

// Types of the result, where it is not inferred; $T is that of the operand.
Names ResultTypes(Opcode opcode) {
  if (opcode == Opcode::kReducePrecision) return {"$T"};
  if (opcode == Opcode::kStochasticConvert) return {"s8", "s16", "s32", "s64"};
  // Those that any implementation computes in: each pair of types is code of its own.
  if (opcode == Opcode::kConvert) {
    return {"pred",       "s2",       "s4",         "s8",        "s16",      "s32",
            "s64",        "u2",       "u4",         "u8",        "u16",      "u32",
            "u64",        "f4e2m1fn", "f8e3m4",     "f8e4m3",    "f8e4m3fn", "f8e4m3b11fnuz",
            "f8e4m3fnuz", "f8e5m2",   "f8e5m2fnuz", "f8e8m0fnu", "f16",      "bf16",
            "f32",        "f64",      "c64"};
  }
  return {};
}

Names OperandTypes(const OpInfo& op) {
  if (op.opcode == Opcode::kSelect) return {"pred", "$T", "$T"};
  if (op.opcode == Opcode::kStochasticConvert) return {"$T", "$U"};
  return Names(static_cast<size_t>(op.arity), "$T");
}

// By what tools/peers/models confirms the values of integers, and those of floats.
struct Confirmation {
  const char* integers;
  const char* floats;
};

Confirmation ConfirmedBy(Opcode opcode) {
  if (FindElementwise(opcode)->role == ElementRole::kMoves) return {"index_model", "index_model"};
  if (Info(opcode).accuracy == Accuracy::kFunction) return {"rational", "mpfr"};
  return {"rational", "rational"};
}

class TemplateMaker {
 public:
  explicit TemplateMaker(const OpInfo& op) : op_(op), results_(ResultTypes(op.opcode)) {}

  std::vector<CaseTemplate> Make() {
    const bool varied = AttributeVariants(op_.opcode).size() > 1 || results_.size() > 1;
    const std::string room = op_.arity >= 2 ? "[$P]" : "[$K]";
    Add("special", {room}, {ValueProfile::kSpecial});
    AddExhaustive();
    AddLarge();
    if (op_.opcode == Opcode::kConvert) return std::move(templates_);
    AddLong();
    AddRanges();
    Add("shape", varied ? Names{"[9]"} : Names{"[]", "[0]", "[1]", "[7]", "[8]", "[9]", "[2,3]"},
        {ValueProfile::kBenign});
    if (op_.opcode == Opcode::kCompare) {
      Add("values", {"[65]"}, {ValueProfile::kIntegers});
    } else {
      Add("values", {"[65]"},
          {ValueProfile::kIntegers, ValueProfile::kFinite, ValueProfile::kSubnormal,
           ValueProfile::kOverflow, ValueProfile::kTies, ValueProfile::kPatterns});
    }
    return std::move(templates_);
  }

 private:
  void Add(const std::string& form, const Names& shapes, std::vector<ValueProfile> profiles) {
    CaseTemplate made;
    made.op = std::string(op_.name);
    made.form = form;
    made.where = "elementwise_templates.cc";
    made.confirmed = ConfirmedBy(op_.opcode).integers;
    made.confirmed_floats = ConfirmedBy(op_.opcode).floats;
    made.types.assign(std::begin(kArrayTypes), std::end(kArrayTypes));
    made.profiles = std::move(profiles);
    AddChoice("shape", shapes, &made);
    AddChoice("attributes", AttributeVariants(op_.opcode), &made);
    AddChoice("result", results_, &made);
    const Names types = OperandTypes(op_);
    Names names;
    made.module = "ENTRY e {\n";
    for (size_t i = 0; i < types.size(); ++i) {
      names.push_back(absl::StrCat("x", i));
      absl::StrAppend(&made.module, "  x", i, " = ", types[i], "$shape parameter(", i, ")\n");
    }
    absl::StrAppend(&made.module, "  ROOT r = ", results_.empty() ? "" : "$result$shape ", op_.name,
                    "(", absl::StrJoin(names, ", "), ")$attributes\n}\n");
    templates_.push_back(std::move(made));
  }

  // Every value of types of 16 bits, every pair of values of types of 8 bits and less. Of
  // conversions some types: those of all pairs would outweigh all else.
  void AddExhaustive() {
    if (op_.arity > 2 || op_.opcode == Opcode::kComplex) return;  // of f32 and f64 alone
    Add("exhaustive", {op_.arity == 2 ? "[$D]" : "[$E]"}, {ValueProfile::kAll});
    const int widest = op_.arity == 2 ? 8 : 16;
    const int narrowest = op_.opcode == Opcode::kConvert ? 16 : 1;
    std::vector<ElementType>& types = templates_.back().types;
    types.erase(std::remove_if(types.begin(), types.end(),
                               [&](ElementType type) {
                                 const int bits = Info(type).bits;
                                 return bits < narrowest || bits > widest;
                               }),
                types.end());
  }

  // More elements than a vector, an unrolled loop or a block of threads has, and a rest.
  void AddLong() {
    Add("long", {"[1031]"}, {ValueProfile::kBenign});
    templates_.back().types = {op_.types.is_float ? ElementType::kF32 : ElementType::kS32};
  }

  // More than a grid of blocks and than 16 bits count; of three to seven dimensions; and of binary
  // operations on floats, whose pairs are too many for all, thousands.
  void AddLarge() {
    const ElementType base = op_.types.is_float ? ElementType::kF32 : ElementType::kS32;
    const std::vector<ElementType> others = {base, ElementType::kBF16, ElementType::kF64,
                                             ElementType::kS8, ElementType::kU8};
    Add("longer", {"[4099]"}, {ValueProfile::kBenign});
    FirstVariant(others);
    AddWidths();
    Add("longest", {"[66047]"}, {ValueProfile::kBenign});
    FirstVariant({base});
    Add("rank", {"[2,3,1,4,3]", "[2,3,2,1,3,2]", "[2,3,1,2,3,2,2]"}, {ValueProfile::kBenign});
    FirstVariant({base, ElementType::kBF16, ElementType::kU8});
    Add("space", {"[2,3,4]", "[2,5,3,4]"}, {ValueProfile::kBenign});
    FirstVariant({base, ElementType::kBF16, ElementType::kF64, ElementType::kS32, ElementType::kU8,
                  ElementType::kPred});
    if (op_.arity == 1 && op_.types.is_float) AddDense();
    if (op_.arity != 2 || !op_.types.is_float || op_.opcode == Opcode::kComplex) return;
    if (op_.opcode == Opcode::kCompare) return;
    Add("dense", {"[4099]"}, {ValueProfile::kFinite, ValueProfile::kPatterns});
    FirstVariant({ElementType::kF16, ElementType::kBF16, ElementType::kF32, ElementType::kF64});
  }

  // Some hundred arguments in each binade from a thousandth to a thousand, and some in every binade
  // of the type, on either side of zero, between the narrow ranges of argument_ranges.def.
  void AddDense() {
    const auto is_own = [this](const ArgumentRange& row) { return row.opcode == op_.opcode; };
    if (absl::c_none_of(kArgumentRanges, is_own)) return;  // operations without branches
    for (const auto& [variant, range] :
         {std::make_pair("positive", "from=0.001 to=1000"),
          std::make_pair("negative", "from=-1000 to=-0.001"),
          std::make_pair("all_binades", "from=0 to=1.7e308"),
          std::make_pair("all_negative_binades", "from=-1.7e308 to=-0")}) {
      Add("dense", {"[4099]"}, {ValueProfile::kRange});
      CaseTemplate& made = templates_.back();
      made.variant = variant;
      made.types = {ElementType::kF32, ElementType::kF64};
      made.inputs.push_back(absl::StrCat("arg0 = range ", range));
    }
  }

  // Loops are chosen by the width of an element.
  void AddWidths() {
    if (op_.opcode == Opcode::kComplex) return;  // of f32 and f64 alone
    Add("widths", {"[1031]"}, {ValueProfile::kBenign});
    FirstVariant({ElementType::kS32, ElementType::kU32, ElementType::kS64, ElementType::kU64,
                  ElementType::kS16, ElementType::kF16, ElementType::kC64, ElementType::kPred});
  }

  // The last template with these types and without a choice of attributes or results.
  void FirstVariant(const std::vector<ElementType>& types) {
    CaseTemplate& last = templates_.back();
    last.types.clear();
    for (const ElementType type : types) {
      if (!absl::c_linear_search(last.types, type)) last.types.push_back(type);
    }
    for (CaseTemplate::Choice& choice : last.choices) {
      if (choice.names.front() != "shape") choice.values.resize(1);
      if (op_.opcode == Opcode::kConvert && choice.names.front() == "result") {
        choice.values = {{"f16"}, {"s32"}};
      }
    }
  }

  // argument_ranges.def.
  void AddRanges() {
    for (const ArgumentRange& range : kArgumentRanges) {
      if (range.opcode != op_.opcode) continue;
      const bool complex = absl::StrContains(range.types, "c64");
      Add("range", {complex ? "[37]" : "[67]"}, {ValueProfile::kRange});
      CaseTemplate& made = templates_.back();
      made.variant = range.form;
      made.types.clear();
      for (absl::string_view type : absl::StrSplit(range.types, ' ')) {
        made.types.push_back(*ElementTypeFromName(type));
      }
      made.inputs.push_back(absl::StrCat("arg0 = range ", range.first));
      if (*range.second != 0)
        made.inputs.push_back(absl::StrCat("arg1 = range seed=2 ", range.second));
    }
  }

  static void AddChoice(const std::string& name, const Names& values, CaseTemplate* made) {
    if (values.empty()) return;
    CaseTemplate::Choice choice;
    choice.names = {name};
    for (const std::string& value : values) choice.values.push_back({value});
    made->choices.push_back(std::move(choice));
  }

  const OpInfo& op_;
  Names results_;
  std::vector<CaseTemplate> templates_;
};

}  // namespace

std::vector<CaseTemplate> ElementwiseTemplates() {
  std::vector<CaseTemplate> templates;
  for (const OpInfo& op : Catalogue()) {
    if (!op.elementwise()) continue;
    std::vector<CaseTemplate> made = TemplateMaker(op).Make();
    std::move(made.begin(), made.end(), std::back_inserter(templates));
  }
  return templates;
}

}  // namespace assay::conformance
