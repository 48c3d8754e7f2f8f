#!/usr/bin/env bash
# The published search (MinHash of 128, LSH 16 x 8) by datasketch and by scvet, side by side; flags as peer_lsh.py has them.
# Makes what it needs on the first run: scvet, the sets, and an environment with datasketch (PEER_PYTHON: another one).
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null 2>&1
cmake --build --preset release --target scvet make_peer_sets -- --quiet
python=${PEER_PYTHON:-build/peer-venv/bin/python}
if [ ! -x "$python" ]; then
  python3 -m venv build/peer-venv
  build/peer-venv/bin/pip install --quiet -r bench/sketch/peer_requirements.txt
fi
exec "$python" bench/sketch/peer_lsh.py "$@"
