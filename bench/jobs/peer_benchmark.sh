#!/usr/bin/env bash
# scvet benchmark and geometry beside the peer's own scripts on the same simulated embeddings: wall seconds, peak memory,
# ratios. peer_benchmark.sh [SIZES [DIMS]]: by default "2000 8000 20000" cells and "50 512" dimensions.
# The peer and what it needs are installed into build/bench/peer_venv (bench/jobs/peer_requirements.txt), minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=build/bench/peer_benchmark venv=build/bench/peer_venv
mkdir -p "$folder"
[ -e "$venv/ready" ] || {
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet -r bench/jobs/peer_requirements.txt
  touch "$venv/ready"
}
ninja -C build/release scvet >/dev/null
exec "$venv/bin/python" bench/jobs/peer_benchmark.py --program build/release/scvet --folder "$folder" \
  --sizes "${1:-2000 8000 20000}" --dims "${2:-50 512}"
