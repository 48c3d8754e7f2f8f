// NumPy scalars in pickles: the only globals that dictionaries of tokens and medians name.
#pragma once

#include "dictionary/pickle.h"

namespace scvet::io {

// numpy.core.multiarray scalar, numpy._core.multiarray scalar, numpy dtype and _codecs encode (bytes of protocol 2);
// dtypes i1..i8, u1..u8, f4, f8 of either byte order, which become integers and reals.
const PicklePolicy& numpy_scalars();

}  // namespace scvet::io
