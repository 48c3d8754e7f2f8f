#!/usr/bin/env bash
# Reading of h5ad files against anndata's reader; flags as read_h5ad.py has them. Makes the files on the first run.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null 2>&1
cmake --build --preset release --target read_cells -- --quiet
exec build/venv/bin/python bench/io/read_h5ad.py "$@"
