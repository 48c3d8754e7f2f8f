#!/usr/bin/env bash
# The Anderson-Darling statistics of the label by scipy's anderson_ksamp and by scvet, on the same (row, gene) pairs; flags
# as peer_anderson.py has them. Makes what it needs on the first run (PEER_PYTHON: another environment with scipy).
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null 2>&1
cmake --build --preset release --target read_anderson_pairs -- --quiet
python=${PEER_PYTHON:-build/peer-anderson-venv/bin/python}
if [ ! -x "$python" ]; then
  python3 -m venv build/peer-anderson-venv
  build/peer-anderson-venv/bin/pip install --quiet -r bench/numeric/peer_requirements.txt
fi
exec "$python" bench/numeric/peer_anderson.py "$@"
