#include "conformance/enclosure/width_testing.h"

#include <algorithm>
#include <iostream>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace assay::conformance {

std::vector<OperandPart> ElementwiseParts(int operands, int64_t i) {
  std::vector<OperandPart> parts;
  for (int k = 0; k < operands; ++k) parts.push_back({k, i});
  return parts;
}

namespace {

std::string Typed(const MeasuredRule& of, const std::string& text) {
  return absl::StrReplaceAll(text, {{"T[", absl::StrCat(Name(of.type), "[")}, {"C[", "c64["}});
}

// The ends of one part of a box, as places.
PlaceRange EndsOf(const Places& places, const Box& box, int64_t part) {
  return {places.Of(LoadElement(places.type(), box.low.data(), part).bits),
          places.Of(LoadElement(places.type(), box.high.data(), part).bits)};
}
int64_t PartsOf(const Literal& literal) {
  return literal.element_count() * (IsComplex(literal.element_type()) ? 2 : 1);
}
// Returns the width in ulps of the largest magnitude of `about`, both ends included.
double UnitsOf(const Places& places, PlaceRange range, PlaceRange about) {
  const Real size = std::max(std::fabs(places.At(about.low)), std::fabs(places.At(about.high)));
  return static_cast<double>((places.At(range.high) - places.At(range.low)) / places.Ulp(size)) + 1;
}

struct Cell {
  int64_t elements = 0, admitted = 0, extra = 0, most = 0, attained = 0, enumerated = 0;
  double log_units = 0, log_attained = 0, times = 0, most_times = 0;

  void Add(const Places& places, PlaceRange ends, PlaceRange range, PlaceRange reached) {
    const double wide = UnitsOf(places, ends, ends), needed = UnitsOf(places, range, ends);
    ++elements;
    admitted += range.high - range.low + 1;
    extra += range.low - ends.low + ends.high - range.high;
    most = std::max({most, range.low - ends.low, ends.high - range.high});
    log_units += std::log(needed);
    times += wide / needed;
    most_times = std::max(most_times, wide / needed);
    if (reached.empty()) return;
    ++enumerated;
    attained += reached.high - reached.low + 1;
    log_attained += std::log(UnitsOf(places, reached, ends));
  }
  std::string Text(bool by_times) const {
    if (elements == 0) return " |";
    const auto count = static_cast<double>(elements), of = static_cast<double>(enumerated);
    const std::string from =
        enumerated == 0
            ? std::string()
            : absl::StrFormat("%.1f of ", by_times ? std::exp(log_attained / of)
                                                   : static_cast<double>(attained) / of);
    if (by_times) {
      return absl::StrFormat(" %s%.1f x %.2f (%.2f) |", from, std::exp(log_units / count),
                             times / count, most_times);
    }
    return absl::StrFormat(" %s%.1f + %.2f (%d) |", from, static_cast<double>(admitted) / count,
                           static_cast<double>(extra) / count, most);
  }
};
// Of f32, 16 bits and 8 bits; of values and of intervals.
struct Row {
  std::string rule;
  bool by_times = false;
  Cell cells[6];
};
std::vector<Row>& Rows() {
  static auto* const rows = new std::vector<Row>;
  return *rows;
}
Row& RowOf(const MeasuredRule& of) {
  for (Row& row : Rows()) {
    if (row.rule == of.rule) return row;
  }
  return Rows().emplace_back(Row{of.rule, of.most_times > 0, {}});
}

// Gives every part of an operand an interval of up to `steps` places.
void Fill(const MeasuredRule& of, int operand, int steps, std::mt19937_64* random, Literal* low,
          Literal* high) {
  const Places places(of.type);
  for (int64_t i = 0; i < PartsOf(*low); ++i) {
    Real goal = std::exp2(std::log2(of.least) + static_cast<double>((*random)() % 4096) / 4096 *
                                                    (std::log2(of.largest) - std::log2(of.least)));
    if (!of.positive && (*random)() % 2 == 0) goal = -goal;
    if (of.adjust) goal = of.adjust(operand, i, goal);
    const int64_t place = places.Nearest(goal);
    const int64_t next = place + static_cast<int64_t>((*random)() % (steps + 1));
    StoreElement(of.type, places.Bits(place), low->mutable_data(), i);
    StoreElement(of.type, places.Bits(next), high->mutable_data(), i);
  }
}

}  // namespace

void WidthsTest::TearDownTestSuite() {
  if (std::getenv("ASSAY_PRINT_WIDTHS") == nullptr) return;
  for (const bool by_times : {false, true}) {
    for (const Row& row : Rows()) {
      if (row.by_times != by_times) continue;
      std::cout << "| " << row.rule << " |";
      for (const Cell& cell : row.cells) std::cout << cell.Text(by_times);
      std::cout << "\n";
    }
    std::cout << "\n";
  }
}

