// Locations behind operations and arguments: each is written once, as an alias at the end of the
// text. Private to the printer (text.h is its interface). Tests: text_printer_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_PRINT_LOCATIONS_H_
#define ASSAY_SPEC_STABLEHLO_PRINT_LOCATIONS_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

class LocationAliases {
 public:
  // "loc(#loc3)", or "loc(unknown)" where there is no location.
  std::string Reference(const Location* location);
  // "#loc1 = loc("f.py":3:1)", a line for each location that was referred to, in the order in
  // which one may be defined by those before it.
  const std::string& definitions() const { return definitions_; }

 private:
  // "#loc3", or "unknown".
  std::string AliasOf(const Location* location);

  absl::flat_hash_map<const Location*, std::string> aliases_;
  absl::flat_hash_map<std::string, std::string> alias_of_text_;  // equal locations share one
  std::string definitions_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_PRINT_LOCATIONS_H_
