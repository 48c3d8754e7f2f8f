// What a job would read of a file of cells.
#pragma once

#include "scvet/data/cells.h"

namespace scvet::fuzz {

// Tables, lists, the first rows and the last of every matrix, every embedding. Aborts when a promise of cells.h is broken.
void read_everything(CellFile& file);

}  // namespace scvet::fuzz
