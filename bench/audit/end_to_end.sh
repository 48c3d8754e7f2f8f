#!/usr/bin/env bash
# A whole audit of 2,700 cells against a store of 1,000,000: bench/audit/end_to_end.sh [CELLS] [ENGINE...]
# Makes the store (about 4 GB in build/bench, kept) and the benchmark, then prints wall time and peak memory of
# 'scvet audit' with each engine (default: exact, sketch8), everything included: reading, controls, report.
set -euo pipefail
cd "$(dirname "$0")/../.."
cells=${1:-1000000}
shift || true
engines=("$@")
[ ${#engines[@]} -gt 0 ] || engines=(exact sketch8)
genes=1100 queries=2700 folder=build/bench
cmake --preset release >/dev/null 2>&1
cmake --build --preset release --target scvet make_synthetic_corpus make_synthetic_benchmark -- --quiet
mkdir -p "$folder"
corpus=$folder/synthetic_$cells.corpus
[ -e "$corpus" ] || build/release/bench/make_synthetic_corpus "$cells" "$genes" "$corpus"
build/release/bench/make_synthetic_benchmark "$queries" "$genes" "$cells" "$folder/synthetic_benchmark"
for engine in "${engines[@]}"; do
  python3 - "$engine" build/release/scvet audit --benchmark "$folder/synthetic_benchmark" --corpus "$corpus" \
    --engine "$engine" --outdir "$folder/audit_$engine" --force --quiet <<'PYTHON'
import resource, subprocess, sys, time

start = time.perf_counter()
status = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]}: {time.perf_counter() - start:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor time, "
      f"peak {used.ru_maxrss / 1024:.0f} MB (mapped pages of the store included)")
sys.exit(status)
PYTHON
done
