// Labels and batches of a method that cannot do without them.
#pragma once

#include "scvet/base/error.h"
#include "scvet/embed/method.h"

namespace scvet::embed {

// UsageError where there are none.
inline const Groups& needed_labels(const MethodRecord& record, const MethodInput& input) {
  if (!input.labels) throw UsageError(std::string("method ") + record.name + " needs labels; pass --label-key");
  return *input.labels;
}
inline const Groups& needed_batches(const MethodRecord& record, const MethodInput& input) {
  if (!input.batches) throw UsageError(std::string("method ") + record.name + " needs batches; pass --batch-key");
  return *input.batches;
}

}  // namespace scvet::embed