BoxTree WidthsTest::EncloseOn(const MeasuredRule& of, int steps) {
  // A comparison that no target is bound to.
  std::string body = Typed(of,
                           "one = f32[] constant(1)\n e = f32[] exponential(one)\n"
                           " c = f32[] constant(2.71828175)\n"
                           " open = pred[] compare(e, c), direction=LT\n"
                           " zero = T[] constant(0)\n most = T[] constant(16)\n"
                           " unit = T[] constant(1)\n lowest = T[] constant(-16)\n"
                           " keys = T[200] broadcast(zero), dimensions={}\n"
                           " places = s32[2,1] constant({{0}, {0}})\n");
  std::mt19937_64 random(7);
  std::vector<Literal> arguments;
  std::string names, shapes;
  for (size_t k = 0; k < of.shapes.size(); ++k) {
    const std::string shape = Typed(of, of.shapes[k]);
    for (const char* end : {"a", "b"}) {
      absl::StrAppend(&body, end, k, " = ", shape, " parameter(", arguments.size(), ")\n");
      arguments.push_back(Literal::Zeros(*ParseShape(shape)));
    }
    Fill(of, static_cast<int>(k), steps, &random, &arguments[2 * k], &arguments[2 * k + 1]);
    const std::string dimensions = shape.substr(shape.find('['));
    absl::StrAppend(&body, "p", k, " = pred", dimensions, " broadcast(open), dimensions={}\n x", k,
                    " = ", shape, " select(p", k, ", a", k, ", b", k, ")\n");
    absl::StrAppend(&names, "x", k, ", ");
    absl::StrAppend(&shapes, shape, ", ");
  }
  absl::StrAppend(&body, Typed(of, of.before), "r = ", Typed(of, of.result), " ",
                  Typed(of, of.operation), "\n ROOT t = (", shapes, Typed(of, of.result),
                  ") tuple(", names, "r)");
  return Of(body, arguments, "cpu-strict", Typed(of, of.computations));
}

void WidthsTest::Measure(const MeasuredRule& of, int steps) {
  const BoxTree tree = EncloseOn(of, steps);
  if (!tree.is_tuple()) return;
  const Box& result = tree.elements().back().box();
  const Places places(Info(result.low.element_type()).component);
  const std::string name =
      absl::StrCat(of.rule, " of ", Name(of.type), steps > 0 ? " of intervals" : "");
  Cell measured;
  bool told = false;
  for (int64_t i = 0; i < PartsOf(result.low); ++i) {
    if (of.skips && of.skips(i)) continue;
    const PlaceRange range = Admissible(of, tree, i, of.admits);
    const PlaceRange reached =
        of.attains && steps == 0 ? Admissible(of, tree, i, of.attains) : PlaceRange();
    const PlaceRange ends = EndsOf(places, result, i);
    ASSERT_FALSE(range.empty()) << name;
    const bool holds = ends.low <= std::min(range.low, reached.low) &&
                       ends.high >= std::max(range.high, reached.high);
    ASSERT_TRUE(holds) << name << ", part " << i << ": places " << ends.low << " to " << ends.high
                       << ", admitted are " << range.low << " to " << range.high << ", attained "
                       << reached.low << " to " << reached.high;
    measured.Add(places, ends, range, reached);
    RowOf(of)
        .cells[(of.type == ElementType::kF32 ? 0
                : Info(of.type).bits == 16   ? 2
                                             : 4) +
               (steps > 0 ? 1 : 0)]
        .Add(places, ends, range, reached);
    const bool wide =
        of.most_times > 0 ? measured.most_times > of.most_times : measured.most > of.most;
    if (wide && !told) {
      told = true;
      ADD_FAILURE() << name << ", part " << i << ": places " << ends.low << " to " << ends.high
                    << ", admitted are " << range.low << " to " << range.high << ", "
                    << measured.most_times << " times as wide";
    }
  }
}

PlaceRange WidthsTest::Admissible(const MeasuredRule& of, const BoxTree& tree, int64_t i,
                                  const AdmitsValues& admits) {
  const Places places(of.type);
  std::vector<int64_t> lows, highs;
  for (const OperandPart& part : of.parts(i)) {
    const PlaceRange ends = EndsOf(places, tree.elements()[part.operand].box(), part.index);
    lows.push_back(ends.low);
    highs.push_back(ends.high);
  }
  PlaceRange range;
  std::vector<int64_t> at = lows;
  while (true) {
    Reals values;
    for (const int64_t place : at) values.push_back(places.At(place));
    Join(admits(i, values), &range);
    size_t k = 0;
    while (k < at.size() && at[k] == highs[k]) {
      at[k] = lows[k];
      ++k;
    }
    if (k == at.size()) return range;
    ++at[k];
  }
}

void WidthsTest::MeasureBoth(MeasuredRule of, int steps, int64_t more_of_intervals) {
  Measure(of, 0);
  of.most += more_of_intervals;
  // Of values of both signs that cancel, places near zero are not those of the terms.
  of.positive = of.positive || more_of_intervals > 0;
  Measure(of, steps);
}

void WidthsTest::MeasureTimes(MeasuredRule of, int steps, double of_points, double of_intervals) {
  of.most_times = of_points;
  Measure(of, 0);
  of.most_times = of_intervals;
  Measure(of, steps);
}

void WidthsTest::ExpectOpen(const MeasuredRule& of, int steps) {
  const BoxTree tree = EncloseOn(of, steps);
  if (!tree.is_tuple()) return;
  const Box& result = tree.elements().back().box();
  const Line line(Info(result.low.element_type()).component);
  EXPECT_TRUE(line.Ordinal(result.low.Get(0).bits) == line.least() &&
              line.Ordinal(result.high.Get(0).bits) == line.greatest())
      << of.rule << " of " << Name(of.type);
}

}  // namespace assay::conformance
