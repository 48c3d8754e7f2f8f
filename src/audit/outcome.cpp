#include "scvet/audit/outcome.h"

#include "scvet/base/error.h"
#include "scvet/numeric/binomial.h"

namespace scvet::audit {

const char* status_name(CellStatus status) {
  switch (status) {
    case CellStatus::kOk:
      return "ok";
    case CellStatus::kTooFewGenes:
      return "too_few_genes";
    case CellStatus::kEmpty:
      return "empty";
    case CellStatus::kUndecidableRare:
      return "undecidable_rare";
    case CellStatus::kNoCounts:
      return "no_counts";
  }
  throw InternalError("a cell status without a name");
}

const char* exposure_name(Exposure exposure) {
  switch (exposure) {
    case Exposure::kUnknown:
      return "unknown";
    case Exposure::kExposed:
      return "exposed";
    case Exposure::kClean:
      return "clean";
  }
  throw InternalError("an exposure without a name");
}

Share make_share(std::int64_t hits, std::int64_t n) {
  Share share;
  share.hits = hits;
  share.n = n;
  if (n == 0) return share;
  const numeric::Interval interval = numeric::clopper_pearson(hits, n);
  share.share = static_cast<double>(hits) / static_cast<double>(n);
  share.low = interval.low;
  share.high = interval.high;
  return share;
}

}  // namespace scvet::audit
