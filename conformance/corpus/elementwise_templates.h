// Templates for every elementwise operation, from its row in the catalogue: all of them take the
// same shapes and profiles. Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_ELEMENTWISE_TEMPLATES_H_
#define ASSAY_CONFORMANCE_CORPUS_ELEMENTWISE_TEMPLATES_H_

#include <vector>

#include "conformance/corpus/case_template.h"

namespace assay::conformance {

std::vector<CaseTemplate> ElementwiseTemplates();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_ELEMENTWISE_TEMPLATES_H_
