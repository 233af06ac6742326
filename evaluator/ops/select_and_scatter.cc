// select-and-scatter: out = init everywhere; for every source index s in row-major order: walk the
// cells of its window that are inside the operand; the first is selected, then each cell p for
// which select(x[selected], x[p]) is false; out[selected] = scatter(out[selected], source[s]). A
// window without any cell updates nothing. Source: ops_structural.md 5.4.
#include <optional>
#include <utility>

#include "evaluator/ops/cell_updates.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/fold.h"
#include "evaluator/region/scalar_program.h"
#include "spec/ops/window_math.h"

namespace assay::evaluator {
namespace {

constexpr int64_t kOperand = 0, kSource = 1, kInit = 2;

class SelectAndScatter : public Definition {
 public:
  SelectAndScatter(const Instruction& instruction, Region select, Fold fold)
      : instruction_(instruction), select_(std::move(select)), fold_(std::move(fold)) {
    const std::vector<Instruction*> parameters = select_.computation().parameters();
    for (int k = 0; k < 2; ++k) select_types_[k] = parameters[k]->shape().element_type();
  }

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext& context) override {
    if (!sources_) {
      if (absl::Status status = SelectCells(operands, context); !status.ok()) return status;
    }
    absl::StatusOr<Element> init =
        ElementAs(fold_.accumulator_type(0), instruction_, kInit, {}, operands);
    if (!init.ok()) return init;
    fold_.Start({*init});
    const Shape& source_shape = OperandShape(instruction_, kSource);
    for (int64_t s : sources_->Of(PositionOf(i, OperandShape(instruction_, 0).dimensions()))) {
      absl::StatusOr<Element> source = ElementAs(fold_.element_type(0), instruction_, kSource,
                                                 IndexAt(s, source_shape.dimensions()), operands);
      if (!source.ok()) return source;
      if (absl::Status status = fold_.Add({*source}, context); !status.ok()) return status;
    }
    return As(ResultType(instruction_, leaf), fold_.accumulator_type(leaf),
              fold_.Result(leaf, context));
  }

 private:
  absl::Status SelectCells(OperandElements& operands, EvaluationContext& context) {
    CellUpdates found;
    int64_t position = 0;
    absl::Status status = ForEachIndex(
        OperandShape(instruction_, kSource).dimensions(), [&](Index s) -> absl::Status {
          absl::StatusOr<std::optional<Dimensions>> cell = SelectCell(s, operands, context);
          if (!cell.ok()) return cell.status();
          if (*cell) {
            found.Add(PositionOf(**cell, OperandShape(instruction_, 0).dimensions()), position);
          }
          ++position;
          return absl::OkStatus();
        });
    if (status.ok()) sources_ = std::move(found);
    return status;
  }

  // The cell that the window of source index s selects; none when all of it is padding.
  absl::StatusOr<std::optional<Dimensions>> SelectCell(Index s, OperandElements& operands,
                                                       EvaluationContext& context) {
    std::optional<Dimensions> selected;
    Dimensions sizes;
    for (const WindowDimension& d : instruction_.window().dimensions) sizes.push_back(d.size);
    absl::Status status = ForEachIndex(sizes, [&](Index k) -> absl::Status {
      if (absl::Status charged = context.Charge(1); !charged.ok()) return charged;
      Dimensions p;
      for (size_t d = 0; d < k.size(); ++d) {
        p.push_back(WindowedElement(OperandShape(instruction_, 0).dimension(d),
                                    instruction_.window().dimensions[d], s[d], k[d]));
        if (p[d] < 0) return absl::OkStatus();
      }
      if (!selected) selected = p;
      absl::StatusOr<bool> stays = Stays(*selected, p, operands, context);
      if (!stays.ok()) return stays.status();
      if (!*stays) selected = p;
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    return selected;
  }

  // select(x[selected], x[p]).
  absl::StatusOr<bool> Stays(Index selected, Index p, OperandElements& operands,
                             EvaluationContext& context) {
    absl::StatusOr<Element> a =
        ElementAs(select_types_[0], instruction_, kOperand, selected, operands);
    if (!a.ok()) return a.status();
    absl::StatusOr<Element> b = ElementAs(select_types_[1], instruction_, kOperand, p, operands);
    if (!b.ok()) return b.status();
    Element result;
    if (absl::Status status = select_.Run({*a, *b}, absl::MakeSpan(&result, 1), context);
        !status.ok()) {
      return status;
    }
    return result.bits != 0;
  }

  const Instruction& instruction_;
  Region select_;
  ElementType select_types_[2];
  Fold fold_;
  std::optional<CellUpdates> sources_;
};

}  // namespace

DefinitionOr DefineSelectAndScatter(const Instruction& instruction) {
  absl::StatusOr<Region> select = Region::Prepare(*instruction.GetComputation(Attr::kSelect));
  if (!select.ok()) return select.status();
  absl::StatusOr<Fold> fold = Fold::Prepare(*instruction.GetComputation(Attr::kScatter));
  if (!fold.ok()) return fold.status();
  return std::make_unique<SelectAndScatter>(instruction, *std::move(select), *std::move(fold));
}

}  // namespace assay::evaluator
