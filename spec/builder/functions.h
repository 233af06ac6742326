// All builder functions.
#ifndef ASSAY_SPEC_BUILDER_FUNCTIONS_H_
#define ASSAY_SPEC_BUILDER_FUNCTIONS_H_

#include "spec/builder/builder.h"
#include "spec/builder/collective.h"
#include "spec/builder/contraction.h"
#include "spec/builder/control.h"
#include "spec/builder/elementwise.h"
#include "spec/builder/movement.h"
#include "spec/builder/reduction.h"

#endif  // ASSAY_SPEC_BUILDER_FUNCTIONS_H_
